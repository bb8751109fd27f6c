// The racers side by side, pure: how far each is, and who is ahead.

import { parseBoard, parseSlides } from "./engine.js";

export class Lane {
  /** @param {number} seat @param {Wire} [member] who sits there, as far as known */
  constructor(seat, member) {
    this.seat = seat;
    this.member = member?.id ?? null;
    this.name = member?.name ?? "?";
    this.bot = member?.bot ?? false;
    this.seq = 0;
    this.high = 0; // permille; 1000 while racing: solved, and not yet stored
    this.stm = 0;
    this.status = "racing";
    this.place = null;
    this.final = false; // nobody can take this place any more
    this.standing = null; // the server's word, once there is one
    this.board = null; // where it may be seen
    this.boardSeq = 0;
  }

  get time() {
    return this.standing?.time_ms ?? null;
  }

  get why() {
    return this.standing?.why ?? "";
  }

  /** Take the server's word on this racer. */
  told(standing) {
    const { member, name, bot, status, place, final, high, stm } = standing;
    Object.assign(this, { standing, member, name, bot, status, place, final });
    // How far who still races is, progress says, where it may be known.
    if (status !== "racing") Object.assign(this, { high, stm });
  }

  /** Take a board: the start, or the answer to `resync`. */
  see(board, seq) {
    if (this.board && seq < this.boardSeq) return;
    this.board = board;
    this.boardSeq = seq;
  }

  /**
   * Take one step of `progress`.
   * @param {Wire} step
   * @param {string | null} start the race's start board, if known
   * @returns {boolean} false: slides are missing before it; ask for the board
   */
  step(step, start) {
    if (step.seq >= this.seq) {
      this.seq = step.seq;
      this.high = Math.max(this.high, step.high);
      this.stm = step.stm;
    }
    if (step.since < 0 || (this.board && step.seq <= this.boardSeq)) return true;
    if (!this.board && step.since === 0 && start) this.see(parseBoard(start), 0);
    if (!this.board || step.since > this.boardSeq) return false;
    return this.#replay(step);
  }

  #replay(step) {
    const slides = parseSlides(step.slides).slice(this.boardSeq - step.since);
    const ahead = this.board.copy();
    const legal = slides.every(([direction, count]) =>
      ahead.trySlide(direction, count),
    );
    if (!legal || this.boardSeq + slides.length !== step.seq) return false;
    this.see(ahead, step.seq);
    return true;
  }
}

const GROUPS = { finished: 0, racing: 1, dnf: 2, forfeited: 3, dns: 4 };

const rank = (lane) => {
  const group = GROUPS[lane.status];
  const place = group > 1 ? (lane.place ?? 0) : 0;
  return [group, place, group === 0 ? lane.time : -lane.high, lane.seat];
};

/**
 * Best first: finishers by time, then who races by progress, then the others. Places of
 * finishers follow the times known so far; equal times share one.
 * @param {Iterable<Lane>} lanes
 * @returns {Lane[]}
 */
export function inOrder(lanes) {
  const ranked = [...lanes].sort((a, b) => {
    const [left, right] = [rank(a), rank(b)];
    const first = left.findIndex((value, i) => value !== right[i]);
    return first < 0 ? 0 : left[first] - right[first];
  });
  const times = ranked
    .filter((lane) => lane.status === "finished")
    .map((lane) => lane.time);
  for (const lane of ranked) {
    if (lane.status === "finished") lane.place = 1 + times.indexOf(lane.time);
  }
  return ranked;
}
