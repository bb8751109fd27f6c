// The screen of a room's link: choose a name and enter.

import { codeOfText, formatCode, formatSize } from "../../core/format.js";
import { describeRoom, readRoom } from "../../core/live-rooms.js";
import { text } from "../../core/texts.js";
import { NameField, Problem, button } from "../parts/controls.js";
import { fill, h, setText, show } from "../dom.js";

export class EnterRoom {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.title = h("h1.code");
    this.facts = h("p.soft");
    this.problem = new Problem();
    this.name = new NameField(app.seats.name);
    this.resume = button("primary big", "", () => app.resume());
    const other = button("quiet", text("enter.as_someone_else"), () => this.#forget());
    this.returning = h("div.stack", {}, this.resume, other);
    this.form = h(
      "form.stack",
      { on: { submit: (/** @type {SubmitEvent} */ event) => this.#join(event) } },
      this.name.element,
      h("button.button.primary.big", { type: "submit", text: text("enter.join") }),
      button("quiet", text("enter.watch"), () => this.#enter("spectator")),
    );
    this.home = button("quiet", text("frame.home"), () => app.visit(null));
    this.body = h("div.stack");
    this.element = h(
      "section.narrow",
      {},
      h(
        "div.card",
        {},
        h("p.label", { text: text("enter.room") }),
        this.title,
        this.facts,
        this.body,
      ),
    );
  }

  /** @param {SubmitEvent} event */
  #join(event) {
    event.preventDefault();
    this.#enter("player");
  }

  /** @param {"player" | "spectator"} role */
  #enter(role) {
    if (this.app.code) this.app.join(this.app.code, this.name.value, role);
  }

  /** Forget the seat of this browser in the room. */
  #forget() {
    if (this.app.code) this.app.seats.forget(this.app.code);
    this.update();
    this.name.input.focus();
  }

  enter() {
    if (!this.app.seats.name && matchMedia("(pointer: fine)").matches)
      this.name.input.focus();
  }

  leave() {}

  update() {
    const { code, preview, problem, seats } = this.app;
    const shown = codeOfText(code ?? "");
    if (!shown) return;
    setText(this.title, formatCode(shown));
    const unknown = preview?.unknown === true;
    const room = readRoom(preview ?? {});
    setText(this.facts, room ? `${formatSize(room.size)} \u00b7 ${describeRoom(room)}` : "");
    show(this.facts, room !== null);
    this.problem.update(problem || (unknown ? text("enter.no_room") : ""));
    const seat = seats.get(shown);
    if (seat) {
      const { name } = seat;
      setText(this.resume, name ? text("enter.resume_as", { name }) : text("enter.resume"));
    }
    const choices = seat ? this.returning : this.form;
    fill(this.body, [
      this.problem.element,
      unknown ? null : choices,
      unknown || problem ? this.home : null,
    ]);
  }
}
