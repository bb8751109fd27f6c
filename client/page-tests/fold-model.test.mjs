import assert from "node:assert/strict";
import test from "node:test";

import "./setup.mjs";
import * as engine from "../sliderace_page/core/engine.js";
import { Model } from "../sliderace_page/core/model.js";
import { command, enter } from "../sliderace_page/core/protocol.js";
import {
  FAR,
  LIMITS,
  RACE,
  START,
  Stage,
  TOKEN,
  member,
  raceView,
  room,
  rules,
  snapshot,
  standing,
  welcome,
} from "./room.mjs";

const { formatBoard, parseBoard } = engine;
const own = (stage) => formatBoard(stage.model.attempt.board);
const sentSlides = (messages) => messages.filter((one) => one.t === "slides");

// --- Entering ------------------------------------------------------------------------

test("the first hello joins, later ones resume with the token", () => {
  const stage = new Stage();
  assert.deepEqual(stage.model.hello().enter, enter.join("KWXTRB", "Ann"));
  assert.equal(stage.model.hello().v, 1);
  stage.enter();
  assert.equal(stage.model.online, true);
  stage.model.lost();
  assert.equal(stage.model.online, false);
  assert.deepEqual(stage.model.hello().enter, enter.resume("KWXTRB", TOKEN, 5, 10));
});

test("a kept token resumes and requests a snapshot", () => {
  const model = new Model(enter.resume("KWXTRB", TOKEN));
  assert.deepEqual(model.hello().enter, enter.resume("KWXTRB", TOKEN, 0, 0));
});

test("a snapshot sets the whole room", () => {
  const { model } = new Stage().enter();
  assert.equal(model.room.code, "KWXTRB");
  assert.equal(model.me, 1);
  assert.equal(model.seat, 0);
  assert.equal(model.isHost, true);
  assert.equal(model.isPlayer, true);
  assert.equal(model.phase, "lobby");
  assert.deepEqual(
    model.players.map((one) => one.id),
    [1, 2],
  );
  assert.equal(model.racing, false);
  assert.equal(model.clock(0), null);
});

test("only the host may start, in the lobby, if somebody could race", () => {
  const stage = new Stage().enter();
  assert.equal(stage.model.canStart, true);
  for (const id of [1, 2])
    stage.next({ t: "member", member: member(id, { benched: true }), why: "benched" });
  assert.equal(stage.model.canStart, false);
  stage.next({ t: "member", member: member(2), why: "unbenched" });
  assert.equal(stage.model.canStart, true);
  stage.next({ t: "room", room: room({ host: 2 }), why: "host" });
  assert.equal(stage.model.canStart, false);
});

// --- The stream ----------------------------------------------------------------------

test("stream events are folded in order, each once", () => {
  const stage = new Stage().enter();
  const ben = (ready) => ({ t: "member", member: member(2, { ready }), why: "ready" });
  stage.receive({ ...ben(true), o: 11 });
  assert.equal(stage.model.members.get(2).ready, true);
  stage.receive({ ...ben(false), o: 11 });
  stage.receive({ ...ben(false), o: 4 });
  assert.equal(stage.model.members.get(2).ready, true, "an old event");
  stage.receive({ ...ben(true), o: 12 });
  assert.equal(stage.model.offset, 12);
});

test("a gap in the stream requests one snapshot; events until then are ignored", () => {
  const stage = new Stage().enter();
  const late = { t: "gone", member: 2, why: "left", o: 13 };
  assert.deepEqual(stage.receive(late), [command.resync()]);
  assert.equal(stage.model.members.has(2), true);
  assert.deepEqual(stage.receive({ ...late, o: 14 }), []);
  stage.receive(snapshot({ o: 14, members: [member(1)] }));
  assert.equal(stage.model.members.has(2), false);
  stage.receive({ t: "room", room: room({ locked: true }), why: "lock", o: 15 });
  assert.equal(stage.model.room.locked, true);
});

test("in another epoch the stream is ignored until the snapshot", () => {
  const stage = new Stage().enter();
  stage.model.lost();
  stage.receive(welcome({ epoch: 6, token: null }));
  stage.receive({ t: "gone", member: 2, why: "left", o: 11 });
  assert.equal(stage.model.members.has(2), true);
  stage.receive(snapshot({ epoch: 6, o: 3 }));
  stage.receive({ t: "gone", member: 2, why: "left", o: 4 });
  assert.equal(stage.model.members.has(2), false);
  assert.deepEqual(stage.model.hello().enter, enter.resume("KWXTRB", TOKEN, 6, 4));
});

test("in the same epoch missed events are folded without a snapshot", () => {
  const stage = new Stage().enter();
  stage.model.lost();
  assert.deepEqual(stage.receive(welcome({ token: null })), []);
  stage.next({ t: "gone", member: 2, why: "left" });
  assert.equal(stage.model.members.has(2), false);
});

test("a new race resets everything but the results", () => {
  const stage = new Stage().race();
  stage.next({ t: "member", member: member(1, { ready: true }), why: "ready" });
  stage.next({ t: "room", room: room({ race: "KWXTRB-SA1B2C-4" }), why: "race" });
  const { model } = stage;
  assert.equal(model.phase, "lobby");
  assert.equal(model.race, "KWXTRB-SA1B2C-4");
  assert.equal(model.attempt, null);
  assert.equal(model.lanes.size, 0);
  assert.equal(model.members.get(1).ready, false);
});

