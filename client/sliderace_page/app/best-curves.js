// The curves of our best attempts, one per board size, as this browser stores them. An
// attempt that is better, from another device, comes from the server: the profile names
// its race, and the race record holds its slides. Shell.

import { parseBoard } from "../core/engine.js";
import { POINTS, curveOf, usable } from "../core/pace-curve.js";
import { moments } from "../core/proof/summary.js";
import { Me, NotDone } from "./profile.js";
import { tryStorage } from "./seats.js";

/** @typedef {import("../core/proof/reading.js").WrittenRace} WrittenRace */

const KEY = "sliderace.best-curves";

/** The time of a curve. @param {number[] | null} curve */
const timeOf = (curve) => (curve ? curve[POINTS - 1] : Infinity);

export class BestCurves {
  /** The sizes about which the server has been asked. @type {Set<string>} */
  #asked = new Set();

  /** @param {Pick<App, "seats" | "socketUrl" | "random" | "socket" | "get">} world the app */
  constructor(world) {
    this.world = world;
  }

  /** @returns {Record<string, unknown>} size -> curve */
  get #stored() {
    const { lasting } = this.world.seats;
    const stored = tryStorage(() => JSON.parse(lasting?.getItem(KEY) ?? "{}"));
    return typeof stored === "object" && stored !== null ? stored : {};
  }

  /** The curve of our best attempt; null: none. @param {string} size */
  of(size) {
    return usable(this.#stored[size]);
  }

  /** Keep a curve if it is the best one. @param {string} size @param {number[] | null} curve */
  keep(size, curve) {
    if (!curve || timeOf(curve) >= timeOf(this.of(size))) return;
    const all = JSON.stringify({ ...this.#stored, [size]: curve });
    tryStorage(() => this.world.seats.lasting?.setItem(KEY, all));
  }

  /**
   * Ask the server, once, whether our profile has a better attempt, and keep its curve.
   * @param {string} size
   */
  async lookUp(size) {
    if (this.#asked.has(size)) return;
    this.#asked.add(size);
    const me = new Me(this.world);
    try {
      const profile = await me.open();
      const best = profile?.bests.find(({ event }) => event === size);
      if (!best?.race || (best.single_ms ?? Infinity) >= timeOf(this.of(size))) return;
      const record = await this.#record(best.race, me.secret);
      if (record) this.keep(size, curveIn(record, best.single_ms));
    } catch (error) {
      if (!(error instanceof NotDone)) throw error; // no answer: the stored one will do
    } finally {
      me.close();
    }
  }

  /**
   * @param {string} race @param {string} secret opens a sealed record of ours
   * @returns {Promise<WrittenRace | null>} null: it cannot be read
   */
  async #record(race, secret) {
    const path = `api/races/${encodeURIComponent(race)}`;
    const file = await this.world.get(path, (answer) => answer.text(), secret);
    const { BadRecord, read } = await import("../core/proof/reading.js");
    try {
      return typeof file === "string" ? read(JSON.parse(file).record) : null;
    } catch (error) {
      if (!(error instanceof SyntaxError || error instanceof BadRecord)) throw error;
      return null;
    }
  }
}

/**
 * The curve of the racer with this time, by the racer's own clock.
 * @param {WrittenRace} record @param {number | null} time official, in ms
 */
function curveIn({ board, racers }, time) {
  const racer = racers.find(({ finish }) => finish?.official_ms === time);
  if (!racer) return null;
  const made = moments(racer);
  /** @type {[Direction, number, number][]} */
  const slides = racer.slides.map(([direction, tiles], i) => [direction, tiles, made[i]]);
  return curveOf(parseBoard(board), slides);
}
