// The start page: race at once, or open or enter a room.

import { describeRoom } from "../../core/live-rooms.js";
import { formatCode, formatSize } from "../../core/format.js";
import { usualPace } from "../../core/usual-pace.js";
import { text } from "../../core/texts.js";
import { withTexts } from "../../app/load-texts.js";
import { SOLO_SIZE, STREAK, tryStorage } from "../../app/seats.js";
import { RoomWatch } from "../../app/room-watch.js";
import { BoardView } from "../parts/board-view.js";
import { Choice, NameField, Problem, button } from "../parts/controls.js";
import { CONTROLS, sheet } from "../preload.js";
import { Listing, fill, h, isStill, setAttribute, setText, show } from "../dom.js";

const EVENTS = ["3x3", "4x4", "5x5"];
const STEP_MS = 1100; // between two slides of the demo board
const DEMO_MIX = 20; // random slides
const DEMO_SIDE = 3; // in tiles
/** A board that slides at random, without the engine. */
class DemoBoard {
  /** @type {ReturnType<typeof setInterval> | undefined} */
  #timer;
  #gap = DEMO_SIDE ** 2 - 1;
  #last = -1; // the cell that the gap came from

  constructor() {
    this.view = new BoardView({ kind: "demo" });
    this.element = this.view.element;
    this.tiles = Array.from({ length: this.#gap + 1 }, (_, i) => (i + 1) % (this.#gap + 1));
    for (let i = 0; i < DEMO_MIX; i += 1) this.#step();
    this.#show();
  }

  #show() {
    const { tiles } = this;
    this.view.update({ width: DEMO_SIDE, height: DEMO_SIDE, tiles, isSolved: false });
  }

  run() {
    if (this.#timer || isStill()) return;
    this.#timer = setInterval(() => {
      this.#step();
      this.#show();
    }, STEP_MS);
  }

  stop() {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Slide a random tile into the gap, but not the last one back. */
  #step() {
    const gap = this.#gap;
    const column = gap % DEMO_SIDE;
    const cells = [
      column > 0 ? gap - 1 : -1,
      column < DEMO_SIDE - 1 ? gap + 1 : -1,
      gap - DEMO_SIDE,
      gap + DEMO_SIDE,
    ].filter((cell) => cell in this.tiles && cell !== this.#last);
    const cell = cells[Math.floor(Math.random() * cells.length)];
    [this.tiles[gap], this.tiles[cell]] = [this.tiles[cell], 0];
    this.#last = gap;
    this.#gap = cell;
  }
}

export class Home {
  /** @type {"host" | "join" | "pace" | null} what is open beside the buttons */
  #open = null;

  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.demo = new DemoBoard();
    this.problem = new Problem();
    this.name = new NameField(app.seats.name);
    const { event } = app.settings.now;
    /** @type {[string, string][]} */
    const events = EVENTS.map((size) => [size, formatSize(size)]);
    this.event = new Choice(text("rules.size"), events, (size) => app.settings.set({ event: size }));
    this.event.value = EVENTS.includes(event) ? event : "4x4";
    this.race = h("button.button.primary.race-now", { type: "submit" });
    this.race.append(
      h("strong", { text: text("home.race_now") }),
      h("small", { text: text("home.race_now_hint") }),
    );
    this.quick = h("div.stack", {}, this.race, this.event.element);
    this.host = button("big", text("home.host"), () => this.#toggle("host"));
    this.join = button("big", text("home.join"), () => this.#toggle("join"));
    this.daily = button("big", text("home.daily"), () => app.visit(".?daily"));
    this.solo = button("big", text("home.solo"), () => this.#alone());
    this.bests = button("big", text("home.bests"), () => app.visit(".?leaderboards"));
    const { host, join, daily, solo, bests } = this;
    for (const one of [host, join]) one.setAttribute("aria-expanded", "false");
    this.opened = h("div.stack", { hidden: true });
    const start = h(
      "form.card.start",
      { on: { submit: (/** @type {SubmitEvent} */ one) => this.#raceNow(one) } },
      this.quick,
      this.name.element,
      h("div.ways", {}, host, join, daily, solo, bests),
    );
    const list = h("ul.rooms");
    this.rooms = new Listing(
      list,
      (room) => room.code,
      (room) => this.#room(room),
    );
    this.roomsCard = h(
      "div.card",
      { hidden: true },
      h("h2", { text: text("home.live_rooms") }),
      list,
    );
    this.watch = new RoomWatch(app, (rooms) => {
      this.rooms.update(rooms);
      show(this.roomsCard, rooms.length > 0);
    });
    this.returning = h("div");
    const hero = h(
      "header.hero",
      {},
      h(
        "div",
        {},
        h("h1", { text: text("home.title") }),
        h("p.lead", { text: text("home.lead") }),
      ),
      this.demo.element,
    );
    const beside = h("div.stack", {}, this.opened, this.roomsCard);
    this.element = h(
      "section.home",
      {},
      hero,
      this.problem.element,
      this.returning,
      h("div.columns", {}, start, beside),
    );
  }

  /** A room of the list: one tap joins it. @param {{code: string}} room */
  #room({ code }) {
    const size = h("strong");
    const facts = h("span.soft");
    const go = button("row", "", () => this.app.join(code, this.name.value, "player"));
    go.append(h("span.visually-hidden", { text: text("home.join_room") }), " ", size, " ", facts, " ");
    go.append(h("span.code.soft", { text: formatCode(code) }));
    return {
      element: h("li", {}, go),
      update: (/** @type {import("../../core/live-rooms.js").LiveRoom} */ room) => {
        setText(size, formatSize(room.size));
        setText(facts, describeRoom(room));
        go.disabled = room.locked;
      },
    };
  }

  /** @param {SubmitEvent} [event] */
  #raceNow(event) {
    event?.preventDefault();
    if (this.quick.hidden) {
      this.#toggle("host", true);
      return;
    }
    const { settings } = this.app;
    const { times, answer } = settings.now;
    const size = this.event.value;
    const pace = usualPace(times, answer, size);
    if (pace === null) this.#toggle("pace", true);
    else this.#enter({ as: "quick", event: size, pace_ms: pace });
  }

  /** @param {{as: "quick", event: string, pace_ms: number} | {as: "solo", rules: {size: string}}} way */
  #enter(way) {
    this.app.enterAs({ ...way, name: this.name.value });
  }

  async #alone() {
    const features = await this.app.features();
    const size = tryStorage(() => this.app.seats.lasting?.getItem(SOLO_SIZE)) ?? "4x4";
    if (features.includes("solo")) this.#enter({ as: "solo", rules: { size } });
    else this.app.visit(".?practice");
  }

