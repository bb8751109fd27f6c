import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import "./setup.mjs";
import { App } from "../sliderace_page/app/app.js";
import { command, enter } from "../sliderace_page/core/protocol.js";
import { Seats } from "../sliderace_page/app/seats.js";
import { linkForOthers } from "../sliderace_page/app/room-link.js";
import { RoomSession } from "../sliderace_page/app/room-session.js";
import { text } from "../sliderace_page/core/texts.js";
import {
  RACE,
  START,
  TOKEN,
  member,
  room,
  snapshot,
  standing,
  welcome,
} from "./room.mjs";

class FakeStorage extends Map {
  getItem = (key) => this.get(key) ?? null;
  setItem = (key, value) => this.set(key, value);
  removeItem = (key) => this.delete(key);
}

/** The app without a window: with an address, storage and a fake socket. */
class Page {
  constructor(
    path,
    { lasting = new FakeStorage(), tab = new FakeStorage(), answers = {} } = {},
  ) {
    this.seats = new Seats(lasting, tab, () => 0);
    this.location = { pathname: path.split("#")[0], href: `http://host:8710${path}` };
    this.sockets = [];
    this.notes = [];
    this.fetched = [];
    this.timers = [];
    this.now = 1000;
    const page = this;
    class FakeSocket {
      sent = [];
      constructor(url) {
        this.url = url;
        page.sockets.push(this);
      }
      send(text) {
        this.sent.push(JSON.parse(text));
      }
      close() {}
    }
    this.app = new App({
      location: this.location,
      history: {
        pushState: (_, __, to) => this.go(to),
        replaceState: (_, __, to) => this.go(to),
      },
      seats: this.seats,
      fetch: async (url, options) => {
        this.fetched.push([url.href, options.headers]);
        const answer = answers[url.pathname];
        if (!answer) throw new TypeError("unreachable");
        const text = async () => JSON.stringify(answer);
        return { ok: true, status: 200, json: async () => answer, text, ...answer };
      },
      now: () => this.now,
      random: (count) => new Uint8Array(count).fill(7),
      later: (work) => setImmediate(work),
      RoomSession,
      socket: {
        WebSocket: FakeSocket,
        random: () => 0,
        later: (work) => this.timers.push(work),
        cancel: () => {},
      },
    });
    this.app.onNote = (text) => this.notes.push(text);
    this.app.route();
  }

  go(to) {
    const { href, pathname } = new URL(to, this.location.href);
    Object.assign(this.location, { href, pathname });
  }

  get socket() {
    return this.sockets.at(-1);
  }

  receive(...events) {
    for (const event of events) this.socket.onmessage({ data: JSON.stringify(event) });
  }

  open() {
    this.socket.onopen();
    return this;
  }

  enter() {
    this.open().receive(welcome(), snapshot());
    return this;
  }

  close(code) {
    this.socket.onclose({ code });
  }

  /** Run the timer of the next reconnect. */
  playAgain() {
    this.timers.splice(0).at(-1)();
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve));
const refused = (code, more = {}) => ({
  t: "refused",
  of: "hello",
  code,
  text: "Said.",
  ...more,
});
const seated = () => {
  const lasting = new FakeStorage();
  new Seats(lasting, new FakeStorage(), () => 0).keep("KWXTRB", {
    token: TOKEN,
    name: "Ann",
  });
  return lasting;
};

test("hosting a room changes the address to the room's", () => {
  const page = new Page("/");
  assert.equal(page.app.screen, "home");
  page.app.host("Ann", { public: true });
  assert.equal(page.socket.url, "ws://host:8710/ws");
  page.enter();
  assert.deepEqual(page.socket.sent[0].enter, {
    as: "create",
    name: "Ann",
    public: true,
  });
  assert.equal(page.location.pathname, "/KWXTRB");
  assert.equal(page.app.screen, "room");
  assert.equal(page.seats.get("KWXTRB").token, TOKEN);
  assert.equal(page.seats.name, "Ann");
});

