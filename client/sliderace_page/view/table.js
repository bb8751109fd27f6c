// Results as a table, and the podium.

import { stands } from "../phrases.js";
import { formatTime } from "../text.js";
import { fill, h, setText } from "./dom.js";
import { badge } from "./lanes.js";

const asLane = (row) => ({ ...row, time: row.time_ms });

/** Tiles a second over the solver's own time. */
export function tps({ stm, solve_ms: solve }) {
  return solve ? ((stm * 1000) / solve).toFixed(2) : "";
}

export class ResultTable {
  constructor() {
    const head = ["", "Name", "Time", "Moves", "TPS"].map((text) => h("th", { scope: "col", text }));
    head[0].append(h("span.unseen", { text: "Place" }));
    this.body = h("tbody");
    this.element = h("table.results", {}, h("thead", {}, h("tr", {}, ...head)), this.body);
  }

  /** @param {object[]} standings @param {number} me member id */
  update(standings, me) {
    if (standings === this.shown) return;
    this.shown = standings;
    fill(this.body, standings.map((row) => this.#row(row, me)));
  }

  #row(row, me) {
    const finished = row.status === "finished";
    const name = h("td.name", {}, h("span", { text: row.name }));
    if (row.member === me) name.append(badge("you", "you"));
    if (row.bot) name.append(badge("bot", "\u2699 bot"));
    const time = finished ? formatTime(row.time_ms ?? 0) : stands(asLane(row));
    const percent = finished ? "" : ` ${Math.floor(row.high / 10)} %`;
    const cell = h("td.time", { text: time });
    if (percent && row.status !== "dns") cell.append(h("small.soft", { text: percent }));
    return h(
      `tr.${row.status}`,
      row.member === me ? { class: `${row.status} mine` } : {},
      h("td.place", { text: row.place === null ? "\u2013" : String(row.place) }),
      name,
      cell,
      h("td", { text: row.status === "dns" ? "" : String(row.stm) }),
      h("td", { text: tps(row) }),
    );
  }
}

export class Podium {
  constructor() {
    this.element = h("ol.podium", { "aria-label": "Podium" });
  }

  update(standings) {
    if (standings === this.shown) return;
    this.shown = standings;
    const best = standings.filter((row) => row.status === "finished").slice(0, 3);
    this.element.dataset.count = best.length;
    fill(this.element, best.map((row, i) => this.#step(row, i + 1)));
  }

  #step(row, order) {
    const time = h("span.time", { text: formatTime(row.time_ms ?? 0) });
    const block = h("span.block", { text: String(row.place ?? order) });
    const item = h(`li.step.order${order}`, {}, h("span.name", { text: row.name }), time, block);
    setText(block, String(row.place ?? order));
    return item;
  }
}
