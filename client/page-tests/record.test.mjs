import assert from "node:assert/strict";
import { webcrypto } from "node:crypto";
import test from "node:test";

import { bytesToHex } from "../sliderace_page/engine.js";
import { NotCanonical, canonical, judge } from "../sliderace_page/record.js";

const { subtle } = webcrypto;
const pair = await subtle.generateKey("Ed25519", true, ["sign", "verify"]);
const key = bytesToHex(new Uint8Array(await subtle.exportKey("raw", pair.publicKey)));
const told = { race: "KWXTRB-SA1B2C-3", seed: "a", secret: null, board: "1 2/3 0" };
const promise = { commitment: "c" };

async function seal(record) {
  const message = new TextEncoder().encode(canonical(record));
  const signature = await subtle.sign("Ed25519", pair.privateKey, message);
  return { record, key, signature: bytesToHex(new Uint8Array(signature)) };
}
const file = await seal({ ...told, commitment: "c", racers: [{ name: "\u{1f600}" }] });
const said = (change, crypto = subtle, shown = promise) =>
  judge(canonical({ ...file, ...change }), told, shown, crypto);

test("canonical: one form for each value", () => {
  const cases = [
    [{ b: [1, -0, true, null], a: "\u20ac\n\u001b\u007f" }, '{"a":"€\\n\\u001b\x7f","b":[1,0,true,null]}'],
    [{ "\ue000": 1, "\u{1f600}": 2 }, '{"\u{1f600}":2,"\ue000":1}'],
    [{ 10: 1, 9: 2 }, '{"10":1,"9":2}'],
    [{ "": {}, " ": [] }, '{"":{}," ":[]}'],
  ];
  for (const [value, text] of cases) assert.equal(canonical(value), text);
});

test("canonical: what has no form is refused", () => {
  const deep = JSON.parse("[".repeat(17) + "]".repeat(17));
  for (const value of [1.5, 2 ** 53, NaN, "\ud800", { "\udc00": 1 }, undefined, deep])
    assert.throws(() => canonical(value), NotCanonical);
});

test("a good signature is ok and shows its key", async () => {
  assert.equal(await said({}), `ok, by the key ${key}`);
  assert.match(await said({}, subtle, undefined), /^ok/);
});

test("another name, key or signature is not ok", async () => {
  const record = { ...file.record, racers: [{ name: "Eve" }] };
  assert.equal(await said({ record }), "not ok");
  assert.equal(await said({ key: "00".repeat(32) }), "not ok");
  assert.equal(await said({ key: "ff".repeat(32) }), "not ok");
  assert.equal(await said({ signature: "00".repeat(64) }), "not ok");
  for (const change of [{ key: "x" }, { key: 5 }, { signature: key }])
    assert.equal(await said(change), "not ok: no signature");
});

test("a record of something else is not ok, even if signed", async () => {
  for (const name of ["race", "seed", "secret", "board", "commitment"]) {
    const other = await seal({ ...file.record, [name]: "z" });
    assert.equal(
      await judge(canonical(other), told, promise, subtle),
      `not ok: the record has another ${name}`,
    );
  }
});

test("without Ed25519 it cannot be known", async () => {
  assert.equal(await said({}, null), "cannot be known here");
  const importKey = async () => {
    throw new DOMException("", "NotSupportedError");
  };
  assert.equal(await said({}, { importKey }), "cannot be known here");
});

test("two meanings are no meaning", async () => {
  const twice = canonical(file).replace('"seed"', '"seed":"b","seed"');
  assert.match(await judge(twice, told, promise, subtle), /^cannot be known/);
});

test("anything else is no record", async () => {
  for (const text of ["", "{", "null", "1", "[]", '{"record":1.5}', '{"record":null}'])
    assert.match(await judge(text, told, promise, subtle), /^not ok/);
});