test("a link without a room leads to the home screen, with an explanation", () => {
  for (const path of ["/ABCDEF", "/sub/nosuch"]) {
    const page = new Page(path);
    assert.equal(page.app.screen, "home");
    assert.equal(page.app.problem, text("app.bad_link"), path);
  }
  for (const path of ["/", "/index.html"]) {
    assert.equal(new Page(path).app.problem, "", path);
  }
});

test("the socket's address is beside the page, under any path and over TLS", () => {
  const page = new Page("/sub/KWXTRB");
  page.location.href = "https://race.example.org/sub/KWXTRB";
  page.app.join("KWXTRB", "Ann", "player");
  assert.equal(page.socket.url, "wss://race.example.org/sub/ws?room=KWXTRB");
});

test("a room's link leads to its entrance, with the room's facts", async () => {
  const page = new Page("/kwx-trb", {
    answers: { "/api/rooms/KWXTRB": { players: 3 } },
  });
  assert.equal(page.app.screen, "enter");
  assert.equal(page.app.code, "KWXTRB");
  await settled();
  assert.equal(page.app.preview.players, 3);
});

test("a wrong room code is reported before anyone types a name", async () => {
  const page = new Page("/KWXTRB", {
    answers: { "/api/rooms/KWXTRB": { ok: false, status: 404 } },
  });
  await settled();
  assert.equal(page.app.preview.unknown, true);
});

test("after a reload, the same tab continues without asking", () => {
  const tab = new FakeStorage();
  const page = new Page("/KWXTRB", { lasting: seated(), tab });
  assert.equal(
    page.app.screen,
    "enter",
    "a new tab asks, because it would replace the other one",
  );
  page.app.resume();
  page.open().receive(welcome({ token: null }), snapshot());
  const reloaded = new Page("/KWXTRB", { lasting: seated(), tab }).open();
  assert.equal(reloaded.app.screen, "room");
  assert.deepEqual(reloaded.socket.sent[0].enter, {
    as: "resume",
    code: "KWXTRB",
    token: TOKEN,
    epoch: 0,
    offset: 0,
  });
});

test("a lost connection resumes the seat and the stream", () => {
  const page = new Page("/KWXTRB");
  page.app.join("KWXTRB", "Ann", "player");
  page.enter();
  page.close(1006);
  assert.equal(page.app.screen, "room");
  assert.equal(page.app.model.online, false);
  page.playAgain();
  page.open();
  assert.equal(page.socket.sent[0].enter.as, "resume");
  assert.equal(page.socket.sent[0].enter.offset, 10);
});

test("after three losses in a row the page asks whether the server is there", async () => {
  const page = new Page("/KWXTRB");
  page.app.join("KWXTRB", "Ann", "player");
  page.enter();
  for (let i = 0; i < 3; i += 1) {
    page.close(1006);
    await settled();
    assert.equal(page.app.serverGone, i === 2);
    page.playAgain();
  }
  page.open().receive(welcome({ token: null }));
  assert.equal(page.app.serverGone, false);
});

test("after a minute, a lost server counts as possibly gone", async () => {
  const page = new Page("/KWXTRB");
  page.app.join("KWXTRB", "Ann", "player");
  page.enter();
  for (let i = 0; i < 3; i += 1) {
    page.close(1006);
    await settled();
    page.playAgain();
  }
  page.now += 59999;
  assert.equal(page.app.absence, "");
  page.now += 1;
  assert.equal(page.app.absence, text("connection.server_gone"));
  page.open().receive(welcome({ token: null }));
  assert.equal(page.app.absence, "");
});

