// The player's own finish, and the winner's as the others see it, on the player's board.

import { finishText } from "../../core/wording.js";
import { h, isStill, setText, show } from "../dom.js";

export const STAND_MS = 1500; // how long the solved board and the time stay
export const FADE_MS = 240; // to the next screen
export const PLATE_MS = 300; // until the time covers the board
const SWELL_MS = 240;
const WAVE_MS = 35; // from one diagonal of tiles to the next
const POP_MS = 200;
const RING_MS = 900;

/** @typedef {import("./racers.js").RacerRow} RacerRow */

/** What covers the player's board at a finish. */
export class Finish {
  constructor() {
    this.place = h("b");
    this.time = h("strong");
    this.note = h("small");
    const card = h("div", {}, this.place, this.time, this.note);
    this.plate = h("div.plate", { role: "status", hidden: true }, card);
    this.ring = h("div.ring", { "aria-hidden": "true" });
  }

  /** Let the tiles swell, one diagonal after the other. @param {HTMLElement} board @param {number} width in tiles */
  celebrate(board, width) {
    if (isStill()) return;
    [...board.children].forEach((tile, cell) => {
      const diagonal = (cell % width) + Math.floor(cell / width);
      tile.firstElementChild?.animate(
        [{ scale: 1 }, { scale: 1.07, filter: "brightness(1.15)" }, { scale: 1 }],
        { duration: SWELL_MS, delay: WAVE_MS * diagonal, easing: "ease-out" },
      );
    });
  }

  /**
   * Show place and time.
   * @param {RacerRow[]} rows @param {number} ms the time so far known
   * @param {boolean} isCurrent the connection is good
   */
  showPlate(rows, ms, isCurrent) {
    const { place, time, note } = finishText(rows, ms, isCurrent);
    setText(this.place, place);
    setText(this.time, time);
    setText(this.note, note);
    if (!this.plate.hidden) return;
    show(this.plate, true);
    if (isStill()) return;
    const pop = [{ opacity: 0, scale: 0.92 }, { opacity: 1, scale: 1 }];
    this.plate.animate(pop, { duration: POP_MS, easing: "ease-out" });
  }

  hide() {
    show(this.plate, false);
  }

  /** Tell that another racer has won. */
  flash() {
    if (isStill()) return;
    const opacity = [0, 1, 1, 0];
    this.ring.animate({ opacity, offset: [0, 0.15, 0.5, 1] }, { duration: RING_MS });
  }
}
