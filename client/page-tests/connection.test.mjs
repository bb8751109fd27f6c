import assert from "node:assert/strict";
import test from "node:test";

import "./setup.mjs";
import { Connection } from "../sliderace_page/app/connection.js";

/** A connection in a world whose clock and sockets the test holds. */
function stage(onClose = () => 0) {
  const world = { sockets: [], time: 0, timers: new Map(), next: 1 };
  class FakeSocket {
    sent = [];
    constructor(url, protocols) {
      Object.assign(this, { url, protocols });
      world.sockets.push(this);
    }
    send(text) {
      this.sent.push(JSON.parse(text));
    }
    close(code) {
      this.closed = code ?? 1005;
    }
  }
  world.pass = (ms) => {
    const until = world.time + ms;
    for (;;) {
      const due = [...world.timers].filter(([, timer]) => timer.at <= until);
      if (!due.length) break;
      const [id, { at, work }] = due.sort((a, b) => a[1].at - b[1].at)[0];
      world.timers.delete(id);
      world.time = at;
      work();
    }
    world.time = until;
  };
  const heard = [];
  const states = [];
  const connection = new Connection(
    {
      url: "ws://test/ws",
      hello: () => ({ t: "hello" }),
      onMessage: (text) => heard.push(text),
      onClose,
      onState: () => states.push(connection.state),
    },
    {
      WebSocket: FakeSocket,
      random: () => 0.5,
      now: () => world.time,
      later: (work, ms) => {
        world.timers.set(world.next, { at: world.time + ms, work });
        return world.next++;
      },
      cancel: (id) => world.timers.delete(id),
    },
  );
  return { world, connection, heard, states, socket: () => world.sockets.at(-1) };
}

function opened(onClose) {
  const it = stage(onClose);
  it.connection.open();
  it.socket().onopen();
  return it;
}

test("hello is the first word, by the agreed subprotocol", () => {
  const { socket, states, heard, connection } = opened();
  assert.deepEqual(socket().protocols, ["sliderace.v1"]);
  assert.deepEqual(socket().sent, [{ t: "hello" }]);
  assert.deepEqual(states, ["connecting", "open"]);
  socket().onmessage({ data: "x" });
  assert.deepEqual(heard, ["x"]);
  connection.send([{ t: "a" }, { t: "b" }]);
  assert.deepEqual(socket().sent.slice(1), [{ t: "a" }, { t: "b" }]);
});

test("lost: it comes back by itself, later each time, until it is let in", () => {
  const { world, socket, connection } = opened();
  const waits = [];
  for (let i = 0; i < 9; i += 1) {
    socket().onclose({ code: 1006 });
    assert.equal(connection.state, "waiting");
    waits.push([...world.timers.values()][0].at - world.time);
    world.pass(8000);
    socket().onopen(); // reached, but not yet let in
  }
  assert.deepEqual(waits.slice(0, 6), [125, 250, 500, 1000, 2000, 4000]);
  assert.equal(Math.max(...waits), 4000);
  connection.settled();
  socket().onclose({ code: 1012 });
  assert.equal([...world.timers.values()][0].at - world.time, 125);
});

test("told to stay away: it does", () => {
  const { world, socket, connection } = opened(() => null);
  socket().onclose({ code: 4501 });
  assert.equal(connection.state, "closed");
  world.pass(60000);
  assert.equal(world.sockets.length, 1);
});

test("told to wait: not a moment before", () => {
  const { world, socket } = opened(() => 3000);
  socket().onclose({ code: 4500 });
  world.pass(3124);
  assert.equal(world.sockets.length, 1);
  world.pass(1);
  assert.equal(world.sockets.length, 2);
});

test("late words of an old socket do not count", () => {
  const { socket, connection, heard, world } = opened();
  const old = socket();
  old.onclose({ code: 1006 });
  world.pass(1000);
  socket().onopen();
  old.onmessage({ data: "ghost" });
  old.onclose({ code: 4501 });
  assert.deepEqual(heard, []);
  assert.equal(connection.state, "open");
});

test("waking up: a waiting connection tries at once, an open one asks", () => {
  const { socket, connection, world } = opened();
  connection.wake();
  assert.deepEqual(socket().sent.at(-1), { t: "ping", id: 1 });
  socket().onclose({ code: 1006 });
  connection.wake();
  assert.equal(world.sockets.length, 2);
  assert.equal(world.timers.size, 0);
});

test("no answer to a probe within 5 s: dead, and opened anew", () => {
  const closes = [];
  const { socket, connection, world } = opened((code) => {
    closes.push(code);
    return 0;
  });
  connection.probe();
  world.pass(5000);
  assert.deepEqual(closes, [1006]);
  assert.equal(connection.state, "waiting");
  assert.equal(world.sockets[0].closed, 1005);
  assert.equal(socket(), world.sockets[0]);
});

test("any word after the probe is an answer", () => {
  const { socket, connection, world } = opened();
  connection.probe();
  world.pass(4999);
  socket().onmessage({ data: "x" });
  world.pass(5000);
  assert.equal(connection.state, "open");
});

test("a long silence is probed, talk is not", () => {
  const { socket, world } = opened();
  world.pass(15000);
  socket().onmessage({ data: "x" });
  world.pass(19999);
  assert.equal(socket().sent.length, 1);
  world.pass(1);
  assert.deepEqual(socket().sent.at(-1), { t: "ping", id: 1 });
});

test("left for good: nothing is heard and nothing comes back", () => {
  const { socket, connection, world, heard } = opened();
  const last = socket();
  connection.close();
  assert.equal(last.closed, 1000);
  last.onmessage({ data: "x" });
  last.onclose({ code: 1006 });
  connection.send([{ t: "a" }]);
  world.pass(60000);
  assert.deepEqual(heard, []);
  assert.equal(world.sockets.length, 1);
});
