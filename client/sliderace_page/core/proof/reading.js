// The form of a race record, as in the Python twin, `sliderace.proof.reading`. Pure.

import { constants } from "../constants.js";
import { EngineError, formatBoard, parseBoard } from "../engine.js";


/** Not a race record of this version; the text says where. */
export class BadRecord extends Error {}

/**
 * Check the form of a record; whether what it claims is true is another question.
 * @param {any} record as `JSON.parse` gives it
 * @throws {BadRecord}
 */
export function read(record) {
  recordForm()(record, "record");
  if (record.seed_known !== (record.secret === null))
    throw new BadRecord("record.secret: told exactly where the seed was not known");
  if (sizeOf(record.board) !== record.rules.size)
    throw new BadRecord(`record.board: its size is not ${record.rules.size}`);
  const seats = record.racers.map(({ seat }) => seat);
  if (new Set(seats).size < seats.length)
    throw new BadRecord("record.racers: a seat comes twice");
}

// --- Forms: each takes a value and where it stands, and throws -----------------------

const form = (holds, text) => (value, where) => {
  if (!holds(value)) throw new BadRecord(`${where}: ${text}`);
};
const whole = (low = 0, high = Number.MAX_SAFE_INTEGER, ...special) =>
  form(
    (value) =>
      special.includes(value) ||
      (Number.isSafeInteger(value) && value >= low && value <= high),
    `not a whole number ${low} ... ${high}`,
  );
const boolean = form((value) => typeof value === "boolean", "neither true nor false");
const among = (...known) =>
  form((value) => known.includes(value), "not one of the known values");
const matching = (pattern) =>
  form(
    (value) => typeof value === "string" && pattern.test(value),
    `not of the form ${pattern.source}`,
  );
const line = form(
  (value) =>
    typeof value === "string" &&
    [...value].length <= constants.record.max_text &&
    !/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(value),
  "not a short line of text",
);
const maybe = (inner) => (value, where) => value === null || inner(value, where);
const list = (inner, most) => (value, where) => {
  if (!Array.isArray(value)) throw new BadRecord(`${where}: not a list`);
  if (value.length > most) throw new BadRecord(`${where}: more than ${most}`);
  value.forEach((item, n) => inner(item, `${where}[${n}]`));
};
const parts = (...inner) => (value, where) => {
  if (!Array.isArray(value) || value.length !== inner.length)
    throw new BadRecord(`${where}: not a list of ${inner.length}`);
  inner.forEach((check, n) => check(value[n], `${where}[${n}]`));
};
const object = (fields) => (value, where) => {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new BadRecord(`${where}: not an object`);
  for (const name of Object.keys(fields)) {
    if (!Object.hasOwn(value, name)) throw new BadRecord(`${where}.${name}: missing`);
  }
  for (const name of Object.keys(value)) {
    if (!Object.hasOwn(fields, name))
      throw new BadRecord(`${where}: has unknown fields`);
    fields[name](value[name], `${where}.${name}`);
  }
};
const board = form((value) => sizeOf(value) !== null, "not written as boards are");

/** `3x2` of a board text; null where it is none. */
function sizeOf(text) {
  if (typeof text !== "string") return null;
  try {
    const parsed = parseBoard(text);
    return formatBoard(parsed) === text ? `${parsed.width}x${parsed.height}` : null;
  } catch (error) {
    if (error instanceof EngineError) return null;
    throw error;
  }
}

// --- The record ----------------------------------------------------------------------

const HEX_32 = /^[0-9a-f]{64}$/;
const HEX_16 = /^[0-9a-f]{32}$/;

/** @param {...number} special allowed beside the range */
const inRange = (name, ...special) => {
  const [low, high] = constants.rules.ranges[name];
  return whole(low, high, ...special);
};
const rulesForm = () =>
  object({
    size: matching(/^([2-9]|10)x([2-9]|10)$/),
    start: among(...constants.rules.starts),
    every_ms: inRange("every_ms"),
    countdown_ms: inRange("countdown_ms"),
    inspection_ms: inRange("inspection_ms"),
    limit_ms: inRange("limit_ms", -1, 0),
    grace_ms: inRange("grace_ms", -1),
    away_ms: inRange("away_ms"),
    open_boards: boolean,
    spectator_delay_ms: inRange("spectator_delay_ms"),
    friendly_timing: boolean,
  });
const outagesForm = () => list(parts(whole(), whole()), constants.record.max_outages);
const FINISH = object({
  g_ms: whole(),
  e_ms: maybe(whole()),
  rtt_ms: whole(),
  jitter_ms: whole(),
  outage_ms: whole(),
  official_ms: whole(),
  credit_ms: whole(),
  solve_ms: whole(),
  photo: boolean,
});
const racerForm = () => {
  const { max_seat: maxSeat } = constants.scramble;
  const slide = parts(among("U", "D", "L", "R"), whole(1, 9), whole(), whole());
  return object({
    seat: whole(0, maxSeat),
    name: line,
    bot: boolean,
    nonce_commitment: maybe(matching(HEX_32)),
    nonce: maybe(matching(HEX_16)),
    lead_ms: whole(0, constants.timing.reveal_lead_ms),
    status: among("finished", "dnf", "forfeited", "dns"),
    why: among("", "limit", "grace", "away", "left", "kicked", "called"),
    place: maybe(whole(1, maxSeat + 1)),
    finish: maybe(FINISH),
    stm: whole(),
    mtm: whole(),
    high: whole(0, 1000),
    high_ms: whole(),
    approx: boolean,
    outages: outagesForm(),
    slides: list(slide, constants.record.max_slides),
  });
};
const recordForm = () =>
  object({
    format: among("sliderace/race-record"),
    version: among(1),
    software: line,
    race: matching(/^[A-Z0-9-]{1,32}$/),
    started_ms: whole(),
    ended_ms: whole(),
    rules: rulesForm(),
    seed_known: boolean,
    commitment: matching(HEX_32),
    secret: maybe(matching(HEX_32)),
    seed: matching(HEX_32),
    board,
    outages: outagesForm(),
    racers: list(racerForm(), constants.scramble.max_seat + 1),
  });
