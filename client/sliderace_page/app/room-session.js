// One visit to a room: its model, its connection, and the check of race records. Shell.
//
// Events are announced, then folded into the model; whatever the model wants to send is
// sent after every event and when it is due. When the connection closes, the last refusal
// of our `hello`, the close code and the model decide what happens:
//
// - a temporary refusal, if we have a seat: try again later;
// - any other refusal: we are turned away, and the reason is shown where we came from;
// - kicked, or the room is gone: the seat is forgotten;
// - a code that allows it: reconnect; after three losses in a row also ask by plain HTTP
//   whether the server is there, because a browser hides why a connection failed;
// - any other code: stop, and offer what helps (go home, reload, play here instead).

import { ProfileSecret } from "./profile.js";
import { RecordCheck } from "./record-check.js";
import { Connection } from "./connection.js";
import { constants } from "../core/constants.js";
import { EngineError } from "../core/engine.js";
import { cleanName } from "../core/format.js";
import { usesOneScript } from "../core/scripts.js";
import { Model } from "../core/model.js";
import { withTime } from "../core/own-times.js";
import { text } from "../core/texts.js";
import { closeText, news, refusalText } from "../core/wording.js";
import { ProtocolError, command, decodeEvent, mayReconnect } from "../core/protocol.js";

/** @typedef {import("../core/protocol.js").Enter} Enter */
/** @typedef {Extract<ServerEvent, {t: "refused"}>} Refused */
/** @typedef {Extract<ServerEvent, {t: "welcome"}>} Welcome */
/** @typedef {"again" | "reload" | "home"} Action what helps after a stop */
/** @typedef {import("../core/input-kinds.js").Kind} Kind */
/** @typedef {import("../core/usual-pace.js").Times} Times */
/** @typedef {"info" | "good" | "bad" | "said"} Level of a note; said: only read aloud */
/** @typedef {<T>(path: string, read: (answer: Response) => T | Promise<T>,
 *   secret?: string | null) => Promise<T | import("./app.js").Failed>} Get secret: of our
 *   profile */
/**
 * @typedef {object} World
 * @property {string} url of the socket
 * @property {() => number} now monotonic ms
 * @property {import("../core/draw.js").Random} random
 * @property {Storage} [lasting] keeps the secret of our profile
 * @property {Get} get
 * @property {(work: () => void, ms: number) => unknown} later
 * @property {SubtleCrypto} [subtle] missing without https
 * @property {Partial<import("./connection.js").SocketWorld>} [socket] in tests
 */
/**
 * @typedef {object} Listener
 * @property {() => void} changed
 * @property {(note: string, level: Level) => void} note
 * @property {(welcome: Welcome) => void} welcomed
 * @property {(why: string, action: Action) => void} stopped
 * @property {(why: string, hadToken: boolean) => void} turnedAway
 * @property {() => void} seatLost
 * @property {(add: (times: Times) => Times) => void} solved in this time: add it
 */

/** Temporary refusals of a resume. */
const TEMPORARY = new Set([
  "too_many_tries",
  "storage_unavailable",
  "shutting_down",
  "rate",
]);
/** Commands whose refusals a player need not see: the model handles them. */
const SILENT = new Set(["resync", "slides", "ping", "nonce"]);
const KICKED = 4501;
const ROOM_GONE = 4502;
const REPLACED = 4503;
const OTHER_VERSION = 4504;
/** Closes after which this page must be reloaded. */
const STALE = new Set([1002, 1007, 1009, OTHER_VERSION]);
const LONG_MS = 60000; // after this long, people are advised to do more than wait
const BUSY_MS = 300; // until the server has closed the room that we have left
const WAITS = 3;
const ASK_AFTER = 3; // losses in a row before we ask whether the server is there

export class RoomSession {
  losses = 0; // connections lost in a row
  /** @type {number | null} since when there is no connection */
  lostAt = null;
  serverGone = false;
  refusals = 0; // of commands in the room
  #waits = 0;
  /** @type {Refused | null} of our `hello` */
  #refused = null;
  /** @type {string | null} the race for which we became ready automatically */
  #readyFor = null;
  /** @type {unknown} */
  #timer;

