// A race record as the screens after a race show it. Pure.

import { constants } from "../constants.js";
import { cleanName } from "../format.js";

/** @typedef {import("./reading.js").WrittenRace} WrittenRace */
/** @typedef {import("./reading.js").WrittenRacer} WrittenRacer */
/**
 * A standing of `results`, or one from a record: there `member` is null.
 * @typedef {Omit<Standing, "member" | "final"> & {member: number | null}} Result
 */

/**
 * The standings in a record, in its order.
 * @param {WrittenRace} record
 * @returns {Result[]}
 */
export const standingsOf = ({ racers }) =>
  racers.map(({ seat, name, bot, status, why, place, finish, stm, mtm, high }) => ({
    seat,
    member: null,
    name: cleanName(name) || "?",
    bot,
    status,
    why,
    place,
    time_ms: finish?.official_ms ?? null,
    credit_ms: finish?.credit_ms ?? 0,
    outage_ms: finish?.outage_ms ?? 0,
    solve_ms: finish?.solve_ms ?? null,
    photo: finish?.photo ?? false,
    stm,
    mtm,
    high,
  }));

/**
 * The solver's own time; null if nobody can be so fast, as if all slides arrived at once.
 * @param {{stm: number, solve_ms: number | null}} result
 */
export const plausible = ({ stm, solve_ms: solve }) =>
  solve && stm * 1000 <= constants.timing.max_tps * solve ? solve : null;

/**
 * Tiles per second over the solver's own time: `8.71`; empty without one.
 * @param {{stm: number, solve_ms: number | null}} result
 */
export function formatTps(result) {
  const solve = plausible(result);
  return solve ? ((result.stm * 1000) / solve).toFixed(2) : "";
}

/**
 * Moves per Manhattan distance: 1 is the shortest conceivable solve.
 * @param {{status: string, stm: number}} result
 * @param {number} md of the scramble
 * @returns {string} `2.35`; empty unless solved
 */
export const formatMmd = ({ status, stm }, md) =>
  status === "finished" && md > 0 ? (stm / md).toFixed(2) : "";

/**
 * When each slide was made, on the racer's own clock: its timestamp, but never after its
 * arrival, before the previous slide, or after the official time.
 * @param {WrittenRacer} racer
 * @returns {number[]} ms since the board was unlocked, ascending
 */
export function moments({ slides, finish }) {
  const end = finish?.official_ms ?? Infinity;
  let last = 0;
  const made = slides.map(([, , stamp, received]) => {
    last = Math.min(end, Math.max(last, Math.min(stamp, received)));
    return last;
  });
  if (finish && made.length) made[made.length - 1] = end;
  return made;
}
