// A race seen again: all boards on one timeline.

import { parseBoard } from "../../core/engine.js";
import { isField } from "../input.js";
import { reason, stands } from "../../core/wording.js";
import { BadRecord, read } from "../../core/proof/reading.js";
import { Film, Playhead } from "../../core/replay-timeline.js";
import { formatCode, formatSize, formatTime } from "../../core/format.js";
import { badge } from "../parts/badges.js";
import { BoardView } from "../parts/board-view.js";
import { button } from "../parts/controls.js";
import { fill, h, setAttribute, setText, show } from "../dom.js";
import { Solves } from "../parts/solve-downloads.js";
import { ResultTable, legend } from "../parts/results-table.js";
import { arrangeBoards } from "../parts/spectator-boards.js";

const SPEEDS = [0.25, 0.5, 1, 2, 4, 8];
const JUMP_MS = 1000;
const FRAME_PX = 290; // head and timeline around the boards

class Seat {
  constructor({ name, bot }) {
    this.board = new BoardView({ kind: "mini" });
    this.value = h("span.value");
    this.bar = h("span.fill", { "aria-hidden": "true" });
    const line = h(
      "span.lane-content",
      {},
      h("span.name", { text: name }),
      bot ? badge("bot", "\u2699", "bot") : null,
      this.value,
    );
    this.lane = h("div.lane", {}, this.bar, line);
    this.element = h(
      "li.board-card",
      {},
      this.lane,
      h("div.tray", {}, this.board.element),
    );
  }

  /** @param {import("../../core/replay-timeline.js").Frame} frame */
  update({ standing, board, stm, high, over }) {
    const { status, place } = standing;
    const far = `${Math.floor(high / 10)} %`;
    const ended = stands({ ...standing, time: standing.time_ms });
    const first = over && status === "finished" ? `${place}. ` : "";
    setText(this.value, over ? `${first}${ended}` : `${far} \u00b7 ${stm}`);
    setAttribute(this.lane, "title", over ? reason(standing) : null);
    this.lane.className = `lane ${over ? status : "racing"}`;
    this.bar.style.transform = `scaleX(${high / 1000})`;
    this.board.update(board);
    setAttribute(this.element, "data-board", board.tiles.join(" "));
  }
}

export class Replay {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.title = h("h1", { tabindex: "-1", text: "Replay" });
    this.facts = h("p.soft");
    this.said = h("p", { role: "status", text: "Fetching the race\u2026" });
    this.home = button("", "Back to the start", () => app.visit(null));
    this.boards = h("ol.boards", { "aria-label": "Boards of all racers" });
    this.table = new ResultTable();
    this.solves = new Solves();
    this.copy = button("", "Copy the link", () => this.#copy());
    this.controls = this.#makeControls();
    this.film = h(
      "div.film",
      { hidden: true },
      this.boards,
      this.controls,
      h("div.card", {}, this.table.element, legend()),
      this.solves.element,
      h("div.buttons.exits", {}, this.copy),
    );
    this.element = h(
      "section.replay",
      {},
      h("header", {}, this.title, this.facts),
      this.said,
      this.home,
      this.film,
    );
    show(this.home, false);
  }

  #makeControls() {
    this.run = button("primary", "Play", () => this.#toggle());
    this.bar = h("input.scrub", {
      type: "range",
      min: 0,
      value: 0,
      step: 1,
      "aria-label": "Moment of the race",
      on: { input: () => this.#seek(Number(this.bar.value)) },
    });
    this.clock = h("span.clock", { role: "timer" });
    this.whole = h("span.soft");
    this.speed = h("select", {
      "aria-label": "Speed",
      on: { change: () => (this.head.speed = Number(this.speed.value)) },
    });
    for (const speed of SPEEDS)
      this.speed.append(h("option", { value: speed, text: `${speed}\u00d7` }));
    this.speed.value = "1";
    const step = (text, label, way) => {
      const one = button("quiet", text, () => this.#step(way));
      one.setAttribute("aria-label", label);
      return one;
    };
    return h(
      "div.controls",
      { role: "group", "aria-label": "Playing" },
      this.bar,
      h(
        "div.knobs",
        {},
        this.run,
        step("\u25c2", "One move back", -1),
        step("\u25b8", "One move on", 1),
        h("span.moment", {}, this.clock, this.whole),
        this.speed,
      ),
    );
  }

  async #load() {
    const race = this.app.replay;
    const path = `api/races/${encodeURIComponent(race)}`;
    const text = await this.app.get(path, (answer) => answer.text());
    if (this.gone) return;
    if (typeof text !== "string") {
      const unknown = "There is no such race here. Its record may be gone.";
      this.#fail(text.unknown ? unknown : "The server is not answering.");
      return;
    }
    try {
      const { record } = JSON.parse(text);
      read(record);
      this.#show(record, new URL(path, this.app.location.href).href);
    } catch (error) {
      if (!(error instanceof SyntaxError || error instanceof BadRecord)) throw error;
      this.#fail("What the server has of this race cannot be read.");
    }
  }

  #fail(text) {
    setText(this.said, text);
    show(this.home, true);
  }

