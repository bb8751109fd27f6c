// A replay: all boards of a race on one timeline.

import { parseBoard } from "../../core/engine.js";
import { ProfileSecret } from "../../app/profile.js";
import { RecordCheck } from "../../app/record-check.js";
import { isField } from "../input.js";
import { checkText, dnfReason, statusText } from "../../core/wording.js";
import { arrangeOnPage } from "../../core/board-layout.js";
import { BadRecord, read } from "../../core/proof/reading.js";
import { Playhead, RaceReplay } from "../../core/replay-timeline.js";
import { formatTime } from "../../core/figures.js";
import { formatCode, formatSize } from "../../core/format.js";
import { text } from "../../core/texts.js";
import { badge } from "../parts/badges.js";
import { BoardView } from "../parts/board-view.js";
import { button } from "../parts/controls.js";
import { fill, h, setAttribute, setText, show } from "../dom.js";
import { SolveDownloads } from "../parts/solve-downloads.js";
import { ResultTable, columnLegend } from "../parts/results-table.js";

/** @typedef {import("../../core/proof/reading.js").WrittenRace} WrittenRace */

const SPEEDS = [0.25, 0.5, 1, 2, 4, 8];
const JUMP_MS = 1000;
const FRAME_PX = 290; // head and timeline around the boards
const LANE_PX = 54; // above each board, with the gap below it
const GAP_PX = 16; // as in replay.css
const MIN_PX = 120; // smaller boards are unreadable; the page scrolls instead

/**
 * Return the pieces of a text in which elements replace placeholders; for `append`.
 * @param {string} key
 * @param {Record<string, Node>} elements by placeholder
 * @returns {(Node | string)[]}
 */
function textWith(key, elements) {
  const marks = Object.keys(elements).map((name) => [name, `\0${name}\0`]);
  const pieces = text(key, Object.fromEntries(marks)).split("\0");
  return pieces.map((piece, i) => (i % 2 ? elements[piece] : piece));
}

/** A racer's lane and board. */
class ReplayCard {
  /** @param {{name: string, bot: boolean}} racer */
  constructor({ name, bot }) {
    this.board = new BoardView({ kind: "mini" });
    this.value = h("span.value");
    this.bar = h("span.fill", { "aria-hidden": "true" });
    const content = h(
      "span.lane-content",
      {},
      h("span.name", { text: name }),
      bot ? badge("bot", "\u2699", text("member.bot")) : null,
      this.value,
    );
    this.lane = h("div.lane", {}, this.bar, content);
    this.element = h(
      "li.board-card",
      {},
      this.lane,
      h("div.tray", {}, this.board.element),
    );
  }

  /** @param {import("../../core/replay-timeline.js").Frame} frame */
  update({ standing, board, stm, high, over }) {
    const { status, place, time_ms: time } = standing;
    const racer = { ...standing, time, high };
    const progress = `${statusText({ ...racer, status: "racing" })} \u00b7 ${stm}`;
    const end = statusText(racer);
    const finished = over && status === "finished";
    const outcome = finished ? text("replay.finish", { place: place ?? 0, end }) : end;
    setText(this.value, over ? outcome : progress);
    setAttribute(this.lane, "title", over ? dnfReason(standing) : null);
    this.lane.className = `lane ${over ? status : "racing"}`;
    this.bar.style.transform = `scaleX(${high / 1000})`;
    this.board.update(board);
    setAttribute(this.element, "data-board", board.tiles.join(" "));
  }
}

/** The playback of a race. */
class Playback {
  /** @type {number | undefined} of the last frame, in ms */
  #last;
  #frame = 0;

  /**
   * @param {WrittenRace} record
   * @param {() => void} paint shows the current moment
   */
  constructor(record, paint) {
    this.film = new RaceReplay(record);
    this.head = new Playhead(this.film.length);
    this.paint = paint;
  }

  toggle() {
    this.head.toggle();
    this.#last = undefined;
    this.paint();
    if (this.head.playing) this.#play();
  }

