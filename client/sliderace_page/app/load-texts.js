// Fetches the catalogue and the constants: those of the first screens at the start, the
// others when needed.

import { addConstants } from "../core/constants.js";
import { addTexts } from "../core/texts.js";

/** @type {Promise<void> | null} */
let loading = null;

/**
 * Fetch a JSON file that lies beside the texts.
 * @param {string} name without its ending
 * @returns {Promise<any>} what it holds
 * @throws {TypeError} the server does not answer
 */
export async function readJson(name) {
  const answer = await fetch(`texts/${name}.json`);
  if (!answer.ok) throw new TypeError(`${name}: ${answer.status}`);
  return answer.json();
}

/** Load all texts and constants, once; after a failure the next call tries again. */
export function loadTexts() {
  loading ??= Promise.all(["constants", "common.en", "page.en"].map(readJson))
    .then(([constants, ...texts]) => {
      addConstants(constants);
      addTexts(...texts);
    })
    .catch((error) => {
      loading = null;
      throw error;
    });
  return loading;
}

/**
 * Wait for a module and for all texts; modules that are not loaded at the start need this.
 * @template T
 * @param {Promise<T>} module
 * @returns {Promise<T>}
 */
export async function withTexts(module) {
  const [loaded] = await Promise.all([module, loadTexts()]);
  return loaded;
}
