import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import "./setup.mjs";
import { parseBoard } from "../sliderace_page/core/engine.js";
import { curveOf, gapTo, highAt, usable } from "../sliderace_page/core/pace-curve.js";

const { curves, solves, highs, gaps, malformed } = JSON.parse(
  readFileSync(new URL("../../shared/vectors/pace-v1.json", import.meta.url), "utf8"),
);

test("a curve is when an attempt had how much progress", () => {
  for (const { start, slides, curve } of solves)
    assert.deepEqual(curveOf(parseBoard(start), slides), curve);
});

test("a curve has its progress at each time", () => {
  for (const [name, ms, high] of highs) assert.equal(highAt(curves[name], ms), high);
});

test("the gap is the time since the curve had our progress", () => {
  for (const [name, high, ms, gap] of gaps) assert.equal(gapTo(curves[name], high, ms), gap);
});

test("malformed curves are ignored", () => {
  for (const stored of malformed) assert.equal(usable(stored), null);
});