  /**
   * Open what belongs to a button, or close it.
   * @param {"host" | "join" | "pace"} what @param {boolean} [on]
   */
  async #toggle(what, on = this.#open !== what) {
    const { app } = this;
    this.#open = on ? what : null;
    setAttribute(this.host, "aria-expanded", String(this.#open === "host"));
    setAttribute(this.join, "aria-expanded", String(this.#open === "join"));
    show(this.opened, on);
    if (!on) return;
    let parts;
    try {
      [parts] = await Promise.all([
        withTexts(import("../parts/ways-in.js")),
        sheet(CONTROLS),
      ]);
    } catch {
      this.problem.update(text("frame.try_again"));
      return;
    }
    if (this.#open !== what) return;
    const make = {
      host: () => parts.hostForm(app, () => this.name.value),
      join: () => parts.joinForm(app),
      pace: () =>
        parts.paceQuestion((answer) => {
          app.settings.set({ answer });
          this.#raceNow();
        }),
    };
    const card = make[what]();
    fill(this.opened, [card]);
    card.scrollIntoView({ block: "nearest" });
    /** @type {HTMLElement | null} */
    const first = card.querySelector("input:checked, input:not([type=radio]), [tabindex]");
    first?.focus({ preventScroll: true });
  }

  /** Offer the way back into rooms where we have a seat. */
  async #offerReturn() {
    const { codes } = this.app.seats;
    if (!codes.length) return;
    const { returnLinks } = await withTexts(import("../parts/return-links.js"));
    fill(this.returning, [await returnLinks(this.app, codes)]);
  }

  /** Enter starts a race, wherever the focus is not on a control. @param {KeyboardEvent} event */
  #onKey = (event) => {
    const idle = event.target === document.body && !event.repeat;
    if (idle && event.key === "Enter") this.#raceNow();
  };

  /** The list costs nothing while nobody sees it. */
  #onVisible = () => this.watch.watch(!document.hidden);

  enter() {
    const { lasting, wallClock } = this.app.seats;
    const [day, count] = (tryStorage(() => lasting?.getItem(STREAK)) ?? "").split(" ");
    const lasts = wallClock() / 864e5 < Number(day) + 2;
    setText(this.daily, lasts ? text("home.streak", { count }) : text("home.daily"));
    this.demo.run();
    this.#offerReturn().catch(() => {}); // offline
    document.addEventListener("keydown", this.#onKey);
    document.addEventListener("visibilitychange", this.#onVisible);
    this.#onVisible();
  }

  leave() {
    this.demo.stop();
    this.watch.watch(false);
    document.removeEventListener("keydown", this.#onKey);
    document.removeEventListener("visibilitychange", this.#onVisible);
  }

  update() {
    const { app } = this;
    this.problem.update(app.problem);
    const quick = app.offers("quick");
    show(this.quick, quick);
    show(this.daily, app.offers("daily"));
    show(this.bests, app.offers("profiles"));
    this.host.classList.toggle("primary", !quick);
  }
}
