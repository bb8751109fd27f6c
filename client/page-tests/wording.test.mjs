import assert from "node:assert/strict";
import test from "node:test";

import "./setup.mjs";
import {
  describeRules,
  describeSignal,
  explainCredit,
  explainLatency,
  explainResults,
  finishText,
  formatLatency,
  news,
  refusalText,
  dnfReason,
  statusText,
  lobbyStatus,
  nextRaceStatus,
  whoWillWatch,
  whyWatching,
} from "../sliderace_page/core/wording.js";
import { limitOf } from "../sliderace_page/core/race/limits.js";
import { racerRows } from "../sliderace_page/ui/parts/racers.js";
import { RACE, Stage, member, room, rules, standing } from "./room.mjs";

test("a solve that the server has not heard of says so, and claims no place", () => {
  const racing = { status: "racing", time: null, place: null };
  const racers = [
    { mine: true, lane: { ...racing, name: "Ann", stm: 9 } },
    { mine: false, lane: { ...racing, name: "Ben", stm: 4 } },
  ];
  const solved = { place: "Solved!", time: "1:05.911" };
  const note = "Kept here until the server answers";
  assert.deepEqual(finishText(racers, 65_911, true), { ...solved, note: "" });
  assert.deepEqual(finishText(racers, 65_911, false), { ...solved, note });
});

test("a finish tells how far behind the one before it was", () => {
  const stage = new Stage().race();
  const ends = (seat, place, time_ms) =>
    stage.next({ t: "standing", race: RACE, standing: standing(seat, { place, time_ms }) });
  ends(1, 1, 4000);
  ends(0, 2, 4354);
  const { place, time, note } = finishText(racerRows(stage.model), 0, true);
  assert.deepEqual([place, time], ["2nd", "4.354 s"]);
  assert.equal(note, "+0.354 s behind Ben, last to finish");
});

test("the status of a racer is a sign and a word, never colour alone", () => {
  const lane = (status, more = {}) => ({
    status,
    time: 41320,
    high: 999,
    why: "",
    ...more,
  });
  assert.equal(statusText(lane("finished")), "\u2713 41.320 s");
  assert.equal(statusText(lane("racing")), "99%", "never rounded up");
  assert.equal(statusText(lane("dnf")), "DNF");
  assert.equal(dnfReason(lane("dnf", { why: "limit" })), "(time is up)");
  assert.equal(dnfReason(lane("dnf", { why: "novel" })), "");
  assert.equal(dnfReason(lane("finished", { why: "limit" })), "");
  assert.equal(statusText(lane("forfeited")), "gave up");
  assert.equal(statusText(lane("dns")), "did not start");
});

test("news is about others, not about the player", () => {
  const { model } = new Stage().enter();
  const about = (who, why) => news({ t: "member", member: who, why }, model);
  assert.equal(about(member(2), "joined"), "Ben joined");
  const cleo = member(3, { role: "spectator" });
  assert.equal(about(member(2), "connected"), "Ben is back");
  assert.equal(about({ ...member(2), level: "club" }, "connected"), "");
  assert.equal(about({ ...member(2), pace_ms: 9_000 }, "connected"), "");
  assert.equal(about(cleo, "joined"), "Cleo joined to watch");
  const bot = member(2, { bot: true, level: "club" });
  assert.equal(about(bot, "joined"), "Ben joined");
  assert.equal(about(bot, "connected"), "");
  assert.equal(about(cleo, "role"), "Cleo is a spectator now");
  const idle = "Cleo is a spectator now, after two races without a slide";
  assert.equal(about(cleo, "idle"), idle);
  assert.match(about(member(1), "idle"), /is a spectator now/, "nothing else says why");
  assert.equal(about(member(2), "disconnected"), "Ben lost the connection");
  assert.equal(about(member(2, { name: "Zoë" }), "renamed"), "Ben is now called Zoë");
  assert.equal(about(member(2), "ready"), "", "a mark shows it");
  assert.equal(about(member(2), "novel"), "");
  assert.equal(about(member(1), "connected"), "");
  const gone = (id, why) => news({ t: "gone", member: id, why }, model);
  assert.equal(gone(2, "kicked"), "The host removed Ben");
  assert.equal(gone(77, "left"), "Somebody left");
  assert.equal(gone(2, "novel"), "Ben left");
  const row = (seat, more) =>
    news({ t: "standing", standing: standing(seat, more) }, model);
  assert.equal(row(1), "Ben finished in 4.321 s (2 moves)");
  assert.match(row(1, { name: "\u2699 Fox \u00b7 ~12 s" }), /^\u2699 Fox finished in 4/);
  assert.equal(row(1, { status: "racing" }), "Ben is racing again");
  assert.equal(row(1, { status: "forfeited", high: 519 }), "Ben gave up at 51%");
  assert.equal(row(1, { status: "dns" }), "Ben did not start");
  assert.equal(
    row(1, { status: "dnf", why: "away" }),
    "Ben did not finish: they were away too long",
  );
  assert.equal(row(1, { status: "dnf", why: "novel" }), "Ben did not finish");
  assert.equal(row(0), "");
});

