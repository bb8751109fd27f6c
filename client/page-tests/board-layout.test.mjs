// How the boards of others share the space.

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  HEAD,
  arrangeBoards,
  arrangeOnPage,
  placeBoards,
  placeWithLarge,
} from "../sliderace_page/core/board-layout.js";

const PHONE = { width: 366, height: 738 };
const DESK = { width: 1416, height: 794 }; // 1440x900 without the head
const AREAS = [PHONE, DESK, { width: 820, height: 336 }, { width: 336, height: 534 }];
const SHAPES = [1, 3 / 5, 6 / 4];
const COUNTS = Array.from({ length: 16 }, (_, i) => i + 1);

const cases = (least) =>
  AREAS.flatMap((area) =>
    SHAPES.flatMap((shape) => COUNTS.filter((many) => many >= least).map((many) => [many, area, shape])),
  );

/** No board leaves the area or covers another one. */
function assertFits(spots, { width, height }, shape, about) {
  const boxes = spots.map(({ x, y, cell }) => [x, y, x + cell, y + HEAD + cell / shape]);
  boxes.forEach(([left, top, right, bottom], i) => {
    assert.ok(left >= 0 && top >= 0 && right <= width && bottom <= height + 1, about);
    for (const [l, t, r, b] of boxes.slice(i + 1))
      assert.ok(right <= l || r <= left || bottom <= t || b <= top, `${about}: apart`);
  });
}

test("all boards fit the area, whatever their number and shape", () => {
  for (const [many, area, shape] of cases(1)) {
    const spots = placeBoards(many, area, shape);
    assert.equal(spots.length, many);
    assertFits(spots, area, shape, `${many} ${shape} in ${area.width}x${area.height}`);
  }
});

test("a large board is at least 1.6 times as wide as the others, and all fit", () => {
  for (const [many, area, shape] of cases(2)) {
    const [first, ...others] = placeWithLarge(many, area, shape).filter(({ cell }) => cell);
    for (const { cell } of others) assert.ok(first.cell >= 1.6 * cell);
    assertFits([first, ...others], area, shape, `${many} ${shape} in ${area.width}`);
    if (many === 6 && shape === 1) assert.equal(others.length, 5, "nobody is missing");
  }
});

test("boards take the most of the screen", () => {
  const share = (spots) =>
    spots.reduce((sum, { cell }) => sum + cell ** 2, 0) / (1440 * 900);
  for (const many of [6, 16]) {
    assert.ok(share(placeBoards(many, DESK, 1)) >= 0.6, `${many} boards`);
    assert.ok(share(placeWithLarge(many, DESK, 1)) >= 0.6, `one of ${many} large`);
  }
});

test("no other number of columns gives larger boards", () => {
  for (const [many, area, shape] of cases(1)) {
    const { cell } = arrangeBoards(many, area, shape);
    for (let columns = 1; columns <= many; columns += 1) {
      const rows = Math.ceil(many / columns);
      const wide = (area.width - 10 * (columns - 1)) / columns;
      const high = ((area.height - 10 * (rows - 1)) / rows - HEAD) * shape;
      assert.ok(cell >= Math.floor(Math.min(wide, high)));
    }
  }
});

test("one board is centred", () => {
  const [{ x, cell }] = placeWithLarge(1, DESK, 1);
  assert.ok(Math.abs(2 * x + cell - DESK.width) <= 1);
});

test("boards of a page that scrolls fill its width, and each fits the screen", () => {
  const arrange = (many, width, height) =>
    arrangeOnPage(many, { width, height: height - 290 }, height, 1, 120, 54, 16);
  assert.deepEqual(arrange(6, 366, 844), { columns: 2, rows: 3, cell: 120 }, "all fit");
  assert.deepEqual(arrange(16, 366, 844), { columns: 2, rows: 8, cell: 175 });
  assert.deepEqual(arrange(16, 336, 640), { columns: 2, rows: 8, cell: 160 });
  assert.deepEqual(arrange(2, 820, 390), { columns: 2, rows: 1, cell: 336 }, "one at a time");
  assert.deepEqual(arrange(3, 100, 200), { columns: 1, rows: 3, cell: 100 });
});
