import assert from "node:assert/strict";
import test from "node:test";

import "./setup.mjs";
import * as engine from "../sliderace_page/core/engine.js";
import { against, faults, partFault } from "../sliderace_page/core/fairness.js";
import { RACE, standing } from "./room.mjs";

const { bytesToHex, hexToBytes } = engine;
const SECRET = "11".repeat(32);
const NONCES = [
  [0, "aa".repeat(16)],
  [2, "bb".repeat(16)],
];
const bound = (seat, nonce) => engine.nonceCommitment(RACE, seat, hexToBytes(nonce));
const drawn = (secret, nonces) => {
  const used = nonces.map(([seat, nonce]) => [seat, hexToBytes(nonce)]);
  const seed = engine.seedOf(RACE, 3, 3, hexToBytes(secret), used);
  const board = engine.formatBoard(engine.scramble(seed, 3, 3));
  return { seed: bytesToHex(seed), board };
};
const { board: BOARD } = drawn(SECRET, NONCES);
/** Ann and Cleo gave their parts, Ben had none. */
const results = (change = {}) => ({
  race: RACE,
  standings: [
    standing(0),
    standing(1, { place: 2, time_ms: 5000 }),
    standing(2, { status: "dnf", place: 3, time_ms: null }),
  ],
  ...drawn(SECRET, NONCES),
  secret: SECRET,
  nonces: [
    { seat: 0, commitment: bound(...NONCES[0]), nonce: NONCES[0][1] },
    { seat: 1, commitment: null, nonce: null },
    { seat: 2, commitment: bound(...NONCES[1]), nonce: NONCES[1][1] },
  ],
  ...change,
});
const kept = (change = {}) => ({
  size: "3x3",
  commitment: engine.commitment(RACE, 3, 3, hexToBytes(SECRET)),
  seedKnown: false,
  listed: new Map(results().nonces.map((one) => [one.seat, one.commitment])),
  start: BOARD,
  seat: 0,
  nonce: NONCES[0][1],
  own: {
    base: 1,
    acked: 2,
    slides: [
      ["U", 1, 500],
      ["L", 2, 700],
    ],
  },
  ...change,
});
const withNonce = (seat, change) => ({
  nonces: results().nonces.map((one) =>
    one.seat === seat ? { ...one, ...change } : one,
  ),
});
const found = (change, shown = {}) => faults(results(change), kept(shown)).join(" ");

// --- What is told at once ------------------------------------------------------------

test("what was shown is what is told: nothing to say", () => {
  assert.equal(found({}), "");
  assert.equal(found({}, { listed: null, start: null }), "");
});

test("another secret, seed or board is found", () => {
  assert.match(found({ secret: "22".repeat(32) }), /secret is not the one committed/);
  assert.match(found({}, { commitment: "ab".repeat(32) }), /secret is not the one/);
  assert.match(found(drawn(SECRET, [])), /seed does not follow/);
  assert.match(found({ board: "1 2 3/4 5 0/7 8 6" }), /does not follow from the seed/);
  assert.match(found({ secret: null }), /not told its secret/);
  assert.match(found({ secret: "xyz" }), /Not checkable/);
  const other = "1 2 3/4 5 0/7 8 6";
  assert.match(found({}, { start: other }), /not the one that was raced on/);
});

test("a part that does not fit what bound it is found, and whose it is", () => {
  const nonce = "cc".repeat(16);
  const change = { ...withNonce(2, { nonce }), ...drawn(SECRET, [NONCES[0], [2, nonce]]) };
  assert.equal(
    found(change, { start: null }),
    "The part of Cleo in the draw is not the one fixed before it.",
  );
});

test("a list of commitments changed after the draw is found", () => {
  const nonce = "cc".repeat(16);
  const other = { nonce, commitment: bound(2, nonce) };
  const change = { ...withNonce(2, other), ...drawn(SECRET, [NONCES[0], [2, nonce]]) };
  assert.match(found(change), /list of who takes part .* was changed/);
  assert.equal(found(change, { listed: null, start: null }), "", "never shown");
  assert.match(found({ nonces: results().nonces.slice(0, 2) }), /was changed/);
});

