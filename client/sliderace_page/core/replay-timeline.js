// A race replayed: from its record to all boards at any moment. Pure.

import { OPPOSITE, parseBoard, progressPermille } from "./engine.js";
import { moments, standingsOf } from "./proof/summary.js";

/** @typedef {import("./proof/reading.js").WrittenRace} WrittenRace */
/** @typedef {import("./proof/reading.js").WrittenRacer} WrittenRacer */
/** @typedef {import("./proof/summary.js").Result} Result */

const EVERY = 64; // slides between two stored boards; a jump replays at most this many

/** One racer's slides, and the board at any moment. */
export class RacerReplay {
  /** @type {Board[]} after 0, EVERY, 2 EVERY ... slides */
  #kept;
  /** @type {Board} after #made slides */
  #now;
  #made = 0;
  /** @type {Slide[]} */
  slides = [];
  stm = [0]; // tiles moved after so many slides
  high = [0]; // best progress after so many slides, in thousandths

  /**
   * @param {string} scramble
   * @param {WrittenRacer} racer the slides from the first illegal one on are left out
   */
  constructor(scramble, racer) {
    const board = parseBoard(scramble);
    const start = board.md;
    this.times = moments(racer);
    this.#now = board.copy();
    this.#kept = [board.copy()];
    let [moved, high] = [0, 0];
    for (const [direction, count] of racer.slides) {
      if (!board.trySlide(direction, count)) break;
      moved += count;
      high = Math.max(high, progressPermille(board.md, start));
      this.slides.push([direction, count]);
      this.stm.push(moved);
      this.high.push(high);
      if (this.slides.length % EVERY === 0) this.#kept.push(board.copy());
    }
    this.times.length = this.slides.length;
  }

  /** The number of slides made until then. @param {number} t ms */
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
   * The board after so many slides; the next call changes this object.
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
      this.#now.slide(OPPOSITE[direction], count);
    }
    return this.#now;
  }
}

/**
 * A racer at one moment.
 * @typedef {object} Frame
 * @property {Result} standing how the race ended for this racer
 * @property {Board} board
 * @property {number} stm
 * @property {number} high best progress so far, in thousandths
 * @property {boolean} over this racer's race has ended by then
 */

/** All racers on one timeline; for each it begins when their board is unlocked. */
export class RaceReplay {
  /** @param {WrittenRace} record */
  constructor(record) {
    this.standings = standingsOf(record);
    this.racers = record.racers.map((racer) => new RacerReplay(record.board, racer));
    const ends = this.racers.map(({ times }) => times.at(-1) ?? 0);
    this.length = Math.max(1, ...ends);
  }

  /** Everybody at a moment, best first. @param {number} t ms @returns {Frame[]} */
  at(t) {
    return this.standings.map((standing, n) => {
      const racer = this.racers[n];
      const made = racer.made(t);
      const finished = standing.status === "finished";
      return {
        standing,
        board: racer.board(made),
        stm: racer.stm[made],
        high: racer.high[made],
        over: t >= (finished ? (standing.time_ms ?? 0) : this.length),
      };
    });
  }

  /**
   * The moment of anybody's next slide, or of the previous one.
   * @param {number} t ms
   * @param {1 | -1} way
   * @returns {number} ms; the end or the beginning if there is none
   */
  step(t, way) {
    let best = way > 0 ? this.length : 0;
    for (const { times } of this.racers) {
      for (const time of times) {
        if (way > 0 && time > t) best = Math.min(best, time);
        if (way < 0 && time < t) best = Math.max(best, time);
      }
    }
    return best;
  }
}

/** The current moment of a replay, and whether it is playing. */
export class Playhead {
  /** @param {number} length ms */
  constructor(length) {
    this.length = length;
    this.t = 0;
    this.speed = 1;
    this.playing = false;
  }

  /** Play or pause; at the end start again. */
  toggle() {
    if (!this.playing && this.t >= this.length) this.t = 0;
    this.playing = !this.playing;
  }

  /** @param {number} t ms, clamped to the replay */
  seek(t) {
    this.t = Math.min(this.length, Math.max(0, t));
  }

  /** Advance by elapsed real time. @param {number} ms */
  pass(ms) {
    if (!this.playing) return;
    this.seek(this.t + ms * this.speed);
    if (this.t >= this.length) this.playing = false;
  }
}
