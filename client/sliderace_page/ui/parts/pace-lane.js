// The pace lane: our best attempt at this board size races along. The curves of our best
// attempts are stored only in this browser.

import { parseBoard } from "../../core/engine.js";
import { formatTime } from "../../core/figures.js";
import { POINTS, curveOf, gapTo, highAt, usable } from "../../core/pace-curve.js";
import { text } from "../../core/texts.js";
import { tryStorage } from "../../app/seats.js";
import { h, setText, show } from "../dom.js";
import { sheet } from "../preload.js";

/** @typedef {Model & {room: Room}} RoomModel */

const KEY = "sliderace.best-curves";

export class PaceLane {
  /** @type {number[] | null} of our best attempt before this race */
  #curve = null;
  #race = "";
  #kept = ""; // the last race whose curve was stored, if it was the best

  /** @param {App} app */
  constructor(app) {
    sheet("styles/reactions.css").catch(() => {}); // the text says it all, too
    this.app = app;
    this.fill = h("span.done");
    this.name = h("span.best");
    this.gap = h("span.gap");
    this.element = h("div.pace", { "aria-hidden": "true" }, this.fill, this.name, this.gap);
    show(this.element, false);
  }

  /** @returns {Record<string, unknown>} size -> curve */
  get #stored() {
    const { lasting } = this.app.seats;
    const stored = tryStorage(() => JSON.parse(lasting?.getItem(KEY) ?? "{}"));
    return typeof stored === "object" && stored !== null ? stored : {};
  }

  /** @param {RoomModel} model */
  update({ race, room, start, attempt, myLane }) {
    const { size } = room.rules;
    if (race !== this.#race) {
      this.#race = race;
      this.#curve = usable(this.#stored[size]);
    }
    if (myLane?.status !== "finished" || !attempt || this.#kept === race) return;
    this.#kept = race;
    if (start === null || attempt.base || attempt.approx) return;
    const curve = curveOf(parseBoard(start), attempt.slides);
    const best = usable(this.#stored[size]);
    if (!curve || (best && best[POINTS - 1] <= curve[POINTS - 1])) return;
    const all = JSON.stringify({ ...this.#stored, [size]: curve });
    tryStorage(() => this.app.seats.lasting?.setItem(KEY, all));
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
