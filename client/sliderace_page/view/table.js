// Results as a table, and the podium.

import { explainCredit, reason, stands } from "../phrases.js";
import { formatTime } from "../text.js";
import { fill, h, setText } from "./dom.js";
import { badge } from "./badges.js";

/** Tiles a second over the solver's own time. */
export function tps({ stm, solve_ms: solve }) {
  return solve ? ((stm * 1000) / solve).toFixed(2) : "";
}

const PHOTO = "Closer to a neighbour than their lines can tell apart";
const COLUMNS = [
  ["place", "Place"],
  ["name", "Name"],
  ["time", "Time"],
  ["moves", "Moves"],
  ["tps", "TPS"],
];

export class ResultTable {
  constructor() {
    const heads = COLUMNS.map(([name, text]) =>
      h(`th.${name}`, { scope: "col", text }),
    );
    this.body = h("tbody");
    this.element = h(
      "table.results",
      {},
      h("thead", {}, h("tr", {}, ...heads)),
      this.body,
    );
  }

  /** @param {Wire[]} standings @param {number} me member id */
  update(standings, me) {
    if (standings === this.shown) return;
    this.shown = standings;
    fill(
      this.body,
      standings.map((row) => this.#row(row, me)),
    );
  }

  #row(row, me) {
    const lane = { ...row, time: row.time_ms };
    const far = row.status === "dnf" || row.status === "forfeited";
    const credited = row.status === "finished" && row.credit_ms > 0;
    const note = far
      ? `${Math.floor(row.high / 10)} % ${reason(lane)}`
      : credited
        ? `\u2212${row.credit_ms} ms credit`
        : "";
    const raced = row.status !== "dns";
    return h(
      `tr.${row.status}${row.member === me ? ".mine" : ""}`,
      {},
      h("td.place", { text: row.place === null ? "\u2013" : String(row.place) }),
      h(
        "td.name",
        {},
        h("span", { text: row.name }),
        row.member === me ? badge("you", "", "you") : null,
        row.bot ? badge("bot", "\u2699", "bot") : null,
        row.photo ? badge("photo", "\u2248", "photo finish", PHOTO) : null,
        row.outage_ms ? badge("outage", "\u26a1", "outage", explainCredit(row)) : null,
      ),
      h(
        "td.time",
        { text: stands(lane).replace("\u2713 ", "") },
        h("small", { text: note, title: credited ? explainCredit(row) : null }),
      ),
      h("td.moves", { text: raced ? String(row.stm) : "" }),
      h("td.tps", { text: raced ? tps(row) : "" }),
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
    fill(
      this.element,
      best.map((row, i) => this.#step(row, i + 1)),
    );
  }

  #step(row, order) {
    const time = h("span.time", { text: formatTime(row.time_ms ?? 0) });
    const block = h("span.block", { text: String(row.place ?? order) });
    const item = h(
      `li.step.order${order}`,
      {},
      h("span.name", { text: row.name }),
      time,
      block,
    );
    setText(block, String(row.place ?? order));
    return item;
  }
}
