// Which screen is shown and why: the address, the seats kept, the connection. Shell.

import { Connection } from "./connection.js";
import { EngineError } from "./engine.js";
import { Model } from "./model.js";
import { say } from "./phrases.js";
import { against } from "./proof.js";
import {
  ProtocolError,
  VERSION,
  decodeEvent,
  enter,
  mayReconnect,
  sayClosed,
  sayRefused,
} from "./protocol.js";
import { codeOfText, isLoopback } from "./text.js";

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
const RECORD_TRIES = 4; // a record may be stored a moment after the results are told
const RECORD_MS = 1500; // between two tries
const ASK_AFTER = 3; // lost connections in a row before we ask whether the server lives

export class App {
  /**
   * @param {object} world
   * @param {Location} world.location
   * @param {History} world.history
   * @param {Seats} world.seats
   * @param {typeof fetch} world.fetch
   * @param {() => number} world.now monotonic ms
   * @param {(count: number) => Uint8Array} world.random bytes of pure chance
   * @param {SubtleCrypto} [world.subtle] missing without https
   * @param {(work: () => void, ms: number) => void} [world.later]
   * @param {object} [world.socket] for `Connection`, in tests
   */
  constructor(world) {
    this.later = (work, ms) => setTimeout(work, ms);
    Object.assign(this, world);
    this.screen = "home"; // home, door (of a room), room, stopped
    this.code = null; // of the address
    this.problem = ""; // why the last try to enter failed
    this.peek = null; // what the server tells of the room before entering
    this.stopped = null; // {text, action: "again" | "reload" | "home"}
    this.model = null;
    this.link = null;
    this.serverGone = false;
    this.refusals = 0; // of what was asked in a room
    this.check = null; // of a race's record: {race, wrong: sentences; null: not known}
    this.onChange = () => {};
    this.onNote = () => {};
  }

  // --- Places ------------------------------------------------------------------------

  /** Look at the address and show what it names. */
  route() {
    this.#drop();
    this.problem = "";
    this.stopped = this.peek = null;
    const last = this.location.pathname.split("/").pop();
    this.code = codeOfText(last);
    if (!this.code) {
      this.#show("home");
    } else if (this.seats.room === this.code && this.seats.get(this.code)) {
      this.resume();
    } else {
      this.#show("door");
      this.#look(this.code);
    }
  }

  /** Go to a room's door, or home. @param {string | null} code */
  visit(code) {
    if (!code) this.seats.room = null;
    this.history.pushState(null, "", code ?? ".");
    this.route();
  }