  #play() {
    this.stop();
    this.#frame = requestAnimationFrame((now) => {
      this.head.pass(now - (this.#last ?? now));
      this.#last = now;
      this.paint();
      if (this.head.playing) this.#play();
    });
  }

  stop() {
    cancelAnimationFrame(this.#frame);
  }

  /** @param {number} t ms */
  seek(t) {
    this.head.seek(t);
    this.paint();
  }

  /** Go to the next or the previous slide. @param {1 | -1} way */
  step(way) {
    this.head.playing = false;
    this.seek(this.film.step(this.head.t, way));
  }

  /** The actions of the keys. @returns {Record<string, () => void>} */
  get keys() {
    const { head } = this;
    return {
      " ": () => this.toggle(),
      k: () => this.toggle(),
      ArrowLeft: () => this.seek(head.t - JUMP_MS),
      ArrowRight: () => this.seek(head.t + JUMP_MS),
      ",": () => this.step(-1),
      ".": () => this.step(1),
      Home: () => this.seek(0),
      End: () => this.seek(head.length),
    };
  }
}

export class Replay {
  /** @type {Playback | null} */
  #playback = null;
  /** @type {ReplayCard[]} */
  #cards = [];
  #shape = 1;
  #left = false;
  #file = ""; // the race record, until it is verified

  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.title = h("h1", { tabindex: "-1", text: text("replay.title") });
    this.facts = h("p.soft");
    this.status = h("p", { role: "status", text: text("replay.loading") });
    this.home = button("", text("frame.home"), () => app.visit(null));
    this.boards = h("ol.boards", { "aria-label": text("boards.list") });
    this.table = new ResultTable();
    this.downloads = new SolveDownloads();
    this.toggle = button("primary", text("replay.play"), () => this.#playback?.toggle());
    this.scrubber = h("input.scrubber", {
      type: "range",
      min: 0,
      value: 0,
      step: 1,
      "aria-label": text("replay.moment"),
      on: { input: ({ target }) => this.#playback?.seek(Number(target.value)) },
    });
    this.checks = h("ul.checks");
    this.proof = h(
      "details.card.more",
      { on: { toggle: () => this.#verify() } },
      h("summary", { text: text("proof.checks") }),
      this.checks,
    );
    this.clock = h("span.clock", { role: "timer" });
    this.length = h("span");
    this.film = h(
      "div.film",
      { hidden: true },
      this.boards,
      this.#controls(),
      h("div.card", {}, this.table.element, columnLegend()),
      this.downloads.element,
      this.proof,
      h("div.buttons.exits", {}, button("", text("replay.copy"), () => this.#copy())),
    );
    this.element = h(
      "section.replay",
      {},
      h("header", {}, this.title, this.facts),
      this.status,
      this.home,
      this.film,
    );
    show(this.home, false);
  }

  #controls() {
    const speed = h("select", {
      "aria-label": text("replay.speed"),
      on: {
        change: ({ target }) => {
          if (this.#playback) this.#playback.head.speed = Number(target.value);
        },
      },
    });
    for (const value of SPEEDS)
      speed.append(h("option", { value, text: `${value}\u00d7` }));
    speed.value = "1";
    /** @param {string} sign @param {string} label @param {1 | -1} way */
    const step = (sign, label, way) => {
      const element = button("quiet", sign, () => this.#playback?.step(way));
      element.setAttribute("aria-label", label);
      return element;
    };
    const { clock, length } = this;
    return h(
      "div.controls",
      { role: "group", "aria-label": text("replay.controls") },
      this.scrubber,
      h(
        "div.playback",
        {},
        this.toggle,
        step("\u25c2", text("replay.back"), -1),
        step("\u25b8", text("replay.forward"), 1),
        h("span.moment", {}, ...textWith("replay.clock", { clock, length })),
        speed,
      ),
    );
  }

  async #load() {
    const path = `api/races/${encodeURIComponent(this.app.replay ?? "")}`;
    const { seats, socketUrl } = this.app;
    const secret = new ProfileSecret(seats.lasting, socketUrl).value; // opens our sealed race
    const file = await this.app.get(path, (answer) => answer.text(), secret);
    if (this.#left) return;
    if (typeof file !== "string") {
      const why = file.unknown ? "replay.no_race" : file.sealed ? "replay.sealed" : "replay.no_answer";
      this.#fail(text(why));
      return;
    }
    this.#file = file;
    try {
      const record = read(JSON.parse(file).record);
      this.#show(record, new URL(path, this.app.location.href).href);
    } catch (error) {
      if (!(error instanceof SyntaxError || error instanceof BadRecord)) throw error;
      this.#fail(text("replay.unreadable"));
    }
  }

  /** Verify the race record, once, when its checks are opened. */
  async #verify() {
    const file = this.#file;
    if (!this.proof.open || !file) return;
    this.#file = "";
    const { later, subtle } = this.app;
    /** @type {import("../../app/room-session.js").Get} */
    const get = (from, convert) => this.app.get(from, convert);
    const found = await new RecordCheck({ get, later, subtle }).verifyFile(file);
    fill(this.checks, found.map((check) => h("li", { text: checkText(check) })));
  }

  /** @param {string} message */
  #fail(message) {
    setText(this.status, message);
    show(this.home, true);
  }

  /** @param {WrittenRace} record @param {string} href of its file */
  #show(record, href) {
    const playback = new Playback(record, () => this.#paint(playback));
    this.#playback = playback;
    const { film } = playback;
    this.#cards = film.standings.map((standing) => new ReplayCard(standing));
    fill(
      this.boards,
      this.#cards.map(({ element }) => element),
    );
    const { width, height, md } = parseBoard(record.board);
    this.#shape = width / height;
    const [code] = record.race.split("-");
    setText(this.title, text("replay.race", { code: formatCode(code) }));
    const day = new Date(record.started_ms).toLocaleString(undefined, {
      dateStyle: "medium",
      timeStyle: "short",
    });
    setText(this.facts, `${formatSize(record.rules.size)} \u00b7 ${day}`);
    this.scrubber.max = String(film.length);
    setText(this.length, formatTime(film.length, 1));
    this.table.update(film.standings, null, md);
    this.downloads.update(record, href, null);
    show(this.status, false);
    show(this.film, true);
    this.update();
    this.#paint(playback);
    this.toggle.focus({ preventScroll: true });
  }

  /** Show the current moment. @param {Playback} playback */
  #paint({ film, head: { t, playing } }) {
    const frames = film.at(t);
    this.#cards.forEach((card, n) => card.update(frames[n]));
    const clock = formatTime(t, 1);
    setText(this.clock, clock);
    setText(this.toggle, text(playing ? "replay.pause" : "replay.play"));
    this.scrubber.value = String(t);
    setAttribute(this.scrubber, "aria-valuetext", clock);
    setAttribute(this.element, "data-at", Math.round(t));
  }

  /** @param {KeyboardEvent} event */
  #onKey = (event) => {
    if (!this.#playback || event.ctrlKey || event.metaKey || event.altKey) return;
    const { key } = event;
    const target = /** @type {HTMLElement} */ (event.target);
    if (isField(target) && target !== this.scrubber) return;
    const presses = key === " " && target.closest?.("button, a, summary");
    const act = presses ? undefined : this.#playback.keys[key];
    if (!act) return;
    event.preventDefault();
    act();
  };

  async #copy() {
    const { copyText } = await import("../parts/invitation.js");
    const url = new URL(`replay/${this.app.replay}`, this.app.location.href).href;
    if (await copyText(url)) this.app.onNote(text("invitation.copied"), "good");
    else this.app.onNote(text("invitation.copy_this", { url }), "info");
  }

  enter() {
    document.addEventListener("keydown", this.#onKey);
    this.#load();
  }

  leave() {
    this.#left = true;
    this.#playback?.stop();
    document.removeEventListener("keydown", this.#onKey);
  }

  /** Fit the boards to the screen, as in a live race. */
  update() {
    if (!this.#playback) return;
    const space = { width: this.element.clientWidth, height: innerHeight - FRAME_PX };
    const many = this.#cards.length;
    const fixed = /** @type {const} */ ([this.#shape, MIN_PX, LANE_PX, GAP_PX]);
    const { columns, cell } = arrangeOnPage(many, space, innerHeight, ...fixed);
    this.boards.style.setProperty("--columns", String(columns));
    this.boards.style.setProperty("--cell", `${cell}px`);
  }
}