test("a refused entry shows the reason and is not tried again", () => {
  for (const code of [
    "room_unknown",
    "room_full",
    "room_locked",
    "bad_name",
    "too_many_tries",
  ]) {
    const page = new Page("/KWXTRB");
    page.app.join("KWXTRB", "Ann", "player");
    page.open().receive(refused(code));
    page.close(4500);
    assert.equal(page.app.screen, "enter", code);
    assert.notEqual(page.app.problem, "", code);
    assert.equal(page.app.session.link, null, code);
  }
});

test("whoever goes away from a room of the server leaves it", () => {
  for (const [kind, leaves] of [["solo", true], ["quick", true], ["room", false]]) {
    const page = new Page("/");
    page.app.enterAs({ as: "solo", name: "Ann", rules: { size: "3x3" } });
    page.open().receive(welcome(), snapshot({ room: room({ kind }) }));
    const { socket } = page;
    page.app.back();
    assert.equal(socket.sent.some(({ t }) => t === "leave"), leaves, kind);
    assert.equal(page.seats.get("KWXTRB") === null, leaves, kind);
  }
});

test("another size of boards takes another room, once the first one is closed", () => {
  const page = new Page("/");
  page.app.enterAs({ as: "solo", name: "Ann", rules: { size: "3x3" } });
  page.open().receive(welcome(), snapshot({ room: room({ kind: "solo" }) }));
  const first = page.socket;
  page.app.changeSize("4x4");
  assert.equal(first.sent.at(-1).t, "leave");
  page.open().receive(refused("busy"));
  page.close(4500);
  assert.equal(page.app.session.link.state, "waiting", "it is still closing");
  page.playAgain();
  page.open();
  assert.deepEqual(page.socket.sent[0].enter.rules, { size: "4x4" });
});

test("a server that does not know our profile lets us in as a guest", () => {
  const lasting = new FakeStorage([["sliderace.profile./ws", "ab".repeat(16)]]);
  const page = new Page("/KWXTRB", { lasting });
  page.app.join("KWXTRB", "Ann", "player");
  const field = "profile";
  page.open().receive(refused("profile_unknown", { field }), welcome(), snapshot());
  assert.equal(page.socket.sent[0].profile, "ab".repeat(16));
  assert.equal(page.app.screen, "room");
  assert.equal(page.app.model.profile, null);
  assert.deepEqual(page.notes, [text("profile.unknown")]);
});

test("a server that cannot look up our profile lets us in as a guest", () => {
  const lasting = new FakeStorage([["sliderace.profile./ws", "ab".repeat(16)]]);
  const page = new Page("/KWXTRB", { lasting });
  page.app.join("KWXTRB", "Ann", "player");
  const failing = refused("storage_unavailable", { field: "profile", retry_ms: 5_000 });
  page.open().receive(failing, welcome(), snapshot());
  assert.equal(page.app.screen, "room");
  assert.deepEqual(page.notes, [text("refusal.storage_unavailable")]);
  page.close(1006);
  assert.equal(page.app.screen, "room", "it only reconnects");
});

test("a refused new room leads back to the home screen", () => {
  const page = new Page("/");
  page.app.host("Ann", {});
  page.open().receive(refused("too_many_rooms"));
  page.close(4500);
  assert.equal(page.app.screen, "home");
  assert.equal(page.app.problem, text("refusal.too_many_rooms"));
});

test("a lost seat is forgotten, but a busy server does not lose it", () => {
  const lost = new Page("/KWXTRB", { lasting: seated() });
  lost.app.resume();
  lost.open().receive(refused("bad_token"));
  lost.close(4500);
  assert.equal(lost.app.screen, "enter");
  assert.equal(lost.seats.get("KWXTRB"), null);
  const busy = new Page("/KWXTRB", { lasting: seated() });
  busy.app.resume();
  busy.open().receive(refused("storage_unavailable", { retry_ms: 500 }));
  busy.close(4500);
  assert.equal(busy.app.screen, "room");
  assert.equal(busy.app.session.link.state, "waiting");
  assert.notEqual(busy.seats.get("KWXTRB"), null);
});

