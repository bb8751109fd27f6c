// Applies the server's events to the model. Pure.
//
// A room's stream is numbered: an event with an offset `o` is folded only if it is the
// next one. After a hole, and after a `welcome` of another epoch, the model is `waiting`:
// it requests everything, and ignores the stream until a `snapshot` arrives. Events
// without an offset (progress, boards, acks ...) are folded as they come; those of
// another race are ignored.
//
// - Everything of a race is reset when another race id appears (`setRace`); the results
//   stay for as long as the player reads them.
// - The first thing that the server says of a race counts: its commitment, the roster
//   with its nonce commitments, and the board are kept in `firstShown`, and the results
//   and the record are compared with them.
// - Our own attempt begins with the private `board`, or after a reload with the board in
//   `welcome` or in our lane of the snapshot. After a reload its clock is unknown: it is
//   counted from the snapshot's `elapsed_ms`, and its times are marked as approximate.
// - The model sends `resync` automatically: after a hole, for a start board that it missed,
//   for the clock of a board that is still locked after a reload, and for the board of a
//   seat whose slides have a hole.

import { Attempt } from "./attempt.js";
import { constants } from "./constants.js";
import { parseBoard } from "./engine.js";
import { Lane } from "./lanes.js";
import { Pace } from "./pacing.js";
import { faults, nonceRemark } from "./fairness.js";
import { command } from "./protocol.js";

/** @typedef {ServerEvent["t"]} Type */
/** @typedef {Pick<import("./messages.js").RaceView, "roster" | "nonce_commitments">} Roster */
/** @typedef {import("./messages.js").RaceView} RaceView */
/**
 * @template {Type} T
 * @typedef {(model: Model, event: Extract<ServerEvent, {t: T}>, now: number) => void} Fold
 */

const RESYNC_MS = 2000; // how soon a board is requested again
const CLOCK_MS = 1000; // how often a locked board's clock is requested after a reload
const KEPT_RACES = 4; // whose first facts we keep: the current and the last ones

/** Refusals after which making the same slides again cannot help. */
const FINAL = new Set(["done", "not_racing", "too_early", "too_many_tiles"]);

/**
 * Fold one event.
 * @param {Model} model
 * @param {ServerEvent} event
 * @param {number} now ms
 * @throws {EngineError} the server sent an impossible board
 */
export function fold(model, event, now) {
  model.liveness.heard(now);
  const isStream = "o" in event && event.t !== "snapshot" && !isHostEnded(event);
  if (isStream && !isNext(model, event.o, now)) return;
  const folding = /** @type {Fold<Type> | undefined} */ (FOLDS[event.t]);
  folding?.(model, event, now);
}

/** @param {ServerEvent} event */
const isHostEnded = (event) => event.t === "closed" && event.why === "host_ended";

/**
 * Whether this is the next event of the stream; after a hole, request a snapshot.
 * @param {Model} model @param {number} offset @param {number} now
 */
function isNext(model, offset, now) {
  if (model.waiting || offset <= model.offset) return false;
  if (offset === model.offset + 1) {
    model.offset = offset;
    return true;
  }
  model.waiting = true;
  model.send(command.resync(), now);
  return false;
}

