import assert from "node:assert/strict";
import test from "node:test";

import { withTime } from "../sliderace_page/core/own-times.js";
import { ANSWERS, usualPace } from "../sliderace_page/core/usual-pace.js";

test("a new player is unknown, until they answer how fast they are", () => {
  assert.equal(usualPace({}, "", "4x4"), null);
  assert.equal(usualPace({}, "constructor", "4x4"), null);
  assert.equal(usualPace({}, "twenty", "4x4"), 14000);
  assert.equal(usualPace({}, "twenty", "3x3"), 4430);
  assert.equal(usualPace({}, "twenty", "5x5"), 34180);
  assert.deepEqual(Object.keys(ANSWERS), ["new", "minute", "twenty", "eight"]);
});

test("own times count more than the answer: the median of the last five", () => {
  let times = {};
  for (const ms of [90000, 80000, 10000, 11000, 99000, 12000, 13000])
    times = withTime(times, "4x4", ms);
  assert.deepEqual(times["4x4"], [10000, 11000, 99000, 12000, 13000]);
  assert.equal(usualPace(times, "new", "4x4"), 12000);
  assert.equal(usualPace(times, "new", "3x3"), 30059, "of another size nothing is known");
});

test("storage may contain anything", () => {
  assert.equal(usualPace({ "4x4": "fast" }, "", "4x4"), null);
  assert.equal(usualPace({ "4x4": [null, "x", 9000] }, "", "4x4"), 9000);
  assert.deepEqual(withTime({ "4x4": 7 }, "4x4", 8000), { "4x4": [8000] });
});

test("a pace is one that a server accepts", () => {
  assert.equal(usualPace({ "3x3": [650] }, "", "3x3"), 900);
  assert.equal(usualPace({ "3x3": [1e9] }, "", "3x3"), 4 * 3600000);
});
