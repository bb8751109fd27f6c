// How the player slides in an attempt, as the server wants to know it. Pure.

/** @typedef {import("./messages.js").Input["input"]} Kind */

export class InputKinds {
  /** @type {Set<Kind>} */
  #used = new Set();
  /** @type {Kind | null} */
  #declared = null;

  /** Note how a slide was made. @param {Kind} kind */
  use(kind) {
    this.#used.add(kind);
  }

  /** What the server has to be told, once; null: nothing new. @returns {Kind | null} */
  declare() {
    const [first = null, another] = this.#used;
    const kind = another === undefined ? first : "mixed";
    if (kind === this.#declared) return null;
    this.#declared = kind;
    return kind;
  }
}
