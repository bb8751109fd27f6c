// Results as a table, and the podium.

import { explainCredit, reason, stands } from "../../core/wording.js";
import { formatTime } from "../../core/format.js";
import { fill, h } from "../dom.js";
import { badge } from "./badges.js";
import { formatMmd, formatTps } from "../../core/proof/summary.js";

const PHOTO = "Closer to a neighbour than their lines can tell apart";
const MMD =
  "Moves by Manhattan distance, the least that the scramble can take: 1.00 is perfect";
const COLUMNS = [
  ["place", "Place", null],
  ["name", "Name", null],
  ["time", "Time", "Official time: it decides the place"],
  ["solve", "Solve", "From the first slide to the last, on the solver\u2019s own clock"],
  [
    "moves",
    "STM/MTM",
    "Moves, counted twice: each tile that slides is one (STM), each run in one direction is one (MTM)",
  ],
  ["tps", "TPS", "Tiles a second: STM by the solve time"],
  ["mmd", "M/MD", MMD],
  [
    "credit",
    "Credit",
    "Official times are taken at the server. The way there costs everybody something: what your line can explain, 260 ms at most unless the race says more, is already taken off the time. Nobody gains by it",
  ],
];
const LABELS = Object.fromEntries(COLUMNS);

export class ResultTable {
  constructor() {
    const heads = COLUMNS.map(([name, text, title]) =>
      h(`th.${name}`, { scope: "col", text, title }),
    );
    this.body = h("tbody");
    this.element = h(
      "table.results",
      {},
      h("caption.visually-hidden", { text: "Results" }),
      h("thead", {}, h("tr", {}, ...heads)),
      this.body,
    );
  }

  /**
   * @param {Wire[]} standings
   * @param {number | undefined} me member id
   * @param {number} md Manhattan distance of the scramble
   */
  update(standings, me, md) {
    if (standings === this.shown) return;
    this.shown = standings;
    fill(
      this.body,
      standings.map((row) => this.#row(row, me, md)),
    );
  }

  #row(row, me, md) {
    const lane = { ...row, time: row.time_ms };
    const far = row.status === "dnf" || row.status === "forfeited";
    const done = row.status === "finished";
    const credited = done && row.credit_ms > 0;
    const note = far ? `${Math.floor(row.high / 10)} % ${reason(lane)}` : "";
    const raced = row.status !== "dns";
    const figure = (name, text, title = null) =>
      h(`td.${name}`, { text, title, "data-label": LABELS[name] });
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
        h("small", { text: note }),
      ),
      figure("solve", done && row.solve_ms ? formatTime(row.solve_ms) : ""),
      figure("moves", raced ? `${row.stm}/${row.mtm}` : ""),
      figure("tps", done ? formatTps(row) : ""),
      figure("mmd", formatMmd(row, md)),
      figure(
        "credit",
        credited ? `${row.credit_ms} ms` : "",
        credited ? explainCredit(row) : null,
      ),
    );
  }
}

/** The words over the columns, for who cannot hover over them. */
export const legend = () =>
  h(
    "details.legend",
    {},
    h("summary", { text: "What the columns mean" }),
    h(
      "dl",
      {},
      ...COLUMNS.filter(([, , title]) => title).flatMap(([, text, title]) => [
        h("dt", { text }),
        h("dd", { text: title }),
      ]),
    ),
  );

const STEPS = 3; // places that stand on the podium; ties may bring more people

export class Podium {
  constructor() {
    this.element = h("ol.podium", { "aria-label": "Podium" });
  }

  update(standings) {
    if (standings === this.shown) return;
    this.shown = standings;
    const best = standings.filter(
      ({ status, place }) => status === "finished" && place <= STEPS,
    );
    this.element.dataset.count = String(Math.min(best.length, STEPS));
    fill(
      this.element,
      best.map((row) =>
        this.#step(row, best.some((one) => one !== row && one.place === row.place)),
      ),
    );
  }

  #step({ name, place, time_ms: time }, tied) {
    return h(
      `li.step.place${place}`,
      {},
      h("span.name", { text: name }),
      h("span.time", { text: formatTime(time ?? 0) }),
      h(
        "span.block",
        {},
        String(place),
        tied ? h("small", { text: "tie" }) : null,
      ),
    );
  }
}
