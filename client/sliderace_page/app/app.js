// Chooses the screen from the address, the stored seats and the session in a room. Shell.

import { codeOfText, isLoopback } from "../core/format.js";
import { text } from "../core/texts.js";
import { withTexts } from "./load-texts.js";

/** @typedef {import("../core/protocol.js").Enter} Enter */
/** @typedef {import("../core/protocol.js").RoleName} RoleName */
/** @typedef {import("../core/protocol.js").RoomOptions} RoomOptions */
/** @typedef {import("./room-session.js").Action} Action */
/** @typedef {import("./room-session.js").Level} Level */
/** @typedef {import("./room-session.js").Welcome} Welcome */
/** @typedef {{unknown: true, failed?: false} | {failed: true, unknown?: false}} Failed
 *   not found, or no answer */
/** @typedef {{size?: unknown, players?: unknown, phase?: unknown, unknown?: unknown}} Preview
 *   what the server says of a room, as received; `unknown`: there is no such room */

export class App {
  /** @type {"home" | "enter" | "room" | "replay" | "solo" | "stopped"} */
  screen = "home";
  /** @type {string | null} the room code in the address */
  code = null;
  /** @type {string | null} the race id in the address */
  replay = null;
  problem = ""; // why the last try to enter failed
  /** @type {Preview | null} the room of the address, before we enter it */
  preview = null;
  /** @type {RoomSession | null} */
  session = null;
  /** @type {{text: string, action: Action} | null} */
  stopped = null;
  onChange = () => {};
  /** @type {(note: string, level: Level) => void} */
  onNote = () => {};
  /** @type {Enter | null} how we enter a room whose modules are being loaded */
  #loading = null;

  /**
   * @param {object} world
   * @param {Location} world.location
   * @param {History} world.history
   * @param {Seats} world.seats
   * @param {Settings} world.settings
   * @param {(url: URL) => Promise<Response>} world.fetch
   * @param {() => number} world.now monotonic ms
   * @param {import("../core/draw.js").Random} world.random
   * @param {SubtleCrypto} [world.subtle] missing without https
   * @param {(work: () => void, ms: number) => unknown} [world.later]
   * @param {typeof import("./room-session.js").RoomSession} [world.RoomSession] loaded
   *   when it is needed, if not given
   * @param {Partial<import("./connection.js").SocketWorld>} [world.socket] in tests
   */
  constructor(world) {
    this.later = world.later ?? ((work, ms) => setTimeout(work, ms));
    this.location = world.location;
    this.history = world.history;
    this.seats = world.seats;
    this.settings = world.settings;
    this.fetch = world.fetch;
    this.now = world.now;
    this.random = world.random;
    this.subtle = world.subtle;
    this.RoomSession = world.RoomSession;
    this.socket = world.socket;
  }

  get model() {
    return this.session?.model ?? null;
  }

  get serverGone() {
    return this.session?.serverGone ?? false;
  }

  get trouble() {
    return this.session?.trouble ?? "";
  }

  get absence() {
    return this.session?.absence ?? "";
  }

  get refusals() {
    return this.session?.refusals ?? 0;
  }

  /** How the last race's record compares with our evidence; null: not compared. */
  get check() {
    return this.session?.recordCheck.outcome ?? null;
  }

  // --- Places ------------------------------------------------------------------------

  /** Show the room, replay or page that the address names. */
  route() {
    this.#drop();
    this.problem = "";
    this.stopped = this.preview = null;
    const last = this.location.pathname.split("/").pop() ?? "";
    this.code = codeOfText(last);
    const query = new URL(this.location.href).searchParams;
    this.replay = query.get("replay");
    const ticket = this.#takeTicket();
    if (ticket && this.code) {
      this.#enter({ as: "redeem", code: this.code, ticket });
    } else if (this.replay) {
      this.#show("replay");
    } else if (query.has("practice")) {
      this.#show("solo");
    } else if (!this.code) {
      if (last && last !== "index.html") this.problem = text("app.bad_link");
      this.#show("home");
    } else if (this.view === "stream") {
      const name = text("app.stream_name");
      this.#enter({ as: "join", code: this.code, name, role: "spectator" });
    } else if (this.seats.room === this.code && this.seats.get(this.code)) {
      this.resume();
    } else {
      this.#show("enter");
      this.#look(this.code);
    }
  }

  /** `?view=stream`: a view for an audience, without controls and without a seat. */
  get view() {
    return new URL(this.location.href).searchParams.get("view");
  }

