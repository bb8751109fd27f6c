// A board to play with while one waits. Nothing of it leaves the page.

import { Board, parseSize } from "../../core/engine.js";
import { listenToKeys, listenToPointers } from "../input.js";
import { count } from "../../core/format.js";
import { BoardView } from "./board-view.js";
import { button } from "./controls.js";
import { h, setText } from "../dom.js";

const STEPS = 40; // random slides per cell: looks mixed, and is always solvable

export class WarmUp {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.view = new BoardView({ kind: "warm" });
    this.line = h("p.soft.small", { role: "status" });
    this.tray = h(
      "div.tray",
      {
        tabindex: "0",
        role: "application",
        "aria-label": "Warm-up board. Arrow keys slide a tile.",
      },
      this.view.element,
    );
    const mix = button("quiet", "Mix again", () => this.#mix(this.board));
    this.element = h(
      "details.card.more.warmup",
      { on: { toggle: () => this.#opened() } },
      h("summary", { text: "Warm up while you wait" }),
      this.tray,
      h("div.buttons", {}, mix, this.line),
    );
    listenToPointers(this.tray, this.view.element, () => this.board, {
      cell: (cell) => this.#slide(this.board.slideOfCell(cell), cell),
      swipe: (direction) => this.#slide([direction, 1]),
      over: (cell) =>
        app.settings.now.hover && this.#slide(this.board.slideOfCell(cell)),
    });
  }

  /** @param {string} text the room's size */
  update(text) {
    if (text === this.size) return;
    this.size = text;
    const { width, height } = parseSize(text);
    this.#mix(Board.solved(width, height));
  }

  #mix({ width, height }) {
    const board = Board.solved(width, height);
    for (let step = 0; step < STEPS * width * height || board.isSolved; step += 1) {
      const slides = board.legalSlides();
      const [direction, tiles] = slides[Math.floor(Math.random() * slides.length)];
      board.slide(direction, tiles);
    }
    this.board = board;
    this.moves = 0;
    this.#show();
  }

  /** On the page: while open, the board has every key that no field has. */
  enter() {
    this.leave();
    if (!this.element.open || !this.element.isConnected) return;
    const press = (direction) => {
      this.#slide([direction, 1]);
      return true;
    };
    this.deafen = listenToKeys(document, press, () => this.app.settings.now);
  }

  leave() {
    this.deafen?.();
  }

  #opened() {
    this.enter();
    if (this.element.open) this.tray.scrollIntoView({ block: "center" });
  }

  #slide(slide, cell = -1) {
    const [direction, tiles] = slide ?? ["", 0];
    if (slide && !this.board.isSolved && this.board.trySlide(direction, tiles)) {
      this.moves += tiles;
      this.#show();
      return slide[0];
    }
    if (cell >= 0 && cell !== this.board.gap) this.view.refuse(this.board.tileAt(cell));
    return null;
  }

  #show() {
    this.view.update(this.board);
    const { isSolved } = this.board;
    const told = count(this.moves, "move");
    setText(this.line, isSolved ? `Solved in ${told}!` : this.moves ? told : "");
  }
}
