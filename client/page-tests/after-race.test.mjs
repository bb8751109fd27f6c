import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import "./setup.mjs";
import { parseBoard } from "../sliderace_page/core/engine.js";
import { cell, csv } from "../sliderace_page/core/proof/csv.js";
import { splits } from "../sliderace_page/core/proof/splits.js";
import {
  formatMmd,
  formatTps,
  moments,
  standingsOf,
} from "../sliderace_page/core/proof/summary.js";

const VECTORS = new URL("../../shared/vectors/record-v1.json", import.meta.url);
const { record } = JSON.parse(readFileSync(VECTORS, "utf8")).records[0];

test("standings are taken from the record", () => {
  const rows = standingsOf(record);
  assert.deepEqual(
    rows.map(({ place, status }) => [place, status]),
    record.racers.map(({ place, status }) => [place, status]),
  );
  assert.equal(rows[0].time_ms, record.racers[0].finish.official_ms);
  assert.equal(rows.at(-1).time_ms, null);
  const [hostile] = standingsOf({ racers: [{ ...record.racers[0], name: "\u202ea\u0000" }] });
  assert.equal(hostile.name, "a");
});

test("TPS and moves per distance are formatted", () => {
  assert.equal(formatTps({ stm: 62, solve_ms: 7120 }), "8.71");
  assert.equal(formatTps({ stm: 1, solve_ms: 0 }), "");
  assert.equal(formatTps({ stm: 46, solve_ms: 1 }), "");
  assert.equal(formatMmd({ status: "finished", stm: 47 }, 20), "2.35");
  assert.equal(formatMmd({ status: "dnf", stm: 47 }, 20), "");
});

test("moments ascend, and a finisher's last one is the official time", () => {
  for (const racer of record.racers) {
    const times = moments(racer);
    assert.equal(times.length, racer.slides.length);
    assert.deepEqual(times, [...times].sort((a, b) => a - b));
    times.forEach((time, n) => assert.ok(racer.finish || time <= racer.slides[n][3]));
    if (racer.finish) assert.equal(times.at(-1), racer.finish.official_ms);
  }
});

test("the CSV table has a line per racer with all fields", () => {
  const text = csv(standingsOf(record), parseBoard(record.board).md);
  const [head, ...lines] = text.split("\r\n");
  assert.equal(lines.pop(), "");
  assert.equal(lines.length, record.racers.length);
  assert.equal(head.split(",")[5], "time_ms");
  const first = Object.fromEntries(
    lines[0].split(",").map((value, n) => [head.split(",")[n], value]),
  );
  const { finish, stm, mtm } = record.racers[0];
  assert.equal(first.time_ms, String(finish.official_ms));
  assert.equal(first.solve_ms, String(finish.solve_ms));
  assert.deepEqual([first.stm, first.mtm], [String(stm), String(mtm)]);
  const [fast] = standingsOf({
    racers: [{ ...record.racers[0], finish: { ...finish, solve_ms: 1 } }],
  });
  const row = csv([fast], 20).split("\r\n")[1].split(",");
  assert.deepEqual(
    [row[head.split(",").indexOf("solve_ms")], row[head.split(",").indexOf("tps")]],
    ["", ""],
  );
  assert.equal(lines.at(-1).split(",")[5], "", "no time is an empty cell, not 0");
});

test("a name cannot become a formula or break a line of the CSV table", () => {
  assert.equal(cell("=1+1"), "'=1+1");
  assert.equal(cell("+49"), "'+49");
  assert.equal(cell("-x"), "'-x");
  assert.equal(cell("@sum"), "'@sum");
  assert.equal(cell(" =1"), "' =1");
  assert.equal(cell("\t=1"), "'\t=1");
  assert.equal(cell("\uff1d1"), "'\uff1d1");
  assert.equal(cell('=a,"b"'), '"\'=a,""b"""');
  assert.equal(cell("a\nb"), '"a\nb"');
  assert.equal(cell("a;b"), '"a;b"');
  assert.equal(cell("Ann-Lee"), "Ann-Lee");
  assert.equal(cell(-5), "-5");
  assert.equal(cell(null), "");
});

test("a split ends when its row is first in place", () => {
  const slides = [
    ["L", 1, 400, 500],
    ["U", 1, 900, 950],
    ["L", 1, 1500, 1510],
  ];
  const board = "1 2 3/0 4 6/7 5 8";
  const finish = { official_ms: 1500 };
  assert.deepEqual(splits(board, { slides, finish }), [
    { first: 1, last: 2, at: 900, took: 900, stm: 2 },
    { first: 3, last: 3, at: 1500, took: 600, stm: 1 },
  ]);
  assert.deepEqual(
    splits(board, { slides: slides.slice(0, 2), finish: null }).map(({ last }) => last),
    [2],
  );
  assert.deepEqual(splits(board, { slides: [["D", 3, 1, 1]], finish: null }), []);
});

test("rows that the same slide completes are one split, which took some time", () => {
  const finish = { official_ms: 700 };
  const slides = [
    ["U", 1, 300, 310],
    ["U", 1, 700, 710],
  ];
  assert.deepEqual(splits("0 2 3/1 5 6/4 7 8", { slides: [], finish: null }), []);
  assert.deepEqual(splits("0 2/1 3", { slides: [["U", 1, 300, 310]], finish: null }), [
    { first: 1, last: 1, at: 300, took: 300, stm: 1 },
  ]);
  assert.deepEqual(splits("0 2/1 4/3 5", { slides, finish }), [
    { first: 1, last: 1, at: 300, took: 300, stm: 1 },
    { first: 2, last: 2, at: 700, took: 400, stm: 1 },
  ]);
});
