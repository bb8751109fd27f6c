// The curves of our best attempts: stored here, or fetched with the profile.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import "./setup.mjs";
import { BestCurves } from "../sliderace_page/app/best-curves.js";
import { POINTS } from "../sliderace_page/core/pace-curve.js";

const file = new URL("../../shared/vectors/record-v1.json", import.meta.url);
const { record } = JSON.parse(readFileSync(file, "utf8")).records.find(
  ({ why }) => why === "all finished",
);
const SECRET = "07".repeat(16);
const [SIZE, TIME] = ["2x2", 1900]; // of Ann, who won

class FakeStorage extends Map {
  getItem = (key) => this.get(key) ?? null;
  setItem = (key, value) => this.set(key, value);
  removeItem = (key) => this.delete(key);
}

/** A page whose server has this best attempt in the profile. */
function page(best = {}, answer = JSON.stringify({ record })) {
  const asked = [];
  const profile = {
    id: "BCDFGHJK",
    name: "Ann",
    created_ms: 0,
    devices: [],
    bests: [{ event: SIZE, attempts: 1, finished: 1, single_ms: TIME, race: record.race, ...best }],
  };
  class FakeSocket {
    constructor() {
      setImmediate(() => this.onopen());
    }
    send() {
      setImmediate(() => this.onmessage({ data: JSON.stringify({ t: "me", profile }) }));
    }
    close() {}
  }
  const lasting = new FakeStorage();
  const curves = new BestCurves({
    seats: { lasting },
    socketUrl: "ws://host/ws",
    random: (count) => new Uint8Array(count).fill(7),
    socket: { WebSocket: FakeSocket, later: () => 0, cancel: () => {} },
    get: async (path, _, secret) => {
      asked.push([path, secret]);
      return answer;
    },
  });
  return { curves, asked, lasting };
}

const even = (time) => Array.from({ length: POINTS }, (_, i) => Math.round(((i + 1) * time) / POINTS));

test("a better attempt from another device is fetched once, with the secret in a header", async () => {
  const { curves, asked } = page();
  await curves.lookUp(SIZE);
  await curves.lookUp(SIZE);
  assert.deepEqual(asked, [[`api/races/${record.race}`, SECRET]]);
  const curve = curves.of(SIZE);
  assert.equal(curve.length, POINTS);
  assert.equal(curve.at(-1), TIME);
});

test("the better curve stays", async () => {
  const { curves, asked } = page();
  curves.keep(SIZE, even(TIME));
  curves.keep(SIZE, even(TIME + 1));
  curves.keep(SIZE, null);
  await curves.lookUp(SIZE);
  assert.deepEqual(asked, [], "what is stored is as good");
  assert.equal(curves.of(SIZE).at(-1), TIME);
  curves.keep(SIZE, even(TIME - 1));
  assert.equal(curves.of(SIZE).at(-1), TIME - 1);
});

test("without a usable record the stored curve stays", async () => {
  for (const [best, answer] of [
    [{ race: "" }],
    [{ single_ms: null }],
    [{ event: "9x9" }],
    [{ single_ms: 1 }], // nobody in the record has this time
    [{}, "{"],
    [{}, "{}"],
    [{}, { failed: true }],
  ]) {
    const { curves } = page(best, answer);
    curves.keep(SIZE, even(5000));
    await curves.lookUp(SIZE);
    assert.equal(curves.of(SIZE).at(-1), 5000, JSON.stringify([best, answer]));
  }
});

test("storage may contain anything", () => {
  const { curves, lasting } = page();
  for (const stored of ["{", "null", "5", '{"2x2": [1]}']) {
    lasting.set("sliderace.best-curves", stored);
    assert.equal(curves.of(SIZE), null);
  }
});
