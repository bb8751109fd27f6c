// Results as a table, and the podium.

import { dnfReason, explainCredit, statusText, withoutLevel } from "../../core/wording.js";
import { formatTime } from "../../core/figures.js";
import { peopleOf } from "../../core/series-text.js";
import { text } from "../../core/texts.js";
import { fill, h } from "../dom.js";
import { badge } from "./badges.js";
import { formatMmd, formatTps, plausible } from "../../core/proof/summary.js";

/** @typedef {import("../../core/proof/summary.js").Result} Result */

/** CSS class -> heading and explanation, as keys of the catalogue. */
const COLUMNS = /** @type {const} */ ({
  place: ["column.place", null],
  name: ["column.name", null],
  time: ["column.time", "column.time_hint"],
  solve: ["column.solve", "column.solve_hint"],
  moves: ["column.moves", "column.moves_hint"],
  tps: ["column.tps", "column.tps_hint"],
  mmd: ["column.mmd", "column.mmd_hint"],
  credit: ["column.credit", "column.credit_hint"],
});

export class ResultTable {
  /** @type {Result[] | null} */
  #shown = null;

  constructor() {
    const heads = Object.entries(COLUMNS).map(([name, [heading, hint]]) =>
      h(`th.${name}`, {
        scope: "col",
        text: text(heading),
        title: hint && text(hint),
      }),
    );
    /** @type {Map<number | null, HTMLElement>} */
    this.names = new Map();
    this.body = h("tbody");
    this.element = h(
      "table.results",
      {},
      h("caption.visually-hidden", { text: text("results.caption") }),
      h("thead", {}, h("tr", {}, ...heads)),
      this.body,
    );
  }

  /**
   * @param {Result[]} standings
   * @param {number | null} me member id
   * @param {number} md Manhattan distance of the scramble
   */
  update(standings, me, md) {
    if (standings === this.#shown) return;
    this.#shown = standings;
    this.names.clear();
    fill(
      this.body,
      standings.map((row) => this.#row(row, me !== null && row.member === me, md)),
    );
  }

  /** @param {Result} row @param {boolean} mine @param {number} md */
  #row(row, mine, md) {
    const { status, place, name, bot, photo, time_ms: time, credit_ms: credit } = row;
    const finished = status === "finished";
    const solve = finished && plausible(row);
    const racer = { ...row, time };
    const stopped = status === "dnf" || status === "forfeited";
    const reached = statusText({ ...racer, status: "racing" });
    const note = stopped ? [reached, dnfReason(racer)].filter(Boolean).join(" ") : "";
    /**
     * @param {"solve" | "moves" | "tps" | "mmd" | "credit"} column
     * @param {string} figure
     * @param {string | null} [title]
     */
    const cell = (column, figure, title = null) =>
      h(`td.${column}`, {
        text: figure,
        title,
        "data-label": text(COLUMNS[column][0]),
      });
    const racerName = h("span", { text: name });
    this.names.set(row.member, racerName);
    return h(
      `tr.${status}${mine ? ".mine" : ""}`,
      {},
      h("td.place", { text: place === null ? "\u2013" : String(place) }),
      h(
        "td.name",
        {},
        racerName,
        mine ? badge("you", "", text("member.you")) : null,
        bot && !name.startsWith("\u2699") ? badge("bot", "\u2699", text("member.bot")) : null,
        photo
          ? badge("photo", "\u2248", text("results.photo_badge"), text("results.photo_hint"))
          : null,
        row.outage_ms
          ? badge("outage", "\u26a1", text("results.outage_badge"), explainCredit(row))
          : null,
      ),
      h(
        "td.time",
        { text: finished ? formatTime(time ?? 0) : statusText(racer) },
        h("small", { text: note }),
      ),
      cell("solve", solve ? formatTime(solve) : ""),
      cell("moves", status === "dns" ? "" : `${row.stm}/${row.mtm}`),
      cell("tps", finished ? formatTps(row) : ""),
      cell("mmd", formatMmd(row, md)),
      finished && credit > 0
        ? cell("credit", text("latency.rtt", { rtt: credit }), explainCredit(row))
        : cell("credit", ""),
    );
  }
}

/** Create the explanations of the columns, for everybody who cannot hover over them. */
export const columnLegend = () =>
  h(
    "details.legend",
    {},
    h("summary", { text: text("column.legend") }),
    h(
      "dl",
      {},
      ...Object.values(COLUMNS).flatMap(([heading, hint]) =>
        hint ? [h("dt", { text: text(heading) }), h("dd", { text: text(hint) })] : [],
      ),
    ),
  );

const STEPS = 3; // places on the podium; ties can bring more people

/** @typedef {import("../../core/messages.js").SeriesTable} SeriesTable */

export class Podium {
  /** @type {Result[] | SeriesTable | null} */
  #shown = null;

  constructor() {
    this.element = h("ol.podium", { "aria-label": text("results.podium") });
  }

  /**
   * Show who won the race, or the series that it ended.
   * @param {Result[]} standings @param {SeriesTable | null} series
   */
  update(standings, series) {
    const shown = series?.over ? series : standings;
    if (shown === this.#shown) return;
    this.#shown = shown;
    const best = (series?.over ? peopleOf(series) : finishersOf(standings)).filter(
      ({ place }) => place <= STEPS,
    );
    this.element.dataset.count = String(Math.min(best.length, STEPS));
    fill(
      this.element,
      best.map((row) =>
        this.#step(row, best.some((one) => one !== row && one.place === row.place)),
      ),
    );
  }

  /** @param {import("../../core/series-text.js").Scored} row @param {boolean} tied */
  #step({ name, place, score }, tied) {
    return h(
      `li.step.place${place}`,
      {},
      h("span.name", { text: withoutLevel(name) }),
      h("span.time", { text: score }),
      h(
        "span.block",
        {},
        String(place),
        tied ? h("small", { text: text("results.tie") }) : null,
      ),
    );
  }
}

/** @param {Result[]} standings */
const finishersOf = (standings) =>
  standings
    .filter(({ status }) => status === "finished")
    .map(({ name, place, time_ms: time }) => ({
      name,
      place: place ?? Infinity,
      score: formatTime(time ?? 0),
    }));
