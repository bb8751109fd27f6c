// Re-checking a race record: everything in it that can be computed again, is. The twin
// of `sliderace.proof.verify`: the same checks, the same words. Pure but for Ed25519.

import {
  bytesToHex,
  commitment,
  formatBoard,
  formatTokens,
  hexToBytes,
  mtm,
  nonceCommitment,
  parseBoard,
  progressPermille,
  scramble,
  seedOf,
  stm,
} from "../engine.js";
import { constants } from "../constants.js";
import { NotCanonical, canonical } from "./canonical.js";
import { rank } from "../race/ranking.js";
import { BadRecord, read } from "./reading.js";
import { isHex, verified } from "./signature.js";
import { official, outageOverlap } from "../race/timing.js";

/**
 * One thing that was looked at.
 * @typedef {{name: string, verdict: "ok" | "not ok" | "cannot be known", text: string}}
 *   Check
 */

/**
 * Re-check the file of a race record.
 * @param {string} text the file
 * @param {SubtleCrypto | undefined} subtle missing on pages without https
 * @param {{key?: string, promised?: string}} [known] the server's key and the
 *   commitment, as known from elsewhere
 * @returns {Promise<Check[]>} in a fixed order; of a wrong form only the first
 */
export async function verify(text, subtle, { key = "", promised = "" } = {}) {
  let file, message, again;
  try {
    file = JSON.parse(text);
    again = canonical(file);
    message = formOf(file);
  } catch (error) {
    if (error instanceof SyntaxError) return [bad("structure", "no JSON")];
    if (error instanceof NotCanonical || error instanceof BadRecord)
      return [bad("structure", error.message)];
    throw error;
  }
  const { record } = file;
  const replays = record.racers.map((racer) => replay(record.board, racer));
  const checks = [structure(again === text), await signature(file, message, subtle)];
  if (key) checks.push(expected("key", "key", file.key === key));
  if (promised) {
    checks.push(expected("promise", "commitment", record.commitment === promised));
  }
  return [
    ...checks,
    ...(record.secret === null ? unknownDraw() : drawChecks(record)),
    boardCheck(record),
    slidesCheck(record, replays),
    countsCheck(record, replays),
    timesCheck(record),
    rankingCheck(record),
  ];
}

const check = (name, verdict, text) => ({ name, verdict, text });
const good = (name, text) => check(name, "ok", text);
const bad = (name, text) => check(name, "not ok", text);
const unknown = (name, text) => check(name, "cannot be known", text);

/** The signed message of a file. @throws {BadRecord} */
function formOf(file) {
  if (typeof file !== "object" || file === null)
    throw new BadRecord("file: not an object");
  if (Object.keys(file).sort().join() !== "key,record,signature")
    throw new BadRecord("file: not made of record, key and signature");
  if (!isHex(file.key, 64)) throw new BadRecord("key: not 64 hex digits");
  if (!isHex(file.signature, 128)) throw new BadRecord("signature: not 128 hex digits");
  read(file.record);
  return canonical(file.record);
}

function structure(isCanonical) {
  if (isCanonical) return good("structure", "Every field is there and in its range.");
  // The browser's reader would not tell, say, that a name comes twice.
  return unknown("structure", "Written in another way than servers do.");
}

const SIGNATURE_UNREAD =
  "Who signed it cannot be told here: browsers check signatures on https pages, and not all do. " +
  "The other checks hold without it; `sliderace verify` with the saved record checks this one, too.";

async function signature({ key, signature: signed }, message, subtle) {
  const name = "signature";
  const holds = await verified(key, signed, message, subtle);
  if (holds === null) return unknown(name, SIGNATURE_UNREAD);
  if (!holds) return bad(name, "The signature is not that of this record.");
  return good(name, `Signed with the key ${key}.`);
}

function expected(name, what, holds) {
  const than = name === "key" ? "expected" : "shown before the race";
  if (holds) return good(name, `The ${what} is the one ${than}.`);
  return bad(name, `The ${what} is not the one ${than}.`);
}

// --- The draw ------------------------------------------------------------------------

