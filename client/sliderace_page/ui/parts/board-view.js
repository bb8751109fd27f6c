// A board on the screen. Tiles are moved by `transform` alone, so a slide that begins
// while the tile is still moving continues smoothly.

import { fill, h, isStill } from "../dom.js";

const LAYERS = 5; // colours of the palette
const REFUSE_MS = 160;

/** @typedef {{element: HTMLElement, face: HTMLElement, cell: number}} TileView */

export class BoardView {
  /** By label. @type {TileView[]} */
  #tiles = [];
  #shown = "";
  #width = 0;
  #height = 0;

  /** @param {{kind?: string}} [look] kind: an additional class */
  constructor({ kind = "" } = {}) {
    this.element = h("div.board", { "aria-hidden": "true" });
    if (kind) this.element.classList.add(kind);
  }

  /** @param {Pick<Board, "width" | "height" | "tiles" | "isSolved">} board */
  update(board) {
    const { width, height, tiles } = board;
    if (width !== this.#width || height !== this.#height) this.#make(width, height);
    const key = tiles.join();
    if (key === this.#shown) return;
    this.#shown = key;
    tiles.forEach((label, cell) => {
      if (label) this.#place(label, cell);
    });
    this.element.classList.toggle("solved", board.isSolved);
  }

  /**
   * Show a picture instead of colours.
   * @param {string | null} url null: colours
   * @param {boolean} numbers on top of the picture
   */
  setPicture(url, numbers) {
    this.element.classList.toggle("pictured", url !== null);
    this.element.classList.toggle("unnumbered", url !== null && !numbers);
    this.element.style.setProperty("--picture", url === null ? "none" : `url("${url}")`);
  }

  /**
   * Shake, because a tile cannot move.
   * @param {number | null} label null: the whole board
   */
  refuse(label) {
    const still = isStill();
    const target = label === null ? this.element : this.#tiles[label - 1]?.face;
    const aside = still ? { opacity: 0.7 } : { translate: "2% 0" };
    const back = still ? {} : { translate: "-2% 0" };
    target?.animate([{}, aside, back, {}], { duration: REFUSE_MS, easing: "ease-out" });
  }

  /** @param {number} width @param {number} height */
  #make(width, height) {
    this.#width = width;
    this.#height = height;
    this.#shown = "";
    this.element.style.setProperty("--w", String(width));
    this.element.style.setProperty("--h", String(height));
    this.#tiles = Array.from({ length: width * height - 1 }, (_, home) => {
      const [column, row] = [home % width, Math.floor(home / width)];
      const layer = Math.min(row, column) % LAYERS;
      const face = h("span.face", { text: String(home + 1) });
      const element = h(`div.tile.layer${layer}.row${row % LAYERS}`, {}, face);
      // Its part of a square picture; other boards show the picture's middle.
      const side = Math.max(width, height);
      /** @param {number} at @param {number} length */
      const part = (at, length) => `${((at + (side - length) / 2) / (side - 1)) * 100}%`;
      element.style.setProperty("--across", part(column, width));
      element.style.setProperty("--down", part(row, height));
      return { element, face, cell: -1 };
    });
    fill(
      this.element,
      this.#tiles.map((tile) => tile.element),
    );
  }

  /** @param {number} label @param {number} cell */
  #place(label, cell) {
    const tile = this.#tiles[label - 1];
    if (tile.cell === cell) return;
    tile.cell = cell;
    const [x, y] = [cell % this.#width, Math.floor(cell / this.#width)];
    tile.element.style.transform = `translate(${x * 100}%, ${y * 100}%)`;
    tile.element.classList.toggle("placed", cell === label - 1);
  }
}
