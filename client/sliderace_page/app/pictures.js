// Pictures for the tiles: built-in ones, and one of the player's own, which never leaves
// this browser.

const CHOSEN = "sliderace.picture";
const OWN = "sliderace.picture.own";
const MAX_BYTES = 30_000_000; // of a file: ten times the size of a phone's photo
const MAX_PIXELS = 60_000_000; // with more, a phone runs out of memory
const SIDE = 1024; // px of a stored picture: a board is hardly larger
const QUALITY = 0.86;

/** @typedef {"too_large" | "unreadable" | "too_many_pixels"} Fault */
/** @typedef {{name: string, numbers: boolean}} Choice name: a built-in picture, "own", or
 *   "" for none; numbers: whether tiles show theirs */

/** A picture that cannot be used; the catalogue words the fault as `picture.FAULT`. */
export class BadPicture extends Error {
  /** @param {Fault} fault */
  constructor(fault) {
    super(fault);
    this.fault = fault;
  }
}

/** Built-in pictures; the catalogue names each as `picture.NAME`. */
export const BUILT_IN = Object.freeze(["hills", "harbour", "garden", "rings"]);

/** @param {Storage | undefined} storage @returns {Choice} */
export function chosen(storage) {
  try {
    const { name, numbers } = JSON.parse(storage?.getItem(CHOSEN) ?? "{}");
    const known = BUILT_IN.includes(name) || (name === "own" && own(storage));
    return { name: known ? name : "", numbers: numbers !== false };
  } catch {
    return { name: "", numbers: true };
  }
}

/**
 * @param {Storage | undefined} storage @param {Choice} choice
 * @returns {boolean} whether it is remembered
 */
export function choose(storage, { name, numbers }) {
  return keep(storage, CHOSEN, JSON.stringify({ name, numbers }));
}

/** @param {Storage | undefined} storage @param {string} key @param {string} value */
function keep(storage, key, value) {
  try {
    storage?.setItem(key, value);
    return storage !== undefined;
  } catch {
    return false; // full or forbidden
  }
}

let notStored = ""; // the player's own picture, if the storage does not take it

/** The player's own picture as a data URL, or "". @param {Storage | undefined} storage */
export function own(storage) {
  try {
    return storage?.getItem(OWN) || notStored;
  } catch {
    return notStored;
  }
}

/**
 * @param {Storage | undefined} storage @param {string} url
 * @returns {boolean} whether it is remembered
 */
export function keepOwn(storage, url) {
  notStored = url;
  return keep(storage, OWN, url);
}

/**
 * The address of a picture; null: none.
 * @param {string} name @param {Storage | undefined} storage
 */
export function urlOf(name, storage) {
  if (name === "own") return own(storage) || null;
  if (!BUILT_IN.includes(name)) return null;
  return new URL(`../pictures/${name}.svg`, import.meta.url).href;
}

/** Put the chosen picture on a board. @param {BoardView} board @param {Storage | undefined} storage */
export function dress(board, storage) {
  const { name, numbers } = chosen(storage);
  board.setPicture(urlOf(name, storage), numbers);
}

/**
 * A file as a square picture of a size that can be kept.
 * @param {File} file
 * @returns {Promise<string>} a data URL
 * @throws {BadPicture}
 */
export async function square(file) {
  if (file.size > MAX_BYTES) throw new BadPicture("too_large");
  let bitmap;
  try {
    bitmap = await createImageBitmap(file);
  } catch {
    throw new BadPicture("unreadable");
  }
  try {
    const { width, height } = bitmap;
    if (width * height > MAX_PIXELS) throw new BadPicture("too_many_pixels");
    return cut(bitmap, width, height);
  } finally {
    bitmap.close();
  }
}

/** The middle square. @param {ImageBitmap} bitmap @param {number} width @param {number} height */
function cut(bitmap, width, height) {
  const side = Math.min(width, height);
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = Math.min(SIDE, side);
  canvas
    .getContext("2d")
    ?.drawImage(
      bitmap,
      (width - side) / 2,
      (height - side) / 2,
      side,
      side,
      0,
      0,
      canvas.width,
      canvas.height,
    );
  return canvas.toDataURL("image/jpeg", QUALITY);
}
