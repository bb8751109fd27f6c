// What will be raced: the host changes it, the others read it.

import { describeRules, sealOf } from "../../core/wording.js";
import { command } from "../../core/protocol.js";
import { formatSpan } from "../../core/format.js";
import { Choice, SIZES, Switch, button, newId } from "./controls.js";
import { h, setText, show } from "../dom.js";
import { ruleSelects } from "./rule-fields.js";

export class RulesCard {
  /**
   * @param {(message: object) => void} ask
   * @param {() => void} waits a rule is on its way: the race will have another id
   */
  constructor(ask, waits) {
    this.ask = ask;
    this.pending = false;
    this.room = null; // as the controls show it
    this.refusals = 0;
    const rule = (name) => (value) => {
      this.pending = true;
      waits();
      ask(command.settings({ rules: { [name]: value } }));
    };
    this.size = new Choice("Board", SIZES, rule("size"));
    this.selects = ruleSelects(rule);
    this.boards = new Switch(
      "Open boards",
      "Racers see each other's boards",
      rule("open_boards"),
    );
    this.friendly = new Switch(
      "Friendly timing",
      "Makes up for poor lines by 100 ms more; the results say so",
      rule("friendly_timing"),
    );
    this.open = new Switch("Public room", "Listed on the start page", (on) =>
      ask(command.settings({ public: on })),
    );
    this.lock = new Switch("Locked", "Nobody new may enter", (on) =>
      ask(command.lock(on)),
    );
    this.controls = h(
      "div.stack",
      {},
      this.size.element,
      h("div.switches", {}, this.open.element, this.lock.element),
      h(
        "details.more",
        {},
        h("summary", { text: "More rules" }),
        h("div.rules-grid", {}, ...this.selects.map(([, select]) => select.element)),
        this.boards.element,
        this.friendly.element,
        this.#seedForm(),
      ),
    );
    this.line = h("p.rule-line");
    this.seal = h("p.seal.soft.small");
    this.seed = h("p.problem.mild", {
      text: "Seed known in advance: this room makes no claim of fairness.",
    });
    this.element = h(
      "div.card.rules",
      {},
      h("h2", { text: "The race" }),
      this.line,
      this.controls,
      this.seal,
      this.seed,
    );
  }

  #seedForm() {
    const id = newId("seed");
    const input = h("input", { id, type: "text", maxlength: 64, autocomplete: "off" });
    const use = button("", "Use", () => {
      this.ask(command.settings({ seed: input.value.trim() }));
      input.value = "";
    });
    return h(
      "div.field",
      {},
      h("label", { for: id, text: "Seed known in advance (no fairness claim)" }),
      h("div.inline", {}, input, use),
    );
  }

  /** @param {Model} model @param {number} refusals so far */
  update(model, refusals) {
    const { room, isHost } = model;
    const { rules } = room;
    show(this.controls, isHost);
    const lines = describeRules(rules);
    if (!isHost && room.locked) lines.push("locked");
    if (!isHost && room.public) lines.push("public room");
    setText(this.line, lines.join(" \u00b7 "));
    setText(this.seal, sealOf(room));
    show(this.seal, !room.seed_known);
    show(this.seed, room.seed_known);
    this.#controls(room, rules, refusals);
  }

  /** A control keeps what was just chosen until the server has answered. */
  #controls(room, rules, refusals) {
    if (room === this.room && refusals === this.refusals) return;
    Object.assign(this, { room, refusals, pending: false });
    this.size.value = rules.size;
    for (const [name, select] of this.selects) {
      select.show(
        rules[name],
        name === "start" ? rules.start : formatSpan(rules[name]),
      );
      if (name === "every_ms") show(select.element, rules.start === "every");
    }
    this.boards.value = rules.open_boards;
    this.friendly.value = rules.friendly_timing;
    this.open.value = room.public;
    this.lock.value = room.locked;
  }
}
