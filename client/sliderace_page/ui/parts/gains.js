// After a race: what it changed in our profile, or how a guest keeps its time.

import { Me, NotDone, keepStreak } from "../../app/profile.js";
import { gainsLines } from "../../core/gains-text.js";
import { text } from "../../core/texts.js";
import { fill, h, setText, show } from "../dom.js";
import { Problem, button } from "./controls.js";

/** @typedef {Model["gains"]} Gains */

export class GainsCard {
  /** @type {Gains} those that are shown */
  #shown = null;
  #kept = ""; // the race whose time was kept by a click

  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.lines = h("ul.gain-lines");
    this.statistics = h("a.button.quiet", { target: "_blank", text: text("gains.statistics") });
    this.keep = button("", text("gains.keep"), () => this.#keep());
    this.hint = h("p.soft.small");
    this.problem = new Problem();
    this.element = h(
      "div.card.gains",
      { hidden: true },
      this.lines,
      this.statistics,
      this.keep,
      this.hint,
      this.problem.element,
    );
  }

  /** @param {Model} model */
  update(model) {
    const { gains, results } = model;
    const ours = gains !== null && gains.race === results?.race ? gains : null;
    const guest = mayKeep(model);
    show(this.keep, guest);
    show(this.lines, ours !== null);
    const size = model.room?.rules.size ?? "";
    this.statistics.href = `.?statistics=${size}`;
    show(this.statistics, ours !== null && ours.bests.length > 0);
    const hint = guest ? text("gains.keep_hint") : this.#kept === results?.race ? text("gains.kept") : "";
    setText(this.hint, hint);
    show(this.hint, hint !== "");
    if (ours !== this.#shown) this.#show(ours);
    const empty = !this.lines.childElementCount;
    show(this.element, guest || hint !== "" || (ours !== null && !empty));
  }

  /** @param {Gains} gains */
  #show(gains) {
    this.#shown = gains;
    if (gains?.streak) keepStreak(this.app.seats, gains.streak, true);
    const lines = gains ? gainsLines(gains) : [];
    fill(
      this.lines,
      lines.map((line) => h("li", { text: line })),
    );
    const isNew = Boolean(gains?.counts && gains.bests.length);
    this.element.classList.toggle("new", isNew);
    if (lines.length) this.app.onNote(lines.join(". "), "said");
  }

  /** Create a profile, then come back into our seat with it. */
  async #keep() {
    const { app } = this;
    this.keep.disabled = true;
    this.problem.update("");
    const me = new Me(app);
    try {
      const known = await me.open();
      if (!known) await me.keep(app.model?.self?.name ?? app.seats.name);
      this.#kept = app.model?.results?.race ?? "";
      app.session?.renew();
    } catch (error) {
      if (!(error instanceof NotDone)) throw error;
      this.problem.update(error.message);
    } finally {
      me.close();
      this.keep.disabled = false;
      app.onChange();
    }
  }
}

/** Whether we are a guest with a time that a profile would keep. @param {Model} model */
function mayKeep({ profile, features, results, me }) {
  const own = results?.standings.find(({ member }) => member === me);
  return profile === null && features.includes("profiles") && own?.status === "finished";
}
