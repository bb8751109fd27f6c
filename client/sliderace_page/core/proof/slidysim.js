// A solve for slidysim's public replay viewer, as in the Python twin,
// `sliderace.proof.slidysim`. Nothing is asked of that site: it is a link to press.

import { formatSlides, stm } from "../engine.js";

const VIEWER = "https://slidysim.github.io/replay?r=";
const STORED = 65535; // most bytes of a block that is not compressed
const ADLER = 65521;

/**
 * The solve as the viewer reads it.
 * @param {string} board the scramble
 * @param {Wire} racer of a record, who finished
 * @returns {[string, number, string, number[]]} solution, tiles a second times 1000,
 *   scramble, and for each single tile the ms since the first one
 */
export function solveOf(board, { slides, finish }) {
  const times = [];
  let last = 0;
  for (const [, count, stamp] of slides) {
    last = Math.min(finish.solve_ms, Math.max(last, stamp - slides[0][2]));
    for (let tile = 0; tile < count; tile += 1) times.push(last);
  }
  const total = finish.solve_ms;
  const tps = total ? Math.floor((stm(slides) * 1_000_000) / total) : 0;
  return [formatSlides(slides), tps, board, times];
}

/**
 * The link that opens a solve in the viewer.
 * @param {[string, number, string, number[]]} solve of `solveOf`
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

async function deflate(bytes, Stream) {
  const stream = new Blob([bytes]).stream().pipeThrough(new Stream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** The same in zlib's form (RFC 1950), longer: not compressed. @param {Uint8Array} bytes */
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
