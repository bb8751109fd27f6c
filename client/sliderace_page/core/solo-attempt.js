// One way through one board, alone: counted, timed, and with undo. Pure.

import { mtm, stm } from "./engine.js";

const BACK = { U: "D", D: "U", L: "R", R: "L" };

export class Solve {
  /** @param {Board} board */
  constructor(board) {
    this.start = board.copy();
    this.board = board.copy();
    this.slides = [];
    this.undone = 0;
    this.begun = null; // ms: when the first slide was made
    this.ended = null;
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

  /** Whether leaving it would lose something. */
  get running() {
    return this.begun !== null && !this.solved;
  }

  /** ms since the first slide. @param {number} now */
  ms(now) {
    return this.begun === null ? 0 : Math.round((this.ended ?? now) - this.begun);
  }

  /** Tiles a second; 0 at the beginning. @param {number} now */
  tps(now) {
    const ms = this.ms(now);
    return ms > 0 ? (this.stm * 1000) / ms : 0;
  }

  /**
   * @param {string} direction @param {number} count @param {number} now ms
   * @returns {boolean} whether tiles moved
   */
  slide(direction, count, now) {
    if (this.solved || !this.board.trySlide(direction, count)) return false;
    this.begun ??= now;
    this.slides.push([direction, count]);
    if (this.board.isSolved) this.ended = now;
    return true;
  }

  /** Slide the tile in this cell, and all between it and the gap. */
  slideCell(cell, now) {
    const slide = this.solved ? null : this.board.slideOfCell(cell);
    return slide !== null && this.slide(...slide, now);
  }

  /** Take the last slide back; the clock goes on. @returns {boolean} whether there was one */
  undo() {
    const last = this.solved ? undefined : this.slides.pop();
    if (!last) return false;
    this.board.slide(BACK[last[0]], last[1]);
    this.undone += 1;
    return true;
  }
}
