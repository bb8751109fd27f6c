import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import "./setup.mjs";
import * as engine from "../sliderace_page/core/engine.js";

const { Board, DIRECTIONS, EngineError, OPPOSITE, parseBoard, parseSlides } = engine;

const read = (name) =>
  readFileSync(new URL(`../../shared/vectors/${name}`, import.meta.url), "utf8");
const lines = (name) => read(name).trim().split("\n").map((line) => JSON.parse(line));
const golden = JSON.parse(read("engine-v1.json"));
const bytes = engine.hexToBytes;
const solvedText = "1 2 3/4 5 6/7 8 0";

/** Assert that `call` throws an EngineError of a kind. */
function refuses(kind, call, what) {
  assert.throws(call, (error) => error instanceof EngineError && error.kind === kind, what);
}

// --- Board --------------------------------------------------------------------------

test("a direction is the way the tile moves", () => {
  for (const { why, board: text, slides, after } of golden.directions) {
    const board = parseBoard(text);
    for (const slide of parseSlides(slides)) board.slide(...slide);
    assert.equal(engine.formatBoard(board), after, why);
  }
});

test("an illegal slide changes nothing", () => {
  const odd = [null, "1", 1.5, "length", {}].map((count) => ({ direction: "U", count }));
  const more = odd.map((slide) => ({ board: "1 2 3/4 0 5/6 7 8", ...slide }));
  for (const { board: text, direction, count } of [...golden.illegal, ...more]) {
    const board = parseBoard(text);
    assert.equal(board.trySlide(direction, count), false);
    refuses("slide", () => board.slide(direction, count), `${direction}${count}`);
    const fresh = parseBoard(text);
    assert.ok(board.equals(fresh));
    assert.deepEqual([board.gap, board.md], [fresh.gap, fresh.md]);
  }
});

test("legal slides are in a fixed order", () => {
  for (const { board, slides } of golden.legal) {
    assert.deepEqual(parseBoard(board).legalSlides(), slides);
  }
});

test("a tile or its cell selects the slide", () => {
  for (const { board: text, cell, tile, slide } of golden.picks) {
    const board = parseBoard(text);
    assert.equal(board.tileAt(cell), tile);
    assert.equal(board.cellOf(tile), cell);
    assert.deepEqual(board.slideOfCell(cell), slide);
    assert.deepEqual(board.slideOfTile(tile), slide);
  }
});

test("golden boards have their known properties", () => {
  for (const { text, width, height, tiles, gap, md, solvable } of golden.boards) {
    const board = new Board(width, height, tiles);
    assert.ok(board.equals(parseBoard(text)), text);
    assert.equal(engine.formatBoard(board), text);
    assert.deepEqual(board.tiles, tiles);
    assert.deepEqual([board.gap, board.md, board.isSolvable()], [gap, md, solvable], text);
    assert.equal(board.isSolved, md === 0);
  }
});

test("tiles must be a permutation, sides must be 2 to 10", () => {
  const wrong = [[], [1, 2, 3], [1, 2, 3, 4], [1, 2, 3, 3], [1, 2, 3, 4, 0], [1, 2, 3.5, 0]];
  for (const tiles of [...wrong, ["1", "2", "3", "0"], [1, 2, 3, undefined]]) {
    refuses("board", () => new Board(2, 2, tiles), `${tiles}`);
  }
  for (const side of [1, 11, 0, -2, 2.5, NaN, "4", undefined]) {
    refuses("size", () => Board.solved(side, 4), `${side}`);
    refuses("size", () => Board.solved(4, side), `${side}`);
  }
});

test("cells and tiles off the board are refused", () => {
  const board = parseBoard(solvedText);
  for (const beyond of [-1, 9, 0.5, NaN, undefined]) {
    refuses("cell", () => board.tileAt(beyond));
    refuses("cell", () => board.cellOf(beyond));
    assert.equal(board.slideOfCell(beyond), null);
    assert.equal(board.slideOfTile(beyond), null);
  }
});

test("a copy is independent, and so are its tiles", () => {
  const board = parseBoard("1 2 3/4 0 5/6 7 8");
  const twin = board.copy();
  twin.slide("U");
  board.tiles[0] = 9;
  assert.equal(engine.formatBoard(board), "1 2 3/4 0 5/6 7 8");
  assert.equal(engine.formatBoard(twin), "1 2 3/4 7 5/6 0 8");
  assert.equal(board.equals(twin), false);
  assert.equal(parseBoard("1 2 3/4 5 0").equals(parseBoard("1 2/3 4/5 0")), false);
});

test("random walks agree with a slow, obvious model", () => {
  for (const walk of lines("walks-v1.jsonl")) {
    const slides = parseSlides(walk.slides);
    const board = parseBoard(walk.start);
    const distances = slides.map((slide) => {
      board.slide(...slide);
      return board.md;
    });
    assert.equal(engine.formatBoard(board), walk.end);
    assert.deepEqual(distances, walk.md);
    assert.deepEqual([engine.stm(slides), engine.mtm(slides)], [walk.stm, walk.mtm]);
    for (const [direction, count] of slides.reverse()) {
      board.slide(OPPOSITE[direction], count);
    }
    assert.equal(engine.formatBoard(board), walk.start);
  }
});

test("3x3 and 3x2 have the known numbers of boards at each distance", () => {
  const { single_tile: counts } = JSON.parse(read("distances.json"));
  for (const [width, height] of [[3, 2], [3, 3]]) {
    let layer = [Board.solved(width, height)];
    const seen = new Set([`${layer[0].tiles}`]);
    const found = [];
    while (layer.length > 0) {
      found.push(layer.length);
      layer = layer.flatMap((board) => neighbours(board, seen));
    }
    assert.deepEqual(found, counts[`${width}x${height}`]);
  }
});

