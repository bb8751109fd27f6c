// How often each range of times occurs.

import { markText, spread } from "../../core/chart-axis.js";
import { histogram } from "../../core/statistics.js";
import { binText, histogramSentence } from "../../core/statistics-text.js";
import { text } from "../../core/texts.js";
import { draw } from "../svg.js";

/** @typedef {import("../../core/statistics.js").Bin} Bin */
/** @typedef {import("./chart.js").Content} Content */

const BIN_PX = 24; // the least width of a bin
const MOST = 24; // bins
const TABLE_BINS = 12;
const SIDE = 16; // px beside the bars
const [TOP, BOTTOM] = [20, 24];
const SHAPE = 0.42; // height by width
const [LOWEST, HIGHEST] = [180, 280];
const LABEL_PX = 50;
const COUNT_PX = 24; // the least width of a bar whose number is shown
const APART = 12; // px before the bar of the DNFs
const DNF_PX = 32; // width of its label

/**
 * @param {number[]} times of finished attempts
 * @param {number} dnfs how many were not finished
 * @returns {Content}
 */
export const histogramChart = (times, dnfs) => ({
  sentence: histogramSentence(times),
  legend: [],
  paint: times.length ? (width) => paint(times, dnfs, width) : null,
  heads: [text("column.time"), text("chart.attempts")],
  rows: () => [
    ...histogram(times, TABLE_BINS).map((bin) => [binText(bin), String(bin.many)]),
    ...(dnfs ? [[text("status.dnf"), String(dnfs)]] : []),
  ],
});

/**
 * @param {number[]} times @param {number} dnfs @param {number} width px
 * @returns {import("./chart.js").Picture}
 */
function paint(times, dnfs, width) {
  const height = Math.round(Math.min(HIGHEST, Math.max(LOWEST, width * SHAPE)));
  const space = width - 2 * SIDE - (dnfs ? APART : 0);
  const most = Math.max(3, Math.min(MOST, Math.floor(space / BIN_PX) - 2));
  const bins = histogram(times, most);
  const bars = bins.length + (dnfs ? 1 : 0);
  const pitch = Math.min(64, space / bars);
  const left = (width - pitch * bars - (dnfs ? APART : 0)) / 2;
  const highest = Math.max(dnfs, ...bins.map(({ many }) => many));
  const floorAt = height - BOTTOM;
  const parts = [];
  /** @param {string} kind @param {number} x of its left side @param {number} many */
  const bar = (kind, x, many) => {
    if (!many) return;
    const size = Math.max(2, ((floorAt - TOP) * many) / highest);
    const box = { x: x + 1, y: floorAt - size, width: pitch - 2, height: size, rx: 2 };
    parts.push(draw("rect", { class: kind, ...box }));
    if (pitch < COUNT_PX) return;
    const at = { class: "mark", x: x + pitch / 2, y: floorAt - size - 5 };
    parts.push(draw("text", { ...at, "text-anchor": "middle" }, String(many)));
  };
  bins.forEach(({ high_ms: high, many }, i) =>
    bar(high === null ? "bar open" : "bar", left + i * pitch, many),
  );
  const step = (bins[0].high_ms ?? 0) - bins[0].low_ms;
  const edges = bins.map(({ low_ms: low }) => low);
  const closed = bins.filter(({ high_ms: high }) => high !== null);
  const end = closed.at(-1)?.high_ms;
  const apart = !dnfs || APART + pitch / 2 >= (LABEL_PX + DNF_PX) / 2; // from that label
  if (end && closed.length === bins.length && apart) edges.push(end);
  const labels = Math.max(1, Math.floor((pitch * bins.length) / LABEL_PX));
  for (const i of spread(edges.length, labels)) {
    const at = { class: "mark", x: left + i * pitch, y: height - 6, "text-anchor": "middle" };
    parts.push(draw("text", at, markText(edges[i], step)));
  }
  const right = left + bins.length * pitch;
  parts.push(draw("path", { class: "axis", d: `M${left} ${floorAt}H${right}` }));
  if (dnfs) {
    const x = right + APART;
    bar("bar dnfs", x, dnfs);
    parts.push(draw("path", { class: "axis", d: `M${x} ${floorAt}H${x + pitch}` }));
    const at = { class: "mark", x: x + pitch / 2, y: height - 6, "text-anchor": "middle" };
    parts.push(draw("text", at, text("status.dnf")));
  }
  return { height, parts };
}
