// Small marks beside a name.

import { explainLatency, formatLatency } from "../../core/wording.js";
import { h, setAttribute, setText } from "../dom.js";

/**
 * @param {string} kind a CSS class
 * @param {string} sign before the word, or ""
 * @param {string} word
 * @param {string | null} [title]
 */
export const badge = (kind, sign, word, title = null) =>
  h(
    `span.badge.${kind}`,
    { title },
    sign ? `${sign} ` : null,
    h("span.word", { text: word }),
  );

/** The latency of somebody's connection, beside the name. */
export class Latency {
  constructor() {
    this.element = h("span.latency");
  }

  /** @param {{rtt: number, jitter: number} | undefined} latency in ms */
  update(latency) {
    setText(this.element, latency ? formatLatency(latency) : "");
    setAttribute(this.element, "title", latency ? explainLatency(latency) : null);
  }
}
