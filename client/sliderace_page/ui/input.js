// Keys, clicks, taps, swipes, drags and hover become slides. A direction is the way the
// tile moves.

import { OPPOSITE } from "../core/engine/board.js";
import { text } from "../core/texts.js";

/** @type {Record<string, Direction>} */
const ARROWS = { ArrowUp: "U", ArrowDown: "D", ArrowLeft: "L", ArrowRight: "R" };
/** @type {Record<string, Direction>} by the place of the key, on any layout */
const PLACES = { KeyW: "U", KeyS: "D", KeyA: "L", KeyD: "R" };
/** @type {Record<string, Direction>} */
const LETTERS = { k: "U", j: "D", h: "L", l: "R" };
/** @type {Record<Direction, string>} */
const SIGNS = { U: "\u2191", D: "\u2193", L: "\u2190", R: "\u2192" };
const SWIPE_CELLS = 0.4; // of a cell: anything shorter is a tap
const SWIPE_PX = 14; // but never less, as fingers are unsteady
const SWIPE_RATIO = 1.2; // least length of a swipe, relative to its width
const FIELD = "input, textarea, select, [contenteditable]";
const CONTROL = `${FIELD}, button, a, summary`;

/** Whether an element takes typed keys. @param {any} target */
export const isField = (target) => Boolean(target?.closest?.(FIELD));

/** @param {any} target */
const isControl = (target) => Boolean(target?.closest?.(CONTROL));

/**
 * The slide that a key stands for.
 * @param {KeyboardEvent} event
 * @param {{keys?: Record<string, string>, gap?: boolean}} [settings] keys: the player's
 *   own, by code, which come first; gap: keys mean the way the gap moves
 * @returns {Direction | null}
 */
export function directionOfKey(event, { keys = {}, gap = false } = {}) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return null;
  if (isField(event.target)) return null;
  const { key, code } = event;
  const own = /** @type {Record<string, Direction>} */ (keys)[code];
  const direction = own ?? ARROWS[key] ?? PLACES[code] ?? LETTERS[key.toLowerCase()];
  return direction ? (gap ? OPPOSITE[direction] : direction) : null;
}

/** What to call a key. @param {string} code as in `KeyboardEvent` */
export const keyName = (code) => code.replace(/^(Key|Digit)/, "");

/** The player's own keys, each after its arrow; "": none. @param {Record<string, Direction>} keys */
export const ownKeysText = (keys) =>
  Object.entries(keys)
    .map(([code, direction]) => `${SIGNS[direction]} ${keyName(code)}`)
    .join(", ");

/**
 * Say which keys slide, and what they move.
 * @param {{keys: Record<string, Direction>, gap: boolean}} settings as for
 *   `directionOfKey`
 */
export function keysText({ keys, gap }) {
  const own = ownKeysText(keys);
  const all = text(gap ? "slide_keys.gap" : "slide_keys.tile");
  return own ? `${all} ${text("slide_keys.own", { keys: own })}` : all;
}

/**
 * The slide that a movement of a finger stands for.
 * @param {number} dx @param {number} dy in px, down is positive
 * @param {number} cell side of a cell in px
 * @returns {Direction | null} null: too short, or the direction is not clear
 */
export function directionOfSwipe(dx, dy, cell) {
  const [across, down] = [Math.abs(dx), Math.abs(dy)];
  const [short, long] = [Math.min(across, down), Math.max(across, down)];
  if (long < Math.max(SWIPE_PX, SWIPE_CELLS * cell)) return null;
  if (long < SWIPE_RATIO * short) return null;
  if (across > down) return dx < 0 ? "L" : "R";
  return dy < 0 ? "U" : "D";
}

/**
 * The cell at a point of the board.
 * @param {number} x @param {number} y in px
 * @param {{left: number, top: number, width: number, height: number}} box in px
 * @param {{width: number, height: number}} size in cells
 * @returns {number} in reading order; -1 outside
 */
export function cellAt(x, y, box, size) {
  const column = Math.floor(((x - box.left) / box.width) * size.width);
  const row = Math.floor(((y - box.top) / box.height) * size.height);
  const inside = column >= 0 && row >= 0 && column < size.width && row < size.height;
  return inside ? row * size.width + column : -1;
}