test("a part left out must be left out of the seed", () => {
  const left = withNonce(2, { nonce: null });
  assert.match(found(left), /seed does not follow/);
  const start = drawn(SECRET, [NONCES[0]]).board;
  assert.equal(found({ ...left, ...drawn(SECRET, [NONCES[0]]) }, { start }), "");
});

test("our own part: used, left out, or another one", () => {
  const part = (change, shown) => partFault(results(change), kept(shown));
  assert.equal(part({}), "");
  assert.match(part(withNonce(0, { nonce: null })), /part was left out/);
  assert.match(part({ nonces: [] }), /part was left out/);
  assert.match(part(withNonce(0, { nonce: "cc".repeat(16) })), /another part for you/);
  for (const none of [{ seat: null }, { nonce: null }, { seedKnown: true }])
    assert.equal(part({ nonces: [] }, none), "");
});

test("a seed known in advance makes no promise, but the board must follow from it", () => {
  const known = { seedKnown: true };
  assert.equal(found({ secret: null, nonces: [] }, known), "");
  assert.match(found({ board: "1 2 3/4 5 0/7 8 6" }, known), /does not follow/);
});

// --- The record ----------------------------------------------------------------------

const racer = (row, part, change = {}) => ({
  seat: row.seat,
  name: row.name,
  status: row.status,
  place: row.place,
  finish: row.time_ms === null ? null : { official_ms: row.time_ms },
  nonce_commitment: part.commitment,
  nonce: part.nonce,
  slides: [
    ["D", 1, 300, 310],
    ["U", 1, 500, 512],
    ["L", 2, 700, 713],
  ],
  ...change,
});
const record = (change = {}, mine = {}) => ({
  race: RACE,
  rules: { size: "3x3" },
  commitment: kept().commitment,
  secret: SECRET,
  seed: results().seed,
  board: BOARD,
  racers: results().standings.map((row, i) =>
    racer(row, results().nonces[i], i === 0 ? mine : {}),
  ),
  ...change,
});
const differs = (change, mine, shown) =>
  against(record(change, mine), results(), kept(shown)).join(" ");

test("a record of what was shown and sent differs in nothing", () => {
  assert.equal(differs(), "");
  const order = record().racers.reverse();
  assert.equal(differs({ racers: order }), "", "in any order");
  assert.equal(differs({}, {}, { listed: null, start: null, own: null }), "");
});

test("another word on what was shown is found", () => {
  for (const name of ["race", "commitment", "board", "seed", "secret"])
    assert.equal(differs({ [name]: "x" }), `The record has another ${name}.`);
  assert.equal(differs({ rules: { size: "4x4" } }), "The record has another size.");
  const two = record().racers.slice(0, 2);
  assert.match(differs({ racers: two }), /another list .* another result of Cleo/);
  assert.match(differs({}, { nonce_commitment: "x" }), /another list/);
  assert.match(differs({}, { nonce: null }), /other parts of the players/);
  assert.match(differs({}, { place: 2 }), /another result of Ann/);
  assert.match(differs({}, { finish: { official_ms: 1 } }), /another result of Ann/);
});

test("other slides of ours are found; those nobody acknowledged may be missing", () => {
  const { slides } = racer(standing(0), {});
  const said = (...written) => differs({}, { slides: written });
  const other = /other slides of yours/;
  assert.equal(said(slides[0], slides[1]), "", "the last was never acknowledged");
  assert.match(said(slides[0]), other, "that one was");
  assert.match(said(...slides, ["R", 1, 900, 913]), other, "one more");
  assert.match(said(slides[0], ["D", 1, 500, 512], slides[2]), other, "another way");
  assert.match(said(slides[0], ["U", 1, 499, 512], slides[2]), other, "another stamp");
  assert.equal(said(["L", 1, 0, 0], slides[1], slides[2]), "", "before we came back");
});

test("anything may come as a record", () => {
  const odd = [undefined, null, 7, "x", [], {}, { racers: 5 }, { racers: [null, 1, {}] }];
  for (const one of [...odd, record({}, { slides: [null, 5, 6] })])
    assert.notDeepEqual(against(one, results(), kept()), []);
});
