// A room for tests: the events of a server, each with the given changes.

import "./setup.mjs";
import { Model } from "../sliderace_page/core/model.js";
import { decodeEvent, enter } from "../sliderace_page/core/protocol.js";

export const RACE = "KWXTRB-SA1B2C-3";
export const TOKEN = "0123456789abcdef0123456789abcdef";
/** Two slides from solved: L, then U. */
export const START = "1 2 3/4 5 0/7 8 6";
export const FAR = "8 2 0/4 6 1/3 7 5";

/** Limits as a server announces them. */
export const LIMITS = Object.freeze({
  messages_per_s: 60,
  messages_burst: 120,
  tiles_per_s: 160,
  tiles_burst: 320,
  slides_per_message: 60,
  gather_ms: 33,
  message_bytes: 2048,
});

export const rules = (change = {}) => ({
  size: "3x3",
  start: "ready",
  every_ms: 60000,
  countdown_ms: 5000,
  inspection_ms: 0,
  limit_ms: -1,
  grace_ms: -1,
  away_ms: 60000,
  open_boards: false,
  spectator_delay_ms: 0,
  friendly_timing: false,
  ...change,
});

export const room = (change = {}) => ({
  code: "KWXTRB",
  public: false,
  locked: false,
  host: 1,
  rules: rules(),
  race: RACE,
  commitment: "ab".repeat(32),
  seed_known: false,
  kind: "room",
  day: "",
  ...change,
});

export const member = (id, change = {}) => ({
  id,
  name: ["", "Ann", "Ben", "Cleo", "Dan"][id],
  role: "player",
  seat: id - 1,
  ready: false,
  connected: true,
  benched: false,
  bot: false,
  level: null,
  pace_ms: null,
  muted: false,
  ...change,
});

export const welcome = (change = {}) => ({
  t: "welcome",
  v: 1,
  server: "test",
  code: "KWXTRB",
  member: 1,
  seat: 0,
  token: TOKEN,
  epoch: 5,
  gen: 0,
  race: RACE,
  seq: 0,
  board: null,
  limits: LIMITS,
  features: [],
  profile: null,
  ...change,
});

export const raceView = (change = {}) => ({
  id: RACE,
  roster: [],
  elapsed_ms: null,
  start: null,
  lanes: [],
  standings: [],
  nonce_commitments: [],
  ...change,
});

export const snapshot = (change = {}) => ({
  t: "snapshot",
  o: 10,
  epoch: 5,
  room: room(),
  members: [member(1), member(2), member(3, { role: "spectator", seat: null })],
  phase: "lobby",
  in_ms: null,
  race: raceView(),
  results: null,
  series: null,
  ...change,
});

export const standing = (seat, change = {}) => ({
  seat,
  member: seat + 1,
  name: ["Ann", "Ben", "Cleo", "Dan"][seat],
  bot: false,
  status: "finished",
  place: 1,
  time_ms: 4321,
  solve_ms: 4000,
  credit_ms: 0,
  stm: 2,
  mtm: 2,
  high: 1000,
  why: "",
  final: false,
  photo: false,
  outage_ms: 0,
  ...change,
});

/** A model with a clock; events pass through the decoder. */
export class Stage {
  constructor(entering = enter.join("KWXTRB", "Ann")) {
    this.draws = 0;
    this.model = new Model(entering, (count) => {
      this.draws += 1;
      return new Uint8Array(count).fill(this.draws);
    });
    this.now = 1000;
    this.offset = 10;
  }

  /** Receive an event; return the commands that the model sends. */
  receive(event) {
    this.model.receive(decodeEvent(JSON.stringify(event)), this.now);
    return this.model.poll(this.now);
  }

  /** Receive the next event of the stream. */
  next(event) {
    this.offset += 1;
    return this.receive({ ...event, o: this.offset });
  }

  phase(phase, change = {}) {
    return this.next({
      t: "phase",
      race: RACE,
      phase,
      in_ms: null,
      roster: [],
      ...change,
    });
  }

  /** Enter the lobby. */
  enter(change = {}, seen = {}) {
    this.receive(welcome(change));
    this.receive(snapshot(seen));
    return this;
  }

  /** Enter a running race of Ann and Ben. */
  race(board = START, change = {}, seen = {}) {
    this.enter(change, seen);
    this.phase("countdown", { in_ms: 1200, roster: [0, 1] });
    this.receive({ t: "board", race: RACE, seat: null, seq: 0, board, in_ms: 0 });
    this.phase("racing", { in_ms: 120000, roster: [0, 1] });
    return this;
  }

  /** Slide; return the commands that are sent. */
  slide(direction, count = 1) {
    this.moved = this.model.slide(direction, count, this.now);
    return this.model.poll(this.now);
  }
}
