// What a player can check after a race without trusting the server. Pure.

import * as engine from "./engine.js";

const { EngineError, bytesToHex, hexToBytes } = engine;

/**
 * What a page keeps of a race, to hold against it what is told afterwards.
 * @typedef {object} Kept
 * @property {string} size as first shown
 * @property {string} commitment as first shown
 * @property {boolean} seedKnown in advance: nothing is drawn
 * @property {Map<number, string | null> | null} listed the roster as first shown: seat
 *   -> the commitment of its nonce; null: never shown
 * @property {string | null} start the board as first shown
 * @property {number | null} seat ours; null: we did not race
 * @property {string | null} nonce ours, where the server was bound to it
 * @property {{base: number, acked: number, slides: [string, number, number][]} | null}
 *   own our slides after number `base`; up to `acked` the server has them
 */

/**
 * Check the told secret, nonces, seed and board against what was shown before.
 * @param {Wire} results as told
 * @param {Kept} kept
 * @returns {string[]} what does not hold; empty: all is well
 */
export function faults(results, kept) {
  const { seed, board } = results;
  try {
    const { width, height } = engine.parseSize(kept.size);
    const wrong = kept.seedKnown ? [] : drawFaults(results, kept, width, height);
    const scrambled = engine.scramble(hexToBytes(seed), width, height);
    if (engine.formatBoard(scrambled) !== board) {
      wrong.push("The board does not follow from the seed.");
    }
    if (board !== (kept.start ?? board)) {
      wrong.push("The board is not the one that was raced on.");
    }
    return wrong;
  } catch (error) {
    if (error instanceof EngineError)
      return [`Not checkable: ${error.message}.`];
    throw error;
  }
}

function drawFaults({ race, secret, seed, nonces, standings }, kept, width, height) {
  const wrong = [];
  if (kept.listed && !isListed(kept.listed, nonces)) {
    wrong.push("The list of who takes part in the draw was changed after it.");
  }
  const used = nonces
    .filter(({ nonce }) => nonce !== null)
    .map(({ seat, nonce }) => [seat, hexToBytes(nonce)]);
  const bound = new Map(nonces.map(({ seat, commitment }) => [seat, commitment]));
  for (const [seat, nonce] of used) {
    if (engine.nonceCommitment(race, seat, nonce) === bound.get(seat)) continue;
    const { name = "somebody" } = standings.find((row) => row.seat === seat) ?? {};
    wrong.push(`The part of ${name} in the draw is not the one fixed before it.`);
  }
  if (secret === null) return [...wrong, "The server has not told its secret."];
  const bytes = hexToBytes(secret);
  if (engine.commitment(race, width, height, bytes) !== kept.commitment) {
    wrong.push("The secret is not the one committed to before the race.");
  }
  if (bytesToHex(engine.seedOf(race, width, height, bytes, used)) !== seed) {
    wrong.push("The seed does not follow from the secret and the players\u2019 parts.");
  }
  return wrong;
}

/** Whether these seats, and these only, were listed with these commitments. */
const isListed = (listed, rows) =>
  rows.length === listed.size &&
  rows.every(({ seat, commitment }) => listed.get(seat) === commitment);

/**
 * What became of our own part in the draw; a slow line may have cost it.
 * @param {Wire} results as told
 * @param {Kept} kept
 * @returns {string} empty: it was used, or there was none
 */
export function partFault({ nonces }, { seat, nonce, seedKnown }) {
  if (seat === null || nonce === null || seedKnown) return "";
  const used = nonces.find((one) => one.seat === seat)?.nonce ?? null;
  if (used === nonce) return "";
  return used === null
    ? "Your browser\u2019s part was left out of the draw: it came too late, or the server did not take it."
    : "The draw has another part for you than the one this browser sent.";
}

/**
 * Check the record of a race against what we were shown and what we sent.
 * @param {any} record as read; it may be anything
 * @param {Wire} results as told
 * @param {Kept} kept
 * @returns {string[]} what differs; empty: nothing
 */
export function against(record, results, kept) {
  const racers = Array.isArray(record?.racers) ? record.racers.filter(Boolean) : [];
  const told = {
    race: results.race,
    size: kept.size,
    commitment: kept.commitment,
    board: kept.start ?? results.board,
    seed: results.seed,
    secret: results.secret,
  };
  const found = { ...record, size: record?.rules?.size };
  const wrong = Object.keys(told)
    .filter((name) => found[name] !== told[name])
    .map((name) => `The record has another ${name}.`);
  const bound = racers.map((one) => ({ ...one, commitment: one.nonce_commitment }));
  if (kept.listed && !isListed(kept.listed, bound)) {
    wrong.push("The record has another list of who takes part in the draw.");
  } else if (!same(parts(bound), parts(results.nonces))) {
    wrong.push("The record has other parts of the players in the draw.");
  }
  for (const row of results.standings) {
    const racer = racers.find(({ seat }) => seat === row.seat);
    const { status, place, finish } = racer ?? {};
    const time = finish?.official_ms ?? null;
    if (!same([status, place, time], [row.status, row.place, row.time_ms])) {
      wrong.push(`The record has another result of ${row.name}.`);
    }
  }
  const mine = racers.find(({ seat }) => seat === kept.seat);
  if (kept.own && !holds(mine?.slides, kept.own)) {
    wrong.push("The record has other slides of yours than you made.");
  }
  return wrong;
}

const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

const parts = (rows) =>
  rows.map(({ seat, nonce }) => [seat, nonce]).sort(([a], [b]) => a - b);

/** Whether a record has our slides, all that the server had, and nothing but them. */
function holds(written, { base, acked, slides }) {
  if (!Array.isArray(written) || written.length < acked) return false;
  const later = written.slice(base).map((slide) => slide?.slice?.(0, 3));
  return same(later, slides.slice(0, later.length));
}
