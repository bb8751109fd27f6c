// The file of a race record: is it what was told, did the key in it sign it, and does
// all of it follow? Pure: fetching it, and the browser's Ed25519, are the caller's.

import { NotCanonical, canonical } from "./record/canonical.js";
import { isHex, verified } from "./record/signature.js";

export { NotCanonical, canonical };
export { verify } from "./record/verify.js";

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
