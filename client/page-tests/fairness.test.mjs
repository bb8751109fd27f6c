import assert from "node:assert/strict";
import test from "node:test";

import "./setup.mjs";
import * as engine from "../sliderace_page/core/engine.js";
import { against, faults, nonceRemark } from "../sliderace_page/core/fairness.js";
import { faultText, nonceText } from "../sliderace_page/core/wording.js";
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
/** Ann and Cleo gave a nonce, Ben gave none. */
const results = (change = {}) => ({
  race: RACE,
  standings: [
    standing(0),
    standing(1, { place: 2, time_ms: 5000 }),
    standing(2, { status: "dnf", place: 3, time_ms: null, solve_ms: null }),
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
const found = (change, shown = {}) =>
  faults(results(change), kept(shown)).map(({ code }) => code);

// --- The results ---------------------------------------------------------------------

test("results that match the shown facts have no fault", () => {
  assert.deepEqual(found({}), []);
  assert.deepEqual(found({}, { listed: null, start: null }), []);
});

test("a changed secret, seed or board is a fault", () => {
  const secret = found({ secret: "22".repeat(32) });
  assert.deepEqual(secret, ["commitment_broken", "seed_not_from_parts"]);
  assert.deepEqual(found({}, { commitment: "ab".repeat(32) }), ["commitment_broken"]);
  const seed = found(drawn(SECRET, []));
  assert.deepEqual(seed, ["seed_not_from_parts", "board_not_raced"]);
  const other = "1 2 3/4 5 0/7 8 6";
  assert.deepEqual(found({ board: other }), ["board_not_from_seed", "board_not_raced"]);
  assert.deepEqual(found({ secret: null }), ["not_revealed"]);
  assert.deepEqual(found({ secret: "xyz" }), ["unreadable"]);
  assert.deepEqual(found({}, { start: other }), ["board_not_raced"]);
});

test("a nonce that does not match its commitment is a fault with a name", () => {
  const nonce = "cc".repeat(16);
  const change = { ...withNonce(2, { nonce }), ...drawn(SECRET, [NONCES[0], [2, nonce]]) };
  assert.deepEqual(faults(results(change), kept({ start: null })), [
    { code: "wrong_nonce", name: "Cleo" },
  ]);
});

test("a list of commitments that changed after the draw is a fault", () => {
  const nonce = "cc".repeat(16);
  const other = { nonce, commitment: bound(2, nonce) };
  const change = { ...withNonce(2, other), ...drawn(SECRET, [NONCES[0], [2, nonce]]) };
  assert.deepEqual(found(change), ["list_changed", "board_not_raced"]);
  assert.deepEqual(found(change, { listed: null, start: null }), [], "never shown");
  const fewer = found({ nonces: results().nonces.slice(0, 2) });
  assert.ok(fewer.includes("list_changed"));
  const standings = results().standings.slice(0, 2);
  assert.deepEqual(found({ standings }), ["list_changed"], "a racer is missing");
});

test("a nonce that was left out must be left out of the seed", () => {
  const left = withNonce(2, { nonce: null });
  assert.deepEqual(found(left), ["seed_not_from_parts"]);
  const start = drawn(SECRET, [NONCES[0]]).board;
  assert.deepEqual(found({ ...left, ...drawn(SECRET, [NONCES[0]]) }, { start }), []);
});

test("our own nonce is used, left out, or replaced", () => {
  const remark = (change, shown) => nonceRemark(results(change), kept(shown));
  assert.equal(remark({}), null);
  assert.equal(remark(withNonce(0, { nonce: null })), "nonce_left_out");
  assert.equal(remark({ nonces: [] }), "nonce_left_out");
  assert.equal(remark(withNonce(0, { nonce: "cc".repeat(16) })), "nonce_replaced");
  for (const none of [{ seat: null }, { nonce: null }, { seedKnown: true }])
    assert.equal(remark({ nonces: [] }, none), null);
});

test("with a seed known in advance, only the board is checked", () => {
  const none = { commitment: null, nonce: null };
  const nonces = results().nonces.map(({ seat }) => ({ seat, ...none }));
  const listed = new Map(nonces.map(({ seat }) => [seat, null]));
  const known = { seedKnown: true, listed };
  assert.deepEqual(found({ secret: null, nonces }, known), []);
  const fewer = found({ secret: null, nonces: nonces.slice(1) }, known);
  assert.deepEqual(fewer, ["list_changed"]);
  const other = { board: "1 2 3/4 5 0/7 8 6" };
  assert.ok(found(other, known).includes("board_not_from_seed"));
});

// --- The record ----------------------------------------------------------------------

const timesOf = ({ time_ms, solve_ms, credit_ms, outage_ms }) => ({
  official_ms: time_ms,
  ...{ solve_ms, credit_ms, outage_ms },
});
const racer = (row, part, change = {}) => ({
  ...row,
  finish: row.time_ms === null ? null : timesOf(row),
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
  against(record(change, mine), results(), kept(shown)).map(({ code }) => code);

test("a record that matches the evidence has no fault", () => {
  assert.deepEqual(differs(), []);
  const order = record().racers.reverse();
  assert.deepEqual(differs({ racers: order }), [], "in any order");
  assert.deepEqual(differs({}, {}, { listed: null, start: null, own: null }), []);
});

test("a record that differs from the shown facts has a fault", () => {
  const codes = {
    race: "record_other_race",
    commitment: "record_commitment",
    board: "record_board",
    seed: "record_seed",
    secret: "record_seed",
  };
  for (const [name, code] of Object.entries(codes))
    assert.deepEqual(differs({ [name]: "x" }), [code], name);
  assert.deepEqual(differs({ rules: { size: "4x4" } }), ["record_size"]);
  const two = record().racers.slice(0, 2);
  assert.deepEqual(differs({ racers: two }), ["record_list", "record_results"]);
  assert.deepEqual(differs({}, { nonce_commitment: "x" }), ["record_list"]);
  assert.deepEqual(differs({}, { nonce: null }), ["record_nonces"]);
  assert.deepEqual(differs({}, { place: 2 }), ["record_results"]);
  const { finish } = record().racers[0];
  for (const name of ["official_ms", "solve_ms", "credit_ms", "outage_ms"]) {
    const other = { finish: { ...finish, [name]: 1 } };
    assert.deepEqual(differs({}, other), ["record_results"], name);
  }
  for (const name of ["name", "bot", "status", "why", "stm", "mtm", "high"])
    assert.deepEqual(differs({}, { [name]: "x" }), ["record_results"], name);
  const nobody = { listed: null, own: null };
  const missing = against(
    record({ racers: two }),
    results({ nonces: results().nonces.slice(0, 2) }),
    kept(nobody),
  );
  assert.deepEqual(missing, [{ code: "record_results" }], "a racer is missing");
});

test("changed slides of ours are a fault; those without an ack may be missing", () => {
  const { slides } = racer(standing(0), {});
  const said = (...written) => differs({}, { slides: written });
  const [missing, other] = [["record_slides_missing"], ["record_slides_differ"]];
  assert.deepEqual(said(slides[0], slides[1]), [], "the last one had no ack");
  assert.deepEqual(said(slides[0]), missing, "that one had");
  assert.deepEqual(said(...slides, ["R", 1, 900, 913]), other, "one more");
  assert.deepEqual(said(slides[0], ["D", 1, 500, 512], slides[2]), other, "direction");
  assert.deepEqual(said(slides[0], ["U", 1, 499, 512], slides[2]), other, "timestamp");
  assert.deepEqual(said(["L", 1, 0, 0], slides[1], slides[2]), [], "before a reload");
  const others = record().racers.slice(1);
  assert.ok(differs({ racers: others }).includes("record_without_you"));
});

test("any value as a record has a fault, and never throws", () => {
  const odd = [undefined, null, 7, "x", [], {}, { racers: 5 }, { racers: [null, 1, {}] }];
  for (const one of [...odd, record({}, { slides: [null, 5, 6] })])
    assert.notDeepEqual(against(one, results(), kept()), []);
});

test("every fault has a sentence", () => {
  const wrong = against(record({ commitment: "x" }, { place: 2 }), results(), kept());
  assert.deepEqual(wrong.map(faultText), [
    "The commitment in the race record is not the one shown before the race.",
    "The racers, places or times in the race record are not the ones in the results.",
  ]);
  const name = "Cleo";
  assert.match(faultText({ code: "wrong_nonce", name }), /^The nonce of Cleo is not/);
  for (const remark of ["nonce_left_out", "nonce_replaced"])
    assert.match(nonceText(remark), /nonce/);
});
