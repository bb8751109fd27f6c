// Controls that several screens share.

import { cleanName, friendlyName } from "../../core/format.js";
import { text } from "../../core/texts.js";
import { h, setAttribute, setText } from "../dom.js";

let ids = 0;
/** Return a new id for a label and its field. @param {string} word */
export const newId = (word) => `${word}-${(ids += 1)}`;

/**
 * @param {string} look classes, such as `primary big`
 * @param {string} label
 * @param {() => void} click
 */
export function button(look, label, click) {
  const element = h("button", { type: "button", text: label, on: { click } });
  element.className = `button ${look}`;
  return element;
}

/** A row of radio buttons. */
export class Choice {
  /**
   * @param {string} label
   * @param {[string, string][]} options value and text
   * @param {(value: any) => void} change
   */
  constructor(label, options, change = () => {}) {
    const name = newId("choice");
    this.inputs = options.map(([value]) =>
      h("input", { type: "radio", name, value, on: { change: () => change(value) } }),
    );
    const labels = options.map(([, option], i) =>
      h("label.option", {}, this.inputs[i], h("span", { text: option })),
    );
    this.element = h("fieldset.choice", {}, h("legend", { text: label }), ...labels);
  }

  get value() {
    return this.inputs.find((input) => input.checked)?.value ?? "";
  }

  set value(value) {
    for (const input of this.inputs) input.checked = input.value === value;
  }
}

/** An on/off switch. */
export class Switch {
  /** @param {string} label @param {string} hint @param {(on: boolean) => void} change */
  constructor(label, hint, change = () => {}) {
    this.input = h("input", {
      type: "checkbox",
      role: "switch",
      on: { change: ({ target }) => change(target.checked) },
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

let friendly = ""; // a suggestion, the same in all fields

/** The nickname: the remembered one, or a suggestion. */
export class NameField {
  /** @param {string} remembered */
  constructor(remembered) {
    const id = newId("name");
    this.suggestion = remembered || (friendly ||= friendlyName(Math.random(), Math.random()));
    this.input = h("input", {
      id,
      type: "text",
      name: "nickname",
      maxlength: 20,
      autocomplete: "nickname",
      autocapitalize: "words",
      spellcheck: "false",
      enterkeyhint: "go",
    });
    this.input.value = this.suggestion;
    this.input.addEventListener("focus", () => this.input.select());
    this.element = h(
      "div.field",
      {},
      h("label", { for: id, text: text("enter.your_name") }),
      this.input,
    );
  }

  /** Never empty. */
  get value() {
    return cleanName(this.input.value) || this.suggestion;
  }
}

/** An error message beside what caused it. */
export class Problem {
  constructor() {
    this.element = h("p.problem", { role: "alert", hidden: true });
  }

  /** @param {string} message "": none */
  update(message) {
    setText(this.element, message);
    setAttribute(this.element, "hidden", message === "");
  }
}
