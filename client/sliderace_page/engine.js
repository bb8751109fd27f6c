// The sliding-tile puzzle, pure: the twin of the Python package `sliderace.engine`.
// The same names in camelCase, the same rules, the same golden vectors.

import { sha256 } from "./sha256.js";

/** @typedef {"U" | "D" | "L" | "R"} Direction the way the *tile* travels */
/** @typedef {[Direction, number]} Slide a direction and how many tiles move together */
/** @typedef {"size" | "board" | "notation" | "seed" | "slide" | "cell"} Fault */

export const MIN_SIDE = 2;
export const MAX_SIDE = 10;

/** @type {readonly Direction[]} */
export const DIRECTIONS = Object.freeze(["U", "D", "L", "R"]);
/** @type {Readonly<Record<Direction, Direction>>} */
export const OPPOSITE = Object.freeze({ U: "D", D: "U", L: "R", R: "L" });

/** Any fault the engine finds in what it was given. */
export class EngineError extends Error {
  /**
   * @param {Fault} kind what is at fault
   * @param {string} message
   */
  constructor(kind, message) {
    super(message);
    this.name = "EngineError";
    this.kind = kind;
  }
}

// --- The board ----------------------------------------------------------------------

/** A position that accepts legal slides and nothing else. */
export class Board {
  #tiles;
  #gap;
  #md;
  #shape;

