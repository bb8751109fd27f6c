// Constants that server and page share, by subject; both files are generated from the
// server's own. Pure: start.json is fetched at the start, constants.json with the texts of
// the other screens (app/load-texts.js). Use them in functions only: while a module loads,
// they are not there yet.

/** @typedef {typeof import("../../../shared/sliderace/texts/start.json")
 *   & typeof import("../../../shared/sliderace/texts/constants.json")} Constants */

export const constants = /** @type {Constants} */ ({});

/** Add the constants of a file. @param {Partial<Constants>} found */
export function addConstants(found) {
  Object.assign(constants, found);
}
