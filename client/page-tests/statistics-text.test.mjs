// Statistics in words.

import assert from "node:assert/strict";
import { test } from "node:test";

import "./setup.mjs";
import {
  averageText,
  binText,
  calendarSentence,
  figureText,
  histogramSentence,
  timesSentence,
} from "../sliderace_page/core/statistics-text.js";
import { summary } from "../sliderace_page/core/statistics.js";

const point = (time, ao5 = null, ao12 = null) => ({
  started_ms: 0,
  time_ms: time,
  ao5_ms: ao5,
  ao12_ms: ao12,
  best_ms: time,
});

test("a sentence says what the chart of times shows", () => {
  assert.equal(timesSentence(summary([])), "No attempt counts here yet.");
  assert.equal(
    timesSentence(summary([point(null), point(null)])),
    "You have not finished any of your 2 attempts.",
  );
  assert.equal(
    timesSentence(summary([point(null)])),
    "You have not finished your only attempt.",
  );
  assert.equal(
    timesSentence(summary([point(9000)])),
    "1 attempt, 1 of them finished; the best took 9.000 s.",
  );
  const five = [9, 9, 9, 9].map((n) => point(n * 1000));
  assert.match(timesSentence(summary([...five, point(9000, 9001)])), /average of 5 is 9.001 s\.$/);
  const twelve = Array.from({ length: 12 }, () => point(9000));
  assert.match(timesSentence(summary(twelve)), /average of 5 is DNF, and your latest average of 12 is DNF\.$/);
});

test("an average of too few attempts is a dash, and not a DNF", () => {
  const points = [1, 2, 3, 4, 5].map((n) => point(n * 1000));
  assert.equal(averageText(points, 3, 5), "–");
  assert.equal(averageText(points, 4, 5), "DNF");
  assert.equal(averageText(points, 4, 12), "–");
});

test("the most frequent times are named with their share", () => {
  assert.equal(histogramSentence([]), "There are no times yet.");
  assert.equal(
    histogramSentence([9100, 9200, 9300, 12_000]),
    "Your most frequent times are 9.000 s to 9.500 s (75%).",
  );
  assert.equal(binText({ low_ms: 60_000, high_ms: null, many: 1 }), "1:00.000 and longer");
});

test("figures are times or numbers", () => {
  assert.equal(figureText("first_ms", 410), "0.410 s");
  assert.equal(figureText("tps_milli", 5125), "5.13");
  assert.equal(figureText("pauses_milli", null), "–");
});

test("a sentence says on how many days somebody raced", () => {
  const days = Array.from({ length: 40 }, (_, day) => ({ day, attempts: 0, daily: "" }));
  assert.equal(calendarSentence(days), "You have not raced in the last year.");
  days[2] = { day: 2, attempts: 3, daily: "dnf" };
  assert.equal(
    calendarSentence(days),
    "You raced on 1 day of the last year, and on 0 of the last 30 days. 1 of your attempts was a daily race.",
  );
  days[39] = { day: 39, attempts: 1, daily: "finished" };
  assert.equal(
    calendarSentence(days),
    "You raced on 2 days of the last year, and on 1 of the last 30 days. 2 of your attempts were daily races.",
  );
});
