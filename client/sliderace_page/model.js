// What a player sees, pure: every event folded into one state, and what to answer.
// `now` is the caller's monotonic clock in ms. Call `poll` after every other call and
// when `due` has come, and send what it gives.

import { Attempt } from "./attempt.js";
import { parseBoard } from "./engine.js";
import { Lane, inOrder } from "./lanes.js";
import { DEFAULT_LIMITS, Pace } from "./pace.js";
import { faults } from "./proof.js";
import { command, enter, hello } from "./protocol.js";

const UNDO_MS = 3000; // how long the server lets a forfeit be undone
const RESYNC_MS = 2000; // a lost answer to `resync` is asked for again after this
const LATE_ACK_MS = 5000; // an ack takes a round trip and a commit; far beyond: probe
const FINAL = new Set(["done", "not_racing", "too_early", "too_many_tiles"]);
const STREAM = new Set(
  "member gone room phase standing results closed hidden".split(" "),
);

export class Model {
  /** @param {object} entering a way in, of `protocol.enter` */
  constructor(entering) {
    this.entering = entering;
    const { code = null, token = null } = entering;
    Object.assign(this, {
      code,
      token,
      online: false, // welcomed on the present connection
      ended: "", // why the room is no more
      me: null, // member id
      seat: null,
      epoch: 0,
      offset: 0,
      limits: DEFAULT_LIMITS,
      room: null,
      members: new Map(),
      phase: "lobby",
      phaseWhy: "",
      phaseEnds: null,
      race: "",
      roster: [],
      start: null, // board text
      startMd: 0,
      t0: null,
      lanes: new Map(),
      attempt: null,
      results: null,
      faults: [],
      forfeitedAt: null,
      oldestUnacked: null,
    });
    this.pace = new Pace(this.limits, 0);
    this.waiting = false; // for a snapshot; the stream means nothing until then
    this.pending = null; // my board as `welcome` told it, until its clock is known
    this.asked = new Map(); // seat -> when its board was asked for
    this.promises = new Map(); // race -> what was shown before it
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
    return this.forfeitedAt !== null && now - this.forfeitedAt < UNDO_MS;
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
    if (message.t === "forfeit") this.pace.windowEnds = now; // my slides go first
    this.#flush(now);
    this.out.push(message);
    return true;
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

  /** Commands to send now, in this order. @param {number} now @returns {object[]} */
  poll(now) {
    this.#flush(now);
    return this.out.splice(0);
  }

  /** When to poll again at the latest; Infinity: when something happens. */
  due(now) {
    const next = this.#sendable() ? this.attempt.unsent[0] : undefined;
    return next ? now + this.pace.wait(next, now, this.attempt.solved) : Infinity;
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

  // --- Events ------------------------------------------------------------------------

  /** Fold one event. @param {object} event of `decodeEvent` @param {number} now ms */
  receive(event, now) {
    if (STREAM.has(event.t) && !this.#inOrder(event.o, now)) return;
    EVENTS[event.t]?.call(this, event, now);
  }

  #inOrder(offset, now) {
    if (this.waiting || offset <= this.offset) return false;
    if (offset === this.offset + 1) {
      this.offset = offset;
      return true;
    }
    this.waiting = true;
    this.ask(command.resync(), now);
    return false;
  }

  welcomed(event, now) {
    const { member, seat, code, token, epoch, limits } = event;
    Object.assign(this, { me: member, seat, code, limits, online: true });
    if (token) this.token = token;
    this.waiting = epoch !== this.epoch;
    this.epoch = epoch;
    this.pace = new Pace(limits, now);
    this.asked.clear();
    const board = event.board === null ? null : parseBoard(event.board);
    this.pending = null;
    if (this.attempt?.race === event.race) {
      this.attempt.gen = event.gen;
      this.attempt.over = board === null;
      if (board) this.attempt.resume(event.seq, board, this.myLane?.stm ?? 0);
    } else if (board) {
      this.pending = { ...event, board };
      if (!this.waiting) this.ask(command.resync(), now); // for the clock
    }
  }

  snapshot(event, now) {
    const { o, epoch, room, phase, race } = event;
    Object.assign(this, { offset: o, epoch, phase, waiting: false });
    this.setRoom(room);
    this.setRace(race.id);
    this.members = new Map(event.members.map((member) => [member.id, member]));
    this.phaseEnds = event.in_ms === null ? null : now + event.in_ms;
    this.seat = this.self?.seat ?? null;
    this.roster = race.roster;
    this.lanes.clear();
    if (race.start) this.begin(race.start);
    if (race.elapsed_ms !== null) this.t0 = now - race.elapsed_ms;
    for (const told of race.lanes) {
      const lane = this.lane(told.seat);
      const { seq, high, stm, status } = told;
      Object.assign(lane, { seq, high, stm, status });
      if (told.board) lane.see(parseBoard(told.board), seq);
    }
    for (const standing of race.standings) this.lane(standing.seat).told(standing);
    this.#ownAttempt(now);
    if (event.results) this.finish(event.results);
  }

  /** After a snapshot: the attempt the server knows of, or none. */
  #ownAttempt(now) {
    const { pending, myLane } = this;
    this.pending = null;
    if (this.attempt && !this.running) this.attempt.over = true;
    if (this.attempt || !myLane || !this.running) return;
    const known = pending?.race === this.race ? pending : null;
    const board = known?.board ?? myLane.board;
    if (!board) return;
    this.attempt = new Attempt({
      race: this.race,
      board,
      seq: known?.seq ?? myLane.seq,
      zero: this.t0 ?? now,
      stm: myLane.stm,
      startMd: this.startMd || undefined,
      high: myLane.high,
      approx: true,
    });
    this.attempt.gen = known?.gen ?? 0;
    this.attempt.over = myLane.status !== "racing";
  }

  setRoom(room) {
    this.room = room;
    this.code = room.code;
    this.promises.set(room.race, {
      size: room.rules.size,
      commitment: room.commitment,
      seedKnown: room.seed_known,
    });
    if (this.promises.size > 4) this.promises.delete(this.promises.keys().next().value);
  }

  /** Another race: nothing of the last one holds, but its results. */
  setRace(race) {
    if (race === this.race) return;
    this.race = race;
    this.lanes = new Map();
    this.asked.clear();
    this.roster = [];
    this.start = this.t0 = this.attempt = this.forfeitedAt = null;
    this.oldestUnacked = null;
    for (const [id, member] of this.members) {
      this.members.set(id, { ...member, ready: false });
    }
  }

  /** The start board is known. */
  begin(text) {
    this.start = text;
    this.startMd = parseBoard(text).md;
  }

  lane(seat) {
    let lane = this.lanes.get(seat);
    if (!lane) {
      const member = [...this.members.values()].find((other) => other.seat === seat);
      lane = new Lane(seat, member);
      this.lanes.set(seat, lane);
    }
    return lane;
  }

  /** A seat's slides have a hole: ask for its board, not more often than needed. */
  askBoard(seat, now) {
    if (now - (this.asked.get(seat) ?? -Infinity) < RESYNC_MS) return;
    this.asked.set(seat, now);
    this.ask(command.resync(seat), now);
  }

  finish(results) {
    this.results = results;
    const promise = this.promises.get(results.race);
    this.faults = promise ? faults(results, promise) : [];
    if (results.race !== this.race) return;
    for (const standing of results.standings) this.lane(standing.seat).told(standing);
  }
}

/** @this {Model} */
const EVENTS = {
  welcome: Model.prototype.welcomed,
  snapshot: Model.prototype.snapshot,

  member({ member }) {
    this.members.set(member.id, member);
    if (member.id === this.me) this.seat = member.seat;
  },

  gone({ member, why }) {
    this.members.delete(member);
    if (member === this.me) this.ended = why;
  },

  room({ room }) {
    this.setRoom(room);
    if (room.race === this.race) return;
    Object.assign(this, { phase: "lobby", phaseWhy: "", phaseEnds: null });
    this.setRace(room.race);
  },

  phase({ race, phase, in_ms, roster, why }, now) {
    this.setRace(race);
    Object.assign(this, { phase, phaseWhy: why });
    this.phaseEnds = in_ms === null ? null : now + in_ms;
    if (roster.length) this.roster = roster;
    if (phase === "countdown") this.results = null;
    if (phase === "racing") this.t0 ??= now;
    if (phase === "racing" && !this.start) this.ask(command.resync(), now); // missed it
    if (this.running) for (const seat of this.roster) this.lane(seat);
    if (this.attempt && !this.running) this.attempt.over = true;
    if (phase === "closed") this.ended ||= "closed";
  },

  standing({ race, standing }, now) {
    if (race !== this.race) return;
    this.lane(standing.seat).told(standing);
    if (standing.seat !== this.seat) return;
    this.forfeitedAt = standing.status === "forfeited" ? now : null;
    if (!this.attempt) return;
    this.attempt.over = standing.status !== "racing";
  },

  results(event) {
    Object.assign(this, { phase: "results", phaseWhy: "", phaseEnds: null });
    if (this.attempt) this.attempt.over = true;
    this.finish(event);
  },

  closed({ why }) {
    this.ended = why;
  },

  progress({ race, p }, now) {
    if (race !== this.race || this.waiting) return;
    for (const step of p) {
      const whole = this.lane(step.seat).step(step, this.start);
      if (!whole) this.askBoard(step.seat, now);
    }
  },

  board({ race, seat, seq, board: text, in_ms }, now) {
    if (race !== this.race) return;
    const board = parseBoard(text);
    if (seat !== null && seat !== this.seat) {
      this.lane(seat).see(board, seq);
      return;
    }
    if (seq === 0) this.begin(text);
    const mine = this.seat !== null && this.roster.includes(this.seat);
    if (mine && !this.attempt) {
      this.attempt = new Attempt({ race, board, seq, zero: now + in_ms });
    } else if (!mine && seat === null) {
      for (const other of this.roster) this.lane(other).see(board.copy(), 0);
    }
  },

  ack({ race, seq }, now) {
    if (race !== this.attempt?.race) return;
    this.attempt.ack(seq);
    this.oldestUnacked = this.attempt.acked < this.attempt.sent ? now : null;
  },

  rejected({ race, gen, seq, code, board }) {
    if (race !== this.attempt?.race) return;
    this.attempt.gen = gen;
    if (code === "not_racing" || code === "done") this.attempt.over = true;
    this.attempt.rewind(seq, board === null ? null : parseBoard(board), !FINAL.has(code));
  },
};
