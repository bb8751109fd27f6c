import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import "./setup.mjs";
import { Board, formatBoard, parseBoard } from "../sliderace_page/core/engine.js";
import { Playhead, RaceReplay, RacerReplay } from "../sliderace_page/core/replay-timeline.js";

const VECTORS = new URL("../../shared/vectors/record-v1.json", import.meta.url);
const { record } = JSON.parse(readFileSync(VECTORS, "utf8")).records[0];

/** A long, fixed sequence of slides on a 4x4. */
function wander(many) {
  const board = Board.solved(4, 4);
  const start = formatBoard(board);
  const slides = [];
  const texts = [start];
  for (let n = 0; n < many; n += 1) {
    const legal = board.legalSlides();
    const [direction, count] = legal[(n * n + 7 * n + 3) % legal.length];
    board.slide(direction, count);
    slides.push([direction, count, 10 * (n + 1), 10 * (n + 1)]);
    texts.push(formatBoard(board));
  }
  return { start, slides, texts };
}

test("a racer's replay shows the board after any number of slides, in any order", () => {
  const { start, slides, texts } = wander(1000);
  const racer = new RacerReplay(start, { slides, finish: null });
  let made = 0;
  for (let n = 0; n < 400; n += 1) {
    made = (made * 31 + 17 * n + 1) % 1001;
    assert.equal(formatBoard(racer.board(made)), texts[made], `after ${made}`);
  }
  for (const many of [1000, 999, 0, 1, 64, 63, 65, 128, 0, 1000])
    assert.equal(formatBoard(racer.board(many)), texts[many]);
});

test("a jump replays at most the slides between two stored boards", () => {
  const { start, slides } = wander(1000);
  const racer = new RacerReplay(start, { slides, finish: null });
  let steps = 0;
  const { slide } = Board.prototype;
  Board.prototype.slide = function counted(...how) {
    steps += 1;
    return slide.apply(this, how);
  };
  try {
    for (const made of [1000, 3, 700, 0, 640, 130]) {
      steps = 0;
      racer.board(made);
      assert.ok(steps <= 64, `${steps} steps to ${made}`);
    }
  } finally {
    Board.prototype.slide = slide;
  }
});

test("a slide takes effect at its timestamp", () => {
  const { start, slides } = wander(100);
  const racer = new RacerReplay(start, { slides, finish: null });
  assert.deepEqual([0, 9, 10, 11, 999, 1000, 5000].map((t) => racer.made(t)), [
    0, 0, 1, 1, 99, 100, 100,
  ]);
});

test("progress never decreases, and an illegal slide ends a racer's replay", () => {
  const { start, slides } = wander(50);
  const wrong = [...slides, ["U", 9, 510, 510], ["L", 1, 520, 520]];
  const racer = new RacerReplay(start, { slides: wrong, finish: null });
  assert.equal(racer.slides.length, 50);
  assert.equal(racer.times.length, 50);
  assert.deepEqual(racer.high, [...racer.high].sort((a, b) => a - b));
});

test("a replay has everybody's board and standing at any moment", () => {
  const replay = new RaceReplay(record);
  const first = replay.at(-1); // one of them made a slide at once
  assert.equal(first.length, record.racers.length);
  for (const { board, over } of first) {
    assert.equal(formatBoard(board), record.board);
    assert.equal(over, false);
  }
  for (const { standing, board, stm, over } of replay.at(replay.length)) {
    const racer = record.racers.find(({ seat }) => seat === standing.seat);
    assert.equal(board.isSolved, racer.status === "finished");
    assert.equal(stm, racer.stm);
    assert.equal(over, true);
  }
  const [winner] = replay.standings;
  const at = (t) => replay.at(t)[0].over;
  assert.deepEqual([at(winner.time_ms - 1), at(winner.time_ms)], [false, true]);
  assert.equal(formatBoard(replay.at(-1)[0].board), record.board, "and back again");
});

test("a step moves to anybody's next or previous slide", () => {
  const replay = new RaceReplay(record);
  const forth = [0];
  while (forth.at(-1) < replay.length) forth.push(replay.step(forth.at(-1), 1));
  const back = [replay.length];
  while (back.at(-1) > 0) back.push(replay.step(back.at(-1), -1));
  assert.deepEqual(back.reverse(), forth);
  assert.ok(forth.length > 10);
});

test("a race without slides also has a replay", () => {
  const still = { ...record, racers: record.racers.map((one) => ({ ...one, slides: [], finish: null, status: "dns" })) };
  const replay = new RaceReplay(still);
  assert.equal(replay.length, 1);
  assert.equal(formatBoard(replay.at(1)[0].board), formatBoard(parseBoard(record.board)));
  assert.equal(replay.step(0, 1), 1);
});

test("a playhead plays at its speed, stops at the end and starts again", () => {
  const head = new Playhead(1000);
  head.pass(100);
  assert.equal(head.t, 0, "not before it plays");
  head.toggle();
  head.speed = 2;
  head.pass(100);
  assert.equal(head.t, 200);
  head.seek(-5);
  assert.equal(head.t, 0);
  head.pass(501);
  assert.deepEqual([head.t, head.playing], [1000, false]);
  head.toggle();
  assert.deepEqual([head.t, head.playing], [0, true]);
});
