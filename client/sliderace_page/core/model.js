// What a player sees, pure: the state that events are folded into (see fold.js), what
// the view asks of it, and what to say. `now` is the caller's monotonic clock in ms.
// Call `poll` after every other call and when `due` has come, and send what it gives.

import { constants } from "./constants.js";
import { fold } from "./fold.js";
import { inOrder } from "./lanes.js";
import { Nonces } from "./draw.js";
import { DEFAULT_LIMITS, Pace } from "./pacing.js";
import { command, enter, hello } from "./protocol.js";

const LATE_ACK_MS = 5000; // an ack takes a round trip and a commit; far beyond: probe

export class Model {
  /**
   * @param {Wire} entering a way in, of `protocol.enter`
   * @param {(count: number) => Uint8Array} random as many bytes of pure chance
   */
  constructor(entering, random) {
    this.entering = entering;
    this.nonces = new Nonces(random);
    const { code = null, token = null } = entering;
    this.code = code;
    this.token = token;
    this.online = false; // welcomed on the present connection
    this.ended = ""; // why the room is no more
    this.me = null; // member id
    this.seat = null;
    this.epoch = 0;
    this.offset = 0;
    this.limits = DEFAULT_LIMITS;
    this.room = null;
    this.members = new Map();
    this.lines = new Map(); // member id -> {rtt, jitter} in ms
    this.phase = "lobby";
    this.phaseWhy = "";
    this.phaseEnds = null;
    this.race = "";
    this.roster = [];
    this.leftOut = false; // this race was locked without me, though I play
    this.start = null; // board text
    this.startMd = 0;
    this.t0 = null;
    this.lanes = new Map();
    this.attempt = null;
    this.results = null;
    this.reading = false; // the results, which stay while the others go on
    this.kept = null; // what the results are held against
    this.faults = [];
    this.partFault = "";
    this.signals = null; // for the host: {race, signals}
    this.forfeitedAt = null;
    this.oldestUnacked = null;
    this.pace = new Pace(this.limits, 0);
    this.ticket = null; // takes my seat to another device: {ticket, until}
    this.waiting = false; // for a snapshot; the stream means nothing until then
    this.pending = null; // my board as `welcome` told it, until its clock is known
    this.asked = new Map(); // seat -> when its board was asked for
    this.promises = new Map(); // race -> what was first shown of it
    this.clockDue = null; // when to ask again for the clock of my board
    this.out = [];
  }

  // --- What the view asks ------------------------------------------------------------

  get isHost() {
    return this.room !== null && this.room.host === this.me;
  }

  get self() {
    return this.members.get(this.me) ?? null;
  }

  get isPlayer() {
    return this.self?.role === "player" && !this.self.benched;
  }

  get running() {
    return this.phase === "racing" || this.phase === "grace";
  }

  /** My slides count now; the board may come a moment before the word that we race. */
  get racing() {
    const time = this.running || this.phase === "countdown";
    return time && this.attempt !== null && !this.attempt.over;
  }

  get myLane() {
    return this.seat === null ? undefined : this.lanes.get(this.seat);
  }

  /** Members who could race, present first. */
  get players() {
    return [...this.members.values()].filter((member) => member.role === "player");
  }

  get canStart() {
    const could = (member) => member.connected && !member.benched;
    return this.isHost && this.phase === "lobby" && this.players.some(could);
  }

  /** Boards of the others may be seen. */
  get watching() {
    if (!this.running) return false;
    return this.room.rules.open_boards || !this.racing || this.attempt.solved;
  }

  /** The results are still looked at, though the others are in the lobby again. */
  get lingers() {
    return this.phase === "lobby" && this.reading;
  }

  /** Lanes, best first. */
  order() {
    return inOrder(this.lanes.values());
  }

  /** ms until this phase ends by itself; null: it does not. @param {number} now */
  remaining(now) {
    return this.phaseEnds === null ? null : Math.max(0, this.phaseEnds - now);
  }

