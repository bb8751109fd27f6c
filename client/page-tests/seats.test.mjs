import assert from "node:assert/strict";
import test from "node:test";

import "./setup.mjs";
import { Seats } from "../sliderace_page/app/seats.js";

/** As in browsers, stored names are also the object's own keys. */
class FakeStorage {
  constructor() {
    const hidden = (name, value) =>
      Object.defineProperty(this, name, { value, enumerable: false });
    hidden("getItem", (key) => (Object.hasOwn(this, key) ? this[key] : null));
    hidden("setItem", (key, value) => (this[key] = String(value)));
    hidden("removeItem", (key) => delete this[key]);
  }
}

test("a seat is kept per room, with its nickname", () => {
  const seats = new Seats(new FakeStorage(), new FakeStorage(), () => 5);
  assert.equal(seats.get("KWXTRB"), null);
  seats.keep("KWXTRB", { token: "t", name: "Ann" });
  assert.deepEqual(seats.get("KWXTRB"), { token: "t", name: "Ann", kept: 5 });
  assert.equal(seats.get("BCDFGH"), null);
  seats.room = "KWXTRB";
  seats.forget("KWXTRB");
  assert.equal(seats.get("KWXTRB"), null);
  assert.equal(seats.room, null);
});

test("a seat expires after a day and is removed", () => {
  let now = 0;
  const lasting = new FakeStorage();
  const seats = new Seats(lasting, new FakeStorage(), () => now);
  seats.keep("KWXTRB", { token: "t", name: "Ann" });
  now = 24 * 3600 * 1000;
  assert.equal(seats.get("KWXTRB"), null);
  seats.keep("BCDFGH", { token: "u", name: "Ann" });
  assert.deepEqual(Object.keys(lasting), ["sliderace.seat.BCDFGH"]);
});

test("the tab's room and the nickname are kept", () => {
  const seats = new Seats(new FakeStorage(), new FakeStorage());
  assert.equal(seats.room, null);
  assert.equal(seats.name, "");
  seats.name = "Ann";
  seats.room = "KWXTRB";
  assert.equal(seats.name, "Ann");
  assert.equal(seats.room, "KWXTRB");
  seats.room = null;
  assert.equal(seats.room, null);
});

test("the page works without storage, and with full or broken storage", () => {
  const forbidden = new Seats(undefined, undefined);
  forbidden.name = "Ann";
  forbidden.room = "KWXTRB";
  forbidden.keep("KWXTRB", { token: "t", name: "Ann" });
  forbidden.forget("KWXTRB");
  assert.equal(forbidden.name, "");
  assert.equal(forbidden.room, null);
  assert.equal(forbidden.get("KWXTRB"), null);
  const spoilt = new FakeStorage();
  spoilt.setItem("sliderace.seat.KWXTRB", "{");
  assert.equal(new Seats(spoilt, new FakeStorage()).get("KWXTRB"), null);
});

test("rooms with a seat are listed, the last one entered first", () => {
  let now = 10;
  const kept = new FakeStorage();
  const seats = new Seats(kept, undefined, () => now);
  for (const code of ["KWXTRB", "GHHNKQ", "WDBXFC"]) {
    seats.keep(code, { token: "t", name: "Ann" });
    now += 10;
  }
  seats.keep("KWXTRB", { token: "t", name: "Ann" });
  assert.deepEqual(seats.codes, ["KWXTRB", "WDBXFC", "GHHNKQ"]);
  now += 24 * 3600 * 1000 - 5;
  assert.deepEqual(seats.codes, ["KWXTRB"]);
  assert.deepEqual(new Seats(undefined, undefined).codes, []);
});
