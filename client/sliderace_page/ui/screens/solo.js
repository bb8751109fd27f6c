// Playing alone: in a room of the server, where every board counts, or as practice, which
// needs no server.

import {
  Board,
  formatBoard,
  parseSize,
  scramble,
  seedFromText,
} from "../../core/engine.js";
import { isField, keysText, listenToKeys, listenToPointers } from "../input.js";
import { RoomSolve } from "../../core/room-solve.js";
import { Solve } from "../../core/solo-attempt.js";
import { command } from "../../core/protocol.js";
import { Times, average, counts } from "../../app/solve-times.js";
import { SOLO_SIZE, tryStorage } from "../../app/seats.js";
import { formatTime } from "../../core/figures.js";
import { formatSize } from "../../core/format.js";
import { text } from "../../core/texts.js";
import { BoardReader, trackSize } from "../parts/board-reader.js";
import { BoardView } from "../parts/board-view.js";
import { button, newId } from "../parts/controls.js";
import { sides, squares } from "../parts/size-choice.js";
import { GainsCard } from "../parts/gains.js";
import { Select } from "../parts/select.js";
import { fill, h, setAttribute, setText, show } from "../dom.js";
import { togglePanelOnClick } from "../parts/toolbar.js";
import { showTilePicture } from "../parts/tile-picture.js";

const SEED_BYTES = 32;
const LISTED = 12; // of the last times
/** @typedef {import("../input.js").Kind} Kind */

const ANNOUNCE_MS = 700; // a screen reader speaks after a pause in the slides
const RATE_MS = 1000; // before that, tiles per second mean nothing