  /** ms on the race clock; null: no race. @param {number} now */
  clock(now) {
    const { attempt } = this;
    if (attempt) {
      const told = this.myLane?.time ?? null;
      if (told !== null) return told;
      return Math.max(0, (attempt.solvedAt ?? now) - attempt.zero);
    }
    return this.running && this.t0 !== null ? Math.max(0, now - this.t0) : null;
  }

  canUndo(now) {
    return this.forfeitedAt !== null && now - this.forfeitedAt < constants.timing.undo_ms;
  }

  /** Slides have waited for their ack too long: the connection may be dead. */
  late(now) {
    return this.oldestUnacked !== null && now - this.oldestUnacked > LATE_ACK_MS;
  }

  // --- What the shell tells ----------------------------------------------------------

  /** The first message of every connection. */
  hello() {
    if (!this.token) return hello(this.entering);
    return hello(enter.resume(this.code, this.token, this.epoch, this.offset));
  }

  /** The socket is gone. */
  lost() {
    this.online = false;
    this.oldestUnacked = null;
    this.out = [];
  }

  /** Say something; false: offline, nothing was said. */
  ask(message, now) {
    if (!this.online) return false;
    if (message.t === "forfeit") this.hurry(now); // my slides go first
    this.#flush(now);
    this.out.push(message.t === "ready" ? this.nonces.attach(message, this) : message);
    return true;
  }

  /** Into the next race's lobby; opens it, where nobody has done so. */
  again(now) {
    const { lingers, race, isPlayer, self } = this;
    if (!this.online || (!lingers && this.phase !== "results")) return false;
    this.reading = false;
    if (!lingers) return this.ask(command.rematch(race), now);
    return !isPlayer || self.ready || this.ask(command.ready(race, true), now);
  }

  /** Into the lobby where the others are, without a word on the next race. */
  goOn() {
    this.reading = false;
  }

  /** The board has been painted: the clock of my slides counts from here. */
  painted(now) {
    this.attempt?.painted(now, this.room.rules.inspection_ms);
  }

  /** Slide on my own board, at once; false: not possible, nothing changed. */
  slide(direction, count, now) {
    return this.racing && this.attempt.slide(direction, count, now);
  }

  /** Slide the tile in this cell, and all between it and the gap. */
  slideCell(cell, now) {
    if (!this.racing) return false;
    const slide = this.attempt.board.slideOfCell(cell);
    return slide !== null && this.slide(slide[0], slide[1], now);
  }

  /** The page goes: slides that gather leave with the next poll. */
  hurry(now) {
    this.pace.windowEnds = now;
  }

  /** Fold one event. @param {Wire} event of `decodeEvent` @param {number} now */
  receive(event, now) {
    fold(this, event, now);
  }

  /** Commands to send now, in this order. @param {number} now @returns {Wire[]} */
  poll(now) {
    if (this.clockDue !== null && now >= this.clockDue) {
      this.clockDue = null;
      this.ask(command.resync(), now);
    }
    this.#flush(now);
    this.out.push(...this.nonces.due(this));
    return this.out.splice(0);
  }

  /** When to poll again at the latest; Infinity: when something happens. */
  due(now) {
    const next = this.#sendable() ? this.attempt.unsent[0] : undefined;
    const slides = next
      ? now + this.pace.wait(next, now, this.attempt.solved)
      : Infinity;
    return Math.min(slides, this.clockDue ?? Infinity);
  }

  #sendable() {
    return this.online && !this.waiting && this.racing;
  }

  #flush(now) {
    while (this.#sendable()) {
      const { attempt } = this;
      const slides = this.pace.take(attempt.unsent, now, attempt.solved);
      if (slides.length === 0) return;
      const { race, gen, sent, approx } = attempt;
      this.out.push(command.slides(race, gen, sent + 1, slides, approx));
      attempt.sent += slides.length;
      this.oldestUnacked ??= now;
    }
  }
}
