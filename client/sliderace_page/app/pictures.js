// Pictures for the tiles: some of our own, and one that stays in this browser.

const CHOSEN = "sliderace.picture";
const OWN = "sliderace.picture.own";
const MOST_BYTES = 30_000_000; // of a file: a phone's photo has a tenth of it
const MOST_PIXELS = 60_000_000; // more, and a phone runs out of memory
const SIDE = 1024; // px that are kept: a board is hardly larger
const QUALITY = 0.86;

/** A picture that cannot be used; the text says why, and is meant to be read. */
export class BadPicture extends Error {}

/** Ours: name -> what it shows. */
export const BUILT_IN = Object.freeze({
  hills: "Hills at dusk",
  harbour: "Harbour",
  garden: "Garden",
  rings: "Rings",
});

/**
 * What was chosen: {name, numbers}; name is one of `BUILT_IN`, "own", or "" for none.
 * @param {Storage} [storage]
 */
export function chosen(storage) {
  try {
    const { name, numbers } = JSON.parse(storage.getItem(CHOSEN));
    const known = Object.hasOwn(BUILT_IN, name) || (name === "own" && own(storage));
    return { name: known ? name : "", numbers: numbers !== false };
  } catch {
    return { name: "", numbers: true };
  }
}

/** @returns {boolean} whether it will be remembered */
export function choose(storage, { name, numbers }) {
  return kept(storage, CHOSEN, JSON.stringify({ name, numbers }));
}

function kept(storage, key, text) {
  try {
    storage.setItem(key, text);
    return true;
  } catch {
    return false; // full or forbidden
  }
}

let unkept = ""; // one's own picture where the storage does not take it

/** One's own picture as a data URL, or "". */
export function own(storage) {
  try {
    return storage.getItem(OWN) || unkept;
  } catch {
    return unkept;
  }
}

/** @returns {boolean} whether it will be remembered */
export function keepOwn(storage, url) {
  unkept = url;
  return kept(storage, OWN, url);
}

/** Where a picture is. @param {string} name @returns {string | null} */
export function urlOf(name, storage) {
  if (name === "own") return own(storage) || null;
  if (!Object.hasOwn(BUILT_IN, name)) return null;
  return new URL(`../pictures/${name}.svg`, import.meta.url).href;
}

/** Put what was chosen on a board. @param {BoardView} board */
export function dress(board, storage) {
  const { name, numbers } = chosen(storage);
  board.setPicture(urlOf(name, storage), numbers);
}

/**
 * A file as a square picture of a size that can be kept. It never leaves the browser.
 * @param {File} file
 * @returns {Promise<string>} a data URL
 * @throws {BadPicture}
 */
export async function square(file) {
  if (file.size > MOST_BYTES)
    throw new BadPicture("That file is larger than 30 MB. Please take a smaller one.");
  let bitmap;
  try {
    bitmap = await createImageBitmap(file);
  } catch {
    throw new BadPicture("This browser cannot read that file as a picture.");
  }
  try {
    const { width, height } = bitmap;
    if (width * height > MOST_PIXELS)
      throw new BadPicture("That picture has too many pixels. Please take a smaller one.");
    return cut(bitmap, width, height);
  } finally {
    bitmap.close();
  }
}

function cut(bitmap, width, height) {
  const side = Math.min(width, height);
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = Math.min(SIDE, side);
  canvas
    .getContext("2d")
    .drawImage(
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
