import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { inflateSync } from "node:zlib";
import test from "node:test";

import "./setup.mjs";
import { linkTo, solveOf, stored } from "../sliderace_page/core/proof/slidysim.js";

const VECTORS = new URL("../../shared/vectors/slidysim-v1.json", import.meta.url);
const { solves } = JSON.parse(readFileSync(VECTORS, "utf8"));
const solved = ({ board, slides, solve_ms }) =>
  solveOf(board, { slides, finish: { solve_ms } });
const opened = (link) => {
  const url = new URL(link);
  assert.equal(url.origin + url.pathname, "https://slidysim.github.io/replay");
  const packed = Buffer.from(url.searchParams.get("r"), "base64");
  return inflateSync(packed).toString();
};

test("golden solves are converted", () => {
  assert.ok(solves.length > 5);
  for (const one of solves) assert.equal(JSON.stringify(solved(one)), one.text, one.why);
});

test("a link contains the solve, with or without compression", async () => {
  for (const one of solves) {
    assert.equal(opened(await linkTo(solved(one))), one.text);
    assert.equal(opened(await linkTo(solved(one), null)), one.text);
  }
});

test("uncompressed data may be longer than a block", () => {
  for (const length of [0, 1, 65534, 65535, 65536, 131070, 200001]) {
    const bytes = Uint8Array.from({ length }, (_, n) => (n * 7919) & 255);
    assert.deepEqual(new Uint8Array(inflateSync(stored(bytes))), bytes, length);
  }
});
