// Checks after a race that do not trust the server. Pure.
//
// `faults` and `nonceRemark` are about the results, which arrive at once; `against` is
// about the race record, which anyone can fetch later. All of them return data; the
// catalogue words a fault as `fault.CODE` and a remark as `remark.CODE`.

import * as engine from "./engine.js";

const { EngineError, bytesToHex, hexToBytes } = engine;

/**
 * Seat -> its nonce commitment, or null without one.
 * @typedef {Map<number, string | null>} Listed
 */

/**
 * The facts of a race as the server first showed them.
 * @typedef {object} Shown
 * @property {string} size
 * @property {string} commitment
 * @property {boolean} seedKnown in advance: nothing is drawn
 * @property {boolean} late the race was over already: the server promised us nothing
 * @property {Listed | null} listed the frozen roster; null: never shown
 * @property {string | null} start the board; null: never shown
 */

/**
 * The evidence that a page keeps of a race, to check the results and the record.
 * @typedef {Shown & Own} Kept
 */

/**
 * @typedef {object} Own
 * @property {number | null} seat ours; null: we did not race
 * @property {string | null} nonce ours, if we committed to one
 * @property {Attempt | null} own our slides after number `base`; the server has those up
 *   to `acked`
 */

/** A fault whose wording needs nothing else.
 * @typedef {"unreadable" | "board_not_from_seed" | "commitment_broken" | "not_revealed" |
 *   "seed_not_from_parts" | "list_changed" | "board_not_raced" | "record_unreadable" |
 *   "record_other_race" | "record_commitment" | "record_size" | "record_list" |
 *   "record_nonces" | "record_seed" | "record_board" | "record_results" |
 *   "record_without_you" | "record_slides_missing" | "record_slides_differ"} PlainFault */

/**
 * Something that proves the server wrong.
 * @typedef {{code: PlainFault} | {code: "wrong_nonce", name: string}} Fault
 */

/**
 * Why our nonce was not used in the draw; it need not be the server's fault.
 * @typedef {"nonce_left_out" | "nonce_replaced"} NonceRemark
 */

// --- The results ---------------------------------------------------------------------

/**
 * Check secret, nonces, seed and board against the facts shown before.
 * @param {Results} results
 * @param {Kept} kept
 * @returns {Fault[]} empty: everything is right
 */
export function faults(results, kept) {
  const { seed, board } = results;
  try {
    const { width, height } = engine.parseSize(kept.size);
    const found = listFaults(results, kept);
    if (!kept.seedKnown) found.push(...drawFaults(results, kept, width, height));
    const scrambled = engine.scramble(hexToBytes(seed), width, height);
    if (engine.formatBoard(scrambled) !== board)
      found.push({ code: "board_not_from_seed" });
    if (board !== (kept.start ?? board)) found.push({ code: "board_not_raced" });
    return found;
  } catch (error) {
    if (error instanceof EngineError) return [{ code: "unreadable" }];
    throw error;
  }
}

/** Whether everybody who was listed is in the results. @param {Results} results
 * @param {Kept} kept @returns {Fault[]} */
function listFaults({ nonces, standings }, { listed }) {
  if (!listed) return [];
  const isThere = standings.every(({ seat }) => listed.has(seat));
  const all = isThere && standings.length === listed.size && isListed(listed, nonces);
  return all ? [] : [{ code: "list_changed" }];
}

/**
 * @param {Results} results
 * @param {Kept} kept
 * @param {number} width
 * @param {number} height
 */
function drawFaults({ race, secret, seed, nonces, standings }, kept, width, height) {
  /** @type {Fault[]} */
  const found = [];
  /** @type {[number, Uint8Array][]} */
  const used = [];
  for (const { seat, commitment, nonce } of nonces) {
    if (nonce === null) continue;
    const bytes = hexToBytes(nonce);
    used.push([seat, bytes]);
    if (engine.nonceCommitment(race, seat, bytes) === commitment) continue;
    const name = standings.find((row) => row.seat === seat)?.name ?? "?";
    found.push({ code: "wrong_nonce", name });
  }
  if (secret === null) return [...found, /** @type {Fault} */ ({ code: "not_revealed" })];
  const bytes = hexToBytes(secret);
  if (engine.commitment(race, width, height, bytes) !== kept.commitment)
    found.push({ code: "commitment_broken" });
  if (bytesToHex(engine.seedOf(race, width, height, bytes, used)) !== seed)
    found.push({ code: "seed_not_from_parts" });
  return found;
}

