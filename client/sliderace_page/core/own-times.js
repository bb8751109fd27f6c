// The player's own last times, from which the pace of Race now is estimated. Pure.

const KEPT = 5; // a median of five ignores two slips

/**
 * Return the times with another one.
 * @param {import("./usual-pace.js").Times} times @param {string} size @param {number} ms
 */
export function withTime(times, size, ms) {
  const kept = times[size];
  return { ...times, [size]: [...(Array.isArray(kept) ? kept : []), ms].slice(-KEPT) };
}
