// The order in which racers are shown, and which ranks where not all fit.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { FAST_PASS_MS, Leaderboard, PASS_MS, shownRanks } from "../sliderace_page/core/leaderboard.js";

const file = new URL("../../shared/vectors/leaderboard-v1.json", import.meta.url);
const { cases, excerpts } = JSON.parse(readFileSync(file, "utf8"));
const SIXTEEN = cases.at(-1);

/** A race of the table. */
class Race {
  board = new Leaderboard();
  racers = new Map();

  constructor({ me }) {
    this.me = me;
  }

  update(at, changed) {
    for (const [seat, status, high, time, place] of changed)
      if (status === null) this.racers.delete(seat);
      else this.racers.set(seat, { seat, status, high, time, place });
    return this.board.update([...this.racers.values()], this.me, at);
  }
}

for (const one of cases)
  test(one.name, () => {
    const race = new Race(one);
    let shown = null;
    for (const [at, changed, order, swaps] of one.rows) {
      const made = race.update(at, changed);
      shown = order ?? shown;
      assert.deepEqual(race.board.order, shown, `at ${at}`);
      const expected = swaps.map(([up, down, flash]) => ({ up, down, flash: Boolean(flash) }));
      assert.deepEqual(made, expected, `at ${at}`);
    }
  });

test("swaps of sixteen racers come no faster than they glide", () => {
  const race = new Race(SIXTEEN);
  let last = -Infinity;
  for (const [at, changed] of SIXTEEN.rows) {
    if (!race.update(at, changed).length) continue;
    assert.ok([PASS_MS, FAST_PASS_MS].includes(race.board.pass));
    assert.ok(at - last >= race.board.pass, `at ${at}`);
    last = at;
  }
});

test("the order shown becomes the true one", () => {
  const race = new Race(SIXTEEN);
  assert.equal(race.board.settled, false);
  for (const [at, changed] of SIXTEEN.rows) race.update(at, changed);
  const end = SIXTEEN.rows.at(-1)[0];
  for (let at = end; !race.board.settled; at += 50) {
    assert.ok(at < end + 5000);
    race.update(at, []);
  }
  assert.deepEqual(race.board.order, race.board.truth);
});

test("ranks follow the table", () => {
  for (const [racers, lines, mine, ranks, between, behind] of excerpts)
    assert.deepEqual(shownRanks(racers, lines, mine), { ranks, between, behind });
});

test("the leader and the player are always among the ranks shown", () => {
  for (let many = 1; many <= 16; many += 1)
    for (let lines = 5; lines <= 20; lines += 1)
      for (let mine = 0; mine < many; mine += 1) {
        const { ranks, between, behind } = shownRanks(many, lines, mine);
        const about = `${many} racers, ${lines} lines, rank ${mine}`;
        assert.ok(ranks.includes(0) && ranks.includes(mine), about);
        assert.equal(ranks.length + between + behind, many, about);
        assert.ok(ranks.length + Number(between + behind > 0) <= lines, about);
        assert.deepEqual(ranks, ranks.toSorted((a, b) => a - b), about);
        assert.equal(ranks[1] - 1, many > lines ? between : ranks[1] - 1, about);
      }
});
