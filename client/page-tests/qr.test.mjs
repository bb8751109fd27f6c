import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import test from "node:test";

import { encode } from "../sliderace_page/vendor/uqr/index.js";

const draw = (text, maskPattern) =>
  encode(text, { ecc: "M", border: 0, maskPattern })
    .data.map((row) => row.map(Number).join(""))
    .join("\n");
const hash = (text) => createHash("sha256").update(text).digest("hex").slice(0, 16);
const filled = (bytes) => "https://race.example.org/KWXTRB".repeat(9).slice(0, bytes);

// Matrices of another implementation (segno), for texts that fill each version; there
// padding, in which encoders may differ, does not occur. Length -> hash for each mask.
const GOLDEN = {
  14: [
    "631eeb7c1db54c91",
    "0504d2e7e75e22e8",
    "6c98324775493c06",
    "cd3dde528733151e",
    "a587e8937b2f3ca7",
    "45623b478ea04192",
    "3abea1ff680e72f6",
    "e74538da087bfc81",
  ],
  26: [
    "e0c6c7ed8a014883",
    "589b7fe4a0519185",
    "332310d975c5244d",
    "9aa9b4aed2759282",
    "a885fdbc5dc4fc8c",
    "26195968e02636f6",
    "b967bfd2da053491",
    "e3f617814ebd2f43",
  ],
  42: [
    "1f73fbcd538fb165",
    "518c9cd962130635",
    "03e5e0de9b510283",
    "ff4a9a2429d78055",
    "a14d522225af801d",
    "bdcf92945c39cc9e",
    "c73c1f2bdb6e335a",
    "30c1a0087f94e960",
  ],
  62: [
    "8388c40241bfa636",
    "63ea18854f0db987",
    "6e6d81884503f733",
    "78a4f6926fd7b96d",
    "e287f4e196d410d4",
    "c952222533c1a481",
    "588340576fb9fb21",
    "c709d382c51e411e",
  ],
  84: [
    "22a9ffca7cb02e72",
    "3904e8aa190c0b17",
    "b55ed6f7c5fb3637",
    "ebea10c086d8ff8a",
    "ed297e0df8d4c834",
    "e965c8f34209277d",
    "686abfa7e43570ac",
    "2eb1d4e386df0110",
  ],
  106: [
    "1fb52558eb199c5d",
    "27f1d760969b5909",
    "7ca353153bae332d",
    "e8d4e4c6e3428f4f",
    "cd8929a869a813e8",
    "6e873afc843dfc29",
    "4a2301d4adc4853c",
    "a6dd6dc61b4bab5d",
  ],
};

test("each version with each mask matches another encoder's drawing", () => {
  for (const [bytes, hashes] of Object.entries(GOLDEN)) {
    hashes.forEach((wanted, mask) => {
      assert.equal(
        hash(draw(filled(Number(bytes)), mask)),
        wanted,
        `${bytes} bytes, mask ${mask}`,
      );
    });
  }
});

test("the smallest version that holds the text is chosen, with one of its masks", () => {
  for (const [text, side] of [
    ["a", 21],
    [filled(15), 25],
    [filled(27), 29],
    [filled(106), 41],
  ]) {
    const drawn = draw(text);
    assert.equal(drawn.indexOf("\n"), side);
    assert.ok([0, 1, 2, 3, 4, 5, 6, 7].some((mask) => draw(text, mask) === drawn));
  }
});

test("a link longer than any of ours still has a QR code", () => {
  assert.equal(draw(filled(107)).indexOf("\n"), 45);
});
