// The series of a room: its table, and the host's choice of another one.

import { formatText, hasBegun, tableCells, wonText } from "../../core/series-text.js";
import { text } from "../../core/texts.js";
import { fill, h, setText, show } from "../dom.js";
import { Select } from "./select.js";

/** @typedef {import("../../core/messages.js").SeriesTable} Table */
/** @typedef {import("../../core/messages.js").Series} Series */

/** @type {[Table["format"], number, number][]} format, its length, wins to be ahead */
const CHOICES = [
  ["open", 0, 1],
  ...[2, 3, 5, 7, 10].map((n) => /** @type {["first", number, number]} */ (["first", n, 1])),
  ["first", 5, 2],
  ["mo3", 0, 1],
  ["ao5", 0, 1],
  ["ao12", 0, 1],
  ["points", 5, 1],
  ["points", 10, 1],
  ["points", 20, 1],
];

/** @param {Pick<Table, "format" | "n" | "by">} table */
const valueOf = ({ format, n, by }) => `${format} ${n} ${by}`;

/** @param {Pick<Table, "format" | "n" | "by">} table */
const nameOf = (table) => formatText(table) || text("score.open");

/**
 * Create a field for the format.
 * @param {(series: Series) => void} begin
 */
export function seriesSelect(begin) {
  const choices = CHOICES.map(([format, n, by]) => ({ format, n, by }));
  const known = new Map(choices.map((one) => [valueOf(one), one]));
  const select = new Select(
    text("score.title"),
    choices.map((one) => [valueOf(one), nameOf(one)]),
    (value) => begin(/** @type {Series} */ (known.get(value))),
  );
  return {
    element: select.element,
    /** @param {Table} table */
    show(table) {
      known.set(valueOf(table), table);
      select.show(valueOf(table), nameOf(table));
    },
  };
}

export class SeriesCard {
  /** @type {Table | null} */
  #shown = null;

  constructor() {
    this.title = h("h2");
    this.head = h("tr");
    this.body = h("tbody");
    this.csv = h("a.button", { text: text("downloads.series"), download: "" });
    this.element = h(
      "div.card.series",
      {},
      this.title,
      h("table", {}, h("thead", {}, this.head), this.body),
      h("div.buttons", {}, this.csv),
    );
  }

  /** @param {Model} model */
  update({ series, me, code }) {
    const begun = series !== null && hasBegun(series) && series.rows.length > 0;
    show(this.element, begun);
    if (!begun || series === this.#shown) return;
    this.#shown = series;
    const title = [text("score.title"), formatText(series)].filter(Boolean);
    setText(this.title, wonText(series) || title.join(" \u00b7 "));
    const [heads, ...rows] = tableCells(series);
    fill(
      this.head,
      heads.map((head) => (head ? h("th", { scope: "col", text: head }) : h("td"))),
    );
    fill(
      this.body,
      rows.map((cells, n) =>
        h(
          series.rows[n].member === me ? "tr.mine" : "tr",
          {},
          ...cells.map((cell) => h("td", { text: cell })),
        ),
      ),
    );
    this.csv.href = new URL(`api/rooms/${code}/series.csv`, location.href).href;
  }
}
