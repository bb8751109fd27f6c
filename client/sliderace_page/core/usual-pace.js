// What a player usually needs: from their last times, else from what they answered when
// they were asked. Pure.

/** The answers and their times for a 4x4, in ms: between the times of bots' levels. */
export const ANSWERS = { new: 95000, minute: 40000, twenty: 14000, eight: 6000 };
/** @typedef {keyof typeof ANSWERS} Answer */
/** @typedef {Record<string, unknown>} Times size -> ms, the latest last; from storage */

const CELLS = 16; // of a 4x4
const MIN_MS = 300; // the shortest pace that a server accepts, per root of the cells
const MAX_MS = 4 * 3600000; // the longest one
const POWER = 2; // times grow with about the square of the number of cells

/** @param {Times} times @param {string} size @returns {number[]} */
const timesOf = (times, size) => {
  const kept = times[size];
  return Array.isArray(kept) ? kept.filter(Number.isSafeInteger) : [];
};

/**
 * Return the time that a player usually needs for a size, in ms.
 * @param {Times} times @param {string} answer "": they have not been asked
 * @param {string} size as in `4x4`
 * @returns {number | null} null: unknown
 */
export function usualPace(times, answer, size) {
  const own = timesOf(times, size).sort((a, b) => a - b);
  const [width, height] = size.split("x").map(Number);
  const cells = width * height;
  if (own.length) {
    const least = Math.round(MIN_MS * Math.sqrt(cells));
    return Math.min(MAX_MS, Math.max(least, own[own.length >> 1]));
  }
  if (!Object.hasOwn(ANSWERS, answer)) return null;
  return Math.round(ANSWERS[/** @type {Answer} */ (answer)] * (cells / CELLS) ** POWER);
}
