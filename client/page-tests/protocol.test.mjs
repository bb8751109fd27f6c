import assert from "node:assert/strict";
import test from "node:test";

import "./setup.mjs";
import * as protocol from "../sliderace_page/core/protocol.js";
import { closeText, refusalText } from "../sliderace_page/core/wording.js";
import { member, snapshot, standing, welcome } from "./room.mjs";

const { ProtocolError, decodeEvent } = protocol;
const decode = (value) => decodeEvent(JSON.stringify(value));

test("an event is read with all its fields", () => {
  for (const event of [welcome(), snapshot()]) assert.deepEqual(decode(event), event);
});

test("unknown fields and unknown events are ignored", () => {
  assert.deepEqual(decode({ t: "pong", id: 4, later: true }), { t: "pong", id: 4 });
  assert.equal(decode({ t: "weather", o: 3 }), null);
});

test("a welcome may come from a newer or an older server", () => {
  assert.deepEqual(decode({ ...welcome(), later: {} }), welcome());
  const { features: _, ...older } = welcome();
  assert.deepEqual(decode(older), welcome());
});

test("any other text is a ProtocolError", () => {
  const broken = [
    "",
    "{",
    "[]",
    "null",
    "7",
    '"pong"',
    "{}",
    '{"t":5}',
    '{"t":"pong"}',
    '{"t":"pong","id":"1"}',
    '{"t":"pong","id":-1}',
    '{"t":"pong","id":1.5}',
    '{"t":"pong","id":9007199254740992}',
    '{"t":"progress","race":"A","p":[7]}',
    '{"t":"progress","race":"A","p":{}}',
    "[".repeat(60000),
  ];
  for (const text of broken) {
    assert.throws(() => decodeEvent(text), ProtocolError, text.slice(0, 40));
  }
  assert.throws(() => decodeEvent(new ArrayBuffer(4)), ProtocolError);
  assert.throws(() => decode({ ...welcome(), limits: null }), ProtocolError);
  assert.throws(() => decode(snapshot({ phase: "lunch" })), ProtocolError);
  assert.throws(
    () => decode(snapshot({ members: [member(1, { ready: 1 })] })),
    ProtocolError,
  );
});

test("nicknames are cleaned on arrival, as a server may be hostile", () => {
  const hostile = "\u202eAnn\u0000\u200b";
  const event = decode(snapshot({ members: [member(1, { name: hostile })] }));
  assert.equal(event.members[0].name, "Ann");
  const row = decode({
    t: "standing",
    o: 1,
    race: "A",
    standing: standing(0, { name: "\u200b" }),
  });
  assert.equal(row.standing.name, "?");
});

test("the last fields of progress may be missing", () => {
  const { p } = decode({
    t: "progress",
    race: "A",
    p: [
      [0, 5, 120, 9],
      [1, 2, 0, 3, 0, "RU2"],
    ],
  });
  assert.deepEqual(p[0], { seat: 0, seq: 5, high: 120, stm: 9, since: -1, slides: "" });
  assert.deepEqual(p[1], { seat: 1, seq: 2, high: 0, stm: 3, since: 0, slides: "RU2" });
});

test("some close codes allow a reconnect, the others are explained", () => {
  const back = [1001, 1005, 1006, 1011, 1012, 1013, 4000, 4002, 4003, 4429, 4499];
  const away = [1000, 1002, 1007, 1009, 4500, 4501, 4502, 4503, 4504, 4999];
  for (const code of back)
    assert.equal(protocol.mayReconnect(code), true, String(code));
  for (const code of away) {
    assert.equal(protocol.mayReconnect(code), false, String(code));
    assert.ok(closeText(code).endsWith("."), String(code));
  }
});

test("the backoff is random below a ceiling that doubles up to 8 s", () => {
  assert.equal(protocol.backoff(0, 0), 0);
  assert.ok(protocol.backoff(0, 0.999) < 250);
  assert.equal(protocol.backoff(3, 0.5), 1000);
  assert.ok(protocol.backoff(50, 0.999) < 8000);
  assert.ok(protocol.backoff(50, 0.999) > 7900);
});

test("the catalogue words a refusal, the server words an unknown one", () => {
  const refused = (code) => refusalText({ code, text: "Sorry." });
  assert.match(refused("room_unknown"), /^There is no such room/);
  assert.match(refused("version"), /Reload the page/);
  assert.equal(refused("novel"), "Sorry.");
  assert.equal(refusalText({ code: "novel", text: "" }), "The server refused that.");
});
