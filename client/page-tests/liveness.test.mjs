import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { Liveness } from "../sliderace_page/core/liveness.js";

const { cases } = JSON.parse(
  readFileSync(new URL("../../shared/vectors/liveness-v1.json", import.meta.url), "utf8"),
);

const INPUTS = {
  "": () => {},
  connected: (liveness, now) => liveness.connected(now),
  lost: (liveness) => liveness.lost(),
  heard: (liveness, now) => liveness.heard(now),
  acked: (liveness) => liveness.acked(),
  pong: (liveness, now) => {
    liveness.heard(now);
    liveness.answered(now);
  },
};

for (const { name, rows } of cases) {
  test(name, () => {
    const liveness = new Liveness();
    for (const [at, input, inRace, waiting, ...wanted] of rows) {
      INPUTS[input](liveness, at);
      const ping = liveness.look(at, inRace === 1, waiting === 1);
      const { overdue, inDoubt, due } = liveness;
      const [pings, isOverdue, isInDoubt, next] = wanted;
      assert.deepEqual(
        [ping, overdue, inDoubt, due],
        [pings === 1, isOverdue === 1, isInDoubt === 1, next ?? Infinity],
        `at ${at}`,
      );
    }
  });
}

test("a page that wakes up probes at once", () => {
  const liveness = new Liveness();
  liveness.wake();
  assert.equal(liveness.due, Infinity);
  liveness.connected(0);
  liveness.wake();
  assert.equal(liveness.look(10, false, false), true);
  assert.equal(liveness.look(11, false, false), false);
});
