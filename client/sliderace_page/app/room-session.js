// One stay in a room, from the first word to the last: model and socket. Shell.

import { Audit } from "./record-check.js";
import { Connection } from "./connection.js";
import { constants } from "../core/constants.js";
import { EngineError } from "../core/engine.js";
import { Model } from "../core/model.js";
import { say } from "../core/wording.js";
import {
  ProtocolError,
  command,
  decodeEvent,
  mayReconnect,
  sayClosed,
  sayRefused,
} from "../core/protocol.js";

/** Refusals of a resume that pass by themselves. */
const PASSING = new Set([
  "too_many_tries",
  "storage_unavailable",
  "shutting_down",
  "rate",
]);
/** Refusals that tell a player nothing: the model deals with them. */
const UNSAID = new Set(["resync", "slides", "ping", "nonce"]);
/** Closes after which this page must be loaded again. */
const STALE = new Set([1002, 1007, 1009, 4504]);
const FAR_GONE_MS = 60000; // then people should do more than wait
const ASK_AFTER = 3; // lost connections in a row before we ask whether the server lives

export class Stay {
  /**
   * @param {Wire} entering a way in, of `enter`
   * @param {object} world
   * @param {string} world.url of the socket
   * @param {() => number} world.now monotonic ms
   * @param {(count: number) => Uint8Array} world.random bytes of pure chance
   * @param {(path: string, read?: Function) => Promise<any>} world.get
   * @param {(work: () => void, ms: number) => void} world.later
   * @param {SubtleCrypto} [world.subtle] missing without https
   * @param {Wire} [world.socket] for `Connection`, in tests
   * @param {object} tell what the page wants to hear
   * @param {() => void} tell.changed
   * @param {(text: string, level: string) => void} tell.note
   * @param {(welcome: Wire) => void} tell.welcomed
   * @param {(text: string, action: "again" | "reload" | "home") => void} tell.stopped
   * @param {(said: string, hadToken: boolean) => void} tell.turnedAway
   * @param {() => void} tell.seatLost
   */
  constructor(entering, world, tell) {
    const { url, now, random, get, socket } = world;
    this.now = now;
    this.get = get;
    this.tell = tell;
    this.model = new Model(entering, random);
    this.audit = new Audit(world);
    this.losses = 0; // connections lost in a row
    this.lostAt = null; // since when there is no connection
    this.serverGone = false;
    this.refusals = 0; // of what was asked in a room
    this.refused = null; // the entry
    this.readied = null; // the race for which we were ready by ourselves
    this.link = new Connection(
      {
        url,
        hello: () => this.model.hello(),
        onMessage: (text) => this.#hear(text),
        onClose: (code) => this.#closed(code),
        onState: () => tell.changed(),
      },
      socket,
    );
  }

  open() {
    this.link.open();
  }

  /** Whether the server is away for so long that it may not come back. */
  get farGone() {
    const since = this.lostAt ?? Infinity;
    return this.serverGone && this.now() - since >= FAR_GONE_MS;
  }

  /** Hang up; the seat stays. */
  drop() {
    clearTimeout(this.timer);
    const { link } = this;
    this.link = null;
    this.model.lost();
    link?.close();
  }

