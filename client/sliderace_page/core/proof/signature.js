// Ed25519 by the browser's own means, where it has them.

import { hexToBytes } from "../engine.js";

/** Whether a text is so many hex digits. */
export const isHex = (text, length) =>
  typeof text === "string" && text.length === length && /^[0-9a-f]*$/.test(text);

/**
 * Whether the key signed the message; null where the browser cannot tell.
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
    if (error.name === "NotSupportedError") return null; // no Ed25519
    return false; // no point of the curve
  }
}
