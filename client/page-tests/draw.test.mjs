import assert from "node:assert/strict";
import test from "node:test";

import "./setup.mjs";
import { hexToBytes, nonceCommitment } from "../sliderace_page/core/engine.js";
import { command } from "../sliderace_page/core/protocol.js";
import {
  RACE,
  Stage,
  member,
  raceView,
  room,
  rules,
  snapshot,
  welcome,
} from "./room.mjs";

const nonceOf = (draw) => draw.toString(16).padStart(2, "0").repeat(16);
const committed = (draw = 1, race = RACE, seat = 0) =>
  nonceCommitment(race, seat, hexToBytes(nonceOf(draw)));
const ready = (draw = 1) => ({
  ...command.ready(RACE, true),
  nonce_commitment: committed(draw),
});
const me = (change) => ({ t: "member", member: member(1, change), why: "ready" });
const roster = (commitments = [committed(), null], seats = [0, 1]) => ({
  t: "roster",
  race: RACE,
  roster: seats,
  nonce_commitments: commitments,
});
const revealed = (draw = 1) => command.nonce(RACE, nonceOf(draw));
const send = (stage, message) => {
  stage.model.send(message, stage.now);
  return stage.model.poll(stage.now);
};
const isReady = { members: [member(1, { ready: true }), member(2)] };

test("the player's own ready carries the commitment", () => {
  const stage = new Stage().enter();
  assert.deepEqual(send(stage, command.ready(RACE, true)), [ready()]);
  assert.deepEqual(stage.next(me({ ready: true })), []);
  assert.deepEqual(send(stage, command.ready(RACE, false)), [
    command.ready(RACE, false),
  ]);
  assert.deepEqual(send(stage, command.ready(RACE, true)), [ready()], "the same nonce");
  assert.equal(stage.draws, 1);
});

test("a player made ready by the start commits automatically, once", () => {
  const stage = new Stage().enter();
  assert.deepEqual(stage.phase("countdown"), [], "not ready: only watching");
  assert.deepEqual(stage.next(me({ ready: true })), [ready()]);
  assert.deepEqual(stage.next(me({ ready: true })), []);
  assert.equal(stage.model.nonces.isAutomatic, true);
});

test("with automatic starts every player commits in the countdown", () => {
  const every = { room: room({ rules: rules({ start: "every" }) }) };
  const stage = new Stage().enter({}, every);
  assert.deepEqual(stage.phase("countdown"), [ready()]);
  const watching = new Stage();
  watching.enter({ member: 3, seat: null }, every);
  assert.deepEqual(watching.phase("countdown"), []);
});

test("nobody commits when benched, offline, with a known seed or a frozen roster", () => {
  const cases = [
    { members: [member(1, { ready: true, benched: true })] },
    { members: [member(1, { ready: true })], room: room({ seed_known: true }) },
    { ...isReady, phase: "countdown", race: raceView({ roster: [0, 1] }) },
    { ...isReady, phase: "results" },
  ];
  for (const seen of cases) {
    const stage = new Stage();
    stage.receive(welcome());
    assert.deepEqual(stage.receive(snapshot(seen)), []);
    assert.equal(stage.draws, 0);
  }
  const stage = new Stage().enter();
  stage.model.lost();
  assert.equal(stage.model.send(command.ready(RACE, true), 0), false);
  assert.deepEqual(stage.model.poll(0), []);
});

test("the same commitment is sent again on a new connection", () => {
  const stage = new Stage().enter({}, isReady);
  assert.equal(stage.draws, 1);
  stage.model.lost();
  assert.deepEqual(stage.receive(welcome({ token: null })), [ready()]);
  stage.model.lost();
  assert.deepEqual(stage.receive(welcome({ token: null, epoch: 6 })), [], "not yet");
  assert.deepEqual(stage.receive(snapshot({ ...isReady, epoch: 6 })), [ready()]);
  assert.equal(stage.draws, 1);
});

test("every race and every seat has its own nonce", () => {
  const stage = new Stage().enter({}, isReady);
  stage.next({ t: "room", room: room({ race: "KWXTRB-SA1B2C-4" }), why: "race" });
  const [first] = stage.next(me({ ready: true }));
  assert.equal(first.nonce_commitment, committed(2, "KWXTRB-SA1B2C-4"));
  const [second] = stage.next(me({ ready: true, seat: 4 }));
  assert.equal(second.nonce_commitment, committed(3, "KWXTRB-SA1B2C-4", 4));
});

test("the frozen roster is answered with the nonce, once", () => {
  const stage = new Stage().enter({}, isReady);
  stage.phase("countdown", { in_ms: 5000 });
  assert.deepEqual(stage.next(roster()), [revealed()]);
  assert.deepEqual(stage.phase("countdown", { in_ms: 400, roster: [0, 1] }), []);
  assert.deepEqual(stage.model.roster, [0, 1]);
});

test("after a lost connection the nonce is sent again if there is still time", () => {
  const stage = new Stage().enter({}, isReady);
  stage.phase("countdown", { in_ms: 5000 });
  stage.next(roster());
  stage.model.lost();
  assert.deepEqual(stage.receive(welcome({ token: null })), [revealed()]);
  const away = new Stage().enter({}, isReady);
  away.model.lost();
  away.receive(welcome({ token: null, epoch: 6 }));
  const race = raceView({ roster: [0, 1], nonce_commitments: [committed(), null] });
  const frozen = { ...isReady, epoch: 6, phase: "countdown", race };
  assert.deepEqual(away.receive(snapshot(frozen)), [revealed()]);
  away.phase("racing", { roster: [0, 1] });
  away.model.lost();
  assert.deepEqual(away.receive(welcome({ token: null, epoch: 6 })), [], "too late");
});

test("a roster that a killed server forgot is answered again", () => {
  const stage = new Stage().enter({}, isReady);
  stage.phase("countdown", { in_ms: 5000 });
  stage.next(roster());
  stage.model.lost();
  stage.receive(welcome({ token: null, epoch: 6 }));
  const o = stage.model.offset;
  const thawed = { ...isReady, o, epoch: 6, phase: "countdown" };
  assert.deepEqual(stage.receive(snapshot(thawed)), [ready()], "committed again");
  assert.deepEqual(stage.model.poll(stage.now), [], "nothing is revealed yet");
  assert.deepEqual(stage.next(roster()), [revealed()]);
});

test("no nonce is sent for a commitment that is not ours", () => {
  for (const list of [
    roster(["cd".repeat(32), null]),
    roster([null, null]),
    roster([committed()], [1]),
    roster([committed()], [0, 1]),
  ]) {
    const stage = new Stage().enter({}, isReady);
    stage.phase("countdown", { in_ms: 5000 });
    assert.deepEqual(stage.next(list), []);
  }
  const reloaded = new Stage();
  reloaded.receive(welcome({ token: null }));
  const race = raceView({ roster: [0, 1], nonce_commitments: [committed(), null] });
  assert.deepEqual(reloaded.receive(snapshot({ ...isReady, phase: "countdown", race })), []);
});

test("only the first list of commitments counts", () => {
  const stage = new Stage().enter({}, isReady);
  stage.phase("countdown", { in_ms: 5000 });
  stage.next(roster());
  stage.next(roster(["cd".repeat(32), null]));
  assert.equal(stage.model.firstShown.get(RACE).listed.get(0), committed());
});
