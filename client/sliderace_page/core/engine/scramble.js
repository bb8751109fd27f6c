// Scramble v1, byte-exact: from secrets to a board that anyone can check afterwards.

import { constants } from "../constants.js";
import { sha256 } from "./sha256.js";
import { Board, EngineError, isSide, solvable } from "./board.js";

/** @param {string} hex @returns {Uint8Array<ArrayBuffer>} */
export function hexToBytes(hex) {
  if (!/^(?:[0-9A-Fa-f]{2})*$/.test(hex)) throw new EngineError("seed", "not hex");
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

/** @param {Uint8Array} bytes */
export function bytesToHex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * The server's commitment: it binds the server to the secret without revealing it.
 * @param {string} raceId 1 ... 32 of `A-Z 0-9 -`
 * @param {number} width
 * @param {number} height
 * @param {Uint8Array} secret 32 bytes
 * @returns {string} 64 hex digits
 * @throws {EngineError} `size` or `seed`
 */
export function commitment(raceId, width, height, secret) {
  const shape = sides(width, height);
  return bytesToHex(hash(head("commit", raceId), shape, secretBytes(secret)));
}

/**
 * A client's commitment, sent with "ready": it binds the client to its nonce.
 * @param {string} raceId
 * @param {number} seat 0 ... 254
 * @param {Uint8Array} nonce 16 bytes
 * @returns {string} 64 hex digits
 * @throws {EngineError} `seed`
 */
export function nonceCommitment(raceId, seat, nonce) {
  const place = [checkedSeat(seat)];
  return bytesToHex(hash(head("nonce", raceId), place, nonceBytes(nonce)));
}

/**
 * The seed of a race, from the secret and the revealed nonces.
 * @param {string} raceId
 * @param {number} width
 * @param {number} height
 * @param {Uint8Array} secret
 * @param {Iterable<[number, Uint8Array]>} [nonces] (seat, nonce), in any order
 * @returns {Uint8Array} 32 bytes
 * @throws {EngineError} `size` or `seed`
 */
export function seedOf(raceId, width, height, secret, nonces = []) {
  const bySeat = [...nonces].sort(([a], [b]) => a - b);
  const seats = bySeat.map(([seat]) => checkedSeat(seat));
  if (new Set(seats).size < seats.length) {
    throw new EngineError("seed", "a seat has more than one nonce");
  }
  return hash(
    head("seed", raceId),
    sides(width, height),
    secretBytes(secret),
    [bySeat.length],
    ...bySeat.map(([, nonce]) => nonceBytes(nonce)),
  );
}

/**
 * The seed that a person typed: 64 hex digits are used as they are, other text is hashed.
 * @param {string} text
 * @returns {Uint8Array} 32 bytes
 * @throws {EngineError} `seed`: the text has no UTF-8 form
 */
export function seedFromText(text) {
  if (/^[0-9A-Fa-f]{64}$/.test(text)) return hexToBytes(text);
  if (/\p{Surrogate}/u.test(text)) throw new EngineError("seed", "not valid text");
  return hash(ascii("sliderace/text/v1\0"), new TextEncoder().encode(text));
}

/**
 * The board of a seed: uniform over all solvable boards except the solved one.
 * @param {Uint8Array} seed 32 bytes
 * @param {number} width
 * @param {number} height
 * @returns {Board}
 * @throws {EngineError} `size` or `seed`
 */
export function scramble(seed, width, height) {
  const home = Board.solved(width, height).tiles;
  const stream = bytesOf(secretBytes(seed));
  for (;;) {
    const tiles = shuffled(home, stream);
    if (!solvable(width, height, tiles)) {
      const one = tiles.indexOf(1);
      const two = tiles.indexOf(2);
      [tiles[one], tiles[two]] = [2, 1];
    }
    if (tiles.some((tile, cell) => tile !== home[cell])) {
      return new Board(width, height, tiles);
    }
  }
}

/** @param {number[]} home @param {Iterator<number, never>} stream */
function shuffled(home, stream) {
  const tiles = [...home];
  for (let i = tiles.length - 1; i > 0; i -= 1) {
    const j = below(stream, i + 1);
    [tiles[i], tiles[j]] = [tiles[j], tiles[i]];
  }
  return tiles;
}

/**
 * A uniform number below `bound`: bytes that would favour low numbers are skipped.
 * @param {Iterator<number, never>} stream @param {number} bound
 */
function below(stream, bound) {
  const limit = 256 - (256 % bound);
  for (;;) {
    const byte = stream.next().value;
    if (byte < limit) return byte % bound;
  }
}

/**
 * The endless byte stream of a seed.
 * @param {Uint8Array} seed @returns {Generator<number, never>}
 */
function* bytesOf(seed) {
  const label = ascii("sliderace/stream/v1\0");
  for (let block = 0; ; block += 1) {
    const number = new Uint8Array(4);
    new DataView(number.buffer).setUint32(0, block);
    yield* hash(label, seed, number);
  }
}

/** SHA-256 of all parts in a row. @param {...ArrayLike<number>} parts */
function hash(...parts) {
  return sha256(Uint8Array.from(parts.flatMap((part) => Array.from(part))));
}

/** @param {string} text */
const ascii = (text) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));

/** @param {string} use @param {string} raceId */
function head(use, raceId) {
  if (!/^[A-Z0-9-]{1,32}$/.test(raceId)) {
    throw new EngineError("seed", "a race id is 1 ... 32 of A-Z 0-9 -");
  }
  return ascii(`sliderace/${use}/v1\0${raceId}\0`);
}

/** @param {number} width @param {number} height */
function sides(width, height) {
  if (isSide(width) && isSide(height)) return [width, height];
  throw new EngineError("size", `a side is 2 ... 10, not ${width}x${height}`);
}

/** @param {Uint8Array} bytes @param {number} length */
function sized(bytes, length) {
  if (bytes.length === length) return bytes;
  throw new EngineError("seed", `must be ${length} bytes long, not ${bytes.length}`);
}

/** @param {Uint8Array} bytes */
const secretBytes = (bytes) => sized(bytes, constants.scramble.secret_bytes);
/** @param {Uint8Array} bytes */
const nonceBytes = (bytes) => sized(bytes, constants.scramble.nonce_bytes);

/** @param {number} seat */
function checkedSeat(seat) {
  const { max_seat: max } = constants.scramble;
  if (Number.isInteger(seat) && seat >= 0 && seat <= max) return seat;
  throw new EngineError("seed", `a seat is 0 ... ${max}, not ${seat}`);
}
