// A board's place on the screen, and its text for screen readers.

import { text } from "../../core/texts.js";
import { fill, h, setAttribute, setText } from "../dom.js";

/**
 * Keep the style sheet informed of the size of a board's place, as `--wide` and `--high`.
 * @param {HTMLElement} stage
 * @returns {HTMLElement} stage
 */
export function trackSize(stage) {
  new ResizeObserver(([{ contentRect }]) => {
    stage.style.setProperty("--wide", `${contentRect.width}px`);
    stage.style.setProperty("--high", `${contentRect.height}px`);
  }).observe(stage);
  return stage;
}

/** A board for screen readers: a grid to read, and announcements. */
export class BoardReader {
  /** @type {HTMLElement[]} */
  #cells = [];
  #size = "";

  constructor() {
    this.grid = h("div.visually-hidden", {
      role: "grid",
      "aria-label": text("board.label"),
      "aria-readonly": "true",
    });
    this.live = h("p.visually-hidden", { "aria-live": "polite" });
    this.element = h("div", {}, this.grid, this.live);
  }

  /** @param {string} words */
  announce(words) {
    setText(this.live, words);
  }

  /** Create the cells of a size ahead of time. @param {Board} board */
  prepare({ width, height }) {
    const size = `${width}x${height}`;
    if (size === this.#size) return;
    this.#size = size;
    setAttribute(this.grid, "aria-label", text("board.sized_label", { width, height }));
    this.#cells = [];
    const row = () => {
      const cells = Array.from({ length: width }, () => h("div", { role: "gridcell" }));
      this.#cells.push(...cells);
      return h("div", { role: "row" }, ...cells);
    };
    fill(this.grid, Array.from({ length: height }, row));
  }

  /** @param {Board} board */
  update(board) {
    this.prepare(board);
    board.tiles.forEach((tile, cell) =>
      setText(this.#cells[cell], tile ? String(tile) : text("board.gap")),
    );
  }
}