for (const [phase, stay] of [
  ["results", true],
  ["aborted", false],
]) {
  test(`after ${phase}, players stay ready where races follow: ${stay}`, () => {
    const every = rules({ start: "every", every_ms: 12_000 });
    const stage = new Stage().enter({}, { room: room({ rules: every }) });
    stage.next({ t: "member", member: member(1, { ready: true }), why: "ready" });
    stage.next({ t: "phase", race: RACE, phase, in_ms: null, roster: [], why: "" });
    const race = "KWXTRB-SA1B2C-4";
    stage.next({ t: "room", room: room({ race, rules: every }), why: "race" });
    stage.next({ t: "phase", race, phase: "countdown", in_ms: 3000, roster: [], why: "" });
    assert.equal(stage.model.members.get(1).ready, stay);
    assert.equal(stage.model.members.get(2).ready, false);
  });
}

test("a kicked member is gone; for ourselves the room has ended", () => {
  const stage = new Stage().enter();
  stage.next({ t: "gone", member: 2, why: "kicked" });
  assert.equal(stage.model.ended, "");
  stage.next({ t: "gone", member: 1, why: "kicked" });
  assert.equal(stage.model.ended, "kicked");
  const other = new Stage().enter();
  other.next({ t: "closed", why: "host" });
  assert.equal(other.model.ended, "host");
});

// --- Racing --------------------------------------------------------------------------

test("the clock starts with the paint, and a slide is sent at once", () => {
  const stage = new Stage().race();
  assert.equal(own(stage), START);
  stage.now += 30;
  stage.model.painted(stage.now);
  assert.equal(stage.model.clock(stage.now), 0);
  stage.now += 500;
  const sent = stage.slide("L");
  assert.deepEqual(sent, [], "no such slide here");
  assert.equal(stage.moved, false);
  assert.deepEqual(stage.slide("D"), [
    command.slides(RACE, 0, 1, [["D", 1, 500]], false),
  ]);
  assert.equal(own(stage), "1 2 0/4 5 3/7 8 6", "before any answer");
});

test("fast slides are batched, the solving one is sent at once", () => {
  const stage = new Stage().race();
  assert.equal(stage.slide("D").length, 1);
  stage.now += 10;
  assert.deepEqual(stage.slide("U"), []);
  assert.equal(stage.model.due(stage.now), stage.now + 23);
  stage.now += 10;
  const [last] = stage.slide("U");
  assert.equal(stage.model.attempt.solved, true);
  assert.equal(last.seq, 2);
  assert.deepEqual(
    last.slides.map(([direction]) => direction),
    ["U", "U"],
  );
  const { sent, seq } = stage.model.attempt;
  assert.equal(sent, seq, "nothing is left to send");
  assert.equal(stage.model.clock(stage.now + 9999), 20, "the clock stops");
});

test("a solve that counts much later than it was made is late", () => {
  const stage = new Stage().race();
  for (const direction of ["D", "U", "U"]) {
    stage.now += 500;
    stage.slide(direction);
  }
  assert.equal(stage.model.lateMs, 0, "there is no official time yet");
  const counts = (time_ms) => {
    stage.next(raceResults({ standings: [standing(0, { time_ms })] }));
    return stage.model.lateMs;
  };
  const made = stage.model.attempt.solvedAt - stage.model.attempt.zero;
  assert.deepEqual([made + 10, made + 999, made + 10675].map(counts), [0, 0, 10675]);
  const race = "KWXTRB-SA1B2C-4";
  stage.next({ t: "room", room: room({ race }), why: "rematch" });
  assert.equal(stage.model.lateMs, 10675, "also when the next race is being prepared");
  const again = [standing(0, { time_ms: made + 10675 })];
  const results = { ...raceResults({ standings: again }), o: stage.offset };
  const next = { room: room({ race }), race: raceView({ id: race }) };
  stage.receive(snapshot({ ...next, o: stage.offset, results }));
  assert.equal(stage.model.lateMs, 10675, "and after a reconnect");
  stage.model.kept.own.approx = true;
  assert.equal(stage.model.lateMs, 0, "our own clock began too late");
});

test("a click slides the tile and all between it and the gap", () => {
  const stage = new Stage().race("1 2 3/0 4 5/7 8 6");
  assert.equal(stage.model.slideCell(8, stage.now), false, "not in line");
  assert.equal(stage.model.slideCell(5, stage.now), true);
  assert.equal(own(stage), "1 2 3/4 5 0/7 8 6");
  assert.deepEqual(stage.model.poll(stage.now)[0].slides, [["L", 2, 0]]);
});

test("during inspection the board is visible but locked", () => {
  const stage = new Stage();
  stage.enter();
  stage.next({
    t: "room",
    room: room({ rules: rules({ inspection_ms: 2000 }) }),
    why: "settings",
  });
  stage.phase("countdown", { roster: [0, 1] });
  stage.receive({ t: "board", race: RACE, seat: null, seq: 0, board: START, in_ms: 2000 });
  stage.phase("racing", { roster: [0, 1] });
  stage.now += 20;
  stage.model.painted(stage.now);
  stage.slide("U");
  assert.equal(stage.moved, false);
  stage.now += 2000;
  stage.slide("U");
  assert.equal(stage.moved, true);
});

