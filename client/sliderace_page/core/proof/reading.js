// The form of a race record, as in the Python twin, `sliderace.proof.reading`. Pure.

import { constants } from "../constants.js";
import { EngineError, formatBoard, parseBoard } from "../engine.js";


/** Not a race record of this version: which field is at fault, and why. */
export class BadRecord extends Error {
  /**
   * @param {string} where path of the field, such as `record.racers[3].seat`
   * @param {string} code one of `FINDINGS.structure`, see `sliderace.proof.verify`
   * @param {Record<string, string | number>} [values] for the text of that code
   */
  constructor(where, code, values = {}) {
    super(`${where}: ${code}`);
    this.code = code;
    this.values = { where, ...values };
  }
}

/**
 * Check the form of a record, not whether its content is true.
 * @param {any} record as `JSON.parse` gives it
 * @throws {BadRecord}
 */
export function read(record) {
  recordForm()(record, "record");
  if (record.seed_known !== (record.secret === null))
    throw new BadRecord("record.secret", "secret_mismatch");
  const { size } = record.rules;
  if (sizeOf(record.board) !== size)
    throw new BadRecord("record.board", "wrong_size", { size });
  const seats = record.racers.map(({ seat }) => seat);
  if (new Set(seats).size < seats.length)
    throw new BadRecord("record.racers", "duplicate_seat");
}

// --- Forms: each takes a value and its path, and throws ------------------------------

const form = (holds, code, values) => (value, where) => {
  if (!holds(value)) throw new BadRecord(where, code, values);
};
const both = (first, second) => (value, where) => {
  first(value, where);
  second(value, where);
};
const whole = (low = 0, high = Number.MAX_SAFE_INTEGER) =>
  form(
    (value) => Number.isSafeInteger(value) && value >= low && value <= high,
    "not_integer",
    { low, high },
  );
const boolean = form((value) => typeof value === "boolean", "not_boolean");
const string = form((value) => typeof value === "string", "not_string");
const among = (...known) => form((value) => known.includes(value), "unknown_value");
const matching = (pattern, code = "malformed") =>
  both(
    string,
    form((value) => pattern.test(value), code),
  );
const line = both(
  string,
  form(
    (value) =>
      [...value].length <= constants.record.max_text &&
      !/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(value),
    "not_line",
  ),
);
const rule = (low, high, ...special) =>
  both(
    whole(-1),
    form(
      (value) => special.includes(value) || (value >= low && value <= high),
      "out_of_range",
    ),
  );
const maybe = (inner) => (value, where) => value === null || inner(value, where);
const array = form(Array.isArray, "not_list");
const list = (inner, most) => (value, where) => {
  array(value, where);
  if (value.length > most) throw new BadRecord(where, "too_long", { most });
  value.forEach((item, n) => inner(item, `${where}[${n}]`));
};
const parts = (named) => (value, where) => {
  const names = Object.keys(named);
  const { length } = names;
  array(value, where);
  if (value.length !== length) throw new BadRecord(where, "wrong_length", { length });
  names.forEach((name, n) => named[name](value[n], `${where}.${name}`));
};
const object = (fields) => (value, where) => {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new BadRecord(where, "not_object");
  for (const name of Object.keys(fields)) {
    if (!Object.hasOwn(value, name)) throw new BadRecord(`${where}.${name}`, "missing");
  }
  if (Object.keys(value).length > Object.keys(fields).length)
    throw new BadRecord(where, "unknown_fields");
  for (const name of Object.keys(fields)) fields[name](value[name], `${where}.${name}`);
};
const board = both(
  string,
  form((value) => sizeOf(value) !== null, "malformed"),
);

/** `3x2` of a board text; null if it is malformed. */
function sizeOf(text) {
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
  return rule(low, high, ...special);
};
const rulesForm = () =>
  object({
    size: matching(/^([2-9]|10)x([2-9]|10)$/, "out_of_range"),
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
const OUTAGE = parts({ from_ms: whole(), until_ms: whole() });
const outagesForm = () => list(OUTAGE, constants.record.max_outages);
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
const SLIDE = parts({
  direction: among("U", "D", "L", "R"),
  tiles: whole(1, 9),
  stamp_ms: whole(),
  received_ms: whole(),
});
const racerForm = () => {
  const { max_seat: maxSeat } = constants.scramble;
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
    slides: list(SLIDE, constants.record.max_slides),
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
