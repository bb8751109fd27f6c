// Verify a race record: recompute everything in it that can be recomputed. The twin of
// `sliderace.proof.verify`: the same checks and findings. Pure but for Ed25519.

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
import { anchorOf, dailySeed, dayNumber } from "../daily-chain.js";
import { NotCanonical, canonical } from "./canonical.js";
import { rank } from "../race/ranking.js";
import { BadRecord, read, shown } from "./reading.js";
import { isHex, verified } from "./signature.js";
import { timeFault } from "./times.js";

/** @typedef {import("./reading.js").WrittenRace} WrittenRace */
/** @typedef {import("./reading.js").WrittenRacer} WrittenRacer */
/**
 * One sentence about a check, as data; its text is `check.NAME.CODE`.
 * @typedef {{code: string, values: Record<string, string | number>}} Finding
 */

/**
 * The outcome of one check.
 * @typedef {{name: string, verdict: "ok" | "wrong" | "unknown", findings: Finding[]}}
 *   Check
 */

/**
 * Verify the file of a race record.
 * @param {string} text the file
 * @param {SubtleCrypto | undefined} subtle missing on pages without https
 * @param {{key?: string, promised?: string, anchor?: string}} [known] the server's key,
 *   the commitment and, for a daily race, the anchor, as known from elsewhere
 * @returns {Promise<Check[]>} in a fixed order; if the form is wrong, only `structure`
 */
export async function verify(text, subtle, known = {}) {
  const { key = "", promised = "", anchor = "" } = known;
  let again, parts;
  try {
    const file = JSON.parse(text);
    again = canonical(file);
    parts = unseal(file);
  } catch (error) {
    const where = "file";
    if (error instanceof SyntaxError) return [wrong("structure", "unreadable", { where })];
    if (error instanceof NotCanonical) return [wrong("structure", error.code, { where })];
    if (error instanceof BadRecord) {
      const verdict = error.code === "newer_version" ? "unknown" : "wrong";
      return [check("structure", verdict, finding(error.code, error.values))];
    }
    throw error;
  }
  const { record, key: signer } = parts;
  const replays = record.racers.map((racer) => replay(record.board, racer));
  const checks = [structure(again === text, record), await signatureCheck(parts, subtle)];
  if (key) checks.push(passed("key", signer === key));
  if (promised) checks.push(passed("promise", record.commitment.startsWith(promised)));
  return [
    ...checks,
    ...(record.daily ? dailyChecks(record, record.daily, anchor) : drawChecks(record)),
    boardCheck(record),
    slidesCheck(record, replays),
    countsCheck(record, replays),
    timesCheck(record),
    rankingCheck(record),
  ];
}

/** @type {(code: string, values?: Finding["values"]) => Finding} */
const finding = (code, values = {}) => ({ code, values });
/** @type {(name: string, verdict: Check["verdict"], ...findings: Finding[]) => Check} */
const check = (name, verdict, ...findings) => ({ name, verdict, findings });

/** @type {(name: string, values?: Finding["values"]) => Check} */
const ok = (name, values) => check(name, "ok", finding("ok", values));
/** @type {(name: string, code: string, values?: Finding["values"]) => Check} */
const wrong = (name, code, values) => check(name, "wrong", finding(code, values));
/** @type {(name: string, code: string) => Check} */
const unknown = (name, code) => check(name, "unknown", finding(code));
/** @type {(name: string, holds: boolean, values?: Finding["values"]) => Check} */
const passed = (name, holds, values) =>
  holds ? ok(name, values) : wrong(name, "wrong", values);

/**
 * The parts of a file whose form is right.
 * @typedef {{record: WrittenRace, key: string, signature: string, message: string}} Signed
 *   message: what the signature is for
 */

