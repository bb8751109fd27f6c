import assert from "node:assert/strict";
import test from "node:test";

import "./setup.mjs";
import { NotCanonical, canonical } from "../sliderace_page/core/proof/signed.js";

test("every value has one canonical form", () => {
  const cases = [
    [{ b: [1, -0, true, null], a: "\u20ac\n\u001b\u007f" }, '{"a":"€\\n\\u001b\x7f","b":[1,0,true,null]}'],
    [{ "\ue000": 1, "\u{1f600}": 2 }, '{"\u{1f600}":2,"\ue000":1}'],
    [{ 10: 1, 9: 2 }, '{"10":1,"9":2}'],
    [{ "": {}, " ": [] }, '{"":{}," ":[]}'],
  ];
  for (const [value, text] of cases) assert.equal(canonical(value), text);
});

test("values without a canonical form are refused", () => {
  const deep = JSON.parse("[".repeat(17) + "]".repeat(17));
  for (const value of [1.5, 2 ** 53, NaN, "\ud800", { "\udc00": 1 }, undefined, deep])
    assert.throws(() => canonical(value), NotCanonical);
});
