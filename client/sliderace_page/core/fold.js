// How each event of the server changes what a player sees. Pure.

import { Attempt } from "./attempt.js";
import { parseBoard } from "./engine.js";
import { Lane } from "./lanes.js";
import { Pace } from "./pacing.js";
import { faults, partFault } from "./fairness.js";
import { command } from "./protocol.js";

const RESYNC_MS = 2000; // a lost answer to `resync` is asked for again after this
const CLOCK_MS = 1000; // while a reloaded board is still locked, ask so often
const PROMISES = 4; // races of which we know what was shown: this one and the last

/** Refusals of slides after which making the same ones again cannot help. */
const FINAL = new Set(["done", "not_racing", "too_early", "too_many_tiles"]);

/**
 * Take one event.
 * @param {Model} model
 * @param {Wire} event of `decodeEvent`
 * @param {number} now ms
 * @throws {EngineError} the server sent a board that cannot be
 */
export function fold(model, event, now) {
  const inStream = event.o !== undefined && event.t !== "snapshot";
  if (inStream && !isNext(model, event.o, now)) return;
  FOLDS[event.t]?.(model, event, now);
}

/** Whether this is the next event of the stream; asks for what is missing. */
function isNext(model, offset, now) {
  if (model.waiting || offset <= model.offset) return false;
  if (offset === model.offset + 1) {
    model.offset = offset;
    return true;
  }
  model.waiting = true;
  model.ask(command.resync(), now);
  return false;
}

