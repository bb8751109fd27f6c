// What decided a race, and everybody's progress over time; the terminal client passes the
// same vectors.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import "./setup.mjs";
import { curvesOf, leadsOf, storyOf } from "../sliderace_page/core/race-story.js";
import { storyText } from "../sliderace_page/core/wording.js";

/** @param {string} name */
const vectors = (name) =>
  JSON.parse(readFileSync(new URL(`../../shared/vectors/${name}`, import.meta.url), "utf8"));
const { records } = vectors("record-v1.json");
const table = vectors("race-story-v1.json");

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

for (const { name: about, racers, leads, story } of table.cases)
  test(`one line says what decided the race: ${about}`, () => {
    const curves = racers.map(([name, time, photo, points], seat) => ({
      seat, name, time, photo, points, end: points.at(-1)?.[0] ?? 0,
    }));
    assert.deepEqual(leadsOf(curves).map(({ at, seat }) => [at, seat]), leads);
    assert.equal(storyText(storyOf(curves)), story);
  });

test("records are told as in the table", () => {
  const told = records.map(({ record }) => ({
    story: storyText(storyOf(curvesOf(record))),
    curves: curvesOf(record).map(({ seat, time, end, points }) => [seat, time, end, points]),
  }));
  assert.deepEqual(told, table.records);
});