function neighbours(board, seen) {
  const found = [];
  for (const direction of DIRECTIONS) {
    if (!board.trySlide(direction)) continue;
    const key = `${board.tiles}`;
    if (!seen.has(key)) {
      seen.add(key);
      found.push(board.copy());
      assert.ok(board.isSolvable());
    }
    board.slide(OPPOSITE[direction]);
  }
  return found;
}

// --- Notation and measures ----------------------------------------------------------

test("sizes are parsed or refused", () => {
  for (const { text, width, height, error } of golden.sizes) {
    if (error) refuses(error, () => engine.parseSize(text), text);
    else assert.deepEqual(engine.parseSize(text), { width, height });
  }
});

test("board texts are parsed or refused", () => {
  for (const { text, board, error } of golden.board_texts) {
    if (error) refuses(error, () => parseBoard(text), text);
    else assert.equal(engine.formatBoard(parseBoard(text)), board);
  }
});

test("slides are formatted, parsed and counted", () => {
  for (const { slides, text, tokens, stm, mtm } of golden.slide_texts) {
    const before = JSON.stringify(slides);
    assert.equal(engine.formatSlides(slides), text);
    assert.equal(engine.formatTokens(slides), tokens);
    assert.deepEqual(parseSlides(tokens), slides);
    assert.deepEqual([engine.stm(slides), engine.mtm(slides)], [stm, mtm]);
    assert.equal(JSON.stringify(slides), before, "arguments are not changed");
  }
});

test("slide texts are parsed or refused", () => {
  for (const { text, slides, error } of golden.slide_readings) {
    if (error) refuses(error, () => parseSlides(text), text);
    else assert.deepEqual(parseSlides(text), slides);
  }
});

test("progress is in thousandths, 1000 exactly when solved", () => {
  for (const { md, start_md: start, permille } of golden.progress) {
    assert.equal(engine.progressPermille(md, start), permille);
  }
});

// --- Scramble -----------------------------------------------------------------------

test("a thousand golden scrambles are reproduced", () => {
  const cases = lines("scramble-v1.jsonl");
  assert.equal(cases.length, 1000);
  for (const { race, w, h, server_seed: hex, nonces, commitment, seed, board } of cases) {
    const secret = bytes(hex);
    const revealed = nonces.map((nonce, seat) => [seat, bytes(nonce)]);
    const made = engine.seedOf(race, w, h, secret, revealed);
    assert.equal(engine.commitment(race, w, h, secret), commitment);
    assert.equal(engine.bytesToHex(made), seed);
    assert.deepEqual(engine.scramble(made, w, h).tiles, board);
  }
});

test("golden commitments and seeds are reproduced", () => {
  for (const { race, width, height, secret, commitment } of golden.commitments) {
    assert.equal(engine.commitment(race, width, height, bytes(secret)), commitment);
  }
  for (const { race, seat, nonce, commitment } of golden.nonces) {
    assert.equal(engine.nonceCommitment(race, seat, bytes(nonce)), commitment);
  }
  for (const { race, width, height, secret, nonces, seed } of golden.seeds) {
    const revealed = nonces.map(([seat, nonce]) => [seat, bytes(nonce)]);
    for (const order of [revealed, revealed.toReversed()]) {
      const made = engine.seedOf(race, width, height, bytes(secret), order);
      assert.equal(engine.bytesToHex(made), seed);
    }
  }
});

test("a seed is made from any text", () => {
  for (const { text, seed, error } of golden.texts) {
    if (error) refuses(error, () => engine.seedFromText(text));
    else assert.equal(engine.bytesToHex(engine.seedFromText(text)), seed);
  }
});

test("race ids are accepted or refused", () => {
  const secret = new Uint8Array(32);
  for (const { race, good } of golden.race_ids) {
    for (const call of [
      () => engine.commitment(race, 4, 4, secret),
      () => engine.nonceCommitment(race, 0, new Uint8Array(16)),
      () => engine.seedOf(race, 4, 4, secret),
    ]) {
      if (good) call();
      else refuses("seed", call, race);
    }
  }
});

test("wrong inputs of a scramble are refused", () => {
  const secret = new Uint8Array(32);
  const nonce = new Uint8Array(16);
  for (const length of [0, 31, 33]) {
    const wrong = new Uint8Array(length);
    refuses("seed", () => engine.scramble(wrong, 4, 4));
    refuses("seed", () => engine.commitment("A", 4, 4, wrong));
    refuses("seed", () => engine.seedOf("A", 4, 4, wrong));
  }
  refuses("seed", () => engine.nonceCommitment("A", 0, secret));
  refuses("seed", () => engine.seedOf("A", 4, 4, secret, [[0, secret]]));
  for (const seat of [-1, 255, 0.5]) {
    refuses("seed", () => engine.nonceCommitment("A", seat, nonce));
    refuses("seed", () => engine.seedOf("A", 4, 4, secret, [[seat, nonce]]));
  }
  refuses("seed", () => engine.seedOf("A", 4, 4, secret, [[3, nonce], [3, nonce]]));
  refuses("size", () => engine.scramble(secret, 1, 4));
  refuses("size", () => engine.commitment("A", 4, 11, secret));
  for (const hex of ["0", "0g", " 00"]) refuses("seed", () => bytes(hex), hex);
});
