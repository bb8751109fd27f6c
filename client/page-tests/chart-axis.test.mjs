// Axes of charts: marks, their texts, and places of labels.

import assert from "node:assert/strict";
import { test } from "node:test";

import "./setup.mjs";
import { apart, markText, spread, timeMarks } from "../sliderace_page/core/chart-axis.js";

test("marks are round, few, and enclose the times", () => {
  assert.deepEqual(timeMarks(8_400, 13_100, 6).marks, [
    8_000, 9_000, 10_000, 11_000, 12_000, 13_000, 14_000,
  ]);
  for (const [low, high] of [[0, 0], [7777, 7777], [1, 86_400_000], [3_600_000, 90_000_000], [9_999, 10_001]])
    for (const most of [2, 3, 6]) {
      const { step, marks } = timeMarks(low, high, most);
      assert.ok(marks.length >= 2 && marks.length <= most + 1, `${low} ${high} ${most}: ${marks}`);
      assert.ok(marks[0] <= low && marks.at(-1) >= high, `${low} ${high} ${most}: ${marks}`);
      for (const mark of marks) assert.equal(mark % step, 0);
    }
});

test("a mark has as many decimals as the step needs", () => {
  assert.equal(markText(8_500, 500), "8.5 s");
  assert.equal(markText(8_000, 1_000), "8 s");
  assert.equal(markText(8_050, 50), "8.05 s");
  assert.equal(markText(90_000, 30_000), "1:30");
  assert.equal(markText(3_600_000, 600_000), "1:00:00");
});

test("labels are spread evenly", () => {
  assert.deepEqual(spread(0, 3), []);
  assert.deepEqual(spread(1, 3), [0]);
  assert.deepEqual(spread(7, 3), [0, 3, 6]);
  assert.deepEqual(spread(500, 5), [0, 100, 200, 300, 400]);
});

test("labels that would overlap are moved apart, and stay in the picture", () => {
  assert.deepEqual(apart([10, 11, 12], 14, 200), [10, 24, 38]);
  assert.deepEqual(apart([10, 50, 90], 14, 200), [10, 50, 90]);
  assert.deepEqual(apart([190, 195, 200], 14, 200), [172, 186, 200]);
  assert.deepEqual(apart([], 14, 200), []);
});