  /**
   * @param {number} width 2 ... 10
   * @param {number} height 2 ... 10
   * @param {Iterable<number>} tiles labels in reading order, 0 for the gap; the board
   *   need not be solvable
   * @throws {EngineError} `size` or `board`
   */
  constructor(width, height, tiles) {
    this.#shape = shapeOf(width, height);
    this.#tiles = [...tiles];
    const { home, distances } = this.#shape;
    const sorted = [...this.#tiles].sort((a, b) => a - b);
    if (sorted.length !== home.length || sorted.some((tile, n) => tile !== n)) {
      const last = home.length - 1;
      throw new EngineError("board", `a board has each of 0 ... ${last} once`);
    }
    this.#gap = this.#tiles.indexOf(0);
    this.#md = this.#tiles.reduce((sum, tile, cell) => sum + distances[tile][cell], 0);
  }

  /** The goal: tiles in reading order, the gap in the last cell. */
  static solved(width, height) {
    return new Board(width, height, shapeOf(width, height).home);
  }

  /** An independent board in the same position. */
  copy() {
    return new Board(this.width, this.height, this.#tiles);
  }

  /** Whether `other` has the same size and tiles. @param {Board} other */
  equals(other) {
    return this.width === other.width && `${this.#tiles}` === `${other.tiles}`;
  }

  get width() {
    return this.#shape.width;
  }

  get height() {
    return this.#shape.height;
  }

  /** A copy of the labels in reading order. @returns {number[]} */
  get tiles() {
    return [...this.#tiles];
  }

  /** The empty cell, counted from 0 in reading order. */
  get gap() {
    return this.#gap;
  }

  /** Manhattan distance: steps of all tiles to their homes. */
  get md() {
    return this.#md;
  }

  get isSolved() {
    return this.#md === 0;
  }

  /** Whether legal slides can lead to the solved board. */
  isSolvable() {
    return solvable(this.width, this.height, this.#tiles);
  }

  /**
   * The tile in a cell, 0 for the gap.
   * @param {number} cell
   * @throws {EngineError} `cell`: there is no such cell
   */
  tileAt(cell) {
    const tile = this.#tiles[cell];
    if (tile === undefined) throw new EngineError("cell", `no cell ${cell}`);
    return tile;
  }

  /**
   * The cell of a tile, or of the gap for 0.
   * @param {number} tile
   * @throws {EngineError} `cell`: there is no such tile
   */
  cellOf(tile) {
    const cell = this.#tiles.indexOf(tile);
    if (cell < 0) throw new EngineError("cell", `no tile ${tile}`);
    return cell;
  }

  /**
   * Slide if that is legal; the board is unchanged if not.
   * @param {string} direction the way the tiles travel
   * @param {number} [count] how many tiles move together towards the gap
   * @returns {boolean} whether the tiles moved
   */
  trySlide(direction, count = 1) {
    const path = this.#shape.paths.get(direction)?.[this.#gap].get(count);
    if (!path) return false;
    const { distances } = this.#shape;
    for (const cell of path) {
      const tile = this.#tiles[cell];
      this.#tiles[this.#gap] = tile;
      this.#md += distances[tile][this.#gap] - distances[tile][cell];
      this.#gap = cell;
    }
    this.#tiles[this.#gap] = 0;
    return true;
  }

  /**
   * Slide `count` tiles towards the gap.
   * @param {string} direction
   * @param {number} [count]
   * @throws {EngineError} `slide`: not legal; the board is unchanged
   */
  slide(direction, count = 1) {
    if (this.trySlide(direction, count)) return;
    throw new EngineError("slide", `no slide ${direction} of ${count} tiles here`);
  }

  /**
   * The slide that moves the tile in a cell and all between it and the gap.
   * @param {number} cell
   * @returns {Slide | null} null: not in the gap's row or column, the gap, or no cell
   */
  slideOfCell(cell) {
    for (const direction of DIRECTIONS) {
      for (const [count, path] of this.#shape.paths.get(direction)[this.#gap]) {
        if (path[count - 1] === cell) return [direction, count];
      }
    }
    return null;
  }

  /**
   * The slide that moves a tile and all between it and the gap.
   * @param {number} tile
   * @returns {Slide | null} null: not in the gap's row or column, or no such tile
   */
  slideOfTile(tile) {
    return this.slideOfCell(this.#tiles.indexOf(tile));
  }

  /** All slides, in the order U, D, L, R, fewer tiles first. @returns {Slide[]} */
  legalSlides() {
    return DIRECTIONS.flatMap((direction) =>
      [...this.#shape.paths.get(direction)[this.#gap].keys()].map((count) => [
        direction,
        count,
      ]),
    );
  }
}

/**
 * Whether legal slides lead from the tiles to the solved board: the parity of the
 * permutation must be that of the gap's distance to its home.
 * @param {number} width
 * @param {number} height
 * @param {readonly number[]} tiles each of 0 ... n-1 once
 */
export function solvable(width, height, tiles) {
  const gap = tiles.indexOf(0);
  const gapSteps = width - 1 - (gap % width) + (height - 1 - Math.floor(gap / width));
  return (exchanges(tiles) - gapSteps) % 2 === 0;
}

/** How many exchanges sort the tiles, the gap counted as the last. */
function exchanges(tiles) {
  const order = tiles.map((tile) => tile || tiles.length);
  let count = 0;
  for (let cell = 0; cell < order.length; cell += 1) {
    while (order[cell] !== cell + 1) {
      const home = order[cell] - 1;
      [order[cell], order[home]] = [order[home], order[cell]];
      count += 1;
    }
  }
  return count;
}

// From the gap to the tiles that would move: a tile that goes up comes from below.
const TOWARDS_TILES = { U: [0, 1], D: [0, -1], L: [1, 0], R: [-1, 0] };

/** @type {Map<string, object>} */
const shapes = new Map();

/** What all boards of one size share; looking a slide up in `paths` validates it. */
function shapeOf(width, height) {
  if (![width, height].every(isSide)) {
    throw new EngineError("size", `a side must be 2 ... 10, not ${width}x${height}`);
  }
  const key = `${width}x${height}`;
  if (!shapes.has(key)) shapes.set(key, makeShape(width, height));
  return shapes.get(key);
}

function makeShape(width, height) {
  const cells = [...Array(width * height).keys()];
  return {
    width,
    height,
    home: [...cells.slice(1), 0],
    // direction -> gap -> count -> cells of the tiles, the gap's neighbour first
    paths: new Map(
      DIRECTIONS.map((direction) => [
        direction,
        cells.map((gap) => pathsTo(gap, TOWARDS_TILES[direction], width, height)),
      ]),
    ),
    // tile -> cell -> steps home; all 0 for the gap
    distances: cells.map((tile) =>
      cells.map((cell) => (tile === 0 ? 0 : steps(tile - 1, cell, width))),
    ),
  };
}

const isSide = (side) => Number.isInteger(side) && side >= MIN_SIDE && side <= MAX_SIDE;

function steps(from, to, width) {
  const rows = Math.floor(from / width) - Math.floor(to / width);
  return Math.abs(rows) + Math.abs((from % width) - (to % width));
}

function pathsTo(gap, [dx, dy], width, height) {
  const paths = new Map();
  const path = [];
  let column = (gap % width) + dx;
  let row = Math.floor(gap / width) + dy;
  while (column >= 0 && column < width && row >= 0 && row < height) {
    path.push(row * width + column);
    paths.set(path.length, [...path]);
    column += dx;
    row += dy;
  }
  return paths;
}

// --- Measures -----------------------------------------------------------------------

/**
 * How far an attempt is, in thousandths, rounded down; 1000 exactly when solved.
 * @param {number} md the board's Manhattan distance now
 * @param {number} startMd the scramble's
 */
export function progressPermille(md, startMd) {
  if (md === 0) return 1000;
  return Math.max(0, Math.floor((1000 * (startMd - md)) / Math.max(startMd, 1)));
}

/** Moves in the single-tile metric: every tile counts. @param {Iterable<Slide>} slides */
export function stm(slides) {
  let moves = 0;
  for (const [, count] of slides) moves += count;
  return moves;
}

/** Moves in the multi-tile metric: a run counts one. @param {Iterable<Slide>} slides */
export function mtm(slides) {
  return runs(slides).length;
}

// --- Notation -----------------------------------------------------------------------

const ROW = /^[0-9]{1,2}(?: [0-9]{1,2})*$/;

/**
 * Read a size such as `4x4`.
 * @param {string} text
 * @returns {{width: number, height: number}}
 * @throws {EngineError} `size`
 */
export function parseSize(text) {
  const match = /^([1-9][0-9]?)x([1-9][0-9]?)$/.exec(text);
  const [width, height] = (match ?? []).slice(1).map(Number);
  if (!isSide(width) || !isSide(height)) {
    throw new EngineError("size", "a size is written like 4x4, sides 2 ... 10");
  }
  return { width, height };
}

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
  const lines = text.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, "").split("/");
  if (!lines.every((line) => ROW.test(line))) {
    throw new EngineError("notation", "a row is labels with one space between");
  }
  const rows = lines.map((line) => line.split(" ").map(Number));
  if (rows.some((row) => row.length !== rows[0].length)) {
    throw new EngineError("notation", "the rows differ in length");
  }
  return new Board(rows[0].length, rows.length, rows.flat());
}

/** A solution as the field writes it, runs as one: `R2U2LDL`. */
export function formatSlides(slides) {
  return formatTokens(runs(slides));
}

/** One token for each slide, runs not merged. @param {Iterable<Slide>} slides */
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
  const slides = [];
  one.lastIndex = text.search(/[^ \t\r\n]|$/);
  while (one.lastIndex < text.length) {
    const at = one.lastIndex;
    const match = one.exec(text);
    if (!match) throw new EngineError("notation", `no slide at character ${at + 1}`);
    slides.push([match[1], Number(match[2] ?? 1)]);
  }
  return slides;
}

function runs(slides) {
  const merged = [];
  for (const [direction, count] of slides) {
    const last = merged.at(-1);
    if (last?.[0] === direction) last[1] += count;
    else merged.push([direction, count]);
  }
  return merged;
}

// --- Scramble v1, byte-exact --------------------------------------------------------

const SECRET_BYTES = 32;
const NONCE_BYTES = 16;
const MAX_SEAT = 254;

/** @param {string} hex @returns {Uint8Array} */
export function hexToBytes(hex) {
  if (!/^(?:[0-9A-Fa-f]{2})*$/.test(hex)) throw new EngineError("seed", "not hex");
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

/** @param {Uint8Array} bytes */
export function bytesToHex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * What the server shows in the lobby: it binds the secret and tells nothing of it.
 * @param {string} raceId 1 ... 32 of `A-Z 0-9 -`
 * @param {number} width
 * @param {number} height
 * @param {Uint8Array} secret 32 bytes
 * @returns {string} 64 hex digits
 * @throws {EngineError} `size` or `seed`
 */
export function commitment(raceId, width, height, secret) {
  const shape = sides(width, height);
  return bytesToHex(hash(head("commit", raceId), shape, sized(secret, SECRET_BYTES)));
}

/**
 * What a player's client sends with "ready": it binds the nonce it will reveal.
 * @param {string} raceId
 * @param {number} seat 0 ... 254
 * @param {Uint8Array} nonce 16 bytes
 * @returns {string} 64 hex digits
 * @throws {EngineError} `seed`
 */
export function nonceCommitment(raceId, seat, nonce) {
  const place = [checkedSeat(seat)];
  return bytesToHex(hash(head("nonce", raceId), place, sized(nonce, NONCE_BYTES)));
}

/**
 * The seed of a race, from the secret and the nonces that were revealed.
 * @param {string} raceId
 * @param {number} width
 * @param {number} height
 * @param {Uint8Array} secret
 * @param {Iterable<[number, Uint8Array]>} [nonces] (seat, nonce), in any order
 * @returns {Uint8Array} 32 bytes
 * @throws {EngineError} `size` or `seed`
 */
export function seedOf(raceId, width, height, secret, nonces = []) {
  const bySeat = [...nonces].sort(([a], [b]) => a - b);
  const seats = bySeat.map(([seat]) => checkedSeat(seat));
  if (new Set(seats).size < seats.length) {
    throw new EngineError("seed", "a seat has more than one nonce");
  }
  return hash(
    head("seed", raceId),
    sides(width, height),
    sized(secret, SECRET_BYTES),
    [bySeat.length],
    ...bySeat.map(([, nonce]) => sized(nonce, NONCE_BYTES)),
  );
}

/**
 * The seed a person gives: 64 hex digits stand for themselves, other text is hashed.
 * @param {string} text
 * @returns {Uint8Array} 32 bytes
 * @throws {EngineError} `seed`: the text has no UTF-8 form
 */
export function seedFromText(text) {
  if (/^[0-9A-Fa-f]{64}$/.test(text)) return hexToBytes(text);
  if (/\p{Surrogate}/u.test(text)) throw new EngineError("seed", "not valid text");
  return hash(ascii("sliderace/text/v1\0"), new TextEncoder().encode(text));
}

/**
 * The board of a seed: uniform over all solvable boards except the solved one.
 * @param {Uint8Array} seed 32 bytes
 * @param {number} width
 * @param {number} height
 * @returns {Board}
 * @throws {EngineError} `size` or `seed`
 */
export function scramble(seed, width, height) {
  const { home } = shapeOf(width, height);
  const stream = bytesOf(sized(seed, SECRET_BYTES));
  for (;;) {
    const tiles = shuffled(home, stream);
    if (!solvable(width, height, tiles)) {
      const one = tiles.indexOf(1);
      const two = tiles.indexOf(2);
      [tiles[one], tiles[two]] = [2, 1];
    }
    if (tiles.some((tile, cell) => tile !== home[cell])) {
      return new Board(width, height, tiles);
    }
  }
}

function shuffled(home, stream) {
  const tiles = [...home];
  for (let i = tiles.length - 1; i > 0; i -= 1) {
    const j = below(stream, i + 1);
    [tiles[i], tiles[j]] = [tiles[j], tiles[i]];
  }
  return tiles;
}

/** A fair number below `bound`: bytes that would favour low numbers are thrown away. */
function below(stream, bound) {
  const limit = 256 - (256 % bound);
  for (;;) {
    const byte = stream.next().value;
    if (byte < limit) return byte % bound;
  }
}

/** @returns {Generator<number>} the endless bytes of a seed */
function* bytesOf(seed) {
  const label = ascii("sliderace/stream/v1\0");
  for (let block = 0; ; block += 1) {
    const number = new Uint8Array(4);
    new DataView(number.buffer).setUint32(0, block);
    yield* hash(label, seed, number);
  }
}

/** SHA-256 of parts put together. @param {...ArrayLike<number>} parts */
function hash(...parts) {
  return sha256(Uint8Array.from(parts.flatMap((part) => Array.from(part))));
}

const ascii = (text) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));

function head(use, raceId) {
  if (!/^[A-Z0-9-]{1,32}$/.test(raceId)) {
    throw new EngineError("seed", "a race id is 1 ... 32 of A-Z 0-9 -");
  }
  return ascii(`sliderace/${use}/v1\0${raceId}\0`);
}

function sides(width, height) {
  shapeOf(width, height);
  return [width, height];
}

function sized(bytes, length) {
  if (bytes.length === length) return bytes;
  throw new EngineError("seed", `must be ${length} bytes long, not ${bytes.length}`);
}

function checkedSeat(seat) {
  if (Number.isInteger(seat) && seat >= 0 && seat <= MAX_SEAT) return seat;
  throw new EngineError("seed", `a seat is 0 ... ${MAX_SEAT}, not ${seat}`);
}
