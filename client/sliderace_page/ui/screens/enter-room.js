// The door of a room: who am I in there?

import { codeOfText, formatCode, roomFacts } from "../../core/format.js";
import { NameField, Problem, button } from "../parts/controls.js";
import { fill, h, setText, show } from "../dom.js";

export class Door {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.title = h("h1.code");
    this.facts = h("p.soft");
    this.problem = new Problem();
    this.name = new NameField(app.seats.name);
    this.again = button("primary big", "", () => app.resume());
    this.asNew = button("quiet", "Join as somebody else", () => this.#another());
    this.back = h("div.stack", {}, this.again, this.asNew);
    this.join = h("button.button.primary.big", {
      type: "submit",
      text: "Join the race",
    });
    this.form = h(
      "form.stack",
      { on: { submit: (event) => this.#join(event) } },
      this.name.element,
      this.join,
      button("quiet", "Just watch", () => this.#enter("spectator")),
    );
    this.home = button("quiet", "Back to the start", () => app.visit(null));
    this.body = h("div.stack");
    this.element = h(
      "section.door",
      {},
      h(
        "div.card",
        {},
        h("p.label", { text: "Room" }),
        this.title,
        this.facts,
        this.body,
      ),
    );
  }

  #join(event) {
    event.preventDefault();
    this.#enter("player");
  }

  #enter(role) {
    this.app.join(this.app.code, this.name.value, role);
  }

  #another() {
    this.app.seats.forget(this.app.code);
    this.update();
    this.name.input.focus();
  }

  enter() {
    if (!this.app.seats.name && matchMedia("(pointer: fine)").matches)
      this.name.input.focus();
  }

  leave() {}

  update() {
    const { code, peek, problem, seats } = this.app;
    const shown = codeOfText(code ?? "");
    if (!shown) return;
    setText(this.title, formatCode(shown));
    const unknown = peek?.unknown === true;
    setText(this.facts, unknown || !peek ? "" : roomFacts(peek));
    show(this.facts, this.facts.textContent !== "");
    this.problem.update(
      problem ||
        (unknown
          ? "There is no such room. It may have closed, or a letter is off."
          : ""),
    );
    const seat = seats.get(shown);
    if (seat) setText(this.again, seat.name ? `Continue as ${seat.name}` : "Continue");
    const way = unknown ? null : seat ? this.back : this.form;
    fill(this.body, [this.problem.element, way, unknown || problem ? this.home : null]);
  }
}
