// Which screen is shown and why: the address, the seats kept, the stay in a room. Shell.

import { codeOfText, isLoopback } from "../core/format.js";
import { text } from "../core/texts.js";
import { withTexts } from "./load-texts.js";

export class App {
  /**
   * @param {object} world
   * @param {Location} world.location
   * @param {History} world.history
   * @param {Seats} world.seats
   * @param {Settings} world.settings
   * @param {typeof fetch} world.fetch
   * @param {() => number} world.now monotonic ms
   * @param {(count: number) => Uint8Array} world.random bytes of pure chance
   * @param {SubtleCrypto} [world.subtle] missing without https
   * @param {(work: () => void, ms: number) => void} [world.later]
   * @param {typeof import("./room-session.js").Stay} [world.Stay] loaded when it is needed, if not given
   * @param {Wire} [world.socket] for `Connection`, in tests
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
    this.Stay = world.Stay;
    this.socket = world.socket;
    /** @type {"home" | "enter" | "room" | "replay" | "solo" | "stopped"} */
    this.screen = "home";
    this.code = null; // of the address
    this.problem = ""; // why the last try to enter failed
    this.peek = null; // what the server tells of the room before entering
    /** @type {Stay | null} */
    this.stay = null;
    /** @type {{text: string, action: "again" | "reload" | "home"} | null} */
    this.stopped = null;
    this.onChange = () => {};
    /** @type {(text: string, level: string) => void} */
    this.onNote = () => {};
  }

  get model() {
    return this.stay?.model ?? null;
  }

  get link() {
    return this.stay?.link ?? null;
  }

  get serverGone() {
    return this.stay?.serverGone ?? false;
  }

  get farGone() {
    return this.stay?.farGone ?? false;
  }

  get refusals() {
    return this.stay?.refusals ?? 0;
  }

  /** Of the last race's record: {race, wrong: sentences; null: not known}. */
  get check() {
    return this.stay?.audit.check ?? null;
  }

  // --- Places ------------------------------------------------------------------------

  /** Look at the address and show what it names. */
  route() {
    this.#drop();
    this.problem = "";
    this.stopped = this.peek = null;
    const last = this.location.pathname.split("/").pop();
    this.code = codeOfText(last);
    const query = new URL(this.location.href).searchParams;
    this.replay = query.get("replay"); // the id of a race
    const ticket = this.#takeTicket();
    if (ticket) {
      this.#enter({ as: "redeem", code: this.code, ticket });
    } else if (this.replay) {
      this.#show("replay");
    } else if (query.has("practice")) {
      this.#show("solo");
    } else if (!this.code) {
      if (last && last !== "index.html") this.problem = text("app.bad_link");
      this.#show("home");
    } else if (this.view === "stream") {
      this.#enter({ as: "join", code: this.code, name: "Stream", role: "spectator" });
    } else if (this.seats.room === this.code && this.seats.get(this.code)) {
      this.resume();
    } else {
      this.#show("enter");
      this.#look(this.code);
    }
  }

  /** `?view=stream`: a picture for others, without controls and without a seat. */
  get view() {
    return new URL(this.location.href).searchParams.get("view");
  }

  /** Whose board a picture for others shows. */
  get camera() {
    const pin = new URL(this.location.href).searchParams.get("pin");
    return pin ?? (this.view === "stream" ? "leader" : "all");
  }

  /** The link that takes one's own seat to another device. @param {string} ticket */
  async seatLink(ticket) {
    const here = new URL(this.code, this.location.href);
    const room = (isLoopback(here.href) && (await this.linkForOthers())) || here.href;
    return `${room}#ticket=${ticket}`; // what stands after # is sent to no server
  }

  /** The ticket of such a link; it leaves the address at once. */
  #takeTicket() {
    const { hash } = new URL(this.location.href);
    const [, ticket] = /^#ticket=([0-9a-f]{32})$/.exec(hash) ?? [];
    if (!ticket || !this.code) return null;
    this.history.replaceState(null, "", this.code);
    return ticket;
  }

  /** Go to a room's door, or home. @param {string | null} code */
  visit(code) {
    if (!code) this.seats.room = null;
    this.history.pushState(null, "", code ?? ".");
    this.route();
  }

  async #look(code) {
    const peek = await this.get(`api/rooms/${code}`);
    if (this.code !== code || this.screen !== "enter") return;
    if (peek.failed) this.problem ||= text("app.no_answer");
    else this.peek = peek;
    this.onChange();
  }

  /** Public rooms, for the home page. @returns {Promise<object[]>} */
  async publicRooms() {
    const found = await this.get("api/rooms");
    return Array.isArray(found.rooms) ? found.rooms : [];
  }

  /** A link to this room from elsewhere, if the server knows one. */
  async linkForOthers() {
    const { links } = await this.get(`api/rooms/${this.code}`);
    const all = Array.isArray(links) ? links : [];
    return all.find((link) => /^https?:\/\//.test(link) && !isLoopback(link));
  }

  /**
   * Ask the server, below the page's own address.
   * @param {string} path
   * @param {(answer: Response) => any} [read]
   * @returns {Promise<any>} what `read` made of it, {unknown: true} or {failed: true}
   */
  async get(path, read = (answer) => answer.json()) {
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
    this.#enter({ as: "create", name, ...options });
  }

  join(code, name, role) {
    this.#remember(name);
    this.#enter({ as: "join", code, name, role });
  }

  /** Take the seat again that this browser has in the room of the address. */
  resume() {
    const { code } = this;
    const seat = this.seats.get(code);
    if (!seat) return;
    this.#enter({ as: "resume", code, token: seat.token, epoch: 0, offset: 0 });
  }

  #remember(name) {
    this.seats.name = name;
  }

  /** Load what a room needs, before it is needed. */
  async prepare() {
    this.Stay ??= (await withTexts(import("./room-session.js"))).Stay;
  }

  #enter(entering) {
    this.#drop();
    this.problem = "";
    this.stopped = null;
    this.#show("room");
    if (this.Stay) this.#begin(entering);
    else this.#load(entering);
  }

  async #load(entering) {
    this.loading = entering;
    const loaded = await this.prepare().then(
      () => true,
      () => false,
    );
    if (this.loading !== entering || this.screen !== "room") return;
    if (loaded) this.#begin(entering);
    else this.#stop(text("app.no_answer"), "reload");
  }

  #begin(entering) {
    const url = new URL("ws", this.location.href);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    const { now, random, later, subtle, socket } = this;
    const get = (path, read) => this.get(path, read);
    const world = { url: url.href, now, random, later, subtle, socket, get };
    this.stay = new this.Stay(entering, world, {
      changed: () => this.onChange(),
      note: (text, level) => this.onNote(text, level),
      welcomed: (event) => this.#welcomed(event),
      stopped: (text, action) => this.#stop(text, action),
      turnedAway: (said, seated) => this.#turnedAway(said, seated),
      seatLost: () => this.seats.forget(this.code),
    });
    this.stay.open();
    this.onChange();
  }

  // --- In the room -------------------------------------------------------------------

  #welcomed({ code, token }) {
    if (this.view === "stream") return;
    if (token) this.seats.keep(code, { token, name: this.seats.name });
    this.seats.room = code;
    if (this.code !== code) {
      this.code = code;
      this.history.pushState(null, "", code);
    }
  }

  /** Say something to the room. @param {Wire} message of `protocol.command` */
  ask(message) {
    this.stay?.ask(message);
  }

  /** From the results into the next race's lobby. */
  again() {
    this.stay?.again();
  }

  /** From the results back to the others. */
  goOn() {
    this.model?.goOn();
    this.onChange();
  }

  /** Who wants to be ready always says so, whatever is on the screen. */
  readyBySelf() {
    if (this.settings.now.ready) this.stay?.readyBySelf();
  }

  /** @returns {boolean} whether the tile moved */
  slide(direction) {
    return this.stay?.slide(direction) ?? false;
  }

  /** @returns {boolean} whether the tile in that cell moved */
  slideCell(cell) {
    return this.stay?.slideCell(cell) ?? false;
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

  /** The page is closed, reloaded or put away. */
  hide() {
    this.stay?.hide();
  }

  // --- Ends --------------------------------------------------------------------------

  #turnedAway(said, seated) {
    if (seated) this.seats.forget(this.code);
    this.#drop();
    this.problem = said;
    this.#show(this.code ? "enter" : "home");
    if (this.code) this.#look(this.code);
  }

  #stop(text, action) {
    this.#drop();
    this.stopped = { text, action };
    this.#show("stopped");
  }

  /** Hang up. What was seen stays until another stay begins. */
  #drop() {
    this.loading = null;
    this.stay?.drop();
  }

  /** @param {App["screen"]} screen */
  #show(screen) {
    this.screen = screen;
    this.onChange();
  }
}