test("another version offers a reload, and never reloads automatically", () => {
  const old = new Page("/KWXTRB");
  old.app.join("KWXTRB", "Ann", "player");
  old.open().receive(refused("version"));
  old.close(4504);
  assert.deepEqual(old.app.stopped.action, "reload");
  const newer = new Page("/KWXTRB");
  newer.app.join("KWXTRB", "Ann", "player");
  newer.open().receive(welcome({ v: 2 }));
  assert.equal(newer.app.screen, "stopped");
  assert.equal(newer.app.stopped.action, "reload");
});

test("an invalid message ends only the connection", () => {
  for (const data of ["{", JSON.stringify(welcome({ board: "1 1 1/0" }))]) {
    const page = new Page("/KWXTRB");
    page.app.join("KWXTRB", "Ann", "player");
    page.open();
    page.socket.onmessage({ data });
    assert.equal(page.app.screen, "stopped");
    assert.match(page.app.stopped.text, /do not understand/);
  }
});

test("a close without a reconnect shows the reason and an action", () => {
  const cases = [
    [4501, "home", true],
    [4502, "home", true],
    [4503, "again", false],
    [4504, "reload", false],
    [1009, "reload", false],
  ];
  for (const [code, action, forgotten] of cases) {
    const page = new Page("/KWXTRB");
    page.app.join("KWXTRB", "Ann", "player");
    page.enter();
    page.close(code);
    assert.equal(page.app.screen, "stopped", String(code));
    assert.equal(page.app.stopped.action, action, String(code));
    assert.equal(page.seats.get("KWXTRB") === null, forgotten, String(code));
  }
});

test("a closed room is not a lost connection, whatever the close code is", () => {
  const page = new Page("/KWXTRB");
  page.app.join("KWXTRB", "Ann", "player");
  page.enter();
  page.receive({ t: "closed", o: 11, why: "host" });
  page.close(1000);
  assert.equal(page.app.stopped.text, text("closed.room_gone"));
});

test("the record of a race is verified check by check, if it exists", async () => {
  const answers = { "/base/api/races/X": { record: { race: "Y" } } };
  const page = new Page("/base/KWXTRB", { answers });
  page.app.join("KWXTRB", "Ann", "spectator");
  const results = { race: "X", standings: [], nonces: [], board: "", seed: "", secret: null };
  const kept = { size: "", commitment: "", late: true, listed: null, own: null };
  const found = (record) => page.app.session.recordCheck.verify({ ...results, record }, kept);
  const [form, comparison] = await found("/api/races/X");
  assert.deepEqual([form.name, form.verdict], ["structure", "wrong"]);
  assert.deepEqual([comparison.name, comparison.verdict], ["results", "wrong"]);
  assert.equal(comparison.text, text("fault.record_unreadable"));
  const [lost, ...others] = await found("/api/races/Z");
  assert.deepEqual([lost.verdict, others], ["unknown", []]);
});

test("a daily race is checked against the anchor that the server publishes", async () => {
  const path = new URL("../../shared/vectors/record-v1.json", import.meta.url);
  const { anchor, records } = JSON.parse(readFileSync(path, "utf8"));
  const { record } = records.find(({ why }) => why === "daily");
  const file = { record, key: "0".repeat(64), signature: "0".repeat(128) };
  const verdict = async (events) => {
    const answers = { "/base/api/races/X": file, "/base/api/daily": { events } };
    const page = new Page("/base/KWXTRB", { answers });
    page.app.join("KWXTRB", "Ann", "player");
    const results = { race: "X", standings: [], nonces: [], board: "", seed: "" };
    const kept = { size: "3x3", commitment: "", late: true, listed: null, own: null };
    const check = page.app.session.recordCheck;
    const checks = await check.verify({ ...results, record: "/api/races/X" }, kept);
    return checks.find(({ name }) => name === "anchor").verdict;
  };
  assert.equal(await verdict({ "3x3": { anchor } }), "ok");
  assert.equal(await verdict({ "3x3": { anchor: "1".repeat(64) } }), "wrong");
  assert.equal(await verdict({ "3x3": { anchor: 1 } }), "unknown");
  assert.equal(await verdict({}), "unknown");
});