  async #look(code) {
    const peek = await this.#fetch(`api/rooms/${code}`);
    if (this.code !== code || this.screen !== "door" || peek.failed) return;
    this.peek = peek;
    this.onChange();
  }

  /** Public rooms, for the home page. @returns {Promise<object[]>} */
  async publicRooms() {
    const found = await this.#fetch("api/rooms");
    return Array.isArray(found.rooms) ? found.rooms : [];
  }

  /** A link to this room from elsewhere, if the server knows one. */
  async linkForOthers() {
    const { links } = await this.#fetch(`api/rooms/${this.code}`);
    const all = Array.isArray(links) ? links : [];
    return all.find((link) => /^https?:\/\//.test(link) && !isLoopback(link));
  }

  /**
   * The record of a race, computed again check by check, and held against what was told.
   * @returns {Promise<Check[]>}
   */
  async verifyRecord(results, kept) {
    const text = await this.#record(results);
    if (text === null) {
      const why = "The record was not found.";
      return [{ name: "record", verdict: "cannot be known", text: why }];
    }
    const { verify } = await import("./record.js"); // for the few who ask
    const promised = kept.late ? "" : kept.commitment;
    const checks = await verify(text, this.subtle, { promised });
    const wrong = against(recordIn(text), results, kept);
    const verdict = wrong.length ? "not ok" : "ok";
    const told = wrong.join(" ") || "The record is what was told after the race.";
    return [...checks, { name: "results", verdict, text: told }];
  }

  /** The file of a race's record, fetched once; null: not found. */
  #record(results) {
    if (this.file?.path !== results.record) {
      this.file = { path: results.record, text: this.#fetchRecord(results) };
    }
    return this.file.text;
  }

  async #fetchRecord({ record }) {
    const path = record.replace(/^\//, "");
    for (let tries = 1; ; tries += 1) {
      const text = await this.#fetch(path, (answer) => answer.text());
      if (typeof text === "string") return text;
      if (tries === RECORD_TRIES) return null;
      await new Promise((resolve) => this.later(resolve, RECORD_MS));
    }
  }

  /** Who raced holds the record against what was shown and sent, unasked and once. */
  async #checkRecord() {
    const { kept, results } = this.model;
    const raced = kept && !kept.late && (kept.seat !== null || kept.own !== null);
    if (!raced || this.check?.race === results.race) return;
    const check = { race: results.race, wrong: null };
    this.check = check;
    const text = await this.#record(results);
    if (text === null) return; // not to be had: that says nothing against it
    check.wrong = against(recordIn(text), results, kept);
    if (check.wrong.length)
      this.onNote("The race record does not fit this race", "bad");
    this.onChange();
  }

  async #fetch(path, read = (answer) => answer.json()) {
    try {
      const answer = await this.fetch(new URL(path, this.location.href));
      if (answer.status === 404) return { unknown: true };
      return answer.ok ? await read(answer) : { failed: true };
    } catch {
      return { failed: true };
    }
  }

  // --- Ways in -----------------------------------------------------------------------

  host(name, options) {
    this.#remember(name);
    this.#enter(enter.create(name, options));
  }

  join(code, name, role) {
    this.#remember(name);
    this.#enter(enter.join(code, name, role));
  }

  /** Take the seat again that this browser has in the room of the address. */
  resume() {
    const seat = this.seats.get(this.code);
    if (seat) this.#enter(enter.resume(this.code, seat.token));
  }

  #remember(name) {
    this.seats.name = name;
  }

  #enter(entering) {
    this.#drop();
    this.problem = "";
    this.stopped = this.refused = null;
    this.losses = 0;
    this.serverGone = false;
    this.model = new Model(entering, this.random);
    const url = new URL("ws", this.location.href);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    this.link = new Connection(
      {
        url: url.href,
        hello: () => this.model.hello(),
        onMessage: (text) => this.#hear(text),
        onClose: (code) => this.#closed(code),
        onState: () => this.onChange(),
      },
      this.socket,
    );
    this.#show("room");
    this.link.open();
  }

  // --- In the room -------------------------------------------------------------------

  #hear(text) {
    try {
      const event = decodeEvent(text);
      if (event === null) return;
      this.#tell(event);
      this.model.receive(event, this.now());
      if (this.model.results) this.#checkRecord();
    } catch (error) {
      if (!(error instanceof ProtocolError || error instanceof EngineError))
        throw error;
      this.#stop("Server and page do not understand each other.", "reload");
    }
    this.flush();
  }

  #tell(event) {
    const { waiting, offset } = this.model;
    const note = waiting || event.o <= offset ? "" : say(event, this.model);
    if (note) this.onNote(note, "info");
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
    if (!unasked && !UNSAID.has(event.of)) this.onNote(sayRefused(event), "bad");
  }

  #welcomed({ v, code, token }) {
    if (v !== VERSION) {
      this.#stop(sayClosed(4504), "reload");
      return;
    }
    this.link.settled();
    this.losses = 0;
    this.serverGone = false;
    if (token) this.seats.keep(code, { token, name: this.seats.name });
    this.seats.room = code;
    if (this.code !== code) {
      this.code = code;
      this.history.pushState(null, "", code);
    }
  }

  /** Send what the model has to say, now and when it is due. */
  flush() {
    if (this.link) this.link.send(this.model.poll(this.now()));
    clearTimeout(this.timer);
    const wait = (this.model?.due(this.now()) ?? Infinity) - this.now();
    if (wait < Infinity) this.timer = setTimeout(() => this.flush(), Math.max(0, wait));
    this.onChange();
  }

  /** Say something to the room. @param {object} message of `protocol.command` */
  ask(message) {
    if (!this.model?.ask(message, this.now())) {
      this.onNote("Not connected. Please wait a moment.", "bad");
    }
    this.flush();
  }

  /** @returns {boolean} whether the tile moved */
  slide(direction) {
    return this.#slid(this.model?.slide(direction, 1, this.now()));
  }

  slideCell(cell) {
    return this.#slid(this.model?.slideCell(cell, this.now()));
  }

  #slid(moved) {
    if (!moved) return false;
    if (this.model.late(this.now())) this.link.probe();
    this.flush();
    return true;
  }

  leave(message) {
    this.ask(message);
    this.seats.forget(this.code);
    this.visit(null);
  }

  /** The page was asleep, or the network is back. */
  wake() {
    this.link?.wake();
  }

  // --- Ends --------------------------------------------------------------------------

  /** @returns {number | null} ms until we may come back by ourselves; null: never */
  #closed(code) {
    const { refused, model } = this;
    this.refused = null;
    model.lost();
    if (refused) {
      if (model.token && PASSING.has(refused.code)) return refused.retry_ms;
      this.#turnedAway(refused);
    } else if (code === 4501 || code === 4502 || model.ended) {
      this.seats.forget(this.code);
      this.#stop(
        sayClosed(code === 4501 || model.ended === "kicked" ? 4501 : 4502),
        "home",
      );
    } else if (mayReconnect(code)) {
      this.losses += 1;
      if (this.losses >= ASK_AFTER) this.#askHealth();
      return 0;
    } else {
      this.#stop(
        sayClosed(code),
        code === 4503 ? "again" : STALE.has(code) ? "reload" : "home",
      );
    }
    return null;
  }

  #turnedAway(refused) {
    if (refused.code === "version") {
      this.#stop(sayRefused(refused), "reload");
      return;
    }
    if (this.model.token) this.seats.forget(this.code);
    this.#drop();
    this.problem = sayRefused(refused);
    this.#show(this.code ? "door" : "home");
    if (this.code) this.#look(this.code);
  }

  /** A browser hides why a connection failed; a plain request tells more. */
  async #askHealth() {
    const health = await this.#fetch("healthz");
    this.serverGone = health.failed === true;
    this.onChange();
  }

  #stop(text, action) {
    this.#drop();
    this.stopped = { text, action };
    this.#show("stopped");
  }

  #drop() {
    clearTimeout(this.timer);
    const { link } = this;
    this.link = null;
    this.model?.lost();
    link?.close();
  }

  #show(screen) {
    this.screen = screen;
    this.onChange();
  }
}

/** The record of a file; undefined: there is none. */
function recordIn(text) {
  try {
    return JSON.parse(text)?.record;
  } catch {
    return undefined;
  }
}
