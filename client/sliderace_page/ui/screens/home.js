// The start page: open or enter a room.

import { codeOfText, formatCode, roomFacts } from "../../core/format.js";
import { text } from "../../core/texts.js";
import { withTexts } from "../../app/load-texts.js";
import { BoardView } from "../parts/board-view.js";
import {
  NameField,
  Problem,
  SizeChoice,
  Switch,
  button,
  newId,
} from "../parts/controls.js";
import { Listing, fill, h, isStill, setText, show } from "../dom.js";

const LIST_MS = 5000; // until the public rooms are requested again
const STEP_MS = 1100; // between two slides of the demo board
const DEMO_MIX = 20; // random slides
const DEMO_SIDE = 3; // in tiles
/** A board that slides at random, to show what the game is. It needs no engine. */
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
  /** The rules that were changed. @type {Record<string, string | number>} */
  #changed = {};
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.demo = new DemoBoard();
    this.problem = new Problem();
    this.name = new NameField(app.seats.name);
    this.size = new SizeChoice();
    this.public = new Switch(text("rules.public"), text("home.public_hint"));
    this.openBoards = new Switch(
      text("rules.open_boards"),
      text("rules.open_boards_hint"),
    );
    this.fields = h("div.rules-grid");
    this.codeProblem = new Problem();
    const id = newId("code");
    this.code = h("input.code-input", {
      id,
      type: "text",
      maxlength: 200,
      placeholder: text("home.code_example"),
      autocomplete: "off",
      autocapitalize: "characters",
      spellcheck: "false",
      enterkeyhint: "go",
    });
    const roomList = h("ul.rooms");
    this.rooms = new Listing(
      roomList,
      (room) => room.code,
      (room) => this.#room(room),
    );
    this.roomsCard = h(
      "div.card",
      { hidden: true },
      h("h2", { text: text("home.public_rooms") }),
      roomList,
    );
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
    this.returning = h("div");
    const solo = button("", text("home.solo"), () => app.visit(".?practice"));
    this.element = h(
      "section.home",
      {},
      hero,
      this.problem.element,
      this.returning,
      h(
        "div.columns",
        {},
        this.#joinCard(id), // first on a phone: it is short, and most have a code
        this.#hostCard(),
        h("div.stack", {}, this.roomsCard, solo),
      ),
    );
  }

  #hostCard() {
    const more = h(
      "details.more",
      { on: { toggle: () => this.#loadFields() } },
      h("summary", { text: text("rules.more") }),
      this.openBoards.element,
      this.fields,
    );
    return h(
      "form.card.hosting",
      { on: { submit: (/** @type {SubmitEvent} */ event) => this.#host(event) } },
      h("h2", { text: text("home.host") }),
      this.name.element,
      this.size.element,
      this.public.element,
      more,
      h("button.button.primary.big", { type: "submit", text: text("home.open_room") }),
    );
  }

  /** @param {string} id of the code field */
  #joinCard(id) {
    return h(
      "form.card",
      { on: { submit: (/** @type {SubmitEvent} */ event) => this.#join(event) } },
      h("h2", { text: text("home.join") }),
      h("div.field", {}, h("label", { for: id, text: text("home.code") }), this.code),
      this.codeProblem.element,
      h("button.button.big", { type: "submit", text: text("home.go_to_room") }),
    );
  }

  /** @param {{code: string}} room */
  #room({ code }) {
    const go = button("row", "", () => this.app.visit(code));
    const facts = h("span.soft");
    go.append(h("strong", { text: formatCode(code) }), facts);
    return {
      element: h("li", {}, go),
      update: (/** @type {any} */ room) => setText(facts, roomFacts(room)),
    };
  }

  /** Fetch the fields of the less common rules, once. */
  async #loadFields() {
    if (this.fields.firstChild) return;
    const { DEFAULT_RULES, ruleSelects } = await withTexts(
      import("../parts/rule-fields.js"),
    );
    const selects = ruleSelects((rule) => (value) => {
      this.#changed[rule] = value;
      if (rule === "start") showEvery();
    });
    const fields = Object.fromEntries(selects);
    const showEvery = () =>
      show(fields.every_ms.element, this.#changed.start === "every");
    for (const [rule, value] of Object.entries(DEFAULT_RULES))
      fields[rule].show(value, "");
    showEvery();
    fill(
      this.fields,
      selects.map(([, select]) => select.element),
    );
  }

  /** @param {SubmitEvent} event */
  #host(event) {
    event.preventDefault();
    this.app.host(this.name.value, {
      rules: {
        ...this.#changed,
        size: this.size.value,
        open_boards: this.openBoards.value,
      },
      public: this.public.value,
    });
  }

  /** @param {SubmitEvent} event */
  #join(event) {
    event.preventDefault();
    const code = codeOfText(this.code.value);
    this.codeProblem.update(code ? "" : text("home.bad_code"));
    if (code) this.app.visit(code);
    else this.code.focus();
  }

  /** Offer the way back into rooms where we have a seat. */
  async #offerReturn() {
    const { codes } = this.app.seats;
    if (!codes.length) return;
    const { returnLinks } = await withTexts(import("../parts/return-links.js"));
    fill(this.returning, [await returnLinks(this.app, codes)]);
  }

  enter() {
    this.demo.run();
    this.#offerReturn().catch(() => {}); // offline
    this.#listRooms();
  }

  /** Show the public rooms, now and again while the page is visible. */
  async #listRooms() {
    this.#timer = setTimeout(() => this.#listRooms(), LIST_MS);
    const rooms = document.hidden ? null : await this.app.publicRooms();
    if (!rooms) return;
    this.rooms.update(rooms);
    show(this.roomsCard, rooms.length > 0);
  }

  leave() {
    this.demo.stop();
    clearTimeout(this.#timer);
  }

  update() {
    this.problem.update(this.app.problem);
  }
}