/** @param {unknown} file as parsed @returns {Signed} @throws {BadRecord} */
function unseal(file) {
  if (typeof file !== "object" || file === null || Array.isArray(file))
    throw new BadRecord("file", "not_object");
  if (Object.keys(file).sort().join() !== "key,record,signature")
    throw new BadRecord("file", "wrong_parts");
  const { record, key, signature } = /** @type {Record<string, unknown>} */ (file);
  const notHex = (/** @type {string} */ name, /** @type {unknown} */ value, count = 64) =>
    new BadRecord(name, "not_hex", { value: shown(value), count });
  if (!isHex(key, 64)) throw notHex("key", key);
  if (!isHex(signature, 128)) throw notHex("signature", signature, 128);
  return { record: read(record), key, signature, message: canonical(record) };
}

/** @param {boolean} isCanonical @param {WrittenRace} record */
function structure(isCanonical, { redacted }) {
  if (isCanonical)
    return check("structure", "ok", finding("ok"), ...(redacted ? [finding("redacted")] : []));
  // JSON.parse hides, for one, that an object has the same key twice.
  return unknown("structure", "not_canonical");
}

/** @param {Signed} file @param {SubtleCrypto | undefined} subtle */
async function signatureCheck({ key, signature, message }, subtle) {
  const holds = await verified(key, signature, message, subtle);
  if (holds === null) return unknown("signature", "unavailable");
  return holds ? ok("signature", { key }) : wrong("signature", "wrong");
}

// --- The draw ------------------------------------------------------------------------

/** @param {WrittenRace} record */
function drawChecks(record) {
  const { race, racers } = record;
  if (record.secret === null)
    return ["commitment", "nonces", "seed"].map((name) => unknown(name, "seed_known"));
  const { width, height } = parseBoard(record.board);
  const secret = hexToBytes(record.secret);
  /** @type {[number, Uint8Array][]} */
  const nonces = [];
  for (const { seat, nonce } of racers)
    if (nonce !== null) nonces.push([seat, hexToBytes(nonce)]);
  const seed = bytesToHex(seedOf(race, width, height, secret, nonces));
  return [
    passed("commitment", commitment(race, width, height, secret) === record.commitment),
    noncesCheck(race, racers),
    passed("seed", seed === record.seed),
  ];
}

/**
 * Nobody draws the board of a daily race: it follows from the secret of its day.
 * @param {WrittenRace} record
 * @param {{date: string, secret: string}} daily
 * @param {string} anchor 64 hex digits, or empty
 */
function dailyChecks({ seed, rules: { size } }, { date, secret }, anchor) {
  const verdict = dailySeed(secret, size, date) === seed ? "ok" : "wrong";
  const seedCheck = check("seed", verdict, finding(`${verdict}_daily`, { date }));
  if (!anchor) return [seedCheck, unknown("anchor", "not_given")];
  const leads = anchorOf(secret, size, dayNumber(date) ?? 0) === anchor;
  return [seedCheck, passed("anchor", leads, { date })];
}

/** @param {string} race @param {WrittenRacer[]} racers */
function noncesCheck(race, racers) {
  const other = racers.find(
    ({ seat, nonce, nonce_commitment: committed }) =>
      nonce !== null && nonceCommitment(race, seat, hexToBytes(nonce)) !== committed,
  );
  if (other) return wrong("nonces", "wrong", { seat: other.seat });
  const out = racers.filter(({ nonce }) => nonce === null);
  const committed = out.filter((racer) => racer.nonce_commitment !== null);
  const uncommitted = out.filter((racer) => racer.nonce_commitment === null);
  const used = racers.length - out.length;
  const findings = [finding("ok", { used, racers: racers.length })];
  if (committed.length) findings.push(finding("left_out", seatsOf(committed)));
  if (uncommitted.length) findings.push(finding("uncommitted", seatsOf(uncommitted)));
  return check("nonces", "ok", ...findings);
}

/** @param {WrittenRacer[]} racers */
function seatsOf(racers) {
  const seats = racers.map(({ seat }) => seat).sort((a, b) => a - b);
  return { seats: seats.join(", ") };
}

