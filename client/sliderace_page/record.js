// The file of a race record: is it what was told, and did the key in it sign it? Pure:
// fetching it, and the browser's Ed25519, are the caller's.

import { hexToBytes } from "./engine.js";

const MAX_DEPTH = 16; // as in the Python twin, `sliderace.race.canonical`

/** A value without a canonical form. */
export class NotCanonical extends Error {}

/**
 * The canonical form (RFC 8785) of a value of objects, lists, texts, whole numbers,
 * booleans and null.
 * @param {unknown} value as `JSON.parse` gives it
 * @returns {string}
 * @throws {NotCanonical}
 */
export function canonical(value, depth = 0) {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "number") {
    if (!Number.isSafeInteger(value)) throw new NotCanonical("a number");
    return String(value); // of -0, too, as it must be: "0"
  }
  if (typeof value === "string") {
    if (/\p{Surrogate}/u.test(value)) throw new NotCanonical("a lone surrogate");
    return JSON.stringify(value);
  }
  if (typeof value !== "object") throw new NotCanonical("a type");
  if (depth === MAX_DEPTH) throw new NotCanonical("too deep");
  const inner = (one) => canonical(one, depth + 1);
  if (Array.isArray(value)) return `[${value.map(inner).join()}]`;
  const fields = Object.keys(value).sort(); // by UTF-16 code units
  return `{${fields.map((name) => `${inner(name)}:${inner(value[name])}`).join()}}`;
}

/**
 * What can be said of the signature of a race's record.
 * @param {string} text the file
 * @param {{race: string, seed: string, secret: string | null, board: string}} results
 * @param {{commitment: string} | undefined} promise as shown before the race
 * @param {SubtleCrypto | undefined} subtle missing on pages without https
 * @returns {Promise<string>} begins with `ok`, `not ok` or `cannot be known`
 */
export async function judge(text, results, promise, subtle) {
  let file, message;
  try {
    file = JSON.parse(text);
    message = canonical(file.record);
    if (canonical(file) !== text) return "cannot be known here: written in another way";
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError)
      return "not ok: no record";
    if (error instanceof NotCanonical) return "not ok: no record";
    throw error;
  }
  const told = { ...results, commitment: promise?.commitment };
  for (const name of ["race", "seed", "secret", "board", "commitment"]) {
    if (told[name] !== undefined && file.record?.[name] !== told[name])
      return `not ok: the record has another ${name}`;
  }
  const { key, signature } = file;
  if (!isHex(key, 64) || !isHex(signature, 128)) return "not ok: no signature";
  const known = await verified(key, signature, message, subtle);
  if (known === null) return "cannot be known here";
  return known ? `ok, by the key ${key}` : "not ok";
}

const isHex = (text, length) =>
  typeof text === "string" && text.length === length && /^[0-9a-f]*$/.test(text);

/** Whether the key signed the message; null where the browser cannot tell. */
async function verified(key, signature, message, subtle) {
  if (!subtle) return null;
  const bytes = new TextEncoder().encode(message);
  try {
    const signer = await subtle.importKey("raw", hexToBytes(key), "Ed25519", false, [
      "verify",
    ]);
    return await subtle.verify("Ed25519", signer, hexToBytes(signature), bytes);
  } catch (error) {
    if (error.name === "NotSupportedError") return null; // no Ed25519
    return false; // no point of the curve
  }
}