test("a slide without an ack is overdue and probes the connection", () => {
  const stage = new Stage().race();
  const { liveness } = stage.model;
  stage.slide("D");
  stage.now = stage.model.due(stage.now);
  assert.deepEqual(stage.model.poll(stage.now), [command.ping(1)]);
  assert.equal(liveness.overdue, true);
  stage.receive({ t: "ack", race: "OTHER", seq: 5 });
  assert.equal(liveness.overdue, true);
  stage.receive({ t: "ack", race: RACE, seq: 1 });
  assert.equal(stage.model.attempt.acked, 1);
  assert.equal(liveness.overdue, false);
  stage.receive({ t: "pong", id: 1 });
  assert.equal(stage.model.due(stage.now), stage.now + 5000);
});

test("after a sleep, what is shown is doubtful until a probe is answered", () => {
  const stage = new Stage().race();
  stage.model.liveness.wake();
  assert.deepEqual(stage.model.poll(stage.now), [command.ping(1)]);
  assert.equal(stage.model.isCurrent, true);
  stage.now = stage.model.due(stage.now);
  stage.model.poll(stage.now);
  assert.equal(stage.model.isCurrent, false);
  stage.receive({ t: "pong", id: 1 });
  assert.equal(stage.model.isCurrent, true);
});

test("a second connection resends slides with their times", () => {
  const stage = new Stage().race();
  stage.now += 250;
  const [slides] = stage.slide("D");
  for (let i = 0; i < 2; i += 1) {
    stage.now += 1500;
    stage.model.poll(stage.now);
  }
  assert.equal(stage.model.liveness.inDoubt, true);
  const there = welcome({ token: null, board: stage.model.start });
  stage.model.takenOver(there);
  assert.equal(stage.model.online, true);
  assert.deepEqual(stage.receive(there), [slides]);
  assert.equal(stage.model.liveness.inDoubt, false);
});

test("a second connection that is refused ends the first one", () => {
  const stage = new Stage().race();
  const refused = { t: "refused", of: "hello", code: "bad_token", text: "No." };
  stage.model.takenOver(refused);
  assert.equal(stage.model.online, false);
});

test("a rejection is an answer to slides", () => {
  const stage = new Stage().race();
  stage.slide("D");
  stage.now += 1400;
  stage.receive({ t: "rejected", race: RACE, gen: 1, seq: 0, code: "illegal", board: FAR });
  stage.now += 1000;
  assert.deepEqual(stage.model.poll(stage.now), []);
  assert.equal(stage.model.liveness.overdue, false);
});

test("a rejected slide restores the server's board; later slides are sent again", () => {
  const stage = new Stage().race();
  stage.slide("D");
  stage.now += 5;
  stage.slide("U");
  stage.now += 40;
  const again = stage.receive({
    t: "rejected",
    race: RACE,
    gen: 1,
    seq: 0,
    code: "illegal",
    board: START,
  });
  assert.equal(sentSlides(again)[0].gen, 1);
  assert.equal(sentSlides(again)[0].seq, 1);
  assert.equal(own(stage), START);
  assert.equal(stage.model.attempt.seq, 2);
  assert.equal(stage.model.attempt.corrections, 0, "the shown board stays the same");
});

test("after a final refusal slides are not repeated", () => {
  for (const code of ["done", "not_racing", "too_early", "too_many_tiles"]) {
    const stage = new Stage().race();
    stage.slide("D");
    stage.now += 99;
    assert.deepEqual(
      stage.receive({ t: "rejected", race: RACE, gen: 1, seq: 0, code, board: START }),
      [],
    );
    assert.equal(own(stage), START, code);
    assert.equal(stage.model.attempt.corrections, 1, "the board changed visibly");
    stage.slide("U");
    assert.equal(stage.moved, code === "too_early" || code === "too_many_tiles", code);
  }
});

test("slides made offline are sent after the reconnect", () => {
  const stage = new Stage().race(FAR);
  const first = stage.model.attempt.board.legalSlides()[0][0];
  const back = engine.OPPOSITE[first];
  stage.slide(first);
  stage.receive({ t: "ack", race: RACE, seq: 1 });
  stage.model.lost();
  for (const direction of [back, first, back]) {
    stage.now += 100;
    assert.deepEqual(stage.slide(direction), []);
    assert.equal(stage.moved, true);
  }
  const after = parseBoard(FAR);
  after.slide(first);
  const [sent] = stage.receive(
    welcome({ token: null, seq: 1, board: formatBoard(after) }),
  );
  assert.equal(sent.seq, 2);
  assert.equal(sent.gen, 0);
  assert.equal(sent.slides.length, 3);
  assert.equal(sent.approx, false, "the same page has the same clock");
});

test("after a reconnect the server's board wins over ours", () => {
  const stage = new Stage().race(FAR);
  stage.model.lost();
  stage.slide(stage.model.attempt.board.legalSlides()[0][0]);
  assert.deepEqual(stage.receive(welcome({ token: null, seq: 3, board: START })), []);
  assert.equal(own(stage), START);
  assert.equal(stage.model.attempt.seq, 3);
});

