import assert from "node:assert/strict";
import { webcrypto } from "node:crypto";
import { readFileSync } from "node:fs";
import test from "node:test";

import "./setup.mjs";
import { bytesToHex } from "../sliderace_page/core/engine.js";
import { plausible } from "../sliderace_page/core/proof/summary.js";
import { canonical, verify } from "../sliderace_page/core/proof/signed.js";
import { rank } from "../sliderace_page/core/race/ranking.js";
import { text as worded } from "../sliderace_page/core/texts.js";
import {
  creditBound,
  jitterAllowance,
  official,
  outageOverlap,
} from "../sliderace_page/core/race/timing.js";

const read = (name) =>
  JSON.parse(
    readFileSync(new URL(`../../shared/vectors/${name}`, import.meta.url), "utf8"),
  );
const timing = read("timing-v1.json");
const golden = read("record-v1.json");
const records = Object.fromEntries(
  golden.records.map(({ why, record }) => [why, record]),
);
const { plain } = records;

const { subtle } = webcrypto;
const pair = await subtle.generateKey("Ed25519", true, ["sign", "verify"]);
const key = bytesToHex(new Uint8Array(await subtle.exportKey("raw", pair.publicKey)));

async function seal(record) {
  const message = new TextEncoder().encode(canonical(record));
  const signature = await subtle.sign("Ed25519", pair.privateKey, message);
  return canonical({ record, key, signature: bytesToHex(new Uint8Array(signature)) });
}

/** The checks of a record, except its signature. */
async function checks_of(record) {
  const file = { record, key, signature: "0".repeat(128) };
  const checks = await verify(canonical(file), undefined, { anchor: golden.anchor });
  return checks.filter(({ name }) => name !== "signature");
}

function put(record, place, value) {
  const copy = structuredClone(record);
  const last = place.at(-1);
  place.slice(0, -1).reduce((inner, name) => inner[name], copy)[last] = value;
  return copy;
}

const wrong = (checks) =>
  checks.filter(({ verdict }) => verdict !== "ok").map(({ name }) => name);

test("golden official times are reproduced", () => {
  for (const [g, e, rtt, jitter, outage, friendly, time] of timing.official) {
    const line = { rtt, jitter, outage };
    assert.equal(official(g, e, line, friendly), time);
    assert.ok(g - time <= creditBound(line, friendly));
  }
});

test("golden outage overlaps are reproduced", () => {
  for (const [arrivals, outages, start, end, overlap] of timing.overlap)
    assert.equal(outageOverlap(arrivals, outages, start, end), overlap);
});

test("the overlap of any number of slides is found at once", () => {
  const end = 2 ** 32 - 2;
  const arrivals = new Proxy([], {
    get: (_, name) => (name === "length" ? end / 2 : 2 * Number(name)),
  });
  assert.equal(outageOverlap(arrivals, [[end - 9, end - 3]], 0, end), 1);
});

test("golden jitter allowances are reproduced", () => {
  for (const [jitter, allowance] of timing.allowance)
    assert.equal(jitterAllowance(jitter), allowance);
});

test("only plausible solve times are shown", () => {
  for (const [solve_ms, stm, shown] of timing.plausible)
    assert.equal(plausible({ stm, solve_ms }), shown);
});

test("golden photo finishes are found", () => {
  for (const [finishes, photos] of timing.photo) {
    const racers = finishes.map(([time, jitter], seat) => ({
      seat,
      status: "finished",
      finish: { official_ms: time, jitter_ms: jitter },
    }));
    assert.deepEqual(
      rank(racers).map(({ photo }) => photo),
      photos,
    );
  }
});

/** The findings of a check as in the golden data; each must have its text. */
function pairs({ name, findings }) {
  for (const { code, values } of findings) assert.ok(worded(`check.${name}.${code}`, values));
  return findings.map(({ code, values }) => [code, values]);
}

test("golden records: the same checks with the same findings as Python", async () => {
  for (const { why, record, checks } of golden.records) {
    const found = await checks_of(record);
    const rows = found.map((check) => [check.name, check.verdict, pairs(check)]);
    assert.deepEqual(rows, checks, why);
  }
});

test("golden lies: the same checks fail with the same findings as Python", async () => {
  for (const lie of golden.lies) {
    const found = await checks_of(put(records[lie.of], lie.place, lie.value));
    const faults = found
      .filter(({ verdict }) => verdict === "wrong")
      .map((check) => [check.name, ...pairs(check)]);
    assert.deepEqual(Object.fromEntries(faults), lie.wrong, JSON.stringify(lie));
  }
});

test("a missing field and an unknown field are refused", async () => {
  for (const place of [[], ["rules"], ["racers", 3], ["racers", 3, "finish"]]) {
    const fields = place.reduce((inner, name) => inner[name], plain);
    const wider = { ...fields, more: 1 };
    const narrower = Object.keys(fields).map((name) => {
      const { [name]: _, ...others } = fields;
      return others;
    });
    for (const value of [wider, ...narrower]) {
      const record = place.length ? put(plain, place, value) : value;
      assert.deepEqual(wrong(await checks_of(record)), ["structure"]);
    }
  }
});

test("a signed record passes every check", async () => {
  const checks = await verify(await seal(plain), subtle);
  assert.deepEqual(wrong(checks), []);
  assert.deepEqual(checks[1].findings, [{ code: "ok", values: { key } }]);
});

test("a wrong signature is found; without Ed25519 it is unknown", async () => {
  const file = (await seal(plain)).replace('"name":"Fay"', '"name":"Fae"');
  const [, signature] = await verify(file, subtle);
  assert.equal(signature.verdict, "wrong");
  const [, unknown] = await verify(file, undefined);
  assert.equal(unknown.verdict, "unknown");
});

test("key and commitment are checked only if given", async () => {
  const file = await seal(plain);
  const names = async (known) =>
    (await verify(file, subtle, known)).map(({ name, verdict }) => [name, verdict]);
  const found = Object.fromEntries(await names({}));
  assert.ok(!("key" in found) && !("promise" in found));
  const good = Object.fromEntries(await names({ key, promised: plain.commitment }));
  assert.deepEqual([good.key, good.promise], ["ok", "ok"]);
  const other = "0".repeat(64);
  const bad = Object.fromEntries(await names({ key: other, promised: other }));
  assert.deepEqual([bad.key, bad.promise], ["wrong", "wrong"]);
});

test("an ambiguous file does not pass the structure check", async () => {
  const file = await seal(plain);
  const twice = file.replace('"seat":0', '"seat":7,"seat":0');
  for (const text of [twice, ` ${file}`, file.replace('"version":1', '"version":1.0')]) {
    const [structure] = await verify(text, subtle);
    assert.deepEqual(
      [structure.name, structure.verdict],
      ["structure", "unknown"],
    );
  }
});

test("any input yields a structure check, never an exception", async () => {
  const file = JSON.parse(await seal(plain));
  const texts = ["", "{", "null", "1", "[]", "{}", "[".repeat(99) + "]".repeat(99)];
  for (const change of [{ key: "x" }, { signature: 5 }, { record: null }, { more: 1 }])
    texts.push(canonical({ ...file, ...change }));
  for (const text of texts) {
    const checks = await verify(text, subtle);
    assert.deepEqual(wrong(checks), ["structure"], text);
    assert.equal(checks.length, 1);
  }
});
