import assert from "node:assert/strict";
import test from "node:test";

import "./setup.mjs";
import { formatBoard, parseBoard } from "../sliderace_page/core/engine.js";
import { Solve } from "../sliderace_page/core/solo-attempt.js";
import { Times, average, counts } from "../sliderace_page/app/solve-times.js";

const BOARD = "1 2 3/0 4 6/7 5 8";
const time = (ms, more) => ({ ms, stm: 3, mtm: 3, undone: 0, own: false, ...more });

class Memory {
  constructor(full = false) {
    Object.assign(this, { full, kept: new Map() });
  }

  getItem(key) {
    return this.kept.get(key) ?? null;
  }

  setItem(key, text) {
    if (this.full) throw new Error("full");
    this.kept.set(key, text);
  }
}

test("the clock runs from the first slide to the solving one", () => {
  const solve = new Solve(parseBoard(BOARD));
  assert.equal(solve.slide("R", 1, 900), false);
  assert.equal(solve.ms(950), 0, "an impossible slide starts nothing");
  assert.equal(solve.slide("L", 1, 1000), true);
  assert.equal(solve.running, true);
  assert.equal(solve.slideCell(7, 1500), true);
  assert.equal(solve.ms(1600), 600);
  assert.equal(solve.slideCell(0, 1600), false);
  assert.equal(solve.slide("L", 1, 2000), true);
  assert.deepEqual([solve.solved, solve.running], [true, false]);
  assert.deepEqual([solve.ms(9000), solve.stm, solve.mtm], [1000, 3, 3]);
  assert.equal(solve.tps(9000), 3);
  assert.equal(solve.slide("R", 1, 9000), false, "a solved board stays solved");
  assert.equal(solve.slideCell(7, 9000), false);
  assert.equal(solve.undo(), false);
});

test("undo reverts the last slide and is counted; the clock keeps running", () => {
  const solve = new Solve(parseBoard(BOARD));
  assert.equal(solve.undo(), false);
  assert.equal(solve.undone, 0);
  solve.slide("L", 2, 100);
  assert.equal(solve.stm, 2);
  assert.equal(solve.undo(), true);
  assert.equal(formatBoard(solve.board), BOARD);
  assert.deepEqual([solve.stm, solve.undone, solve.ms(300)], [0, 1, 200]);
});

test("averages leave out the best and the worst, as the WCA does", () => {
  const times = [9000, 1000, 2000, 3000, 4000, 60000].map((ms) => time(ms));
  assert.equal(average(times, 5), 3000);
  assert.equal(average(times.slice(0, 4), 5), null);
  assert.equal(average(times, 12), null);
  const twelve = Array.from({ length: 12 }, (_, n) => time(1000 * (n + 1)));
  assert.equal(average(twelve, 12), 6500);
});

test("a best time counts only without undo and with an unknown board", () => {
  const times = new Times(new Memory());
  assert.equal(times.add("3x3", time(5000)), true);
  assert.equal(times.add("3x3", time(4000, { undone: 1 })), false);
  assert.equal(times.add("3x3", time(3000, { own: true })), false);
  assert.equal(times.add("3x3", time(6000)), false);
  assert.equal(times.best("3x3").ms, 5000);
  assert.equal(times.of("3x3").length, 4);
  assert.deepEqual(times.counted("3x3").map(({ ms }) => ms), [5000, 6000]);
  assert.equal(times.best("4x4"), null);
  assert.equal(counts(time(1)), true);
});

test("the last hundred times and the best one are kept", () => {
  const memory = new Memory();
  const times = new Times(memory);
  times.add("3x3", time(1000));
  for (let n = 0; n < 120; n += 1) times.add("3x3", time(2000 + n));
  const again = new Times(memory);
  assert.equal(again.of("3x3").length, 100);
  assert.equal(again.best("3x3").ms, 1000);
  assert.equal(again.of("3x3").at(-1).ms, 2119);
});

test("storage may be missing, full or invalid", () => {
  for (const storage of [undefined, new Memory(true)]) {
    const times = new Times(storage);
    times.add("3x3", time(1000));
    assert.equal(times.best("3x3").ms, 1000);
  }
  for (const text of ["", "null", "7", "{}", '{"times":[null,7,{"ms":-1}],"best":"x"}']) {
    const memory = new Memory();
    memory.setItem("sliderace.solo.3x3", text);
    assert.deepEqual(new Times(memory).of("3x3"), []);
    assert.equal(new Times(memory).best("3x3"), null);
  }
});
