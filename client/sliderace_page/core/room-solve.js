// A solve alone in a room of the server, for the screen that also shows practice. Pure.

import { Board, mtm, parseSize } from "./engine.js";

export class RoomSolve {
  undone = 0; // a race has no undo

  /** @param {() => Model | null} getModel */
  constructor(getModel) {
    this.getModel = getModel;
  }

  get #attempt() {
    return this.getModel()?.attempt ?? null;
  }

  /** The board; the solved one until a board is dealt. */
  get board() {
    const { width, height } = parseSize(this.getModel()?.room?.rules.size ?? "4x4");
    return this.#attempt?.board ?? Board.solved(width, height);
  }

  get slides() {
    return this.#attempt?.slides ?? [];
  }

  get solved() {
    return this.#attempt?.solved ?? false;
  }

  /** Whether slides count now. */
  get running() {
    return this.getModel()?.racing === true && !this.solved;
  }

  /** @returns {number | null} null: nothing has been slid */
  get begun() {
    return this.slides[0]?.[2] ?? null;
  }

  get stm() {
    return this.#attempt?.stm ?? 0;
  }

  get mtm() {
    return mtm(this.slides.map(([direction, count]) => [direction, count]));
  }

  /** ms since the board was dealt. @param {number} now */
  ms(now) {
    return this.getModel()?.clock(now) ?? 0;
  }

  /** Tiles per second; 0 at the beginning. @param {number} now */
  tps(now) {
    const ms = this.ms(now);
    return ms > 0 ? (this.stm * 1000) / ms : 0;
  }
}
