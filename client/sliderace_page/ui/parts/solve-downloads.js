// Each solve row by row, and downloads: the race record and a table.

import { parseBoard } from "../../core/engine.js";
import { csv } from "../../core/proof/csv.js";
import { linkTo, solveOf } from "../../core/proof/slidysim.js";
import { splits } from "../../core/proof/splits.js";
import { formatTps, standingsOf } from "../../core/proof/summary.js";
import { formatTime } from "../../core/figures.js";
import { text } from "../../core/texts.js";
import { Select } from "./select.js";
import { fill, h, setText, show } from "../dom.js";

/** @typedef {import("../../core/proof/reading.js").WrittenRace} WrittenRace */
/** @typedef {import("../../core/proof/reading.js").WrittenRacer} WrittenRacer */

const HEADS = [
  "splits.row",
  "splits.done_at",
  "splits.took",
  "splits.moves",
  "column.tps",
];
const UTF8_MARK = "\ufeff"; // without it, spreadsheets misread other letters than ASCII

export class SolveDownloads {
  /** @type {WrittenRace | null} */
  #record = null;
  /** @type {WrittenRacer | null} whose solve is shown */
  #racer = null;

  constructor() {
    this.picker = h("div.picker");
    this.body = h("tbody");
    const heads = HEADS.map((key) => h("th", { scope: "col", text: text(key) }));
    this.table = h(
      "table.splits",
      {},
      h("caption.visually-hidden", { text: text("splits.caption") }),
      h("thead", {}, h("tr", {}, ...heads)),
      this.body,
    );
    this.missing = h("p.soft.small");
    this.viewer = h("a.button", {
      target: "_blank",
      rel: "noopener noreferrer external",
      title: text("downloads.viewer_hint"),
      text: text("downloads.viewer"),
      hidden: true,
    });
    this.json = h("a.button", { download: true, text: text("downloads.record") });
    this.csv = h("a.button", { text: text("downloads.table") });
    this.element = h(
      "div.card.solves",
      { hidden: true },
      h("h2", { text: text("splits.title") }),
      this.picker,
      this.table,
      this.missing,
      h("div.buttons", {}, this.viewer, this.json, this.csv),
    );
  }

  /**
   * @param {WrittenRace} record
   * @param {string} href of its file
   * @param {number | null} seat whose solve is shown first; null: the winner's
   */
  update(record, href, seat) {
    if (record === this.#record) return;
    this.#record = record;
    const standings = standingsOf(record);
    const { md } = parseBoard(record.board);
    this.json.href = href;
    this.json.download = `${record.race}.json`;
    if (this.csv.href) URL.revokeObjectURL(this.csv.href);
    const file = new Blob([UTF8_MARK, csv(standings, md)], { type: "text/csv" });
    this.csv.href = URL.createObjectURL(file);
    this.csv.download = `${record.race}.csv`;

    /** @type {[number, string][]} */
    const names = standings.map((row) => [row.seat, row.name]);
    const select = new Select(text("splits.racer"), names, (picked) =>
      this.#showSolve(record, picked),
    );
    const first = names.some(([one]) => one === seat) ? seat : (names[0]?.[0] ?? null);
    if (first !== null) {
      select.show(first, "");
      this.#showSolve(record, first);
    }
    fill(this.picker, [select.element]);
    show(this.picker, names.length > 1);
    show(this.element, true);
  }

  /** @param {WrittenRace} record @param {number} seat */
  #showSolve(record, seat) {
    const racer = record.racers.find((one) => one.seat === seat);
    if (!racer) return;
    const rows = splits(record.board, racer);
    show(this.table, rows.length > 0);
    fill(this.body, rows.map(splitRow));
    const count = parseBoard(record.board).height - (rows.at(-1)?.last ?? 0);
    setText(this.missing, count ? text("splits.missing", { count }) : "");
    show(this.missing, count > 0);
    this.#link(record.board, racer);
  }

  /** Link to the solve in slidysim's viewer. @param {string} board @param {WrittenRacer} racer */
  async #link(board, racer) {
    show(this.viewer, false);
    this.#racer = racer;
    if (!racer.finish) return;
    const href = await linkTo(solveOf(board, racer));
    if (this.#racer !== racer) return;
    this.viewer.href = href;
    show(this.viewer, true);
  }
}

/** @param {import("../../core/proof/splits.js").Split} split */
const splitRow = ({ first, last, at, took, stm }) =>
  h(
    "tr",
    {},
    h("th", { scope: "row", text: first < last ? `${first}\u2013${last}` : String(last) }),
    h("td", { text: formatTime(at) }),
    h("td", { text: formatTime(took) }),
    h("td", { text: String(stm) }),
    h("td", { text: formatTps({ stm, solve_ms: took }) }),
  );
