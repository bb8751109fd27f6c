// Our part in the draw of the board: a random nonce. We commit to it before anyone knows
// who races, and reveal it once the roster and all commitments are fixed. Pure.

import { constants } from "./constants.js";
import { bytesToHex, hexToBytes, nonceCommitment } from "./engine.js";
import { command } from "./protocol.js";

/** @typedef {Extract<Command, {t: "ready"}>} Ready */
/** @typedef {(count: number) => Uint8Array} Random as many random bytes */

export class Nonces {
  #random;
  /** @type {Map<string, string>} race and seat -> its nonce (hex), for the page's life */
  #nonces = new Map();
  /** @type {Set<string>} keys of `#nonces` whose commitment was sent */
  #committed = new Set();
  #sent = ""; // the commitment sent on this connection
  #revealed = ""; // the nonce revealed on this connection

  /** @param {Random} random */
  constructor(random) {
    this.#random = random;
    this.isAutomatic = false; // whether the last `ready` was, and not the player's own
  }

  /** Note a new connection: the last messages on the old one may never have arrived. */
  connected() {
    this.#sent = this.#revealed = "";
  }

  /**
   * The nonce (hex) that we committed to; null: none.
   * @param {string} race @param {number} seat
   */
  committedTo(race, seat) {
    const key = keyOf(race, seat);
    return this.#committed.has(key) ? this.#nonceOf(key) : null;
  }

  /**
   * Add our commitment to the player's own `ready`, if it is time for one.
   * @param {Ready} ready @param {Model} model
   */
  attach(ready, model) {
    this.isAutomatic = false;
    const { race, seat } = model;
    const fits = ready.on && ready.race === race && seat !== null && mayCommit(model);
    return fits ? this.#commit(ready, seat) : ready;
  }

  /** Return automatic commands to send now. @param {Model} model @returns {Command[]} */
  due(model) {
    const { race, seat } = model;
    if (!model.online || model.waiting || seat === null) return [];
    const key = keyOf(race, seat);
    if (mayCommit(model) && willRace(model) && this.#sent !== key) {
      this.isAutomatic = true;
      return [this.#commit(command.ready(race, true), seat)];
    }
    const listed = model.firstShown.get(race)?.listed?.get(seat);
    // A server that was killed may have forgotten the roster: wait for the next list.
    const isFrozen = model.phase === "countdown" && model.roster.length > 0;
    if (!isFrozen || this.#revealed === key || !listed) return [];
    const nonce = this.committedTo(race, seat);
    if (nonce === null || commitmentOf(race, seat, nonce) !== listed) return [];
    this.#revealed = key;
    return [command.nonce(race, nonce)];
  }

  /** @param {Ready} ready @param {number} seat @returns {Ready} */
  #commit(ready, seat) {
    const key = keyOf(ready.race, seat);
    this.#committed.add(key);
    this.#sent = key;
    const nonce_commitment = commitmentOf(ready.race, seat, this.#nonceOf(key));
    return { ...ready, nonce_commitment };
  }

  /** The nonce of a race and seat, drawn once. @param {string} key */
  #nonceOf(key) {
    const { nonce_bytes: count } = constants.scramble;
    const nonce = this.#nonces.get(key) ?? bytesToHex(this.#random(count));
    this.#nonces.set(key, nonce);
    return nonce;
  }
}

/** @param {string} race @param {number} seat */
const keyOf = (race, seat) => `${race} ${seat}`;

/** @param {string} race @param {number} seat @param {string} nonce hex */
const commitmentOf = (race, seat, nonce) =>
  nonceCommitment(race, seat, hexToBytes(nonce));

/** The board is not drawn yet, it will be random, and we play. @param {Model} model */
const mayCommit = ({ phase, roster, room, isPlayer }) =>
  (phase === "lobby" || phase === "countdown") &&
  roster.length === 0 &&
  room?.seed_known === false &&
  isPlayer;

/** We will be in the roster. @param {Model} model */
const willRace = ({ phase, room, self }) =>
  self?.ready || (room?.rules.start === "every" && phase === "countdown");
