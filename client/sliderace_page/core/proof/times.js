// The times in a race record, computed again: ends, outages, official times. The twin of
// `sliderace.proof.times`; "Times" in docs/race-record.md states the rules. Pure.

import { constants } from "../constants.js";
import { graceFor, limitOf } from "../race/limits.js";
import { firstFrom, official, outageOverlap } from "../race/timing.js";

/** @typedef {import("./reading.js").WrittenFinish} WrittenFinish */
/** @typedef {import("./reading.js").WrittenRace} WrittenRace */
/** @typedef {import("./reading.js").WrittenRacer} WrittenRacer */
/** @typedef {import("./reading.js").WrittenSlide} WrittenSlide */
/** The first fault; without a seat it is the race's.
 * @typedef {{code: string, seat?: number}} TimeFault */
/** The end of the grace time since T0 is within these bounds; null: nobody finished.
 * @typedef {{earliest: number, latest: number} | null} Grace */

/**
 * The first fault among the times of a record.
 * @param {WrittenRace} race @returns {TimeFault | null} null: they are right
 */
export function timeFault(race) {
  const moments = [...race.outages.flat(), race.ended_ms];
  if (moments.some((moment, n) => moment < moments[n - 1]))
    return { code: "outages_out_of_order" };
  if (race.racers.some((racer) => isInOutage(race, racer)))
    return { code: "slide_in_outage" };
  const grace = graceOf(race);
  for (const racer of race.racers) {
    const code = racerFault(race, racer, grace);
    if (code) return { code, seat: racer.seat };
  }
  const finishes = finishesOf(race);
  const last = Math.max(...finishes.map(({ arrival }) => arrival));
  const allFinished = finishes.length > 0 && finishes.length === race.racers.length;
  return allFinished && race.ended_ms !== last ? { code: "end" } : null;
}

/** @param {WrittenRace} race @param {WrittenRacer} racer @param {Grace} grace */
function racerFault(race, racer, grace) {
  const { slides, finish } = racer;
  const start = startOf(race, racer);
  const last = slides.at(-1);
  if (last) {
    if (start + last[3] > race.ended_ms) return "slide_after_end";
    if (start + slides[0][3] < 0) return "slide_before_start";
    if (isTooLate(race, start, start + last[3], grace)) return "slide_too_late";
  }
  const code = outagesFault(race.outages, racer, start);
  if (code) return code;
  if (["dnf", "dns"].includes(racer.status) && !mayEnd(race, racer, grace))
    return "reason";
  if (finish === null || !last) return "";
  return finishFault(racer, finish, last, race.rules.friendly_timing);
}

/** When the board was unlocked for a racer, since T0.
 * @param {WrittenRace} race @param {WrittenRacer} racer */
const startOf = ({ rules }, racer) => rules.inspection_ms - racer.lead_ms;

// --- When attempts end ---------------------------------------------------------------

/** The arrivals since T0 of the solving slides. @param {WrittenRace} race */
function finishesOf(race) {
  const all = race.racers.map((racer, n) => ({
    n,
    best: racer.finish?.official_ms ?? 0,
    arrival: racer.finish ? startOf(race, racer) + racer.finish.g_ms : Infinity,
  }));
  return all.filter(({ arrival }) => arrival < Infinity);
}

/** @param {WrittenRace} race @returns {Grace} */
function graceOf(race) {
  const { rules, outages } = race;
  const { rtt_ceiling_ms, jitter_ceiling_ms, friendly_ms, reconnect_ms } =
    constants.timing;
  const starts = race.racers.map((racer) => startOf(race, racer));
  const finishes = finishesOf(race);
  if (finishes.length === 0) return null;
  const first = Math.min(...finishes.map(({ arrival }) => arrival));
  const absent = outages
    .filter(([down]) => down < first)
    .reduce((sum, [down, up]) => sum + up + reconnect_ms - down, 0);
  const extra = rules.friendly_timing ? friendly_ms : 0;
  const credit = rtt_ceiling_ms + jitter_ceiling_ms + extra;
  const limit = limitOf(rules) || Infinity;
  // Several may have arrived in the same ms; any of them may have been first.
  const ends = finishes
    .filter(({ arrival }) => arrival === first)
    .map(({ n, arrival, best }) => {
      const until = Math.min(arrival + graceFor(rules, best), Math.max(...starts) + limit);
      const others = starts.toSpliced(n, 1);
      const certain = (others.length ? Math.max(...others) : 0) + best + credit + 1;
      const latest = Math.max(until, certain + absent, arrival + 1); // it was in time
      return [Math.max(until, certain), latest];
    });
  return {
    earliest: Math.min(...ends.map(([earliest]) => earliest)),
    latest: Math.max(...ends.map(([, latest]) => latest)),
  };
}

