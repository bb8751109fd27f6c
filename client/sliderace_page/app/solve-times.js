// Solo solves of each size: the best, and averages as the WCA defines them. Pure except
// for the storage that it is given.

import { average as averageOf } from "../core/averages.js";
import { tryStorage } from "./seats.js";

const KEY = "sliderace.solo.";
const KEPT = 100; // solves per size

/**
 * A solve.
 * @typedef {{ms: number, stm: number, mtm: number, undone: number, own: boolean,
 *   dnf?: boolean}} Time own: the player typed the seed, so they may know the board;
 *   dnf: given up in a race, where every board counts
 */
/** @typedef {{times: Time[], best: Time | null}} Kept the latest last */

/** Whether a solve counts: without undo, on an unknown board. @param {Time} time */
export const counts = ({ undone, own }) => undone === 0 && !own;

/**
 * The average of the last solves.
 * @param {Time[]} times the latest last
 * @param {number} many 5 or 12
 * @returns {number | null} ms; Infinity: DNF; null: there are fewer
 */
export function average(times, many) {
  if (times.length < many) return null;
  return averageOf(times.slice(-many).map(({ ms, dnf }) => (dnf ? null : ms))) ?? Infinity;
}

export class Times {
  /** @type {Map<string, Kept>} */
  #sizes = new Map();

  /** @param {Storage} [storage] if missing or full: kept until the page is closed */
  constructor(storage) {
    this.storage = storage;
  }

  /** All solves of a size, the latest last. @param {string} size */
  of(size) {
    return this.#kept(size).times;
  }

  /** Those that count. @param {string} size */
  counted(size) {
    return this.of(size).filter(counts);
  }

  /** The best solve that counts. @param {string} size */
  best(size) {
    return this.#kept(size).best;
  }

  /**
   * Keep a solve.
   * @param {string} size @param {Time} time
   * @returns {boolean} whether it is a personal best
   */
  add(size, time) {
    const kept = this.#kept(size);
    kept.times = [...kept.times, time].slice(-KEPT);
    const isBest = counts(time) && !time.dnf && (kept.best === null || time.ms < kept.best.ms);
    if (isBest) kept.best = time;
    tryStorage(() => this.storage?.setItem(KEY + size, JSON.stringify(kept)));
    return isBest;
  }

  /** @param {string} size */
  #kept(size) {
    const kept = this.#sizes.get(size) ?? this.#read(size);
    this.#sizes.set(size, kept);
    return kept;
  }

  /** @param {string} size @returns {Kept} */
  #read(size) {
    const read = tryStorage(() => {
      const { times, best } = JSON.parse(this.storage?.getItem(KEY + size) ?? "{}");
      return {
        times: times.filter(isTime).slice(-KEPT),
        best: isTime(best) ? best : null,
      };
    });
    return read ?? { times: [], best: null };
  }
}

/** Storage may contain anything. @param {unknown} value @returns {value is Time} */
function isTime(value) {
  if (typeof value !== "object" || value === null) return false;
  const { ms, stm, mtm, undone, own } = /** @type {Record<string, unknown>} */ (value);
  return (
    [ms, stm, mtm, undone].every((n) => Number.isSafeInteger(n) && Number(n) >= 0) &&
    typeof own === "boolean"
  );
}
