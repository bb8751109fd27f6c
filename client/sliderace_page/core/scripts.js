// Whether a nickname mixes scripts. Pure. Not in format.js, as only a room needs it.

import { constants } from "./constants.js";

/**
 * Whether the letters of a cleaned name belong to one script: servers refuse other names.
 * @param {string} name
 */
export function usesOneScript(name) {
  const letters = name.normalize("NFKC").match(/[\p{Ll}\p{Lo}\p{Lt}\p{Lu}]/gu) ?? [];
  return new Set(letters.map(scriptOf)).size < 2;
}

/** @param {string} letter @returns {string} empty: none of those we know */
function scriptOf(letter) {
  const point = letter.codePointAt(0) ?? 0;
  for (const [script, ranges] of Object.entries(constants.scripts))
    for (const range of ranges.split(" ")) {
      const [first, last] = range.split("-").map((hex) => parseInt(hex, 16));
      if (first <= point && point <= last) return script;
    }
  return "";
}