const unknownDraw = () => [
  unknown("commitment", "The seed was known in advance: nothing was committed to."),
  unknown("nonces", "The seed was known in advance: no nonce has a part in it."),
  unknown("seed", "The seed was known in advance: no fairness is claimed."),
];

function drawChecks(record) {
  const { race, racers } = record;
  const { width, height } = parseBoard(record.board);
  const secret = hexToBytes(record.secret);
  const told = racers
    .filter(({ nonce }) => nonce !== null)
    .map((racer) => [racer.seat, hexToBytes(racer.nonce), racer.nonce_commitment]);
  const kept = commitment(race, width, height, secret) === record.commitment;
  const drawn = bytesToHex(seedOf(race, width, height, secret, told)) === record.seed;
  const other = told.find(
    ([seat, nonce, bound]) => nonceCommitment(race, seat, nonce) !== bound,
  );
  return [
    kept
      ? good("commitment", "The secret is the one that was committed to.")
      : bad("commitment", "The secret is not the one committed to."),
    other
      ? bad("nonces", `Seat ${other[0]}: the nonce is not the one committed to.`)
      : good("nonces", takingPart(racers, told.length)),
    drawn
      ? good("seed", "The seed follows from secret and nonces.")
      : bad("seed", "The seed does not follow from secret and nonces."),
  ];
}

function takingPart(racers, count) {
  const out = racers.filter(({ nonce }) => nonce === null);
  const silent = listed(out.filter((racer) => racer.nonce_commitment !== null));
  const absent = listed(out.filter((racer) => racer.nonce_commitment === null));
  return [
    `${count} of ${racers.length} racers have a part in the seed.`,
    silent && `Committed to a nonce, but left out: seat ${silent}.`,
    absent && `Committed to none: seat ${absent}.`,
  ]
    .filter(Boolean)
    .join(" ");
}

const listed = (racers) =>
  racers
    .map(({ seat }) => seat)
    .sort((a, b) => a - b)
    .join(", ");

function boardCheck({ seed, board }) {
  const { width, height } = parseBoard(board);
  if (formatBoard(scramble(hexToBytes(seed), width, height)) === board)
    return good("board", "The board follows from the seed.");
  return bad("board", "The board does not follow from the seed.");
}

// --- The slides ----------------------------------------------------------------------

/** What the slides of one racer really come to. */
function replay(start, { slides }) {
  const board = parseBoard(start);
  const startMd = board.md;
  const found = { fault: "", solved: false, high: 0, highMs: 0 };
  let last = 0;
  for (const [n, [direction, tiles, , at]] of slides.entries()) {
    if (board.isSolved) {
      found.fault = `slide ${n + 1} comes after the board was solved`;
    } else if (!board.trySlide(direction, tiles)) {
      const token = formatTokens([[direction, tiles]]);
      found.fault = `slide ${n + 1}, ${token}, cannot be made`;
    } else if (at < last) {
      found.fault = `slide ${n + 1} arrived before the one in front of it`;
    }
    if (found.fault) break;
    last = at;
    const now = progressPermille(board.md, startMd);
    if (now > found.high) [found.high, found.highMs] = [now, at];
  }
  return { ...found, solved: board.isSolved };
}

function slidesCheck({ racers }, replays) {
  for (const [n, racer] of racers.entries()) {
    const fault = replays[n].fault || finishFault(racer, replays[n].solved);
    if (fault) return bad("slides", `Seat ${racer.seat}: ${fault}.`);
  }
  const total = racers.reduce((sum, { slides }) => sum + slides.length, 0);
  return good(
    "slides",
    `All ${total} slides are legal, in order; who finished did solve the board.`,
  );
}

function finishFault({ status, finish, why, slides }, solved) {
  const finished = status === "finished";
  if (finished && !solved) return "finished, but the board is not solved";
  if (solved && !finished) return "solved the board, but did not finish";
  if (finished !== (finish !== null))
    return "a finish without times, or times without a finish";
  if (["dnf", "dns"].includes(status) !== (why !== ""))
    return "a DNF without a reason, or a reason without one";
  if (status === "dns" && slides.length > 0) return "did not start, but has slides";
  return "";
}

