// Statistics of one event, for tables and charts, as in
// sliderace_client.shared_ui.statistics; both pass shared/vectors/statistics-v1.json. Pure.
//
// They are computed from a profile's history: the rows of the event `history`, the latest
// first; pages are joined in the same order. null stands for a DNF, or for an average of
// too few attempts. Only attempts that count enter averages and figures; averages are over
// consecutive ones, with their DNFs. All results are integers, rounded half up.

import { average, mean } from "./averages.js";
import { DAY_MS } from "./moments.js";
import { plausible } from "./proof/summary.js";

/** @typedef {import("./messages.js").HistoryRow} HistoryRow */
/** @typedef {number | null} Ms */
/**
 * An attempt that counts, and how things stood after it: its time, the averages of the
 * last five and twelve, and the best time so far.
 * @typedef {{started_ms: number, time_ms: Ms, ao5_ms: Ms, ao12_ms: Ms, best_ms: Ms}} Point
 */
/**
 * @typedef {object} Summary
 * @property {number} attempts those that count
 * @property {number} finished
 * @property {Ms} best_ms
 * @property {Ms} best_ao5_ms
 * @property {Ms} best_ao12_ms
 * @property {Ms} ao5_ms of the last five
 * @property {Ms} ao12_ms of the last twelve
 */
/**
 * The median of the latest twelve, and median and mean of all; null: no values. Names in
 * `_milli` are thousandths.
 * @typedef {{name: typeof FIGURES[number], recent: Ms, median: Ms, mean: Ms}} Figure
 */
/** How many times are at least low and below high; null: open.
 * @typedef {{low_ms: number, high_ms: Ms, many: number}} Bin */
/**
 * A day in UTC: days since 1970, how many attempts began on it, and how its daily race
 * ended; "": there was none.
 * @typedef {{day: number, attempts: number, daily: "" | "finished" | "dnf"}} Day
 */

const RECENT = 12; // as many as in an ao12
const OUTLIER = 3; // medians; longer times would flatten every chart
const WIDTHS = [
  10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 30_000, 60_000, 120_000,
  300_000, 600_000, 1_200_000, 1_800_000, 3_600_000,
]; // ms of the bins: their edges are easy to read
export const FIGURES = /** @type {const} */ ([
  "time_ms",
  "tps_milli",
  "m_md_milli",
  "first_ms",
  "pauses_milli",
]);

/** @param {HistoryRow} row @returns {Ms} */
const timeOf = ({ status, time_ms: time }) => (status === "finished" ? time : null);

/** @param {Ms[]} times @returns {Ms} */
function least(times) {
  const known = times.filter((time) => time !== null);
  return known.length ? known.reduce((a, b) => Math.min(a, b)) : null;
}

/**
 * The average of the last times; null also if there are fewer.
 * @param {Ms[]} times @param {number} many
 */
const last = (times, many) =>
  times.length < many ? null : average(times.slice(-many));

/** The attempts that count, the earliest first. @param {HistoryRow[]} rows @returns {Point[]} */
export function trend(rows) {
  /** @type {Ms[]} */
  const times = [];
  /** @type {Ms} */
  let best = null;
  return rows
    .filter(({ counts }) => counts)
    .toReversed()
    .map((row) => {
      const time = timeOf(row);
      times.push(time);
      best = least([best, time]);
      return {
        started_ms: row.started_ms,
        time_ms: time,
        ao5_ms: last(times, 5),
        ao12_ms: last(times, 12),
        best_ms: best,
      };
    });
}

/** @param {Point[]} points a trend @returns {Summary} */
export function summary(points) {
  const now = points.at(-1);
  return {
    attempts: points.length,
    finished: finishedTimes(points).length,
    best_ms: now?.best_ms ?? null,
    best_ao5_ms: least(points.map((point) => point.ao5_ms)),
    best_ao12_ms: least(points.map((point) => point.ao12_ms)),
    ao5_ms: now?.ao5_ms ?? null,
    ao12_ms: now?.ao12_ms ?? null,
  };
}

