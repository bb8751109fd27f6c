// Formats room codes, links, nicknames and sizes. Pure.

import { constants } from "./constants.js";
import { text } from "./texts.js";

/**
 * The six letters of a room code, or null if it is none.
 * @param {string} typed case, spaces and dashes are ignored
 * @returns {string | null}
 */
export function parseCode(typed) {
  const code = typed.replace(/[\s\-\u2010-\u2014\u2212]/g, "").toUpperCase();
  const { alphabet, length } = constants.room_code;
  const known = [...code].every((letter) => alphabet.includes(letter));
  return known && code.length === length ? code : null;
}

/** A room code as it is shown and spoken: `KWX-TRB`. @param {string} code */
export const formatCode = (code) => `${code.slice(0, 3)}-${code.slice(3)}`;

/**
 * The room code in a code or a whole link, as somebody types or pastes it.
 * @param {string} typed
 * @returns {string | null} the six letters
 */
export function codeOfText(typed) {
  const last = typed
    .trim()
    .replace(/[?#].*$/, "")
    .replace(/\/+$/, "")
    .split("/")
    .pop();
  return parseCode(last ?? "");
}

// Two cells: East Asian wide characters and emoji.
const WIDE =
  /[\p{Emoji_Presentation}\u1100-\u115f\u2630-\u2637\u268a-\u268f\u2e80-\u303e\u3041-\u3247\u3250-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1aff0}-\u{1b2ff}\u{1d300}-\u{1d376}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}]/u;
// No cells: marks, and the later parts of a Korean syllable that has not been composed.
const NARROWEST = /[\p{M}\u1160-\u11ff\ud7b0-\ud7ff]/u;
const FLAG_HALF = /^(?:.*[^\p{RI}])?(?:\p{RI}\p{RI})*\p{RI}$/su;
const TAKES_TONE = /\p{Emoji_Modifier_Base}$/u;
// Control, bidi, zero-width, surrogate and unassigned characters; and those that are
// invisible though their category is letter, mark or symbol.
const UNSEEN =
  /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]|[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\ufffc\ufffd\u{1d159}\u{e0100}-\u{e01ef}]/gu;

/**
 * How many cells a letter adds to the text before it.
 * @param {string} before
 * @param {string} letter one code point
 */
function widthAfter(before, letter) {
  if (NARROWEST.test(letter)) return 0;
  if (/\p{RI}/u.test(letter) && FLAG_HALF.test(before)) return 0;
  if (/\p{Emoji_Modifier}/u.test(letter) && TAKES_TONE.test(before)) return 0;
  return WIDE.test(letter) ? 2 : 1;
}

/**
 * A nickname that is safe to show: one line of visible text, at most 20 cells wide.
 * Servers clean names by the same rules, but the page does not rely on it.
 * @param {string} raw
 * @returns {string} possibly empty
 */
export function cleanName(raw) {
  const spaced = raw.replace(/\s/gu, " ").replace(UNSEEN, "");
  const plain = spaced.replace(/ +/g, " ").trim().normalize("NFC");
  const { max_cells: maxCells, max_marks: maxMarks } = constants.name;
  let name = "";
  let cells = 0;
  let marks = maxMarks; // none may come first
  for (const letter of plain) {
    if (letter === " " && name === "") continue;
    const width = widthAfter(name, letter);
    if (cells + width > maxCells) break;
    marks = width ? 0 : marks + 1;
    if (marks > maxMarks) continue;
    name += letter;
    cells += width;
  }
  return name.normalize("NFC").trim();
}

/**
 * Whether a link leads to the machine that opens it.
 * @param {string} link
 */
export const isLoopback = (link) =>
  /^https?:\/\/(localhost|[^/:]*\.localhost|127\.[\d.]+|\[::1\])(:|\/|$)/i.test(link);

/**
 * A random friendly nickname.
 * @param {number} a random, at least 0 and below 1
 * @param {number} b the same, independent of `a`
 */
export function friendlyName(a, b) {
  const manners = text("name.manners").split(" ");
  const animals = text("name.animals").split(" ");
  return text("name.friendly", {
    manner: manners[Math.floor(a * manners.length)],
    animal: animals[Math.floor(b * animals.length)],
  });
}

/** `4x4` with a real multiplication sign. @param {string} size */
export const formatSize = (size) => size.replace("x", "\u00d7");
