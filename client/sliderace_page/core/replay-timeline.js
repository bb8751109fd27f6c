// A race seen again: from its record to all boards at any moment. Pure.

import { parseBoard, progressPermille } from "./engine.js";
import { moments, standingsOf } from "./proof/summary.js";

const EVERY = 64; // slides between two boards that are kept: a jump costs no more
const BACK = { U: "D", D: "U", L: "R", R: "L" };

/** One racer's slides, and the board at any moment. */
export class Reel {
  #kept; // the board after 0, EVERY, 2 EVERY ... slides
  #now; // the board after #made slides
  #made = 0;

  /**
   * @param {string} text the scramble
   * @param {Wire} racer of a record; what cannot be slid is left out, with the rest
   */
  constructor(text, racer) {
    const board = parseBoard(text);
    const start = board.md;
    this.times = moments(racer);
    this.slides = [];
    this.stm = [0]; // after so many slides
    this.high = [0];
    this.#now = board.copy();
    this.#kept = [board.copy()];
    for (const [direction, count] of racer.slides) {
      if (!board.trySlide(direction, count)) break;
      this.slides.push([direction, count]);
      this.stm.push(this.stm.at(-1) + count);
      const high = Math.max(this.high.at(-1), progressPermille(board.md, start));
      this.high.push(high);
      if (this.slides.length % EVERY === 0) this.#kept.push(board.copy());
    }
    this.times.length = this.slides.length;
  }

  /** How many slides were made by then. @param {number} t ms */
  made(t) {
    let [low, high] = [0, this.times.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.times[middle] <= t) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /**
   * The board after so many slides; the next call changes it.
   * @param {number} made 0 ... all
   * @returns {Board}
   */
  board(made) {
    if (Math.abs(made - this.#made) > EVERY) {
      this.#made = made - (made % EVERY);
      this.#now = this.#kept[this.#made / EVERY].copy();
    }
    while (this.#made < made) {
      this.#now.slide(...this.slides[this.#made]);
      this.#made += 1;
    }
    while (this.#made > made) {
      this.#made -= 1;
      const [direction, count] = this.slides[this.#made];
      this.#now.slide(BACK[direction], count);
    }
    return this.#now;
  }
}

/**
 * A racer at one moment.
 * @typedef {Wire} Frame
 * @property {Wire} standing how the race ended for this racer
 * @property {Board} board
 * @property {number} stm
 * @property {number} high best progress so far, in thousandths
 * @property {boolean} over this racer's race has ended by then
 */

/** All racers on one timeline; each counts from when the own board was unlocked. */
export class Film {
  /** @param {Wire} record whose form is right */
  constructor(record) {
    this.standings = standingsOf(record);
    this.reels = record.racers.map((racer) => new Reel(record.board, racer));
    const ends = this.reels.map(({ times }) => times.at(-1) ?? 0);
    this.length = Math.max(1, ...ends);
  }

  /** Everybody at a moment, best first. @param {number} t ms @returns {Frame[]} */
  at(t) {
    return this.standings.map((standing, n) => {
      const reel = this.reels[n];
      const made = reel.made(t);
      const finished = standing.status === "finished";
      return {
        standing,
        board: reel.board(made),
        stm: reel.stm[made],
        high: reel.high[made],
        over: finished ? t >= standing.time_ms : t >= this.length,
      };
    });
  }

  /**
   * The moment of the next slide of anybody, or of the one before.
   * @param {number} t ms
   * @param {1 | -1} way
   * @returns {number} ms; the end or the beginning where there is none
   */
  step(t, way) {
    let best = way > 0 ? this.length : 0;
    for (const { times } of this.reels) {
      for (const time of times) {
        if (way > 0 && time > t) best = Math.min(best, time);
        if (way < 0 && time < t) best = Math.max(best, time);
      }
    }
    return best;
  }
}

/** Where a film stands, and whether it runs. */
export class Playhead {
  /** @param {number} length ms */
  constructor(length) {
    this.length = length;
    this.t = 0;
    this.speed = 1;
    this.playing = false;
  }

  /** Run or pause; from the end it begins again. */
  toggle() {
    if (!this.playing && this.t >= this.length) this.t = 0;
    this.playing = !this.playing;
  }

  /** @param {number} t ms; is kept within the film */
  seek(t) {
    this.t = Math.min(this.length, Math.max(0, t));
  }

  /** So much time has passed before the screen. @param {number} ms */
  pass(ms) {
    if (!this.playing) return;
    this.seek(this.t + ms * this.speed);
    if (this.t >= this.length) this.playing = false;
  }
}
