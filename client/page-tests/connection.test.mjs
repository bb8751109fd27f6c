import assert from "node:assert/strict";
import test from "node:test";

import "./setup.mjs";
import { Connection } from "../sliderace_page/app/connection.js";

/** A connection with a fake clock and fake sockets. */
function stage(onClose = () => 0) {
  const world = {
    sockets: [],
    time: 0,
    timers: new Map(),
    next: 1,
    inDoubt: false,
    inRace: false,
    room: "",
  };
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
      room: () => world.room,
      hello: () => ({ t: "hello" }),
      onMessage: (text, takesOver) =>
        received.push(takesOver ? `${text}, takes over` : text),
      onClose,
      onState: () => states.push(connection.state),
      inDoubt: () => world.inDoubt,
      inRace: () => world.inRace,
    },
    {
      WebSocket: FakeSocket,
      random: () => 0.5,
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

test("each socket names the room, once it is known", () => {
  const { world, socket } = opened();
  assert.equal(socket().url, "ws://test/ws");
  world.room = "KWXTRB";
  socket().onclose({ code: 1006 });
  world.pass(1000);
  assert.equal(socket().url, "ws://test/ws?room=KWXTRB");
});

test("a lost connection reconnects, with growing waits until it is accepted", () => {
  const { world, socket, connection } = opened();
  const waits = [];
  for (let i = 0; i < 9; i += 1) {
    socket().onclose({ code: 1006 });
    assert.equal(connection.state, "waiting");
    waits.push([...world.timers.values()][0].at - world.time);
    world.pass(waits.at(-1));
    socket().onopen(); // connected, but not yet accepted
  }
  assert.deepEqual(waits.slice(0, 6), [125, 250, 500, 1000, 2000, 4000]);
  assert.equal(Math.max(...waits), 4000);
  connection.settled();
  socket().onclose({ code: 1012 });
  assert.equal([...world.timers.values()][0].at - world.time, 125);
});

test("in a race a lost connection reconnects at least every 2 s", () => {
  const { world, socket } = opened();
  world.inRace = true;
  for (let i = 0; i < 9; i += 1) {
    socket().onclose({ code: 1006 });
    world.pass(1000); // half of it, as the random number says
    assert.equal(world.sockets.length, i + 2);
  }
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

// --- A connection that only looks alive ------------------------------------------------

test("a socket that brings no message within 5 s is replaced", () => {
  const closes = [];
  const { socket, connection, world } = opened((code) => {
    closes.push(code);
    return 0;
  });
  world.pass(4999);
  assert.equal(connection.state, "open");
  world.pass(1);
  assert.deepEqual(closes, [1006]);
  assert.equal(socket().closed, 1005);
  world.pass(125);
  assert.equal(connection.state, "connecting");
  world.pass(5000);
  assert.deepEqual(closes, [1006, 1006]);
});

/** A connection in doubt, and its two sockets. */
function doubled(onClose) {
  const it = opened(onClose);
  const first = it.socket();
  first.onmessage({ data: "welcome" });
  it.world.inDoubt = true;
  it.connection.double();
  it.connection.double();
  assert.equal(it.world.sockets.length, 2);
  return { ...it, first, second: it.socket() };
}

test("the first message of the second socket ends the first one", () => {
  const { first, second, world, connection, received, states } = doubled();
  second.onopen();
  assert.deepEqual(second.sent, [{ t: "hello" }]);
  connection.send([{ t: "a" }]);
  assert.deepEqual(first.sent.at(-1), { t: "a" });
  second.onmessage({ data: "again" });
  world.inDoubt = false;
  assert.deepEqual(received, ["welcome", "again, takes over"]);
  assert.equal(first.closed, 1005);
  first.onmessage({ data: "ghost" });
  first.onclose({ code: 4503 });
  connection.send([{ t: "b" }]);
  second.onmessage({ data: "x" });
  world.pass(60000);
  assert.deepEqual(second.sent.at(-1), { t: "b" });
  assert.deepEqual(received.slice(2), ["x"]);
  assert.deepEqual(states, ["connecting", "open"]);
});

test("the first socket is kept if it answers before the second one is open", () => {
  const { first, second, world, connection, received } = doubled();
  world.inDoubt = false;
  first.onmessage({ data: "pong" });
  second.onopen();
  assert.deepEqual(second.sent, []);
  assert.equal(second.closed, 1005);
  world.pass(60000);
  assert.equal(connection.state, "open");
  assert.deepEqual(received, ["welcome", "pong"]);
});

test("the first socket is lost if the second one fails", () => {
  const closes = [];
  const { first, second, connection, world } = doubled((code) => {
    closes.push(code);
    return 0;
  });
  second.onopen();
  second.onclose({ code: 1011 });
  assert.deepEqual(closes, [1006]);
  assert.equal(first.closed, 1005);
  assert.equal(connection.state, "waiting");
  world.pass(125);
  assert.equal(world.sockets.length, 3);
});

test("the second socket counts alone if the first one closes meanwhile", () => {
  for (const isOpen of [true, false]) {
    const closes = [];
    const { first, second, connection, received, world } = doubled((code) => {
      closes.push(code);
      return 0;
    });
    if (isOpen) second.onopen();
    second.readyState = isOpen ? 1 : 0;
    first.onclose({ code: isOpen ? 4503 : 1001 });
    assert.deepEqual(closes, [isOpen ? 1006 : 1001]);
    assert.equal(connection.state, isOpen ? "open" : "connecting");
    if (!isOpen) second.onopen();
    second.onmessage({ data: "again" });
    assert.deepEqual(received, ["welcome", "again"]);
    second.onclose({ code: 4503 });
    assert.equal(closes.at(-1), 4503);
    assert.equal(world.sockets.length, 2);
  }
});

test("a socket that we replaced in vain is lost, and not taken away", () => {
  const closes = [];
  const { first, second, world } = doubled((code) => {
    closes.push(code);
    return 0;
  });
  second.onopen();
  world.inDoubt = false;
  first.onmessage({ data: "pong" });
  second.onclose({ code: 1006 });
  assert.deepEqual(closes, []);
  first.onclose({ code: 4503 });
  assert.deepEqual(closes, [1006]);
});

test("a socket that is kept can be taken away later, by another tab", () => {
  const closes = [];
  const { first, second, world } = doubled((code) => {
    closes.push(code);
    return null;
  });
  second.onopen();
  world.inDoubt = false;
  first.onmessage({ data: "pong" });
  second.onclose({ code: 1006 });
  world.pass(5000);
  first.onclose({ code: 4503 });
  assert.deepEqual(closes, [4503]);
});

test("closing closes both sockets, and so does the end of the stay", () => {
  const ended = doubled(() => null);
  ended.first.onclose({ code: 4501 });
  assert.equal(ended.second.closed, 1000);
  assert.equal(ended.connection.state, "closed");
  const { first, second, connection } = doubled();
  connection.close();
  assert.deepEqual([first.closed, second.closed], [1000, 1000]);
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

test("a connection is renewed without a gap, because its hello says something new", () => {
  const { world, connection, received, socket } = opened();
  const first = socket();
  connection.renew();
  connection.renew();
  assert.equal(world.sockets.length, 2);
  const second = socket();
  second.readyState = 1;
  second.onopen();
  assert.deepEqual(second.sent, [{ t: "hello" }]);
  first.onclose({ code: 4503 }); // the server closes it for the second one
  assert.equal(connection.state, "open");
  second.onmessage({ data: "welcome" });
  assert.equal(connection.socket, second);
  assert.ok(received.at(-1).startsWith("welcome"));
});

test("only an open connection is renewed: a later one says it anyway", () => {
  const { world, connection, socket } = opened();
  socket().onclose({ code: 1006 });
  connection.renew();
  assert.equal(world.sockets.length, 1);
});
