// The form of a race record, as in the Python twin, `sliderace.proof.reading`. Pure.

import { constants } from "../constants.js";
import { dates, dayNumber } from "../daily-chain.js";
import { EngineError, formatBoard, parseBoard } from "../engine.js";
import { isHex } from "./signature.js";

/** @typedef {[number, number][]} Outages from, until */
/** @typedef {[Direction, number, number, number]} WrittenSlide direction, tiles, timestamp
 *   and arrival in ms */
/**
 * @typedef {object} WrittenFinish
 * @property {number} g_ms
 * @property {number | null} e_ms
 * @property {number} rtt_ms
 * @property {number} jitter_ms
 * @property {number} outage_ms
 * @property {number} official_ms
 * @property {number} credit_ms
 * @property {number} solve_ms
 * @property {boolean} photo
 */
/**
 * @typedef {object} WrittenRacer
 * @property {number} seat
 * @property {string} name
 * @property {boolean} bot
 * @property {string | null} nonce_commitment
 * @property {string | null} nonce
 * @property {number} lead_ms
 * @property {"finished" | "dnf" | "forfeited" | "dns"} status
 * @property {string} why
 * @property {number | null} place
 * @property {WrittenFinish | null} finish
 * @property {number} stm
 * @property {number} mtm
 * @property {number} high
 * @property {number} high_ms
 * @property {boolean} approx
 * @property {Outages} outages
 * @property {WrittenSlide[]} slides
 */
/**
 * A race record; docs/race-record.md says what the fields mean.
 * @typedef {object} WrittenRace
 * @property {string} format
 * @property {number} version
 * @property {string} software
 * @property {string} race
 * @property {number} started_ms
 * @property {number} ended_ms
 * @property {Rules} rules
 * @property {boolean} seed_known
 * @property {string} commitment
 * @property {string | null} secret
 * @property {string} seed
 * @property {string} board
 * @property {Outages} outages
 * @property {WrittenRacer[]} racers
 * @property {{date: string, secret: string}} [daily] what fixed the board of a daily race
 * @property {true} [redacted] a name was taken out
 */

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
 * @param {unknown} value as `JSON.parse` returns it
 * @returns {WrittenRace} the same value
 * @throws {BadRecord}
 */
export function read(value) {
  checkVersion(value);
  recordForm()(value, "record");
  const record = /** @type {WrittenRace} */ (value);
  if (record.seed_known !== (record.secret === null))
    throw new BadRecord("record.secret", "secret_mismatch");
  const { size } = record.rules;
  if (sizeOf(record.board) !== size)
    throw new BadRecord("record.board", "wrong_size", { size });
  const seats = record.racers.map(({ seat }) => seat);
  if (new Set(seats).size < seats.length)
    throw new BadRecord("record.racers", "duplicate_seat");
  if (record.daily) {
    if (!record.seed_known) throw new BadRecord("record.seed_known", "daily_seed");
    among(...constants.daily.events)(size, "record.rules.size");
  }
  return record;
}

/** Refuse a later version by name: its fields may be others. @param {unknown} value */
function checkVersion(value) {
  const version = /** @type {{version?: unknown} | null} */ (value)?.version;
  const known = constants.record.version;
  if (typeof version === "number" && Number.isInteger(version) && version > known)
    throw new BadRecord("record.version", "newer_version", { version, known });
}

// --- Forms: each takes a value and its path, and throws ------------------------------

/** @typedef {(value: unknown, where: string) => void} Form */

/**
 * @param {(value: unknown) => boolean} holds
 * @param {string} code of the fault
 * @param {Record<string, string | number>} [values]
 * @returns {Form}
 */
const form = (holds, code, values) => (value, where) => {
  if (!holds(value)) throw new BadRecord(where, code, { value: shown(value), ...values });
};

/** A value for a person, shortened: JSON, without what is inside. @param {unknown} value */
export function shown(value) {
  if (typeof value === "object" && value !== null)
    return Array.isArray(value) ? "[...]" : "{...}";
  const chars = [...JSON.stringify(value)];
  return chars.length <= MAX_SHOWN ? chars.join("") : `${chars.slice(0, MAX_SHOWN).join("")}...`;
}
const MAX_SHOWN = 40;

/** @type {(first: Form, second: Form) => Form} */
const both = (first, second) => (value, where) => {
  first(value, where);
  second(value, where);
};

const integer = (low = 0, high = Number.MAX_SAFE_INTEGER) =>
  form(
    (value) => Number.isSafeInteger(value) && isWithin(value, low, high),
    "not_integer",
    { low, high },
  );

/** @param {unknown} value @param {number} low @param {number} high */
const isWithin = (value, low, high) =>
  typeof value === "number" && value >= low && value <= high;

const boolean = form((value) => typeof value === "boolean", "not_boolean");
const string = form((value) => typeof value === "string", "not_string");

/** @type {(...known: unknown[]) => Form} */
const among = (...known) =>
  form((value) => known.includes(value), "unknown_value", {
    allowed: known.map(shown).join(", "),
  });

/**
 * A string for which this holds.
 * @param {(text: string) => boolean} holds
 * @param {string} code
 * @param {Record<string, string | number>} [values]
 */
const text = (holds, code, values) =>
  both(
    string,
    form((value) => holds(String(value)), code, values),
  );

/** @param {number} count */
const digits = (count) => text((value) => isHex(value, count), "not_hex", { count });

const line = text(
  (value) =>
    [...value].length <= constants.record.max_text &&
    !/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(value),
  "not_line",
);

/** @type {(inner: Form) => Form} */
const nullable = (inner) => (value, where) => {
  if (value !== null) inner(value, where);
};