const ABSENT = standing(0, {
  ...{ status: "dns", place: null, time_ms: null, solve_ms: null },
});

/** A page after a race; the last of `tries` finds the record. */
async function raced(record, tries = 1) {
  const page = new Page("/KWXTRB", { answers: {} });
  let requests = 0;
  page.app.fetch = async (url) => {
    if (url.pathname !== "/api/races/X") return { status: 404 };
    requests += 1;
    const text = async () => record;
    return requests < tries ? { status: 404 } : { ok: true, status: 200, text };
  };
  page.app.join("KWXTRB", "Ann", "player");
  page.enter();
  const results = {
    t: "results",
    o: 11,
    race: RACE,
    standings: [ABSENT],
    board: START,
    seed: "00".repeat(32),
    secret: null,
    nonces: [{ seat: 0, commitment: null, nonce: null }],
    friendly_timing: false,
    record: "/api/races/X",
  };
  page.receive(results);
  for (let i = 0; i < 20; i += 1) await settled();
  return { page, results, requests: () => requests };
}
const written = (change = {}) =>
  JSON.stringify({
    record: {
      race: RACE,
      rules: { size: "3x3" },
      commitment: "ab".repeat(32),
      board: START,
      seed: "00".repeat(32),
      secret: null,
      racers: [
        { ...ABSENT, finish: null, nonce: null, slides: [] },
      ],
      ...change,
    },
  });

test("a racer's record is compared automatically, once", async () => {
  const { page, results, requests } = await raced(written(), 2);
  assert.deepEqual(page.app.check, { race: RACE, wrong: [] });
  assert.equal(requests(), 2, "it was not stored yet");
  page.receive(snapshot({ o: 11, phase: "results", results }));
  await settled();
  assert.equal(requests(), 2);
  assert.deepEqual(page.notes, []);
});

test("a missing record proves nothing", async () => {
  const { page } = await raced(written(), 99);
  assert.equal(page.app.check.wrong, null);
  assert.deepEqual(page.notes, []);
});

test("a record that differs is reported", async () => {
  for (const file of [written({ commitment: "cd".repeat(32) }), "{"]) {
    const { page } = await raced(file);
    assert.notDeepEqual(page.app.check.wrong, []);
    assert.equal(page.notes.at(-1), text("note.record_differs"));
  }
});

test("spectators and latecomers do not fetch the record", async () => {
  const { results } = await raced(written());
  for (const [who, seen] of [
    [{ member: 3, seat: null }, {}],
    [{}, { phase: "results", results }],
  ]) {
    const page = new Page("/KWXTRB");
    page.app.join("KWXTRB", "Ann", "player");
    page.open().receive(welcome(who), snapshot(seen), results);
    await settled();
    assert.equal(page.app.check, null);
  }
});

test("a refusal of an automatic command is not shown", () => {
  const page = new Page("/KWXTRB");
  page.app.join("KWXTRB", "Ann", "player");
  const members = [member(1, { ready: true })];
  page.open().receive(welcome(), snapshot({ members }));
  assert.equal(page.socket.sent.at(-1).t, "ready");
  page.receive({ ...refused("wrong_race"), of: "ready" });
  page.receive({ ...refused("too_late"), of: "nonce" });
  assert.deepEqual(page.notes, []);
  page.app.send(command.ready(RACE, true));
  page.receive({ ...refused("wrong_race"), of: "ready" });
  assert.equal(page.notes.length, 1);
});

