// Boards and slides, pure: sizes, legal slides, the solved board.

import { constants } from "../constants.js";

/** @typedef {"U" | "D" | "L" | "R"} Direction the way the *tile* moves */
/** @typedef {[Direction, number]} Slide a direction and how many tiles move together */
/** @typedef {"size" | "board" | "notation" | "seed" | "slide" | "cell"} FaultKind */
/**
 * The properties that all boards of one size share.
 * @typedef {object} Shape
 * @property {number} width
 * @property {number} height
 * @property {number[]} home the solved board
 * @property {Map<string, Map<number, number[]>[]>} paths direction -> gap -> count ->
 *   cells of the tiles, the gap's neighbour first
 * @property {number[][]} distances tile -> cell -> steps home; all 0 for the gap
 */

/** @type {readonly Direction[]} */
export const DIRECTIONS = Object.freeze(["U", "D", "L", "R"]);
/** @type {Readonly<Record<Direction, Direction>>} */
export const OPPOSITE = Object.freeze({ U: "D", D: "U", L: "R", R: "L" });

/** An input of the engine is invalid. */
export class EngineError extends Error {
  /**
   * @param {FaultKind} kind
   * @param {string} message
   */
  constructor(kind, message) {
    super(message);
    this.name = "EngineError";
    this.kind = kind;
  }
}

/** A position that accepts only legal slides. */
export class Board {
  /** @type {number[]} */
  #tiles;
  /** @type {number} */
  #gap;
  /** @type {number} */
  #md;
  /** @type {Shape} */
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

  /**
   * The goal: tiles in reading order, the gap in the last cell.
   * @param {number} width @param {number} height
   */
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
   * Slide if that is legal; else leave the board unchanged.
   * @param {string} direction the way the tiles move
   * @param {number} [count] how many tiles move together towards the gap
   * @returns {boolean} whether the tiles moved
   */
  trySlide(direction, count = 1) {
    const path = this.#shape.paths.get(direction)?.[this.#gap]?.get(count);
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
      for (const [count, path] of this.#pathsOf(direction)) {
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
    const slides = /** @type {Slide[]} */ ([]);
    for (const direction of DIRECTIONS) {
      for (const count of this.#pathsOf(direction).keys())
        slides.push([direction, count]);
    }
    return slides;
  }

  /** Count -> cells of the tiles that would move. @param {Direction} direction */
  #pathsOf(direction) {
    return this.#shape.paths.get(direction)?.[this.#gap] ?? new Map();
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

/** How many exchanges sort the tiles, the gap last. @param {readonly number[]} tiles */
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

/**
 * From the gap to the tiles that would move: a tile that goes up comes from below.
 * @type {Record<Direction, [number, number]>}
 */
const TOWARDS_TILES = { U: [0, 1], D: [0, -1], L: [1, 0], R: [-1, 0] };

/** @type {Map<string, Shape>} */
const shapes = new Map();

/**
 * Return the properties of all boards of one size. Legal slides are in `paths`.
 * @param {number} width @param {number} height @returns {Shape}
 */
function shapeOf(width, height) {
  if (![width, height].every(isSide)) {
    throw new EngineError("size", `a side must be 2 ... 10, not ${width}x${height}`);
  }
  const key = `${width}x${height}`;
  const shape = shapes.get(key) ?? makeShape(width, height);
  shapes.set(key, shape);
  return shape;
}

/** @param {number} width @param {number} height @returns {Shape} */
function makeShape(width, height) {
  const cells = [...Array(width * height).keys()];
  return {
    width,
    height,
    home: [...cells.slice(1), 0],
    paths: new Map(
      DIRECTIONS.map((direction) => [
        direction,
        cells.map((gap) => pathsTo(gap, TOWARDS_TILES[direction], width, height)),
      ]),
    ),
    distances: cells.map((tile) =>
      cells.map((cell) => (tile === 0 ? 0 : steps(tile - 1, cell, width))),
    ),
  };
}

/** Whether a board may have a side of this length. @param {unknown} side */
export function isSide(side) {
  const { min_side: min, max_side: max } = constants.board;
  return typeof side === "number" && Number.isInteger(side) && side >= min && side <= max;
}

/** @param {number} from @param {number} to cells @param {number} width */
function steps(from, to, width) {
  const rows = Math.floor(from / width) - Math.floor(to / width);
  return Math.abs(rows) + Math.abs((from % width) - (to % width));
}

/**
 * Count -> cells of the tiles that one slide moves to the gap.
 * @param {number} gap
 * @param {[number, number]} towards from the gap to the tiles
 * @param {number} width
 * @param {number} height
 * @returns {Map<number, number[]>}
 */
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