/**
 * Whether exactly these seats were listed, with these commitments.
 * @param {Listed} listed
 * @param {{seat: unknown, commitment: unknown}[]} rows
 */
const isListed = (listed, rows) =>
  rows.length === listed.size &&
  rows.every(({ seat, commitment }) => listed.get(Number(seat)) === commitment);

/**
 * Return why our own nonce was not used.
 * @param {Results} results
 * @param {Kept} kept
 * @returns {NonceRemark | null} null: it was used, or there was none
 */
export function nonceRemark({ nonces }, { seat, nonce, seedKnown }) {
  if (seat === null || nonce === null || seedKnown) return null;
  const used = nonces.find((one) => one.seat === seat)?.nonce ?? null;
  if (used === nonce) return null;
  return used === null ? "nonce_left_out" : "nonce_replaced";
}

// --- The record ----------------------------------------------------------------------

/** @typedef {Record<string, unknown>} Fields */

/**
 * Check a race record against our evidence.
 * @param {unknown} record as parsed; it may be anything
 * @param {Results} results
 * @param {Kept} kept
 * @returns {Fault[]} empty: everything is right
 */
export function against(record, results, kept) {
  return codesAgainst(record, results, kept).map((code) => ({ code }));
}

/**
 * @param {unknown} record @param {Results} results @param {Kept} kept
 * @returns {PlainFault[]}
 */
function codesAgainst(record, results, kept) {
  if (!isObject(record) || !Array.isArray(record.racers)) return ["record_unreadable"];
  if (record.race !== results.race) return ["record_other_race"];
  const racers = record.racers.filter(isObject);
  const size = isObject(record.rules) ? record.rules.size : undefined;
  /** @type {PlainFault[]} */
  const found = [];
  if (size !== kept.size) found.push("record_size");
  if (record.commitment !== kept.commitment) found.push("record_commitment");
  if (record.board !== (kept.start ?? results.board)) found.push("record_board");
  if (record.seed !== results.seed || record.secret !== results.secret)
    found.push("record_seed");
  const rows = racers.map(({ seat, nonce_commitment: commitment, nonce }) => ({
    seat,
    commitment,
    nonce,
  }));
  if (kept.listed && !isListed(kept.listed, rows)) found.push("record_list");
  else if (!same(nonces(rows), nonces(results.nonces))) found.push("record_nonces");
  const written = bySeat(racers).map(writtenResult);
  if (!same(written, bySeat(results.standings).map(sentResult)))
    found.push("record_results");
  const fault = kept.own && slidesFault(racers, kept.seat, kept.own);
  if (fault) found.push(fault);
  return found;
}

/** @param {unknown} value @returns {value is Fields} */
const isObject = (value) => typeof value === "object" && value !== null;

/** @param {unknown} one @param {unknown} other */
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/** @template {{seat?: unknown}} T @param {T[]} rows @returns {T[]} */
const bySeat = (rows) => [...rows].sort((a, b) => Number(a.seat) - Number(b.seat));

/** @param {{seat: unknown, nonce: unknown}[]} rows */
const nonces = (rows) => bySeat(rows).map(({ seat, nonce }) => [seat, nonce]);

/** @param {Fields} racer */
function writtenResult({ finish, ...racer }) {
  const { official_ms, solve_ms, credit_ms, outage_ms } = isObject(finish)
    ? finish
    : { official_ms: null, solve_ms: null, credit_ms: 0, outage_ms: 0 };
  return [...facts(racer), official_ms, solve_ms, credit_ms, outage_ms];
}

/** @param {Standing} row */
const sentResult = (row) => [
  ...facts(row),
  row.time_ms,
  row.solve_ms,
  row.credit_ms,
  row.outage_ms,
];

/** What a racer of the record and a row of the results have alike.
 * @param {Fields | Standing} row */
const facts = ({ seat, name, bot, status, why, place, stm, mtm, high }) => [
  ...[seat, name, bot, status, why, place],
  ...[stm, mtm, high],
];

/**
 * Check that a record has our slides: all that the server stored, and no others.
 * @param {Fields[]} racers
 * @param {number | null} ownSeat
 * @param {NonNullable<Own["own"]>} own
 * @returns {PlainFault | null}
 */
function slidesFault(racers, ownSeat, { base, acked, slides }) {
  const written = racers.find(({ seat }) => seat === ownSeat)?.slides;
  if (written === undefined) return "record_without_you";
  if (!Array.isArray(written) || written.length < acked) return "record_slides_missing";
  const later = written.slice(base).map((slide) => slide?.slice?.(0, 3));
  return same(later, slides.slice(0, later.length)) ? null : "record_slides_differ";
}
