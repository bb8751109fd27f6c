import assert from "node:assert/strict";
import test from "node:test";

import "./setup.mjs";
import { Connection } from "../sliderace_page/app/connection.js";

/** A connection with a fake clock and fake sockets. */
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
  const received = [];
  const states = [];
  const connection = new Connection(
    {
      url: "ws://test/ws",
      hello: () => ({ t: "hello" }),
      onMessage: (text) => received.push(text),
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
  return { world, connection, received, states, socket: () => world.sockets.at(-1) };
}

function opened(onClose) {
  const it = stage(onClose);
  it.connection.open();
  it.socket().onopen();
  return it;
}

test("hello is the first message, with the agreed subprotocol", () => {
  const { socket, states, received, connection } = opened();
  assert.deepEqual(socket().protocols, ["sliderace.v1"]);
  assert.deepEqual(socket().sent, [{ t: "hello" }]);
  assert.deepEqual(states, ["connecting", "open"]);
  socket().onmessage({ data: "x" });
  assert.deepEqual(received, ["x"]);
  connection.send([{ t: "a" }, { t: "b" }]);
  assert.deepEqual(socket().sent.slice(1), [{ t: "a" }, { t: "b" }]);
});

test("a lost connection reconnects, with growing waits until it is accepted", () => {
  const { world, socket, connection } = opened();
  const waits = [];
  for (let i = 0; i < 9; i += 1) {
    socket().onclose({ code: 1006 });
    assert.equal(connection.state, "waiting");
    waits.push([...world.timers.values()][0].at - world.time);
    world.pass(8000);
    socket().onopen(); // connected, but not yet accepted
  }
  assert.deepEqual(waits.slice(0, 6), [125, 250, 500, 1000, 2000, 4000]);
  assert.equal(Math.max(...waits), 4000);
  connection.settled();
  socket().onclose({ code: 1012 });
  assert.equal([...world.timers.values()][0].at - world.time, 125);
});

test("a connection that may not reconnect stays closed", () => {
  const { world, socket, connection } = opened(() => null);
  socket().onclose({ code: 4501 });
  assert.equal(connection.state, "closed");
  world.pass(60000);
  assert.equal(world.sockets.length, 1);
});

test("a reconnect waits at least as long as requested", () => {
  const { world, socket } = opened(() => 3000);
  socket().onclose({ code: 4500 });
  world.pass(3124);
  assert.equal(world.sockets.length, 1);
  world.pass(1);
  assert.equal(world.sockets.length, 2);
});

test("late messages of an old socket are ignored", () => {
  const { socket, connection, received, world } = opened();
  const old = socket();
  old.onclose({ code: 1006 });
  world.pass(1000);
  socket().onopen();
  old.onmessage({ data: "ghost" });
  old.onclose({ code: 4501 });
  assert.deepEqual(received, []);
  assert.equal(connection.state, "open");
});

test("on waking up a waiting connection reconnects, an open one probes", () => {
  const { socket, connection, world } = opened();
  connection.wake();
  assert.deepEqual(socket().sent.at(-1), { t: "ping", id: 1 });
  socket().onclose({ code: 1006 });
  connection.wake();
  assert.equal(world.sockets.length, 2);
  assert.equal(world.timers.size, 0);
});

test("a connection without an answer to a probe within 5 s is replaced", () => {
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

test("any message after the probe is an answer", () => {
  const { socket, connection, world } = opened();
  connection.probe();
  world.pass(4999);
  socket().onmessage({ data: "x" });
  world.pass(5000);
  assert.equal(connection.state, "open");
});

test("a connection is probed only after a long silence", () => {
  const { socket, world } = opened();
  world.pass(15000);
  socket().onmessage({ data: "x" });
  world.pass(19999);
  assert.equal(socket().sent.length, 1);
  world.pass(1);
  assert.deepEqual(socket().sent.at(-1), { t: "ping", id: 1 });
});

test("a closed connection receives nothing and does not reconnect", () => {
  const { socket, connection, world, received } = opened();
  const last = socket();
  connection.close();
  assert.equal(last.closed, 1000);
  last.onmessage({ data: "x" });
  last.onclose({ code: 1006 });
  connection.send([{ t: "a" }]);
  world.pass(60000);
  assert.deepEqual(received, []);
  assert.equal(world.sockets.length, 1);
});
