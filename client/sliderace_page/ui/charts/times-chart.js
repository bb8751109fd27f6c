// The times of all attempts in a row, with running averages and best steps.

import { apart, markText, spread, timeMarks } from "../../core/chart-axis.js";
import { formatTime } from "../../core/figures.js";
import { momentText } from "../../core/moments.js";
import { ceiling, finishedTimes, summary } from "../../core/statistics.js";
import { averageText, timeText, timesSentence } from "../../core/statistics-text.js";
import { text } from "../../core/texts.js";
import { draw } from "../svg.js";
import { cross, wedge } from "./chart.js";

/** @typedef {import("../../core/statistics.js").Point} Point */
/** @typedef {import("./chart.js").Content} Content */
/** @typedef {(i: number) => number} Place of an attempt, in px */

const LEFT = 46; // px for the marks of the time axis
const RIGHT = 44; // for the names of the lines
const TOP = 10;
const BOTTOM = 24;
const BAND = 16; // for DNFs, and for longer times
const SHAPE = 0.36; // height by width
const [LOWEST, HIGHEST] = [200, 400];
const LINE = 15; // between two names
const DATE_PX = 68;
const FEW = 40; // attempts up to which the dots are large
const DENSE_PX = 2.5; // between two attempts; below, dots are small and lines thin
const MARKS = 6; // spaces on the time axis
/** @type {["best_ms" | "ao12_ms" | "ao5_ms", string][]} */
const LINES = [
  ["best_ms", "best"],
  ["ao5_ms", "ao5"],
  ["ao12_ms", "ao12"],
];

/** @param {Point[]} points a trend @returns {Content} */
export function timesChart(points) {
  const times = finishedTimes(points);
  const top = ceiling(times);
  const longer = times.some((time) => time > top);
  const dnf = times.length < points.length;
  /** @type {[string, boolean][]} */
  const kinds = [
    ["attempts", times.length > 0],
    ["ao5", points.some((point) => point.ao5_ms !== null)],
    ["ao12", points.some((point) => point.ao12_ms !== null)],
    ["best", times.length > 1],
    ["longer", longer],
    ["dnf", dnf],
  ];
  return {
    sentence: timesSentence(summary(points)),
    legend: kinds
      .filter(([, shown]) => shown)
      .map(([kind]) => [kind, text(`chart.kind.${kind}`, { time: formatTime(top) })]),
    paint: points.length ? (width) => paint(points, width, { times, top, longer, dnf }) : null,
    describe: (i) => describe(points, i),
    heads: ["chart.started", "column.time", "chart.ao5", "chart.ao12", "chart.best"].map((key) =>
      text(key),
    ),
    rows: () =>
      points
        .map((point, i) => [
          momentText(point.started_ms, "full"),
          timeText(point.time_ms),
          averageText(points, i, 5),
          averageText(points, i, 12),
          point.best_ms === null ? "" : formatTime(point.best_ms),
        ])
        .toReversed(),
  };
}

/** @param {Point[]} points @param {number} i */
const describe = (points, i) =>
  text("chart.attempt", {
    when: momentText(points[i].started_ms, "full"),
    time: timeText(points[i].time_ms),
    ao5: averageText(points, i, 5),
    ao12: averageText(points, i, 12),
  });

/**
 * @param {Point[]} points @param {number} width px
 * @param {{times: number[], top: number, longer: boolean, dnf: boolean}} known
 * @returns {import("./chart.js").Picture}
 */
