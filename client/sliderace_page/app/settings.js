// What somebody likes: colours, keys, hover, sounds. Kept in this browser only.

import { quietly } from "./seats.js";

const KEY = "sliderace.settings";

/** @typedef {{scheme: "fringe" | "rows" | "mono", gap: boolean, hover: boolean,
 *   sound: boolean, ready: boolean, keys: Record<string, string>}} Wishes */

/** @type {Readonly<Wishes>} */
export const DEFAULTS = Object.freeze({
  scheme: "fringe", // how tiles are coloured
  gap: false, // a key means the way the gap travels, not the tile
  hover: false, // tiles slide when the mouse comes over them
  sound: false,
  ready: false, // ready for each race by oneself
  keys: {}, // one's own: code of a key -> way
});

export class Settings {
  /** @param {Storage | undefined} lasting */
  constructor(lasting) {
    this.lasting = lasting;
    this.onChange = () => {};
    const kept = quietly(() => JSON.parse(lasting.getItem(KEY)), {});
    const known = Object.entries(DEFAULTS).filter(
      ([name, value]) => typeof kept[name] === typeof value && kept[name] !== null,
    );
    /** @type {Wishes} */
    this.now = { ...DEFAULTS, ...Object.fromEntries(known.map(([n]) => [n, kept[n]])) };
  }

  /** @param {Partial<Wishes>} change */
  set(change) {
    Object.assign(this.now, change);
    quietly(() => this.lasting.setItem(KEY, JSON.stringify(this.now)));
    this.onChange();
  }
}
