// Solo play: nothing here needs the server.

import {
  Board,
  formatBoard,
  parseSize,
  scramble,
  seedFromText,
} from "../../core/engine.js";
import { isField, keysText, listenToKeys, listenToPointers } from "../input.js";
import { Solve } from "../../core/solo-attempt.js";
import { Times, average, counts } from "../../app/solve-times.js";
import { tryStorage } from "../../app/seats.js";
import { formatTime } from "../../core/figures.js";
import { formatSize } from "../../core/format.js";
import { text } from "../../core/texts.js";
import { BoardReader, trackSize } from "../parts/board-reader.js";
import { BoardView } from "../parts/board-view.js";
import { button, newId, sides, squares } from "../parts/controls.js";
import { Select } from "../parts/select.js";
import { fill, h, setAttribute, setText, show } from "../dom.js";
import { togglePanelOnClick } from "../parts/toolbar.js";
import { showTilePicture } from "../parts/tile-picture.js";

const SIZE_KEY = "sliderace.solo.size";
const SEED_BYTES = 32;
const LISTED = 12; // of the last times
const ANNOUNCE_MS = 700; // a screen reader speaks after a pause in the slides
const RATE_MS = 1000; // before that, tiles per second mean nothing

export class Solo {
  #solve = new Solve(Board.solved(3, 3)); // until a board is dealt
  #size = "";
  #seeded = false; // the player typed the seed
  #frame = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #announceTimer;
  #stopKeys = () => {};
  #stopPicture = () => {};

  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.storage = app.seats.lasting;
    this.times = new Times(this.storage);
    this.board = new BoardView({ kind: "own" });
    this.reader = new BoardReader();
    this.play = h(
      "div.tray",
      {
        tabindex: "0",
        role: "application",
        "aria-roledescription": text("board.role"),
      },
      this.board.element,
    );
    this.stage = trackSize(h("div.stage", {}, this.play));
    this.clock = h("span.clock", { role: "timer", "aria-label": text("solo.clock") });
    this.moves = h("span");
    this.undone = h("span");
    this.rate = h("span");
    const numbers = h("span.counts", {}, this.moves, this.undone, this.rate);
    const clockRow = h("div", {}, h("div.clock-row", {}, this.clock, numbers));
    this.banner = h("p.banner", { role: "status" });
    const sizes = [...squares(), ...oblongs()];
    this.select = new Select(text("solo.size"), sizes, () => this.#deal());
    const kept = tryStorage(() => this.storage?.getItem(SIZE_KEY));
    const last = sizes.find(([size]) => size === kept)?.[0] ?? "4x4";
    this.select.show(last, "");
    const deal = shortened("primary", text("solo.new"), text("solo.new_short"), () =>
      this.#deal(),
    );
    this.undo = button("", text("solo.undo"), () => this.#undo());
    const picture = button("quiet", text("picture.legend"), () => {});
    togglePanelOnClick(picture, () => import("../parts/picture-chooser.js"), app.onNote);
    const home = shortened("quiet", text("solo.home"), text("solo.home_short"), () =>
      app.visit(null),
    );
    const bar = h(
      "div.bar",
      {},
      h("div.size", {}, this.select.element),
      deal,
      this.undo,
      picture,
    );
    this.best = h("dd");
    this.ao5 = h("dd");
    this.ao12 = h("dd");
    this.list = h("ol.times", { "aria-label": text("solo.times") });
    this.none = h("p.soft.small", { text: text("solo.times_hint") });
    this.element = h(
      "section.solo",
      {},
      h("h1.visually-hidden", { text: text("solo.title") }),
      h("div.hud", {}, clockRow, home),
      this.banner,
      this.stage,
      this.reader.element,
      bar,
      h("div.below", {}, this.#timesCard(), this.#seedCard()),
    );
    const now = () => this.app.now();
    listenToPointers(
      this.stage,
      this.board.element,
      () => (this.#solve.solved ? null : this.#solve.board),
      {
        cell: (cell) => this.#pressCell(cell),
        swipe: (direction) => this.#slide(direction),
        over: (cell) =>
          app.settings.now.hover && this.#moved(this.#solve.slideCell(cell, now())),
      },
    );
  }

  #timesCard() {
    const figure = (/** @type {string} */ term, /** @type {HTMLElement} */ value) =>
      h("div", {}, h("dt", { text: term }), value);
    return h(
      "div.card",
      {},
      h(
        "dl.figures-row",
        {},
        figure(text("solo.best"), this.best),
        figure(text("solo.ao5"), this.ao5),
        figure(text("solo.ao12"), this.ao12),
      ),
      this.list,
      this.none,
    );
  }

  #seedCard() {
    const id = newId("seed");
    const seed = h("input", {
      id,
      type: "text",
      maxlength: 200,
      autocomplete: "off",
      spellcheck: "false",
    });
    const deal = h("button.button", { type: "submit", text: text("solo.deal") });
    const field = h(
      "div.field",
      {},
      h("label", { for: id, text: text("solo.seed_hint") }),
      h("div.inline", {}, seed, deal),
    );
    const form = h("form.stack", {}, field);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const words = seed.value.trim();
      if (words) this.#deal(words);
    });
    return h("details.card.more", {}, h("summary", { text: text("solo.seed") }), form);
  }

  /** @param {number} cell @returns {Direction | null} of the slide, if one was made */
  #pressCell(cell) {
    const { board } = this.#solve;
    const [direction] = board.slideOfCell(cell) ?? [null];
    if (direction && this.#moved(this.#solve.slideCell(cell, this.app.now())))
      return direction;
    if (cell !== board.gap) this.board.refuse(board.tileAt(cell));
    return null;
  }

  /** @param {Direction} direction */
  #slide(direction) {
    if (this.#moved(this.#solve.slide(direction, 1, this.app.now()))) return;
    if (!this.#solve.solved) this.board.refuse(null);
  }

  /** @param {boolean} moved whether tiles moved */
  #moved(moved) {
    if (!moved) return false;
    if (this.#solve.solved) this.#solved();
    this.#showBoard();
    this.#tick();
    return true;
  }

  #undo() {
    if (this.#solve.undo()) this.#showBoard();
    this.play.focus({ preventScroll: true });
  }

  /** Deal a new board. @param {string} [seed] undefined: a random one */
  #deal(seed) {
    const size = String(this.select.value);
    const { width, height } = parseSize(size);
    const bytes =
      seed === undefined ? this.app.random(SEED_BYTES) : seedFromText(seed);
    this.#seeded = seed !== undefined;
    this.#size = size;
    this.#solve = new Solve(scramble(bytes, width, height));
    tryStorage(() => this.storage?.setItem(SIZE_KEY, size));
    for (const { style } of [this.play, this.stage]) {
      style.setProperty("--w", String(width));
      style.setProperty("--h", String(height));
    }
    setText(this.banner, this.#seeded ? text("solo.seeded") : "");
    this.#showBoard();
    this.#showTimes();
    this.play.focus({ preventScroll: true });
  }

  #solved() {
    const { stm, mtm, undone } = this.#solve;
    const ms = this.#solve.ms(0);
    const best = this.times.add(this.#size, { ms, stm, mtm, undone, own: this.#seeded });
    const time = formatTime(ms);
    const words = undone
      ? text("solo.solved_undone", { time, count: undone })
      : text(best ? "solo.solved_best" : "solo.solved", { time });
    setText(this.banner, words);
    this.#showTimes();
  }

  // --- Showing -----------------------------------------------------------------------

  #showBoard() {
    const { board, slides, solved, begun } = this.#solve;
    this.board.update(board);
    setAttribute(this.play, "data-board", formatBoard(board));
    this.undo.disabled = slides.length === 0 || solved;
    this.banner.classList.toggle("good", solved);
    show(this.banner, this.banner.textContent !== "");
    this.#showClock();
    clearTimeout(this.#announceTimer);
    this.#announceTimer = setTimeout(
      () => {
        this.reader.update(board);
        const row = Math.floor(board.gap / board.width) + 1;
        const column = (board.gap % board.width) + 1;
        this.reader.announce(
          board.isSolved ? text("board.solved") : text("board.gap_at", { row, column }),
        );
      },
      begun === null ? 0 : ANNOUNCE_MS,
    );
  }

  #showClock() {
    const solve = this.#solve;
    const now = this.app.now();
    const ms = solve.ms(now);
    const { undone } = solve;
    setText(this.clock, formatTime(ms, solve.solved ? 3 : 1));
    setText(this.moves, text("count.moves", { count: solve.stm }));
    setText(this.undone, undone ? text("count.undone", { count: undone }) : "");
    const tps = solve.tps(now).toFixed(1);
    setText(this.rate, ms > RATE_MS ? text("count.tps", { tps }) : "");
  }

  #tick() {
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => {
      this.#showClock();
      if (this.#solve.running) this.#tick();
    });
  }

  #showTimes() {
    const all = this.times.of(this.#size);
    const counted = this.times.counted(this.#size);
    const best = this.times.best(this.#size);
    const shown = (/** @type {number | null} */ ms) =>
      ms === null ? "\u2013" : formatTime(ms);
    setText(this.best, shown(best?.ms ?? null));
    setText(this.ao5, shown(average(counted, 5)));
    setText(this.ao12, shown(average(counted, 12)));
    show(this.none, all.length === 0);
    fill(this.list, all.slice(-LISTED).reverse().map(timeRow));
  }

  // --- A screen ----------------------------------------------------------------------

  /** @param {KeyboardEvent} event */
  #onKey = (event) => {
    if (event.ctrlKey && event.key === "z") this.#undo();
    if (event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
    if (isField(event.target)) return;
    if (event.key === "u" || event.key === "Backspace") this.#undo();
    else if (event.key === "n") this.#deal();
    else return;
    event.preventDefault();
  };

  enter() {
    const keys = keysText(this.app.settings.now);
    setAttribute(this.play, "aria-label", text("solo.board", { keys }));
    document.addEventListener("keydown", this.#onKey);
    this.#stopKeys = listenToKeys(
      document,
      (direction) => {
        this.#slide(direction);
        return true;
      },
      () => this.app.settings.now,
    );
    this.#stopPicture = showTilePicture(this.board);
    this.#deal();
  }

  leave() {
    document.removeEventListener("keydown", this.#onKey);
    this.#stopKeys();
    this.#stopPicture();
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#announceTimer);
  }

  update() {}
}

/** All boards that are not square. @returns {[string, string][]} */
const oblongs = () =>
  sides().flatMap((width) =>
    sides()
      .filter((height) => height !== width)
      .map((height) => [`${width}x${height}`, formatSize(`${width}x${height}`)]),
  );

/**
 * Create a button with a shorter label for narrow screens.
 * @param {string} look @param {string} long @param {string} short
 * @param {() => void} click
 */
function shortened(look, long, short, click) {
  const element = button(look, "", click);
  element.setAttribute("aria-label", long);
  element.append(h("span.long", { text: long }), h("span.short", { text: short }));
  return element;
}

/** @param {import("../../app/solve-times.js").Time} time */
function timeRow(time) {
  const { ms, stm, undone, own } = time;
  const seeded = own ? "solo.seed_badge" : null;
  const why = undone ? "solo.undo_badge" : seeded;
  return h(
    `li${counts(time) ? "" : ".uncounted"}`,
    {},
    h("span.time", { text: formatTime(ms) }),
    h("span.soft", { text: text("count.moves", { count: stm }) }),
    why ? h("span.badge", { text: text(why) }) : null,
  );
}
