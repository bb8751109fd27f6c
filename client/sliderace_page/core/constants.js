// Constants that server and page share, by subject. They are read from constants.json,
// which is generated from the server's own. Pure: main.js fetches the file. Use them in
// functions only: while a module loads, they are not there yet.

/** @typedef {typeof import("../../../shared/sliderace/texts/constants.json")} Constants */

/** @type {Constants} */
export let constants;

/** Take the constants; call it once, before anything else. @param {Constants} found */
export function setConstants(found) {
  constants = found;
}
