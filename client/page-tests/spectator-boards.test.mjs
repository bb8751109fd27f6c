// How the boards of others share the room there is.

import assert from "node:assert/strict";
import { test } from "node:test";

import "./setup.mjs";
import { arrangeBoards } from "../sliderace_page/ui/parts/spectator-boards.js";

const PHONE = { width: 366, height: 554 };
const DESK = { width: 1400, height: 650 };

test("boards are as large as the room lets them", () => {
  assert.equal(arrangeBoards(1, PHONE, 1).columns, 1);
  assert.equal(arrangeBoards(1, PHONE, 1).cell, 366);
  const { columns, cell } = arrangeBoards(16, DESK, 1);
  assert.ok(columns * cell + 16 * (columns - 1) <= DESK.width);
  assert.ok(cell >= 140, "they can be read");
});

test("two are seen beside each other, on a phone as well", () => {
  assert.deepEqual(arrangeBoards(2, PHONE, 1), { columns: 2, cell: 175 });
  assert.equal(arrangeBoards(2, DESK, 1).columns, 2);
});

test("where they would be too small to read, they are below each other", () => {
  assert.equal(arrangeBoards(2, { width: 250, height: 600 }, 1).columns, 1);
  assert.deepEqual(arrangeBoards(16, { width: 296, height: 300 }, 1), { columns: 2, cell: 140 });
});
