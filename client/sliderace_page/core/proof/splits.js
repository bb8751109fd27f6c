// How long each row of a solve took. Pure.

import { parseBoard } from "../engine.js";
import { moments } from "./summary.js";

/**
 * @typedef {object} Split
 * @property {number} first row, 1 ... height
 * @property {number} last row; more than one row can be completed by the same slide
 * @property {number} at when they and all rows above were first in place, in ms
 * @property {number} took since the rows above, in ms
 * @property {number} stm tiles moved since then
 */

/**
 * The rows of a solve, from the top. Rows that the scramble has in place already count
 * with the first one completed.
 * @param {string} scramble
 * @param {import("./reading.js").WrittenRacer} racer
 * @returns {Split[]} only rows that were completed
 */
export function splits(scramble, racer) {
  const board = parseBoard(scramble);
  const { width, height } = board;
  /** @type {Split[]} */
  const found = [];
  const times = moments(racer);
  let done = placed(board, width, height);
  let [moved, before, since] = [0, 0, 0];
  for (const [n, [direction, count]] of racer.slides.entries()) {
    if (!board.trySlide(direction, count)) break; // a record may be wrong
    moved += count;
    const last = placed(board, width, height);
    if (last <= done) continue;
    const first = (found.at(-1)?.last ?? 0) + 1;
    found.push({ first, last, at: times[n], took: times[n] - since, stm: moved - before });
    [done, before, since] = [last, moved, times[n]];
  }
  return found;
}

/**
 * How many rows from the top are in place.
 * @param {Board} board @param {number} width @param {number} height
 */
function placed(board, width, height) {
  const { tiles } = board;
  const wrong = tiles.findIndex((tile, cell) => tile !== (cell + 1) % tiles.length);
  return wrong < 0 ? height : Math.floor(wrong / width);
}
