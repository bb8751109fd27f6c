// QR codes (ISO/IEC 18004): bytes, error correction M, versions 1 to 6. Pure. These
// sizes need no version information and have at most one alignment pattern; they hold 106 bytes,
// and a room's link is about 40.

/** Version -> [error correction bytes of a block, blocks, data bytes of a block] */
const SHAPES = [
  null,
  [10, 1, 16],
  [16, 1, 28],
  [26, 1, 44],
  [18, 2, 32],
  [24, 2, 43],
  [16, 4, 27],
];

const MASKS = [
  (x, y) => (x + y) % 2 === 0,
  (x, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(y / 2) + Math.floor(x / 3)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

/**
 * The dark modules of a text's QR code, without the quiet zone.
 * @param {string} text at most 106 bytes of UTF-8
 * @param {number} [mask] 0 ... 7; by default the one that is easiest to scan
 * @returns {boolean[][]} rows
 * @throws {RangeError} the text is too long
 */
export function qr(text, mask) {
  const bytes = new TextEncoder().encode(text);
  const version = SHAPES.findIndex(
    (s) => s !== null && bytes.length + 2 <= s[1] * s[2],
  );
  if (version < 0) throw new RangeError("too long for a QR code");
  const bits = spread(codewords(bytes, version));
  if (mask !== undefined) return draw(version, bits, mask);
  const all = MASKS.map((_, number) => draw(version, bits, number));
  const costs = all.map(penalty);
  return all[costs.indexOf(Math.min(...costs))];
}

const spread = (bytes) =>
  bytes.flatMap((byte) => [7, 6, 5, 4, 3, 2, 1, 0].map((i) => (byte >> i) & 1));

// --- Data and error correction -------------------------------------------------------

function codewords(bytes, version) {
  const [correction, blocks, length] = SHAPES[version];
  // Mode 0100 (bytes), the length in eight bits, the bytes, terminator 0000.
  const nibbles = [4, ...[bytes.length, ...bytes].flatMap((b) => [b >> 4, b & 15]), 0];
  const data = [];
  for (let i = 0; i < nibbles.length; i += 2)
    data.push((nibbles[i] << 4) | nibbles[i + 1]);
  for (let pad = 0xec; data.length < blocks * length; pad ^= 0xec ^ 0x11)
    data.push(pad);
  const parts = Array.from({ length: blocks }, (_, i) =>
    data.slice(i * length, (i + 1) * length),
  );
  return [
    ...interleave(parts),
    ...interleave(parts.map((part) => remainder(part, correction))),
  ];
}

const interleave = (parts) => parts[0].flatMap((_, i) => parts.map((part) => part[i]));

/** Product in the field of 256 elements. */
function times(a, b) {
  let product = 0;
  for (let i = 7; i >= 0; i -= 1) {
    product = (product << 1) ^ ((product >> 7) * 0x11d);
    product ^= ((b >> i) & 1) * a;
  }
  return product;
}

/** Reed-Solomon: what is left of the data after division by the generator. */
function remainder(data, degree) {
  const generator = Array(degree).fill(0);
  generator[degree - 1] = 1;
  for (let i = 0, root = 1; i < degree; i += 1, root = times(root, 2)) {
    for (let j = 0; j < degree; j += 1) {
      generator[j] = times(generator[j], root) ^ (generator[j + 1] ?? 0);
    }
  }
  const rest = Array(degree).fill(0);
  for (const byte of data) {
    const factor = byte ^ rest.shift();
    rest.push(0);
    generator.forEach((value, i) => (rest[i] ^= times(value, factor)));
  }
  return rest;
}

// --- Drawing -------------------------------------------------------------------------

function draw(version, bits, mask) {
  const side = 17 + 4 * version;
  const grid = Array.from({ length: side }, () => Array(side).fill(null));
  patterns(grid, version);
  format(grid, mask);
  let next = 0;
  for (const [x, y] of path(side)) {
    if (grid[y][x] !== null) continue;
    grid[y][x] = ((bits[next] ?? 0) === 1) !== MASKS[mask](x, y);
    next += 1;
  }
  return grid;
}

/** Finders, timing and alignment: what a camera looks for. */
function patterns(grid, version) {
  const side = grid.length;
  const square = (cx, cy, radius, dark) => {
    for (
      let y = Math.max(0, cy - radius);
      y <= Math.min(side - 1, cy + radius);
      y += 1
    ) {
      for (
        let x = Math.max(0, cx - radius);
        x <= Math.min(side - 1, cx + radius);
        x += 1
      ) {
        grid[y][x] = dark(Math.max(Math.abs(x - cx), Math.abs(y - cy)));
      }
    }
  };
  for (let i = 8; i < side - 8; i += 1) grid[6][i] = grid[i][6] = i % 2 === 0;
  if (version > 1) square(side - 7, side - 7, 2, (ring) => ring !== 1);
  for (const [x, y] of [
    [3, 3],
    [side - 4, 3],
    [3, side - 4],
  ]) {
    square(x, y, 4, (ring) => ring !== 2 && ring !== 4);
  }
}

/** Which mask and correction: fifteen bits, twice. */
function format(grid, mask) {
  const side = grid.length;
  let rest = mask; // correction M is 00
  for (let i = 0; i < 10; i += 1) rest = (rest << 1) ^ ((rest >> 9) * 0x537);
  const word = ((mask << 10) | rest) ^ 0x5412;
  const bit = (i) => ((word >> i) & 1) === 1;
  for (let i = 0; i < 15; i += 1) {
    if (i < 6) grid[i][8] = bit(i);
    else if (i < 8) grid[i + 1][8] = bit(i);
    else grid[8][i < 9 ? 7 : 14 - i] = bit(i);
    if (i < 8) grid[8][side - 1 - i] = bit(i);
    else grid[side - 15 + i][8] = bit(i);
  }
  grid[side - 8][8] = true;
}

/** Every module in the order data is written: two columns at a time, up and down. */
function* path(side) {
  let up = true;
  for (let right = side - 1; right > 0; right -= 2, up = !up) {
    if (right === 6) right = 5; // the timing column
    for (let i = 0; i < side; i += 1) {
      const y = up ? side - 1 - i : i;
      yield [right, y];
      yield [right - 1, y];
    }
  }
}

// --- Which mask scans best: the standard's four penalties ----------------------------

function penalty(grid) {
  const side = grid.length;
  const rows = grid.map((row) => row.map((dark) => (dark ? "1" : "0")).join(""));
  const columns = rows.map((_, x) => rows.map((row) => row[x]).join(""));
  let cost = 0;
  for (const line of [...rows, ...columns]) {
    for (const [run] of line.matchAll(/0{5,}|1{5,}/g)) cost += run.length - 2;
    cost += 40 * [...line.matchAll(/(?=10111010000|00001011101)/g)].length;
  }
  for (let y = 0; y < side - 1; y += 1) {
    for (let x = 0; x < side - 1; x += 1) {
      const dark = grid[y][x];
      const same =
        dark === grid[y][x + 1] &&
        dark === grid[y + 1][x] &&
        dark === grid[y + 1][x + 1];
      if (same) cost += 3;
    }
  }
  const share = rows.join("").replaceAll("0", "").length / (side * side);
  return cost + 10 * Math.floor(Math.abs(share - 0.5) * 20);
}
