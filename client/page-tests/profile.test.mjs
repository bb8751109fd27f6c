import assert from "node:assert/strict";
import test from "node:test";

import "./setup.mjs";
import { Me, NotDone, ProfileSecret } from "../sliderace_page/app/profile.js";
import { command } from "../sliderace_page/core/protocol.js";
import { text } from "../sliderace_page/core/texts.js";

const SECRET = "07".repeat(16);
const PROFILE = {
  id: "BCDFGHJK",
  name: "Ann",
  created_ms: 0,
  devices: [],
  bests: [],
};

class FakeStorage extends Map {
  getItem = (key) => this.get(key) ?? null;
  setItem = (key, value) => this.set(key, value);
  removeItem = (key) => this.delete(key);
}

/** A connection of the profile to a fake server. */
class Server {
  sent = [];
  timers = [];

  constructor(lasting = new FakeStorage()) {
    const server = this;
    class FakeSocket {
      constructor() {
        server.socket = this;
      }
      send(text) {
        server.sent.push(JSON.parse(text));
      }
      close() {}
    }
    this.lasting = lasting;
    this.me = new Me({
      socketUrl: "ws://host:8710/sub/ws",
      seats: { lasting },
      random: (count) => new Uint8Array(count).fill(7),
      socket: {
        WebSocket: FakeSocket,
        later: (work) => this.timers.push(work),
        cancel: () => {},
      },
    });
  }

  receive(event) {
    this.socket.onmessage({ data: JSON.stringify(event) });
  }

  /** Open the connection; the server answers with this profile. */
  async open(profile = null) {
    const opened = this.me.open();
    this.socket.onopen();
    this.receive({ t: "me", profile });
    return opened;
  }
}

test("a secret is kept only when the server has a profile with it", async () => {
  const server = new Server();
  assert.equal(await server.open(), null);
  assert.deepEqual(
    [server.sent[0].enter, server.sent[0].profile],
    [{ as: "me" }, SECRET],
  );
  assert.equal(server.me.stored.value, null);
  const kept = server.me.keep("Ann");
  assert.deepEqual(server.sent[1], { t: "keep", name: "Ann" });
  server.receive({ t: "me", profile: PROFILE });
  await kept;
  assert.equal(server.me.stored.value, SECRET);
  assert.equal(server.me.profile.name, "Ann");
});

test("a secret belongs to one server, also below a path of the same host", () => {
  const lasting = new FakeStorage();
  const [one, other] = ["ws://host/a/ws", "ws://host/b/ws"].map(
    (url) => new ProfileSecret(lasting, url),
  );
  one.value = SECRET;
  assert.deepEqual([one.value, other.value], [SECRET, null]);
  one.value = null;
  assert.equal(one.value, null);
  lasting.set(one.key, "nonsense");
  assert.equal(one.value, null, "storage may contain anything");
});

test("a refused claim says why, and stores nothing", async () => {
  const server = new Server();
  await server.open();
  const claimed = server.me.claim("BCDF-GHJK");
  server.receive({ t: "refused", of: "claim", code: "too_many_tries", text: "No." });
  await assert.rejects(claimed, (error) => {
    assert.ok(error instanceof NotDone);
    assert.equal(error.code, "too_many_tries");
    assert.equal(error.message, text("refusal.too_many_tries"));
    return true;
  });
  assert.equal(server.me.stored.value, null);
});

test("each answer goes to the question that it answers", async () => {
  const server = new Server();
  server.lasting.set("sliderace.profile./sub/ws", "ab".repeat(16));
  await server.open(PROFILE);
  const history = server.me.ask(command.history("4x4"));
  const ticket = server.me.ask(command.deviceTicket());
  server.receive({ t: "ticket", ticket: "BCDFGHJK", in_ms: 300000 });
  server.receive({ t: "history", event: "4x4", rows: [] });
  assert.equal((await ticket).ticket, "BCDFGHJK");
  assert.deepEqual((await history).rows, []);
});

test("a server that is silent or gone does not leave a question open", async () => {
  const silent = new Server();
  const opened = silent.me.open();
  silent.timers.at(-1)();
  await assert.rejects(opened, { message: text("app.no_answer") });
  const gone = new Server();
  await gone.open(PROFILE);
  const kept = gone.me.keep("Ann");
  gone.socket.onclose({ code: 1006 });
  await assert.rejects(kept, NotDone);
  gone.me.close();
  await assert.rejects(gone.me.ask(command.deviceTicket()), NotDone);
});

test("an unknown secret makes a guest, not an error", async () => {
  const server = new Server();
  const opened = server.me.open();
  server.socket.onopen();
  server.receive({ t: "refused", of: "hello", code: "profile_unknown", text: "" });
  server.receive({ t: "me", profile: null });
  assert.equal(await opened, null);
});

test("a socket that closes late does not disturb the next one", async () => {
  const server = new Server();
  await server.open(PROFILE);
  const before = server.socket;
  server.me.close();
  const opened = server.me.open();
  before.onclose({ code: 1000 });
  server.socket.onopen();
  server.receive({ t: "me", profile: PROFILE });
  assert.equal((await opened).name, "Ann");
});

test("after the connection is lost, a question fails at once until it is opened again", async () => {
  const server = new Server();
  await server.open(PROFILE);
  assert.ok(server.me.isOpen);
  server.socket.onclose({ code: 1006 });
  assert.ok(!server.me.isOpen);
  await assert.rejects(server.me.ask(command.deviceTicket()), NotDone);
  await server.open(PROFILE);
  assert.ok(server.me.isOpen);
});

test("a profile whose creation was not confirmed is found when it is opened again", async () => {
  const server = new Server();
  await server.open();
  const kept = server.me.keep("Ann");
  server.socket.onclose({ code: 1006 });
  await assert.rejects(kept, NotDone);
  assert.equal(server.me.stored.value, null);
  await server.open(PROFILE);
  assert.equal(server.me.stored.value, SECRET);
});