  /** @param {Enter} entering @param {World} world @param {Listener} listener */
  constructor(entering, world, listener) {
    const { url, now, random, get, socket, lasting } = world;
    this.now = now;
    this.get = get;
    this.listener = listener;
    this.entering = entering;
    this.model = new Model(entering, random);
    this.profile = new ProfileSecret(lasting, url);
    this.recordCheck = new RecordCheck({
      ...world,
      // The record of a daily race is sealed for others.
      get: (path, read) => get(path, read, this.profile.value),
    });
    const link = new Connection(
      {
        url,
        room: () => this.model.code ?? "",
        hello: () => this.model.hello(this.profile.value),
        onMessage: (message, takesOver) => this.#receive(message, takesOver),
        onClose: (code) => this.#closed(code),
        onState: () => listener.changed(),
        inDoubt: () => this.model.liveness.inDoubt,
        inRace: () => this.model.inRace,
      },
      socket,
    );
    /** @type {Connection | null} */
    this.link = link;
    this.timers = link.world;
  }

  open() {
    const { entering } = this;
    const name = "name" in entering ? cleanName(entering.name) : "";
    if (usesOneScript(name)) this.link?.open();
    else this.listener.turnedAway(text("refusal.mixed_name"), false);
  }

  /** Why the server may not return, and what to do; empty: it is not gone for long. */
  get absence() {
    if (this.model.hostEnded) return text("connection.wait_for_host");
    const since = this.lostAt ?? Infinity;
    const isLong = this.serverGone && this.now() - since >= LONG_MS;
    return isLong ? text("connection.server_gone") : "";
  }

  /** What is wrong with the connection; empty: nothing. */
  get trouble() {
    const { online, liveness } = this.model;
    if (online) return liveness.overdue ? text("connection.waiting") : "";
    if (this.model.hostEnded) return text("connection.host_ended");
    return text(this.serverGone ? "connection.not_answering" : "connection.reconnecting");
  }

  /** Connect again, because our profile is another one. */
  renew() {
    this.link?.renew();
  }

  /** Close the connection; the seat stays. */
  drop() {
    this.timers.cancel(this.#timer);
    const { link } = this;
    this.link = null;
    this.model.lost();
    link?.close();
  }

  /** @param {unknown} message @param {boolean} takesOver */
  #receive(message, takesOver) {
    try {
      const event = decodeEvent(message);
      if (event === null) return;
      if (takesOver) this.model.takenOver(event);
      this.#announce(event);
      if (!this.link) return;
      this.model.receive(event, this.now());
      if (event.t === "results") this.#noteTime(event);
      if (this.model.results) this.#compareRecord();
    } catch (error) {
      if (!(error instanceof ProtocolError || error instanceof EngineError))
        throw error;
      this.listener.stopped(text("closed.misunderstood"), "reload");
    }
    this.flush();
  }

