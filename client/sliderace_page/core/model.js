// All that a member knows of a room: the state, what the screens read from it, and what
// to send. Pure: `now` is the caller's monotonic clock in ms. Call `poll` after every
// other call and at `due`, and send what it returns. fold.js folds events into the state.

import { constants } from "./constants.js";
import { fold, requestBoard } from "./fold.js";
import { inOrder } from "./lanes.js";
import { Liveness } from "./liveness.js";
import { Nonces } from "./draw.js";
import { command, enter, hello } from "./protocol.js";

/** @typedef {import("./messages.js").SeatSignals} SeatSignals */
/** @typedef {import("./messages.js").Snapshot["phase"]} Phase */
/** @typedef {import("./messages.js").Gains} Gains */
/** @typedef {import("./protocol.js").Enter} Enter */
/** @typedef {import("./fairness.js").Shown} Shown */
/** @typedef {import("./input-kinds.js").Kind} Kind */

/** Less is the delay of a connection that works, and needs no explanation. */
const LATE_MS = 1000;

export class Model {
  /** @type {string | null} the room's code */
  code = null;
  /** @type {string | null} the proof of our seat */
  token = null;
  online = false; // welcomed on the current connection
  /** @type {import("./messages.js").Gone["why"]} why the room ended for us; "": it did not */
  ended = "";
  hostEnded = false; // the host has ended the server, and may come back
  /** @type {number | null} our member id */
  me = null;
  /** @type {number | null} */
  seat = null;
  epoch = 0;
  offset = 0;
  waiting = false; // for a snapshot: until then stream events are ignored
  /** @type {Room | null} */
  room = null;
  /** @type {Map<number, Member>} */
  members = new Map();
  /** @type {string[]} what the server can do beyond the first set of the protocol */
  features = [];
  /** @type {string | null} the public id of our profile; null: we are a guest */
  profile = null;
  /** @type {Gains | null} what the last race changed in our profile */
  gains = null;
  /** @type {import("./messages.js").SeriesTable | null} the score of the room's races */
  series = null;
  /** @type {Map<number, {rtt: number, jitter: number}>} member id -> ms */
  latencies = new Map();
  /** @type {Map<number, {id: number, until: number}>} member id -> their last reaction */
  reactions = new Map();
  /** @type {Set<number>} ids of members whose reactions we hide */
  ignored = new Set();
  /** @type {{ticket: string, until: number} | null} moves our seat to another device */
  ticket = null;

  /** @type {Phase} */
  phase = "lobby";
  phaseWhy = "";
  /** @type {number | null} */
  phaseEnds = null;
  race = "";
  /** @type {number[]} seats */
  roster = [];
  leftOut = false; // we play, but were not in the roster of this race
  /** @type {string | null} board text */
  start = null;
  startMd = 0;
  /** @type {number | null} */
  t0 = null;
  /** @type {Map<number, Lane>} seat -> */
  lanes = new Map();
  /** @type {Attempt | null} */
  attempt = null;
  /** @type {number | null} when we gave up */
  forfeitedAt = null;
  /** @type {import("./pacing.js").Pace | null} */
  pace = null;
  liveness = new Liveness(); // of the connection

  /** @type {Results | null} */
  results = null;
  resultsOpen = false; // the results stay on the screen while the others continue
  /** @type {Kept | null} what the results are compared with */
  kept = null;
  /** @type {import("./fairness.js").Fault[]} */
  faults = [];
  /** @type {import("./fairness.js").NonceRemark | null} */
  nonceRemark = null;
  /** @type {{race: string, signals: SeatSignals[]} | null} for the host */
  signals = null;

  /** @type {Map<string, Shown>} race -> the facts first shown */
  firstShown = new Map();
  /** @type {{race: string, seq: number, gen: number, board: Board} | null} our board in
   *   `welcome`, while the clock of that race is not known yet */
  pending = null;
  /** @type {Map<number, number>} seat -> when its board was last requested */
  requested = new Map();
  /** @type {number | null} when to ask for the clock of our board again */
  clockDue = null;
  #pings = 0;
  /** @type {Command[]} */
  #out = [];

  /**
   * @param {Enter} entering
   * @param {import("./draw.js").Random} random
   */
  constructor(entering, random) {
    this.entering = entering;
    this.nonces = new Nonces(random);
    if ("code" in entering) this.code = entering.code;
    if ("token" in entering) this.token = entering.token;
  }

  // --- For the screens ---------------------------------------------------------------

