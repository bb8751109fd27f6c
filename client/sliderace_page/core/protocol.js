// The wire, pure: commands up, events down, and what refusals and closes mean.
// One message is one JSON object; `t` names its type. Reference: docs/protocol.md.

import { constants } from "./constants.js";
import { cleanName } from "./format.js";

const CLIENT = "sliderace page";

/** A message that is not `sliderace.v1`. */
export class ProtocolError extends Error {}

// --- Commands ------------------------------------------------------------------------

/** @param {Wire} enter one of `enter` below @returns {Wire} the first message */
export const hello = (enter) => ({
  t: "hello",
  v: constants.protocol.version,
  enter,
  client: CLIENT,
});

/** Ways into a room. */
export const enter = {
  create: (name, options) => ({ as: "create", name, ...options }),
  join: (code, name, role = "player") => ({ as: "join", code, name, role }),
  resume: (code, token, epoch = 0, offset = 0) => ({
    as: "resume",
    code,
    token,
    epoch,
    offset,
  }),
  redeem: (code, ticket) => ({ as: "redeem", code, ticket }),
};

/** Everything that may be said after `hello`. */
export const command = {
  ready: (race, on) => ({ t: "ready", race, on }),
  nonce: (race, nonce) => ({ t: "nonce", race, nonce }),
  start: (race) => ({ t: "start", race }),
  abort: (race) => ({ t: "abort", race }),
  slides: (race, gen, seq, slides, approx) => ({
    t: "slides",
    race,
    gen,
    seq,
    slides,
    approx,
  }),
  forfeit: (race) => ({ t: "forfeit", race }),
  undo: (race) => ({ t: "undo", race }),
  callTime: (race) => ({ t: "call_time", race }),
  rematch: (race) => ({ t: "rematch", race }),
  settings: (change) => ({ t: "settings", ...change }),
  role: (role) => ({ t: "role", role }),
  kick: (member) => ({ t: "kick", member }),
  bench: (member, on) => ({ t: "bench", member, on }),
  lock: (on) => ({ t: "lock", on }),
  handOver: (member) => ({ t: "hand_over", member }),
  transfer: () => ({ t: "transfer" }),
  leave: () => ({ t: "leave" }),
  close: () => ({ t: "close" }),
  resync: (seat = null) => ({ t: "resync", seat }),
  ping: (id) => ({ t: "ping", id }),
};

// --- Events: each field is read by a small function that returns it or throws --------

const fail = (value, wanted) => {
  throw new ProtocolError(
    `expected ${wanted}, got ${JSON.stringify(value)?.slice(0, 60)}`,
  );
};
const int = (v) => (Number.isSafeInteger(v) && v >= 0 ? v : fail(v, "a whole number"));
const whole = (v) => (Number.isSafeInteger(v) ? v : fail(v, "an integer"));
const str = (v) => (typeof v === "string" ? v : fail(v, "text"));
const bool = (v) => (typeof v === "boolean" ? v : fail(v, "true or false"));
const name = (v) => cleanName(str(v)) || "?";
const maybe = (read) => (v) => (v === null ? null : read(v));
const or = (read, value) => (v) => (v === undefined ? value : read(v));
const list = (read) => (v) => (Array.isArray(v) ? v.map(read) : fail(v, "a list"));
const among =
  (...words) =>
  (v) =>
    words.includes(v) ? v : fail(v, words.join(" or "));
const object = (fields) => {
  const readers = Object.entries(fields);
  return (v) => {
    if (v === null || typeof v !== "object" || Array.isArray(v)) fail(v, "an object");
    return Object.fromEntries(readers.map(([key, read]) => [key, read(v[key])]));
  };
};

