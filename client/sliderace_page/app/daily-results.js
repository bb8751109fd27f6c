// Asks the server about the daily boards of today. Shell.

import { readLeaderboard } from "../core/boards.js";
import { readToday } from "../core/daily-boards.js";
import { ProtocolError } from "../core/protocol.js";

/**
 * The boards of today, and which of them we have begun.
 * @param {App} app @param {string | null} secret of our profile
 */
export async function today(app, secret) {
  const found = await app.get("api/daily", (answer) => answer.json(), secret);
  return found.failed || found.unknown ? null : readToday(found);
}

/**
 * Our place on a board of today.
 * @param {App} app @param {string} event @param {string | null} secret
 * @returns {Promise<import("../core/daily-boards.js").Place>}
 */
export async function placeToday(app, event, secret) {
  const path = `api/boards?event=${event}&daily=1`;
  const found = await app.get(path, (answer) => answer.json(), secret);
  if (found.failed || found.unknown) return null;
  try {
    const { around, own, total } = readLeaderboard(found);
    const mine = around.find(({ profile }) => profile === own);
    return mine ? { place: mine.place, total } : null;
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    return null;
  }
}
