// Small marks beside a name.

import { explainLine } from "../../core/wording.js";
import { formatLine } from "../../core/format.js";
import { h, setAttribute, setText } from "../dom.js";

/** @returns {HTMLElement} a small word about somebody, with its sign */
export const badge = (kind, sign, word, title = null) =>
  h(
    `span.badge.${kind}`,
    { title },
    sign ? `${sign} ` : null,
    h("span.word", { text: word }),
  );

/** How far away somebody is, beside the name. */
export class Lag {
  constructor() {
    this.element = h("span.lag");
  }

  /** @param {{rtt: number, jitter: number} | undefined} line */
  update(line) {
    setText(this.element, line ? formatLine(line) : "");
    setAttribute(this.element, "title", line ? explainLine(line) : null);
  }
}
