// One value, one text, so that it can be signed: RFC 8785. Pure.

import { constants } from "../constants.js";

/** A value has no canonical form; `code` says why, see `FINDINGS.structure`. */
export class NotCanonical extends Error {
  /** @param {string} code */
  constructor(code) {
    super(code);
    this.code = code;
  }
}

/**
 * The canonical form (RFC 8785) of a value of objects, lists, strings, integers,
 * booleans and null.
 * @param {unknown} value as `JSON.parse` gives it
 * @returns {string}
 * @throws {NotCanonical}
 */
export function canonical(value, depth = 0) {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "number") {
    if (!Number.isInteger(value)) throw new NotCanonical("not_whole");
    if (!Number.isSafeInteger(value)) throw new NotCanonical("too_large");
    return String(value); // of -0, too, as it must be: "0"
  }
  if (typeof value === "string") {
    if (/\p{Surrogate}/u.test(value)) throw new NotCanonical("lone_surrogate");
    return JSON.stringify(value);
  }
  if (typeof value !== "object") throw new NotCanonical("wrong_type");
  if (depth === constants.record.max_depth) throw new NotCanonical("too_deep");
  const inner = (/** @type {unknown} */ one) => canonical(one, depth + 1);
  if (Array.isArray(value)) return `[${value.map(inner).join()}]`;
  const object = /** @type {Record<string, unknown>} */ (value);
  const names = Object.keys(object).sort(); // by UTF-16 code units
  return `{${names.map((name) => `${inner(name)}:${inner(object[name])}`).join()}}`;
}
