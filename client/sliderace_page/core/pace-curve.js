// The curve of a best attempt, for the pace lane: when it had how much progress. Pure.
//
// A curve is POINTS times in ms, never decreasing: point n (from 1) is when the best
// progress so far first reached n / POINTS. The last one is the time of the solve. It
// holds no slides, so it says nothing about a board. shared/vectors/pace-v1.json.

import { progressPermille } from "./engine.js";

export const POINTS = 64;
const MAX_MS = 24 * 3600 * 1000; // a longer attempt is no pace to race against
const WHOLE = 1000; // permille of a solved board

/**
 * The curve of an attempt; null if it does not solve the board.
 * @param {Board} start
 * @param {[Direction, number, number][]} slides all slides: direction, tiles, ms
 * @returns {number[] | null}
 */
export function curveOf(start, slides) {
  const board = start.copy();
  /** @type {number[]} */
  const curve = [];
  for (const [direction, tiles, ms] of slides) {
    board.slide(direction, tiles);
    const reached = Math.floor((progressPermille(board.md, start.md) * POINTS) / WHOLE);
    const at = Math.max(ms, curve.at(-1) ?? 0);
    while (curve.length < reached) curve.push(at);
  }
  return usable(curve);
}

/** A stored curve; null if it is malformed. @param {unknown} stored @returns {number[] | null} */
export function usable(stored) {
  if (!Array.isArray(stored) || stored.length !== POINTS) return null;
  const good = stored.every(
    (point, i) => Number.isInteger(point) && point >= (stored[i - 1] ?? 0) && point <= MAX_MS,
  );
  return good ? stored : null;
}

/** The progress of a curve at a time, in permille. @param {number[]} curve @param {number} ms */
export function highAt(curve, ms) {
  const reached = curve.filter((point) => point <= ms).length;
  if (reached === POINTS) return WHOLE;
  const before = curve[reached - 1] ?? 0;
  const step = curve[reached] - before;
  const passed = Math.max(0, ms - before);
  return Math.floor(((reached * step + passed) * WHOLE) / (POINTS * step));
}

/**
 * How much later, in ms, we have this progress than the curve had it.
 * @param {number[]} curve @param {number} high permille @param {number} ms our time so far
 */
export function gapTo(curve, high, ms) {
  const reached = Math.floor((high * POINTS) / WHOLE);
  if (reached >= POINTS) return ms - curve[POINTS - 1];
  const before = curve[reached - 1] ?? 0;
  const rest = (high * POINTS) % WHOLE;
  return ms - before - Math.floor(((curve[reached] - before) * rest) / WHOLE);
}