test("after a reconnect to an ended race nothing is sent", () => {
  const stage = new Stage().race();
  stage.model.lost();
  stage.slide("D");
  assert.deepEqual(stage.receive(welcome({ token: null, board: null })), []);
  assert.equal(stage.model.racing, false);
});

/** A race without slides, from a server that has lost them. */
function raceAnew(start) {
  const lane = { seq: 0, high: 0, stm: 0, status: "racing", board: null };
  const lanes = [0, 1].map((seat) => ({ seat, ...lane }));
  return raceView({ roster: [0, 1], elapsed_ms: 900, start, lanes });
}

test("in another epoch our slides wait for the snapshot", () => {
  const stage = new Stage().race(FAR);
  stage.model.lost();
  stage.slide(stage.model.attempt.board.legalSlides()[0][0]);
  assert.deepEqual(
    stage.receive(welcome({ token: null, epoch: 6, seq: 0, board: FAR })),
    [],
  );
  const view = raceAnew(FAR);
  const sent = stage.receive(snapshot({ o: 2, epoch: 6, phase: "racing", race: view }));
  assert.equal(sentSlides(sent).length, 1);
});

test("a restored server continues a race whose end we saw", () => {
  const stage = new Stage().race();
  const way = stage.model.attempt.board.legalSlides()[0];
  stage.slide(way[0]);
  stage.receive({ t: "ack", race: RACE, seq: 1 });
  stage.next(raceResults());
  assert.equal(stage.model.racing, false);
  stage.model.lost();
  stage.receive(welcome({ token: null, epoch: 6, seq: 0, board: START }));
  const view = raceAnew(START);
  const sent = stage.receive(snapshot({ o: 2, epoch: 6, phase: "racing", race: view }));
  assert.equal(sentSlides(sent).length, 1, "missing slides are sent again");
  assert.equal(stage.model.results, null);
});

test("after a reload a race continues with the server's board and clock", () => {
  const stage = new Stage(enter.resume("KWXTRB", TOKEN));
  stage.receive(welcome({ token: null, seq: 7, board: START }));
  const lanes = [
    { seat: 0, seq: 7, high: 950, stm: 9, status: "racing", board: null },
    { seat: 1, seq: 2, high: 100, stm: 2, status: "racing", board: null },
  ];
  const view = raceView({ roster: [0, 1], elapsed_ms: 20000, start: FAR, lanes });
  stage.receive(snapshot({ phase: "racing", in_ms: 100000, race: view }));
  assert.equal(own(stage), START);
  assert.equal(stage.model.clock(stage.now), 20000);
  assert.equal(stage.model.attempt.high, 950);
  assert.equal(stage.model.attempt.stm, 9);
  const [sent] = stage.slide("U");
  assert.deepEqual(sent, command.slides(RACE, 0, 8, [["U", 1, 20000]], true));
});

test("a resume without a snapshot requests one for the clock", () => {
  const stage = new Stage().enter();
  stage.phase("countdown", { roster: [0, 1] });
  stage.model.lost();
  assert.deepEqual(stage.receive(welcome({ token: null, seq: 0, board: START })), [
    command.resync(),
  ]);
});

test("a missed start requests a snapshot", () => {
  const stage = new Stage().enter();
  stage.phase("countdown", { roster: [0, 1] });
  assert.deepEqual(stage.phase("racing", { roster: [0, 1] }), [command.resync()]);
});

test("a finish shows the official time", () => {
  const stage = new Stage().race();
  stage.slide("U");
  stage.next({ t: "standing", race: RACE, standing: standing(0) });
  assert.equal(stage.model.racing, false);
  assert.equal(stage.model.clock(99999), 4321);
  assert.equal(stage.model.watching, true);
});

test("batched slides are sent when the page is hidden", () => {
  const stage = new Stage().race();
  stage.slide("D");
  stage.model.poll(stage.now);
  stage.now += 1;
  stage.slide("U");
  assert.deepEqual(stage.model.poll(stage.now), []);
  stage.model.stopGathering();
  const sent = stage.model.poll(stage.now);
  assert.deepEqual(
    sent.map((one) => [one.t, one.seq]),
    [["slides", 2]],
  );
});

test("a forfeit is sent after our slides and can be undone for 3 s", () => {
  const stage = new Stage().race();
  stage.slide("D");
  stage.now += 1;
  stage.slide("U");
  stage.model.send(command.forfeit(RACE), stage.now);
  const sent = stage.model.poll(stage.now);
  assert.deepEqual(
    sent.map((one) => one.t),
    ["slides", "forfeit"],
  );
  stage.next({
    t: "standing",
    race: RACE,
    standing: standing(0, { status: "forfeited", place: 2, time_ms: null }),
  });
  assert.equal(stage.model.racing, false);
  assert.equal(stage.model.canUndo(stage.now + 2999), true);
  assert.equal(stage.model.canUndo(stage.now + 3000), false);
  stage.next({
    t: "standing",
    race: RACE,
    standing: standing(0, { status: "racing", place: null, time_ms: null }),
  });
  assert.equal(stage.model.racing, true);
  assert.equal(stage.model.canUndo(stage.now), false);
});