export class Solo {
  /** @type {Solve | RoomSolve} */
  #solve = new Solve(Board.solved(3, 3)); // until a board is dealt
  /** The attempt whose board is on the screen. @type {Attempt | null} */
  #attempt = null;
  /** The race after which the next board is wanted at once. @type {string | null} */
  #next = null;
  #noted = ""; // the last race whose time is listed
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
    /** Whether this is a room of the server. */
    this.inRoom = app.screen === "room";
    if (this.inRoom) this.#solve = new RoomSolve(() => app.model);
    this.storage = app.seats.lasting;
    this.times = new Times(this.storage);
    this.board = new BoardView({ kind: "own" });
    this.reader = new BoardReader();
    this.count = h("span.number", { "aria-hidden": "true" });
    this.play = h(
      "div.tray",
      {
        tabindex: "0",
        role: "application",
        "aria-roledescription": text("board.role"),
      },
      this.board.element,
      this.count,
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
    this.select = new Select(text("solo.size"), sizes, () => this.#choose());
    const kept = tryStorage(() => this.storage?.getItem(SOLO_SIZE));
    const last = sizes.find(([size]) => size === kept)?.[0] ?? "4x4";
    this.select.show(last, "");
    const deal = shortened("primary", text("solo.new"), text("solo.new_short"), () =>
      this.#deal(),
    );
    this.undo = button("", text("solo.undo"), () => this.#undo());
    const picture = button("quiet", text("picture.legend"), () => {});
    togglePanelOnClick(picture, () => import("../parts/picture-chooser.js"), app.onNote);
    const home = shortened("quiet", text("solo.home"), text("solo.home_short"), () =>
      this.inRoom ? app.leave(command.leave()) : app.visit(null),
    );
    const bar = h(
      "div.bar",
      {},
      h("div.size", {}, this.select.element),
      deal,
      this.inRoom ? null : this.undo,
      picture,
    );
    this.gains = new GainsCard(app);
    this.best = h("dd");
    this.ao5 = h("dd");
    this.ao12 = h("dd");
    this.list = h("ol.times", { "aria-label": text("solo.times") });
    this.none = h("p.soft.small", { text: text("solo.times_hint") });
    this.element = h(
      "section.solo",
      {},
      h("h1.visually-hidden", { text: text(this.inRoom ? "solo.room_title" : "solo.title") }),
      h("div.hud", {}, clockRow, home),
      this.banner,
      this.stage,
      this.reader.element,
      bar,
      h(
        "div.below",
        {},
        this.gains.element,
        this.#timesCard(),
        this.inRoom ? null : this.#seedCard(),
      ),
    );
    listenToPointers(
      this.stage,
      this.board.element,
      () => (this.#isOver ? null : this.#solve.board),
      {
        cell: (cell, how) => this.#pressCell(cell, how),
        swipe: (direction, how) => this.#slide(direction, how),
        over: (cell) => app.settings.now.hover && this.#slideCell(cell, "hover"),
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
      this.inRoom ? null : h("p.soft.small", { text: text("solo.practice") }),
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

  /** Whether no slide counts now. */
  get #isOver() {
    return this.#solve instanceof RoomSolve ? !this.#solve.running : this.#solve.solved;
  }

  /** @param {number} cell @param {Kind} how @returns {boolean} whether its tile moved */
  #slideCell(cell, how) {
    const solve = this.#solve;
    if (solve instanceof RoomSolve) return this.#moved(this.app.slideCell(cell, how));
    return this.#moved(solve.slideCell(cell, this.app.now()));
  }

  /** @param {number} cell @param {Kind} how @returns {Direction | null} of the slide, if one was made */
  #pressCell(cell, how) {
    const { board } = this.#solve;
    const [direction] = board.slideOfCell(cell) ?? [null];
    if (direction && this.#slideCell(cell, how)) return direction;
    if (cell !== board.gap) this.board.refuse(board.tileAt(cell));
    return null;
  }

  /** @param {Direction} direction @param {Kind} how */
  #slide(direction, how) {
    const solve = this.#solve;
    const moved =
      solve instanceof RoomSolve
        ? this.app.slide(direction, how)
        : solve.slide(direction, 1, this.app.now());
    if (!this.#moved(moved) && !this.#isOver) this.board.refuse(null);
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
    if (this.#solve instanceof RoomSolve) return;
    if (this.#solve.undo()) this.#showBoard();
    this.play.focus({ preventScroll: true });
  }

  #choose() {
    const size = String(this.select.value);
    tryStorage(() => this.storage?.setItem(SOLO_SIZE, size));
    if (this.inRoom) this.app.changeSize(size);
    else this.#deal();
  }

  /** The next board of our room: the one in hand is given up. */
  #dealNext() {
    const { app } = this;
    const { model } = app;
    if (model?.phase === "results") app.playAgain();
    else if (model?.racing) {
      this.#next = model.race;
      app.send(command.forfeit(model.race));
    }
  }

  /** Show the boards of this size. @param {string} size */
  #resize(size) {
    const { width, height } = parseSize(size);
    this.#size = size;
    for (const { style } of [this.play, this.stage]) {
      style.setProperty("--w", String(width));
      style.setProperty("--h", String(height));
    }
    return { width, height };
  }

  /** Deal a new board. @param {string} [seed] undefined: a random one */
  #deal(seed) {
    if (this.inRoom) {
      this.#dealNext();
      return;
    }
    const { width, height } = this.#resize(String(this.select.value));
    const bytes =
      seed === undefined ? this.app.random(SEED_BYTES) : seedFromText(seed);
    this.#seeded = seed !== undefined;
    this.#solve = new Solve(scramble(bytes, width, height));
    setText(this.banner, this.#seeded ? text("solo.seeded") : "");
    this.#showBoard();
    this.#showTimes();
    this.play.focus({ preventScroll: true });
  }

  #solved() {
    const { stm, mtm, undone } = this.#solve;
    if (this.inRoom) {
      setText(this.banner, text("board.solved"));
      return;
    }
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
    const shown = (/** @type {number | null} */ ms) => {
      if (ms === null) return "\u2013";
      return ms === Infinity ? text("status.dnf") : formatTime(ms);
    };
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
    const label = text(this.inRoom ? "solo.room_board" : "solo.board", { keys });
    setAttribute(this.play, "aria-label", label);
    document.addEventListener("keydown", this.#onKey);
    this.#stopKeys = listenToKeys(
      document,
      (direction) => {
        this.#slide(direction, "keys");
        return true;
      },
      () => this.app.settings.now,
    );
    this.#stopPicture = showTilePicture(this.board);
    if (!this.inRoom) this.#deal();
  }

  leave() {
    document.removeEventListener("keydown", this.#onKey);
    this.#stopKeys();
    this.#stopPicture();
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#announceTimer);
  }

  // --- In a room ---------------------------------------------------------------------

  /** @param {Model | null} model @param {number} now */
  update(model, now) {
    if (!this.inRoom || !model?.room) return;
    const { attempt, results, phase, room } = model;
    if (room.rules.size !== this.#size) {
      this.#resize(room.rules.size);
      this.select.show(room.rules.size, "");
      this.#showTimes();
    }
    if (results && phase === "results" && results.race !== this.#noted) this.#note(results);
    if (phase === "countdown") setText(this.banner, "");
    this.board.element.classList.toggle("placeholder", attempt === null);
    const isNew = attempt !== this.#attempt;
    this.#attempt = attempt;
    const shown = this.play.getAttribute("data-board");
    if (isNew || shown !== formatBoard(this.#solve.board)) this.#showBoard();
    if (isNew && attempt)
      requestAnimationFrame(() => {
        this.app.model?.painted(this.app.now());
        this.play.focus({ preventScroll: true });
      });
    this.gains.update(model);
    this.tick(model, now);
  }

  /** @param {Model} model @param {number} now */
  tick(model, now) {
    if (!this.inRoom) return;
    const left = model.phase === "countdown" ? model.remaining(now) : null;
    setText(this.count, left === null ? "" : String(Math.max(1, Math.ceil(left / 1000))));
    this.#showClock();
  }

  /** List the time of a race. @param {NonNullable<Model["results"]>} results */
  #note({ race, standings }) {
    this.#noted = race;
    const [own] = standings;
    const ms = own?.time_ms ?? null;
    const times = { ms: ms ?? 0, stm: own?.stm ?? 0, mtm: own?.mtm ?? 0, undone: 0, own: false };
    const best = this.times.add(this.#size, ms === null ? { ...times, dnf: true } : times);
    const words =
      ms === null
        ? text("solo.not_solved")
        : text(best ? "solo.solved_best" : "solo.solved", { time: formatTime(ms) });
    setText(this.banner, words);
    show(this.banner, true);
    this.banner.classList.toggle("good", ms !== null);
    this.#showTimes();
    if (this.#next === race) this.app.playAgain();
    this.#next = null;
  }
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
  const { ms, stm, undone, own, dnf } = time;
  const seeded = own ? "solo.seed_badge" : null;
  const why = undone ? "solo.undo_badge" : seeded;
  return h(
    `li${counts(time) ? "" : ".uncounted"}`,
    {},
    h("span.time", { text: dnf ? text("status.dnf") : formatTime(ms) }),
    h("span.soft", { text: text("count.moves", { count: stm }) }),
    why ? h("span.badge", { text: text(why) }) : null,
  );
}
