// What decided a race, and everybody's progress over time.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import "./setup.mjs";
import { curvesOf, leadsOf, storyOf } from "../sliderace_page/core/race-story.js";
import { storyText } from "../sliderace_page/core/wording.js";

const VECTORS = new URL("../../shared/vectors/record-v1.json", import.meta.url);
const { records } = JSON.parse(readFileSync(VECTORS, "utf8"));
const NAMES = ["Ann", "Ben", "Cleo"];

/** Racers whose progress rises at these moments. */
const race = (...racers) =>
  racers.map(([time, points, photo = false], seat) => ({
    seat, name: NAMES[seat], time, photo, points, end: points.at(-1)?.[0] ?? 0,
  }));
const told = (...racers) => storyText(storyOf(race(...racers)));

test("a curve has each rise once, and ends with the official time", () => {
  for (const { record } of records)
    for (const { points, time, end } of curvesOf(record)) {
      points.slice(1).forEach(([at, high], n) => {
        assert.ok(at >= points[n][0] && high > points[n][1]);
      });
      if (time === null) continue;
      assert.deepEqual(points.at(-1), [time, 1000]);
      assert.equal(end, time);
    }
});

test("the lead changes when somebody gets further than everybody before", () => {
  const curves = race(
    [9000, [[1000, 100], [5000, 700], [9000, 1000]]],
    [9500, [[2000, 100], [3000, 400], [9500, 1000]]],
  );
  assert.deepEqual(leadsOf(curves).map(({ at, seat }) => [at, seat]), [[1000, 0], [3000, 1], [5000, 0]]);
});

test("one line says what decided the race", () => {
  const steady = [20000, [[1000, 100], [8000, 600], [20000, 1000]]];
  assert.equal(told([null, [[1000, 100]]], [null, []]), "Nobody finished.");
  assert.equal(told(steady, [null, []]), "Ann was the only one to finish.");
  assert.equal(
    told(steady, [20000, [[20000, 1000]]]),
    "A dead heat: the first two finished at the same time.",
  );
  assert.equal(
    told([20000, [[20000, 1000]], true], [20038, [[3000, 900], [20038, 1000]]]),
    "Photo finish: Ann won by 0.038 s, taking the lead 0.0 s before the end.",
  );
  assert.equal(
    told(steady, [21000, [[500, 50], [21000, 1000]]]),
    "Ann won by 1.000 s, and led from 1.0 s on.",
  );
  assert.equal(
    told(steady, [21000, [[5000, 400], [21000, 1000]]]),
    "Ann won by 1.000 s, ahead for good from 8.0 s (at 60%); the lead changed 2 times.",
  );
});

test("only the photo flag of the record makes a photo finish", () => {
  const close = [[20000, [[20000, 1000]]], [20001, [[20001, 1000]]]];
  assert.ok(!told(...close).startsWith("Photo"));
});