/** @type {{[T in Type]?: Fold<T>}} */
const FOLDS = {
  welcome(model, event, now) {
    const { member, seat, code, token, epoch, limits, features } = event;
    Object.assign(model, { me: member, seat, code, online: true, hostEnded: false });
    model.features = features;
    model.profile = event.profile;
    if (token) model.token = token;
    model.waiting = epoch !== model.epoch;
    model.epoch = epoch;
    model.pace = new Pace(limits, now);
    model.liveness.connected(now);
    model.nonces.connected();
    model.latencies.clear();
    model.requested.clear();
    model.pending = null;
    const board = event.board === null ? null : parseBoard(event.board);
    if (model.attempt?.race === event.race) {
      model.attempt.gen = event.gen;
      model.attempt.over = board === null;
      if (board) model.attempt.resume(event.seq, board, model.myLane?.stm ?? 0);
    } else if (board) {
      const { race, seq, gen } = event;
      model.pending = { race, seq, gen, board };
      if (!model.waiting) model.send(command.resync(), now); // for the clock
    }
  },

  snapshot(model, event, now) {
    const { o, epoch, phase, race } = event;
    Object.assign(model, { offset: o, epoch, phase, waiting: false });
    setRoom(model, event.room, phase === "results");
    setRace(model, race.id);
    model.series = event.series;
    model.members = new Map(event.members.map((member) => [member.id, member]));
    model.phaseEnds = event.in_ms === null ? null : now + event.in_ms;
    model.seat = model.self?.seat ?? null;
    setRaceView(model, race, now);
    setOwnAttempt(model, now);
    // A restored server may still race where we have seen the end.
    if (model.inRace) {
      model.results = model.signals = null;
      model.resultsOpen = false;
    }
    if (event.results) finish(model, event.results);
  },

  member(model, { member }) {
    model.members.set(member.id, member);
    if (member.id === model.me) model.seat = member.seat;
    // Only the latency of players is measured.
    if (member.seat === null) model.latencies.delete(member.id);
  },

  gone(model, { member, why }) {
    model.members.delete(member);
    model.latencies.delete(member);
    model.reactions.delete(member);
    model.ignored.delete(member);
    if (member === model.me) model.ended = why;
  },

  room(model, { room }) {
    setRoom(model, room);
    if (room.race === model.race) return;
    setRace(model, room.race);
    Object.assign(model, { phase: "lobby", phaseWhy: "", phaseEnds: null });
  },

  phase(model, { race, phase, in_ms: left, roster, why }, now) {
    setRace(model, race);
    Object.assign(model, { phase, phaseWhy: why });
    if (phase !== "lobby" && phase !== "results") model.resultsOpen = false;
    model.phaseEnds = left === null ? null : now + left;
    if (roster.length) model.roster = roster;
    if (phase === "countdown") model.results = model.signals = null;
    if (phase === "racing") {
      model.leftOut = model.isPlayer && !hasSeat(roster, model.seat);
      model.t0 ??= now;
      if (!model.start) model.send(command.resync(), now);
    }
    if (model.running) for (const seat of model.roster) laneOf(model, seat);
    if (model.attempt && !model.racing) model.attempt.over = true;
    if (phase === "closed") model.ended ||= "closed";
  },

  roster(model, { race, ...roster }) {
    setRace(model, race);
    setRoster(model, roster);
  },

  standing(model, { race, standing }, now) {
    if (race !== model.race) return;
    laneOf(model, standing.seat).setStanding(standing);
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
    if (why === "host_ended") model.hostEnded = true;
    else model.ended = why;
  },

  progress(model, { race, p }, now) {
    if (race !== model.race || model.waiting) return;
    for (const one of p) {
      const complete = laneOf(model, one.seat).advance(one, model.start);
      if (!complete) requestBoard(model, one.seat, now);
    }
  },

  lines(model, { lines }) {
    for (const { member, rtt_ms: rtt, jitter_ms: jitter } of lines) {
      model.latencies.set(member, { rtt, jitter });
    }
  },

  reacted(model, { member, id }, now) {
    if (!model.members.has(member) || id < 1 || id > constants.reactions.count) return;
    model.reactions.set(member, { id, until: now + constants.reactions.shown_ms });
  },

  signals(model, { race, signals }) {
    model.signals = { race, signals };
  },

  series(model, { table }) {
    model.series = table;
  },

  gains(model, event) {
    model.gains = event;
  },

  ticket(model, { ticket, in_ms: left }, now) {
    model.ticket = { ticket, until: now + left };
  },

  board(model, { race, seat, seq, board: text, in_ms: left }, now) {
    if (race !== model.race) return;
    const board = parseBoard(text);
    if (seat !== null && seat !== model.seat) {
      laneOf(model, seat).setBoard(board, seq);
      return;
    }
    if (seq === 0) setStart(model, text);
    const isOurs = hasSeat(model.roster, model.seat);
    if (isOurs && !model.attempt) {
      model.attempt = new Attempt({ race, board, seq, zero: now + left });
    } else if (!isOurs && seat === null) {
      for (const other of model.roster) laneOf(model, other).setBoard(board.copy(), 0);
    }
  },

  ack(model, { race, seq }) {
    if (race !== model.attempt?.race) return;
    model.attempt.ack(seq);
    model.liveness.acked();
  },

  pong(model, _, now) {
    model.liveness.answered(now);
  },

  rejected(model, { race, gen, seq, code, board }) {
    const { attempt } = model;
    model.liveness.acked();
    if (race !== attempt?.race) return;
    attempt.gen = gen;
    if (code === "not_racing" || code === "done") attempt.over = true;
    attempt.rewind(seq, board === null ? null : parseBoard(board), !FINAL.has(code));
  },
};

// --- Parts ---------------------------------------------------------------------------

/** @param {number[]} roster @param {number | null} seat */
const hasSeat = (roster, seat) => seat !== null && roster.includes(seat);

/**
 * @param {Model} model
 * @param {Room} room
 * @param {boolean} [late] its race is over already: the server promised us nothing
 */
function setRoom(model, room, late = false) {
  model.room = room;
  model.code = room.code;
  const { race, commitment, seed_known: seedKnown, rules } = room;
  if (model.firstShown.has(race)) return;
  const { size } = rules;
  const shown = { size, commitment, seedKnown, late, listed: null, start: null };
  model.firstShown.set(race, shown);
  for (const oldest of model.firstShown.keys()) {
    if (model.firstShown.size <= KEPT_RACES) break;
    model.firstShown.delete(oldest);
  }
}

