// What a player can check after a race without trusting the server. Pure.

import * as engine from "./engine.js";

/**
 * Check the told secret, seed and board of a race against the commitment shown before.
 * @param {{race: string, secret: string | null, seed: string, board: string}} results
 * @param {{size: string, commitment: string, seedKnown: boolean}} promise as shown
 * @returns {string[]} what does not hold; empty: all is well
 */
export function faults({ race, secret, seed, board }, promise) {
  try {
    const { width, height } = engine.parseSize(promise.size);
    const wrong = promise.seedKnown ? [] : secretFaults(race, width, height);
    const scrambled = engine.scramble(engine.hexToBytes(seed), width, height);
    if (engine.formatBoard(scrambled) !== board) {
      wrong.push("The board does not follow from the seed.");
    }
    return wrong;
  } catch (error) {
    if (error instanceof engine.EngineError)
      return [`Not checkable: ${error.message}.`];
    throw error;
  }

  function secretFaults(id, width, height) {
    if (secret === null) return ["The server has not told its secret."];
    const bytes = engine.hexToBytes(secret);
    const wrong = [];
    if (engine.commitment(id, width, height, bytes) !== promise.commitment) {
      wrong.push("The secret is not the one committed to before the race.");
    }
    if (engine.bytesToHex(engine.seedOf(id, width, height, bytes)) !== seed) {
      wrong.push("The seed does not follow from the secret.");
    }
    return wrong;
  }
}
