// A board on the screen. Tiles are moved by `transform` alone: a slide that comes while
// the last one still glides simply bends its way.

import { fill, h, setAttribute, setText } from "../dom.js";

const LAYERS = 5; // colours of the palette
const REFUSE_MS = 160;

export class BoardView {
  /**
   * @param {object} [look]
   * @param {string} [look.kind] extra class
   */
  constructor({ kind = "" } = {}) {
    this.element = h("div.board", { "aria-hidden": "true" });
    if (kind) this.element.classList.add(kind);
    this.tiles = [];
    this.shown = "";
    this.width = this.height = 0;
  }

  /** @param {Board} board */
  update(board) {
    const { width, height, tiles } = board;
    if (width !== this.width || height !== this.height) this.#make(width, height);
    const key = tiles.join();
    if (key === this.shown) return;
    this.shown = key;
    tiles.forEach((tile, cell) => {
      if (tile) this.#place(tile, cell);
    });
    this.element.classList.toggle("solved", board.isSolved);
  }

  /**
   * A picture instead of colours.
   * @param {string | null} url null: colours
   * @param {boolean} numbers on top of the picture
   */
  setPicture(url, numbers) {
    this.element.classList.toggle("pictured", url !== null);
    this.element.classList.toggle("unnumbered", url !== null && !numbers);
    this.element.style.setProperty("--picture", url === null ? "none" : `url("${url}")`);
  }

  /** A gentle sign that this tile, or (null) no tile, can go there. */
  refuse(tile) {
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const face =
      tile === null ? this.element : this.tiles[tile - 1]?.element.firstChild;
    const [from, to] = still ? [{ opacity: 0.7 }, {}] : [{ translate: "2% 0" }, {}];
    const back = still ? {} : { translate: "-2% 0" };
    face?.animate([to, from, back, to], { duration: REFUSE_MS, easing: "ease-out" });
  }

  #make(width, height) {
    this.width = width;
    this.height = height;
    this.shown = "";
    this.element.style.setProperty("--w", width);
    this.element.style.setProperty("--h", height);
    this.tiles = Array.from({ length: width * height - 1 }, (_, home) => {
      const layer = Math.min(Math.floor(home / width), home % width) % LAYERS;
      const row = Math.floor(home / width) % LAYERS;
      const face = h("span.face", { text: String(home + 1) });
      const element = h(`div.tile.layer${layer}.row${row}`, {}, face);
      // Which part of a square picture it shows; the middle of it on other boards.
      const side = Math.max(width, height);
      const part = (at, length) => `${((at + (side - length) / 2) / (side - 1)) * 100}%`;
      element.style.setProperty("--across", part(home % width, width));
      element.style.setProperty("--down", part(Math.floor(home / width), height));
      return { element, cell: -1 };
    });
    fill(
      this.element,
      this.tiles.map((tile) => tile.element),
    );
  }

  #place(label, cell) {
    const tile = this.tiles[label - 1];
    if (tile.cell === cell) return;
    tile.cell = cell;
    const [x, y] = [cell % this.width, Math.floor(cell / this.width)];
    tile.element.style.transform = `translate(${x * 100}%, ${y * 100}%)`;
    tile.element.classList.toggle("placed", cell === label - 1);
  }
}

/** Tell the style sheet how large a board may be in its place. @returns that place */
export function fit(stage) {
  new ResizeObserver(([{ contentRect }]) => {
    stage.style.setProperty("--wide", `${contentRect.width}px`);
    stage.style.setProperty("--high", `${contentRect.height}px`);
  }).observe(stage);
  return stage;
}

/** The same board for who cannot see it: a grid to read, and what happened. */
export class SpokenBoard {
  constructor() {
    this.grid = h("div.unseen", {
      role: "grid",
      "aria-label": "Board",
      "aria-readonly": "true",
    });
    this.live = h("p.unseen", { "aria-live": "polite" });
    this.element = h("div", {}, this.grid, this.live);
    this.cells = [];
    this.shape = "";
  }

  /** @param {string} line */
  say(line) {
    setText(this.live, line);
  }

  /** Make its cells before there is anything to say. @param {Board} board */
  prepare(board) {
    const shape = `${board.width}x${board.height}`;
    if (shape !== this.shape) this.#make(board.width, board.height, shape);
  }

  /** @param {Board} board */
  update(board) {
    this.prepare(board);
    board.tiles.forEach((tile, cell) =>
      setText(this.cells[cell], tile ? String(tile) : "gap"),
    );
  }

  #make(width, height, shape) {
    this.shape = shape;
    setAttribute(this.grid, "aria-label", `Board, ${width} by ${height}`);
    const row = () => {
      const cells = Array.from({ length: width }, () => h("div", { role: "gridcell" }));
      this.cells.push(...cells);
      return h("div", { role: "row" }, ...cells);
    };
    this.cells = [];
    fill(this.grid, Array.from({ length: height }, row));
  }
}