/**
 * If this is another race, reset everything of the last one but its results. In a room
 * that starts by the clock, players stay ready until they say otherwise.
 * @param {Model} model @param {string} race
 */
function setRace(model, race) {
  if (race === model.race) return;
  const ended = model.phase === "lobby" || model.phase === "results";
  const stay = ended && model.room?.rules.start === "every";
  model.race = race;
  model.lanes = new Map();
  model.requested.clear();
  model.roster = [];
  model.leftOut = false;
  model.start = model.t0 = model.attempt = null;
  model.forfeitedAt = model.clockDue = null;
  for (const [id, member] of model.members) {
    model.members.set(id, { ...member, ready: stay && member.ready });
  }
}

/** The roster is fixed. @param {Model} model @param {Roster} roster */
function setRoster(model, { roster, nonce_commitments: commitments }) {
  model.roster = roster;
  const shown = model.firstShown.get(model.race);
  const isComplete = roster.length > 0 && commitments.length === roster.length;
  if (!isComplete || !shown || shown.listed) return;
  shown.listed = new Map(roster.map((seat, i) => [seat, commitments[i]]));
}

/** @param {Model} model @param {RaceView} race of a snapshot @param {number} now */
function setRaceView(model, race, now) {
  setRoster(model, race);
  model.lanes.clear();
  if (race.start) setStart(model, race.start);
  if (race.elapsed_ms !== null) model.t0 = now - race.elapsed_ms;
  for (const { seat, seq, high, stm, status, board } of race.lanes) {
    const lane = laneOf(model, seat);
    Object.assign(lane, { seq, high, stm, status });
    if (board) lane.setBoard(parseBoard(board), seq);
  }
  for (const standing of race.standings)
    laneOf(model, standing.seat).setStanding(standing);
}

/** After a snapshot: begin the attempt that it shows. @param {Model} model @param {number} now */
function setOwnAttempt(model, now) {
  const { pending, myLane: lane, attempt } = model;
  model.pending = null;
  if (attempt && !model.racing) attempt.over = true;
  if (!lane || !model.running) return;
  if (!attempt) beginLate(model, lane, pending?.race === model.race ? pending : null);
  const begun = model.attempt;
  if (!begun?.approx || begun.slides.length) return;
  // Whether the board is locked after a reload, for an unknown time.
  model.clockDue = model.t0 === null ? now + CLOCK_MS : null;
  begun.zero = model.t0 ?? now + CLOCK_MS;
}

/**
 * Begin an attempt of which this page has not seen the beginning.
 * @param {Model} model @param {Lane} lane ours @param {Model["pending"]} pending
 */
function beginLate(model, lane, pending) {
  const board = pending?.board ?? lane.board;
  if (!board) return;
  const { high, stm, status } = lane;
  const { race, startMd } = model;
  const seq = pending?.seq ?? lane.seq;
  model.attempt = new Attempt({ race, board, seq, stm, high, startMd, approx: true });
  model.attempt.gen = pending?.gen ?? 0;
  model.attempt.over = status !== "racing";
}

/** @param {Model} model @param {string} text the start board */
function setStart(model, text) {
  model.start = text;
  model.startMd = parseBoard(text).md;
  const shown = model.firstShown.get(model.race);
  if (shown) shown.start ??= text;
}

/** @param {Model} model @param {number} seat */
function laneOf(model, seat) {
  let lane = model.lanes.get(seat);
  if (!lane) {
    const member = [...model.members.values()].find((one) => one.seat === seat);
    lane = new Lane(seat, member);
    model.lanes.set(seat, lane);
  }
  return lane;
}

/**
 * Request the board of a seat whose slides we have not, or not all; but not too often.
 * @param {Model} model @param {number} seat @param {number} now
 */
export function requestBoard(model, seat, now) {
  if (now - (model.requested.get(seat) ?? -Infinity) < RESYNC_MS) return;
  model.requested.set(seat, now);
  model.send(command.resync(seat), now);
}

/** @param {Model} model @param {Results} results */
function finish(model, results) {
  const { race, standings } = results;
  const shown = model.firstShown.get(race);
  const seat = standings.find(({ member }) => member === model.me)?.seat ?? null;
  const kept = model.results?.race === race ? model.kept : null; // these results again
  const own = model.attempt?.race === race ? model.attempt : (kept?.own ?? null);
  const nonce = seat === null ? null : model.nonces.committedTo(race, seat);
  model.results = results;
  model.resultsOpen = true;
  model.kept = shown ? { ...shown, seat, nonce, own } : null;
  model.faults = model.kept ? faults(results, model.kept) : [];
  model.nonceRemark = model.kept ? nonceRemark(results, model.kept) : null;
  if (race !== model.race) return;
  for (const standing of standings) laneOf(model, standing.seat).setStanding(standing);
}
