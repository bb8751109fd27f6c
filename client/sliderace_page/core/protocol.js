// The wire, pure: commands up, events down, and what refusals and closes mean.
// One message is one JSON object; `t` names its type. Reference: docs/protocol.md.

import { constants } from "./constants.js";
import { EVENTS } from "./messages.js";
import { ProtocolError, fail, string } from "./readers.js";

export { ProtocolError };

/** @typedef {import("./messages.js").Command} Command */
/** @typedef {import("./messages.js").Hello["enter"]} Enter a way into a room */
/** @typedef {import("./messages.js").Member["role"]} RoleName */
/** @typedef {import("./messages.js").RulesPatch} RulesPatch */
/** @typedef {import("./messages.js").ServerEvent} ServerEvent */
/** @typedef {Omit<import("./messages.js").Create, "name">} RoomOptions */
/** @typedef {[Direction, number, number]} TimedSlide direction, tiles, ms */

const CLIENT = "sliderace page";

// --- Commands ------------------------------------------------------------------------

/**
 * The first message of every connection.
 * @param {Enter} way @returns {Command}
 */
export const hello = (way) => ({
  t: "hello",
  v: constants.protocol.version,
  enter: way,
  client: CLIENT,
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
  /** @type {(role: RoleName) => Command} */
  role: (role) => ({ t: "role", role }),
  /** @type {(member: number) => Command} */
  kick: (member) => ({ t: "kick", member }),
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

// --- What refusals and closes mean ---------------------------------------------------

const SAID = {
  bad_code: "That is not a room code. It has six letters, like KWX-TRB.",
  room_unknown: "There is no such room. It may have closed, or a letter is off.",
  room_full: "The room is full.",
  room_locked: "The host has locked this room.",
  bad_name: "That nickname cannot be shown. Please choose another.",
  bad_token: "Your place in this room is gone. You can join again.",
  bad_ticket:
    "That picture was used before, or is too old. Show a new one on the other device.",
  too_many_tries: "Too many wrong codes. Please wait a moment.",
  version: "The server has been updated. Reload the page to go on.",
  storage_unavailable: "The server cannot open rooms right now. Please try again soon.",
  shutting_down: "The server is stopping. It may come back soon.",
  wrong_race: "That was about an earlier race.",
};

/** A refusal in words for a person. @param {{code: string, text: string}} refused */
export const sayRefused = ({ code, text }) => SAID[code] ?? text;

const NO_CODE = 1005; // a browser's name for a close without a code

/**
 * Whether to reconnect after this close code.
 * @param {number} code of the WebSocket close
 */
export const mayReconnect = (code) =>
  code === NO_CODE ||
  constants.protocol.reconnect_codes.includes(code) ||
  (code >= 4000 && code <= 4499);

const CLOSED = {
  1000: "The connection was closed.",
  1002: "Server and page do not understand each other. Reload the page.",
  1007: "Server and page do not understand each other. Reload the page.",
  1009: "Server and page do not understand each other. Reload the page.",
  4500: "The server did not accept this page's request.",
  4501: "The host has removed you from the room.",
  4502: "This room has closed.",
  4503: "You are playing in another tab or on another device now.",
  4504: "The server has been updated. Reload the page to go on.",
};

/** Why we stay away after this close code. @param {number} code */
export const sayClosed = (code) => CLOSED[code] ?? "The server ended the connection.";

/**
 * How long to wait before the next try: full jitter below a doubling ceiling.
 * @param {number} tries failures so far, 0 ...
 * @param {number} chance at least 0, below 1
 * @returns {number} ms, below 250 at first, below 8,000 in the long run
 */
export const backoff = (tries, chance) =>
  chance * Math.min(constants.timing.reconnect_ms, 250 * 2 ** Math.min(tries, 5));