function countsCheck({ racers }, replays) {
  for (const [n, racer] of racers.entries()) {
    const { high, highMs } = replays[n];
    const right = [stm(racer.slides), mtm(racer.slides), high, highMs];
    const written = [racer.stm, racer.mtm, racer.high, racer.high_ms];
    if (right.some((value, at) => value !== written[at])) {
      const text = "moves or progress are not those of the slides.";
      return bad("counts", `Seat ${racer.seat}: ${text}`);
    }
  }
  return good("counts", "Moves and progress are those of the slides.");
}

// --- Times and places ----------------------------------------------------------------

function timesCheck(record) {
  for (const racer of record.racers) {
    const fault = timeFault(record, racer);
    if (fault) return bad("times", `Seat ${racer.seat}: ${fault}.`);
  }
  const moments = record.outages.flat();
  if (moments.some((moment, n) => moment < moments[n - 1]))
    return bad("times", "The outages are not one after the other.");
  const lost = record.outages.map(([down, up]) => `${up - down} ms`).join(", ");
  const said = [
    "Every official time follows from what the server measured.",
    lost && `The server failed for ${lost}: a credit where a last interval was hit.`,
    record.rules.friendly_timing && "The room had friendly timing.",
  ];
  return good("times", said.filter(Boolean).join(" "));
}

function timeFault({ rules, outages, ended_ms: ended }, racer) {
  const start = rules.inspection_ms - racer.lead_ms;
  const { slides, finish } = racer;
  if (slides.length > 0 && start + slides.at(-1)[3] > ended)
    return "a slide arrived after the end of the race";
  const known = outages.values();
  for (const own of racer.outages) {
    if (!hasPart(own, known, start)) return "an outage is not one of the server's";
  }
  if (finish === null || slides.length === 0) return "";
  return finishTimeFault(racer, finish, rules.friendly_timing);
}

/** Whether one of those to come is the outage that a racer met. */
function hasPart([from, until], known, start) {
  for (let next = known.next(); !next.done; next = known.next()) {
    const [down, up] = next.value.map((moment) => moment - start);
    const soonest = Math.max(0, up);
    const latest = Math.max(0, up + constants.timing.reconnect_ms);
    if (from === Math.max(0, down) && soonest <= until && until <= latest) return true;
  }
  return false;
}

function finishTimeFault({ slides, outages, approx }, finish, friendly) {
  const { g_ms: g, e_ms: e } = finish;
  const [first, last] = [slides[0], slides.at(-1)];
  const line = {
    rtt: finish.rtt_ms,
    jitter: finish.jitter_ms,
    outage: finish.outage_ms,
  };
  const best = official(g, e, line, friendly);
  const met = outages.map(([down, until]) => [down, Math.min(until, g)]);
  const outage = outageOverlap(slides.map((slide) => slide[3]), met, 0, g);
  const solve = Math.min(Math.max(0, last[2] - first[2]), g);
  if (g !== last[3]) return "g is not the arrival of the last slide";
  if (e !== (approx ? null : last[2])) return "e is not the stamp of the last slide";
  if (finish.outage_ms !== outage) return "an outage counts for more or less";
  if (finish.official_ms !== best) return "the official time is another";
  if (finish.credit_ms !== g - best) return "the credit is another";
  return finish.solve_ms === solve ? "" : "the solve time is another";
}

function rankingCheck({ racers }) {
  const ranked = rank(racers);
  if (ranked.some(({ racer }, n) => racer !== racers[n]))
    return bad("ranking", "The racers are not in their order.");
  for (const { racer, place, photo } of ranked) {
    if (racer.place !== place)
      return bad("ranking", `Seat ${racer.seat}: the place is another.`);
    if ((racer.finish?.photo ?? false) !== photo)
      return bad("ranking", `Seat ${racer.seat}: a photo finish is told wrongly.`);
  }
  return good("ranking", "Order and places follow from times and progress.");
}
