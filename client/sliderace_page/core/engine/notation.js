// Boards and slides as text and back; moves and progress.

import { Board, EngineError } from "./board.js";

/** @typedef {Iterable<readonly [Direction, number, ...unknown[]]>} Slides times may follow */

const ROW = /^[ \t\r]*(?:[0-9]{1,2}|\.)(?:[ \t]+(?:[0-9]{1,2}|\.))*[ \t\r]*$/;

/** Rows of labels, 0 for the gap: `8 2 0/4 6 1/3 7 5`. @param {Board} board */
export function formatBoard(board) {
  const { tiles, width, height } = board;
  const rows = [...Array(height).keys()].map((row) => row * width);
  return rows.map((at) => tiles.slice(at, at + width).join(" ")).join("/");
}

/**
 * Read a board, solvable or not.
 * @param {string} text
 * @returns {Board}
 * @throws {EngineError} `notation`, `size` or `board`
 */
export function parseBoard(text) {
  const lines = text.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, "").split(/[/\n]/);
  if (!lines.every((line) => ROW.test(line))) {
    throw new EngineError("notation", "a row is labels with spaces between");
  }
  const rows = lines.map((line) => line.trim().split(/[ \t]+/).map((label) => Number(label) || 0));
  if (rows.some((row) => row.length !== rows[0].length)) {
    throw new EngineError("notation", "the rows differ in length");
  }
  return new Board(rows[0].length, rows.length, rows.flat());
}

/** A solution in standard notation, runs merged: `R2U2LDL`. @param {Slides} slides */
export function formatSlides(slides) {
  return formatTokens(runs(slides));
}

/** One token per slide, runs not merged. @param {Slides} slides */
export function formatTokens(slides) {
  const tokens = [...slides].map(([direction, count]) =>
    count === 1 ? direction : `${direction}${count}`,
  );
  return tokens.join("");
}

/**
 * Read slides; `R2` is *one* slide of two tiles.
 * @param {string} text
 * @returns {Slide[]}
 * @throws {EngineError} `notation`
 */
export function parseSlides(text) {
  const one = /([UDLR])([1-9][0-9]?)?[ \t\r\n]*/y;
  /** @type {Slide[]} */
  const slides = [];
  one.lastIndex = text.search(/[^ \t\r\n]|$/);
  while (one.lastIndex < text.length) {
    const at = one.lastIndex;
    const match = one.exec(text);
    if (!match) throw new EngineError("notation", `no slide at character ${at + 1}`);
    slides.push([/** @type {Direction} */ (match[1]), Number(match[2] ?? 1)]);
  }
  return slides;
}

/** Slides with runs merged. @param {Slides} slides @returns {Slide[]} */
function runs(slides) {
  /** @type {Slide[]} */
  const merged = [];
  for (const [direction, count] of slides) {
    const last = merged.at(-1);
    if (last && last[0] === direction) last[1] += count;
    else merged.push([direction, count]);
  }
  return merged;
}

/**
 * Progress in thousandths, rounded down; 1000 exactly when solved.
 * @param {number} md the board's Manhattan distance now
 * @param {number} startMd the scramble's
 * @throws {RangeError} a distance is negative
 */
export function progressPermille(md, startMd) {
  if (md < 0 || startMd < 0) throw new RangeError("a distance is 0 or more");
  if (md === 0) return 1000;
  return Math.max(0, Math.floor((1000 * (startMd - md)) / Math.max(startMd, 1)));
}

/** Moves in the single-tile metric: every tile counts. @param {Slides} slides */
export function stm(slides) {
  let moves = 0;
  for (const [, count] of slides) moves += count;
  return moves;
}

/** Moves in the multi-tile metric: a run counts as one. @param {Slides} slides */
export function mtm(slides) {
  return runs(slides).length;
}