const phase = among(
  "lobby",
  "countdown",
  "racing",
  "grace",
  "results",
  "aborted",
  "closed",
);
const status = among("racing", "finished", "dnf", "forfeited", "dns");
const rules = object({
  size: str,
  start: among("ready", "host", "every"),
  every_ms: int,
  countdown_ms: int,
  inspection_ms: int,
  limit_ms: whole,
  grace_ms: whole,
  away_ms: int,
  open_boards: bool,
  spectator_delay_ms: int,
  friendly_timing: bool,
});
const limits = object({
  messages_per_s: int,
  messages_burst: int,
  tiles_per_s: int,
  tiles_burst: int,
  slides_per_message: int,
  gather_ms: int,
  message_bytes: int,
});
const room = object({
  code: str,
  public: bool,
  locked: bool,
  host: maybe(int),
  rules,
  race: str,
  commitment: str,
  seed_known: bool,
});
const member = object({
  id: int,
  name,
  role: among("player", "spectator"),
  seat: maybe(int),
  ready: bool,
  connected: bool,
  benched: bool,
  bot: bool,
});
const standing = object({
  seat: int,
  member: int,
  name,
  bot: bool,
  status,
  place: maybe(int),
  time_ms: maybe(int),
  solve_ms: maybe(int),
  credit_ms: int,
  stm: int,
  mtm: int,
  high: int,
  why: or(str, ""),
  final: or(bool, false),
  photo: or(bool, false),
  outage_ms: or(int, 0),
});
const nonce = object({ seat: int, commitment: maybe(str), nonce: maybe(str) });
const signal = object({
  name: str,
  value: maybe(int),
  low: maybe(int),
  high: maybe(int),
  note: str,
  outside: bool,
});
const lane = object({
  seat: int,
  seq: int,
  high: int,
  stm: int,
  status,
  board: maybe(str),
});
const race = object({
  id: str,
  roster: list(int),
  elapsed_ms: maybe(int),
  start: maybe(str),
  lanes: list(lane),
  standings: list(standing),
  nonce_commitments: or(list(maybe(str)), []),
});
const results = {
  o: int,
  race: str,
  standings: list(standing),
  board: str,
  seed: str,
  secret: maybe(str),
  nonces: list(nonce),
  friendly_timing: bool,
  record: str,
};
/** An array whose places have names. */
const tuple = (fields) => {
  const readers = Object.entries(fields);
  return (v) => {
    if (!Array.isArray(v)) fail(v, "a list");
    return Object.fromEntries(readers.map(([key, read], i) => [key, read(v[i])]));
  };
};
const step = tuple({
  seat: int,
  seq: int,
  high: int,
  stm: int,
  since: or(whole, -1),
  slides: or(str, ""),
});
const line = tuple({ member: int, rtt_ms: int, jitter_ms: int });

const EVENTS = new Map(
  Object.entries({
    welcome: {
      v: int,
      server: str,
      code: str,
      member: int,
      seat: maybe(int),
      token: maybe(str),
      epoch: int,
      gen: int,
      race: str,
      seq: int,
      board: maybe(str),
      limits,
    },
    opened: { code: str, link: str },
    snapshot: {
      o: int,
      epoch: int,
      room,
      members: list(member),
      phase,
      in_ms: maybe(int),
      race,
      results: or(maybe(object(results)), null),
    },
    member: { o: int, member, why: str },
    gone: { o: int, member: int, why: str },
    room: { o: int, room, why: str },
    phase: {
      o: int,
      race: str,
      phase,
      in_ms: maybe(int),
      roster: or(list(int), []),
      why: or(str, ""),
    },
    roster: {
      o: int,
      race: str,
      roster: list(int),
      nonce_commitments: list(maybe(str)),
    },
    standing: { o: int, race: str, standing },
    winner: { o: int, race: str, seats: list(int) },
    results,
    closed: { o: int, why: str },
    progress: { race: str, p: list(step) },
    lines: { lines: list(line) },
    signals: {
      race: str,
      signals: list(object({ seat: int, signals: list(signal) })),
    },
    board: { race: str, seat: maybe(int), seq: int, board: str, in_ms: or(int, 0) },
    ack: { race: str, seq: int },
    rejected: { race: str, gen: int, seq: int, code: str, board: maybe(str) },
    refused: {
      of: str,
      code: str,
      text: str,
      field: or(str, ""),
      value: or(str, ""),
      retry_ms: or(int, 0),
    },
    ticket: { ticket: str, in_ms: int },
    pong: { id: int },
  }).map(([t, fields]) => [t, object(fields)]),
);

/**
 * One event, checked field by field.
 * @param {unknown} text a WebSocket message
 * @returns {Wire | null} null: an event of a newer server, to be passed over
 * @throws {ProtocolError} it is not a message of this protocol
 */
export function decodeEvent(text) {
  let value;
  try {
    value = JSON.parse(str(text));
  } catch (error) {
    throw new ProtocolError(`not JSON: ${error.message}`);
  }
  const t = value?.t;
  const read = EVENTS.get(t);
  if (read) return { t, ...read(value) };
  return typeof t === "string" ? null : fail(value, "an event");
}

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
