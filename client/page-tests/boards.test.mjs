// Leaderboards as the server sends them, and their addresses.

import assert from "node:assert/strict";
import { test } from "node:test";

import "./setup.mjs";
import {
  addressOf,
  linesOf,
  pathOf,
  queryOf,
  readLeaderboard,
  sharedNames,
} from "../sliderace_page/core/boards.js";
import { ProtocolError } from "../sliderace_page/core/readers.js";

const row = (place, change = {}) => ({
  place,
  profile: `BCDFGHJ${place}`,
  name: `Ann ${place}`,
  value_ms: 9000 + place,
  race: "KWXTRB-SA1B2C-3",
  started_ms: 1_796_000_000_000,
  input: "keys",
  ...change,
});
const answer = (change = {}) =>
  readLeaderboard({ total: 3, top: [row(1), row(2)], ...change });

test("a leaderboard is read field by field, and its names are cleaned", () => {
  const { top, around, own } = answer({
    top: [row(1, { name: "<b>A\u202en\tn</b>", more: 1, input: null })],
  });
  assert.deepEqual(top, [row(1, { name: "<b>An n</b>", input: null })]);
  assert.deepEqual([around, own], [[], ""]);
  for (const bad of [null, [], {}, { total: 1 }, { total: -1, top: [] }, { total: 1, top: [{}] }])
    assert.throws(() => readLeaderboard(bad), ProtocolError);
});

test("our own line follows the best, with a gap if there is one", () => {
  const lines = (around) => linesOf(answer({ around })).map((one) => one?.place ?? null);
  assert.deepEqual(lines([]), [1, 2]);
  assert.deepEqual(lines([row(1), row(2)]), [1, 2], "it is among the best");
  assert.deepEqual(lines([row(2), row(3)]), [1, 2, 3]);
  assert.deepEqual(lines([row(40), row(41), row(42)]), [1, 2, null, 40, 41, 42]);
});

test("equal names are found, but not a profile that stands there twice", () => {
  const rows = [row(1, { name: "Ann" }), row(2, { name: "Ben" }), row(3, { name: "Ann" }), row(2, { name: "Ben" })];
  assert.deepEqual([...sharedNames(rows)], ["Ann"]);
});

test("an address names a leaderboard; nonsense means the default", () => {
  const of = (text) => queryOf(new URLSearchParams(text));
  const first = { event: "4x4", kind: "single", input: "", span: "all" };
  assert.deepEqual(of(""), first);
  assert.deepEqual(of("event=11x4&kind=god&input=nose&span=week"), first);
  const chosen = { event: "10x2", kind: "ao12", input: "touch", span: "day" };
  assert.deepEqual(of(addressOf(chosen)), chosen);
  assert.equal(addressOf(first), "event=4x4");
});

test("the daily race has single times of three events only", () => {
  const of = (text) => queryOf(new URLSearchParams(`span=daily&${text}`));
  const daily = { event: "5x5", kind: "single", input: "", span: "daily" };
  assert.deepEqual(of("event=5x5&kind=ao5"), daily);
  assert.deepEqual(of("event=6x6"), { ...daily, event: "4x4" });
  assert.equal(pathOf(daily), "api/boards?event=5x5&daily=1");
});

test("the path has every part of a query that is chosen", () => {
  const query = { event: "4x4", kind: "ao5", input: "touch", span: "day" };
  assert.equal(pathOf(query), "api/boards?event=4x4&input=touch&kind=ao5&span=day");
  assert.equal(pathOf({ ...query, input: "" }), "api/boards?event=4x4&kind=ao5&span=day");
});