test("the setting `always ready` sends ready once per race", () => {
  const page = new Page("/KWXTRB");
  const readies = () => page.socket.sent.filter((one) => one.t === "ready").length;
  page.app.settings = { now: { ready: true } };
  page.app.join("KWXTRB", "Ann", "player");
  page.enter();
  page.app.autoReady();
  page.app.autoReady();
  assert.equal(readies(), 1, "not ready any more: not sent again");
  page.app.model.resultsOpen = true;
  page.receive({ t: "room", o: 11, room: room({ race: "KWXTRB-SA1B2C-4" }), why: "race" });
  assert.equal(page.app.model.inOldResults, true);
  page.app.autoReady();
  assert.equal(readies(), 2);
  page.app.closeResults();
  assert.equal(page.app.model.inOldResults, false);
  page.receive({ t: "room", o: 12, room: room({ race: "KWXTRB-SA1B2C-5" }), why: "race" });
  page.app.settings.now.ready = false;
  page.app.autoReady();
  assert.equal(readies(), 2);
});

test("leaving sends leave, forgets the seat and shows the home screen", () => {
  const page = new Page("/KWXTRB");
  page.app.join("KWXTRB", "Ann", "player");
  page.enter();
  page.app.leave(command.leave());
  assert.deepEqual(page.socket.sent.at(-1), { t: "leave" });
  assert.equal(page.seats.get("KWXTRB"), null);
  assert.equal(page.app.screen, "home");
  assert.equal(page.location.pathname, "/");
});

test("guests hear that the host has ended the game, and may wait or leave", () => {
  const page = new Page("/KWXTRB");
  page.app.join("KWXTRB", "Ann", "player");
  page.enter().receive({ t: "closed", o: 10, why: "host_ended" });
  page.close(1012);
  assert.equal(page.app.screen, "room");
  assert.equal(page.app.trouble, text("connection.host_ended"));
  assert.equal(page.app.absence, text("connection.wait_for_host"));
  page.playAgain();
  page.open().receive(welcome({ token: null }));
  assert.deepEqual([page.app.trouble, page.app.absence], ["", ""]);
  page.receive({ t: "closed", o: 10, why: "host_ended" });
  page.close(1012);
  page.app.leave(command.leave());
  assert.equal(page.app.screen, "home");
  assert.deepEqual(page.notes, []);
});

test("a refusal in the room is a note, except for the model's own commands", () => {
  const page = new Page("/KWXTRB");
  page.app.join("KWXTRB", "Ann", "player");
  page.enter();
  page.receive(
    { ...refused("not_host"), of: "kick" },
    { ...refused("bad_seat"), of: "resync" },
  );
  assert.deepEqual(page.notes, [text("refusal.not_host")]);
});

test("a slide is sent at once", () => {
  const page = new Page("/KWXTRB");
  page.app.join("KWXTRB", "Ann", "player");
  page.enter();
  const phase = (name, o) => ({
    t: "phase",
    o,
    race: RACE,
    phase: name,
    in_ms: null,
    roster: [0],
  });
  page.receive(phase("countdown", 11));
  page.receive({ t: "board", race: RACE, seat: null, seq: 0, board: START, in_ms: 0 });
  page.receive(phase("racing", 12));
  assert.equal(page.app.slide("L"), false);
  assert.equal(page.app.slide("U"), true);
  assert.equal(page.socket.sent.at(-1).t, "slides");
  assert.equal(page.app.slideCell(0), false);
});

test("Back leaves neither a race nor the countdown of one's own race", () => {
  const page = new Page("/KWXTRB");
  page.app.join("KWXTRB", "Ann", "player");
  page.enter();
  const back = (screen, code = "/KWXTRB") => {
    page.go("/");
    page.app.back();
    assert.equal(page.app.screen, screen);
    assert.equal(page.location.pathname, screen === "room" ? code : "/");
  };
  page.receive({ t: "member", o: 11, member: member(1, { ready: true }), why: "ready" });
  const countdown = { t: "phase", race: RACE, phase: "countdown", in_ms: 3000, roster: [0] };
  page.receive({ ...countdown, o: 12 });
  back("room");
  page.receive({ t: "board", race: RACE, seat: null, seq: 0, board: START, in_ms: 0 });
  back("room");
  assert.deepEqual(page.notes, [text("frame.race_running"), text("frame.race_running")]);
  page.receive({ t: "member", o: 13, member: member(1), why: "ready" });
  page.app.model.attempt = null;
  back("home");
});

