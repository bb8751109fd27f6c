// Keys, clicks, taps, swipes, drags and hover become slides. A direction is the way the
// tile travels.

import { OPPOSITE } from "../core/engine/board.js";

const ARROWS = { ArrowUp: "U", ArrowDown: "D", ArrowLeft: "L", ArrowRight: "R" };
const PLACES = { KeyW: "U", KeyS: "D", KeyA: "L", KeyD: "R" }; // on any layout
const LETTERS = { k: "U", j: "D", h: "L", l: "R" };
const SWIPE_CELLS = 0.4; // of a cell: shorter is a tap
const SWIPE_PX = 14; // but never less: fingers tremble
const NOT_OURS = "input, textarea, select, button, a, summary, [contenteditable]";

/** Whether keys belong to what has the focus. @param {any} target */
export const isField = (target) =>
  Boolean(target?.closest?.("input, textarea, select, [contenteditable]"));

/** @param {any} target */
const isControl = (target) => Boolean(target?.closest?.(NOT_OURS));

/**
 * The slide a key asks for.
 * @param {KeyboardEvent} event
 * @param {{keys?: Record<string, string>, gap?: boolean}} [wishes] own keys by their
 *   code, which win; gap: keys mean the way the gap travels
 * @returns {"U" | "D" | "L" | "R" | null}
 */
export function directionOfKey(event, { keys = {}, gap = false } = {}) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return null;
  if (isField(event.target)) return null;
  const { key, code } = event;
  const way =
    keys[code] ?? ARROWS[key] ?? PLACES[code] ?? LETTERS[key.toLowerCase()] ?? null;
  return way && gap ? OPPOSITE[way] : way;
}

/**
 * The slide a movement of the finger asks for.
 * @param {number} dx @param {number} dy in px, down is positive
 * @param {number} cell side of a cell in px
 * @returns {"U" | "D" | "L" | "R" | null} null: not far enough, or not clear which way
 */
export function directionOfSwipe(dx, dy, cell) {
  const [across, down] = [Math.abs(dx), Math.abs(dy)];
  if (Math.max(across, down) < Math.max(SWIPE_PX, SWIPE_CELLS * cell)) return null;
  if (Math.max(across, down) < 1.2 * Math.min(across, down)) return null;
  if (across > down) return dx < 0 ? "L" : "R";
  return dy < 0 ? "U" : "D";
}

/**
 * The cell at a point of the board.
 * @param {{left: number, top: number, width: number, height: number}} box
 * @param {{width: number, height: number}} size
 * @returns {number} in reading order; -1 outside
 */
export function cellAt(x, y, box, size) {
  const column = Math.floor(((x - box.left) / box.width) * size.width);
  const row = Math.floor(((y - box.top) / box.height) * size.height);
  const inside = column >= 0 && row >= 0 && column < size.width && row < size.height;
  return inside ? row * size.width + column : -1;
}

/** One finger (or the mouse) on the screen, from touch to lift. Pure. */
export class Gesture {
  /**
   * @param {number} x @param {number} y where it began
   * @param {string | null} [done] the slide its press has made: dragging the tile along
   *   does not ask for it again
   */
  constructor(x, y, done = null) {
    this.x = x;
    this.y = y;
    this.done = done;
    this.swiped = false;
    this.last = null;
  }

  /**
   * The finger moved: a slide, or null. One drag may be several swipes; the same way
   * again takes a whole cell, so that a tile dragged along moves once.
   */
  move(x, y, cell) {
    const [dx, dy] = [x - this.x, y - this.y];
    const direction = directionOfSwipe(dx, dy, cell);
    const far = Math.max(Math.abs(dx), Math.abs(dy)) >= cell;
    if (!direction || (direction === this.last && !far)) return null;
    const again = direction === this.done;
    Object.assign(this, { x, y, swiped: true, done: null, last: direction });
    return again ? null : direction;
  }
}

/**
 * Listen to keys on the whole page.
 * @param {Document} document
 * @param {(direction: string) => boolean} slide false: the key meant nothing to us
 * @param {() => object} [wishes] for `directionOfKey`
 * @returns {() => void} stop listening
 */
export function listenToKeys(document, slide, wishes = () => ({})) {
  const press = (event) => {
    const direction = directionOfKey(event, wishes());
    if (direction === null) return;
    // A held key is one slide; it must not scroll the page either.
    if (event.repeat || slide(direction)) event.preventDefault();
  };
  document.addEventListener("keydown", press);
  return () => document.removeEventListener("keydown", press);
}

/**
 * Listen to clicks, taps, swipes, drags and hover. A mouse acts when it goes down; a
 * finger when it lifts, because it may still become a swipe. Swipes count anywhere on
 * `ground`, the rest on the board.
 * @param {HTMLElement} ground
 * @param {HTMLElement} board
 * @param {() => {width: number, height: number} | null} size of the board now
 * @param {object} act
 * @param {(cell: number) => string | null} act.cell the slide it made, if any
 * @param {(direction: string) => void} act.swipe
 * @param {(cell: number) => void} act.over the mouse came over a cell, none of its
 *   buttons is down
 */
export function listenToPointers(ground, board, size, act) {
  const gestures = new Map();
  let under = -1;
  const at = ({ clientX, clientY }) =>
    size() ? cellAt(clientX, clientY, board.getBoundingClientRect(), size()) : -1;
  const press = (event) => {
    const cell = at(event);
    return cell < 0 ? null : act.cell(cell);
  };
  ground.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || !size() || isControl(event.target)) return;
    const done = event.pointerType === "mouse" ? press(event) : null;
    gestures.set(event.pointerId, new Gesture(event.clientX, event.clientY, done));
    under = at(event);
  });
  ground.addEventListener("pointermove", (event) => {
    if (!size()) return;
    const gesture = gestures.get(event.pointerId);
    if (gesture) {
      const cell = board.clientWidth / size().width;
      const direction = gesture.move(event.clientX, event.clientY, cell);
      if (direction) act.swipe(direction);
    } else if (event.pointerType === "mouse") {
      // Between two frames a fast hand crosses several cells: each of them counts.
      const points = event.getCoalescedEvents?.() ?? [];
      for (const point of points.length ? points : [event]) {
        const cell = at(point);
        if (cell !== under && cell >= 0) act.over(cell);
        under = cell;
      }
    }
  });
  ground.addEventListener("pointerup", (event) => {
    const gesture = gestures.get(event.pointerId);
    gestures.delete(event.pointerId);
    const tapped = gesture && !gesture.swiped && event.pointerType !== "mouse";
    if (tapped) press(event);
  });
  for (const end of ["pointercancel", "pointerleave"])
    ground.addEventListener(end, (/** @type {any} */ { pointerId }) =>
      gestures.delete(pointerId),
    );
}
