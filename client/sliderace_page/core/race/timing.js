// The official time, as in the Python twin, `sliderace.race.timing`. Pure.

import { constants } from "../constants.js";

/**
 * A connection as the official time counts it, in ms: the round trip R, its jitter M
 * (both 0 with fewer than five samples), and the credit for outages.
 * @typedef {{rtt: number, jitter: number, outage: number}} Latency
 */

/** The most that jitter can change a time. @param {number} jitter M, in ms */
export function jitterAllowance(jitter) {
  const { jitter_floor_ms: floor, jitter_ceiling_ms: ceiling } = constants.timing;
  return Math.min(Math.max(2 * jitter, floor), ceiling);
}

/** K: the largest credit a connection can earn, in ms. @param {Latency} latency */
export function creditBound({ rtt, jitter, outage }, friendly = false) {
  const extra = friendly ? constants.timing.friendly_ms : 0;
  return countedRtt(rtt) + jitterAllowance(jitter) + extra + outage;
}

/** @param {number} rtt R, in ms */
const countedRtt = (rtt) => Math.min(rtt, constants.timing.rtt_ceiling_ms);

/**
 * The time that decides the rank, in ms.
 * @param {number} g from the reveal to the arrival of the solving slide
 * @param {number | null} e the client's timestamp of that slide
 * @param {Latency} latency
 */
export function official(g, e, latency, friendly = false) {
  if (e === null) return Math.max(0, g - countedRtt(latency.rtt) - latency.outage);
  if (e > g) return g;
  return Math.max(0, e, g - creditBound(latency, friendly));
}

/**
 * How much of a racer's last interval server outages cover, in ms.
 * @param {number[]} arrivals of the slides, ascending
 * @param {[number, number][]} outages from, until; ascending
 * @param {number} start when the board was unlocked
 * @param {number} end arrival of the solving slide
 */
export function outageOverlap(arrivals, outages, start, end) {
  const { resend_ms: resend } = constants.timing;
  let total = 0;
  let covered = start;
  for (const [down, until] of outages) {
    // Slides that arrive so soon after an outage were made during it: one message.
    const resent = until <= end && end <= until + resend ? until : end;
    const before = arrivals[firstFrom(arrivals, resent) - 1] ?? start;
    total += Math.max(0, until - Math.max(before, down, covered));
    covered = Math.max(covered, until);
  }
  return total;
}

/**
 * The index of the first of these ascending moments that is not before `moment`, by
 * bisection: a hostile record has very many slides and outages.
 * @param {number[]} moments @param {number} moment
 */
export function firstFrom(moments, moment) {
  let low = 0;
  let high = moments.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (moments[middle] < moment) low = middle + 1;
    else high = middle;
  }
  return low;
}
