// Keys on paper, and tickets in links.

import assert from "node:assert/strict";
import { test } from "node:test";

import { formatKey, formatTicket, parseKey, ticketIn } from "../sliderace_page/core/profile-key.js";

const SECRET = "0123456789abcdef0123456789abcdef";

test("a key can be written down and typed again", () => {
  assert.equal(formatKey(SECRET), "0123-4567-89ab-cdef-0123-4567-89ab-cdef");
  for (const typed of [SECRET, formatKey(SECRET), ` ${formatKey(SECRET).toUpperCase()}\n`, formatKey(SECRET).replaceAll("-", " ")])
    assert.equal(parseKey(typed), SECRET);
});

test("31 or 33 digits, and other letters, are no key", () => {
  for (const typed of ["", SECRET.slice(1), `${SECRET}0`, SECRET.replace("a", "g")])
    assert.equal(parseKey(typed), null);
});

test("a ticket is shown in two groups and read from a link", () => {
  assert.equal(formatTicket("BCDFGHJK"), "BCDF-GHJK");
  assert.equal(ticketIn("#claim=BCDFGHJK"), "BCDFGHJK");
  for (const hash of ["", "#claim=", "#claim=BCDFGHJ", "#ticket=BCDFGHJK", "#claim=BCDFGHJK1"])
    assert.equal(ticketIn(hash), "");
});
