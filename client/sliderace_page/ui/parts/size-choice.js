// The field for the size of the boards.

import { constants } from "../../core/constants.js";
import { formatSize } from "../../core/format.js";
import { text } from "../../core/texts.js";
import { h, show } from "../dom.js";
import { Choice } from "./controls.js";

/** The lengths of a board's sides. */
export const sides = () => {
  const { min_side: least, max_side: most } = constants.board;
  return Array.from({ length: most - least + 1 }, (_, i) => least + i);
};

/** Square boards: value and text. @returns {[string, string][]} */
export const squares = () =>
  sides().map((side) => [`${side}x${side}`, formatSize(`${side}x${side}`)]);

/** The size of the boards: a square one, or width and height. */
export class SizeChoice {
  /** @param {(size: string) => void} change */
  constructor(change = () => {}) {
    /** @param {string} label @returns {HTMLSelectElement} */
    const side = (label) =>
      h(
        "select",
        { "aria-label": text(label), on: { change: () => change(this.value) } },
        ...sides().map((n) => h("option", { text: String(n) })),
      );
    this.width = side("rules.width");
    this.height = side("rules.height");
    this.sides = h("div.sides", { hidden: true }, this.width, "\u00d7", this.height);
    /** @type {[string, string][]} */
    const options = [...squares(), ["", text("rules.other_size")]];
    this.choice = new Choice(text("rules.size"), options, (size) => {
      show(this.sides, !size);
      if (!size) return; // width and height begin with what was chosen before
      this.#setSides(size);
      change(size);
    });
    this.element = this.choice.element;
    this.element.append(this.sides);
    this.value = "4x4";
  }

  /** @returns {string} */
  get value() {
    return this.choice.value || `${this.width.value}x${this.height.value}`;
  }

  set value(size) {
    if (size === this.value) return; // sides that are being chosen stay
    this.#setSides(size);
    this.choice.value = size;
    if (!this.choice.value) this.choice.value = "";
    show(this.sides, !this.choice.value);
  }

  /** @param {string} size */
  #setSides(size) {
    [this.width.value, this.height.value] = size.split("x");
  }
}
