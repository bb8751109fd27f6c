// The WebSocket to a room. Shell.
//
// The states: `closed` -> `connecting` -> `open` -> `waiting` -> `connecting` ...
//
// - When a socket opens, `hello` is sent; messages are passed to `onMessage`.
// - When it closes, `onClose` decides: after how many ms at least to try again, or never
//   (null). To that we add backoff with full jitter, which grows with each failure until
//   `settled` says that the server has let us in. In a running race it stays below 2 s.
// - A dead connection does not always close. If the model is in doubt whether it is
//   alive (core/liveness.js), `double` opens a second socket. The first message of the
//   second one ends the first one. If it fails, the first one is lost, unless it has
//   answered in the meantime.
// - A socket that brings no message within 5 s counts as closed with 1006.
// - Other sockets are ignored, as they are old.

import { constants } from "../core/constants.js";
import { backoff } from "../core/protocol.js";

/** @typedef {"closed" | "connecting" | "open" | "waiting"} State */
/**
 * The functions that tests replace.
 * @typedef {object} SocketWorld
 * @property {typeof WebSocket} WebSocket
 * @property {() => number} random at least 0, below 1
 * @property {(work: () => void, ms: number) => unknown} later
 * @property {(timer: unknown) => void} cancel
 */

const OPEN_MS = 5000; // for opening a socket and for its first message
const LOST = 1006; // close code of a connection that just ends
const REPLACED = 4503;
const IS_OPEN = 1; // `WebSocket.OPEN`: it has said `hello`

export class Connection {
  /** @type {State} */
  state = "closed";
  /** @type {WebSocket | null} */
  socket = null;
  /** @type {WebSocket | null} beside the first one, until its first message */
  #second = null;
  #tries = 0;
  #isRenewed = false; // the second socket is to replace the first one
  #isDoubled = false; // a second socket has said `hello`: the server may close this one
  /** @type {unknown} of the socket being opened, or of the next try */
  #timer;

  /**
   * @param {object} wanted
   * @param {string} wanted.url
   * @param {() => string} [wanted.room] the code of the room in `hello`: a server with
   *   several processes then connects us to the one that serves the room
   * @param {() => object} wanted.hello the first message of every connection
   * @param {(text: unknown, takesOver: boolean) => void} wanted.onMessage takesOver: it
   *   is the first one of a second socket
   * @param {(code: number) => number | null} wanted.onClose after how many ms at least to
   *   reconnect; null: never
   * @param {() => void} wanted.onState `state` has changed
   * @param {() => boolean} wanted.inDoubt the socket in use may be dead
   * @param {() => boolean} wanted.inRace
   * @param {Partial<SocketWorld>} [world]
   */
  constructor(wanted, world = {}) {
    const { url, hello, onMessage, onClose, onState, inDoubt, inRace } = wanted;
    this.url = url;
    this.room = wanted.room ?? (() => "");
    this.hello = hello;
    this.onMessage = onMessage;
    this.onClose = onClose;
    this.onState = onState;
    this.inDoubt = inDoubt;
    this.inRace = inRace;
    /** @type {SocketWorld} */
    this.world = {
      WebSocket: globalThis.WebSocket,
      random: Math.random,
      later: (work, ms) => setTimeout(work, ms),
      cancel: (timer) => clearTimeout(/** @type {number | undefined} */ (timer)),
      ...world,
    };
  }

  open() {
    this.socket = this.#connect();
    this.#become("connecting");
  }

  /** Open a second socket, because the first one may be dead. */
  double() {
    if (this.state === "open" && !this.#second) this.#second = this.#connect();
  }

  /** Replace the socket by another one, whose `hello` says something new. */
  renew() {
    if (this.state !== "open") return;
    this.#isRenewed = true;
    this.#second ??= this.#connect();
  }

  /** @returns {WebSocket} */
  #connect() {
    this.#cancel();
    const room = this.room();
    const url = room ? `${this.url}?room=${encodeURIComponent(room)}` : this.url;
    const socket = new this.world.WebSocket(url, [constants.protocol.subprotocol]);
    socket.onopen = () => this.#opened(socket);
    socket.onmessage = ({ data }) => this.#received(socket, data);
    socket.onclose = ({ code }) => this.#ended(socket, code);
    this.#timer = this.world.later(() => this.#ended(socket, LOST), OPEN_MS);
    return socket;
  }

  /** @param {WebSocket} socket */
  #opened(socket) {
    const isSecond = socket === this.#second;
    if (isSecond && !this.inDoubt() && !this.#isRenewed) {
      this.#ended(socket, LOST);
      return;
    }
    if (!isSecond && socket !== this.socket) return;
    this.#isDoubled ||= isSecond;
    socket.send(JSON.stringify(this.hello()));
    if (!isSecond) this.#become("open");
  }

  /** @param {WebSocket} socket @param {unknown} data */
  #received(socket, data) {
    const takesOver = socket === this.#second;
    if (takesOver) {
      this.socket?.close();
      this.#useSecond();
    }
    if (socket !== this.socket) return;
    if (!this.#second) this.#cancel();
    this.onMessage(data, takesOver);
  }

  #useSecond() {
    this.socket = this.#second;
    this.#second = null;
    this.#isDoubled = this.#isRenewed = false;
  }

  /** Note that the server has let us in: the next failure is the first one again. */
  settled() {
    this.#tries = 0;
  }

  /** @param {Command[]} commands */
  send(commands) {
    if (this.state !== "open") return;
    for (const one of commands) this.socket?.send(JSON.stringify(one));
  }

  /** Close for good; ignore later messages. */
  close() {
    this.#cancel();
    const sockets = [this.socket, this.#second];
    this.socket = this.#second = null;
    this.#become("closed");
    for (const socket of sockets) socket?.close(1000);
  }

  /**
   * A socket has closed, or brings nothing.
   * @param {WebSocket} socket @param {number} code
   */
  #ended(socket, code) {
    if (socket === this.#second) {
      this.#second = null;
      this.#cancel();
      socket.close();
      if (this.inDoubt()) this.#closed(LOST);
      else this.world.later(() => this.#forgetSecond(), OPEN_MS);
    } else if (socket === this.socket) {
      this.#closed(code === REPLACED && this.#isDoubled ? LOST : code);
    }
  }

  /** By now the server has closed the first socket for the second one, or never will. */
  #forgetSecond() {
    if (!this.#second) this.#isDoubled = false;
  }

  /**
   * The socket in use is closed: go on with the second one, or open another later.
   * @param {number} code
   */
  #closed(code) {
    const { socket } = this;
    this.#useSecond();
    socket?.close();
    const least = this.onClose(code);
    if (least === null) {
      this.close();
    } else if (this.socket) {
      this.#become(this.socket.readyState === IS_OPEN ? "open" : "connecting");
    } else {
      this.#cancel();
      const wait = least + backoff(this.#tries, this.world.random(), this.inRace());
      this.#tries += 1;
      this.#timer = this.world.later(() => this.open(), wait);
      this.#become("waiting");
    }
  }

  #cancel() {
    this.world.cancel(this.#timer);
    this.#timer = undefined;
  }

  /** @param {State} state */
  #become(state) {
    this.state = state;
    this.onState();
  }
}
