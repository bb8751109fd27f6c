// A race told from its record: everybody's progress over time, and what decided it. Pure.

import { RacerReplay } from "./replay-timeline.js";
import { standingsOf } from "./proof/summary.js";

/** @typedef {import("./proof/reading.js").WrittenRace} WrittenRace */

/**
 * A racer's best progress over time.
 * @typedef {object} Curve
 * @property {number} seat
 * @property {string} name
 * @property {number | null} time official time in ms; null: did not finish
 * @property {boolean} photo the finish was too close to another to tell
 * @property {[number, number][]} points ms and thousandths: each rise
 * @property {number} end ms of the last slide or of the finish
 */

/** A change of the lead. @typedef {{at: number, seat: number, high: number}} Lead */

/**
 * What decided a race. `gap`: ms to the second; `at`: when the winner took the lead for
 * good; `changes`: how often the lead changed.
 * @typedef {{kind: "nobody"} | {kind: "only", winner: string}
 *   | {kind: "tie"}
 *   | {kind: "late" | "early" | "middle", winner: string, gap: number, photo: boolean,
 *      at: number, before: number, high: number, changes: number}} Story
 */

const LATE_MS = 1500; // a lead taken this shortly before the end decided the race
const EARLY = 0.1; // of the race: the lead changes so often that it says nothing

/** @param {WrittenRace} record @returns {Curve[]} best first, as in the results */
export const curvesOf = (record) =>
  standingsOf(record).map(({ seat, name, time_ms: time, photo }, n) => {
    const { times, high } = new RacerReplay(record.board, record.racers[n]);
    /** @type {[number, number][]} */
    const points = [];
    times.forEach((at, made) => {
      if (high[made + 1] > high[made]) points.push([at, high[made + 1]]);
    });
    return { seat, name, time, photo, points, end: time ?? times.at(-1) ?? 0 };
  });

/** Who led, from when on. @param {Curve[]} curves @returns {Lead[]} */
export function leadsOf(curves) {
  const rises = curves
    .flatMap(({ seat, points }) => points.map(([at, high]) => ({ at, seat, high })))
    .sort((a, b) => a.at - b.at);
  /** @type {Lead[]} */
  const leads = [];
  let best = 0;
  for (const rise of rises) {
    if (rise.high <= best) continue;
    best = rise.high;
    if (leads.at(-1)?.seat !== rise.seat) leads.push(rise);
  }
  return leads;
}

/** @param {Curve[]} curves best first @returns {Story} */
export function storyOf(curves) {
  const [first, second] = curves;
  if (!first || first.time === null) return { kind: "nobody" };
  const winner = first.name;
  if (!second || second.time === null) return { kind: "only", winner };
  const gap = second.time - first.time;
  if (gap === 0) return { kind: "tie" };
  const { time, photo } = first;
  const all = leadsOf(curves);
  const leads = all.filter(({ at }) => at > time * EARLY);
  const own = all.findLast(({ seat }) => seat === first.seat);
  const { at, high } = own ?? { at: 0, high: 0 };
  const before = Math.max(0, time - at);
  const told = { winner, gap, photo, at, before, high, changes: leads.length };
  if (before < LATE_MS) return { kind: "late", ...told };
  return { kind: leads.length < 2 ? "early" : "middle", ...told };
}
