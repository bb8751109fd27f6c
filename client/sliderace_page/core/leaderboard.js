// In which order a leaderboard shows the racers. Pure: `now` is ms of the race.
//
// The true order changes too often to be read: among 16 racers more than ten times a
// second. So the order *shown* follows it calmly. Neighbours that are in the wrong order
// swap, in passes from the top to the bottom; no row takes part in two swaps of a pass.
//
// - Until `FIRST_ORDER_MS`, or until somebody finishes, racers stand by seat; then the
//   true order is shown at once.
// - Between two passes `PASS_MS` go by, or `FAST_PASS_MS` while anyone is shown more than
//   `FAR` places from their true place.
// - Pairs that matter swap in the next pass: those with oneself, the true leader, a
//   finisher, or anyone shown on the wrong side of oneself; all pairs, if there are at
//   most `FEW` racers. Other pairs swap in bursts of `BURST` passes, `CALM_MS` apart.
//
// The terminal client has the same machine (`sliderace_client.room.leaderboard`);
// `shared/vectors/leaderboard-v1.json` tests both.

import { compareRacers } from "./lanes.js";

/** @typedef {import("./lanes.js").Ranked} Ranked */

/**
 * Two neighbours changed places.
 * @typedef {object} Swap
 * @property {number} up seat of the racer who gained a place
 * @property {number} down seat of the racer who lost it
 * @property {boolean} flash it concerns the player or first place
 */

/**
 * @typedef {object} Window the ranks shown where not all fit
 * @property {number[]} ranks 0: best
 * @property {number} between how many are hidden between the first and the others shown
 * @property {number} behind how many are hidden below
 */

const FIRST_ORDER_MS = 2000; // before, every slide changes the order: it says nothing
export const PASS_MS = 240; // long enough to see who passed whom
export const FAST_PASS_MS = 120; // the shortest time in which a row can be followed
const FAR = 3; // places from the true one: further away, what is shown is plainly wrong
const FEW = 4; // racers of whom all rows can be watched at once
const BURST = 6; // passes in which most rows reach their true place
const CALM_MS = 1500; // between bursts, in which the rows can be read

/** The order in which the racers of one race are shown. */
export class Leaderboard {
  /** The order shown follows the true one; before that, ranks must not be shown. */
  ordered = false;
  /** Seats, as shown from the top. @type {number[]} */
  order = [];
  /** Seats, best first. @type {number[]} */
  truth = [];
  /** How long the swaps of the last pass may take to be shown, in ms. */
  pass = PASS_MS;
  /** Seat -> its best progress, and when it got there. @type {Map<number, [number, number]>} */
  #marks = new Map();
  #passedAt = 0;
  #calmUntil = 0;
  #burst = 0;

  /**
   * Take the newest state of all racers; call this several times a second.
   * @param {Ranked[]} racers
   * @param {number | null} mine the player's seat
   * @param {number} now
   * @returns {Swap[]} those that the order shown has made
   */
  update(racers, mine, now) {
    const bySeat = racers.toSorted((a, b) => a.seat - b.seat);
    for (const { seat, high } of bySeat)
      if (high > (this.#marks.get(seat)?.[0] ?? -1)) this.#marks.set(seat, [high, now]);
    this.truth = this.#ranked(bySeat);
    const finished = new Set(
      bySeat.filter(({ status }) => status === "finished").map(({ seat }) => seat),
    );
    if (this.ordered) {
      this.#followRoster();
      return this.#swap(mine, finished, now);
    }
    this.ordered = now >= FIRST_ORDER_MS || finished.size > 0;
    this.order = this.ordered ? [...this.truth] : bySeat.map(({ seat }) => seat);
    return [];
  }

  /** Whether the order shown is the true one; if not, `update` soon changes it. */
  get settled() {
    return this.ordered && this.order.every((seat, i) => seat === this.truth[i]);
  }

  /** @param {Ranked[]} bySeat @returns {number[]} seats, best first */
  #ranked(bySeat) {
    const reached = (/** @type {Ranked} */ { seat }) => this.#marks.get(seat)?.[1] ?? 0;
    const sorted = bySeat.toSorted((a, b) => {
      const better = compareRacers(a, b);
      return better || a.status === "finished" ? better : reached(a) - reached(b);
    });
    return sorted.map(({ seat }) => seat);
  }

  /** Show racers of whom we hear late at the end, and drop those who are gone. */
  #followRoster() {
    const kept = this.order.filter((seat) => this.truth.includes(seat));
    if (kept.length === this.truth.length) this.order = kept;
    else this.order = [...new Set([...kept, ...this.truth])];
  }

  /**
   * Swap neighbours that are in the wrong order and due.
   * @param {number | null} mine @param {Set<number>} finished @param {number} now
   * @returns {Swap[]}
   */
  #swap(mine, finished, now) {
    const { order } = this;
    const places = new Map(this.truth.map((seat, i) => [seat, i]));
    const placeOf = (/** @type {number} */ seat) => places.get(seat) ?? 0;
    const off = Math.max(0, ...order.map((seat, i) => Math.abs(placeOf(seat) - i)));
    const pass = off > FAR ? FAST_PASS_MS : PASS_MS;
    if (!off || now - this.#passedAt < pass) return [];
    const everybody = now >= this.#calmUntil;
    const shown = mine === null ? -1 : order.indexOf(mine);
    const own = mine === null ? -1 : placeOf(mine);
    const matters = (/** @type {number} */ i) => {
      const seat = order[i];
      if (placeOf(seat) === 0 || finished.has(seat) || i === shown) return true;
      return shown >= 0 && placeOf(seat) < own !== i < shown;
    };
    const due = order
      .slice(1)
      .map((_, i) => everybody || order.length <= FEW || matters(i) || matters(i + 1));
    /** @type {Swap[]} */
    const swaps = [];
    for (let i = 0; i < due.length; i += 1) {
      const [down, up] = [order[i], order[i + 1]];
      if (!due[i] || placeOf(down) < placeOf(up)) continue;
      [order[i], order[i + 1]] = [up, down];
      swaps.push({ up, down, flash: up === mine || down === mine || i === 0 });
      i += 1;
    }
    if (swaps.length) {
      this.#passedAt = now;
      this.pass = pass;
    }
    if (everybody && (this.#burst += 1) === BURST) {
      this.#burst = 0;
      this.#calmUntil = now + CALM_MS;
    }
    return swaps;
  }
}

/**
 * Choose the ranks to show where there are fewer lines than racers: the first, and those
 * around the player. One line is kept free, for the number of those hidden.
 * @param {number} many racers
 * @param {number} lines at least 5
 * @param {number} mine the player's rank, 0: best; a spectator's is 0
 * @returns {Window}
 */
export function shownRanks(many, lines, mine) {
  const all = Array.from({ length: many }, (_, rank) => rank);
  if (many <= lines) return { ranks: all, between: 0, behind: 0 };
  const near = lines - 2;
  const first = Math.max(1, Math.min(mine - Math.floor(near / 2), many - near));
  const ranks = [0, ...all.slice(first, first + near)];
  return { ranks, between: first - 1, behind: many - near - first };
}
