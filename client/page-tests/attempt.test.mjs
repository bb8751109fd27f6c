import assert from "node:assert/strict";
import test from "node:test";

import "./setup.mjs";
import { Attempt } from "../sliderace_page/core/attempt.js";
import { formatBoard, parseBoard } from "../sliderace_page/core/engine.js";
import { Pace } from "../sliderace_page/core/pacing.js";
import { LIMITS } from "./room.mjs";

const START = "1 2 3/4 0 5/7 8 6"; // L, then U solves
const begin = (change = {}) =>
  new Attempt({ race: "A", board: parseBoard(START), zero: 1000, ...change });
const text = (attempt) => formatBoard(attempt.board);

test("a slide is applied at once, timestamped and kept", () => {
  const attempt = begin();
  assert.equal(attempt.slide("L", 1, 1234.4), true);
  assert.deepEqual(attempt.slides, [["L", 1, 234]]);
  assert.equal(text(attempt), "1 2 3/4 5 0/7 8 6");
  assert.equal(attempt.seq, 1);
  assert.equal(attempt.stm, 1);
});

test("an impossible slide changes nothing", () => {
  const attempt = begin({ zero: 1000 });
  assert.equal(attempt.slide("L", 1, 999), false, "locked");
  assert.equal(attempt.slide("L", 2, 1000), false, "illegal");
  attempt.over = true;
  assert.equal(attempt.slide("L", 1, 1000), false, "over");
  assert.equal(text(attempt), START);
  assert.deepEqual(attempt.slides, []);
});

test("no slide counts after the solving one", () => {
  const attempt = begin();
  attempt.slide("L", 1, 1100);
  assert.equal(attempt.solvedAt, null);
  attempt.slide("U", 1, 1200);
  assert.equal(attempt.solved, true);
  assert.equal(attempt.solvedAt, 1200);
  assert.equal(attempt.high, 1000);
  assert.equal(attempt.slide("D", 1, 1300), false);
});

test("progress is a high-water mark", () => {
  const attempt = begin();
  attempt.slide("L", 1, 1100);
  const high = attempt.high;
  assert.ok(high > 0);
  attempt.slide("R", 1, 1200);
  assert.equal(attempt.high, high);
});

test("the clock starts at the first paint, if no slide came before", () => {
  const attempt = begin();
  attempt.painted(1040, 500);
  assert.equal(attempt.zero, 1540);
  assert.equal(attempt.locked(1500), 40);
  attempt.painted(2000, 500);
  assert.equal(attempt.zero, 1540);
  const played = begin();
  played.slide("L", 1, 1100);
  played.painted(1200, 0);
  assert.equal(played.zero, 1000);
  const reloaded = begin({ approx: true });
  reloaded.painted(5000, 0);
  assert.equal(reloaded.zero, 1000);
});

test("acks are cumulative, ascending and at most the last slide sent", () => {
  const attempt = begin();
  for (const [i, direction] of ["L", "R", "L"].entries())
    attempt.slide(direction, 1, 1100 + i);
  attempt.sent = 2;
  attempt.ack(9);
  assert.equal(attempt.acked, 2);
  attempt.ack(1);
  assert.equal(attempt.acked, 2);
  assert.equal(attempt.unacked, 1);
});

test("on resume with the same board, later slides are sent again", () => {
  const attempt = begin();
  attempt.slide("L", 1, 1100);
  attempt.slide("D", 1, 1200);
  attempt.slide("U", 1, 1300);
  attempt.sent = 3;
  attempt.resume(1, parseBoard("1 2 3/4 5 0/7 8 6"), 1);
  assert.equal(attempt.seq, 3);
  assert.equal(attempt.sent, 1);
  assert.deepEqual(
    attempt.unsent.map(([direction]) => direction),
    ["D", "U"],
  );
});

