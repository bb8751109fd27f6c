// Alone with a board: nothing here needs the server.

import { formatBoard, parseSize, scramble, seedFromText } from "../../core/engine.js";
import { isField, listenToKeys, listenToPointers } from "../input.js";
import { Solve } from "../../core/solo-attempt.js";
import { Times, average, counts } from "../../app/solve-times.js";
import { count, formatTime } from "../../core/format.js";
import { BoardReader, trackSize } from "../parts/board-reader.js";
import { BoardView } from "../parts/board-view.js";
import { SIZES, Select, button, newId } from "../parts/controls.js";
import { fill, h, setAttribute, setText, show } from "../dom.js";
import { togglePanelOnClick } from "../parts/toolbar.js";
import { showTilePicture } from "../parts/tile-picture.js";

const SIZE = "sliderace.solo.size";
const SEED_BYTES = 32;
const SHOWN = 12; // of the last times
const SAY_MS = 700; // a screen reader speaks when the hand rests

export class Solo {
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
        "aria-roledescription": "sliding puzzle",
        "aria-label":
          "Practice board. Arrow keys, W A S D or h j k l slide a tile that way. " +
          "U takes one back, N is a new board.",
      },
      this.board.element,
    );
    this.stage = trackSize(h("div.stage", {}, this.play));
    this.clock = h("span.clock", { role: "timer", "aria-label": "Clock" });
    this.counted = [h("span"), h("span"), h("span")];
    const parts = h("span.counts", {}, ...this.counted);
    const told = h("div", {}, h("div.clock-row", {}, this.clock, parts));
    this.banner = h("p.banner", { role: "status" });
    this.size = new Select("Size", SIZES, () => this.#deal());
    this.size.show(this.#lastSize(), "");
    this.next = button("primary", "New", () => this.#deal());
    this.next.append(h("span.roomy", { text: "\u00a0board" }));
    this.back = button("", "Undo", () => this.#undo());
    const picture = button("quiet", "Picture", () => {});
    togglePanelOnClick(picture, () => import("../parts/picture-chooser.js"), app.onNote);
    const home = button("quiet", "Back", () => app.visit(null));
    home.append(h("span.roomy", { text: "\u00a0to the start" }));
    this.bar = h(
      "div.bar",
      {},
      h("div.size", {}, this.size.element),
      this.next,
      this.back,
      picture,
    );
    this.element = h(
      "section.race.solo",
      {},
      h("h1.visually-hidden", { text: "Practice" }),
      h("div.hud", {}, told, home),
      this.banner,
      this.stage,
      this.reader.element,
      this.bar,
      h("div.below", {}, this.#figures(), this.#seedCard()),
    );
    this.#listen();
  }

  #figures() {
    this.best = h("dd");
    this.ao5 = h("dd");
    this.ao12 = h("dd");
    this.list = h("ol.times", { "aria-label": "Last times, the latest first" });
    this.none = h("p.soft.small", {
      text: "Your times stay in this browser. ao5 is the average of five, without the best and the worst.",
    });
    const figure = (term, value) => h("div", {}, h("dt", { text: term }), value);
    return h(
      "div.card",
      {},
      h(
        "dl.figures-row",
        {},
        figure("Personal best", this.best),
        figure("ao5", this.ao5),
        figure("ao12", this.ao12),
      ),
      this.list,
      this.none,
    );
  }

  #seedCard() {
    const id = newId("seed");
    this.seed = h("input", {
      id,
      type: "text",
      maxlength: 200,
      autocomplete: "off",
      spellcheck: "false",
    });
    const field = h(
      "div.field",
      {},
      h("label", { for: id, text: "The same words are the same board, everywhere" }),
      h(
        "div.inline",
        {},
        this.seed,
        h("button.button", { type: "submit", text: "Deal it" }),
      ),
    );
    const form = h("form.stack", {}, field);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (this.seed.value.trim()) this.#deal(this.seed.value.trim());
    });
    return h("details.card.more", {}, h("summary", { text: "From a seed" }), form);
  }

  #lastSize() {
    try {
      const size = this.storage?.getItem(SIZE);
      return SIZES.some(([known]) => known === size) ? size : "4x4";
    } catch {
      return "4x4";
    }
  }

  #listen() {
    const { now } = this.app.settings;
    const size = () => (this.solve?.solved ? null : (this.solve?.board ?? null));
    listenToPointers(this.stage, this.board.element, size, {
      cell: (cell) => this.#cell(cell),
      swipe: (direction) => this.#slide(direction),
      over: (cell) => now.hover && this.#moved(this.solve.slideCell(cell, this.app.now())),
    });
  }

  /** @returns {Direction | null} of the slide, if it was possible */
  #cell(cell) {
    const { board } = this.solve;
    const [direction] = board.slideOfCell(cell) ?? [null];
    if (direction && this.#moved(this.solve.slideCell(cell, this.app.now())))
      return direction;
    if (cell !== board.gap) this.board.refuse(board.tileAt(cell));
    return null;
  }

  #slide(direction) {
    if (this.#moved(this.solve.slide(direction, 1, this.app.now()))) return;
    if (!this.solve.solved) this.board.refuse(null);
  }

  #moved(moved) {
    if (!moved) return false;
    if (this.solve.solved) this.#solved();
    this.#paint();
    this.#tick();
    return true;
  }

  #undo() {
    if (this.solve.undo()) this.#paint();
    this.play.focus({ preventScroll: true });
  }

  /** A new board. @param {string} [seed] typed in; else by chance */
  #deal(seed) {
    const size = this.size.value;
    const { width, height } = parseSize(size);
    const bytes =
      seed === undefined ? this.app.random(SEED_BYTES) : seedFromText(seed);
    this.own = seed !== undefined;
    this.dealt = size;
    this.solve = new Solve(scramble(bytes, width, height));
    try {
      this.storage?.setItem(SIZE, size);
    } catch {
      // forbidden or full: the next visit begins with the usual size
    }
    for (const element of [this.play, this.stage]) {
      element.style.setProperty("--w", String(width));
      element.style.setProperty("--h", String(height));
    }
    setText(this.banner, this.own ? "From a seed: it will not count as a best." : "");
    this.#paint();
    this.#paintTimes();
    this.play.focus({ preventScroll: true });
  }

  #solved() {
    const { solve } = this;
    const { stm, mtm, undone } = solve;
    const time = { ms: solve.ms(0), stm, mtm, undone, own: this.own };
    const record = this.times.add(this.dealt, time);
    const told = `Solved in ${formatTime(time.ms)}`;
    const marks = [
      record && "personal best!",
      undone > 0 && `${count(undone, "move")} undone: it does not count`,
    ].filter(Boolean);
    setText(this.banner, [told, ...marks].join(" \u2013 "));
    this.#paintTimes();
  }

  // --- What is seen ------------------------------------------------------------------

  #paint() {
    const { solve } = this;
    const { board } = solve;
    this.board.update(board);
    setAttribute(this.play, "data-board", formatBoard(board));
    this.back.disabled = solve.slides.length === 0 || solve.solved;
    this.banner.classList.toggle("good", solve.solved);
    show(this.banner, this.banner.textContent !== "");
    this.#paintClock();
    clearTimeout(this.speaking);
    this.speaking = setTimeout(
      () => {
        this.reader.update(board);
        const line = Math.floor(board.gap / board.width) + 1;
        const column = (board.gap % board.width) + 1;
        this.reader.announce(
          board.isSolved ? "Solved!" : `Gap in row ${line}, column ${column}.`,
        );
      },
      solve.begun === null ? 0 : SAY_MS,
    );
  }

  #paintClock() {
    const { solve } = this;
    const now = this.app.now();
    setText(this.clock, formatTime(solve.ms(now), solve.solved ? 3 : 1));
    const rate = solve.ms(now) > 1000 ? `\u00b7 ${solve.tps(now).toFixed(1)} TPS` : "";
    const undone = solve.undone ? `\u00b7 \u21b6 ${solve.undone} undone` : "";
    const all = [count(solve.stm, "move"), undone, rate]; // the last yields first
    this.counted.forEach((part, i) => setText(part, all[i]));
  }

  #tick() {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => {
      this.#paintClock();
      if (this.solve.running) this.#tick();
    });
  }

  #paintTimes() {
    const all = this.times.of(this.dealt);
    const counted = this.times.counted(this.dealt);
    const best = this.times.best(this.dealt);
    const told = (ms) => (ms === null ? "\u2013" : formatTime(ms));
    setText(this.best, told(best?.ms ?? null));
    setText(this.ao5, told(average(counted, 5)));
    setText(this.ao12, told(average(counted, 12)));
    show(this.none, all.length === 0);
    fill(this.list, all.slice(-SHOWN).reverse().map(row));
  }

  // --- A screen ----------------------------------------------------------------------

  #press(event) {
    if (event.ctrlKey && event.key === "z") this.#undo();
    if (event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
    if (isField(event.target)) return;
    if (event.key === "u" || event.key === "Backspace") this.#undo();
    else if (event.key === "n") this.#deal();
    else return;
    event.preventDefault();
  }

  enter() {
    this.press = (event) => this.#press(event);
    document.addEventListener("keydown", this.press);
    this.stopKeys = listenToKeys(
      document,
      (direction) => {
        this.#slide(direction);
        return true;
      },
      () => this.app.settings.now,
    );
    this.stopPicture = showTilePicture(this.board);
    this.#deal();
  }

  leave() {
    document.removeEventListener("keydown", this.press);
    this.stopKeys();
    this.stopPicture();
    cancelAnimationFrame(this.frame);
    clearTimeout(this.speaking);
  }

  update() {}
}

function row(time) {
  const { ms, stm, undone, own } = time;
  const why = undone ? "undo" : own ? "seed" : "";
  return h(
    `li${counts(time) ? "" : ".uncounted"}`,
    {},
    h("span.time", { text: formatTime(ms) }),
    h("span.soft", { text: count(stm, "move") }),
    why ? h("span.badge", { text: why }) : null,
  );
}
