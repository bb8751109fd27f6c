import assert from "node:assert/strict";
import test from "node:test";

import "./setup.mjs";
import * as input from "../sliderace_page/ui/input.js";
import { ignoreHeldKeys } from "../sliderace_page/ui/dom.js";

const key = (change) => ({ key: "", code: "", target: null, ...change });

test("a key means the way the tile moves", () => {
  const cases = [
    [{ key: "ArrowUp" }, "U"],
    [{ key: "ArrowDown" }, "D"],
    [{ key: "ArrowLeft" }, "L"],
    [{ key: "ArrowRight" }, "R"],
    [{ key: "w", code: "KeyW" }, "U"],
    [{ key: "z", code: "KeyW" }, "U"], // AZERTY: the same place
    [{ key: "\u0444", code: "KeyA" }, "L"], // Cyrillic
    [{ key: "S", code: "KeyS" }, "D"],
    [{ key: "h", code: "KeyJ" }, "L"], // Dvorak: the letter
    [{ key: "j", code: "KeyC" }, "D"],
    [{ key: "k", code: "KeyV" }, "U"],
    [{ key: "L", code: "KeyP" }, "R"],
    [{ key: "Enter", code: "Enter" }, null],
    [{ key: "Unidentified" }, null],
  ];
  for (const [event, direction] of cases) {
    assert.equal(input.directionOfKey(key(event)), direction, JSON.stringify(event));
  }
});

test("the keys that slide are said as the settings are", () => {
  const all = "Arrow keys, W A S D or h j k l";
  assert.equal(
    input.keysText({ keys: {}, gap: false }),
    `${all} slide a tile that way.`,
  );
  assert.equal(
    input.keysText({ keys: { KeyE: "U", Digit4: "L", Space: "R" }, gap: true }),
    `${all} move the gap that way. Your own keys: \u2191 E, \u2190 4, \u2192 Space.`,
  );
});

test("keys with a modifier, of an input method or in a field are ignored", () => {
  const field = { closest: (selector) => (selector.includes("input") ? {} : null) };
  for (const change of [
    { ctrlKey: true },
    { metaKey: true },
    { altKey: true },
    { isComposing: true },
    { target: field },
  ]) {
    assert.equal(input.directionOfKey(key({ key: "ArrowUp", ...change })), null);
  }
});

test("a point on the board belongs to a cell", () => {
  const box = { left: 10, top: 20, width: 300, height: 200 };
  const size = { width: 3, height: 2 };
  assert.equal(input.cellAt(10, 20, box, size), 0);
  assert.equal(input.cellAt(309, 219, box, size), 5);
  assert.equal(input.cellAt(111, 121, box, size), 4);
  for (const [x, y] of [
    [9, 20],
    [310, 20],
    [10, 19],
    [10, 220],
  ]) {
    assert.equal(input.cellAt(x, y, box, size), -1);
  }
});

test("a swipe must be long enough and have a clear direction", () => {
  assert.equal(input.directionOfSwipe(40, 5, 80), "R");
  assert.equal(input.directionOfSwipe(-40, 5, 80), "L");
  assert.equal(input.directionOfSwipe(5, 40, 80), "D");
  assert.equal(input.directionOfSwipe(5, -40, 80), "U");
  assert.equal(input.directionOfSwipe(31, 0, 80), null, "a trembling tap");
  assert.equal(input.directionOfSwipe(40, 38, 80), null, "across");
  assert.equal(input.directionOfSwipe(13, 0, 20), null, "small cells: still 14 px");
});

test("one drag can be several swipes", () => {
  const gesture = new input.Gesture(0, 0);
  assert.equal(gesture.move(10, 0, 50), null);
  assert.equal(gesture.swiped, false);
  assert.equal(gesture.move(25, 0, 50), "R");
  assert.equal(gesture.swiped, true);
  assert.equal(gesture.move(30, 5, 50), null);
  assert.equal(gesture.move(26, 30, 50), "D");
});

// --- Listeners, on minimal elements --------------------------------------------------

class Target {
  handlers = {};
  addEventListener(type, work) {
    (this.handlers[type] ??= []).push(work);
  }
  fire(type, event) {
    const full = {
      prevented: false,
      preventDefault() {
        this.prevented = true;
      },
      ...event,
    };
    for (const work of this.handlers[type] ?? []) work(full);
    return full;
  }
}

test("a held key is one slide, and never scrolls the page", () => {
  const page = new Target();
  const slides = [];
  input.listenToKeys(page, (direction) => slides.push(direction) > 0);
  const press = (repeat) => page.fire("keydown", key({ key: "ArrowDown", repeat }));
  assert.equal(press(false).prevented, true);
  assert.equal(press(true).prevented, true);
  assert.deepEqual(slides, ["D"]);
});

