// A drop-down list with a label.

import { newId } from "./controls.js";
import { h } from "../dom.js";

/** A drop-down list. */
export class Select {
  /**
   * @param {string} label
   * @param {[number | string, string][]} options value and text
   * @param {(value: any) => void} change
   */
  constructor(label, options, change = () => {}) {
    const id = newId("select");
    /** @type {Map<string, number | string>} */
    this.options = new Map();
    this.select = h("select", { id });
    this.select.addEventListener("change", () => change(this.value));
    for (const [value, option] of options) this.#add(value, option);
    this.element = h(
      "div.select",
      {},
      h("label", { for: id, text: label }),
      this.select,
    );
  }

  /** @param {number | string} value @param {string} option */
  #add(value, option) {
    this.options.set(String(value), value);
    this.select.append(h("option", { value: String(value), text: option }));
  }

  /** @returns {any} */
  get value() {
    return this.options.get(this.select.value);
  }

  /**
   * Show a value; one that is not an option here (set by another client) is added.
   * @param {number | string} value @param {string} option its text
   */
  show(value, option) {
    if (!this.options.has(String(value))) this.#add(value, option);
    if (this.select.value !== String(value)) this.select.value = String(value);
  }
}
