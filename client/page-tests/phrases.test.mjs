import assert from "node:assert/strict";
import test from "node:test";

import { describeRules, reason, say, stands } from "../sliderace_page/phrases.js";
import { RACE, Stage, member, room, rules, standing } from "./room.mjs";

test("how a racer stands: a sign and a word, never colour alone", () => {
  const lane = (status, more = {}) => ({
    status,
    time: 41320,
    high: 999,
    why: "",
    ...more,
  });
  assert.equal(stands(lane("finished")), "\u2713 41.320");
  assert.equal(stands(lane("racing")), "99 %", "never rounded up");
  assert.equal(stands(lane("dnf")), "DNF");
  assert.equal(reason(lane("dnf", { why: "limit" })), "(time is up)");
  assert.equal(reason(lane("dnf", { why: "novel" })), "");
  assert.equal(reason(lane("finished", { why: "limit" })), "");
  assert.equal(stands(lane("forfeited")), "gave up");
  assert.equal(stands(lane("dns")), "did not start");
});

test("what happens is said about others, not about oneself", () => {
  const { model } = new Stage().enter();
  const about = (who, why) => say({ t: "member", member: who, why }, model);
  assert.equal(about(member(2), "joined"), "Ben joined");
  assert.equal(
    about(member(3, { role: "spectator" }), "joined"),
    "Cleo joined to watch",
  );
  assert.equal(about(member(2), "disconnected"), "Ben lost the connection");
  assert.equal(about(member(2), "ready"), "", "the mark says it");
  assert.equal(about(member(1), "connected"), "");
  assert.equal(say({ t: "gone", member: 2, why: "kicked" }, model), "Ben was sent out");
  assert.equal(say({ t: "gone", member: 77, why: "left" }, model), "Somebody left");
  const row = (seat, more) =>
    say({ t: "standing", standing: standing(seat, more) }, model);
  assert.equal(row(1), "Ben finished in 4.321");
  assert.equal(
    row(1, { status: "dnf", why: "away" }),
    "Ben did not finish: away too long",
  );
  assert.equal(row(0), "");
});

test("the room's changes", () => {
  const { model } = new Stage().enter();
  const change = (why, more) => say({ t: "room", room: room(more), why }, model);
  assert.equal(change("host", { host: 1 }), "You are the host now");
  assert.equal(change("host", { host: 2 }), "Ben is the host now");
  assert.equal(change("lock", { locked: true }), "The room is locked");
  assert.equal(change("settings", {}), "", "I did that");
  const phase = (name, left = null) =>
    say({ t: "phase", race: RACE, phase: name, in_ms: left }, model);
  assert.equal(phase("grace", 60000), "The others have 60 s left");
  assert.equal(phase("aborted"), "The race was called off");
  assert.equal(say({ t: "ack" }, model), "");
});

test("rules are told where they differ from a plain race", () => {
  assert.deepEqual(describeRules(rules()), []);
  const all = describeRules(
    rules({
      start: "every",
      inspection_ms: 5000,
      limit_ms: 0,
      grace_ms: 0,
      open_boards: true,
      spectator_delay_ms: 5000,
    }),
  );
  assert.equal(all.length, 6);
});