/** The figures of the finished attempts that count. @param {HistoryRow[]} rows @returns {Figure[]} */
export function figures(rows) {
  const finished = rows.filter((row) => row.counts && row.status === "finished");
  return FIGURES.map((name) => {
    const known = finished.map((row) => valueOf(name, row)).filter((value) => value !== null);
    return {
      name,
      recent: median(known.slice(0, RECENT)),
      median: median(known),
      mean: known.length ? mean(known) : null,
    };
  });
}

/** @param {typeof FIGURES[number]} name @param {HistoryRow} row @returns {Ms} */
function valueOf(name, row) {
  const { stm, md } = row;
  const solve = plausible(row);
  switch (name) {
    case "tps_milli":
      return solve && quotient(stm * 1_000_000, solve);
    case "m_md_milli":
      return md ? quotient(stm * 1000, md) : null;
    case "first_ms":
      return row.first_ms;
    case "pauses_milli":
      return row.pauses * 1000;
    default:
      return row.time_ms;
  }
}

/** A quotient, rounded half up. @param {number} total @param {number} count */
const quotient = (total, count) => Math.floor((2 * total + count) / (2 * count));

/** @param {number[]} values @returns {Ms} null: there are none */
function median(values) {
  if (!values.length) return null;
  const ordered = values.toSorted((a, b) => a - b);
  const half = Math.floor(values.length / 2);
  return mean(ordered.slice(values.length % 2 ? half : half - 1, half + 1));
}

/** The times of a trend, without its DNFs. @param {Point[]} points */
export const finishedTimes = (points) =>
  points.map((point) => point.time_ms).filter((time) => time !== null);

/** The longest time that is no outlier; 0 without times. @param {number[]} times */
export function ceiling(times) {
  const limit = OUTLIER * (median(times) ?? 0);
  return times.reduce((top, time) => (time <= limit ? Math.max(top, time) : top), 0);
}

/**
 * How often each range of times occurs, the shortest first. All bins have the same width.
 * Outliers, above the ceiling, are in one more bin, which is open.
 * @param {number[]} times
 * @param {number} most bins without the open one, at least 1
 * @returns {Bin[]}
 */
export function histogram(times, most) {
  if (!times.length) return [];
  const top = ceiling(times);
  const low = times.reduce((a, b) => Math.min(a, b));
  const bin = (/** @type {number} */ time, /** @type {number} */ wide) => Math.floor(time / wide);
  const width = WIDTHS.find((wide) => bin(top, wide) - bin(low, wide) < most) ?? top + 1;
  const first = bin(low, width);
  const after = bin(top, width) + 1;
  /** @type {Bin[]} */
  const bins = Array.from({ length: after - first }, (_, i) => ({
    low_ms: (first + i) * width,
    high_ms: (first + i + 1) * width,
    many: 0,
  }));
  let outliers = 0;
  for (const time of times) {
    if (time > top) outliers += 1;
    else bins[bin(time, width) - first].many += 1;
  }
  return outliers ? [...bins, { low_ms: after * width, high_ms: null, many: outliers }] : bins;
}

/**
 * The days of some weeks, Monday first; the last one ends with today.
 * @param {HistoryRow[]} rows
 * @param {number} today days since 1970 in UTC
 * @param {number} weeks at least 1
 * @returns {Day[][]}
 */
export function calendar(rows, today, weeks) {
  /** @type {Map<number, number>} */
  const attempts = new Map();
  /** @type {Map<number, "finished" | "dnf">} */
  const dailies = new Map();
  for (const { started_ms: started, kind, status } of rows) {
    const day = Math.floor(started / DAY_MS);
    attempts.set(day, (attempts.get(day) ?? 0) + 1);
    if (kind === "daily") dailies.set(day, status === "finished" ? "finished" : "dnf");
  }
  const monday = today - ((today + 3) % 7); // 1970-01-01 was a Thursday
  return Array.from({ length: weeks }, (_, week) => {
    const start = monday - 7 * (weeks - 1 - week);
    return Array.from({ length: Math.min(7, today - start + 1) }, (__, i) => ({
      day: start + i,
      attempts: attempts.get(start + i) ?? 0,
      daily: dailies.get(start + i) ?? "",
    }));
  });
}
