// Chooses the screen from the address, the stored seats and the session in a room. Shell.

import { codeOfText } from "../core/format.js";
import { text } from "../core/texts.js";
import { withTexts } from "./load-texts.js";

/** @import { Enter, RoleName, RoomOptions } from "../core/protocol.js" */
/** @import { Action, Get, Kind, Level, Welcome } from "./room-session.js" */
/** @typedef {{unknown: true, failed?: false} | {failed: true, sealed?: boolean, unknown?: false}} Failed
 *   not found, or no answer, or not to be read yet */
/** @typedef {{size?: unknown, players?: unknown, phase?: unknown, unknown?: unknown}} Preview
 *   what the server says of a room, as received; `unknown`: there is no such room */

/** Screens with an address of their own, such as `?statistics=4x4`. */
const OWN = /** @type {const} */ (["profile", "statistics", "leaderboards", "daily"]);
export class App {
  /** @type {"home" | "enter" | "room" | "replay" | "solo" | "stopped" | typeof OWN[number]} */
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
  /** @type {Promise<string[]> | null} */
  #asking = null;
  /** @type {string[] | null} what the server offers; null: not known yet */
  #features = null;

  /**
   * @param {object} world
   * @param {Location} world.location
   * @param {History} world.history
   * @param {Seats} world.seats
   * @param {Settings} world.settings
   * @param {(url: URL, options: RequestInit) => Promise<Response>} world.fetch
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

  /** Address of the server's socket. */
  get socketUrl() {
    const url = new URL("ws", this.location.href);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    return url.href;
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
    // Nobody comes back to these: a seat that stays would only keep others waiting.
    const { kind } = (this.screen === "room" && this.model?.room) || {};
    if (kind === "solo" || kind === "quick") this.#quit({ t: "leave" });
    this.#drop();
    this.problem = "";
    this.stopped = this.preview = null;
    const last = this.location.pathname.split("/").pop() ?? "";
    this.code = codeOfText(last);
    const query = new URL(this.location.href).searchParams;
    this.replay = query.get("replay");
    const own = OWN.find((name) => query.has(name));
    const ticket = this.#takeTicket();
    if (ticket && this.code) {
      this.#enter({ as: "redeem", code: this.code, ticket });
    } else if (this.replay) {
      this.#show("replay");
    } else if (query.has("practice")) {
      this.#show("solo");
    } else if (own) {
      this.#show(own);
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
    const alone = model?.room?.kind === "solo"; // nobody else waits for the end
    if (this.screen !== "room" || !code || !model?.isCommitted || alone) {
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
   * What the server offers beyond the first set of the protocol.
   * @returns {Promise<string[]>} empty: nothing, or no answer
   */
  features() {
    this.#asking ??= this.#getJson("healthz").then((found) => {
      if (!found) this.#asking = null; // ask again
      const listed = Array.isArray(found?.features) ? found.features : [];
      this.#features = listed;
      this.onChange();
      return listed;
    });
    return this.#asking;
  }

  /** Whether the server offers this; until it has answered, it is assumed. @param {string} feature */
  offers(feature) {
    return this.#features?.includes(feature) ?? true;
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
   * Ask the server.
   * @template T
   * @param {string} path below the page's own address
   * @param {(answer: Response) => T | Promise<T>} read
   * @param {string | null} [secret] of our profile
   * @returns {Promise<T | Failed>}
   */
  async get(path, read, secret = null) {
    try {
      const headers = secret ? { Authorization: `Bearer ${secret}` } : undefined;
      const answer = await this.fetch(new URL(path, this.location.href), { headers });
      if (answer.status === 404) return { unknown: true };
      return answer.ok ? await read(answer) : { failed: true, sealed: answer.status === 403 };
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

  /** Enter a room under a name, which is kept. @param {Enter & {name: string}} entering */
  enterAs(entering) {
    this.seats.name = entering.name;
    this.#enter(entering);
  }

  /** @param {string} name @param {RoomOptions} options */
  host(name, options) {
    this.enterAs({ as: "create", name, ...options });
  }

  /** @param {string} code @param {string} name @param {RoleName} role */
  join(code, name, role) {
    this.enterAs({ as: "join", code, name, role });
  }

  /** Leave our own room for one with boards of another size. @param {string} size */
  changeSize(size) {
    this.#quit({ t: "leave" });
    this.enterAs({ as: "solo", name: this.seats.name, rules: { size } });
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
    const { socketUrl: url, now, random, later, subtle, socket } = this;
    const { lasting } = this.seats;
    /** @type {Get} */
    const get = (path, read, secret) => this.get(path, read, secret);
    const world = { url, now, random, later, subtle, socket, get, lasting };
    this.session = new Session(entering, world, {
      changed: () => this.onChange(),
      note: (note, level) => this.onNote(note, level),
      welcomed: (event) => this.#welcomed(event),
      stopped: (why, action) => this.#stop(why, action),
      turnedAway: (why, hadToken) => this.#turnedAway(why, hadToken),
      seatLost: () => this.#forgetSeat(),
      solved: (add) => this.settings.set({ times: add(this.settings.now.times) }),
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

  /** @param {Direction} direction @param {Kind} how @returns {boolean} whether the tile moved */
  slide(direction, how) {
    return this.session?.slide(direction, how) ?? false;
  }

  /** @param {number} cell @param {Kind} how @returns {boolean} whether its tile moved */
  slideCell(cell, how) {
    return this.session?.slideCell(cell, how) ?? false;
  }

  /** @param {Command} message `leave` or `close` @param {string | null} to where to go */
  leave(message, to = null) {
    this.#quit(message);
    this.visit(to);
  }

  /** @param {Command} message */
  #quit(message) {
    if (this.model?.online) this.send(message);
    this.#forgetSeat();
    this.screen = "home";
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
    const daily = new URL(this.location.href).searchParams.has("daily");
    this.#show(this.code ? "enter" : daily ? "daily" : "home");
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
