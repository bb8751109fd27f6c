// One lane per racer: how far each is, and who is ahead. Pure.

import { parseBoard, parseSlides } from "./engine.js";

/** @typedef {import("./messages.js").SeatProgress} SeatProgress */
/** @typedef {Standing["status"]} Status */

export class Lane {
  /** @param {number} seat @param {Member} [member] who sits there, if known */
  constructor(seat, member) {
    this.seat = seat;
    this.member = member?.id ?? null;
    this.name = member?.name ?? "?";
    this.bot = member?.bot ?? false;
    this.seq = 0;
    this.high = 0; // permille; 1000 while racing: solved, but not stored yet
    this.stm = 0;
    /** @type {Status} */
    this.status = "racing";
    /** @type {number | null} */
    this.place = null;
    this.final = false; // nobody can take this place any more
    /** @type {Standing | null} from the server */
    this.standing = null;
    /** @type {Board | null} if we may see it */
    this.board = null;
    this.boardSeq = 0; // `board` is the one after this slide
  }

  get time() {
    return this.standing?.time_ms ?? null;
  }

  get why() {
    return this.standing?.why ?? "";
  }

  /** @param {Standing} standing */
  setStanding(standing) {
    const { member, name, bot, status, place, final, high, stm } = standing;
    Object.assign(this, { standing, member, name, bot, status, place, final });
    // While a racer races, `progress` is newer.
    if (status !== "racing") Object.assign(this, { high, stm });
  }

  /**
   * Take a board: the start, or the answer to `resync`. An older one is ignored.
   * @param {Board} board @param {number} seq the slide after which it stood so
   */
  setBoard(board, seq) {
    if (this.board && seq < this.boardSeq) return;
    this.board = board;
    this.boardSeq = seq;
  }

  /**
   * Take this seat's part of `progress`.
   * @param {SeatProgress} progress
   * @param {string | null} start the race's start board, if known
   * @returns {boolean} false: slides before it are missing; request the board
   */
  advance({ seq, high, stm, since, slides }, start) {
    if (seq >= this.seq) {
      this.seq = seq;
      this.high = Math.max(this.high, high);
      this.stm = stm;
    }
    if (since < 0 || (this.board && seq <= this.boardSeq)) return true;
    if (!this.board && since === 0 && start) this.setBoard(parseBoard(start), 0);
    if (!this.board || since > this.boardSeq) return false;
    const board = this.board.copy();
    const missed = parseSlides(slides).slice(this.boardSeq - since);
    const legal = missed.every(([direction, count]) => board.trySlide(direction, count));
    if (!legal || this.boardSeq + missed.length !== seq) return false;
    this.setBoard(board, seq);
    return true;
  }
}

/** @type {Record<Status, number>} */
const GROUPS = { finished: 0, racing: 1, dnf: 2, forfeited: 3, dns: 4 };

/** @typedef {Pick<Lane, "seat" | "status" | "high" | "time" | "place">} Ranked */

/**
 * Who is better: finishers by time, then racers by progress, then the others by place.
 * @param {Ranked} a @param {Ranked} b
 * @returns {number} below 0: `a`, above: `b`, 0: neither
 */
export function compareRacers(a, b) {
  const group = GROUPS[a.status] - GROUPS[b.status];
  if (group) return group;
  if (a.status === "finished") return (a.time ?? 0) - (b.time ?? 0);
  const place = a.status === "racing" ? 0 : (a.place ?? 0) - (b.place ?? 0);
  return place || b.high - a.high;
}

/**
 * Best first, then by seat. Places of finishers follow the times known so far; equal
 * times share one.
 * @param {Iterable<Lane>} lanes
 * @returns {Lane[]}
 */
export function inOrder(lanes) {
  const ranked = [...lanes].sort((a, b) => compareRacers(a, b) || a.seat - b.seat);
  const times = ranked
    .filter((lane) => lane.status === "finished")
    .map((lane) => lane.time);
  for (const lane of ranked) {
    if (lane.status === "finished") lane.place = 1 + times.indexOf(lane.time);
  }
  return ranked;
}
