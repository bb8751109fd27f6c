// Averages are those of the World Cube Association.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { average, mean } from "../sliderace_page/core/averages.js";

const file = new URL("../../shared/vectors/averages-v1.json", import.meta.url);
const { averages, means } = JSON.parse(readFileSync(file, "utf8"));

for (const { name, times, result } of averages)
  test(`average: ${name}`, () => {
    assert.equal(average(times), result);
    assert.equal(average(times.toReversed()), result);
  });

for (const { name, times, result } of means)
  test(`mean: ${name}`, () => {
    assert.equal(mean(times), result);
    assert.equal(mean(times.toReversed()), result);
  });
