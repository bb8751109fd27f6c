// Who stands where, as in the Python twin, `sliderace.race.ranking`. Pure.

import { jitterAllowance } from "./timing.js";

const ORDER = ["finished", "dnf", "forfeited", "dns"];

/**
 * Racers of a record in their order, with the place and mark that each should have.
 * @param {any[]} racers of a record whose form is right
 * @returns {{racer: any, place: number | null, photo: boolean}[]}
 */
export function rank(racers) {
  const keys = new Map(racers.map((racer) => [racer, key(racer)]));
  const order = (a, b) => compare(keys.get(a), keys.get(b));
  const ranked = [...racers].sort((a, b) => order(a, b) || a.seat - b.seat);
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

function key({ status, finish, high, high_ms: moment, stm }) {
  const order = ORDER.indexOf(status);
  return finish ? [order, finish.official_ms] : [order, -high, moment, stm];
}

function compare(one, other) {
  const at = one.findIndex((value, n) => value !== other[n]);
  if (at < 0) return one.length - other.length;
  return at < other.length ? one[at] - other[at] : 1;
}

function isPhoto(one, other) {
  if (!one?.finish || !other?.finish) return false;
  const jitter = Math.max(one.finish.jitter_ms, other.finish.jitter_ms);
  const apart = Math.abs(one.finish.official_ms - other.finish.official_ms);
  return apart < jitterAllowance(jitter);
}