  /** Whether the server would take a reaction of ours, as far as we know. */
  get mayReact() {
    const { kind } = this.room ?? {};
    const alone = kind === "solo" || kind === "daily";
    const able = this.online && this.features.includes("reactions") && !this.racing && !alone;
    return able && this.self?.muted === false;
  }

  /**
   * The number of the reaction that is shown beside a member's name, or null.
   * @param {number | null} member @param {number} now
   */
  reactionOf(member, now) {
    const shown = this.reactions.get(member ?? 0);
    const isShown = shown && now < shown.until && !this.ignored.has(member ?? 0);
    return isShown ? shown.id : null;
  }

  get isHost() {
    return this.room !== null && this.room.host === this.me;
  }

  get self() {
    return this.members.get(this.me ?? 0) ?? null; // ids begin with 1
  }

  /** Whether what is known of the others is up to date. */
  get isCurrent() {
    return this.online && !this.liveness.overdue;
  }

  get isPlayer() {
    return this.self?.role === "player" && !this.self.benched;
  }

  get running() {
    return this.phase === "racing" || this.phase === "grace";
  }

  /** Whether a room of the server waits for its first race, which needs nobody's command. */
  get startsSoon() {
    return this.phase === "lobby" && this.room !== null && this.room.kind !== "room";
  }

  /** Whether a race is running, or about to. */
  get inRace() {
    return this.running || this.phase === "countdown";
  }

  /** Whether our slides count now; the board may arrive just before `racing`. */
  get racing() {
    return this.inRace && this.attempt !== null && !this.attempt.over;
  }

  /** Whether leaving now would cost us a race: it is running, or about to. */
  get isCommitted() {
    const starts = this.phase === "countdown" && this.isPlayer && this.self?.ready;
    return this.racing || starts === true;
  }

  get myLane() {
    return this.seat === null ? undefined : this.lanes.get(this.seat);
  }

  /** Members with a seat. */
  get players() {
    return [...this.members.values()].filter((member) => member.role === "player");
  }

  /** Whether we may cancel the countdown or the race: not one that counts in a series. */
  get canAbort() {
    const counts = this.series !== null && this.series.format !== "open";
    return this.isHost && this.inRace && !(counts && this.running);
  }

  get canStart() {
    const could = (/** @type {Member} */ one) => one.connected && !one.benched;
    return this.isHost && this.phase === "lobby" && this.players.some(could);
  }

  /** Whether the boards of others may be seen. */
  get watching() {
    if (!this.running) return false;
    return Boolean(this.room?.rules.open_boards || !this.racing || this.attempt?.solved);
  }

  /** Whether the results are still shown, though the others are in the lobby again. */
  get inOldResults() {
    return this.phase === "lobby" && this.resultsOpen;
  }

  /** Lanes, best first. */
  order() {
    return inOrder(this.lanes.values());
  }

  /** ms until this phase ends automatically; null: it does not. @param {number} now */
  remaining(now) {
    return this.phaseEnds === null ? null : Math.max(0, this.phaseEnds - now);
  }

  /** ms on the race clock; null: no race. @param {number} now */
  clock(now) {
    const { attempt } = this;
    if (attempt) {
      const official = this.myLane?.time ?? null;
      if (official !== null) return official;
      return Math.max(0, (attempt.solvedAt ?? now) - attempt.zero);
    }
    return this.running && this.t0 !== null ? Math.max(0, now - this.t0) : null;
  }

  /**
   * How many ms later our solve counts in the results than by our own clock; 0 if the difference is
   * small. A second or more means that the connection was lost: the server cannot check when a
   * slide was made that it could not hear.
   */
  get lateMs() {
    const { kept, results } = this;
    const own = kept?.own;
    const row = results?.standings.find(({ seat }) => seat === kept?.seat);
    if (!own?.solvedAt || own.approx || typeof row?.time_ms !== "number") return 0;
    const late = row.time_ms - (own.solvedAt - own.zero);
    return late >= LATE_MS ? late : 0;
  }

  /** @param {number} now */
  canUndo(now) {
    const { undo_ms: limit } = constants.timing;
    return this.forfeitedAt !== null && now - this.forfeitedAt < limit;
  }

  // --- From the shell ----------------------------------------------------------------

  /** The first message of a connection. @param {string | null} [profile] our secret */
  hello(profile = null) {
    if (!this.token || !this.code) return hello(this.entering, profile);
    const { code, token, epoch, offset } = this;
    return hello(enter.resume(code, token, epoch, offset), profile);
  }

  /** Note that the connection is lost. */
  lost() {
    this.online = false;
    this.liveness.lost();
    this.#out = [];
  }

