// The pace lane: our best attempt at this board size races along.

import { parseBoard } from "../../core/engine.js";
import { formatTime } from "../../core/figures.js";
import { POINTS, curveOf, gapTo, highAt } from "../../core/pace-curve.js";
import { text } from "../../core/texts.js";
import { BestCurves } from "../../app/best-curves.js";
import { h, setText, show } from "../dom.js";
import { sheet } from "../preload.js";

/** @typedef {Model & {room: Room}} RoomModel */

/** @type {BestCurves | null} of this visit */
let curves = null;

export class PaceLane {
  /** @type {number[] | null} of our best attempt before this race */
  #curve = null;
  #race = "";
  #kept = ""; // the last race whose curve was stored, if it was the best

  /** @param {App} app */
  constructor(app) {
    sheet("styles/reactions.css").catch(() => {}); // the text says it all, too
    this.app = app;
    this.curves = curves ??= new BestCurves(app);
    this.fill = h("span.done");
    this.name = h("span.best");
    this.gap = h("span.gap");
    this.element = h("div.pace", { "aria-hidden": "true" }, this.fill, this.name, this.gap);
    show(this.element, false);
  }

  /** @param {RoomModel} model */
  update({ race, room, start, attempt, myLane, profile }) {
    const { size } = room.rules;
    if (race !== this.#race) {
      this.#race = race;
      this.#curve = this.curves.of(size);
      if (profile && !attempt) this.#lookUp(race, size);
    }
    if (myLane?.status !== "finished" || !attempt || this.#kept === race) return;
    this.#kept = race;
    if (start === null || attempt.base || attempt.approx) return;
    this.curves.keep(size, curveOf(parseBoard(start), attempt.slides));
  }

  /** Our profile may have a better attempt than this browser. @param {string} race @param {string} size */
  async #lookUp(race, size) {
    await this.curves.lookUp(size);
    if (this.#race === race && this.#kept !== race) this.#curve = this.curves.of(size);
  }

  /** @param {Model} model @param {number | null} ms of our clock */
  tick({ attempt, racing }, ms) {
    const curve = this.app.settings.now.pace ? this.#curve : null;
    const shown = curve !== null && attempt !== null && ms !== null && (racing || attempt.solved);
    show(this.element, shown);
    if (!shown) return;
    const gap = gapTo(curve, attempt.high, ms);
    const seconds = (Math.abs(gap) / 1000).toFixed(1);
    setText(this.name, text("pace.best", { time: formatTime(curve[POINTS - 1]) }));
    setText(this.gap, text("pace.gap", { sign: gap < 0 ? "\u2212" : "+", seconds }));
    this.gap.classList.toggle("ahead", gap <= 0);
    this.fill.style.transform = `scaleX(${highAt(curve, ms) / 1000})`;
  }
}