/** @param {WrittenRace} record */
function boardCheck({ seed, board }) {
  const { width, height } = parseBoard(board);
  const scrambled = formatBoard(scramble(hexToBytes(seed), width, height));
  return passed("board", scrambled === board);
}

// --- The slides ----------------------------------------------------------------------

/**
 * The outcome of one racer's slides.
 * @typedef {{fault: Finding | null, solved: boolean, high: number, highMs: number}} Replay
 */

/** @param {string} start board text @param {WrittenRacer} racer @returns {Replay} */
function replay(start, { seat, slides }) {
  const board = parseBoard(start);
  const startMd = board.md;
  /** @type {Replay} */
  const found = { fault: null, solved: false, high: 0, highMs: 0 };
  let last = 0;
  for (const [i, [direction, tiles, , at]] of slides.entries()) {
    const where = { seat, n: i + 1 };
    if (board.isSolved) {
      found.fault = finding("after_solved", where);
    } else if (!board.trySlide(direction, tiles)) {
      const slide = formatTokens([[direction, tiles]]);
      found.fault = finding("illegal", { ...where, slide });
    } else if (at < last) {
      found.fault = finding("out_of_order", where);
    }
    if (found.fault) break;
    last = at;
    const now = progressPermille(board.md, startMd);
    if (now > found.high) [found.high, found.highMs] = [now, at];
  }
  return { ...found, solved: board.isSolved };
}

/** @param {WrittenRace} record @param {Replay[]} replays */
function slidesCheck({ racers }, replays) {
  for (const [n, racer] of racers.entries()) {
    const { fault, solved } = replays[n];
    if (fault) return check("slides", "wrong", fault);
    const code = statusFault(racer, solved);
    if (code) return wrong("slides", code, { seat: racer.seat });
  }
  return ok("slides", {
    total: racers.reduce((sum, { slides }) => sum + slides.length, 0),
  });
}

/** @param {WrittenRacer} racer @param {boolean} solved */
function statusFault({ status, finish, why, slides }, solved) {
  const finished = status === "finished";
  if (finished && !solved) return "finished_unsolved";
  if (solved && !finished) return "solved_unfinished";
  if (finished !== (finish !== null)) return "finish_mismatch";
  if (["dnf", "dns"].includes(status) !== (why !== "")) return "reason_mismatch";
  if (status === "dns" && slides.length > 0) return "dns_with_slides";
  return "";
}

/** @param {WrittenRace} record @param {Replay[]} replays */
function countsCheck({ racers }, replays) {
  for (const [n, racer] of racers.entries()) {
    const { high, highMs } = replays[n];
    const right = [stm(racer.slides), mtm(racer.slides), high, highMs];
    const written = [racer.stm, racer.mtm, racer.high, racer.high_ms];
    if (right.some((value, at) => value !== written[at]))
      return wrong("counts", "wrong", { seat: racer.seat });
  }
  return ok("counts");
}

// --- Times and places ----------------------------------------------------------------

/** @param {WrittenRace} record */
function timesCheck(record) {
  const fault = timeFault(record);
  if (fault) {
    const { code, ...values } = fault;
    return wrong("times", code, values);
  }
  const findings = [finding("ok")];
  const ms = record.outages.map(([down, up]) => up - down).join(", ");
  if (ms) findings.push(finding("outages", { ms }));
  if (record.rules.friendly_timing) findings.push(finding("friendly"));
  return check("times", "ok", ...findings);
}

/** @param {WrittenRace} record */
function rankingCheck({ racers }) {
  const ranked = rank(racers);
  if (ranked.some(({ racer }, n) => racer !== racers[n])) return wrong("ranking", "order");
  for (const { racer, place, photo } of ranked) {
    const { seat } = racer;
    if (racer.place !== place) return wrong("ranking", "place", { seat });
    if ((racer.finish?.photo ?? false) !== photo)
      return wrong("ranking", "photo", { seat });
  }
  return ok("ranking");
}
