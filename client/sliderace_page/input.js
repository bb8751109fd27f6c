// Keys, clicks, taps and swipes become slides. A direction is the way the tile travels.

const ARROWS = { ArrowUp: "U", ArrowDown: "D", ArrowLeft: "L", ArrowRight: "R" };
const PLACES = { KeyW: "U", KeyS: "D", KeyA: "L", KeyD: "R" }; // on any layout
const LETTERS = { k: "U", j: "D", h: "L", l: "R" };
const SWIPE_CELLS = 0.4; // of a cell: shorter is a tap
const SWIPE_PX = 14; // but never less: fingers tremble

/** Whether keys belong to what has the focus. @param {Element | null} target */
export const isField = (target) =>
  Boolean(target?.closest?.("input, textarea, select, [contenteditable]"));

/**
 * The slide a key asks for.
 * @param {KeyboardEvent} event
 * @returns {"U" | "D" | "L" | "R" | null}
 */
export function directionOfKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return null;
  if (isField(event.target)) return null;
  const { key, code } = event;
  return ARROWS[key] ?? PLACES[code] ?? LETTERS[key.toLowerCase()] ?? null;
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

/** One finger (or the mouse) on the board, from touch to lift. Pure. */
export class Gesture {
  /** @param {number} x @param {number} y where it began */
  constructor(x, y) {
    Object.assign(this, { x, y, swiped: false });
  }

  /** The finger moved: a slide, or null. One drag may be several swipes. */
  move(x, y, cell) {
    const direction = directionOfSwipe(x - this.x, y - this.y, cell);
    if (direction) Object.assign(this, { x, y, swiped: true });
    return direction;
  }
}

/**
 * Listen to keys on the whole page.
 * @param {Document} document
 * @param {(direction: string) => boolean} slide false: the key meant nothing to us
 */
export function listenToKeys(document, slide) {
  document.addEventListener("keydown", (event) => {
    const direction = directionOfKey(event);
    if (direction === null) return;
    // A held key is one slide; it must not scroll the page either.
    if (event.repeat || slide(direction)) event.preventDefault();
  });
  // A held Enter would press a button again and again.
  document.addEventListener("keydown", (event) => {
    const presses = event.key === "Enter" || event.key === " ";
    if (event.repeat && presses && event.target.closest?.("button"))
      event.preventDefault();
  });
}

/**
 * Listen to clicks, taps and swipes on one's own board. A mouse acts when it goes
 * down; a finger when it lifts, because it may still become a swipe.
 * @param {HTMLElement} element
 * @param {() => {width: number, height: number} | null} size of the board now
 * @param {{cell: (cell: number) => void, swipe: (direction: string) => void}} act
 */
export function listenToPointers(element, size, act) {
  const gestures = new Map();
  const press = ({ clientX, clientY }) => {
    const cell = size()
      ? cellAt(clientX, clientY, element.getBoundingClientRect(), size())
      : -1;
    if (cell >= 0) act.cell(cell);
  };
  element.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    if (event.pointerType === "mouse") press(event);
    else gestures.set(event.pointerId, new Gesture(event.clientX, event.clientY));
  });
  element.addEventListener("pointermove", (event) => {
    const gesture = gestures.get(event.pointerId);
    if (!gesture || !size()) return;
    const cell = element.clientWidth / size().width;
    const direction = gesture.move(event.clientX, event.clientY, cell);
    if (direction) act.swipe(direction);
  });
  element.addEventListener("pointerup", (event) => {
    const gesture = gestures.get(event.pointerId);
    gestures.delete(event.pointerId);
    if (gesture && !gesture.swiped) press(event);
  });
  element.addEventListener("pointercancel", (event) =>
    gestures.delete(event.pointerId),
  );
}
