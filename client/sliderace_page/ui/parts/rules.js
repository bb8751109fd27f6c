// The rules of the next race, which only the host can change.

import { describeRules } from "../../core/wording.js";
import { hasBegun, seriesLine } from "../../core/series-text.js";
import { command } from "../../core/protocol.js";
import { formatSpan } from "../../core/figures.js";
import { text } from "../../core/texts.js";
import { Switch, button, newId } from "./controls.js";
import { h, setText, show } from "../dom.js";
import { ruleSelects } from "./rule-fields.js";
import { SizeChoice } from "./size-choice.js";
import { seriesSelect } from "./series.js";

const SHORT = 8; // digits of the commitment that tell it from others at a glance
const ANSWER_MS = 5000; // after which a change without an answer counts as made

export class RulesCard {
  /** The room that the controls show. @type {Room | null} */
  #room = null;
  /** @type {Model["series"]} */
  #series = null;
  #refusals = 0;

  /**
   * @param {(command: Command) => void} send sends a command to the room
   * @param {() => void} changed called when a changed rule has been sent, as the next
   *   race will have another id, and when no answer has come
   */
  constructor(send, changed) {
    this.send = send;
    this.pending = false; // a change has been sent, and the server has not answered yet
    /** @param {string} rule */
    const change = (rule) => (/** @type {string | number | boolean} */ value) => {
      send(command.settings({ rules: { [rule]: value } }));
      this.pending = true;
      changed();
      clearTimeout(timer); // a rule that is as before brings no answer
      timer = setTimeout(() => {
        this.pending = false;
        changed();
      }, ANSWER_MS);
    };
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    this.size = new SizeChoice(change("size"));
    this.selects = ruleSelects(change);
    this.series = seriesSelect((asked) => send(command.series(asked)));
    this.openBoards = new Switch(
      text("rules.open_boards"),
      text("rules.open_boards_hint"),
      change("open_boards"),
    );
    this.friendly = new Switch(
      text("rules.friendly"),
      text("rules.friendly_hint"),
      change("friendly_timing"),
    );
    this.public = new Switch(text("rules.public"), text("rules.public_hint"), (on) =>
      send(command.settings({ public: on })),
    );
    this.lock = new Switch(text("rules.locked"), text("rules.locked_hint"), (on) =>
      send(command.lock(on)),
    );
    this.controls = h(
      "div.stack",
      {},
      this.size.element,
      h("div.switches", {}, this.public.element, this.lock.element),
      h(
        "details.more",
        {},
        h("summary", { text: text("rules.more") }),
        h(
          "div.rules-grid",
          {},
          ...this.selects.map(([, select]) => select.element),
          this.series.element,
        ),
        this.openBoards.element,
        this.friendly.element,
        this.#seedForm(),
      ),
    );
    this.line = h("p.rule-line");
    this.score = h("p.series-line");
    this.sealed = h("summary");
    this.commitment = h("code");
    this.promise = h(
      "details.commitment.more.soft.small",
      {},
      this.sealed,
      h("p", { text: text("lobby.sealed_how") }),
      this.commitment,
    );
    this.seedKnown = h("p.problem.mild", { text: text("rules.seed_known") });
    this.element = h(
      "div.card.rules",
      {},
      h("h2", { text: text("rules.title") }),
      this.line,
      this.score,
      this.controls,
      this.promise,
      this.seedKnown,
    );
  }

  #seedForm() {
    const id = newId("seed");
    const input = h("input", { id, type: "text", maxlength: 64, autocomplete: "off" });
    const use = button("", text("rules.use_seed"), () => {
      this.send(command.settings({ seed: input.value.trim() }));
      input.value = "";
    });
    return h(
      "div.field",
      {},
      h("label", { for: id, text: text("rules.seed") }),
      h("div.inline", {}, input, use),
    );
  }

  /**
   * @param {Model & {room: Room}} model
   * @param {number} refusals how many commands the server has refused so far
   */
  update({ room, isHost, series, features }, refusals) {
    show(this.controls, isHost);
    const parts = describeRules(room.rules);
    if (!isHost && room.locked) parts.push(text("rules.line_locked"));
    if (!isHost && room.public) parts.push(text("rules.line_public"));
    setText(this.line, parts.join(" \u00b7 "));
    const begun = series !== null && hasBegun(series);
    show(this.score, begun);
    if (begun) setText(this.score, seriesLine(series, room.rules.size));
    show(this.series.element, features.includes("series"));
    if (series && (series !== this.#series || refusals !== this.#refusals))
      this.series.show(series);
    this.#series = series;
    const { commitment } = room;
    setText(this.sealed, text("lobby.sealed", { short: commitment.slice(0, SHORT) }));
    setText(this.commitment, commitment);
    show(this.promise, !room.seed_known);
    show(this.seedKnown, room.seed_known);
    this.#updateControls(room, refusals);
  }

  /** Show the room's rules; a control keeps its new value until the server answers.
   * @param {Room} room @param {number} refusals */
  #updateControls(room, refusals) {
    if (room === this.#room && refusals === this.#refusals) return;
    this.#room = room;
    this.#refusals = refusals;
    this.pending = false;
    const { rules } = room;
    this.size.value = rules.size;
    for (const [name, select] of this.selects) {
      const value = rules[/** @type {"start" | "every_ms"} */ (name)];
      select.show(value, typeof value === "number" ? formatSpan(value) : value);
      if (name === "every_ms") show(select.element, rules.start === "every");
    }
    this.openBoards.value = rules.open_boards;
    this.friendly.value = rules.friendly_timing;
    this.public.value = room.public;
    this.lock.value = room.locked;
  }
}
