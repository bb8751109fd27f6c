// What can be taken along from a race: its record, a table, each solve.

import { parseBoard } from "../../core/engine.js";
import { csv } from "../../core/proof/csv.js";
import { linkTo, solveOf } from "../../core/proof/slidysim.js";
import { splits } from "../../core/proof/splits.js";
import { formatTps, standingsOf } from "../../core/proof/summary.js";
import { count, formatTime } from "../../core/format.js";
import { Select } from "./controls.js";
import { fill, h, setText, show } from "../dom.js";

const HEADS = ["Row", "Done at", "Took", "Moves", "TPS"];

export class Solves {
  constructor() {
    this.pick = h("div.pick");
    this.body = h("tbody");
    this.table = h(
      "table.splits",
      {},
      h("caption.visually-hidden", { text: "Rows of the solve" }),
      h("thead", {}, h("tr", {}, ...HEADS.map((text) => h("th", { scope: "col", text })))),
      this.body,
    );
    this.none = h("p.soft.small");
    this.viewer = h("a.button", {
      target: "_blank",
      rel: "noopener noreferrer external",
      title: "Opens slidysim.github.io, another site; the link holds the whole solve",
      text: "Open in slidysim\u2019s viewer \u2197",
      hidden: true,
    });
    this.json = h("a.button", { download: true, text: "Race record" });
    this.csv = h("a.button", { text: "Table (CSV)" });
    this.element = h(
      "div.card.solves",
      { hidden: true },
      h("h2", { text: "Row by row" }),
      this.pick,
      this.table,
      this.none,
      h("div.buttons", {}, this.viewer, this.json, this.csv),
    );
  }

  /**
   * @param {Wire} record of a race, whose form is right
   * @param {string} href where its file is
   * @param {number | null} seat whose solve is shown first; null: the winner's
   */
  update(record, href, seat) {
    if (record === this.record) return;
    this.record = record;
    this.standings = standingsOf(record);
    this.json.href = href;
    this.json.download = `${record.race}.json`;
    this.#table();
    const names = this.standings.map(pair);
    const choice = new Select("Solve of", names, (picked) => this.#show(picked));
    const first = names.some(([one]) => one === seat) ? seat : names[0]?.[0];
    if (first !== undefined) choice.show(first, "");
    fill(this.pick, [choice.element]);
    show(this.pick, names.length > 1);
    this.#show(first);
    show(this.element, true);
  }

  #table() {
    if (this.csv.href) URL.revokeObjectURL(this.csv.href);
    const text = csv(this.standings, parseBoard(this.record.board).md);
    const file = new Blob(["\ufeff", text], { type: "text/csv" }); // else no umlauts
    this.csv.href = URL.createObjectURL(file);
    this.csv.download = `${this.record.race}.csv`;
  }

  #show(seat) {
    const racer = this.record.racers.find((one) => one.seat === seat);
    if (!racer) return;
    const rows = splits(this.record.board, racer);
    show(this.table, rows.length > 0);
    fill(this.body, rows.map(line));
    const { height } = parseBoard(this.record.board);
    const missing = height - rows.length;
    setText(this.none, missing ? `${count(missing, "row")} not reached.` : "");
    show(this.none, missing > 0);
    this.#link(racer);
  }

  async #link(racer) {
    show(this.viewer, false);
    this.linked = racer;
    if (!racer.finish) return;
    const href = await linkTo(solveOf(this.record.board, racer));
    if (this.linked !== racer) return;
    this.viewer.href = href;
    show(this.viewer, true);
  }
}

/** @param {Wire} row @returns {[number, string]} */
const pair = ({ seat, name }) => [seat, name];

const line = ({ row, at, took, stm }) =>
  h(
    "tr",
    {},
    h("th", { scope: "row", text: String(row) }),
    h("td", { text: formatTime(at) }),
    h("td", { text: formatTime(took) }),
    h("td", { text: String(stm) }),
    h("td", { text: formatTps({ stm, solve_ms: took }) }),
  );
