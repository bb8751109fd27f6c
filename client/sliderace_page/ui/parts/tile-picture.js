// The picture that was chosen for the player's own board; its code is only fetched if
// there is one.

import { sheet } from "../preload.js";

const CHOSEN = "sliderace.picture"; // as in app/pictures.js

/**
 * Show the chosen picture on a board, now and when another one is chosen.
 * @param {BoardView} board
 * @returns {() => void} stops that
 */
export function showTilePicture(board) {
  const update = async () => {
    if (!isChosen()) return;
    const [{ dress }] = await Promise.all([
      import("../../app/pictures.js"),
      sheet("styles/picture.css"),
    ]);
    dress(board, localStorage);
  };
  const tryUpdate = () => update().catch(() => {}); // offline: the colours stay
  addEventListener("picture", tryUpdate);
  tryUpdate();
  return () => removeEventListener("picture", tryUpdate);
}

function isChosen() {
  try {
    return localStorage.getItem(CHOSEN) !== null;
  } catch {
    return false;
  }
}
