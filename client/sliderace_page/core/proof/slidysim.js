// A link that shows a solve in slidysim's public replay viewer, as in the Python twin,
// `sliderace.proof.slidysim`. Nothing is requested from that site unless somebody follows
// the link.

import { formatSlides, stm } from "../engine.js";
import { plausible } from "./summary.js";

const VIEWER = "https://slidysim.github.io/replay?r=";
const STORED = 65535; // most bytes of a block that is not compressed
const ADLER = 65521;

/**
 * Solution, 1000 times the tiles per second, scramble, and for each single tile the ms
 * since the first one.
 * @typedef {[string, number, string, number[]]} ViewerSolve
 */

/**
 * A solve in the viewer's format.
 * @param {string} board the scramble
 * @param {import("./reading.js").WrittenRacer} racer one who finished
 * @returns {ViewerSolve}
 */
export function solveOf(board, { slides, finish }) {
  const total = finish?.solve_ms ?? 0;
  const times = [];
  let last = 0;
  for (const [, count, stamp] of slides) {
    last = Math.min(total, Math.max(last, stamp - slides[0][2]));
    for (let tile = 0; tile < count; tile += 1) times.push(last);
  }
  const tiles = stm(slides);
  const took = plausible({ stm: tiles, solve_ms: total });
  const tps = took ? Math.floor((tiles * 1_000_000) / took) : 0;
  return [formatSlides(slides), tps, board, times];
}

/**
 * The link that opens a solve in the viewer.
 * @param {ViewerSolve} solve
 * @param {typeof CompressionStream} [Stream] missing in older browsers
 * @returns {Promise<string>}
 */
export async function linkTo(solve, Stream = globalThis.CompressionStream) {
  const bytes = new TextEncoder().encode(JSON.stringify(solve));
  const packed = Stream ? await deflate(bytes, Stream) : stored(bytes);
  let text = "";
  for (const byte of packed) text += String.fromCharCode(byte);
  return VIEWER + encodeURIComponent(btoa(text));
}

/** @param {Uint8Array<ArrayBuffer>} bytes @param {typeof CompressionStream} Stream */
async function deflate(bytes, Stream) {
  const stream = new Blob([bytes]).stream().pipeThrough(new Stream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Bytes in the zlib format (RFC 1950), not compressed. @param {Uint8Array} bytes */
export function stored(bytes) {
  const out = [0x78, 0x01];
  for (let at = 0; at === 0 || at < bytes.length; at += STORED) {
    const block = bytes.subarray(at, at + STORED);
    const length = block.length;
    const last = at + STORED >= bytes.length ? 1 : 0;
    out.push(last, length & 255, length >> 8, ~length & 255, (~length >> 8) & 255);
    for (const byte of block) out.push(byte);
  }
  let [a, b] = [1, 0];
  for (const byte of bytes) {
    a = (a + byte) % ADLER;
    b = (b + a) % ADLER;
  }
  out.push(b >> 8, b & 255, a >> 8, a & 255);
  return Uint8Array.from(out);
}
