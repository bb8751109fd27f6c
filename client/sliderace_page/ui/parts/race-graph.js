// Everybody's progress over time, as a step chart, and a line on what decided the race.

import { formatSpan } from "../../core/figures.js";
import { leadsOf, storyOf } from "../../core/race-story.js";
import { text } from "../../core/texts.js";
import { storyText, withoutLevel } from "../../core/wording.js";
import { fill, h, setAttribute, setText, show } from "../dom.js";
import { draw } from "../svg.js";

/** @typedef {import("../../core/race-story.js").Curve} Curve */

/** Lengths in the units of the picture. */
const LARGE = { width: 720, height: 300, left: 44, right: 130, top: 8, bottom: 26, ticks: 8 };
const SMALL = { width: 366, height: 230, left: 40, right: 92, top: 8, bottom: 24, ticks: 4 };
const NARROW = 600; // px of the window
const LINE = 16; // between two names
const NAMED = 3; // racers whose names stand at their lines, if there are
const MANY = 6; // more than these
const LETTERS = { large: 14, small: 9 };
const TICKS = [1000, 2000, 5000, 10000, 30000, 60000, 300000, 600000]; // ms

export class RaceGraph {
  /** @type {{curves: Curve[], mine: number | null} | null} */
  #shown = null;

  constructor() {
    this.story = h("p.story");
    this.picture = draw("svg", { class: "graph", role: "img" });
    this.element = h("div.card.progress", { hidden: true }, this.story, this.picture);
  }

  /** Reserve the place, before the record arrives. */
  reserve() {
    this.#shown = null;
    const { width, height } = this.#frame;
    setAttribute(this.picture, "viewBox", `0 0 ${width} ${height}`);
    fill(this.picture, []);
    setText(this.story, "\u2026");
    show(this.element, true);
  }

  /** Remove the space for the graph: there is no record. */
  hide() {
    show(this.element, false);
  }

  /** Draw it again if the window has become narrow or wide. */
  fit() {
    const { width, height } = this.#frame;
    const drawn = this.picture.getAttribute("viewBox") === `0 0 ${width} ${height}`;
    if (this.#shown && !drawn) this.update(this.#shown.curves, this.#shown.mine);
  }

  get #frame() {
    return innerWidth < NARROW ? SMALL : LARGE;
  }

  /** @param {Curve[]} curves best first @param {number | null} mine the player's seat */
  update(curves, mine) {
    this.#shown = { curves, mine };
    const frame = this.#frame;
    const { width, height, left, right, top, bottom } = frame;
    setAttribute(this.picture, "viewBox", `0 0 ${width} ${height}`);
    const story = storyText(storyOf(curves));
    setText(this.story, story);
    setAttribute(this.picture, "aria-label", text("graph.label", { story }));
    const end = Math.max(1, ...curves.map((curve) => curve.end));
    const x = (/** @type {number} */ ms) =>
      left + ((width - left - right) * ms) / end;
    const y = (/** @type {number} */ high) =>
      top + (height - top - bottom) * (1 - high / 1000);
    const parts = [...axes(x, y, end, frame)];
    /** @param {Curve} curve @param {number} i */
    const kind = ({ seat, time }, i) =>
      seat === mine ? "mine" : i === 0 && time !== null ? "best" : "other";
    curves
      .map((curve, i) => draw("path", { class: kind(curve, i), d: path(curve, x, y) }))
      .reverse()
      .forEach((line) => parts.push(line));
    const last = leadsOf(curves).at(-1);
    if (last) parts.push(draw("circle", { class: "turn", cx: x(last.at), cy: y(last.high), r: 5 }));
    const named = curves
      .map((curve, i) => ({ curve, i, at: y(curve.points.at(-1)?.[1] ?? 0) }))
      .filter(({ curve, i }) => i < NAMED || curve.seat === mine || curves.length <= MANY)
      .sort((a, b) => a.at - b.at || a.i - b.i);
    let lowest = top + 4 - LINE;
    const letters = frame === SMALL ? LETTERS.small : LETTERS.large;
    for (const { curve, i, at } of named) {
      lowest = Math.max(at, lowest + LINE);
      const name = `${i + 1} ${shortened(curve.name, letters)}`;
      const place = { x: width - right + 8, y: lowest + 4 };
      parts.push(draw("text", { class: kind(curve, i), ...place }, name));
    }
    fill(this.picture, parts);
    show(this.element, true);
  }
}

/**
 * A name that fits; a bot of the server goes without its level before letters are cut.
 * @param {string} name @param {number} most letters
 */
function shortened(name, most) {
  if ([...name].length <= most) return name;
  const letters = [...withoutLevel(name)];
  return letters.length <= most ? letters.join("") : `${letters.slice(0, most - 1).join("")}\u2026`;
}

/**
 * @param {Curve} curve
 * @param {(ms: number) => number} x @param {(high: number) => number} y
 */
function path({ points, end }, x, y) {
  const steps = points.map(([at, high]) => `H${x(at).toFixed(1)}V${y(high).toFixed(1)}`);
  return `M${x(0)} ${y(0)}${steps.join("")}H${x(end).toFixed(1)}`;
}

/**
 * @param {(ms: number) => number} x @param {(high: number) => number} y
 * @param {number} end ms
 * @param {typeof LARGE} frame
 */
function* axes(x, y, end, { width, height, left, right, ticks }) {
  for (const high of [0, 500, 1000]) {
    yield draw("path", { class: "axis", d: `M${left} ${y(high)}H${width - right}` });
    const at = { x: left - 6, y: y(high) + 4, "text-anchor": "end" };
    yield draw("text", at, text("count.percent", { percent: high / 10 }));
  }
  const step = TICKS.find((tick) => end / tick <= ticks) ?? end;
  for (let ms = 0; ms <= end; ms += step) {
    const at = { x: x(ms), y: height - 6, "text-anchor": "middle" };
    yield draw("text", at, formatSpan(ms));
  }
}
