import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import "./setup.mjs";
import {
  anchorOf,
  dailySeed,
  dates,
  dayNumber,
} from "../sliderace_page/core/daily-chain.js";
import { formatBoard, hexToBytes, scramble } from "../sliderace_page/core/engine.js";

const golden = JSON.parse(
  readFileSync(new URL("../../shared/vectors/daily-v1.json", import.meta.url), "utf8"),
);

test("golden chains, seeds and boards are reproduced", () => {
  for (const { event, anchor, days } of golden.chains) {
    for (const [date, secret, seed, board] of days) {
      assert.equal(anchorOf(secret, event, dayNumber(date)), anchor);
      assert.equal(dailySeed(secret, event, date), seed);
      const [width, height] = event.split("x").map(Number);
      assert.equal(formatBoard(scramble(hexToBytes(seed), width, height)), board);
    }
  }
});

test("days are numbered from the first to the last date", () => {
  const [first, last] = dates();
  assert.deepEqual([first, last], ["2026-01-01", "2036-01-08"]);
  assert.deepEqual([first, "2026-11-30", last].map(dayNumber), [1, 334, 3660]);
  for (const [day, date] of golden.dates) {
    const number = day - 20453;
    assert.equal(dayNumber(date), number >= 1 && number <= 3660 ? number : null);
  }
});

test("other text is no date with a daily race", () => {
  for (const text of golden.no_dates) assert.equal(dayNumber(text), null, text);
});

test("the secret of another day does not lead to the anchor", () => {
  const [{ event, anchor, days }] = golden.chains;
  const [[, secret], [, later]] = days;
  assert.equal(anchorOf(secret, event, 1), anchor);
  assert.notEqual(anchorOf(later, event, 1), anchor);
  assert.notEqual(anchorOf(secret, "4x4", 1), anchor);
});
