// Home: open a room, or go to one.

import { Board } from "../../core/engine/board.js";
import { codeOfText, formatCode, roomFacts } from "../../core/format.js";
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

const STEP_MS = 1100;
/** What the fields show as long as nobody changes them: the servers' own rules. */
const USUAL = {
  start: "ready",
  every_ms: 60000,
  countdown_ms: 5000,
  inspection_ms: 0,
  away_ms: 60000,
  spectator_delay_ms: 0,
};

/** A board that plays by itself, to show what this is about. */
class Toy {
  constructor() {
    this.view = new BoardView({ kind: "toy" });
    this.element = this.view.element;
    this.board = Board.solved(3, 3);
    this.last = "";
    for (let i = 0; i < 20; i += 1) this.#step();
    this.view.update(this.board);
  }

  run() {
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (this.timer || still) return;
    this.timer = setInterval(() => {
      this.#step();
      this.view.update(this.board);
    }, STEP_MS);
  }

  stop() {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  #step() {
    const back = { U: "D", D: "U", L: "R", R: "L" }[this.last];
    const slides = this.board.legalSlides().filter(([direction]) => direction !== back);
    const [direction, tiles] = slides[Math.floor(Math.random() * slides.length)];
    this.board.slide(direction, tiles);
    this.last = direction;
  }
}

export class Home {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.toy = new Toy();
    this.problem = new Problem();
    this.name = new NameField(app.seats.name);
    this.size = new Choice("Board", SIZES);
    this.size.value = "4x4";
    this.open = new Switch("Public room", "Listed here for everybody");
    this.boards = new Switch("Open boards", "Racers see each other\u2019s boards");
    this.fields = h("div.rules-grid");
    this.changed = {}; // rules that were touched
    const more = h(
      "details.more",
      { on: { toggle: () => this.#fold(more) } },
      h("summary", { text: "More rules" }),
      this.boards.element,
      this.fields,
    );
    const host = h(
      "form.card.hosting",
      { on: { submit: (event) => this.#host(event) } },
      h("h2", { text: "Host a race" }),
      this.name.element,
      this.size.element,
      this.open.element,
      more,
      h("button.button.primary.big", { type: "submit", text: "Open a room" }),
    );
    const alone = button("", "Practise alone", () => app.visit(".?practice"));
    const hero = h(
      "header.hero",
      {},
      h(
        "div",
        {},
        h("h1", { text: "Race friends on the same sliding puzzle" }),
        h("p.lead", {
          text: "One board, the same for everybody. Share a code, count down, and slide.",
        }),
      ),
      this.toy.element,
    );
    this.element = h(
      "section.home",
      {},
      hero,
      this.problem.element,
      h(
        "div.columns",
        {},
        this.#joinCard(), // first on a phone: it is short, and most come with a code
        host,
        h("div.stack", {}, this.#roomsCard(), alone),
      ),
    );
  }

  #joinCard() {
    const id = newId("code");
    this.code = h("input.code-input", {
      id,
      type: "text",
      maxlength: 200,
      placeholder: "KWX-TRB",
      autocomplete: "off",
      autocapitalize: "characters",
      spellcheck: "false",
      enterkeyhint: "go",
    });
    this.wrong = new Problem();
    return h(
      "form.card",
      { on: { submit: (event) => this.#join(event) } },
      h("h2", { text: "Join a race" }),
      h("div.field", {}, h("label", { for: id, text: "Room code or link" }), this.code),
      this.wrong.element,
      h("button.button.big", { type: "submit", text: "Go to the room" }),
    );
  }

  #roomsCard() {
    const list = h("ul.rooms");
    this.rooms = new Listing(
      list,
      (room) => room.code,
      (room) => this.#room(room),
    );
    this.roomsCard = h(
      "div.card",
      { hidden: true },
      h("h2", { text: "Public rooms" }),
      list,
    );
    return this.roomsCard;
  }

  #room({ code }) {
    const go = button("row", "", () => this.app.visit(code));
    const title = h("strong", { text: formatCode(code) });
    const facts = h("span.soft");
    go.append(title, facts);
    const update = (room) => setText(facts, roomFacts(room));
    return { element: h("li", {}, go), update };
  }

  /** The fields of the folded rules are fetched when somebody unfolds them. */
  async #fold(more) {
    if (!more.open || this.fields.firstChild) return;
    const { ruleSelects } = await withTexts(import("../parts/rule-fields.js"));
    const change = (name) => (value) => {
      this.changed[name] = value;
      show(every, this.changed.start === "every");
    };
    const selects = ruleSelects(change);
    for (const [name, select] of selects) select.show(USUAL[name] ?? -1, "");
    const every = selects.find(([name]) => name === "every_ms")[1].element;
    show(every, false);
    fill(
      this.fields,
      selects.map(([, select]) => select.element),
    );
  }

  #host(event) {
    event.preventDefault();
    this.app.host(this.name.value, {
      rules: {
        ...this.changed,
        size: this.size.value,
        open_boards: this.boards.value,
      },
      public: this.open.value,
    });
  }

  #join(event) {
    event.preventDefault();
    const code = codeOfText(this.code.value);
    this.wrong.update(code ? "" : "A room code has six letters, like KWX-TRB.");
    if (code) this.app.visit(code);
    else this.code.focus();
  }

  enter() {
    this.toy.run();
    this.app.publicRooms().then((rooms) => {
      this.rooms.update(rooms);
      show(this.roomsCard, rooms.length > 0);
    });
  }

  leave() {
    this.toy.stop();
  }

  update() {
    this.problem.update(this.app.problem);
  }
}