test("on resume with another board, the server's board is taken", () => {
  const attempt = begin();
  attempt.slide("L", 1, 1100);
  attempt.slide("D", 1, 1200);
  const theirs = parseBoard("1 0 3/4 2 5/7 8 6");
  attempt.resume(1, theirs, 1);
  assert.equal(text(attempt), formatBoard(theirs));
  assert.equal(attempt.seq, 1);
  assert.deepEqual(attempt.unsent, []);
  attempt.resume(7, theirs, 9);
  assert.equal(attempt.seq, 7, "a number we never used");
  assert.equal(attempt.stm, 9);
});

test("a rewind takes the server's board and repeats the slides that are still legal", () => {
  const attempt = begin();
  for (const direction of ["L", "R", "R", "L"]) attempt.slide(direction, 1, 1100);
  attempt.sent = 4;
  attempt.acked = 1;
  attempt.rewind(1, parseBoard("1 2 3/4 5 0/7 8 6"), true);
  assert.equal(attempt.base, 0, "both agree so far: the past is kept");
  assert.equal(attempt.seq, 4);
  assert.equal(attempt.sent, 1);
  const other = begin();
  for (const direction of ["L", "R", "L", "U"]) other.slide(direction, 1, 1100);
  other.sent = 4;
  other.rewind(1, parseBoard("1 2 0/4 5 3/7 8 6"), true);
  assert.deepEqual(
    other.slides.map(([direction]) => direction),
    ["R", "L", "U"],
    "another board: the slides that are legal there",
  );
  assert.equal(text(other), "1 2 3/4 5 0/7 8 6");
  assert.equal(other.solvedAt, null);
});

test("a rewind works without a board, and without repeating slides", () => {
  const attempt = begin();
  for (const direction of ["L", "U"]) attempt.slide(direction, 1, 1100);
  attempt.sent = 2;
  attempt.rewind(1, null, true);
  assert.equal(attempt.solved, true);
  assert.equal(attempt.solvedAt, 1100, "still solved, at the same moment");
  attempt.rewind(1, null, false);
  assert.equal(attempt.seq, 1);
  attempt.rewind(50, null, true);
  assert.equal(attempt.seq, 1, "a number we never used, and no board: nothing to do");
});

// --- Pace ----------------------------------------------------------------------------

const slides = (count, tiles = 1) =>
  Array.from({ length: count }, () => ["L", tiles, 0]);

test("the first and the solving slide are sent at once, others are batched", () => {
  const pace = new Pace(LIMITS, 0);
  assert.equal(pace.take(slides(1), 0, false).length, 1);
  assert.equal(pace.take(slides(1), 32, false).length, 0);
  assert.equal(pace.wait(slides(1)[0], 32, false), 1);
  assert.equal(pace.take(slides(2), 33, false).length, 2);
  assert.equal(pace.take(slides(1), 34, true).length, 1);
});

test("a message never holds more slides than announced", () => {
  const pace = new Pace(LIMITS, 0);
  assert.equal(pace.take(slides(100), 0, true).length, 60);
});

test("slides never move more tiles than announced", () => {
  const pace = new Pace({ ...LIMITS, tiles_burst: 20, tiles_per_s: 10 }, 0);
  assert.equal(pace.take(slides(10, 9), 0, true).length, 2);
  assert.equal(pace.take(slides(10, 9), 1, true).length, 0);
  assert.equal(pace.wait(slides(1, 9)[0], 1, true), 699);
  assert.equal(pace.take(slides(10, 9), 701, true).length, 1);
});

test("there are never more messages than announced in any ten seconds", () => {
  const pace = new Pace(LIMITS, 0);
  let sent = 0;
  for (let now = 0; now < 10000; now += 1)
    sent += pace.take(slides(1), now, true).length;
  assert.ok(sent <= 120 + 600, String(sent));
  assert.ok(sent >= 700, String(sent));
});

test("limits of zero do not stop a race", () => {
  const none = Object.fromEntries(Object.keys(LIMITS).map((key) => [key, 0]));
  const pace = new Pace(none, 0);
  assert.equal(pace.take(slides(5, 9), 0, true).length, 1);
  assert.equal(pace.wait(["L", 9, 0], 0, true), 9000, "the debt of nine tiles");
});