const FOLDS = {
  welcome(model, event, now) {
    const { member, seat, code, token, epoch, limits } = event;
    Object.assign(model, { me: member, seat, code, limits, online: true });
    if (token) model.token = token;
    model.waiting = epoch !== model.epoch;
    model.epoch = epoch;
    model.pace = new Pace(limits, now);
    model.nonces.connected();
    model.lines.clear();
    model.asked.clear();
    model.pending = null;
    const board = event.board === null ? null : parseBoard(event.board);
    if (model.attempt?.race === event.race) {
      model.attempt.gen = event.gen;
      model.attempt.over = board === null;
      if (board) model.attempt.resume(event.seq, board, model.myLane?.stm ?? 0);
    } else if (board) {
      model.pending = { ...event, board };
      if (!model.waiting) model.ask(command.resync(), now); // for the clock
    }
  },

  snapshot(model, event, now) {
    const { o, epoch, phase, race } = event;
    Object.assign(model, { offset: o, epoch, phase, waiting: false });
    setRoom(model, event.room, phase === "results");
    setRace(model, race.id);
    model.members = new Map(event.members.map((member) => [member.id, member]));
    model.phaseEnds = event.in_ms === null ? null : now + event.in_ms;
    model.seat = model.self?.seat ?? null;
    setView(model, race, now);
    setOwnAttempt(model, now);
    // A restored server may race on where we saw the end.
    if (model.running || phase === "countdown") {
      model.results = model.signals = null;
      model.reading = false;
    }
    if (event.results) finish(model, event.results);
  },

  member(model, { member }) {
    model.members.set(member.id, member);
    if (member.id === model.me) model.seat = member.seat;
  },

  gone(model, { member, why }) {
    model.members.delete(member);
    model.lines.delete(member);
    if (member === model.me) model.ended = why;
  },

  room(model, { room }) {
    setRoom(model, room);
    if (room.race === model.race) return;
    Object.assign(model, { phase: "lobby", phaseWhy: "", phaseEnds: null });
    setRace(model, room.race);
  },

  phase(model, { race, phase, in_ms: left, roster, why }, now) {
    setRace(model, race);
    Object.assign(model, { phase, phaseWhy: why });
    if (phase !== "lobby" && phase !== "results") model.reading = false;
    model.phaseEnds = left === null ? null : now + left;
    if (roster.length) model.roster = roster;
    if (phase === "racing")
      model.leftOut = model.isPlayer && !roster.includes(model.seat);
    if (phase === "countdown") model.results = model.signals = null;
    if (phase === "racing") model.t0 ??= now;
    const missed = phase === "racing" && !model.start;
    if (missed) model.ask(command.resync(), now);
    if (model.running) for (const seat of model.roster) laneOf(model, seat);
    if (model.attempt && !model.racing) model.attempt.over = true;
    if (phase === "closed") model.ended ||= "closed";
  },

  roster(model, { race, roster, nonce_commitments: commitments }) {
    setRace(model, race);
    setRoster(model, roster, commitments);
  },

  standing(model, { race, standing }, now) {
    if (race !== model.race) return;
    laneOf(model, standing.seat).told(standing);
    if (standing.seat !== model.seat) return;
    model.forfeitedAt = standing.status === "forfeited" ? now : null;
    if (model.attempt) model.attempt.over = standing.status !== "racing";
  },

  winner(model, { race, seats }) {
    if (race !== model.race) return;
    for (const seat of seats) laneOf(model, seat).final = true;
  },

  results(model, event) {
    Object.assign(model, { phase: "results", phaseWhy: "", phaseEnds: null });
    if (model.attempt) model.attempt.over = true;
    finish(model, event);
  },

  closed(model, { why }) {
    model.ended = why;
  },

  progress(model, { race, p }, now) {
    if (race !== model.race || model.waiting) return;
    for (const step of p) {
      const whole = laneOf(model, step.seat).step(step, model.start);
      if (!whole) askBoard(model, step.seat, now);
    }
  },

  lines(model, { lines }) {
    for (const { member, rtt_ms: rtt, jitter_ms: jitter } of lines) {
      model.lines.set(member, { rtt, jitter });
    }
  },

  signals(model, { race, signals }) {
    model.signals = { race, signals };
  },

  ticket(model, { ticket, in_ms: left }, now) {
    model.ticket = { ticket, until: now + left };
  },

  board(model, { race, seat, seq, board: text, in_ms: left }, now) {
    if (race !== model.race) return;
    const board = parseBoard(text);
    if (seat !== null && seat !== model.seat) {
      laneOf(model, seat).see(board, seq);
      return;
    }
    if (seq === 0) begin(model, text);
    const mine = model.seat !== null && model.roster.includes(model.seat);
    if (mine && !model.attempt) {
      model.attempt = new Attempt({ race, board, seq, zero: now + left });
    } else if (!mine && seat === null) {
      for (const other of model.roster) laneOf(model, other).see(board.copy(), 0);
    }
  },

  ack(model, { race, seq }, now) {
    const { attempt } = model;
    if (race !== attempt?.race) return;
    attempt.ack(seq);
    model.oldestUnacked = attempt.acked < attempt.sent ? now : null;
  },

  rejected(model, { race, gen, seq, code, board }) {
    const { attempt } = model;
    if (race !== attempt?.race) return;
    attempt.gen = gen;
    if (code === "not_racing" || code === "done") attempt.over = true;
    attempt.rewind(seq, board === null ? null : parseBoard(board), !FINAL.has(code));
  },
};

// --- Parts ---------------------------------------------------------------------------

/**
 * The room, and the first word on its race.
 * @param {boolean} [late] that race is over already: nothing was promised to us
 */
function setRoom(model, room, late = false) {
  model.room = room;
  model.code = room.code;
  const { race, commitment, seed_known: seedKnown, rules } = room;
  if (model.promises.has(race)) return; // the first word counts
  const { size } = rules;
  const shown = { size, commitment, seedKnown, late, listed: null, start: null };
  model.promises.set(race, shown);
  const [oldest] = model.promises.keys();
  if (model.promises.size > PROMISES) model.promises.delete(oldest);
}

