// The wire protocol: commands, events, and when to reconnect. Pure. One message is one
// JSON object; `t` names its type. Reference: docs/protocol.md.

import { constants } from "./constants.js";
import { EVENTS } from "./messages.js";
import { ProtocolError, fail, string } from "./readers.js";

export { ProtocolError };

/** @typedef {import("./messages.js").Hello["enter"]} Enter a way into a room */
/** @typedef {import("./messages.js").Member["role"]} RoleName */
/** @typedef {import("./messages.js").RulesPatch} RulesPatch */
/** @typedef {Omit<import("./messages.js").Create, "name">} RoomOptions */

const CLIENT = "sliderace page";
/** Event types beyond the first set. */
const CAN = ["series", "reacted", "me", "history", "gains"];

// --- Commands ------------------------------------------------------------------------

/**
 * The first message of every connection.
 * @param {Enter} way
 * @param {string | null} [profile] its secret; null: we are a guest
 * @returns {Command}
 */
export const hello = (way, profile = null) => ({
  t: "hello",
  v: constants.protocol.version,
  enter: way,
  client: CLIENT,
  can: CAN,
  ...(profile && { profile }),
});

/** The ways into a room. */
export const enter = {
  /** @type {(name: string, options?: RoomOptions) => Enter} */
  create: (name, options) => ({ as: "create", name, ...options }),
  /** @type {(code: string, name: string, role?: RoleName) => Enter} */
  join: (code, name, role = "player") => ({ as: "join", code, name, role }),
  /** @type {(code: string, token: string, epoch?: number, offset?: number) => Enter} */
  resume: (code, token, epoch = 0, offset = 0) => ({
    as: "resume",
    code,
    token,
    epoch,
    offset,
  }),
  /** @type {(code: string, ticket: string) => Enter} */
  redeem: (code, ticket) => ({ as: "redeem", code, ticket }),
  /** @type {(event: string, name: string, pace?: number | null) => Enter} */
  quick: (event, name, pace = null) => ({ as: "quick", event, name, pace_ms: pace }),
  /** @type {(name: string, size: string) => Enter} */
  solo: (name, size) => ({ as: "solo", name, rules: { size } }),
  /** @type {(event: import("./messages.js").Daily["event"], name: string) => Enter} */
  daily: (event, name) => ({ as: "daily", event, name }),
  /** @type {() => Enter} */
  me: () => ({ as: "me" }),
};

