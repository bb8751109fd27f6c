// How long each row of a solve took. Pure.

import { parseBoard } from "../engine.js";
import { moments } from "./summary.js";

/**
 * @typedef {Wire} Split
 * @property {number} row 1 ... height
 * @property {number} at when this row and all above it were first in place, in ms
 * @property {number} took since the row above, in ms
 * @property {number} stm tiles moved since then
 */

/**
 * The rows of a solve, from the top.
 * @param {string} text the scramble
 * @param {Wire} racer of a record
 * @returns {Split[]} only rows that were reached
 */
export function splits(text, racer) {
  const board = parseBoard(text);
  const { width, height } = board;
  const found = [];
  const times = moments(racer);
  let [moved, before, last] = [0, 0, 0];
  const look = (at) => {
    for (let rows = placed(board, width, height); found.length < rows; ) {
      found.push({ row: found.length + 1, at, took: at - last, stm: moved - before });
      [before, last] = [moved, at];
    }
  };
  look(0);
  for (const [n, [direction, count]] of racer.slides.entries()) {
    if (!board.trySlide(direction, count)) break; // a record may claim anything
    moved += count;
    look(times[n]);
  }
  return found;
}

/** How many rows from the top are in place. */
function placed(board, width, height) {
  const { tiles } = board;
  const wrong = tiles.findIndex((tile, cell) => tile !== (cell + 1) % tiles.length);
  return wrong < 0 ? height : Math.floor(wrong / width);
}
