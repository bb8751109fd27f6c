// The start page: open or enter a room.

import { Board } from "../../core/engine/board.js";
import { codeOfText, formatCode, roomFacts } from "../../core/format.js";
import { text } from "../../core/texts.js";
import { withTexts } from "../../app/load-texts.js";
import { BoardView } from "../parts/board-view.js";
import {
  Choice,
  NameField,
  Problem,
  SIZES,
  Switch,
  button,
  newId,
} from "../parts/controls.js";
import { Listing, fill, h, setText, show } from "../dom.js";

const STEP_MS = 1100; // between two slides of the demo board
const DEMO_MIX = 20; // random slides
/** The initial values of the fields: the servers' defaults. */
const DEFAULT_RULES = {
  start: "ready",
  every_ms: 60000,
  countdown_ms: 5000,
  inspection_ms: 0,
  limit_ms: -1,
  grace_ms: -1,
  away_ms: 60000,
  spectator_delay_ms: 0,
};

/** A board that slides at random, to show what the game is. */
class DemoBoard {
  /** @type {ReturnType<typeof setInterval> | undefined} */
  #timer;
  #last = "";

  constructor() {
    this.view = new BoardView({ kind: "demo" });
    this.element = this.view.element;
    this.board = Board.solved(3, 3);
    for (let i = 0; i < DEMO_MIX; i += 1) this.#step();
    this.view.update(this.board);
  }

  run() {
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (this.#timer || still) return;
    this.#timer = setInterval(() => {
      this.#step();
      this.view.update(this.board);
    }, STEP_MS);
  }

  stop() {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Make a random slide that does not take back the last one. */
  #step() {
    const last = this.#last;
    const back = { U: "D", D: "U", L: "R", R: "L" }[last];
    const slides = this.board.legalSlides().filter(([direction]) => direction !== back);
    const [direction, tiles] = slides[Math.floor(Math.random() * slides.length)];
    this.board.slide(direction, tiles);
    this.#last = direction;
  }
}

export class Home {
  /** The rules that were changed. @type {Record<string, string | number>} */
  #changed = {};

  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.demo = new DemoBoard();
    this.problem = new Problem();
    this.name = new NameField(app.seats.name);
    this.size = new Choice(text("rules.size"), SIZES);
    this.size.value = "4x4";
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
    const solo = button("", text("home.solo"), () => app.visit(".?practice"));
    this.element = h(
      "section.home",
      {},
      hero,
      this.problem.element,
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
    const { ruleSelects } = await withTexts(import("../parts/rule-fields.js"));
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

  enter() {
    this.demo.run();
    this.app.publicRooms().then((rooms) => {
      this.rooms.update(rooms);
      show(this.roomsCard, rooms.length > 0);
    });
  }

  leave() {
    this.demo.stop();
  }

  update() {
    this.problem.update(this.app.problem);
  }
}
