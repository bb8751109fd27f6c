// A board to play with while waiting; nothing is sent to the server.

import { Board, parseSize } from "../../core/engine.js";
import { text } from "../../core/texts.js";
import { keysText, listenToKeys, listenToPointers } from "../input.js";
import { BoardView } from "./board-view.js";
import { button } from "./controls.js";
import { h, setAttribute, setText } from "../dom.js";

const SLIDES_PER_CELL = 40; // random slides: the board looks mixed and can be solved

export class WarmUp {
  #size = "";
  #moves = 0;
  #board = Board.solved(3, 3);
  #stopKeys = () => {};

  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.view = new BoardView({ kind: "warm" });
    this.status = h("p.soft.small", { role: "status" });
    this.tray = h(
      "div.tray",
      { tabindex: "0", role: "application" },
      this.view.element,
    );
    const mix = button("quiet", text("warmup.mix"), () => this.#mix());
    this.element = h(
      "details.card.more.warmup",
      { on: { toggle: () => this.#toggled() } },
      h("summary", { text: text("warmup.title") }),
      this.tray,
      h("div.buttons", {}, mix, this.status),
    );
    listenToPointers(this.tray, this.view.element, () => this.#board, {
      cell: (cell) => this.#slideCell(cell),
      swipe: (direction) => this.#slide(direction, 1),
      over: (cell) => app.settings.now.hover && this.#slideCell(cell),
    });
  }

  /** @param {string} size of the room's boards */
  update(size) {
    if (size === this.#size) return;
    this.#size = size;
    this.#mix();
  }

  #mix() {
    const { width, height } = parseSize(this.#size);
    const board = Board.solved(width, height);
    const least = SLIDES_PER_CELL * width * height;
    for (let made = 0; made < least || board.isSolved; made += 1) {
      const slides = board.legalSlides();
      const [direction, tiles] = slides[Math.floor(Math.random() * slides.length)];
      board.slide(direction, tiles);
    }
    this.#board = board;
    this.tray.style.setProperty("--shape", String(width / height));
    this.#moves = 0;
    this.#show();
  }

  /** While it is open and on the page, the board gets every key that no field has. */
  enter() {
    this.leave();
    if (!this.element.open || !this.element.isConnected) return;
    this.#stopKeys = listenToKeys(
      document,
      (direction) => {
        this.#slide(direction, 1);
        return true;
      },
      () => this.app.settings.now,
    );
  }

  leave() {
    this.#stopKeys();
  }

  #toggled() {
    const keys = keysText(this.app.settings.now);
    setAttribute(this.tray, "aria-label", text("warmup.board", { keys }));
    this.enter();
    if (this.element.open) this.tray.scrollIntoView({ block: "center" });
  }

  /** @param {number} cell @returns {Direction | null} of the slide, if it was possible */
  #slideCell(cell) {
    const slide = this.#board.slideOfCell(cell);
    if (slide && this.#slide(...slide)) return slide[0];
    if (cell >= 0 && cell !== this.#board.gap)
      this.view.refuse(this.#board.tileAt(cell));
    return null;
  }

  /** @param {Direction} direction @param {number} tiles */
  #slide(direction, tiles) {
    if (this.#board.isSolved || !this.#board.trySlide(direction, tiles)) return false;
    this.#moves += tiles;
    this.#show();
    return true;
  }

  #show() {
    this.view.update(this.#board);
    const count = this.#moves;
    const key = this.#board.isSolved ? "warmup.solved" : "count.moves";
    setText(this.status, count ? text(key, { count }) : "");
  }
}