test("changes of the room and of the phase are news", () => {
  const { model } = new Stage().enter();
  const change = (why, more) => news({ t: "room", room: room(more), why }, model);
  assert.equal(change("host", { host: 1 }), "You are the host now");
  assert.equal(change("host", { host: 2 }), "Ben is the host now");
  assert.equal(change("lock", { locked: true }), "The room is locked");
  assert.equal(change("settings", {}), "", "we did that");
  const phase = (name, left = null) =>
    news({ t: "phase", race: RACE, phase: name, in_ms: left }, model);
  assert.equal(phase("grace", 60000), "The others have 60 s left");
  assert.equal(phase("aborted"), "The race was called off");
  model.phase = "countdown";
  assert.equal(phase("lobby"), "The start was called off");
  model.room.host = 2;
  assert.equal(change("settings", {}), "The host changed the rules");
  assert.equal(news({ t: "ack" }, model), "");
});

test("the winner is news when the first place is final", () => {
  const { model } = new Stage().race();
  const won = (...seats) => news({ t: "winner", race: RACE, seats }, model);
  assert.equal(won(1), "Ben has won");
  assert.equal(won(1, 9), "Ben and Somebody have won");
  assert.equal(won(0), "You have won");
  assert.equal(won(0, 1), "You and Ben have won");
  model.lanes.delete(1);
  assert.equal(won(0), "", "alone, nobody wins");
});