  /** Tell how long we took. @param {Extract<ServerEvent, {t: "results"}>} results */
  #noteTime({ standings }) {
    const { me, room } = this.model;
    const ms = standings.find(({ member }) => member === me)?.time_ms ?? null;
    if (room && ms !== null) {
      const { size } = room.rules;
      this.listener.solved((times) => withTime(times, size, ms));
    }
  }

  /** @param {ServerEvent} event not folded yet */
  #announce(event) {
    const { waiting, offset } = this.model;
    const isOld = "o" in event && event.o <= offset;
    const note = waiting || isOld ? "" : news(event, this.model);
    if (note) this.listener.note(note, "info");
    if (event.t === "welcome") this.#welcomed(event);
    if (event.t === "reacted") // show that it is over
      this.timers.later(() => this.listener.changed(), constants.reactions.shown_ms);
    if (event.t === "refused") this.#refusal(event);
  }

  /** @param {Refused} event */
  #refusal(event) {
    const { as } = this.entering;
    const isGuest = event.field === "profile" && as !== "daily"; // and may enter
    if (event.of === "hello" && !isGuest) {
      this.#refused = event;
      return;
    }
    if (isGuest) {
      const isUnknown = event.code === "profile_unknown";
      this.listener.note(isUnknown ? text("profile.unknown") : refusalText(event), "bad");
      return;
    }
    this.refusals += 1;
    const isAutomatic = event.of === "ready" && this.model.nonces.isAutomatic;
    if (!isAutomatic && !SILENT.has(event.of)) this.listener.note(refusalText(event), "bad");
  }

  /** @param {Welcome} event */
  #welcomed(event) {
    if (event.v !== constants.protocol.version) {
      this.listener.stopped(closeText(OTHER_VERSION), "reload");
      return;
    }
    this.link?.settled();
    this.losses = 0;
    this.lostAt = null;
    this.serverGone = false;
    this.listener.welcomed(event);
  }

  async #compareRecord() {
    if (await this.recordCheck.compare(this.model))
      this.listener.note(text("note.record_differs"), "bad");
    this.listener.changed();
  }

  /** Send what the model has to send, now and when it is due. */
  flush() {
    this.link?.send(this.model.poll(this.now()));
    if (this.model.liveness.inDoubt) this.link?.double();
    this.timers.cancel(this.#timer);
    const wait = this.model.due(this.now()) - this.now();
    if (this.link && wait < Infinity)
      this.#timer = this.timers.later(() => this.flush(), Math.max(0, wait));
    this.listener.changed();
  }

  /** The page was asleep, or the network is back: reconnect or probe now. */
  wake() {
    this.model.liveness.wake();
    if (this.link?.state === "waiting") this.link.open();
    else this.flush();
  }

  /** The page is hidden or closed: send all slides now. */
  hide() {
    this.model.stopGathering();
    this.flush();
  }

  /** Send a command. @param {Command} message */
  send(message) {
    if (!this.model.send(message, this.now())) {
      this.listener.note(text("note.not_connected"), "bad");
    }
    this.flush();
  }

  /** Go from the results to the next race's lobby. */
  playAgain() {
    this.model.playAgain(this.now());
    this.flush();
  }

  /** Become ready automatically: once per race, and again after sitting out. */
  autoReady() {
    const { race, self, isPlayer, phase, online } = this.model;
    if (!isPlayer) this.#readyFor = null;
    const due = isPlayer && phase === "lobby" && online && !self?.ready;
    if (!due || this.#readyFor === race) return;
    this.#readyFor = race;
    this.send(command.ready(race, true));
  }

  /** @param {Direction} direction @param {Kind} how @returns {boolean} whether the tile moved */
  slide(direction, how) {
    return this.#slid(this.model.slide(direction, 1, this.now(), how));
  }

  /** @param {number} cell @param {Kind} how @returns {boolean} whether its tile moved */
  slideCell(cell, how) {
    return this.#slid(this.model.slideCell(cell, this.now(), how));
  }

  /** @param {boolean} moved */
  #slid(moved) {
    if (!moved) return false;
    this.flush();
    return true;
  }

  // --- Ends --------------------------------------------------------------------------

  /**
   * @param {number} code
   * @returns {number | null} after how many ms at least to reconnect; null: never
   */
  #closed(code) {
    const { model, listener } = this;
    const refused = this.#refused;
    this.#refused = null;
    model.lost();
    if (refused) {
      if (model.token && TEMPORARY.has(refused.code)) return refused.retry_ms;
      // We have left such a room only just now.
      if (refused.code === "busy" && !model.token && this.#waits++ < WAITS) return BUSY_MS;
      this.#turnedAway(refused);
    } else if (code === KICKED || code === ROOM_GONE || model.ended) {
      listener.seatLost();
      const kicked = code === KICKED || model.ended === "kicked";
      listener.stopped(closeText(kicked ? KICKED : ROOM_GONE), "home");
    } else if (mayReconnect(code)) {
      this.losses += 1;
      this.lostAt ??= this.now();
      if (this.losses >= ASK_AFTER) this.#askHealth();
      return 0;
    } else {
      const action = code === REPLACED ? "again" : STALE.has(code) ? "reload" : "home";
      listener.stopped(closeText(code), action);
    }
    return null;
  }

  /** @param {Refused} refused */
  #turnedAway(refused) {
    const why = refusalText(refused);
    if (refused.code === "kicked") this.listener.seatLost();
    if (refused.code === "version") this.listener.stopped(why, "reload");
    else this.listener.turnedAway(why, this.model.token !== null);
  }

  /** Ask by plain HTTP whether the server is there. */
  async #askHealth() {
    const answer = await this.get("healthz", (response) => response.json());
    this.serverGone = answer?.failed === true;
    this.listener.changed();
  }
}
