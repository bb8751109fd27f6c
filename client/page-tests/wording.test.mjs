import assert from "node:assert/strict";
import test from "node:test";

import "./setup.mjs";
import {
  describeRules,
  describeSignal,
  explainCredit,
  explainResults,
  limitOf,
  reason,
  say,
  sealOf,
  stands,
  waitsFor,
  whoGoesOn,
  whoWatches,
  whyIWatch,
} from "../sliderace_page/core/wording.js";
import { RACE, Stage, member, room, rules, standing } from "./room.mjs";

test("how a racer stands: a sign and a word, never colour alone", () => {
  const lane = (status, more = {}) => ({
    status,
    time: 41320,
    high: 999,
    why: "",
    ...more,
  });
  assert.equal(stands(lane("finished")), "\u2713 41.320 s");
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
  assert.equal(row(1), "Ben finished in 4.321 s");
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

test("the rules: size, limit and boards always, the rest where it is not as usual", () => {
  const plain = ["3\u00d73", "2 min limit", "boards hidden"];
  assert.deepEqual(describeRules(rules()), plain);
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
  assert.deepEqual(all.slice(0, 3), ["3\u00d73", "no time limit", "boards open"]);
  assert.equal(all.length, 7);
});

test("the time limit that holds where nobody has set one", () => {
  const limit = (size, ms = -1) => limitOf(rules({ size, limit_ms: ms }));
  assert.equal(limit("4x4"), 300000);
  assert.equal(limit("10x10"), 3600000);
  assert.equal(limit("2x2"), 60000, "at least a minute");
  assert.equal(limit("3x5"), 203332, "as the server rounds it");
  assert.equal(limit("4x4", 0), 0);
  assert.equal(limit("4x4", 90000), 90000);
});

test("friendly timing is among the rules", () => {
  assert.equal(describeRules(rules({ friendly_timing: true })).at(-1), "friendly timing");
});

test("marks of the results are explained, and nothing that is not there", () => {
  const said = (row, friendly_timing = false) =>
    explainResults({ standings: [standing(0, row)], friendly_timing });
  assert.deepEqual(said({}), []);
  assert.match(said({ credit_ms: 5 })[0], /what the line there cost/);
  assert.match(said({ photo: true })[0], /^Photo finish/);
  assert.match(said({ outage_ms: 5 })[0], /^Outage/);
  assert.match(said({}, true)[0], /^Friendly timing/);
  const credit = explainCredit(standing(0, { credit_ms: 450, outage_ms: 400 }));
  assert.equal(
    credit,
    "4.771 s at the server, less 50 ms for the line and 400 ms for a failure of the server",
  );
});

test("a signal: value and range, each in its unit", () => {
  const signal = (name, value, low = null, high = null) =>
    describeSignal({ name, value, low, high });
  assert.deepEqual(signal("cv_milli", 234, 250), {
    label: "Unevenness of the rhythm; 0 is a machine\u2019s",
    value: "0.23",
    range: "\u2265 0.25",
  });
  assert.equal(signal("peak", 150, null, 149).range, "\u2264 149");
  assert.equal(signal("first_ms", 1234).value, "1.23 s");
  assert.equal(signal("first_ms", null).value, "\u2013");
  assert.deepEqual(signal("novel", 3), { label: "novel", value: "3", range: "" });
});

test("the winner is said when the first place is final", () => {
  const { model } = new Stage().race();
  const said = (...seats) => say({ t: "winner", race: RACE, seats }, model);
  assert.equal(said(1), "First place is final: Ben");
  assert.equal(said(0, 1), "First place is final: you and Ben");
});

test("the seal is told with what it is for", () => {
  assert.match(sealOf({ commitment: "c76c14ff" }), /^Board sealed: c76c14ff\. .*checks/);
});

test("the host reads who would only watch, the others why they do", () => {
  const { model } = new Stage().enter();
  assert.equal(whoWatches(model), "Ben is not ready and will watch.");
  assert.equal(waitsFor(model, 0), "Ben is not ready and will watch.");
  model.members.set(3, member(3));
  model.members.set(4, member(4));
  assert.equal(whoWatches(model), "Ben, Cleo and 1 more are not ready and will watch.");
  model.members.set(2, member(2, { ready: true }));
  assert.equal(whoWatches(model), "Cleo and Dan are not ready and will watch.");
  model.members.set(3, member(3, { benched: true }));
  model.members.set(4, member(4, { connected: false }));
  assert.equal(whoWatches(model), "");
  assert.equal(waitsFor(model, 0), "All are ready.");
});

test("under the results: who has gone on, and how long there is to follow", () => {
  const { model } = new Stage().enter();
  assert.equal(whoGoesOn(model, 0), "", "nobody has");
  Object.assign(model, { phase: "results", phaseEnds: 8100 });
  assert.equal(whoGoesOn(model, 0), "The next race starts in 9 s.");
  Object.assign(model, { phase: "lobby", reading: true, phaseEnds: null });
  model.members.set(3, member(3));
  const back = "The others are back in the room; 0 of 3 are ready.";
  assert.equal(whoGoesOn(model, 0), back);
  model.members.set(2, member(2, { ready: true }));
  const ben = "Ben is ready for the next race (1 of 3).";
  assert.equal(whoGoesOn(model, 0), ben);
  model.phaseEnds = 27000;
  assert.equal(whoGoesOn(model, 500), `${ben} It starts in 27 s.`);
  model.phaseEnds = null;
  model.members.set(1, member(1, { ready: true }));
  assert.equal(whoGoesOn(model, 0), "You and Ben are ready for the next race (2 of 3).");
  model.members.set(2, member(2));
  model.members.set(3, member(3, { connected: false }));
  assert.equal(whoGoesOn(model, 0), "You are ready for the next race (1 of 2).");
});

test("left out of a race, one reads why; who only watches does not", () => {
  const started = (id, roster) => {
    const stage = new Stage().enter({ member: id, seat: id === 3 ? null : id - 1 });
    stage.phase("countdown", { in_ms: 1200, roster });
    stage.phase("racing", { in_ms: 120000, roster });
    return whyIWatch(stage.model);
  };
  assert.match(started(2, [0]), /^You were not ready/);
  assert.equal(started(3, [0]), "You watch this race");
  const { model } = new Stage().enter({ member: 2, seat: 1 });
  assert.equal(
    whyIWatch(model),
    "This race had begun: you watch it, and play in the next",
    "who came too late",
  );
});
