// The picture that was chosen for one's own board; its code is fetched only where
// there is one.

import { sheet } from "../preload.js";

const CHOSEN = "sliderace.picture"; // as in picture/pictures.js

/**
 * @param {BoardView} board gets the picture, now and when another is chosen
 * @returns {() => void} stop that
 */
export function wear(board) {
  const look = async () => {
    if (!isChosen()) return;
    const [{ dress }] = await Promise.all([
      import("../../app/pictures.js"),
      sheet("styles/picture.css"),
    ]);
    dress(board, localStorage);
  };
  const quietly = () => look().catch(() => {}); // offline: the colours stay
  addEventListener("picture", quietly);
  quietly();
  return () => removeEventListener("picture", quietly);
}

function isChosen() {
  try {
    return localStorage.getItem(CHOSEN) !== null;
  } catch {
    return false;
  }
}
