import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import test from "node:test";

import "./setup.mjs";
import { sha256 } from "../sliderace_page/core/engine/sha256.js";

const hex = (bytes) => Buffer.from(bytes).toString("hex");
const trusted = (bytes) => createHash("sha256").update(bytes).digest("hex");

test("the examples of FIPS 180-4 are reproduced", () => {
  const cases = {
    "": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    abc: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq:
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
  };
  for (const [text, digest] of Object.entries(cases)) {
    assert.equal(hex(sha256(new TextEncoder().encode(text))), digest);
  }
});

test("lengths around the block size agree with another implementation", () => {
  for (let length = 0; length <= 260; length += 1) {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * 7 + length) % 256);
    assert.equal(hex(sha256(bytes)), trusted(bytes), `length ${length}`);
  }
});

test("a message of a million bytes is hashed and not changed", () => {
  const bytes = new Uint8Array(1_000_000).fill(0x61);
  assert.equal(
    hex(sha256(bytes)),
    "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
  );
  assert.ok(bytes.every((byte) => byte === 0x61));
});

test("a message with all bits set is hashed", () => {
  const bytes = new Uint8Array(200).fill(0xff);
  assert.equal(hex(sha256(bytes)), trusted(bytes));
});
