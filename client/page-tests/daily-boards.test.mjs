import assert from "node:assert/strict";
import test from "node:test";

import "./setup.mjs";
import {
  attemptOf,
  describeBoard,
  nextBoardsText,
  readToday,
} from "../sliderace_page/core/daily-boards.js";

const TODAY = Date.parse("2026-11-30T11:00:00Z");
const DAY_MS = 86400000;
const row = (change = {}) => ({ kind: "daily", started_ms: TODAY, time_ms: 21345, ...change });
const found = (change = {}) => ({
  date: "2026-11-30",
  ends_ms: 3600000,
  events: {},
  own: { streak: 2, date: "2026-11-30", events: ["4x4"] },
  ...change,
});

test("today is read with what we have begun", () => {
  assert.deepEqual(readToday(found()), {
    date: "2026-11-30",
    endsMs: 3600000,
    streak: 2,
    begun: ["4x4"],
  });
  assert.deepEqual(readToday(found({ own: undefined })).begun, [], "a guest");
  const other = { streak: 2, date: "2026-11-29", events: ["4x4"] };
  assert.deepEqual(readToday(found({ own: other })).begun, [], "another day's");
  assert.equal(readToday(found({ ends_ms: "soon" })), null);
  assert.equal(readToday(null), null);
});

test("the attempt of today is the daily one that began today", () => {
  const daily = row();
  const rows = [row({ kind: "solo" }), daily, row({ started_ms: TODAY - DAY_MS })];
  assert.equal(attemptOf(rows, "2026-11-30"), daily);
  assert.equal(attemptOf(rows.slice(2), "2026-11-30"), null);
});

test("a board is open, running or done, and then says time and place", () => {
  assert.deepEqual(describeBoard(false, null, null).state, "open");
  assert.deepEqual(describeBoard(true, null, null).state, "running");
  assert.deepEqual(describeBoard(true, row(), null), { state: "done", words: "21.345 s" });
  assert.deepEqual(describeBoard(true, row(), { place: 3, total: 12 }), {
    state: "done",
    words: "21.345 s – 3rd of 12 today",
  });
  assert.equal(describeBoard(true, row({ time_ms: null }), null).words, "Not solved");
});

test("new boards are announced, also when the clock of the server is ahead", () => {
  assert.equal(nextBoardsText(5 * 3600000), "New boards in 5 h");
  assert.equal(nextBoardsText(-5), "New boards in 0 s");
});
