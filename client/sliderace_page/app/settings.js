// The user's settings, stored only in this browser.

import { tryStorage } from "./seats.js";

const KEY = "sliderace.settings";

/** @typedef {{scheme: "fringe" | "rows" | "mono", gap: boolean, hover: boolean,
 *   theme: "system" | "light" | "dark", sound: boolean, volume: number, ready: boolean, pace: boolean, reactions: boolean, event: string,
 *   answer: string, times: import("../core/usual-pace.js").Times, keys: Record<string, Direction>}} Values */

/** @type {Readonly<Values>} */
export const DEFAULTS = Object.freeze({
  scheme: "fringe", // how tiles are coloured
  theme: "system",
  gap: false, // a key means the direction of the gap, not of the tile
  hover: false, // tiles slide when the mouse is over them
  sound: false,
  volume: 0.5, // 0 to 1
  ready: false, // become ready for each race
  pace: true,
  reactions: true,
  event: "4x4", // the size of Race now
  answer: "", // to how fast the player is
  times: {}, // size -> the player's last times in races, in ms
  keys: {}, // the player's own: code of a key -> direction
});

export class Settings {
  onChange = () => {};

  /** @param {Storage | undefined} lasting */
  constructor(lasting) {
    this.lasting = lasting;
    /** @type {Record<string, unknown>} */
    const kept = tryStorage(() => JSON.parse(lasting?.getItem(KEY) ?? "{}")) ?? {};
    const known = Object.entries(DEFAULTS).filter(
      ([name, value]) => typeof kept[name] === typeof value && kept[name] !== null,
    );
    /** @type {Values} */
    this.now = { ...DEFAULTS, ...Object.fromEntries(known.map(([n]) => [n, kept[n]])) };
  }

  /** @param {Partial<Values>} change */
  set(change) {
    Object.assign(this.now, change);
    tryStorage(() => this.lasting?.setItem(KEY, JSON.stringify(this.now)));
    this.onChange();
  }
}