/** Another race: nothing of the last one holds, but its results. */
function setRace(model, race) {
  if (race === model.race) return;
  model.race = race;
  model.lanes = new Map();
  model.asked.clear();
  model.roster = [];
  model.leftOut = false;
  model.start = model.t0 = model.attempt = null;
  model.forfeitedAt = model.oldestUnacked = model.clockDue = null;
  for (const [id, member] of model.members) {
    model.members.set(id, { ...member, ready: false });
  }
}

/** Who races is fixed. */
function setRoster(model, roster, commitments) {
  model.roster = roster;
  const shown = model.promises.get(model.race);
  const whole = roster.length > 0 && commitments.length === roster.length;
  if (!whole || !shown || shown.listed) return;
  shown.listed = new Map(roster.map((seat, i) => [seat, commitments[i]]));
}

/** The race as a snapshot tells it. */
function setView(model, race, now) {
  setRoster(model, race.roster, race.nonce_commitments);
  model.lanes.clear();
  if (race.start) begin(model, race.start);
  if (race.elapsed_ms !== null) model.t0 = now - race.elapsed_ms;
  for (const { seat, seq, high, stm, status, board } of race.lanes) {
    const lane = laneOf(model, seat);
    Object.assign(lane, { seq, high, stm, status });
    if (board) lane.see(parseBoard(board), seq);
  }
  for (const standing of race.standings) laneOf(model, standing.seat).told(standing);
}

/** After a snapshot: the attempt the server knows of, or none. */
function setOwnAttempt(model, now) {
  const { pending, myLane: lane, attempt } = model;
  model.pending = null;
  if (attempt && !model.racing) attempt.over = true;
  if (!lane || !model.running) return;
  if (!attempt) takeUp(model, lane, pending?.race === model.race ? pending : null);
  if (!model.attempt?.approx || model.attempt.slides.length) return;
  // Still locked after a reload: nobody has told us for how long.
  model.clockDue = model.t0 === null ? now + CLOCK_MS : null;
  model.attempt.zero = model.t0 ?? model.clockDue;
}

/** Go on with an attempt that began before this page did. */
function takeUp(model, lane, welcome) {
  const board = welcome?.board ?? lane.board;
  if (!board) return;
  const { high, stm, status } = lane;
  const { race, startMd } = model;
  const seq = welcome?.seq ?? lane.seq;
  model.attempt = new Attempt({ race, board, seq, stm, high, startMd, approx: true });
  model.attempt.gen = welcome?.gen ?? 0;
  model.attempt.over = status !== "racing";
}

/** The start board is known. */
function begin(model, text) {
  model.start = text;
  model.startMd = parseBoard(text).md;
  const shown = model.promises.get(model.race);
  if (shown) shown.start ??= text;
}

function laneOf(model, seat) {
  let lane = model.lanes.get(seat);
  if (!lane) {
    const member = [...model.members.values()].find((one) => one.seat === seat);
    lane = new Lane(seat, member);
    model.lanes.set(seat, lane);
  }
  return lane;
}

/** A seat's slides have a hole: ask for its board, not more often than needed. */
function askBoard(model, seat, now) {
  if (now - (model.asked.get(seat) ?? -Infinity) < RESYNC_MS) return;
  model.asked.set(seat, now);
  model.ask(command.resync(seat), now);
}

function finish(model, results) {
  const { race, standings } = results;
  const shown = model.promises.get(race);
  const seat = standings.find(({ member }) => member === model.me)?.seat ?? null;
  const own = model.attempt?.race === race ? model.attempt : null;
  const nonce = seat === null ? null : model.nonces.boundTo(race, seat);
  model.results = results;
  model.reading = true;
  model.kept = shown ? { ...shown, seat, nonce, own } : null;
  model.faults = shown ? faults(results, model.kept) : [];
  model.partFault = shown ? partFault(results, model.kept) : "";
  if (race !== model.race) return;
  for (const standing of standings) laneOf(model, standing.seat).told(standing);
}