/** One finger, or the mouse, from touch to lift. Pure. */
export class Gesture {
  /** @type {Direction | null} of the last swipe */
  #last = null;

  /**
   * @param {number} x @param {number} y where it begins
   * @param {Direction | null} [done] the slide that the press has made already: dragging
   *   the tile along must not make it again
   */
  constructor(x, y, done = null) {
    this.x = x;
    this.y = y;
    this.done = done;
    this.swiped = false;
  }

  /**
   * Return the slide that a movement makes, or null. One drag can be several swipes;
   * another one in the same direction takes a whole cell, so that a tile that is dragged
   * along moves once.
   * @param {number} x @param {number} y @param {number} cell side of a cell in px
   */
  move(x, y, cell) {
    const [dx, dy] = [x - this.x, y - this.y];
    const direction = directionOfSwipe(dx, dy, cell);
    const far = Math.max(Math.abs(dx), Math.abs(dy)) >= cell;
    if (!direction || (direction === this.#last && !far)) return null;
    const again = direction === this.done;
    Object.assign(this, { x, y, swiped: true, done: null });
    this.#last = direction;
    return again ? null : direction;
  }
}

/**
 * Listen to keys on the whole page.
 * @param {Document} document
 * @param {(direction: Direction) => boolean} slide false: the key has another meaning
 * @param {() => {keys?: Record<string, string>, gap?: boolean}} [settings] for
 *   `directionOfKey`
 * @returns {() => void} stops listening
 */
export function listenToKeys(document, slide, settings = () => ({})) {
  /** @param {KeyboardEvent} event */
  const press = (event) => {
    const direction = directionOfKey(event, settings());
    if (direction === null) return;
    // A held key makes one slide, and its repeats must not scroll the page.
    if (event.repeat || slide(direction)) event.preventDefault();
  };
  document.addEventListener("keydown", press);
  return () => document.removeEventListener("keydown", press);
}

/** @typedef {import("../core/input-kinds.js").Kind} Kind */

/** @param {PointerEvent} event @returns {Kind} */
const kindOf = ({ pointerType }) => (pointerType === "mouse" ? "click" : "touch");

/**
 * Listen to clicks, taps, swipes, drags and hover. A mouse acts when the button goes
 * down; a finger when it lifts, because until then it may become a swipe. Swipes count
 * anywhere on `ground`, the rest on the board.
 * @param {HTMLElement} ground
 * @param {HTMLElement} board
 * @param {() => {width: number, height: number} | null} getSize null: no board now
 * @param {object} act
 * @param {(cell: number, how: Kind) => Direction | null} act.cell return the slide, if one
 *   was made
 * @param {(direction: Direction, how: Kind) => void} act.swipe
 * @param {(cell: number) => void} act.over the mouse moves over another cell, with no
 *   button down
 */
export function listenToPointers(ground, board, getSize, act) {
  /** @type {Map<number, Gesture>} */
  const gestures = new Map();
  let under = -1;
  const at = (/** @type {PointerEvent} */ { clientX, clientY }) => {
    const size = getSize();
    return size ? cellAt(clientX, clientY, board.getBoundingClientRect(), size) : -1;
  };
  const press = (/** @type {PointerEvent} */ event) => {
    const cell = at(event);
    return cell < 0 ? null : act.cell(cell, kindOf(event));
  };
  ground.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || !getSize() || isControl(event.target)) return;
    const done = event.pointerType === "mouse" ? press(event) : null;
    gestures.set(event.pointerId, new Gesture(event.clientX, event.clientY, done));
    under = at(event);
  });
  ground.addEventListener("pointermove", (event) => {
    const size = getSize();
    if (!size) return;
    const gesture = gestures.get(event.pointerId);
    if (gesture) {
      const cell = board.clientWidth / size.width;
      const direction = gesture.move(event.clientX, event.clientY, cell);
      if (direction) act.swipe(direction, kindOf(event));
    } else if (event.pointerType === "mouse") {
      // A fast mouse crosses several cells between two frames; each of them counts.
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
  for (const type of /** @type {const} */ (["pointercancel", "pointerleave"]))
    ground.addEventListener(type, ({ pointerId }) => gestures.delete(pointerId));
}
