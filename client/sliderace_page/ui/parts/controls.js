// Small parts that several screens share.

import { cleanName, friendlyName } from "../../core/format.js";
import { h, setAttribute, setText } from "../dom.js";

let ids = 0;
/** @param {string} word @returns {string} an id for labels and fields */
export const newId = (word) => `${word}-${(ids += 1)}`;

/** A button. @param {string} look classes, such as `primary big` */
export function button(look, text, click) {
  const element = h("button", { type: "button", text, on: { click } });
  element.className = `button ${look}`;
  return element;
}

/** A button that asks once more before it does what cannot be taken back. */
export function doubtful(look, text, sure, act) {
  let armed = false;
  let timer;
  const arm = (on) => {
    armed = on;
    clearTimeout(timer);
    setText(element, on ? sure : text);
    element.classList.toggle("armed", on);
    if (on) timer = setTimeout(() => arm(false), 4000);
  };
  const element = button(look, text, () => {
    if (armed) act();
    arm(!armed);
  });
  element.addEventListener("blur", () => arm(false));
  return element;
}

/** A row of choices of which one holds. */
export class Choice {
  /**
   * @param {string} label
   * @param {[string, string][]} options value and text
   * @param {(value: string) => void} change
   */
  constructor(label, options, change = () => {}) {
    const name = newId("choice");
    this.inputs = options.map(([value]) =>
      h("input", { type: "radio", name, value, on: { change: () => change(value) } }),
    );
    const labels = options.map(([, text], i) =>
      h("label.option", {}, this.inputs[i], h("span", { text })),
    );
    this.element = h("fieldset.choice", {}, h("legend", { text: label }), ...labels);
  }

  get value() {
    return this.inputs.find((input) => input.checked)?.value;
  }

  set value(value) {
    for (const input of this.inputs) input.checked = input.value === value;
  }
}

/** A switch. */
export class Switch {
  /** @param {string} label @param {string} hint @param {(on: boolean) => void} change */
  constructor(label, hint, change = () => {}) {
    this.input = h("input", {
      type: "checkbox",
      role: "switch",
      on: { change: () => change(this.input.checked) },
    });
    const words = h(
      "span.words",
      {},
      h("span", { text: label }),
      h("small", { text: hint }),
    );
    this.element = h("label.switch", {}, words, this.input);
  }

  get value() {
    return this.input.checked;
  }

  set value(on) {
    this.input.checked = on;
  }
}

/** One of a list, by name. */
export class Select {
  /**
   * @param {string} label
   * @param {[number | string, string][]} options value and text
   * @param {(value: number | string) => void} change
   */
  constructor(label, options, change = () => {}) {
    const id = newId("select");
    this.select = h("select", { id, on: { change: () => change(this.value) } });
    this.options = new Map();
    for (const [value, text] of options) this.#add(value, text);
    this.element = h(
      "div.select",
      {},
      h("label", { for: id, text: label }),
      this.select,
    );
  }

  #add(value, text) {
    this.options.set(String(value), value);
    this.select.append(h("option", { value: String(value), text }));
  }

  get value() {
    return this.options.get(this.select.value);
  }

  /** A value nobody offered here (set by another client) is added. */
  show(value, text) {
    if (!this.options.has(String(value))) this.#add(value, text);
    if (this.select.value !== String(value)) this.select.value = String(value);
  }
}

/** The nickname: remembered, or a friendly one offered. */
export class NameField {
  /** @param {string} remembered */
  constructor(remembered) {
    const id = newId("name");
    this.offer = remembered || friendlyName(Math.random(), Math.random());
    this.input = h("input", {
      id,
      type: "text",
      name: "nickname",
      maxlength: 64,
      autocomplete: "nickname",
      autocapitalize: "words",
      spellcheck: "false",
      enterkeyhint: "go",
    });
    this.input.value = this.offer;
    this.input.addEventListener("focus", () => this.input.select());
    this.element = h(
      "div.field",
      {},
      h("label", { for: id, text: "Your name" }),
      this.input,
    );
  }

  /** Never empty. */
  get value() {
    return cleanName(this.input.value) || this.offer;
  }
}

/** Say what went wrong, where it went wrong. */
export class Problem {
  constructor() {
    this.element = h("p.problem", { role: "alert", hidden: true });
  }

  update(text) {
    setText(this.element, text);
    setAttribute(this.element, "hidden", text === "");
  }
}

/** @type {[string, string][]} */
export const SIZES = [3, 4, 5, 6, 7, 8, 9, 10].map((n) => [
  `${n}x${n}`,
  `${n}\u00d7${n}`,
]);
