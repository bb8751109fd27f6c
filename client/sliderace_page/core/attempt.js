// One's own way through one scramble, pure: predicted at once, kept until the race is
// over. Slides are numbered 1, 2, 3 ... What the server says about the board after
// slide n decides: where our own board after n is the same, what is later still stands.

import { progressPermille } from "./engine.js";

export class Attempt {
  /**
   * @param {object} begin
   * @param {string} begin.race
   * @param {Board} begin.board the board after slide number `seq`
   * @param {number} [begin.zero] instant (ms) from which the clock counts
   * @param {number} [begin.seq] number of the last slide made before
   * @param {number} [begin.stm] tiles moved before
   * @param {number} [begin.startMd] distance of the scramble, where it is not `board`
   * @param {number} [begin.high] progress so far
   * @param {boolean} [begin.approx] the clock was counted from a snapshot
   */
  constructor({
    race,
    board,
    zero = Infinity,
    seq = 0,
    stm = 0,
    startMd = 0,
    high = 0,
    approx = false,
  }) {
    this.race = race;
    this.zero = zero;
    this.approx = approx;
    this.isPainted = approx;
    this.startMd = startMd || board.md;
    this.gen = 0;
    this.over = false; // the server said that this attempt has ended
    this.takenBack = 0; // how often the server's word changed the board that is shown
    this.#begin(seq, board, stm);
    this.high = Math.max(high, progressPermille(board.md, this.startMd));
  }

  /** Know nothing but the board after `seq`. */
  #begin(seq, board, stm) {
    this.base = this.sent = this.acked = seq;
    this.origin = board.copy();
    this.board = board.copy();
    this.stmBefore = stm;
    this.slides = []; // [direction, count, ms]
    this.solvedAt = null;
  }

  /** Number of the last slide made. */
  get seq() {
    return this.base + this.slides.length;
  }

  /** Tiles moved, as far as known here. */
  get stm() {
    return this.slides.reduce((sum, [, count]) => sum + count, this.stmBefore);
  }

  /** Slides not yet handed to the socket. */
  get unsent() {
    return this.slides.slice(this.sent - this.base);
  }

  get unacked() {
    return this.seq - this.acked;
  }

  get solved() {
    return this.board.isSolved;
  }

  /** Whether further slides could count. */
  get playing() {
    return !this.over && !this.solved;
  }

  /** ms until the board is unlocked; 0 when it is. @param {number} now */
  locked(now) {
    return Math.max(0, this.zero - now);
  }

  /**
   * The board is on the screen: its clock counts from here; the first call only.
   * @param {number} now
   * @param {number} inspection how long the painted board stays locked, in ms
   */
  painted(now, inspection) {
    if (!this.isPainted && this.slides.length === 0) this.zero = now + inspection;
    this.isPainted = true;
  }

  /**
   * Slide at once, before the server knows.
   * @returns {boolean} false: not possible, and nothing changed
   */
  slide(direction, count, now) {
    if (!this.playing || this.locked(now) > 0) return false;
    if (!this.board.trySlide(direction, count)) return false;
    this.slides.push([direction, count, Math.round(now - this.zero)]);
    this.high = Math.max(this.high, progressPermille(this.board.md, this.startMd));
    if (this.solved) this.solvedAt = now;
    return true;
  }

  /** All slides up to `seq` are durable. @param {number} seq */
  ack(seq) {
    this.acked = Math.max(this.acked, Math.min(seq, this.sent));
  }

  /** Our own board after slide `seq`; null where that is not known. */
  after(seq) {
    if (seq < this.base || seq > this.seq) return null;
    const board = this.origin.copy();
    for (const [direction, count] of this.slides.slice(0, seq - this.base)) {
      board.slide(direction, count);
    }
    return board;
  }

  /**
   * A new connection: where both agree on the board after `seq`, what is later is sent
   * again; else the server's board is taken and the slides made since are gone.
   * @param {number} seq the last slide the server has
   * @param {Board} board its board after `seq`
   * @param {number} stm tiles moved until then, if the server's board is taken
   */
  resume(seq, board, stm) {
    if (!this.after(seq)?.equals(board)) {
      this.#begin(seq, board, stm);
      this.takenBack += 1;
    }
    this.sent = this.acked = seq;
  }

  /**
   * A slide after `seq` was refused: go back there, and play again what is still legal.
   * @param {number} seq the last slide the server has
   * @param {Board | null} truth its board after `seq`; null: it does not tell
   * @param {boolean} replay make the later slides again, each with the next number
   */
  rewind(seq, truth, replay) {
    const later = this.slides.slice(Math.max(0, seq - this.base));
    const { solvedAt, board: shown } = this;
    const board = truth ?? this.after(seq);
    if (!board) return;
    if (this.after(seq)?.equals(board)) {
      this.slides.length = seq - this.base;
      this.board = board.copy();
    } else {
      this.#begin(seq, board, this.stm);
    }
    this.sent = seq;
    this.acked = Math.min(this.acked, seq);
    this.solvedAt = null;
    for (const slide of replay ? later : []) {
      if (this.playing && this.board.trySlide(slide[0], slide[1]))
        this.slides.push(slide);
    }
    if (this.solved) this.solvedAt = solvedAt;
    if (!this.board.equals(shown)) this.takenBack += 1;
  }
}
