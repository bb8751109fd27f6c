// Statistics of one event: the same table as for the terminal.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import "./setup.mjs";
import { decodeEvent } from "../sliderace_page/core/protocol.js";
import {
  calendar,
  ceiling,
  figures,
  finishedTimes,
  histogram,
  summary,
  trend,
} from "../sliderace_page/core/statistics.js";

const file = new URL("../../shared/vectors/statistics-v1.json", import.meta.url);
const { cases } = JSON.parse(readFileSync(file, "utf8"));

const values = (things) => things.map((thing) => Object.values(thing));

for (const { name, rows, ...wanted } of cases)
  test(`statistics: ${name}`, () => {
    const event = { t: "history", event: "4x4", rows };
    const history = decodeEvent(JSON.stringify(event)).rows;
    const points = trend(history);
    const times = finishedTimes(points);
    assert.deepEqual(values(points), wanted.trend);
    assert.deepEqual(summary(points), wanted.summary);
    assert.deepEqual(values(figures(history)), wanted.figures);
    assert.equal(ceiling(times), wanted.ceiling);
    for (const { most, bins } of wanted.histograms)
      assert.deepEqual(values(histogram(times, most)), bins);
    for (const { today, weeks, days } of wanted.calendars)
      assert.deepEqual(calendar(history, today, weeks).map(values), days);
  });