  /** Take the ticket out of the address, if there is one. */
  #takeTicket() {
    const { hash } = new URL(this.location.href);
    const [, ticket] = /^#ticket=([0-9a-f]{32})$/.exec(hash) ?? [];
    if (!ticket || !this.code) return null;
    this.history.replaceState(null, "", this.code);
    return ticket;
  }

  /** Go to a room's entrance, or home. @param {string | null} code */
  visit(code) {
    if (!code) this.seats.room = null;
    this.history.pushState(null, "", code ?? ".");
    this.route();
  }

  /** The browser has gone back or forward: nobody leaves a race by accident. */
  back() {
    const { code, model } = this;
    if (this.screen !== "room" || !code || !model?.isCommitted) {
      this.route();
      return;
    }
    this.history.pushState(null, "", code);
    this.onNote(text("frame.race_running"), "bad");
  }

  /** @param {string} code */
  async #look(code) {
    const preview = await this.#getJson(`api/rooms/${code}`);
    if (this.code !== code || this.screen !== "enter") return;
    if (!preview) this.problem ||= text("app.no_answer");
    else this.preview = preview;
    this.onChange();
  }

  /**
   * Public rooms, for the home screen.
   * @returns {Promise<object[] | null>} null: no answer
   */
  async publicRooms() {
    const found = await this.#getJson("api/rooms");
    return Array.isArray(found?.rooms) ? found.rooms : null;
  }

  /**
   * A link to this room from other machines, if the server knows one.
   * @returns {Promise<string | undefined>}
   */
  async linkForOthers() {
    const found = await this.#getJson(`api/rooms/${this.code}`);
    const links = Array.isArray(found?.links) ? found.links : [];
    return links.find((link) => /^https?:\/\//.test(link) && !isLoopback(link));
  }

  /**
   * Ask the server.
   * @template T
   * @param {string} path below the page's own address
   * @param {(answer: Response) => T | Promise<T>} read
   * @returns {Promise<T | Failed>}
   */
  async get(path, read) {
    try {
      const answer = await this.fetch(new URL(path, this.location.href));
      if (answer.status === 404) return { unknown: true };
      return answer.ok ? await read(answer) : { failed: true };
    } catch {
      return { failed: true };
    }
  }

  /** @param {string} path @returns {Promise<Record<string, unknown> | null>} null: no answer */
  async #getJson(path) {
    const found = await this.get(path, (answer) => answer.json());
    return typeof found !== "object" || found === null || found.failed ? null : found;
  }

  // --- Ways in -----------------------------------------------------------------------

  /** @param {string} name @param {RoomOptions} options */
  host(name, options) {
    this.seats.name = name;
    this.#enter({ as: "create", name, ...options });
  }

  /** @param {string} code @param {string} name @param {RoleName} role */
  join(code, name, role) {
    this.seats.name = name;
    this.#enter({ as: "join", code, name, role });
  }

  /** Resume this browser's seat in the room of the address. */
  resume() {
    const { code } = this;
    const seat = code && this.seats.get(code);
    if (!code || !seat) return;
    this.#enter({ as: "resume", code, token: seat.token, epoch: 0, offset: 0 });
  }

  /** Load what a room needs, before it is needed. */
  async prepare() {
    this.RoomSession ??= (await withTexts(import("./room-session.js"))).RoomSession;
  }

  /** @param {Enter} entering */
  #enter(entering) {
    this.#drop();
    this.problem = "";
    this.stopped = null;
    this.#show("room");
    if (this.RoomSession) this.#begin(this.RoomSession, entering);
    else this.#load(entering);
  }

  /** @param {Enter} entering */
  async #load(entering) {
    this.#loading = entering;
    await this.prepare().catch(() => {});
    if (this.#loading !== entering || this.screen !== "room") return;
    if (this.RoomSession) this.#begin(this.RoomSession, entering);
    else this.#stop(text("app.no_answer"), "reload");
  }

  /** @param {NonNullable<App["RoomSession"]>} Session @param {Enter} entering */
  #begin(Session, entering) {
    const url = new URL("ws", this.location.href);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    const { now, random, later, subtle, socket } = this;
    /** @type {import("./room-session.js").Get} */
    const get = (path, read) => this.get(path, read);
    const world = { url: url.href, now, random, later, subtle, socket, get };
    this.session = new Session(entering, world, {
      changed: () => this.onChange(),
      note: (note, level) => this.onNote(note, level),
      welcomed: (event) => this.#welcomed(event),
      stopped: (why, action) => this.#stop(why, action),
      turnedAway: (why, hadToken) => this.#turnedAway(why, hadToken),
      seatLost: () => this.#forgetSeat(),
    });
    this.session.open();
    this.onChange();
  }

  // --- In the room -------------------------------------------------------------------

  /** @param {Welcome} event */
  #welcomed({ code, token }) {
    if (this.view === "stream") return;
    if (token) this.seats.keep(code, { token, name: this.seats.name });
    this.seats.room = code;
    if (this.code !== code) {
      this.code = code;
      this.history.pushState(null, "", code);
    }
  }

  /** Send a command. @param {Command} message */
  send(message) {
    this.session?.send(message);
  }

  /** Go from the results to the next race's lobby. */
  playAgain() {
    this.session?.playAgain();
  }

  /** Go from the results back to the others. */
  closeResults() {
    this.model?.closeResults();
    this.onChange();
  }

  /** Become ready, if the settings ask for it. */
  autoReady() {
    if (this.settings.now.ready) this.session?.autoReady();
  }

  /** @param {Direction} direction @returns {boolean} whether the tile moved */
  slide(direction) {
    return this.session?.slide(direction) ?? false;
  }

  /** @param {number} cell @returns {boolean} whether the tile in that cell moved */
  slideCell(cell) {
    return this.session?.slideCell(cell) ?? false;
  }

  /** @param {Command} message `leave` or `close` */
  leave(message) {
    if (this.model?.online) this.send(message);
    this.#forgetSeat();
    this.visit(null);
  }

  /** Handle that the page was asleep, or the network is back. */
  wake() {
    this.session?.wake();
  }

  /** Handle that the page is closed, reloaded or hidden. */
  hide() {
    this.session?.hide();
  }

  // --- Ends --------------------------------------------------------------------------

  #forgetSeat() {
    if (this.code) this.seats.forget(this.code);
  }

  /** @param {string} why @param {boolean} hadToken */
  #turnedAway(why, hadToken) {
    if (hadToken) this.#forgetSeat();
    this.#drop();
    this.problem = why;
    this.#show(this.code ? "enter" : "home");
    if (this.code) this.#look(this.code);
  }

  /** @param {string} why @param {Action} action */
  #stop(why, action) {
    this.#drop();
    this.stopped = { text: why, action };
    this.#show("stopped");
  }

  /** Close the connection. The state stays visible until the next session begins. */
  #drop() {
    this.#loading = null;
    this.session?.drop();
  }

  /** @param {App["screen"]} screen */
  #show(screen) {
    this.screen = screen;
    this.onChange();
  }
}
