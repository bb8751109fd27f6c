// How long each row of a solve took. Pure.

import { parseBoard } from "../engine.js";
import { moments } from "./summary.js";

/**
 * @typedef {object} Split
 * @property {number} row 1 ... height
 * @property {number} at when it and all rows above were first in place, in ms
 * @property {number} took since the row above, in ms
 * @property {number} stm tiles moved since then
 */

/**
 * The rows of a solve, from the top.
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
  let [moved, before, last] = [0, 0, 0];
  const look = (/** @type {number} */ at) => {
    for (let rows = placed(board, width, height); found.length < rows; ) {
      found.push({ row: found.length + 1, at, took: at - last, stm: moved - before });
      [before, last] = [moved, at];
    }
  };
  look(0);
  for (const [n, [direction, count]] of racer.slides.entries()) {
    if (!board.trySlide(direction, count)) break; // a record may be wrong
    moved += count;
    look(times[n]);
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
