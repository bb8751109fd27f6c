// The leaderboards of a server, as `GET /api/boards` returns them. Pure.

import { list, natural, nickname, nullable, object, or, string } from "./readers.js";

/**
 * A line of a leaderboard.
 * @typedef {object} BoardRow
 * @property {number} place
 * @property {string} profile its public id
 * @property {string} name
 * @property {number} value_ms a time or an average
 * @property {string} race of the time, or the last one of the average
 * @property {number} started_ms Unix time of that race
 * @property {string | null} input
 */
/**
 * @typedef {object} LeaderboardAnswer
 * @property {number} total how many profiles have a place
 * @property {BoardRow[]} top the best
 * @property {BoardRow[]} around our own line and its neighbours; empty without a profile
 * @property {string} own public id of our profile; "": none
 */
/** @typedef {{event: string, kind: string, input: string, span: string}} Query */

const Row = object({
  place: natural,
  profile: string,
  name: nickname,
  value_ms: natural,
  race: string,
  started_ms: natural,
  input: nullable(string),
});
const Answer = object({
  total: natural,
  top: list(Row),
  around: or(list(Row), []),
  own: or(string, ""),
});

/**
 * Read a leaderboard.
 * @param {unknown} value @returns {LeaderboardAnswer}
 * @throws {import("./readers.js").ProtocolError} it is none
 */
export const readLeaderboard = (value) => /** @type {LeaderboardAnswer} */ (Answer(value));

/** The values that each filter can have; the first one is the default. */
export const CHOICES = /** @type {const} */ ({
  kind: ["single", "ao5", "ao12"],
  input: ["", "keys", "click", "hover", "touch", "typed", "mixed"],
  span: ["all", "month", "day", "daily"],
});
const FIRST_EVENT = "4x4";
const DAILY = ["3x3", "4x4", "5x5"]; // events with a daily race
const EVENT = /^(?:[2-9]|10)x(?:[2-9]|10)$/;

/** The leaderboard that an address names. @param {URLSearchParams} query @returns {Query} */
export function queryOf(query) {
  const event = query.get("event") ?? "";
  const chosen = Object.entries(CHOICES).map(([name, allowed]) => {
    const value = query.get(name) ?? "";
    return [name, allowed.find((one) => one === value) ?? allowed[0]];
  });
  const { kind, input, span } = Object.fromEntries(chosen);
  // A daily race has one try, so that there is no average.
  return span === "daily"
    ? { event: DAILY.includes(event) ? event : FIRST_EVENT, kind: "single", input, span }
    : { event: EVENT.test(event) ? event : FIRST_EVENT, kind, input, span };
}

/** The path that answers a query. @param {Query} query */
export function pathOf({ event, kind, input, span }) {
  /** @type {[string, string][]} */
  const wanted = span === "daily" ? [["daily", "1"]] : [["kind", kind], ["span", span]];
  const some = [["event", event], ["input", input], ...wanted].filter(([, value]) => value);
  return `api/boards?${new URLSearchParams(some)}`;
}

/**
 * A query as part of an address, without what is the default.
 * @param {Query} query @returns {string} `event=4x4&kind=ao5`
 */
export function addressOf({ event, ...others }) {
  const named = Object.entries(others).filter(
    ([name, value]) => value !== CHOICES[/** @type {keyof typeof CHOICES} */ (name)][0],
  );
  return new URLSearchParams([["event", event], ...named]).toString();
}

/**
 * The lines to show, in order; null is a gap between them.
 * @param {LeaderboardAnswer} answer @returns {(BoardRow | null)[]}
 */
export function linesOf({ top, around }) {
  const known = new Set(top.map(({ profile }) => profile));
  const below = around.filter(({ profile }) => !known.has(profile));
  if (!below.length) return top;
  // Those who share a place may be cut anywhere.
  const isNext = below[0].place <= top.length + 1;
  return isNext ? [...top, ...below] : [...top, null, ...below];
}

/** The names that several profiles have. @param {BoardRow[]} rows @returns {Set<string>} */
export function sharedNames(rows) {
  /** @type {Map<string, string>} */
  const first = new Map();
  /** @type {Set<string>} */
  const shared = new Set();
  for (const { name, profile } of rows) {
    if ((first.get(name) ?? profile) !== profile) shared.add(name);
    first.set(name, profile);
  }
  return shared;
}
