// Watches the live rooms while the start page is visible: through a connection, or by
// asking now and then where the server has none. Shell.

import { constants } from "../core/constants.js";
import { LiveRooms } from "../core/live-rooms.js";

const ASK_MS = 5000; // between two questions, and before another connection

export class RoomWatch {
  #rooms = new LiveRooms();
  /** @type {WebSocket | null} */
  #socket = null;
  /** @type {unknown} */
  #timer;
  #on = false;

  /**
   * @param {object} app
   * @param {string} app.socketUrl
   * @param {() => Promise<string[]>} app.features
   * @param {() => Promise<object[] | null>} app.publicRooms
   * @param {Partial<import("./connection.js").SocketWorld>} [app.socket] in tests
   * @param {(rooms: import("../core/live-rooms.js").LiveRoom[]) => void} changed
   */
  constructor(app, changed) {
    this.app = app;
    this.changed = changed;
    const { socket = {} } = app;
    this.WebSocket = socket.WebSocket ?? globalThis.WebSocket;
    this.later = socket.later ?? ((work, ms) => setTimeout(work, ms));
    this.cancel = socket.cancel ?? ((timer) => clearTimeout(/** @type {number} */ (timer)));
  }

  /** @param {boolean} on whether to watch */
  watch(on) {
    if (on === this.#on) return;
    this.#on = on;
    if (on) this.#next();
    else this.#end();
  }

  #end() {
    this.cancel(this.#timer);
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
  }

  async #next() {
    const features = await this.app.features();
    if (!this.#on || this.#socket) return;
    if (features.includes("lobby")) this.#connect();
    else await this.#ask();
  }

  async #ask() {
    this.#again();
    const rooms = await this.app.publicRooms();
    if (rooms && this.#on && !this.#socket) this.#show(() => this.#rooms.replace(rooms));
  }

  #again() {
    this.cancel(this.#timer);
    this.#timer = this.later(() => this.#next(), ASK_MS);
  }

  #connect() {
    const { version: v, subprotocol } = constants.protocol;
    const socket = new this.WebSocket(this.app.socketUrl, [subprotocol]);
    this.#socket = socket;
    socket.onopen = () =>
      socket.send(JSON.stringify({ t: "hello", v, enter: { as: "lobby" }, can: ["rooms"] }));
    let first = true;
    socket.onmessage = ({ data }) => {
      const event = JSON.parse(data);
      if (event?.t !== "rooms" || socket !== this.#socket) return;
      this.#show(() => (first ? this.#rooms.replace(event.rows) : this.#rooms.change(event)));
      first = false;
    };
    socket.onclose = () => {
      if (socket !== this.#socket) return;
      this.#socket = null;
      if (first) this.#ask(); // too many connections, say
      else this.#again();
    };
  }

  /** @param {() => void} change */
  #show(change) {
    change();
    this.changed(this.#rooms.sorted);
  }
}
