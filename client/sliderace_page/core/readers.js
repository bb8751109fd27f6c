// The parts of the readers in messages.js. A reader returns the value that it is
// given, without unknown fields, or throws. Pure.

import { cleanName } from "./format.js";

/** A message that does not follow the protocol. */
export class ProtocolError extends Error {}

/** @template T @typedef {(value: unknown) => T} Reader */
/** @typedef {Record<string, Reader<unknown>>} Fields */

/** @param {unknown} value @param {string} wanted @returns {never} */
export function fail(value, wanted) {
  const found = JSON.stringify(value)?.slice(0, 60);
  throw new ProtocolError(`expected ${wanted}, got ${found}`);
}

/** @type {Reader<number>} */
export const integer = (value) =>
  typeof value === "number" && Number.isSafeInteger(value)
    ? value
    : fail(value, "an integer");

/** @type {Reader<number>} */
export const natural = (value) =>
  integer(value) >= 0 ? integer(value) : fail(value, "an integer of 0 or more");

/** @type {Reader<string>} */
export const string = (value) =>
  typeof value === "string" ? value : fail(value, "a string");

/** @type {Reader<boolean>} */
export const boolean = (value) =>
  typeof value === "boolean" ? value : fail(value, "true or false");

/** A nickname, cleaned: a server may be hostile. @type {Reader<string>} */
export const nickname = (value) => cleanName(string(value)) || "?";

/** @type {<T>(read: Reader<T>) => Reader<T | null>} */
export const nullable = (read) => (value) => value === null ? null : read(value);

/** A field with a default. @type {<T>(read: Reader<T>, missing: T) => Reader<T>} */
export const or = (read, missing) => (value) =>
  value === undefined ? missing : read(value);

/** @type {<T>(read: Reader<T>) => Reader<T[]>} */
export const list = (read) => (value) =>
  Array.isArray(value) ? value.map(read) : fail(value, "a list");

/** @type {(...words: string[]) => Reader<string>} */
export const among =
  (...words) =>
  (value) =>
    words.includes(string(value)) ? string(value) : fail(value, words.join(" or "));

/** An object with these fields. @param {Fields} fields @returns {Reader<object>} */
export const object = (fields) => {
  const readers = Object.entries(fields);
  return (value) => {
    if (value === null || typeof value !== "object" || Array.isArray(value))
      return fail(value, "an object");
    const found = /** @type {Record<string, unknown>} */ (value);
    return Object.fromEntries(readers.map(([key, read]) => [key, read(found[key])]));
  };
};

/** An array whose places have names. @param {Fields} fields @returns {Reader<object>} */
export const tuple = (fields) => {
  const readers = Object.entries(fields);
  return (value) => {
    if (!Array.isArray(value)) return fail(value, "a list");
    return Object.fromEntries(readers.map(([key, read], i) => [key, read(value[i])]));
  };
};
