// The daily race: which board belongs to a day. The twin of `sliderace.race.daily`, which
// explains the chain of secrets. Pure; loaded with the verifier only.

import { constants } from "./constants.js";
import { hexToBytes, bytesToHex } from "./engine.js";
import { sha256 } from "./engine/sha256.js";

const DAY_MS = 86_400_000;

/**
 * The number of a date among the days with daily races, from 1.
 * @param {string} date such as `2026-11-30`
 * @returns {number | null} null: there is no daily race on it, or it is no date
 */
export function dayNumber(date) {
  const { first_day: first, days } = constants.daily;
  const ms = /^\d{4}-\d\d-\d\d$/.test(date) ? Date.parse(`${date}T00:00:00Z`) : NaN;
  if (Number.isNaN(ms) || dateOf(ms / DAY_MS) !== date) return null;
  const number = ms / DAY_MS - first + 1;
  return number >= 1 && number <= days ? number : null;
}

/** The date of a day since 1970. @param {number} day */
const dateOf = (day) => new Date(day * DAY_MS).toISOString().slice(0, 10);

/** The first and the last date with a daily race. */
export function dates() {
  const { first_day: first, days } = constants.daily;
  return [dateOf(first), dateOf(first + days - 1)];
}

/**
 * The anchor to which the secret of a day belongs.
 * @param {string} secret 64 hex digits
 * @param {string} event such as `4x4`
 * @param {number} number of the day, see `dayNumber`
 * @returns {string} 64 hex digits
 */
export function anchorOf(secret, event, number) {
  const label = ascii(`sliderace/daily/v1\0${event}\0`);
  /** @type {Uint8Array} */
  let link = hexToBytes(secret);
  for (let left = number; left > 0; left -= 1) link = sha256(joined(label, link));
  return bytesToHex(link);
}

/**
 * The seed of a day's board.
 * @param {string} secret 64 hex digits
 * @param {string} event such as `4x4`
 * @param {string} date such as `2026-11-30`
 * @returns {string} 64 hex digits
 */
export function dailySeed(secret, event, date) {
  const label = ascii(`sliderace/daily-seed/v1\0${date}\0${event}\0`);
  return bytesToHex(sha256(joined(label, hexToBytes(secret))));
}

/** @param {string} text */
const ascii = (text) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));

/** @param {Uint8Array} first @param {Uint8Array} second */
const joined = (first, second) => Uint8Array.of(...first, ...second);
