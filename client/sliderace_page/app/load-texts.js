// Fetches the catalogue: the first screens' texts at the start, the others when needed.

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

/** Load all texts, once; after a failure the next call tries again. */
export function loadTexts() {
  loading ??= Promise.all(["common.en", "page.en"].map(readJson))
    .then((files) => addTexts(...files))
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
