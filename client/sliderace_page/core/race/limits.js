// When attempts end, as in the Python twin, `sliderace.race.rules`. Pure.

import { constants } from "../constants.js";

/**
 * The time limit in force, from each racer's own start, in ms; 0: none.
 * @param {{size: string, limit_ms: number}} rules
 */
export function limitOf({ size, limit_ms: limit }) {
  if (limit !== -1) return limit;
  const [width, height] = size.split("x").map(Number);
  /** @type {Record<string, number>} */
  const usual = constants.rules.default_limits_ms;
  return usual[size] ?? Math.max(60000, Math.round(3500 * (width * height) ** 1.5));
}

/**
 * The grace time after a first finisher who took `best` ms.
 * @param {{grace_ms: number}} rules @param {number} best
 */
export function graceFor({ grace_ms: grace }, best) {
  const { grace_floor_ms: floor, grace_factor: factor } = constants.rules;
  return grace === -1 ? Math.max(floor, factor * best) : grace;
}