/** All commands but `hello`. */
export const command = {
  /** @type {(race: string, on: boolean) => Command & {t: "ready"}} */
  ready: (race, on) => ({ t: "ready", race, on }),
  /** @type {(race: string, nonce: string) => Command} */
  nonce: (race, nonce) => ({ t: "nonce", race, nonce }),
  /** @type {(race: string) => Command} */
  start: (race) => ({ t: "start", race }),
  /** @type {(race: string) => Command} */
  abort: (race) => ({ t: "abort", race }),
  /**
   * @param {string} race
   * @param {number} gen
   * @param {number} seq of the first slide
   * @param {TimedSlide[]} slides
   * @param {boolean} approx
   * @returns {Command}
   */
  slides: (race, gen, seq, slides, approx) => ({
    t: "slides",
    race,
    gen,
    seq,
    slides,
    approx,
  }),
  /** @type {(race: string) => Command} */
  forfeit: (race) => ({ t: "forfeit", race }),
  /** @type {(race: string) => Command} */
  undo: (race) => ({ t: "undo", race }),
  /** @type {(race: string) => Command} */
  callTime: (race) => ({ t: "call_time", race }),
  /** @type {(race: string) => Command} */
  rematch: (race) => ({ t: "rematch", race }),
  /** @type {(change: import("./messages.js").Settings) => Command} */
  settings: (change) => ({ t: "settings", ...change }),
  /** @type {(asked: import("./messages.js").Series) => Command} */
  series: (asked) => ({ t: "series", ...asked }),
  /** @type {(role: RoleName) => Command} */
  role: (role) => ({ t: "role", role }),
  /** @type {(name: string) => Command} */
  rename: (name) => ({ t: "rename", name }),
  /** @type {(want: import("./messages.js").BotWanted[]) => Command} */
  bots: (want) => ({ t: "bots", want }),
  /** @type {(member: number) => Command} */
  kick: (member) => ({ t: "kick", member }),
  /** @type {(id: number) => Command} */
  react: (id) => ({ t: "react", id }),
  /** @type {(member: number, on: boolean) => Command} */
  mute: (member, on) => ({ t: "mute", member, on }),
  /** @type {(member: number, on: boolean) => Command} */
  bench: (member, on) => ({ t: "bench", member, on }),
  /** @type {(on: boolean) => Command} */
  lock: (on) => ({ t: "lock", on }),
  /** @type {(member: number) => Command} */
  handOver: (member) => ({ t: "hand_over", member }),
  /** @type {() => Command} */
  transfer: () => ({ t: "transfer" }),
  /** @type {() => Command} */
  leave: () => ({ t: "leave" }),
  /** @type {() => Command} */
  close: () => ({ t: "close" }),
  /** @type {(seat?: number | null) => Command} */
  resync: (seat = null) => ({ t: "resync", seat }),
  /** @type {(id: number) => Command} */
  ping: (id) => ({ t: "ping", id }),
  /** @type {(race: string, input: import("./messages.js").Input["input"]) => Command} */
  input: (race, input) => ({ t: "input", race, input }),
  /** @type {(name: string) => Command} */
  keep: (name) => ({ t: "keep", name }),
  /** @type {() => Command} */
  deviceTicket: () => ({ t: "ticket" }),
  /** @type {(ticket: string) => Command} */
  claim: (ticket) => ({ t: "claim", ticket }),
  /** @type {(device: number) => Command} */
  revoke: (device) => ({ t: "revoke", device }),
  /** @type {(on: boolean) => Command} */
  forget: (on) => ({ t: "forget", on }),
  /** @type {(event: string, before?: string | null) => Command} */
  history: (event, before = null) => ({ t: "history", event, before }),
};

// --- Events --------------------------------------------------------------------------

/**
 * Read one event, field by field.
 * @param {unknown} text a WebSocket message
 * @returns {ServerEvent | null} null: an event of a newer server; ignore it
 * @throws {ProtocolError} it is not a message of this protocol
 */
export function decodeEvent(text) {
  const value = parseJson(string(text));
  const t = isObject(value) ? value.t : undefined;
  if (typeof t !== "string") return fail(value, "an event");
  const read = EVENTS.get(t);
  if (!read) return null;
  return /** @type {ServerEvent} */ ({ t, ...read(value) });
}

/** @param {string} text @returns {unknown} */
function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ProtocolError(`not JSON: ${error}`);
  }
}

/** @param {unknown} value @returns {value is Record<string, unknown>} */
const isObject = (value) => typeof value === "object" && value !== null;

// --- Reconnecting --------------------------------------------------------------------

const LONGEST_MS = 8000;
const RACE_MS = 2000;
const NO_CODE = 1005; // a browser's name for a close without a code

/**
 * Whether to reconnect after this close code.
 * @param {number} code of the WebSocket close
 */
export const mayReconnect = (code) =>
  code === NO_CODE ||
  constants.protocol.reconnect_codes.includes(code) ||
  (code >= 4000 && code <= 4499);

/**
 * How long to wait before the next try: full jitter below a doubling ceiling.
 * @param {number} tries failures so far, 0 ...
 * @param {number} random at least 0, below 1
 * @param {boolean} [inRace] its clock keeps running, so at most 2 s
 * @returns {number} ms, below 250 at first, below 8,000 in the long run
 */
export const backoff = (tries, random, inRace = false) =>
  random *
  Math.min(inRace ? RACE_MS : LONGEST_MS, 250 * 2 ** Math.min(tries, 5));