function paint(points, width, { times, top, longer, dnf }) {
  const shape = Math.min(HIGHEST, Math.max(LOWEST, width * SHAPE));
  const height = times.length ? Math.round(shape) : TOP + 2 * BAND + BOTTOM;
  const dnfAt = TOP + 4;
  const longerAt = dnfAt + (dnf ? BAND : 0);
  const ceilingAt = TOP + (dnf ? BAND : 0) + (longer ? BAND : 0);
  const floorAt = height - BOTTOM;
  const low = times.reduce((a, b) => Math.min(a, b), top);
  const { step, marks } = timeMarks(low, top, MARKS);
  const [first, last] = [marks[0], marks[marks.length - 1]];
  /** @type {Place} */
  const x = (i) => LEFT + ((width - LEFT - RIGHT) * (i + 0.5)) / points.length;
  const y = (/** @type {number} */ ms) =>
    Math.max(ceilingAt, floorAt - ((floorAt - ceilingAt) * (ms - first)) / (last - first));
  const parts = [];
  if (times.length)
    for (const ms of marks) {
      parts.push(draw("path", { class: "axis", d: `M${LEFT} ${y(ms).toFixed(1)}H${width - RIGHT}` }));
      const place = { class: "mark", x: LEFT - 8, y: y(ms) + 4, "text-anchor": "end" };
      parts.push(draw("text", place, markText(ms, step)));
    }
  else parts.push(draw("path", { class: "axis", d: `M${LEFT} ${floorAt}H${width - RIGHT}` }));
  parts.push(...dates(points, x, width, height));
  const dots = [""];
  const wedges = [""];
  const crosses = [""];
  points.forEach(({ time_ms: time }, i) => {
    if (time === null) crosses.push(cross(x(i), dnfAt));
    else if (time > top) wedges.push(wedge(x(i), longerAt));
    else dots.push(`M${x(i).toFixed(1)} ${y(time).toFixed(1)}h0`);
  });
  const dense = width - LEFT - RIGHT < DENSE_PX * points.length;
  const many = dense ? " many" : points.length <= FEW ? " few" : "";
  parts.push(draw("path", { class: `attempts${many}`, d: dots.join("") }));
  parts.push(draw("path", { class: "longer", d: wedges.join("") }));
  parts.push(draw("path", { class: `dnf${many}`, d: crosses.join("") }));
  for (const [name, kind] of LINES) {
    const way = name === "best_ms" ? steps(points, x, y) : line(points, name, x, y);
    parts.push(draw("path", { class: `${kind}${many}`, d: way }));
  }
  parts.push(...names(points, y, width - RIGHT + 6, floorAt));
  return { height, parts, places: points.map((_, i) => x(i)) };
}

/**
 * The days of some attempts; the times of day if all are of one day.
 * @param {Point[]} points @param {Place} x @param {number} width @param {number} height px
 */
function dates(points, x, width, height) {
  const most = Math.max(1, Math.floor((width - LEFT - RIGHT) / DATE_PX));
  const [first, last] = [points[0], points[points.length - 1]];
  const oneDay = first && momentText(first.started_ms, "day") === momentText(last.started_ms, "day");
  let before = "";
  return spread(points.length, most).flatMap((i) => {
    const label = momentText(points[i].started_ms, oneDay ? "time" : "short");
    if (label === before) return [];
    before = label;
    const at = { class: "mark", x: x(i), y: height - 6, "text-anchor": "middle" };
    return [draw("text", at, label)];
  });
}

/**
 * A line through the averages, with gaps where there is none.
 * @param {Point[]} points @param {"ao5_ms" | "ao12_ms"} name
 * @param {Place} x @param {(ms: number) => number} y
 */
function line(points, name, x, y) {
  const found = [""];
  let drawing = false;
  points.forEach((point, i) => {
    const ms = point[name];
    if (ms !== null) {
      const place = `${x(i).toFixed(1)} ${y(ms).toFixed(1)}`;
      found.push(drawing ? `L${place}` : `M${place}h0`);
    }
    drawing = ms !== null;
  });
  return found.join("");
}

/** The best time so far. @param {Point[]} points @param {Place} x @param {(ms: number) => number} y */
function steps(points, x, y) {
  const found = [""];
  points.forEach(({ best_ms: best }, i) => {
    if (best === null) return;
    const at = y(best).toFixed(1);
    const isFirst = found.length === 1;
    if (isFirst) found.push(`M${x(i).toFixed(1)} ${at}`);
    else if (best !== points[i - 1].best_ms) found.push(`H${x(i).toFixed(1)}V${at}`);
  });
  if (found.length > 1) found.push(`H${x(points.length - 1).toFixed(1)}`);
  return found.join("");
}

/**
 * The names of the lines, beside their ends.
 * @param {Point[]} points @param {(ms: number) => number} y
 * @param {number} left @param {number} bottom px
 */
function names(points, y, left, bottom) {
  const ends = LINES.flatMap(([name, kind]) => {
    const ms = points.findLast((point) => point[name] !== null)?.[name] ?? null;
    return ms === null || points.length < 2 ? [] : [{ kind, at: y(ms) }];
  }).sort((a, b) => a.at - b.at);
  const places = apart(ends.map(({ at }) => at), LINE, bottom);
  return ends.map(({ kind }, i) =>
    draw("text", { class: `name ${kind}`, x: left, y: places[i] + 4 }, text(`chart.${kind}`)),
  );
}
