// A link for other machines, to a room or to the start page.

import { isLoopback } from "../core/format.js";

/**
 * A link that works on other machines, if the server knows one.
 * @param {App} app
 * @param {string | null} [code] of a room; null: the link leads to the start page
 * @returns {Promise<string | undefined>}
 */
export async function linkForOthers(app, code = app.code) {
  const found = await app.get(code ? `api/rooms/${code}` : "api/rooms", (answer) => answer.json());
  const links = Array.isArray(found?.links) ? found.links : [];
  return links.find((/** @type {string} */ link) => /^https?:\/\//.test(link) && !isLoopback(link));
}