test("a command without a connection is reported", () => {
  const page = new Page("/KWXTRB");
  page.app.join("KWXTRB", "Ann", "player");
  page.enter();
  page.close(1006);
  page.app.send(command.ready(RACE, true));
  assert.equal(page.notes.at(-1), text("note.not_connected"));
});

test("the link for others comes from the server", async () => {
  const link = async (links) => {
    const page = new Page("/KWXTRB", { answers: { "/api/rooms/KWXTRB": { links } } });
    return linkForOthers(page.app);
  };
  const here = "http://127.0.0.1:8710/KWXTRB";
  const lan = "http://192.168.1.7:8710/KWXTRB";
  assert.equal(await link([here, lan]), lan);
  for (const odd of [undefined, [], "http://x", [5], ["javascript:alert(1)"], [here]]) {
    assert.equal(await link(odd), undefined);
  }
  const page = new Page("/?profile", { answers: { "/api/rooms": { rooms: [], links: [lan] } } });
  assert.equal(await linkForOthers(page.app, null), lan, "of the start page");
});

test("public rooms are a list, possibly empty", async () => {
  const listed = new Page("/", { answers: { "/api/rooms": { rooms: [room()] } } });
  assert.equal((await listed.app.publicRooms()).length, 1);
  const none = new Page("/", { answers: { "/api/rooms": { rooms: [] } } });
  assert.deepEqual(await none.app.publicRooms(), []);
  assert.equal(await new Page("/").app.publicRooms(), null, "no answer");
});

test("a ticket takes over a seat and leaves the address at once", () => {
  const ticket = "1".repeat(32);
  const page = new Page(`/KWXTRB#ticket=${ticket}`).open();
  assert.deepEqual(page.socket.sent[0].enter, enter.redeem("KWXTRB", ticket));
  assert.equal(page.location.href, "http://host:8710/KWXTRB");
  page.receive(welcome(), snapshot());
  assert.equal(page.seats.get("KWXTRB").token, TOKEN);
  assert.equal(new Page("/KWXTRB#ticket=123").app.screen, "enter");
});

test("the secret of a profile is sent in a header, and only when it is given", async () => {
  const page = new Page("/", { answers: { "/api/boards": { total: 0 } } });
  const read = (answer) => answer.json();
  page.fetched.length = 0;
  await page.app.get("api/boards?event=4x4", read, TOKEN);
  await page.app.get("api/boards?event=4x4", read);
  const href = "http://host:8710/api/boards?event=4x4";
  assert.deepEqual(page.fetched, [
    [href, { Authorization: `Bearer ${TOKEN}` }],
    [href, undefined],
  ]);
});

test("a sealed record is told from one that fails", async () => {
  const answers = {
    "/api/races/A": { ok: false, status: 403 },
    "/api/races/B": { ok: false, status: 503 },
  };
  const { app } = new Page("/", { answers });
  const read = (answer) => answer.text();
  assert.deepEqual(await app.get("api/races/A", read), { failed: true, sealed: true });
  assert.deepEqual(await app.get("api/races/B", read), { failed: true, sealed: false });
});

test("an address names a screen of the profile", () => {
  for (const screen of ["profile", "statistics", "leaderboards"]) {
    assert.equal(new Page(`/?${screen}=4x4`).app.screen, screen);
    assert.equal(new Page(`/?${screen}`).app.screen, screen);
  }
});
