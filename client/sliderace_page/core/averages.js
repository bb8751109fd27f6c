// Averages of times by the regulations of the World Cube Association (WCA), as in
// sliderace.race.averages. Pure. Times are integers; null is an attempt without one,
// which is worse than any time.

/** @typedef {number | null} Time */

/**
 * The mean of at least one time (mo3: 9f10), rounded half up.
 * @param {Time[]} times
 * @returns {Time} null: DNF, because one of them is (9f11)
 */
export function mean(times) {
  let sum = 0;
  for (const time of times) {
    if (time === null) return null;
    sum += time;
  }
  return Math.floor((2 * sum + times.length) / (2 * times.length));
}

/**
 * The mean of all but the best and the worst (ao5, ao12: 9f8); one DNF is the worst.
 * @param {Time[]} times at least three
 * @returns {Time} null: DNF, because two of them are (9f9)
 */
export const average = (times) =>
  mean([...times].sort((a, b) => (a ?? Infinity) - (b ?? Infinity) || 0).slice(1, -1));