test("events of another race are ignored", () => {
  const stage = new Stage().race();
  stage.next({ t: "standing", race: "OTHER", standing: standing(0) });
  stage.receive({ t: "board", race: "OTHER", seat: null, seq: 0, board: FAR });
  stage.receive({ t: "board", race: "OTHER", seat: 1, seq: 0, board: FAR });
  stage.receive({ t: "progress", race: "OTHER", p: [[1, 9, 900, 9]] });
  stage.receive({ t: "rejected", race: "OTHER", gen: 9, seq: 0, code: "gap", board: FAR });
  assert.equal(own(stage), START);
  assert.equal(stage.model.attempt.gen, 0);
  assert.equal(stage.model.lanes.get(1).high, 0);
  assert.equal(stage.model.lanes.get(1).board, null);
  assert.equal(stage.model.racing, true);
});

test("no command is sent offline", () => {
  const stage = new Stage().enter();
  stage.model.lost();
  assert.equal(stage.model.send(command.ready(RACE, true), 0), false);
});

// --- Watching ------------------------------------------------------------------------

const spectator = () => {
  const stage = new Stage();
  stage.receive(welcome({ member: 3, seat: null }));
  stage.receive(snapshot());
  stage.phase("countdown", { roster: [0, 1] });
  stage.receive({ t: "board", race: RACE, seat: null, seq: 0, board: FAR, in_ms: 0 });
  stage.phase("racing", { roster: [0, 1] });
  return stage;
};
const seen = (stage, seat) => formatBoard(stage.model.lanes.get(seat).board);
const progress = (...p) => ({ t: "progress", race: RACE, p });

test("a spectator sees every slide of every racer", () => {
  const stage = spectator();
  assert.equal(stage.model.attempt, null);
  assert.equal(stage.model.watching, true);
  const board = parseBoard(FAR);
  const slides = [];
  for (let seq = 0; seq < 40; seq += 1) {
    const all = board.legalSlides();
    const slide = all[(seq * 7) % all.length];
    board.slide(...slide);
    slides.push(slide);
    stage.receive(progress([1, seq + 1, 5, seq + 1, seq, engine.formatTokens([slide])]));
    assert.equal(seen(stage, 1), formatBoard(board));
  }
  assert.equal(seen(stage, 0), FAR);
  assert.equal(stage.model.lanes.get(1).seq, 40);
  stage.receive(progress([1, 40, 5, 40, 10, engine.formatTokens(slides.slice(10))]));
  assert.equal(seen(stage, 1), formatBoard(board), "nothing new in it");
  const [next] = board.legalSlides();
  board.slide(...next);
  const overlap = engine.formatTokens([...slides.slice(10), next]);
  assert.deepEqual(stage.receive(progress([1, 41, 5, 41, 10, overlap])), []);
  assert.equal(seen(stage, 1), formatBoard(board), "overlapping slides are not applied twice");
});

test("a gap in a seat's slides requests its board, at most every 2 s", () => {
  const stage = spectator();
  const hole = progress([1, 9, 50, 9, 8, "L"]);
  assert.deepEqual(stage.receive(hole), [command.resync(1)]);
  assert.equal(stage.model.lanes.get(1).high, 50, "progress counts all the same");
  assert.deepEqual(stage.receive(hole), []);
  stage.now += 2000;
  assert.deepEqual(stage.receive(hole), [command.resync(1)]);
  stage.receive({ t: "board", race: RACE, seat: 1, seq: 9, board: START });
  assert.equal(seen(stage, 1), START);
  assert.deepEqual(stage.receive(progress([1, 10, 60, 10, 9, "U"])), []);
  assert.equal(seen(stage, 1), "1 2 3/4 5 6/7 8 0");
  stage.receive({ t: "board", race: RACE, seat: 1, seq: 4, board: FAR });
  assert.equal(seen(stage, 1), "1 2 3/4 5 6/7 8 0", "an older answer");
});

test("impossible slides of a seat request its board too", () => {
  const stage = spectator();
  assert.deepEqual(stage.receive(progress([0, 1, 5, 1, 0, "L9"])), [command.resync(0)]);
  assert.equal(seen(stage, 0), FAR);
});

test("a racer sees progress without boards", () => {
  const stage = new Stage().race();
  assert.deepEqual(stage.receive(progress([1, 3, 420, 5])), []);
  const lane = stage.model.lanes.get(1);
  assert.deepEqual([lane.seq, lane.high, lane.stm, lane.board], [3, 420, 5, null]);
  stage.receive(progress([1, 2, 400, 4]));
  assert.equal(lane.high, 420, "it never decreases");
  assert.equal(stage.model.watching, false);
});

test("boards that may be seen and were not sent are requested, at most every 2 s", () => {
  const stage = new Stage().race();
  assert.deepEqual(stage.receive(progress([1, 3, 420, 5])), []);
  const solved = standing(0, { time_ms: 5000 });
  const asked = stage.next({ t: "standing", race: RACE, standing: solved });
  assert.deepEqual(asked, [command.resync(1)], "after the own finish");
  assert.deepEqual(stage.model.poll(stage.now), []);
  stage.now += 2000;
  assert.deepEqual(stage.model.poll(stage.now), [command.resync(1)]);
  stage.model.lost();
  stage.now += 2000;
  assert.deepEqual(stage.model.poll(stage.now), [], "but not while offline");
  stage.receive({ t: "board", race: RACE, seat: 1, seq: 3, board: FAR });
  assert.equal(seen(stage, 1), FAR);
});