/**
 * Whether nobody could slide at this moment since T0 any more.
 * @param {WrittenRace} race @param {number} start @param {number} moment
 * @param {Grace} grace
 */
function isTooLate({ rules, outages }, start, moment, grace) {
  let end = Math.min(start + (limitOf(rules) || Infinity), grace?.latest ?? Infinity);
  for (const [down, up] of outages)
    if (down < end) end = Math.max(end, up + constants.timing.hold_ms);
  return moment >= end;
}

/**
 * Whether an attempt can have ended for the reason that the record states.
 * @param {WrittenRace} race @param {WrittenRacer} racer @param {Grace} grace
 */
function mayEnd(race, racer, grace) {
  const { rules, ended_ms: ended } = race;
  const start = startOf(race, racer);
  const limited = start + (limitOf(rules) || Infinity);
  switch (racer.why) {
    case "limit":
      return ended >= limited && !(grace && grace.latest < limited);
    case "grace":
      return grace !== null && ended >= grace.earliest && grace.earliest < limited;
    case "away":
      return ended >= Math.max(0, start + (racer.slides.at(-1)?.[3] ?? -start)) + rules.away_ms;
    default:
      return true;
  }
}

// --- Outages -------------------------------------------------------------------------

/** Whether a slide arrived while the server was down.
 * @param {WrittenRace} race @param {WrittenRacer} racer */
function isInOutage(race, racer) {
  const start = startOf(race, racer);
  const arrivals = racer.slides.map(([, , , at]) => start + at);
  return race.outages.some(([down, up]) => arrivals[firstFrom(arrivals, down + 1)] < up);
}

/**
 * Check that a racer's outages are all those before the racer's finish.
 * @param {[number, number][]} outages the server's @param {WrittenRacer} racer
 * @param {number} start
 */
function outagesFault(outages, racer, start) {
  const arrival = racer.finish ? start + racer.finish.g_ms : Infinity;
  const met = outages.filter(([down]) => down < arrival);
  if (racer.outages.length < met.length) return "missing_outage";
  if (racer.outages.length > met.length) return "foreign_outage";
  const isRight = racer.outages.every((own, n) => isPart(own, met[n], start));
  return isRight ? "" : "foreign_outage";
}

/**
 * Whether `own` is this outage for a racer: it ends when the racer is back.
 * @param {[number, number]} own @param {[number, number]} outage @param {number} start
 */
function isPart([from, until], outage, start) {
  const [down, up] = outage.map((moment) => moment - start);
  const soonest = Math.max(0, up);
  const latest = Math.max(0, up + constants.timing.reconnect_ms);
  return from === Math.max(0, down) && soonest <= until && until <= latest;
}

// --- Official times ------------------------------------------------------------------

/**
 * @param {WrittenRacer} racer
 * @param {WrittenFinish} finish
 * @param {WrittenSlide} last the solving slide
 * @param {boolean} friendly
 */
function finishFault({ slides, outages, approx }, finish, last, friendly) {
  const { g_ms: g, e_ms: e } = finish;
  const [first] = slides;
  const latency = {
    rtt: finish.rtt_ms,
    jitter: finish.jitter_ms,
    outage: finish.outage_ms,
  };
  const best = official(g, e, latency, friendly);
  const arrivals = slides.map((slide) => slide[3]);
  /** @type {[number, number][]} */
  const met = outages.map(([down, until]) => [down, Math.min(until, g)]);
  const outage = outageOverlap(arrivals, met, 0, g);
  const solve = Math.min(Math.max(0, last[2] - first[2], best - first[3]), best);
  if (g !== last[3]) return "arrival";
  const isPlausible = !approx && slides.every((slide) => slide[2] <= last[2]);
  if (e !== (isPlausible ? last[2] : null)) return "stamp";
  if (finish.outage_ms !== outage) return "outage";
  if (finish.official_ms !== best) return "official";
  if (finish.credit_ms !== g - best) return "credit";
  return finish.solve_ms === solve ? "" : "solve_time";
}
