import assert from "node:assert/strict";
import test from "node:test";

import "./setup.mjs";
import { RoomWatch } from "../sliderace_page/app/room-watch.js";
import { LiveRooms, describeRoom, readRoom } from "../sliderace_page/core/live-rooms.js";

const row = (code, change = {}) => ({
  code,
  event: "4x4",
  kind: "quick",
  people: 1,
  bots: 0,
  phase: "racing",
  age_ms: 10,
  ...change,
});
const codes = (rooms) => rooms.map(({ code }) => code);
const settled = () => new Promise((resolve) => setImmediate(resolve));

test("open rooms come first, and those with most people", () => {
  const rooms = new LiveRooms();
  rooms.change({
    rows: [
      row("BBBBBB"),
      row("CCCCCC", { people: 9, locked: true }),
      row("DDDDDD", { people: 3 }),
      row("KWXTRB"),
    ],
  });
  assert.deepEqual(codes(rooms.sorted), ["DDDDDD", "BBBBBB", "KWXTRB", "CCCCCC"]);
  rooms.change({ rows: [row("KWXTRB", { people: 4 })], gone: ["DDDDDD", "XXXXXX"] });
  assert.deepEqual(codes(rooms.sorted), ["KWXTRB", "BBBBBB", "CCCCCC"]);
  rooms.replace([row("BBBBBB")]);
  assert.deepEqual(codes(rooms.sorted), ["BBBBBB"]);
});

test("rows of a hostile or an older server are read as far as they make sense", () => {
  const rooms = new LiveRooms();
  const broken = [null, 7, {}, row("AEIOUY"), row("BBBBBB", { event: "<b>" })];
  rooms.change({ rows: broken, gone: "BBBBBB" });
  rooms.change({ rows: "none" });
  assert.deepEqual(rooms.sorted, []);
  rooms.replace([{ code: "KWXTRB", size: "3x3", players: ["Ann", "Ben"], phase: "lunch" }]);
  const [room] = rooms.sorted;
  assert.deepEqual([room.size, room.people], ["3x3", 2]);
  assert.equal(describeRoom(room), "2 people");
});

test("a room is described in a few words", () => {
  const rooms = new LiveRooms();
  rooms.replace([
    row("BBBBBB", { bots: 2, pace_ms: 21400 }),
    row("CCCCCC", { people: 3, bots: 1, phase: "lobby", pace_ms: 180000, locked: true }),
  ]);
  const [open, locked] = rooms.sorted;
  assert.equal(describeRoom(open), "1 person · 2 bots · about 21 s · racing now");
  assert.equal(describeRoom(locked), "3 people · 1 bot · about 3 min · locked");
  const entered = { code: "KWXTRB", size: "3x3", players: 1, bots: 15, phase: "lobby" };
  assert.equal(describeRoom(readRoom(entered)), "1 person · 15 bots · waiting");
  assert.equal(readRoom({ unknown: true }), null);
});

/** A watch of a server with these features; its sockets and timers are kept. */
function watchOf(features, polled = []) {
  const seen = { sockets: [], timers: [], asked: 0, shown: null };
  class FakeSocket {
    sent = [];
    closed = false;
    constructor() {
      seen.sockets.push(this);
    }
    send(text) {
      this.sent.push(JSON.parse(text));
    }
    close() {
      this.closed = true;
    }
    receive(event) {
      this.onmessage({ data: JSON.stringify(event) });
    }
  }
  const app = {
    socketUrl: "ws://host/ws",
    features: async () => features,
    publicRooms: async () => {
      seen.asked += 1;
      return polled;
    },
    socket: {
      WebSocket: FakeSocket,
      later: (work) => seen.timers.push(work),
      cancel: () => {},
    },
  };
  const watch = new RoomWatch(app, (rooms) => (seen.shown = codes(rooms)));
  return { watch, seen };
}

test("the live list is watched while it is visible, and only then", async () => {
  const { watch, seen } = watchOf(["lobby"]);
  watch.watch(true);
  watch.watch(true);
  await settled();
  const [socket] = seen.sockets;
  assert.equal(seen.sockets.length, 1);
  socket.onopen();
  assert.deepEqual(socket.sent, [
    { t: "hello", v: 1, enter: { as: "lobby" }, can: ["rooms"] },
  ]);
  socket.receive({ t: "welcome" });
  socket.receive({ t: "rooms", rows: [row("BBBBBB")] });
  socket.receive({ t: "rooms", rows: [row("CCCCCC", { people: 2 })] });
  assert.deepEqual(seen.shown, ["CCCCCC", "BBBBBB"]);
  watch.watch(false);
  assert.ok(socket.closed);
  socket.receive({ t: "rooms", rows: [], gone: ["BBBBBB"] });
  assert.deepEqual(seen.shown, ["CCCCCC", "BBBBBB"], "nobody sees it");
  watch.watch(true);
  await settled();
  seen.sockets[1].receive({ t: "rooms", rows: [row("DDDDDD")] });
  assert.deepEqual(seen.shown, ["DDDDDD"], "a new connection begins with the whole list");
  assert.equal(seen.asked, 0);
});

test("after a lost connection the list is watched again", async () => {
  const { watch, seen } = watchOf(["lobby"]);
  watch.watch(true);
  await settled();
  seen.sockets[0].receive({ t: "rooms", rows: [row("BBBBBB")] });
  seen.sockets[0].onclose({ code: 1006 });
  assert.equal(seen.timers.length, 1);
  seen.timers.pop()();
  await settled();
  assert.equal(seen.sockets.length, 2);
});

test("a server without a live list, or without room for us, is asked now and then", async () => {
  const polled = [{ code: "KWXTRB", size: "3x3", players: 2 }];
  const older = watchOf([], polled);
  older.watch.watch(true);
  await settled();
  assert.deepEqual([older.seen.shown, older.seen.sockets.length], [["KWXTRB"], 0]);
  older.seen.timers.pop()();
  await settled();
  assert.equal(older.seen.asked, 2);
  const full = watchOf(["lobby"], polled);
  full.watch.watch(true);
  await settled();
  full.seen.sockets[0].onclose({ code: 4429 });
  await settled();
  assert.deepEqual(full.seen.shown, ["KWXTRB"]);
});