test("without a race the browser handles arrow keys", () => {
  const page = new Target();
  input.listenToKeys(page, () => false);
  assert.equal(page.fire("keydown", key({ key: "ArrowDown" })).prevented, false);
});

test("a held Enter presses a button once", () => {
  const page = new Target();
  ignoreHeldKeys(page);
  const button = { closest: (selector) => (selector === "button" ? {} : null) };
  const press = (repeat) =>
    page.fire("keydown", key({ key: "Enter", repeat, target: button })).prevented;
  assert.equal(press(false), false);
  assert.equal(press(true), true);
});

class Surface extends Target {
  clientWidth = 300;
  getBoundingClientRect = () => ({ left: 0, top: 0, width: 300, height: 300 });
}

function board() {
  const surface = new Surface();
  const acts = [];
  let size = { width: 3, height: 3 };
  let done = null; // the slide that a press makes
  input.listenToPointers(surface, surface, () => size, {
    cell: (cell) => {
      acts.push(cell);
      return done;
    },
    swipe: (direction) => acts.push(direction),
    over: (cell) => acts.push(`over ${cell}`),
  });
  const at = (type, clientX, clientY, more = {}) =>
    surface.fire(type, {
      clientX,
      clientY,
      button: 0,
      pointerId: 1,
      pointerType: "touch",
      ...more,
    });
  return { at, acts, noRace: () => (size = null), slides: (way) => (done = way) };
}

test("a mouse acts on its first button's press", () => {
  const { at, acts } = board();
  at("pointerdown", 150, 150, { pointerType: "mouse" });
  at("pointerup", 150, 150, { pointerType: "mouse" });
  at("pointerdown", 10, 10, { pointerType: "mouse", button: 2 });
  assert.deepEqual(acts, [4]);
});

test("a tap slides its tile, and a swipe is not also a tap", () => {
  const { at, acts } = board();
  at("pointerdown", 150, 150);
  assert.deepEqual(acts, []);
  at("pointermove", 155, 152);
  at("pointerup", 155, 152);
  assert.deepEqual(acts, [4]);
  at("pointerdown", 150, 150);
  at("pointermove", 100, 150);
  at("pointerup", 100, 150);
  assert.deepEqual(acts, [4, "L"]);
});

test("two fingers act independently, and a cancelled touch does nothing", () => {
  const { at, acts } = board();
  at("pointerdown", 50, 50);
  at("pointerdown", 250, 250, { pointerId: 2 });
  at("pointerup", 250, 250, { pointerId: 2 });
  at("pointercancel", 50, 50);
  at("pointerup", 50, 50);
  assert.deepEqual(acts, [8]);
});

test("without a race pointers do nothing", () => {
  const { at, acts, noRace } = board();
  noRace();
  at("pointerdown", 50, 50);
  at("pointermove", 150, 50);
  at("pointerup", 150, 50);
  at("pointerdown", 50, 50, { pointerType: "mouse" });
  assert.deepEqual(acts, []);
});

test("dragging a pressed tile slides it once", () => {
  const { at, acts, slides } = board();
  const mouse = { pointerType: "mouse" };
  slides("R");
  at("pointerdown", 150, 150, mouse);
  at("pointermove", 195, 150, mouse);
  at("pointermove", 250, 150, mouse);
  assert.deepEqual(acts, [4], "a cell's way, and the tile has gone it");
  at("pointermove", 250, 60, mouse);
  at("pointerup", 250, 60, mouse);
  assert.deepEqual(acts, [4, "U"]);
});

test("hover slides each cell that the mouse crosses", () => {
  const { at, acts } = board();
  const points = [
    { clientX: 50, clientY: 50 },
    { clientX: 150, clientY: 50 },
    { clientX: 150, clientY: 60 },
    { clientX: 150, clientY: 150 },
    { clientX: 150, clientY: 350 },
  ];
  at("pointermove", 150, 350, {
    pointerType: "mouse",
    getCoalescedEvents: () => points,
  });
  assert.deepEqual(acts, ["over 0", "over 1", "over 4"]);
  at("pointermove", 50, 50, { pointerType: "touch" });
  assert.equal(acts.length, 3, "a finger does not hover");
});

test("own keys have priority, and keys may mean the gap", () => {
  const settings = { keys: { KeyI: "U", KeyD: "L" }, gap: false };
  const directionOf = (change, all = settings) => input.directionOfKey(key(change), all);
  assert.equal(directionOf({ key: "i", code: "KeyI" }), "U");
  assert.equal(directionOf({ key: "d", code: "KeyD" }), "L");
  assert.equal(directionOf({ key: "w", code: "KeyW" }), "U");
  assert.equal(directionOf({ key: "ArrowUp" }, { gap: true }), "D");
  assert.equal(directionOf({ key: "i", code: "KeyI" }, { ...settings, gap: true }), "D");
});