  /**
   * Note that a second connection replaces the one in doubt.
   * @param {ServerEvent} event its first; `receive` it afterwards
   */
  takenOver(event) {
    this.lost();
    this.online = event.t === "welcome";
  }

  /**
   * Send a command.
   * @param {Command} message @param {number} now
   * @returns {boolean} false: we are offline, nothing is sent
   */
  send(message, now) {
    if (!this.online) return false;
    if (message.t === "forfeit") this.stopGathering(); // our slides go first
    this.#flush(now);
    this.#out.push(message.t === "ready" ? this.nonces.attach(message, this) : message);
    return true;
  }

  /** Open the lobby of the next race, or become ready in it. @param {number} now */
  playAgain(now) {
    const { inOldResults, race, isPlayer, self } = this;
    if (!this.online || (!inOldResults && this.phase !== "results")) return false;
    this.resultsOpen = false;
    if (!inOldResults) return this.send(command.rematch(race), now);
    return !isPlayer || self?.ready || this.send(command.ready(race, true), now);
  }

  /** Join the others in the lobby, not ready yet. */
  closeResults() {
    this.resultsOpen = false;
  }

  /** Note that the board is on the screen, and start its clock. @param {number} now */
  painted(now) {
    this.attempt?.painted(now, this.room?.rules.inspection_ms ?? 0);
  }

  /**
   * Slide on our own board, at once.
   * @param {Direction} direction @param {number} count @param {number} now
   * @param {Kind} [how] the player did it
   * @returns {boolean} false: not possible, nothing changed
   */
  slide(direction, count, now, how = "keys") {
    const slid = this.racing && this.attempt?.slide(direction, count, now) === true;
    if (slid) this.attempt?.inputs.use(how);
    return slid;
  }

  /**
   * Slide the tile in this cell, and all between it and the gap.
   * @param {number} cell @param {number} now @param {Kind} [how] the player did it
   */
  slideCell(cell, now, how = "click") {
    const slide = this.attempt?.board.slideOfCell(cell);
    return slide ? this.slide(slide[0], slide[1], now, how) : false;
  }

  /** Send gathered slides with the next poll. */
  stopGathering() {
    this.pace?.stopGathering();
  }

  /** Fold one event. @param {ServerEvent} event @param {number} now */
  receive(event, now) {
    fold(this, event, now);
  }

  /** Commands to send now, in this order. @param {number} now @returns {Command[]} */
  poll(now) {
    if (this.clockDue !== null && now >= this.clockDue) {
      this.clockDue = null;
      this.send(command.resync(), now);
    }
    this.#flush(now);
    this.#declareInput();
    this.#askForBoards(now);
    this.#out.push(...this.nonces.due(this));
    const waiting = this.attempt?.waiting === true;
    if (this.liveness.look(now, this.inRace, waiting)) {
      this.#pings += 1;
      this.#out.push(command.ping(this.#pings));
    }
    return this.#out.splice(0);
  }

  /** Say on which leaderboard our attempt belongs, beside our slides. */
  #declareInput() {
    const { attempt } = this;
    if (!this.online || !this.racing || !attempt || !this.features.includes("profiles")) return;
    const input = attempt.inputs.declare();
    if (input) this.#out.push(command.input(attempt.race, input));
  }

  /** Request the boards that may be seen and were not sent. @param {number} now */
  #askForBoards(now) {
    if (!this.online || this.waiting || !this.watching) return;
    for (const { seat, board, stm, status } of this.lanes.values())
      if (!board && stm > 0 && status !== "finished" && seat !== this.seat)
        requestBoard(this, seat, now);
  }

  /** When to poll again at the latest; Infinity: after the next call. @param {number} now */
  due(now) {
    const sending = this.#sending;
    const next = sending?.attempt.unsent[0];
    const slides =
      sending && next
        ? now + sending.pace.wait(next, now, sending.attempt.solved)
        : Infinity;
    return Math.min(slides, this.clockDue ?? Infinity, this.liveness.due);
  }

  /** The fields that slides are sent with; null: none may be sent. */
  get #sending() {
    const { attempt, pace } = this;
    const may = this.online && !this.waiting && this.racing;
    return may && attempt && pace ? { attempt, pace } : null;
  }

  /** @param {number} now */
  #flush(now) {
    const sending = this.#sending;
    if (!sending) return;
    const { attempt, pace } = sending;
    for (;;) {
      const slides = pace.take(attempt.unsent, now, attempt.solved);
      if (slides.length === 0) return;
      const { race, gen, sent, approx } = attempt;
      this.#out.push(command.slides(race, gen, sent + 1, slides, approx));
      attempt.sent += slides.length;
    }
  }
}