  #hear(text) {
    try {
      const event = decodeEvent(text);
      if (event === null) return;
      this.#announce(event);
      if (!this.link) return;
      this.model.receive(event, this.now());
      if (this.model.results) this.#look();
    } catch (error) {
      if (!(error instanceof ProtocolError || error instanceof EngineError))
        throw error;
      this.tell.stopped("Server and page do not understand each other.", "reload");
    }
    this.flush();
  }

  #announce(event) {
    const { waiting, offset } = this.model;
    const note = waiting || event.o <= offset ? "" : say(event, this.model);
    if (note) this.tell.note(note, "info");
    if (event.t === "welcome") this.#welcomed(event);
    if (event.t === "refused") this.#refusal(event);
  }

  #refusal(event) {
    if (event.of === "hello") {
      this.refused = event;
      return;
    }
    this.refusals += 1;
    const unasked = event.of === "ready" && this.model.nonces.unasked;
    if (!unasked && !UNSAID.has(event.of)) this.tell.note(sayRefused(event), "bad");
  }

  #welcomed(event) {
    if (event.v !== constants.protocol.version) {
      this.tell.stopped(sayClosed(4504), "reload");
      return;
    }
    this.link.settled();
    this.losses = 0;
    this.lostAt = null;
    this.serverGone = false;
    this.tell.welcomed(event);
  }

  async #look() {
    if (await this.audit.look(this.model))
      this.tell.note("The race record does not fit this race", "bad");
    this.tell.changed();
  }

  /** Send what the model has to say, now and when it is due. */
  flush() {
    if (this.link) this.link.send(this.model.poll(this.now()));
    clearTimeout(this.timer);
    const wait = this.model.due(this.now()) - this.now();
    if (this.link && wait < Infinity)
      this.timer = setTimeout(() => this.flush(), Math.max(0, wait));
    this.tell.changed();
  }

  /** The page goes, and may come back: nothing that was slid is to be lost. */
  hide() {
    this.model.hurry(this.now());
    this.flush();
  }

  /** Say something to the room. @param {Wire} message of `protocol.command` */
  ask(message) {
    if (!this.model.ask(message, this.now())) {
      this.tell.note("Not connected. Please wait a moment.", "bad");
    }
    this.flush();
  }

  /** From the results into the next race's lobby. */
  again() {
    this.model.again(this.now());
    this.flush();
  }

  /** Say that we are ready, once for each race; asked again after a while outside. */
  readyBySelf() {
    const { race, self, isPlayer, phase, online } = this.model;
    if (!isPlayer) this.readied = null;
    const due = isPlayer && phase === "lobby" && online && !self.ready;
    if (!due || this.readied === race) return;
    this.readied = race;
    this.ask(command.ready(race, true));
  }

  /** @returns {boolean} whether the tile moved */
  slide(direction) {
    return this.#slid(this.model.slide(direction, 1, this.now()));
  }

  /** @returns {boolean} whether the tile in that cell moved */
  slideCell(cell) {
    return this.#slid(this.model.slideCell(cell, this.now()));
  }

  #slid(moved) {
    if (!moved) return false;
    if (this.model.late(this.now())) this.link?.probe();
    this.flush();
    return true;
  }

  // --- Ends --------------------------------------------------------------------------

  /** @returns {number | null} ms until we may come back by ourselves; null: never */
  #closed(code) {
    const { refused, model, tell } = this;
    this.refused = null;
    model.lost();
    if (refused) {
      if (model.token && PASSING.has(refused.code)) return refused.retry_ms;
      this.#turnedAway(refused);
    } else if (code === 4501 || code === 4502 || model.ended) {
      tell.seatLost();
      const kicked = code === 4501 || model.ended === "kicked";
      tell.stopped(sayClosed(kicked ? 4501 : 4502), "home");
    } else if (mayReconnect(code)) {
      this.losses += 1;
      this.lostAt ??= this.now();
      if (this.losses >= ASK_AFTER) this.#askHealth();
      return 0;
    } else {
      const action = code === 4503 ? "again" : STALE.has(code) ? "reload" : "home";
      tell.stopped(sayClosed(code), action);
    }
    return null;
  }

  #turnedAway(refused) {
    const said = sayRefused(refused);
    if (refused.code === "version") this.tell.stopped(said, "reload");
    else this.tell.turnedAway(said, this.model.token !== null);
  }

  /** A browser hides why a connection failed; a plain request tells more. */
  async #askHealth() {
    const health = await this.get("healthz");
    this.serverGone = health.failed === true;
    this.tell.changed();
  }
}
