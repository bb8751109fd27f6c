// Statistics in words. Pure.

import { formatTime } from "./figures.js";
import { histogram } from "./statistics.js";
import { text } from "./texts.js";

/** @typedef {import("./statistics.js").Point} Point */
/** @typedef {import("./statistics.js").Bin} Bin */
/** @typedef {import("./statistics.js").Day} Day */
/** @typedef {import("./statistics.js").Summary} Summary */

const BINS = 12; // in the sentence on the most frequent times
const RECENT_DAYS = 30;

/** A time; null is a DNF. @param {number | null} ms */
export const timeText = (ms) => (ms === null ? text("status.dnf") : formatTime(ms));

/**
 * The average after an attempt: a time, a DNF, or a dash if there were too few.
 * @param {Point[]} points a trend @param {number} i @param {5 | 12} many
 */
export const averageText = (points, i, many) =>
  i + 1 < many ? text("statistics.none_yet") : timeText(points[i][`ao${many}_ms`]);

/** A best time or average; a dash if there is none. @param {number | null} ms */
export const bestText = (ms) =>
  ms === null ? text("statistics.none_yet") : formatTime(ms);

/**
 * A figure: thousandths as a decimal, others as a time.
 * @param {import("./statistics.js").Figure["name"]} name @param {number | null} value
 */
export function figureText(name, value) {
  if (value === null) return text("statistics.none_yet");
  return name.endsWith("_milli") ? (value / 1000).toFixed(2) : formatTime(value);
}

/** The times and averages. @param {Summary} known */
export function timesSentence({ attempts, finished, best_ms: best, ao5_ms: ao5, ao12_ms: ao12 }) {
  if (!attempts) return text("statistics.no_attempts");
  if (best === null) return text("statistics.none_finished", { count: attempts });
  const many = text("count.attempts", { count: attempts });
  const said = [text("statistics.best_of", { many, finished, best: formatTime(best) })];
  if (attempts >= 12)
    said.push(text("statistics.latest_both", { ao5: timeText(ao5), ao12: timeText(ao12) }));
  else if (attempts >= 5) said.push(text("statistics.latest_ao5", { ao5: timeText(ao5) }));
  return said.join(" ");
}

/** The most frequent times. @param {number[]} times */
export function histogramSentence(times) {
  const bins = histogram(times, BINS);
  if (!bins.length) return text("statistics.no_times");
  const most = bins.reduce((best, bin) => (bin.many > best.many ? bin : best));
  const percent = Math.round((100 * most.many) / times.length);
  return text("statistics.most_frequent", { range: binText(most), percent });
}

/** A range of times. @param {Bin} bin */
export function binText({ low_ms: low, high_ms: high }) {
  const from = formatTime(low);
  return high === null
    ? text("statistics.range_open", { from })
    : text("statistics.range", { from, to: formatTime(high) });
}

/** How often somebody raced. @param {Day[]} days ascending, until today */
export function calendarSentence(days) {
  const raced = days.filter(({ attempts }) => attempts > 0).length;
  if (!raced) return text("statistics.no_days");
  const values = {
    count: raced,
    recent: days.slice(-RECENT_DAYS).filter(({ attempts }) => attempts > 0).length,
    days: RECENT_DAYS,
  };
  const count = days.filter(({ daily }) => daily !== "").length;
  const said = [text("statistics.days", values), count && text("statistics.dailies", { count })];
  return said.filter(Boolean).join(" ");
}

/** How a daily race ended. @param {Day["daily"]} daily */
export const dailyText = (daily) => (daily ? text(`chart.daily_${daily}`) : "");
