import assert from "node:assert/strict";
import test from "node:test";

import { FAR, RACE, Stage } from "./room.mjs";
import { gainsLines } from "../sliderace_page/core/gains-text.js";
import { InputKinds } from "../sliderace_page/core/input-kinds.js";

const gains = (change = {}) => ({
  t: "gains",
  race: RACE,
  counts: true,
  bests: [],
  place: null,
  of: 0,
  streak: 0,
  ...change,
});
const AO5 = { kind: "ao5", value_ms: 11204, before_ms: 11514 };

test("new bests are told with their gain and the place", () => {
  const first = { kind: "single", value_ms: 9870, before_ms: null };
  assert.deepEqual(gainsLines(gains({ bests: [first, AO5], place: 14, of: 212 })), [
    "First single, 9.870 s",
    "New best ao5, 11.204 s (-0.310 s), 14th of 212",
  ]);
  assert.deepEqual(gainsLines(gains({ bests: [AO5] })), [
    "New best ao5, 11.204 s (-0.310 s)",
  ]);
});

test("a race without a new best is not worth a line, but a streak is", () => {
  assert.deepEqual(gainsLines(gains({ place: 14, of: 212 })), []);
  assert.deepEqual(gainsLines(gains({ streak: 3 })), ["Daily streak: 3 days"]);
  assert.deepEqual(gainsLines(gains({ counts: false })), [
    "This attempt does not count towards your bests.",
  ]);
});

test("the model keeps what the last race changed", () => {
  const stage = new Stage().enter({ profile: "BCDFGHJK" });
  assert.equal(stage.model.profile, "BCDFGHJK");
  stage.receive(gains({ bests: [AO5] }));
  assert.deepEqual(stage.model.gains.bests, [AO5]);
});

test("the way to slide is declared once, and again when it becomes mixed", () => {
  const kinds = new InputKinds();
  assert.equal(kinds.declare(), null, "nothing has been slid yet");
  kinds.use("keys");
  assert.equal(kinds.declare(), "keys");
  kinds.use("keys");
  assert.equal(kinds.declare(), null);
  kinds.use("click");
  kinds.use("hover");
  assert.equal(kinds.declare(), "mixed");
  kinds.use("touch");
  assert.equal(kinds.declare(), null);
});

test("a server with profiles is told how the racer slides", () => {
  const inputs = (features) => {
    const stage = new Stage().race(FAR, { features });
    const sent = stage.slide("R");
    stage.model.slideCell(0, stage.now, "touch");
    return [...sent, ...stage.model.poll(stage.now)].filter(({ t }) => t === "input");
  };
  assert.deepEqual(inputs(["profiles"]), [
    { t: "input", race: RACE, input: "keys" },
    { t: "input", race: RACE, input: "mixed" },
  ]);
  assert.deepEqual(inputs([]), []);
});

test("a declaration waits for the connection", () => {
  const stage = new Stage().race(FAR, { features: ["profiles"] });
  stage.model.lost();
  assert.deepEqual(stage.slide("R"), []);
  assert.ok(stage.moved);
  stage.model.online = true;
  assert.ok(stage.model.poll(stage.now).some(({ t }) => t === "input"));
});
