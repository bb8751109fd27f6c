// Our part in the draw of the board, pure: a nonce that nobody can guess, to which we
// are bound before anybody knows who races, and which we tell once that is fixed.

import { constants } from "./constants.js";
import { bytesToHex, hexToBytes, nonceCommitment } from "./engine.js";
import { command } from "./protocol.js";

export class Nonces {
  #random;
  #drawn = new Map(); // race and seat -> its nonce, for the life of the page
  #bound = new Set(); // those whose commitment the server was ever sent
  #sent = ""; // the one it was sent on this connection
  #told = ""; // the one whose nonce it was told on this connection

  /** @param {(count: number) => Uint8Array} random as many bytes of pure chance */
  constructor(random) {
    this.#random = random;
    this.unasked = false; // the last `ready` was ours, not the player's
  }

  /** A new connection: what the last one was sent may never have arrived. */
  connected() {
    this.#sent = this.#told = "";
  }

  /** The nonce that the server was bound to, hex; null: none. */
  boundTo(race, seat) {
    const key = keyOf(race, seat);
    return this.#bound.has(key) ? this.#drawn.get(key) : null;
  }

  /**
   * The player's own `ready`, with the commitment where there is one to give.
   * @param {Wire} ready @param {Model} model
   */
  attach(ready, model) {
    this.unasked = false;
    const fits = ready.on && ready.race === model.race && mayBind(model);
    return fits ? this.#bind(ready, model.seat) : ready;
  }

  /** What to say now by ourselves. @param {Model} model @returns {Wire[]} */
  due(model) {
    const { race, seat } = model;
    if (!model.online || model.waiting || seat === null) return [];
    const key = keyOf(race, seat);
    if (mayBind(model) && races(model) && this.#sent !== key) {
      this.unasked = true;
      return [this.#bind(command.ready(race, true), seat)];
    }
    const listed = model.promises.get(race)?.listed?.get(seat);
    if (model.phase !== "countdown" || this.#told === key || !listed) return [];
    const nonce = this.boundTo(race, seat);
    if (nonce === null || commitmentOf(race, seat, nonce) !== listed) return [];
    this.#told = key;
    return [command.nonce(race, nonce)];
  }

  #bind(ready, seat) {
    const key = keyOf(ready.race, seat);
    if (!this.#drawn.has(key)) {
      const nonce = this.#random(constants.scramble.nonce_bytes);
      this.#drawn.set(key, bytesToHex(nonce));
    }
    this.#bound.add(key);
    this.#sent = key;
    const nonce_commitment = commitmentOf(ready.race, seat, this.#drawn.get(key));
    return { ...ready, nonce_commitment };
  }
}

const keyOf = (race, seat) => `${race} ${seat}`;

/** @param {string} nonce hex @returns {string} hex */
const commitmentOf = (race, seat, nonce) =>
  nonceCommitment(race, seat, hexToBytes(nonce));

/** The board is still to be drawn, we have a seat, and chance decides. */
const mayBind = ({ phase, roster, room, seat, isPlayer }) =>
  (phase === "lobby" || phase === "countdown") &&
  roster.length === 0 &&
  room?.seed_known === false &&
  isPlayer &&
  seat !== null;

/** We will be in the roster. */
const races = ({ phase, room, self }) =>
  self.ready || (room.rules.start === "every" && phase === "countdown");