test("size, limit and boards are always shown, other rules only if not default", () => {
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

test("the default time limit depends on the size", () => {
  const limit = (size, ms = -1) => limitOf(rules({ size, limit_ms: ms }));
  assert.equal(limit("4x4"), 300000);
  assert.equal(limit("10x10"), 3600000);
  assert.equal(limit("2x2"), 60000, "at least a minute");
  assert.equal(limit("3x5"), 203332, "rounded like the server");
  assert.equal(limit("4x4", 0), 0);
  assert.equal(limit("4x4", 90000), 90000);
});

test("friendly timing is shown as a rule", () => {
  assert.equal(describeRules(rules({ friendly_timing: true })).at(-1), "friendly timing");
});

test("only the marks that a result table has are explained", () => {
  const said = (row, friendly_timing = false) =>
    explainResults({ standings: [standing(0, row)], friendly_timing });
  assert.deepEqual(said({}), []);
  assert.match(said({ credit_ms: 5 })[0], /makes up for the connection/);
  assert.match(said({ photo: true })[0], /^Photo finish/);
  assert.match(said({ outage_ms: 5 })[0], /^Outage/);
  assert.match(said({}, true)[0], /^Friendly timing/);
  const results = { standings: [standing(0, {})], friendly_timing: false };
  assert.deepEqual(explainResults(results, 10675), [
    "Connection lost: your solve counts 10.675 s later than you made it.",
  ]);
});

test("a credit is explained by its reason", () => {
  const credit = (credit_ms, outage_ms) =>
    explainCredit(standing(0, { credit_ms, outage_ms }));
  assert.equal(credit(50, 0), "4.371 s at the server, minus 50 ms for the connection");
  assert.equal(
    credit(400, 400),
    "4.721 s at the server, minus 400 ms for a server outage",
  );
  assert.equal(
    credit(450, 400),
    "4.771 s at the server, minus 50 ms for the connection and 400 ms for a server outage",
  );
});

test("a latency is a round trip and its jitter", () => {
  assert.equal(formatLatency({ rtt: 23, jitter: 4 }), "23\u00b14 ms");
  assert.equal(formatLatency({ rtt: 23, jitter: 0 }), "23 ms");
  assert.equal(formatLatency({ rtt: 0, jitter: 0 }), "<1 ms");
  assert.match(explainLatency({ rtt: 23, jitter: 4 }), /23 ms there and back, \u00b14/);
});

test("a signal has a value and a range, both in its unit", () => {
  const signal = (name, value, low = null, high = null) =>
    describeSignal({ name, value, low, high });
  assert.deepEqual(signal("cv_milli", 234, 250), {
    label: "Unevenness of the rhythm; a machine has 0",
    value: "0.23",
    range: "\u2265 0.25",
  });
  assert.equal(signal("peak", 150, null, 149).range, "\u2264 149");
  assert.equal(signal("first_ms", 1234).value, "1.23 s");
  assert.equal(signal("first_ms", null).value, "\u2013");
  assert.deepEqual(signal("novel", 3), { label: "novel", value: "3", range: "" });
});

test("the host sees who would only watch", () => {
  const { model } = new Stage().enter();
  assert.equal(whoWillWatch(model), "Ben is not ready and will watch.");
  assert.equal(lobbyStatus(model, 0), "Ben is not ready and will watch.");
  model.members.set(3, member(3));
  model.members.set(4, member(4));
  assert.equal(whoWillWatch(model), "Ben, Cleo and 1 more are not ready and will watch.");
  model.members.set(2, member(2, { ready: true }));
  assert.equal(whoWillWatch(model), "Cleo and Dan are not ready and will watch.");
  model.members.set(3, member(3, { benched: true }));
  model.members.set(4, member(4, { connected: false }));
  assert.equal(whoWillWatch(model), "");
  const others = "The others are ready. You can start.";
  assert.equal(lobbyStatus(model, 0), others, "the host's own row says that they are not");
  model.members.set(1, member(1, { ready: true }));
  assert.equal(lobbyStatus(model, 0), "All are ready.");
  model.members.set(1, member(1, { role: "spectator", seat: null }));
  model.members.set(4, member(4, { ready: true }));
  assert.equal(lobbyStatus(model, 0), "All are ready.", "a host who only watches");
});

test("the results show who is ready, and when the next race starts", () => {
  const { model } = new Stage().enter();
  assert.equal(nextRaceStatus(model, 0), "", "nobody has gone on");
  Object.assign(model, { phase: "results", phaseEnds: 8100 });
  assert.equal(nextRaceStatus(model, 0), "The next race starts in 9 s.");
  Object.assign(model, { phase: "lobby", resultsOpen: true, phaseEnds: null });
  model.members.set(3, member(3));
  const back = "The others are back in the room; 0 of 3 are ready.";
  assert.equal(nextRaceStatus(model, 0), back);
  model.members.set(2, member(2, { ready: true }));
  const ben = "Ben is ready for the next race (1 of 3).";
  assert.equal(nextRaceStatus(model, 0), ben);
  model.phaseEnds = 27000;
  assert.equal(nextRaceStatus(model, 500), `${ben} It starts in 27 s.`);
  model.phaseEnds = null;
  model.members.set(1, member(1, { ready: true }));
  assert.equal(nextRaceStatus(model, 0), "You and Ben are ready for the next race (2 of 3).");
  model.members.set(2, member(2));
  model.members.set(3, member(3, { connected: false }));
  assert.equal(nextRaceStatus(model, 0), "You are ready for the next race (1 of 2).");
});

test("only a player who must watch sees the reason", () => {
  const started = (id, roster) => {
    const stage = new Stage().enter({ member: id, seat: id === 3 ? null : id - 1 });
    stage.phase("countdown", { in_ms: 1200, roster });
    stage.phase("racing", { in_ms: 120000, roster });
    return whyWatching(stage.model);
  };
  assert.match(started(2, [0]), /^You were not ready/);
  assert.equal(started(3, [0]), "You are watching this race");
  const { model } = new Stage().enter({ member: 2, seat: 1 });
  assert.equal(
    whyWatching(model),
    "This race has already begun. You can watch it, and play in the next one",
    "a latecomer",
  );
});

test("a refused rule is named with its value and the values it can have", () => {
  const refused = (field, value) =>
    refusalText({ code: "bad_rules", text: "", field, value });
  assert.equal(
    refused("rules.limit_ms", "5"),
    "rules.limit_ms must be an integer from 10000 to 86400000, or -1, or 0, not 5.",
  );
  const size = "rules.size must be a size from 2x2 to 10x10, such as 4x4, not 1x9.";
  assert.equal(refused("rules.size", "1x9"), size);
  assert.equal(refused("rules.new", "5"), "That rule cannot have this value.");
});