test("with open boards racers see the others' boards from the start", () => {
  const stage = new Stage().race();
  stage.model.room.rules.open_boards = true;
  assert.equal(stage.model.watching, true);
  stage.receive(progress([1, 1, 42, 1, 0, "D"]));
  assert.equal(seen(stage, 1), "1 2 0/4 5 3/7 8 6");
});

test("lanes are ordered: finishers by time, then racers, then the others", () => {
  const stage = new Stage().race();
  stage.next({ t: "standing", race: RACE, standing: standing(0, { time_ms: 5000 }) });
  stage.next({ t: "standing", race: RACE, standing: standing(1, { time_ms: 5000 }) });
  stage.next({
    t: "standing",
    race: RACE,
    standing: standing(2, { status: "dnf", place: 4, time_ms: null, high: 900 }),
  });
  stage.receive(progress([3, 5, 100, 5]));
  const order = stage.model.order();
  assert.deepEqual(
    order.map((lane) => lane.seat),
    [0, 1, 3, 2],
  );
  assert.deepEqual(
    order.map((lane) => lane.place),
    [1, 1, null, 4],
  );
});

// --- The end -------------------------------------------------------------------------

const SIZE = [3, 3];
const SECRET = "11".repeat(32);
const raceResults = (change = {}) => {
  const seed = engine.seedOf(RACE, ...SIZE, engine.hexToBytes(SECRET));
  return {
    t: "results",
    race: RACE,
    standings: [standing(1, { time_ms: 4000 }), standing(0, { place: 2 })],
    board: formatBoard(engine.scramble(seed, ...SIZE)),
    seed: engine.bytesToHex(seed),
    secret: SECRET,
    nonces: [],
    friendly_timing: false,
    record: `/api/races/${RACE}`,
    ...change,
  };
};
const committed = () => engine.commitment(RACE, ...SIZE, engine.hexToBytes(SECRET));

test("results end the race and stay until the next countdown", () => {
  const stage = new Stage().race();
  stage.next(raceResults());
  const { model } = stage;
  assert.equal(model.phase, "results");
  assert.equal(model.racing, false);
  assert.equal(model.lanes.get(1).time, 4000);
  stage.next({ t: "room", room: room({ race: "KWXTRB-SA1B2C-4" }), why: "race" });
  assert.notEqual(model.results, null);
  stage.next({ t: "phase", race: "KWXTRB-SA1B2C-4", phase: "countdown", in_ms: 5000 });
  assert.equal(model.results, null);
});

const NEXT = "KWXTRB-SA1B2C-4";
/** Member 1 is still on the results after somebody opened the next lobby. */
const inOldResults = () => {
  const stage = new Stage().race();
  stage.next(raceResults());
  stage.next({ t: "room", room: room({ race: NEXT }), why: "race" });
  return stage;
};

test("a rematch of others does not close the results", () => {
  const stage = inOldResults();
  const { model } = stage;
  assert.equal(model.phase, "lobby");
  assert.equal(model.inOldResults, true);
  stage.receive(snapshot({ o: 30, room: room({ race: NEXT }), race: raceView({ id: NEXT }) }));
  assert.equal(model.inOldResults, true, "a lost connection changes nothing");
  assert.equal(model.playAgain(stage.now), true);
  assert.equal(model.inOldResults, false);
  const [ready] = model.poll(stage.now);
  assert.deepEqual([ready.t, ready.race, ready.on], ["ready", NEXT, true]);
});

test("returning to the lobby sends nothing; a countdown closes the results", () => {
  const { model } = inOldResults();
  model.closeResults();
  assert.equal(model.inOldResults, false);
  assert.deepEqual(model.poll(0), []);
  assert.equal(model.playAgain(0), false, "it was sent already");

  const stage = inOldResults();
  stage.phase("countdown", { race: NEXT, in_ms: 5000 });
  stage.phase("lobby", { race: NEXT, why: "unready" });
  assert.equal(stage.model.inOldResults, false);

  const restored = inOldResults();
  const race = raceView({ id: NEXT });
  restored.receive(snapshot({ o: 30, room: room({ race: NEXT }), phase: "countdown", race }));
  restored.offset = 30;
  restored.phase("lobby", { race: NEXT, why: "unready" });
  assert.equal(restored.model.inOldResults, false);
});

test("a player who requests a rematch enters the lobby", () => {
  const stage = new Stage().race();
  stage.next(raceResults());
  const { model } = stage;
  assert.equal(model.inOldResults, false, "nobody has gone on");
  model.playAgain(stage.now);
  assert.deepEqual(model.poll(stage.now), [command.rematch(RACE)]);
  stage.next({ t: "room", room: room({ race: NEXT }), why: "race" });
  assert.equal(model.inOldResults, false);
  model.lost();
  assert.equal(model.playAgain(stage.now), false, "no command is sent offline");
});

