// What a race record says, as the screens after a race show it. Pure.

import { cleanName } from "../format.js";

/**
 * Standings as a server's `results` tell them, from a record.
 * @param {Wire} record whose form is right
 * @returns {Wire[]} in the record's order; nobody is a member of anything
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

/** Tiles a second over the solver's own time: `8.71`; empty where there is none. */
export const formatTps = ({ stm, solve_ms: solve }) =>
  solve ? ((stm * 1000) / solve).toFixed(2) : "";

/**
 * Moves by Manhattan distance: 1 is the shortest conceivable way.
 * @param {{status: string, stm: number}} standing
 * @param {number} md of the scramble
 * @returns {string} `2.35`; empty unless solved
 */
export const formatMmd = ({ status, stm }, md) =>
  status === "finished" && md > 0 ? (stm / md).toFixed(2) : "";

/**
 * When each slide was made, on the racer's own clock: by the client's stamp, but never
 * after it arrived, before the one in front of it, or after the official time.
 * @param {Wire} racer of a record
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
