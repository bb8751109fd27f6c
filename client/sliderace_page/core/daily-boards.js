// The daily boards of today, as a player sees them. Pure.

import { formatSpan, formatTime, ordinal } from "./figures.js";
import { text } from "./texts.js";

/** @typedef {import("./messages.js").Daily["event"]} Event */
/** @typedef {import("./messages.js").HistoryEvent["rows"][number]} HistoryRow */
/** @typedef {{place: number, total: number} | null} Place null: not ranked */
/**
 * @typedef {object} Today
 * @property {string} date such as `2026-11-30`
 * @property {number} endsMs until the next boards
 * @property {number} streak days in a row
 * @property {string[]} begun events of today that are done or running
 */

/** @type {Event[]} */
export const EVENTS = ["3x3", "4x4", "5x5"];

/**
 * Read the answer of `/api/daily`.
 * @param {Record<string, any> | null} found as received
 * @returns {Today | null} null: not readable
 */
export function readToday(found) {
  const { date, ends_ms: endsMs, own } = found ?? {};
  if (typeof date !== "string" || !Number.isSafeInteger(endsMs)) return null;
  const { streak, date: since, events } = own ?? {};
  const begun = since === date && Array.isArray(events) ? events : [];
  return { date, endsMs, streak: Number.isSafeInteger(streak) ? streak : 0, begun };
}

/**
 * The attempt of today among those of a profile.
 * @param {HistoryRow[]} rows @param {string} date
 */
export const attemptOf = (rows, date) =>
  rows.find(
    ({ kind, started_ms: started }) =>
      kind === "daily" && new Date(started).toISOString().startsWith(date),
  ) ?? null;

/**
 * What a player has done on a board of today.
 * @param {boolean} begun @param {HistoryRow | null} attempt @param {Place} place
 * @returns {{state: "open" | "running" | "done", words: string}}
 */
export function describeBoard(begun, attempt, place) {
  if (!attempt) return begun ? { state: "running", words: text("daily.running") } : { state: "open", words: text("daily.open") };
  const { time_ms: ms } = attempt;
  if (ms === null) return { state: "done", words: text("daily.not_solved") };
  const time = formatTime(ms);
  const words = place
    ? text("daily.placed", { time, place: ordinal(place.place), of: place.total })
    : time;
  return { state: "done", words };
}

/** When there are new boards. @param {number} ms */
export const nextBoardsText = (ms) => text("daily.next", { span: formatSpan(Math.max(0, ms)) });
