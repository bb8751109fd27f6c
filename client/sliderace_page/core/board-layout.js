// Where boards stand so that they fill an area. Pure; all lengths are px.

/** @typedef {{width: number, height: number}} Area */
/** @typedef {{x: number, y: number, cell: number}} Spot cell: the board's width */

const GAP = 10;
export const HEAD = 26; // the line with the name above each board
const BIG = 1.6; // the large board is at least this many times as wide as the others
const STEP = 4; // between the widths tried for it
const LEAST = 80; // narrower, nothing is large

/**
 * Choose the columns that make boards largest.
 * @param {number} many boards
 * @param {Area} area
 * @param {number} shape width of a board divided by its height
 * @param {number} [head] height of what stands above each board
 * @param {number} [gap] between boards
 * @returns {{columns: number, rows: number, cell: number}}
 */
export function arrangeBoards(many, { width, height }, shape, head = HEAD, gap = GAP) {
  let best = { columns: 1, rows: many, cell: 0 };
  for (let columns = 1; columns <= Math.max(1, many); columns += 1) {
    const rows = Math.ceil(many / columns);
    const across = (width - gap * (columns - 1)) / columns;
    const down = (height - gap * (rows - 1)) / rows - head;
    const cell = Math.floor(Math.min(across, down * shape));
    const fewer = columns * rows < best.columns * best.rows; // holes
    if (cell > best.cell || (cell === best.cell && fewer)) best = { columns, rows, cell };
  }
  return best;
}

/**
 * Arrange boards on a page that scrolls where they would be narrower than `least`: then
 * they fill the width, but none is higher than the screen.
 * @param {number} many @param {Area} area
 * @param {number} screen height in which one board must fit
 * @param {number} shape @param {number} least px
 * @param {number} head @param {number} gap
 */
export function arrangeOnPage(many, area, screen, shape, least, head, gap) {
  const fitting = arrangeBoards(many, area, shape, head, gap);
  if (fitting.cell >= least) return fitting;
  const most = Math.floor((area.width + gap) / (least + gap));
  const columns = Math.max(1, Math.min(many, most));
  const across = (area.width - gap * (columns - 1)) / columns;
  const cell = Math.floor(Math.min(across, Math.max(least, (screen - head) * shape)));
  return { columns, rows: Math.ceil(many / columns), cell };
}

/**
 * Place boards in rows, all of them centred.
 * @param {number} many @param {Area} area @param {number} shape
 * @param {{x: number, y: number}} [corner] of the area
 * @returns {Spot[]}
 */
export function placeBoards(many, area, shape, { x, y } = { x: 0, y: 0 }) {
  const { columns, rows, cell } = arrangeBoards(many, area, shape);
  const tall = Math.floor(cell / shape) + HEAD;
  const top = y + Math.floor((area.height - rows * (tall + GAP) + GAP) / 2);
  return Array.from({ length: many }, (_, i) => {
    const row = Math.floor(i / columns);
    const inRow = Math.min(columns, many - row * columns);
    const left = x + Math.floor((area.width - inRow * (cell + GAP) + GAP) / 2);
    const column = i % columns;
    return { x: left + column * (cell + GAP), y: top + row * (tall + GAP), cell };
  });
}

/**
 * Place one large board, and the others beside or below it, so that all together are as
 * large as possible.
 * @param {number} many boards @param {Area} area @param {number} shape
 * @returns {Spot[]} the large one first
 */
export function placeWithLarge(many, area, shape) {
  const { width, height } = area;
  const widest = Math.floor(Math.min(width, (height - HEAD) * shape));
  const beside = width >= height;
  /** The area left for the others. @param {number} big */
  const rest = (big) => {
    const tall = Math.floor(big / shape) + HEAD;
    if (beside) return { x: big + GAP, y: 0, width: width - big - GAP, height };
    return { x: 0, y: tall + GAP, width, height: height - tall - GAP };
  };
  let best = { big: widest, score: 0 };
  for (let big = many > 1 ? widest : 0; big >= LEAST; big -= STEP) {
    const { cell } = arrangeBoards(many - 1, rest(big), shape);
    const score = big ** 2 + (many - 1) * cell ** 2;
    if (cell > 0 && big >= BIG * cell && score > best.score) best = { big, score };
  }
  const { big, score } = best;
  const y = beside || !score ? Math.floor((height - big / shape - HEAD) / 2) : 0;
  const x = beside && score ? 0 : Math.floor((width - big) / 2);
  const first = { x, y, cell: big };
  if (!score) return [first, ...Array.from({ length: many - 1 }, () => ({ x, y, cell: 0 }))];
  const { x: left, y: top, ...others } = rest(big);
  return [first, ...placeBoards(many - 1, others, shape, { x: left, y: top })];
}
