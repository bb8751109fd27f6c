// The bots of the server, as their host wants them.

import assert from "node:assert/strict";
import test from "node:test";

import "./setup.mjs";
import { levels, serverBots } from "../sliderace_page/core/server-bots.js";
import { hasText } from "../sliderace_page/core/texts.js";
import { decodeEvent } from "../sliderace_page/core/protocol.js";

test("each level has a word", () => {
  assert.equal(levels().length, 8);
  assert.deepEqual(
    levels().filter((level) => !hasText(`level.${level}`)),
    [],
  );
});

test("bots of the server have a level or a pace, other members neither", () => {
  const known = { role: "player", seat: 0, ready: true, connected: true, benched: false };
  const members = [
    { ...known, id: 1, name: "Ann", bot: false },
    { ...known, id: 2, name: "\u2699 Fox \u00b7 club", bot: true, level: "club" },
    { ...known, id: 3, name: "Robo", bot: true },
    { ...known, id: 4, name: "\u2699 Hare \u00b7 9.0 s", bot: true, pace_ms: 9000 },
  ].map(
    (member) =>
      decodeEvent(JSON.stringify({ t: "member", o: 1, member, why: "joined" })).member,
  );
  assert.deepEqual(serverBots(members), [{ level: "club" }, { pace_ms: 9000 }]);
});
