// For the host, after a race: what each solve looks like beside those of people.

import { describeSignal } from "../../core/wording.js";
import { fill, h, show } from "../dom.js";

const WARNING =
  "Nothing here proves that a program played, or a person. All of it comes from the " +
  "players\u2019 own clocks. \u201cPeople\u201d is the range of record solves by people; " +
  "\u25b3 lies outside of it.";

// No range is known of these; a dash says as much as their note.
const UNRANGED = new Set(["first_ms", "pauses", "longest_ms"]);

export class Signals {
  constructor() {
    this.table = h("table.figures");
    this.element = h(
      "details.card.more",
      {},
      h("summary", { text: "For the host: the solves beside those of people (signals, never verdicts)" }),
      h("p.soft.small", { text: WARNING }),
      h("div.scroll", { tabindex: "0" }, this.table),
    );
  }

  /** @param {Model} model */
  update({ isHost, signals, results }) {
    const mine = isHost && signals !== null && signals.race === results?.race;
    show(this.element, mine && signals.signals.length > 0);
    if (!mine || signals === this.shown) return;
    this.shown = signals;
    const racers = signals.signals;
    const names = new Map(results.standings.map(({ seat, name }) => [seat, name]));
    const heads = racers.map(({ seat }) =>
      h("th", { scope: "col", text: names.get(seat) ?? "?" }),
    );
    const rows = (racers[0]?.signals ?? []).map((first) => figure(first, racers));
    fill(this.table, [
      h(
        "thead",
        {},
        h("tr", {}, h("td"), h("th", { scope: "col", text: "People" }), ...heads),
      ),
      h("tbody", {}, ...rows),
    ]);
  }
}

/** One figure of all racers. */
function figure({ name }, racers) {
  const all = racers.map(({ signals }) => signals.find((one) => one.name === name));
  const told = all.map((one) => (one ? describeSignal(one) : null));
  const ranged = all.findIndex((one) => one && (one.low !== null || one.high !== null));
  const { note } = all[Math.max(0, ranged)];
  const says = UNRANGED.has(name) ? null : h("small", { text: note });
  const cells = told.map((one, i) =>
    h(
      `td${all[i]?.outside ? ".outside" : ""}`,
      { title: all[i]?.note },
      all[i]?.outside ? h("span", { text: "\u25b3 ", title: "Outside" }) : null,
      one?.value ?? "",
    ),
  );
  return h(
    "tr",
    {},
    h("th", { scope: "row" }, told[0].label, says),
    h("td.range", { text: told[ranged]?.range ?? "\u2013" }),
    ...cells,
  );
}