test("the results are checked against the facts shown first", () => {
  const check = (commitment, change) => {
    const shown = { room: room({ commitment }) };
    const stage = new Stage().race(raceResults().board, {}, shown);
    stage.next({ t: "room", room: room({ commitment: committed() }), why: "lock" });
    stage.next(raceResults(change));
    return stage.model.faults.map(({ code }) => code);
  };
  assert.deepEqual(check(committed(), {}), []);
  assert.deepEqual(check("ab".repeat(32), {}), ["commitment_broken"]);
  const board = check(committed(), { board: FAR });
  assert.deepEqual(board, ["board_not_from_seed", "board_not_raced"]);
  const seed = check(committed(), { seed: "00".repeat(32), board: FAR });
  assert.ok(seed.includes("seed_not_from_parts"));
  assert.deepEqual(check(committed(), { secret: null }), ["not_revealed"]);
  assert.deepEqual(check(committed(), { secret: "xyz" }), ["unreadable"]);
});

test("with a seed known in advance, only the board is checked", () => {
  const shown = { room: room({ seed_known: true }) };
  const stage = new Stage().race(raceResults().board, {}, shown);
  stage.next(raceResults({ secret: null }));
  assert.deepEqual(stage.model.faults, []);
});

test("a snapshot in the phase `results` contains them", () => {
  const stage = new Stage();
  stage.receive(welcome());
  stage.receive(
    snapshot({
      phase: "results",
      race: raceView({ roster: [0, 1] }),
      results: { ...raceResults(), o: 9 },
    }),
  );
  assert.equal(stage.model.order()[0].seat, 1);
  assert.equal(stage.model.phase, "results");
});

test("latencies are updated, and removed with their member or seat", () => {
  const stage = new Stage().enter();
  const { latencies } = stage.model;
  stage.receive({ t: "lines", lines: [[1, 20, 3], [2, 80, 0]] });
  stage.receive({ t: "lines", lines: [[2, 90, 5]] });
  assert.deepEqual([latencies.get(1), latencies.get(2)], [
    { rtt: 20, jitter: 3 },
    { rtt: 90, jitter: 5 },
  ]);
  stage.next({ t: "gone", member: 2, why: "left" });
  assert.deepEqual([...latencies.keys()], [1]);
  stage.receive({ t: "lines", lines: [[3, 40, 2]] });
  const seatless = member(3, { role: "spectator", seat: null });
  stage.next({ t: "member", member: seatless, why: "role" });
  assert.deepEqual([...latencies.keys()], [1]);
  stage.model.lost();
  stage.receive(welcome({ token: null }));
  assert.equal(latencies.size, 0, "all are sent again");
});

test("a first place is provisional until `winner`", () => {
  const stage = new Stage().race();
  stage.next({ t: "standing", race: RACE, standing: standing(1) });
  const lane = stage.model.lanes.get(1);
  assert.equal(lane.final, false);
  stage.next({ t: "winner", race: "OTHER", seats: [1] });
  assert.equal(lane.final, false);
  stage.next({ t: "winner", race: RACE, seats: [1] });
  assert.equal(lane.final, true);
  const back = raceView({ standings: [standing(1, { final: true })] });
  stage.receive(snapshot({ o: stage.offset, phase: "racing", race: back }));
  assert.equal(stage.model.lanes.get(1).final, true);
});

test("signals stay until the next countdown", () => {
  const stage = new Stage().race();
  const { model } = stage;
  stage.receive({ t: "signals", race: RACE, signals: [{ seat: 0, signals: [] }] });
  assert.deepEqual(model.signals, { race: RACE, signals: [{ seat: 0, signals: [] }] });
  stage.phase("countdown", { race: "KWXTRB-SA1B2C-4" });
  assert.equal(model.signals, null);
});

test("results are compared with the first shown facts and our own slides", () => {
  const stage = new Stage().race();
  stage.slide("D");
  stage.receive({ t: "ack", race: RACE, seq: 1 });
  stage.next(raceResults({ nonces: [{ seat: 0, commitment: null, nonce: null }] }));
  const { kept, faults, nonceRemark } = stage.model;
  assert.equal(kept.start, START);
  assert.equal(kept.late, false);
  assert.equal(kept.seat, 0);
  assert.equal(kept.nonce, null, "never ready: there was none");
  assert.equal(nonceRemark, null);
  assert.deepEqual([kept.own.base, kept.own.acked], [0, 1]);
  assert.deepEqual(kept.own.slides, [["D", 1, 0]]);
  assert.ok(faults.some(({ code }) => code === "board_not_raced"));
});

test("a nonce that was left out of the draw gives a remark", () => {
  const stage = new Stage().enter();
  stage.model.send(command.ready(RACE, true), stage.now);
  stage.next(raceResults({ nonces: [{ seat: 0, commitment: null, nonce: null }] }));
  assert.equal(stage.model.nonceRemark, "nonce_left_out");
});

test("a latecomer has no evidence from before the results", () => {
  const stage = new Stage();
  stage.receive(welcome());
  const results = { ...raceResults(), o: 9 };
  stage.receive(snapshot({ phase: "results", results }));
  assert.equal(stage.model.kept.late, true);
});

test("a rematch's commitment counts, though old results are still shown", () => {
  const stage = new Stage().race();
  stage.next(raceResults());
  assert.equal(stage.model.phase, "results");
  const next = "KWXTRB-SA1B2C-4";
  stage.next({ t: "room", room: room({ race: next }), why: "race" });
  stage.next({ ...raceResults(), race: next });
  assert.equal(stage.model.kept.late, false);
});

