// A chart with its title, a sentence that says the same, and a table on demand. A chart is
// drawn at the width that it has on the page, so that its letters keep their size.

import { text } from "../../core/texts.js";
import { fill, h, setAttribute, setText, show } from "../dom.js";
import { draw } from "../svg.js";

/**
 * @typedef {object} Picture
 * @property {number} height in px
 * @property {Element[]} parts
 * @property {number[]} [places] of the things that can be pointed at, ascending, in px
 */
/**
 * What a chart shows.
 * @typedef {object} Content
 * @property {string} sentence
 * @property {[kind: string, label: string][]} legend kind: class of the sample
 * @property {((width: number) => Picture) | null} paint null: there is nothing to draw
 * @property {(place: number) => string} [describe] the thing at a place, in words
 * @property {string[]} heads of the table
 * @property {() => string[][]} rows
 */

const MIN_PX = 240; // of the width; before the layout is known

export class Chart {
  /** @type {Content | null} */
  #content = null;
  /** @type {Picture | null} */
  #picture = null;
  #width = 0;

  /** @param {string} title @param {string} [kind] a class */
  constructor(title, kind = "") {
    this.title = title;
    this.sentence = h("p.said");
    this.legend = h("ul.legend", { "aria-hidden": "true" });
    this.picture = draw("svg", { class: "picture", role: "img", "aria-label": title });
    this.hair = draw("path", { class: "hair" });
    this.readout = h("p.readout.soft.small", { "aria-hidden": "true" });
    this.canvas = h("div.canvas", {}, this.picture);
    this.table = h("div.scroll", { role: "group", "aria-label": title, tabindex: "0" });
    this.details = h(
      "details.as-table",
      { on: { toggle: () => this.#fillTable() } },
      h("summary", { text: text("chart.table") }),
      this.table,
    );
    this.element = h(
      "figure.chart.card",
      {},
      h("figcaption", {}, h("h2", { text: title }), this.sentence),
      this.legend,
      this.canvas,
      this.readout,
      this.details,
    );
    if (kind) this.element.classList.add(kind);
    this.canvas.addEventListener("pointermove", (event) => this.#point(event));
    this.canvas.addEventListener("pointerdown", (event) => this.#point(event));
    this.canvas.addEventListener("pointerleave", () => this.#point(null));
  }

  /** @param {Content} content */
  update(content) {
    this.#content = content;
    this.#width = 0;
    setText(this.sentence, content.sentence);
    fill(
      this.legend,
      content.legend.map(([kind, label]) =>
        h("li", {}, sample(kind), h("span", { text: label })),
      ),
    );
    show(this.legend, content.legend.length > 0);
    show(this.canvas, content.paint !== null);
    show(this.readout, content.paint !== null && content.describe !== undefined);
    show(this.details, content.rows().length > 0);
    this.#point(null);
    this.#fillTable();
    this.fit();
  }

  /** Draw it, unless it has been drawn at this width. */
  fit() {
    const width = Math.max(MIN_PX, this.canvas.clientWidth);
    const { paint = null } = this.#content ?? {};
    if (!paint || width === this.#width) return;
    this.#width = width;
    this.#picture = paint(width);
    const { height, parts } = this.#picture;
    setAttribute(this.picture, "viewBox", `0 0 ${width} ${height}`);
    fill(this.picture, [...parts, this.hair]);
    setAttribute(this.hair, "d", null);
  }

  /** Describe the thing below the pointer. @param {PointerEvent | null} event */
  #point(event) {
    const describe = this.#content?.describe;
    const { places = [], height = 0 } = this.#picture ?? {};
    const box = this.picture.getBoundingClientRect();
    const x = event && box.width ? ((event.clientX - box.left) * this.#width) / box.width : null;
    const place = x === null ? -1 : nearest(places, x);
    const found = describe && place >= 0;
    setText(this.readout, found ? describe(place) : text("chart.point"));
    setAttribute(this.hair, "d", found ? `M${places[place].toFixed(1)} 0V${height}` : null);
  }

  #fillTable() {
    if (!this.details.open || !this.#content) return;
    const { heads, rows } = this.#content;
    const head = h("tr", {}, ...heads.map((word) => h("th", { scope: "col", text: word })));
    const body = rows().map(([first, ...others]) =>
      h(
        "tr",
        {},
        h("th", { scope: "row", text: first }),
        ...others.map((value) => h("td", { text: value })),
      ),
    );
    const caption = h("caption.visually-hidden", { text: this.title });
    const table = h("table.figures", {}, caption, h("thead", {}, head), h("tbody", {}, ...body));
    fill(this.table, [table]);
  }
}

/** The place that is nearest; -1: there is none. @param {number[]} places @param {number} x */
const nearest = (places, x) =>
  places.reduce(
    (best, place, i) =>
      best < 0 || Math.abs(place - x) < Math.abs(places[best] - x) ? i : best,
    -1,
  );

/** What a kind of thing looks like in the chart. @param {string} kind */
function sample(kind) {
  const picture = draw("svg", { class: "sample", viewBox: "0 0 26 14" });
  picture.append(...sampleParts(kind));
  return picture;
}

/** @param {string} kind @returns {Element[]} */
function sampleParts(kind) {
  switch (kind) {
    case "attempts":
      return [draw("path", { class: kind, d: "M13 7h0" })];
    case "dnf":
      return [draw("path", { class: kind, d: cross(13, 7) })];
    case "longer":
      return [draw("path", { class: kind, d: wedge(13, 7) })];
    case "daily":
    case "daily-dnf":
      return [
        draw("rect", { class: "day level2", x: 5, y: -1, width: 16, height: 16, rx: 3 }),
        dailyMark(13, 7, kind === "daily"),
      ];
    default:
      return kind.startsWith("level")
        ? [draw("rect", { class: `day ${kind}`, x: 6, y: 0, width: 14, height: 14, rx: 3 })]
        : [draw("path", { class: kind, d: "M1 7H25" })];
  }
}

/** A DNF. @param {number} x @param {number} y its middle */
export const cross = (x, y) => {
  const [left, top] = [x - 3, y - 3].map((n) => n.toFixed(1));
  return `M${left} ${top}l6 6m0 -6l-6 6`;
};

/** A time above the top of the chart. @param {number} x @param {number} y its middle */
export const wedge = (x, y) => `M${(x - 3.5).toFixed(1)} ${(y + 3).toFixed(1)}l3.5 -6l3.5 6z`;

/** A daily race. @param {number} x @param {number} y its middle @param {boolean} finished */
export const dailyMark = (x, y, finished) =>
  draw("circle", { class: finished ? "daily" : "daily-dnf", cx: x, cy: y, r: finished ? 3.5 : 2.5 });
