// One solve alone: counted, timed, and with undo. Pure.

import { OPPOSITE, mtm, stm } from "./engine.js";

export class Solve {
  /** @type {Slide[]} */
  slides = [];
  /** @type {number | null} ms: when the first slide was made */
  begun = null;
  /** @type {number | null} ms */
  ended = null;
  undone = 0; // how many slides were taken back

  /** @param {Board} board */
  constructor(board) {
    this.start = board.copy();
    this.board = board.copy();
  }

  get solved() {
    return this.ended !== null;
  }

  get stm() {
    return stm(this.slides);
  }

  get mtm() {
    return mtm(this.slides);
  }

  /** Whether leaving now would lose an unfinished solve. */
  get running() {
    return this.begun !== null && !this.solved;
  }

  /** ms since the first slide. @param {number} now */
  ms(now) {
    return this.begun === null ? 0 : Math.round((this.ended ?? now) - this.begun);
  }

  /** Tiles per second; 0 at the beginning. @param {number} now */
  tps(now) {
    const ms = this.ms(now);
    return ms > 0 ? (this.stm * 1000) / ms : 0;
  }

  /**
   * @param {Direction} direction @param {number} count @param {number} now ms
   * @returns {boolean} whether tiles moved
   */
  slide(direction, count, now) {
    if (this.solved || !this.board.trySlide(direction, count)) return false;
    this.begun ??= now;
    this.slides.push([direction, count]);
    if (this.board.isSolved) this.ended = now;
    return true;
  }

  /**
   * Slide the tile in this cell, and all between it and the gap.
   * @param {number} cell @param {number} now
   */
  slideCell(cell, now) {
    const slide = this.solved ? null : this.board.slideOfCell(cell);
    return slide !== null && this.slide(...slide, now);
  }

  /** Undo the last slide; the clock continues. @returns {boolean} whether there was one */
  undo() {
    const last = this.solved ? undefined : this.slides.pop();
    if (!last) return false;
    this.board.slide(OPPOSITE[last[0]], last[1]);
    this.undone += 1;
    return true;
  }
}