test("announced limits are respected", () => {
  const stage = new Stage().race(FAR, {
    limits: { ...LIMITS, gather_ms: 500 },
  });
  const [[first]] = stage.model.attempt.board.legalSlides();
  stage.slide(first);
  stage.slide(engine.OPPOSITE[first]);
  assert.equal(stage.model.due(stage.now), stage.now + 500);
});

test("after a reload a locked board stays locked, and its clock is requested", () => {
  const stage = new Stage(enter.resume("KWXTRB", TOKEN));
  stage.receive(welcome({ token: null, seq: 0, board: START }));
  const lanes = [{ seat: 0, seq: 0, high: 0, stm: 0, status: "racing", board: null }];
  const view = raceView({ roster: [0], start: START, lanes });
  assert.deepEqual(stage.receive(snapshot({ phase: "racing", race: view })), []);
  stage.slide("U");
  assert.equal(stage.moved, false);
  assert.equal(stage.model.due(stage.now), stage.now + 1000);
  stage.now += 1000;
  assert.deepEqual(stage.model.poll(stage.now), [command.resync()]);
  stage.receive(snapshot({ phase: "racing", race: { ...view, elapsed_ms: 40 } }));
  stage.slide("U");
  assert.equal(stage.moved, true);
  assert.equal(stage.model.attempt.slides[0][2], 40);
});

test("ninety tiles in a second are sent once each and in order, whatever is received", () => {
  const stage = new Stage().race();
  const made = [];
  const sent = [];
  for (let at = 0; at < 1200; at += 1) {
    stage.now += 1;
    if (at % 11 === 0 && made.length < 90) {
      const direction = "RL"[made.length % 2];
      sent.push(...sentSlides(stage.slide(direction)));
      assert.equal(stage.moved, true);
      made.push(direction);
    }
    sent.push(...sentSlides(stage.model.poll(stage.now)));
  }
  assert.equal(made.length, 90);
  const seqs = sent.flatMap(({ seq, slides }) => slides.map((_, i) => seq + i));
  assert.deepEqual(seqs, made.map((_, i) => i + 1));
  const received = sent.flatMap(({ slides }) => slides);
  assert.deepEqual(received.map(([direction]) => direction), made);
  assert.ok(received.every(([, , at], i) => i === 0 || at >= received[i - 1][2]));
  assert.equal(own(stage), START);
});

test("the series is that of the last snapshot or event", () => {
  const row = [1, 1, "An\u202en", false, 1, 1, 0, 9000, null, false];
  const rest = { format: "open", n: 0, by: 1, over: false };
  const stage = new Stage().enter({ features: ["series"] });
  const { model } = stage;
  assert.deepEqual(model.features, ["series"]);
  assert.deepEqual(model.hello().can, ["series", "reacted", "me", "history", "gains"]);
  assert.equal(model.series, null);
  stage.receive({ t: "series", table: { ...rest, races: 1, rows: [row] } });
  assert.equal(model.series.rows[0].name, "Ann");
  assert.equal(model.series.rows[0].best_ms, 9000);
  stage.receive(snapshot({ series: { ...rest, races: 0, rows: [] } }));
  assert.deepEqual(model.series.rows, []);
});

test("a reaction is shown for 3 s, unless its member is ignored", () => {
  const stage = new Stage().enter({ features: ["reactions"] });
  const { model } = stage;
  stage.receive({ t: "reacted", member: 2, id: 9 });
  const until = stage.now + 3000;
  assert.equal(model.reactionOf(2, until - 1), 9);
  assert.equal(model.reactionOf(2, until), null);
  assert.equal(model.reactionOf(1, stage.now), null);
  model.ignored.add(2);
  assert.equal(model.reactionOf(2, stage.now), null);
  stage.next({ t: "gone", member: 2, why: "left" });
  assert.deepEqual([model.reactions.size, model.ignored.size], [0, 0]);
  stage.receive({ t: "reacted", member: 77, id: 9 });
  stage.receive({ t: "reacted", member: 1, id: 17 });
  assert.equal(model.reactions.size, 0, "senseless");
});

test("reactions are offered where the server takes them", () => {
  const { model } = new Stage().enter();
  assert.equal(model.mayReact, false, "not a feature of this server");
  const stage = new Stage().enter({ features: ["reactions"] });
  assert.equal(stage.model.mayReact, true);
  stage.next({ t: "member", member: member(1, { muted: true }), why: "muted" });
  assert.equal(stage.model.mayReact, false);
});

test("the host cannot abort a race that counts in a series", () => {
  const rest = { n: 0, by: 1, races: 0, over: false, rows: [] };
  const stage = new Stage().race();
  assert.equal(stage.model.canAbort, stage.model.isHost);
  stage.model.room = { ...stage.model.room, host: stage.model.me };
  assert.equal(stage.model.canAbort, true);
  stage.receive({ t: "series", table: { format: "first", ...rest, n: 3 } });
  assert.equal(stage.model.canAbort, false);
  stage.model.phase = "countdown";
  assert.equal(stage.model.canAbort, true);
});
