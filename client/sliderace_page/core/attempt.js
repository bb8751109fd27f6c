// The player's own attempt at one scramble. Pure.
//
// A slide changes the board at once, before the server knows of it (prediction). Slides
// are numbered 1, 2, 3 ... and kept until the race is over, so that they can be sent
// again. Three numbers say how far each slide got:
//
//   base <= acked <= sent <= seq
//
// `base` is the last slide before those that we know (not 0 after a reload), `acked` the
// last one that the server has stored, `sent` the last one handed to the socket, `seq`
// the last one made. Three messages change them:
//
// - `ack`: everything up to its `seq` is stored.
// - `welcome` (resume): the server states its board after slide n. If our own board
//   after n is the same, the later slides are sent again; if not, the server is right:
//   we take its board and lose the later slides.
// - `rejected` (rewind): slide n + 1 was refused. We go back to the server's board after
//   n, make the later slides again as far as they are still legal, and number them on
//   with the new `gen`.
//
// `solvedAt` survives a rewind if the board is solved again: the clock must not jump.

import { progressPermille } from "./engine.js";
import { InputKinds } from "./input-kinds.js";

/** @typedef {[Direction, number, number]} TimedSlide direction, tiles, ms */

export class Attempt {
  /** @type {TimedSlide[]} those after `base` */
  slides = [];
  /** @type {number | null} */
  solvedAt = null;
  inputs = new InputKinds();

  /**
   * @param {object} begin
   * @param {string} begin.race
   * @param {Board} begin.board the board after slide `seq`
   * @param {number} [begin.zero] instant (ms) from which the clock counts
   * @param {number} [begin.seq] the last slide made before
   * @param {number} [begin.stm] tiles moved before
   * @param {number} [begin.startMd] distance of the scramble, if `board` is a later one
   * @param {number} [begin.high] best progress so far
   * @param {boolean} [begin.approx] the clock is counted from a snapshot
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
    this.over = false; // the server says that this attempt has ended
    this.corrections = 0; // how often the server changed the board on the screen
    this.base = this.sent = this.acked = seq;
    this.origin = board.copy(); // after `base`
    this.board = board.copy(); // after `seq`
    this.stmBefore = stm;
    this.high = Math.max(high, progressPermille(board.md, this.startMd));
  }

  /**
   * Forget all slides: only the board after `seq` is known.
   * @param {number} seq @param {Board} board @param {number} stm
   */
  #restart(seq, board, stm) {
    this.base = this.sent = this.acked = seq;
    this.origin = board.copy();
    this.board = board.copy();
    this.stmBefore = stm;
    this.slides = [];
    this.solvedAt = null;
  }

  /** Number of the last slide made. */
  get seq() {
    return this.base + this.slides.length;
  }

  /** Tiles moved, as far as known. */
  get stm() {
    return this.slides.reduce((sum, [, count]) => sum + count, this.stmBefore);
  }

  /** Slides not yet handed to the socket. */
  get unsent() {
    return this.slides.slice(this.sent - this.base);
  }

  /** Whether the server owes us an ack. */
  get waiting() {
    return !this.over && this.acked < this.sent;
  }

  get unacked() {
    return this.seq - this.acked;
  }

  get solved() {
    return this.board.isSolved;
  }

  /** Whether more slides could count. */
  get playing() {
    return !this.over && !this.solved;
  }

  /** ms until the board is unlocked; 0 if it is. @param {number} now */
  locked(now) {
    return Math.max(0, this.zero - now);
  }

  /**
   * The board is on the screen: the clock counts from here. Only the first call counts.
   * @param {number} now
   * @param {number} inspection how long the painted board stays locked, in ms
   */
  painted(now, inspection) {
    if (!this.isPainted && this.slides.length === 0) this.zero = now + inspection;
    this.isPainted = true;
  }

  /**
   * Slide at once, before the server knows.
   * @param {Direction} direction
   * @param {number} count
   * @param {number} now
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

  /** All slides up to `seq` are stored. @param {number} seq */
  ack(seq) {
    this.acked = Math.max(this.acked, Math.min(seq, this.sent));
  }

  /** Our own board after slide `seq`; null: not known. @param {number} seq */
  after(seq) {
    if (seq < this.base || seq > this.seq) return null;
    const board = this.origin.copy();
    for (const [direction, count] of this.slides.slice(0, seq - this.base)) {
      board.slide(direction, count);
    }
    return board;
  }

  /**
   * Continue on a new connection.
   * @param {number} seq the last slide the server has
   * @param {Board} board its board after `seq`
   * @param {number} stm tiles moved until then, in case we take that board
   */
  resume(seq, board, stm) {
    if (!this.after(seq)?.equals(board)) {
      this.#restart(seq, board, stm);
      this.corrections += 1;
    }
    this.sent = this.acked = seq;
  }

  /**
   * Go back to the slide before a refused one.
   * @param {number} seq the last slide the server has
   * @param {Board | null} serverBoard its board after `seq`; null: not sent
   * @param {boolean} replay make the later slides again, each with the next number
   */
  rewind(seq, serverBoard, replay) {
    const later = this.slides.slice(Math.max(0, seq - this.base));
    const { solvedAt, board: shown } = this;
    const board = serverBoard ?? this.after(seq);
    if (!board) return;
    if (this.after(seq)?.equals(board)) {
      this.slides.length = seq - this.base;
      this.board = board.copy();
    } else {
      this.#restart(seq, board, this.stm);
    }
    this.sent = seq;
    this.acked = Math.min(this.acked, seq);
    this.solvedAt = null;
    for (const slide of replay ? later : []) {
      if (this.playing && this.board.trySlide(slide[0], slide[1]))
        this.slides.push(slide);
    }
    if (this.solved) this.solvedAt = solvedAt;
    if (!this.board.equals(shown)) this.corrections += 1;
  }
}
