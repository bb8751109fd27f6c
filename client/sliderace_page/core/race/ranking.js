// Order and places, as in the Python twin, `sliderace.race.ranking`. Pure.

import { jitterAllowance } from "./timing.js";

/** @typedef {import("../proof/reading.js").WrittenRacer} WrittenRacer */
/** @typedef {{racer: WrittenRacer, place: number | null, photo: boolean}} Ranked */

const ORDER = ["finished", "dnf", "forfeited", "dns"];

/**
 * The racers of a record in order, with the place and photo mark that each should have.
 * @param {WrittenRacer[]} racers
 */
export function rank(racers) {
  const keys = new Map(racers.map((racer) => [racer, key(racer)]));
  const order = (/** @type {WrittenRacer} */ a, /** @type {WrittenRacer} */ b) =>
    compare(keys.get(a) ?? [], keys.get(b) ?? []);
  const ranked = [...racers].sort((a, b) => order(a, b) || a.seat - b.seat);
  /** @type {Ranked[]} */
  const rows = [];
  for (const [n, racer] of ranked.entries()) {
    const shared = n > 0 && order(ranked[n - 1], racer) === 0;
    const place = shared ? rows[n - 1].place : n + 1;
    rows.push({
      racer,
      place: racer.status === "dns" ? null : place,
      photo: isPhoto(ranked[n - 1], racer) || isPhoto(racer, ranked[n + 1]),
    });
  }
  return rows;
}

/** The sort key of a racer, the most important part first. @param {WrittenRacer} racer */
function key({ status, finish, high, high_ms: moment, stm }) {
  const order = ORDER.indexOf(status);
  return finish ? [order, finish.official_ms] : [order, -high, moment, stm];
}

/** @param {number[]} one @param {number[]} other */
function compare(one, other) {
  const at = one.findIndex((value, n) => value !== other[n]);
  if (at < 0) return one.length - other.length;
  return at < other.length ? one[at] - other[at] : 1;
}

/**
 * Whether two neighbours are in a photo finish.
 * @param {WrittenRacer | undefined} one @param {WrittenRacer | undefined} other
 */
function isPhoto(one, other) {
  if (!one?.finish || !other?.finish) return false;
  const jitter = Math.max(one.finish.jitter_ms, other.finish.jitter_ms);
  const apart = Math.abs(one.finish.official_ms - other.finish.official_ms);
  return apart < jitterAllowance(jitter);
}
