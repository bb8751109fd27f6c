// The series in words; tests/client/test_series_text.py has the same for the terminal.

import assert from "node:assert/strict";
import { test } from "node:test";

import "./setup.mjs";
import {
  formatText,
  hasBegun,
  peopleOf,
  seriesLine,
  tableCells,
  wonText,
} from "../sliderace_page/core/series-text.js";
import { news } from "../sliderace_page/core/wording.js";

const row = (name, place = 1, more = {}) => ({
  place,
  member: name.charCodeAt(0),
  name,
  bot: false,
  races: 3,
  wins: 0,
  points: 0,
  best_ms: null,
  average_ms: null,
  average_dnf: false,
  ...more,
});
const table = (format, rows = [], more = {}) => ({
  format,
  n: 0,
  by: 1,
  races: 3,
  over: false,
  rows,
  ...more,
});
const ANN = row("Ann", 1, { wins: 2, points: 5, best_ms: 9000, average_ms: 9500 });
const BEN = row("Ben", 2, { wins: 1, average_dnf: true });
const BOT = row("Otter", 1, { bot: true });

test("the line says who is ahead and which race is next", () => {
  const line = (...of) => seriesLine(table(...of), "4x4");
  assert.equal(
    line("first", [ANN, BEN, BOT], { n: 3 }),
    "4\u00d74 \u00b7 first to 3 \u00b7 race 4 \u00b7 Ann 2, Ben 1",
  );
  assert.equal(line("open", [ANN]), "4\u00d74 \u00b7 race 4 \u00b7 Ann 2");
  assert.equal(
    line("points", [ANN], { n: 10 }),
    "4\u00d74 \u00b7 points in 10 races \u00b7 race 4 of 10 \u00b7 Ann 5",
  );
  assert.match(line("ao5", [ANN, BEN]), /race 4 of 5 \u00b7 Ann 9.000 s, Ben \u2013$/);
  assert.match(line("mo3", [ANN, BEN], { over: true }), /Ann 9.500 s, Ben DNF$/);
  const five = ["Ann", "Ben", "Cat", "Dan", "Eve"].map((name) => row(name));
  assert.match(line("open", five), /Dan 0, \u2026$/);
});

test("winners are named, and announced once", () => {
  const over = table("first", [ANN, BEN, BOT], { n: 2, over: true });
  assert.equal(wonText(over), "Ann wins the series");
  assert.equal(wonText({ ...over, over: false }), "");
  assert.equal(wonText({ ...over, rows: [BOT] }), "");
  const tied = { ...over, rows: [ANN, { ...BEN, place: 1 }] };
  assert.equal(wonText(tied), "Ann and Ben share the series");
  const said = (series) => news({ t: "series", table: over }, { series });
  assert.equal(said(null), "Ann wins the series");
  assert.equal(said(tied), "Ann wins the series");
  assert.equal(said(structuredClone(over)), "");
});

test("people stand on the podium with what they are ranked by", () => {
  const scores = (...of) => peopleOf(table(...of)).map(({ score }) => score);
  assert.deepEqual(scores("first", [ANN, BEN, BOT]), ["2 wins", "1 win"]);
  assert.deepEqual(scores("points", [ANN]), ["5 points"]);
  assert.deepEqual(scores("ao5", [ANN, BEN], { over: true }), ["9.500 s", "DNF"]);
});

test("an open series begins with its first race", () => {
  assert.equal(hasBegun(table("open", [], { races: 0 })), false);
  assert.equal(hasBegun(table("open")), true);
  assert.equal(hasBegun(table("ao5", [], { races: 0 })), true);
});

test("formats have names", () => {
  assert.equal(formatText(table("open")), "");
  assert.equal(formatText(table("ao12")), "average of 12");
  assert.equal(formatText(table("points", [], { n: 1 })), "points in 1 race");
  const ahead = table("first", [], { n: 3, by: 2 });
  assert.equal(formatText(ahead), "first to 3, 2 ahead");
});

test("the table has the columns of its format", () => {
  assert.deepEqual(tableCells(table("open", [ANN, BEN, BOT])), [
    ["", "racer", "races", "wins", "best", "ao5"],
    ["1", "Ann", "3", "2", "9.000 s", "9.500 s"],
    ["2", "Ben", "3", "1", "\u2013", "DNF"],
    ["", "Otter (bot)", "3", "0", "\u2013", "\u2013"],
  ]);
  const wren = { ...BOT, name: "\u2699 Wren \u00b7 strong" };
  assert.equal(tableCells(table("open", [wren]))[1][1], wren.name, "the name says it");
  assert.deepEqual(tableCells(table("points", []))[0].slice(3), ["points", "wins", "best"]);
});