  #show(record, href) {
    const film = new Film(record);
    this.reel = film;
    this.head = new Playhead(film.length);
    this.seats = film.standings.map((standing) => new Seat(standing));
    fill(
      this.boards,
      this.seats.map(({ element }) => element),
    );
    const { width, height, md } = parseBoard(record.board);
    this.shape = width / height;
    const [code, , number] = record.race.split("-");
    setText(this.title, `Race ${number ?? record.race} of ${formatCode(code)}`);
    const day = new Date(record.started_ms).toLocaleString(undefined, {
      dateStyle: "medium",
      timeStyle: "short",
    });
    setText(this.facts, `${formatSize(record.rules.size)} \u00b7 ${day}`);
    this.bar.max = String(film.length);
    setText(this.whole, ` of ${formatTime(film.length, 1)}`);
    this.table.update(film.standings, undefined, md);
    this.solves.update(record, href, null);
    show(this.said, false);
    show(this.film, true);
    this.update();
    this.#paint();
    this.run.focus({ preventScroll: true });
  }

  // --- Playing -----------------------------------------------------------------------

  #toggle() {
    this.head.toggle();
    this.last = undefined;
    this.#paint();
    if (this.head.playing) this.#frame();
  }

  #frame() {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame((now) => {
      this.head.pass(now - (this.last ?? now));
      this.last = now;
      this.#paint();
      if (this.head.playing) this.#frame();
    });
  }

  #seek(t) {
    this.head.seek(t);
    this.#paint();
  }

  #step(way) {
    this.head.playing = false;
    this.#seek(this.reel.step(this.head.t, way));
  }

  #paint() {
    const { t, playing } = this.head;
    const frames = this.reel.at(t);
    this.seats.forEach((seat, n) => seat.update(frames[n]));
    setText(this.clock, formatTime(t, 1));
    setText(this.run, playing ? "Pause" : "Play");
    this.bar.value = String(t);
    setAttribute(this.bar, "aria-valuetext", formatTime(t, 1));
    setAttribute(this.element, "data-at", Math.round(t));
  }

  #press(event) {
    if (!this.head || event.ctrlKey || event.metaKey || event.altKey) return;
    const { target, key } = event;
    if (isField(target) && target !== this.bar) return;
    const pressed = key === " " && target.closest?.("button, a, summary");
    const act = pressed ? undefined : this.#acts()[key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  #acts() {
    const { head } = this;
    return {
      " ": () => this.#toggle(),
      k: () => this.#toggle(),
      ArrowLeft: () => this.#seek(head.t - JUMP_MS),
      ArrowRight: () => this.#seek(head.t + JUMP_MS),
      ",": () => this.#step(-1),
      ".": () => this.#step(1),
      Home: () => this.#seek(0),
      End: () => this.#seek(head.length),
    };
  }

  async #copy() {
    const link = new URL(`replay/${this.app.replay}`, this.app.location.href).href;
    const { copyText } = await import("../parts/invitation.js");
    const done = await copyText(link);
    this.app.onNote(done ? "Copied" : link, done ? "good" : "info");
  }

  // --- A screen ----------------------------------------------------------------------

  enter() {
    this.press = (event) => this.#press(event);
    document.addEventListener("keydown", this.press);
    this.#load();
  }

  leave() {
    this.gone = true;
    cancelAnimationFrame(this.frame);
    document.removeEventListener("keydown", this.press);
  }

  /** Boards as large as they can be, as when the race was live. */
  update() {
    if (!this.head) return;
    const room = { width: this.element.clientWidth, height: innerHeight - FRAME_PX };
    const { columns, cell } = arrangeBoards(this.seats.length, room, this.shape);
    this.boards.style.setProperty("--columns", String(columns));
    this.boards.style.setProperty("--cell", `${Math.floor(cell)}px`);
  }
}
