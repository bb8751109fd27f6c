// How the boards of others share the space.

import assert from "node:assert/strict";
import { test } from "node:test";

import "./setup.mjs";
import { arrangeBoards } from "../sliderace_page/ui/parts/spectator-boards.js";

const PHONE = { width: 366, height: 554 };
const DESK = { width: 1400, height: 650 };

test("boards are as large as the space allows", () => {
  assert.equal(arrangeBoards(1, PHONE, 1).columns, 1);
  assert.equal(arrangeBoards(1, PHONE, 1).cell, 366);
  const { columns, cell } = arrangeBoards(16, DESK, 1);
  assert.ok(columns * cell + 16 * (columns - 1) <= DESK.width);
  assert.ok(cell >= 140, "large enough to read");
});

test("two boards are side by side, even on a phone", () => {
  assert.deepEqual(arrangeBoards(2, PHONE, 1), { columns: 2, cell: 175 });
  assert.equal(arrangeBoards(2, DESK, 1).columns, 2);
});

test("boards too small to read are stacked instead", () => {
  assert.equal(arrangeBoards(2, { width: 250, height: 600 }, 1).columns, 1);
  assert.deepEqual(arrangeBoards(16, { width: 296, height: 300 }, 1), { columns: 2, cell: 140 });
});
