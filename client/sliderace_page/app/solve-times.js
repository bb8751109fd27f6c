// Solves of one size, remembered: best, and averages as the WCA counts them. Pure but
// for the storage that is handed in.

const KEY = "sliderace.solo.";
const KEPT = 100; // solves of each size

/**
 * A finished solve.
 * @typedef {{ms: number, stm: number, mtm: number, undone: number, own: boolean}} Time
 *   own: the seed was typed in, so the board may be known
 */

/** Whether a solve counts for records: nothing taken back, a board not known. */
export const counts = ({ undone, own }) => undone === 0 && !own;

/**
 * The average of the last solves (WCA 9f8): without the best and the worst, the mean of
 * the others.
 * @param {Time[]} times the latest last
 * @param {number} many 5 or 12
 * @returns {number | null} ms; null: there are not so many yet
 */
export function average(times, many) {
  if (times.length < many) return null;
  const sorted = times
    .slice(-many)
    .map(({ ms }) => ms)
    .sort((a, b) => a - b);
  const inner = sorted.slice(1, -1);
  return Math.round(inner.reduce((sum, ms) => sum + ms, 0) / inner.length);
}

export class Times {
  /** @param {Storage} [storage] missing or full: kept until the page is closed */
  constructor(storage) {
    this.storage = storage;
    this.sizes = new Map();
  }

  /** All solves of a size, the latest last. @param {string} size @returns {Time[]} */
  of(size) {
    if (!this.sizes.has(size)) this.sizes.set(size, this.#read(size));
    return this.sizes.get(size).times;
  }

  /** @param {string} size @returns {Time[]} only those that count */
  counted(size) {
    return this.of(size).filter(counts);
  }

  /** The best solve that counts, of all times. @returns {Time | null} */
  best(size) {
    this.of(size);
    return this.sizes.get(size).best;
  }

  /**
   * Keep a solve.
   * @param {string} size @param {Time} time
   * @returns {boolean} whether it is a personal best
   */
  add(size, time) {
    this.of(size);
    const kept = this.sizes.get(size);
    kept.times = [...kept.times, time].slice(-KEPT);
    const record = counts(time) && (kept.best === null || time.ms < kept.best.ms);
    if (record) kept.best = time;
    try {
      this.storage?.setItem(KEY + size, JSON.stringify(kept));
    } catch {
      // Full or forbidden: it is kept until the page is closed.
    }
    return record;
  }

  #read(size) {
    try {
      const { times, best } = JSON.parse(this.storage.getItem(KEY + size));
      return {
        times: times.filter(isTime).slice(-KEPT),
        best: isTime(best) ? best : null,
      };
    } catch {
      return { times: [], best: null };
    }
  }
}

/** Storage may hold anything. */
const isTime = (time) =>
  typeof time === "object" &&
  time !== null &&
  ["ms", "stm", "mtm", "undone"].every(
    (name) => Number.isSafeInteger(time[name]) && time[name] >= 0,
  ) &&
  typeof time.own === "boolean";
