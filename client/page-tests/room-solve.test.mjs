import assert from "node:assert/strict";
import test from "node:test";

import { FAR, Stage, room } from "./room.mjs";
import { Times, average } from "../sliderace_page/app/solve-times.js";
import { RoomSolve } from "../sliderace_page/core/room-solve.js";

test("until a board is dealt, a solved one of the room's size stands for it", () => {
  const solve = new RoomSolve(() => null);
  assert.deepEqual([solve.board.width, solve.solved, solve.running], [4, false, false]);
  assert.deepEqual([solve.stm, solve.mtm, solve.ms(5000), solve.tps(5000)], [0, 0, 0, 0]);
  const stage = new Stage().enter({}, { room: room({ kind: "solo" }) });
  const waiting = new RoomSolve(() => stage.model);
  assert.deepEqual([waiting.board.width, waiting.begun], [3, null]);
});

test("a solve in a room counts slides and time as the race does", () => {
  const stage = new Stage().race(FAR);
  const solve = new RoomSolve(() => stage.model);
  stage.model.painted(stage.now);
  assert.ok(solve.running);
  stage.now += 2000;
  stage.slide("R");
  assert.deepEqual([solve.stm, solve.mtm, solve.undone], [1, 1, 0]);
  assert.equal(solve.tps(stage.now), 1000 / solve.ms(stage.now));
  assert.notEqual(solve.begun, null);
});

test("a board that was given up counts as a DNF in averages, and never as a best", () => {
  const times = new Times();
  const time = (ms, change = {}) => ({ ms, stm: 1, mtm: 1, undone: 0, own: false, ...change });
  assert.equal(times.add("3x3", time(0, { dnf: true })), false);
  assert.equal(times.best("3x3"), null);
  for (const ms of [4000, 5000, 6000, 7000]) times.add("3x3", time(ms));
  assert.equal(average(times.counted("3x3"), 5), 6000);
  times.add("3x3", time(0, { dnf: true }));
  times.add("3x3", time(0, { dnf: true }));
  assert.equal(average(times.counted("3x3"), 5), Infinity);
  assert.equal(average(times.counted("3x3"), 12), null);
  assert.equal(times.best("3x3").ms, 4000);
});
