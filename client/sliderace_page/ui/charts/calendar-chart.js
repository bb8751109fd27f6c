// The days of the last weeks: how much was raced, and which daily races.

import { utcDayText } from "../../core/moments.js";
import { calendar } from "../../core/statistics.js";
import { calendarSentence, dailyText } from "../../core/statistics-text.js";
import { text } from "../../core/texts.js";
import { draw } from "../svg.js";
import { dailyMark } from "./chart.js";

/** @typedef {import("../../core/statistics.js").Day} Day */
/** @typedef {import("../../core/statistics.js").HistoryRow} HistoryRow */
/** @typedef {import("./chart.js").Content} Content */

const LEFT = 36; // px for the names of the days
const TOP = 20; // for the names of the months
const GAP = 3;
const [LEAST, MOST] = [16, 19]; // px from one week to the next
const YEAR = 53; // weeks
const LEVELS = [1, 3, 6, 12]; // attempts from which a day has the next colour
const NAMED = [0, 2, 4]; // Monday, Wednesday, Friday
const MONTH_PX = 30; // the least distance of two names

/** How many weeks a width has space for. @param {number} width px */
const weeksIn = (width) => Math.max(4, Math.min(YEAR, Math.floor((width - LEFT) / LEAST)));

/**
 * @param {HistoryRow[]} rows a history @param {number} today days since 1970 in UTC
 * @returns {Content}
 */
export function calendarChart(rows, today) {
  const year = calendar(rows, today, YEAR);
  const days = year.flat().filter(({ attempts }) => attempts > 0);
  const dailies = new Set(days.map(({ daily }) => daily));
  /** @type {[string, string][]} */
  const legend = LEVELS.map((least, i) => {
    const most = (LEVELS[i + 1] ?? Infinity) - 1;
    const range = most === least ? `${least}` : `${least}\u2013${most}`;
    return [`level${i + 1}`, most === Infinity ? text("chart.from", { least }) : range];
  });
  if (dailies.has("finished")) legend.push(["daily", text("chart.daily_finished")]);
  if (dailies.has("dnf")) legend.push(["daily-dnf", text("chart.daily_dnf")]);
  return {
    sentence: calendarSentence(year.flat()),
    legend: days.length ? legend : [],
    paint: (width) => paint(calendar(rows, today, weeksIn(width)), width),
    heads: ["chart.day", "chart.attempts", "chart.daily"].map((key) => text(key)),
    rows: () =>
      days
        .map((day) => [utcDayText(day.day, "full"), String(day.attempts), dailyText(day.daily)])
        .toReversed(),
  };
}

/** @param {Day[][]} weeks @param {number} width px @returns {import("./chart.js").Picture} */
function paint(weeks, width) {
  const pitch = Math.min(MOST, Math.max(LEAST, Math.floor((width - LEFT) / weeks.length)));
  const size = pitch - GAP;
  const parts = [];
  let month = "";
  let named = -MONTH_PX;
  weeks.forEach((week, column) => {
    const x = LEFT + column * pitch;
    const name = utcDayText(week[0].day, "month");
    if (name !== month && x - named >= MONTH_PX) {
      if (column > 0 || x + MONTH_PX < width)
        parts.push(draw("text", { class: "mark", x, y: TOP - 7 }, name));
      named = x;
    }
    month = name;
    week.forEach((day, row) => {
      const y = TOP + row * pitch;
      const level = LEVELS.filter((least) => day.attempts >= least).length;
      const box = { x, y, width: size, height: size, rx: 3 };
      const cell = draw("rect", { class: `day level${level}`, ...box });
      cell.append(draw("title", {}, titleOf(day)));
      parts.push(cell);
      if (day.daily)
        parts.push(dailyMark(x + size / 2, y + size / 2, day.daily === "finished"));
    });
  });
  for (const row of NAMED) {
    const at = { class: "mark", x: LEFT - 6, y: TOP + row * pitch + size - 2 };
    const name = utcDayText(weeks[0][row]?.day ?? row + 4, "weekday"); // 1970-01-05 is a Monday
    parts.push(draw("text", { ...at, "text-anchor": "end" }, name));
  }
  return { height: TOP + 7 * pitch, parts };
}

/** @param {Day} day */
function titleOf({ day, attempts: count, daily }) {
  const attempts = text("count.attempts", { count });
  const title = text("chart.day_title", { day: utcDayText(day, "full"), attempts });
  return daily ? text("chart.day_title_daily", { title, daily: dailyText(daily) }) : title;
}
