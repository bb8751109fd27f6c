// Ed25519 signatures, checked by the browser if it can.

import { hexToBytes } from "../engine.js";

/**
 * Whether this is a string of so many hex digits.
 * @param {unknown} text @param {number} length @returns {text is string}
 */
export const isHex = (text, length) =>
  typeof text === "string" && text.length === length && /^[0-9a-f]*$/.test(text);

/**
 * Whether the key signed the message; null: the browser cannot check it.
 * @param {string} key 64 hex digits
 * @param {string} signature 128 hex digits
 * @param {string} message
 * @param {SubtleCrypto | undefined} subtle missing on pages without https
 * @returns {Promise<boolean | null>}
 */
export async function verified(key, signature, message, subtle) {
  if (!subtle) return null;
  const bytes = new TextEncoder().encode(message);
  try {
    const signer = await subtle.importKey("raw", hexToBytes(key), "Ed25519", false, [
      "verify",
    ]);
    return await subtle.verify("Ed25519", signer, hexToBytes(signature), bytes);
  } catch (error) {
    const unsupported = error instanceof DOMException && error.name === "NotSupportedError";
    return unsupported ? null : false; // false: the key is no point of the curve
  }
}
