import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import "./setup.mjs";
import * as figures from "../sliderace_page/core/figures.js";
import * as text from "../sliderace_page/core/format.js";
import { usesOneScript } from "../sliderace_page/core/scripts.js";

test("a room code is read in any case, with spaces and dashes", () => {
  for (const typed of [
    "KWXTRB",
    "kwx-trb",
    " kwx trb ",
    "K-W-X-T-R-B",
    "kwx\u2011trb",
  ]) {
    assert.equal(text.parseCode(typed), "KWXTRB", typed);
  }
  for (const typed of ["", "KWXTR", "KWXTRBB", "LOVELY", "KWXTR1", "index.html"]) {
    assert.equal(text.parseCode(typed), null, typed);
  }
  assert.equal(text.formatCode("KWXTRB"), "KWX-TRB");
});

test("a room code is found in a pasted link", () => {
  for (const pasted of [
    "http://192.168.1.7:8710/KWXTRB",
    "https://race.example.org/sub/kwx-trb/?x=1#top",
    "kwx-trb",
  ]) {
    assert.equal(text.codeOfText(pasted), "KWXTRB", pasted);
  }
  assert.equal(text.codeOfText("https://example.org/"), null);
});

test("a cleaned nickname is one line of visible text", () => {
  const cases = [
    ["  Ann\t\u202eB  ", "Ann B"],
    ["\u200b\u2066", ""],
    ["<b>Ann</b>", "<b>Ann</b>"],
    ["e\u0301", "\u00e9"],
    ["a\u0300\u0301\u0302\u0303", "\u00e0\u0301\u0302"],
    ["\u0301x", "x"],
    ["\u{e0041}\ud800x", "x"],
    ["\u732b".repeat(30), "\u732b".repeat(10)],
    ["x".repeat(64), "x".repeat(20)],
    ["\u3164\u2800\ufe0f", ""],
  ];
  for (const [typed, shown] of cases) {
    assert.equal(text.cleanName(typed), shown, JSON.stringify(typed));
    assert.equal(text.cleanName(shown), shown, "clean stays clean");
  }
});

test("the letters of a nickname belong to one script", () => {
  const file = new URL("../../shared/vectors/names-v1.json", import.meta.url);
  const cases = JSON.parse(readFileSync(file, "utf8")).one_script;
  for (const [name, fine] of cases) assert.equal(usesOneScript(name), fine, name);
});

test("a suggested nickname needs no cleaning", () => {
  for (let a = 0; a < 1; a += 0.05) {
    for (let b = 0; b < 1; b += 0.03) {
      const name = text.friendlyName(a, b);
      assert.equal(text.cleanName(name), name);
    }
  }
});

test("times are formatted like on a stopwatch, never rounded up", () => {
  assert.equal(figures.formatTime(0), "0.000 s");
  assert.equal(figures.formatTime(41320), "41.320 s");
  assert.equal(figures.formatTime(59999, 1), "59.9 s");
  assert.equal(figures.formatTime(62345), "1:02.345");
  assert.equal(figures.formatTime(3723456), "1:02:03.456");
  assert.equal(figures.formatTime(62345, 0), "1:02");
  assert.equal(figures.formatTime(58400, 0), "0:58", "a number alone has no unit");
  assert.equal(figures.formatTime(-5), "0.000 s");
});

test("loopback links are recognised", () => {
  for (const host of [
    "localhost:8710",
    "race.localhost",
    "127.0.0.1",
    "127.1.2.3:80",
    "[::1]:8710",
  ]) {
    assert.equal(text.isLoopback(`http://${host}/KWXTRB`), true, host);
  }
  for (const host of [
    "192.168.1.7:8710",
    "localhost.example.org",
    "127.example.org",
    "race.lan",
  ]) {
    assert.equal(text.isLoopback(`https://${host}/KWXTRB`), false, host);
  }
});

test("spans, places and sizes are formatted", () => {
  assert.deepEqual([90000, 300000, 7200000].map(figures.formatSpan), [
    "90 s",
    "5 min",
    "2 h",
  ]);
  const places = [1, 2, 3, 4, 11, 12, 13, 21, 102].map(figures.ordinal);
  assert.deepEqual(places, [
    "1st",
    "2nd",
    "3rd",
    "4th",
    "11th",
    "12th",
    "13th",
    "21st",
    "102nd",
  ]);
  assert.equal(text.formatSize("3x10"), "3\u00d710");
});
