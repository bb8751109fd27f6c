// For the host, after a race: each solve compared with those of people.

import { text } from "../../core/texts.js";
import { describeSignal } from "../../core/wording.js";
import { fill, h, show } from "../dom.js";

/** @typedef {import("../../core/messages.js").SeatSignals} SeatSignals */

// No human range is known for these, and their notes say only that.
const UNRANGED = new Set(["first_ms", "pauses", "longest_ms"]);

export class SolveSignals {
  /** @type {Model["signals"]} */
  #shown = null;

  constructor() {
    this.table = h("table.figures");
    this.element = h(
      "details.card.more",
      {},
      h("summary", { text: text("signals.title") }),
      h("p.soft.small", { text: text("signals.warning") }),
      h("div.scroll", { tabindex: "0" }, this.table),
    );
  }

  /** @param {Model} model */
  update({ isHost, signals, results }) {
    const known = isHost && signals !== null && signals.race === results?.race;
    const racers = known ? signals.signals : [];
    show(this.element, racers.length > 0);
    if (!known || signals === this.#shown) return;
    this.#shown = signals;
    const names = new Map(results.standings.map(({ seat, name }) => [seat, name]));
    const heads = racers.map(({ seat }) =>
      h("th", { scope: "col", text: names.get(seat) ?? "?" }),
    );
    const people = h("th", { scope: "col", text: text("signals.people") });
    const signalNames = (racers[0]?.signals ?? []).map(({ name }) => name);
    fill(this.table, [
      h("thead", {}, h("tr", {}, h("td"), people, ...heads)),
      h("tbody", {}, ...signalNames.map((name) => signalRow(name, racers))),
    ]);
  }
}

/** One signal of all racers. @param {string} name @param {SeatSignals[]} racers */
function signalRow(name, racers) {
  const all = racers.map(({ signals }) => signals.find((one) => one.name === name));
  const described = all.map((signal) => signal && describeSignal(signal));
  const ranged = all.findIndex((one) => one && (one.low !== null || one.high !== null));
  const note = UNRANGED.has(name) ? "" : (all[Math.max(0, ranged)]?.note ?? "");
  const cells = all.map((signal, i) =>
    h(
      `td${signal?.outside ? ".outside" : ""}`,
      { title: signal?.note },
      signal?.outside
        ? h("span", { text: "\u25b3 ", title: text("signals.outside") })
        : null,
      described[i]?.value ?? "",
    ),
  );
  return h(
    "tr",
    {},
    h(
      "th",
      { scope: "row" },
      described[0]?.label ?? name,
      note ? h("small", { text: note }) : null,
    ),
    h("td.range", { text: described[ranged]?.range ?? "\u2013" }),
    ...cells,
  );
}