/** @param {unknown} value @param {string} where @returns {unknown[]} */
function array(value, where) {
  if (!Array.isArray(value)) throw new BadRecord(where, "not_list");
  return value;
}

/** @type {(inner: Form, most: number) => Form} */
const list = (inner, most) => (value, where) => {
  const items = array(value, where);
  if (items.length > most) throw new BadRecord(where, "too_long", { most });
  items.forEach((item, n) => inner(item, `${where}[${n}]`));
};

/** An array whose places have names. @type {(named: Record<string, Form>) => Form} */
const tuple = (named) => (value, where) => {
  const names = Object.keys(named);
  const { length } = names;
  const items = array(value, where);
  if (items.length !== length) throw new BadRecord(where, "wrong_length", { length });
  names.forEach((name, n) => named[name](items[n], `${where}.${name}`));
};

/**
 * An object with exactly these fields, except that some may be missing.
 * @param {Record<string, Form>} fields
 * @param {Record<string, Form>} [optional]
 * @returns {Form}
 */
const object = (fields, optional = {}) => (value, where) => {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new BadRecord(where, "not_object");
  const found = /** @type {Record<string, unknown>} */ (value);
  for (const name of Object.keys(fields)) {
    if (!Object.hasOwn(found, name)) throw new BadRecord(`${where}.${name}`, "missing");
  }
  const there = Object.keys(optional).filter((name) => Object.hasOwn(found, name));
  if (Object.keys(found).length > Object.keys(fields).length + there.length)
    throw new BadRecord(where, "unknown_fields");
  const forms = { ...fields, ...optional };
  for (const name of [...Object.keys(fields), ...there])
    forms[name](found[name], `${where}.${name}`);
};

const board = text((value) => sizeOf(value) !== null, "not_board");

/** `3x2` of a board text; null if it is malformed. @param {string} value */
function sizeOf(value) {
  try {
    const parsed = parseBoard(value);
    return formatBoard(parsed) === value ? `${parsed.width}x${parsed.height}` : null;
  } catch (error) {
    if (error instanceof EngineError) return null;
    throw error;
  }
}

// --- The record ----------------------------------------------------------------------

const HASH = digits(64);

/**
 * The form of a rule; its range is the one that rooms have.
 * @param {keyof typeof constants.rules.ranges} name
 * @param {...number} special allowed beside the range
 */
function rule(name, ...special) {
  const [low, high] = constants.rules.ranges[name];
  const holds = (/** @type {unknown} */ value) =>
    special.some((one) => one === value) || isWithin(value, low, high);
  const allowed = [`${low} ... ${high}`, ...special].join(", ");
  return both(integer(-1), form(holds, "out_of_range", { allowed }));
}
/** The smallest and the largest board. */
function sizes() {
  const { min_side: min, max_side: max } = constants.board;
  return [min, max].map((side) => [side, side].join("x")).join(" ... ");
}
const rulesForm = () =>
  object({
    size: text((value) => /^([2-9]|10)x([2-9]|10)$/.test(value), "out_of_range", {
      allowed: sizes(),
    }),
    start: among(...constants.rules.starts),
    every_ms: rule("every_ms"),
    countdown_ms: rule("countdown_ms"),
    inspection_ms: rule("inspection_ms"),
    limit_ms: rule("limit_ms", -1, 0),
    grace_ms: rule("grace_ms", -1),
    away_ms: rule("away_ms"),
    open_boards: boolean,
    spectator_delay_ms: rule("spectator_delay_ms"),
    friendly_timing: boolean,
  });
const OUTAGE = tuple({ from_ms: integer(), until_ms: integer() });
const outagesForm = () => list(OUTAGE, constants.record.max_outages);
const FINISH = object({
  g_ms: integer(),
  e_ms: nullable(integer()),
  rtt_ms: integer(),
  jitter_ms: integer(),
  outage_ms: integer(),
  official_ms: integer(),
  credit_ms: integer(),
  solve_ms: integer(),
  photo: boolean,
});
const SLIDE = tuple({
  direction: among("U", "D", "L", "R"),
  tiles: integer(1, 9),
  stamp_ms: integer(),
  received_ms: integer(),
});
const racerForm = () => {
  const { max_seat: maxSeat } = constants.scramble;
  return object({
    seat: integer(0, maxSeat),
    name: line,
    bot: boolean,
    nonce_commitment: nullable(HASH),
    nonce: nullable(digits(32)),
    lead_ms: integer(0, constants.timing.reveal_lead_ms),
    status: among("finished", "dnf", "forfeited", "dns"),
    why: among("", "limit", "grace", "away", "left", "kicked", "called"),
    place: nullable(integer(1, maxSeat + 1)),
    finish: nullable(FINISH),
    stm: integer(),
    mtm: integer(),
    high: integer(0, 1000),
    high_ms: integer(),
    approx: boolean,
    outages: outagesForm(),
    slides: list(SLIDE, constants.record.max_slides),
  });
};
const dailyForm = () =>
  object({
    date: text((value) => dayNumber(value) !== null, "out_of_range", {
      allowed: dates().join(" ... "),
    }),
    secret: HASH,
  });
const recordForm = () =>
  object(
    {
      format: among("sliderace/race-record"),
      version: among(constants.record.version),
      software: line,
      race: text((value) => /^[A-Z0-9-]{1,32}$/.test(value), "not_race_id"),
      started_ms: integer(),
      ended_ms: integer(),
      rules: rulesForm(),
      seed_known: boolean,
      commitment: HASH,
      secret: nullable(HASH),
      seed: HASH,
      board,
      outages: outagesForm(),
      racers: list(racerForm(), constants.scramble.max_seat + 1),
    },
    { daily: dailyForm(), redacted: among(true) },
  );
