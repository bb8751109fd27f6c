// Axes of charts: round marks, and what is written at them. Pure.

import { text } from "./texts.js";
import { formatTime } from "./figures.js";

/** Distances between two marks of a time axis, in ms. */
const STEPS = [
  10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000,
  300_000, 600_000, 1_800_000, 3_600_000,
];

/**
 * Round marks around a range of times; the first and the last one enclose it.
 * @param {number} low ms @param {number} high ms, not less
 * @param {number} most spaces between two marks, at least 2
 * @returns {{step: number, marks: number[]}} ms, ascending, at least two marks
 */
export function timeMarks(low, high, most) {
  const first = (/** @type {number} */ step) => Math.floor(low / step);
  const count = (/** @type {number} */ step) =>
    Math.max(1, Math.ceil(high / step) - first(step));
  const fitting = STEPS.find((step) => count(step) <= most);
  const step = fitting ?? Math.ceil((high - low + 1) / (most - 1));
  const marks = Array.from({ length: count(step) + 1 }, (_, i) => (first(step) + i) * step);
  return { step, marks };
}

/**
 * The time at a mark, with as many decimals as the marks differ in: `8.5 s`, `1:30`.
 * @param {number} ms @param {number} step between two marks
 */
export function markText(ms, step) {
  const digits = step % 1000 === 0 ? 0 : step % 100 === 0 ? 1 : 2;
  if (ms >= 60_000) return formatTime(ms, digits);
  return text("time.seconds", { n: (ms / 1000).toFixed(digits) });
}

/**
 * Which of many things in a row get a label: evenly spread, at most so many.
 * @param {number} count things @param {number} most labels, at least 1
 * @returns {number[]} their places, ascending
 */
export function spread(count, most) {
  const every = Math.max(1, Math.ceil(count / most));
  return Array.from({ length: Math.ceil(count / every) }, (_, i) => i * every);
}

/**
 * Places of labels that would overlap, moved apart.
 * @param {number[]} wanted ascending @param {number} least distance
 * @param {number} top the greatest place allowed
 * @returns {number[]} in the same order
 */
export function apart(wanted, least, top) {
  const places = [...wanted];
  for (let i = 1; i < places.length; i += 1)
    places[i] = Math.max(places[i], places[i - 1] + least);
  for (let i = places.length - 1, limit = top; i >= 0; i -= 1, limit = places[i + 1] - least)
    places[i] = Math.min(places[i], limit);
  return places;
}
