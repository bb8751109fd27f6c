// The WebSocket to a room. Shell.
//
// The states: `closed` -> `connecting` -> `open` -> `waiting` -> `connecting` ...
//
// - When a socket opens, `hello` is sent; messages are passed to `onMessage`.
// - When it closes, `onClose` decides: after how many ms at least to try again, or never
//   (null). To that we add backoff with full jitter, which grows with each failure until
//   `settled` says that the server has let us in.
// - A dead connection does not always close. After 20 s of silence, and when the page
//   wakes up or an ack is late, we `probe`: without any message within 5 s the socket is
//   given up as if it had closed with 1006.
// - Handlers of an old socket are ignored: only the socket in use counts.

import { constants } from "../core/constants.js";
import { backoff, command } from "../core/protocol.js";

/** @typedef {"closed" | "connecting" | "open" | "waiting"} State */
/**
 * The functions that tests replace.
 * @typedef {object} SocketWorld
 * @property {typeof WebSocket} WebSocket
 * @property {() => number} random at least 0, below 1
 * @property {() => number} now monotonic ms
 * @property {(work: () => void, ms: number) => unknown} later
 * @property {(timer: unknown) => void} cancel
 */

const PONG_MS = 5000; // without an answer to a probe for this long, a connection is dead
const QUIET_MS = 20000; // browsers hide the server's pings; after this silence we probe
const LOST = 1006; // close code of a connection that just ends

export class Connection {
  /** @type {State} */
  state = "closed";
  /** @type {WebSocket | null} */
  socket = null;
  #tries = 0;
  #pings = 0;
  #received = 0; // messages, on all connections
  #receivedAt = 0;
  /** @type {unknown} */
  #timer;

  /**
   * @param {object} wanted
   * @param {string} wanted.url
   * @param {() => object} wanted.hello the first message of every connection
   * @param {(text: unknown) => void} wanted.onMessage
   * @param {(code: number) => number | null} wanted.onClose after how many ms at least to
   *   reconnect; null: never
   * @param {() => void} wanted.onState `state` has changed
   * @param {Partial<SocketWorld>} [world]
   */
  constructor({ url, hello, onMessage, onClose, onState }, world = {}) {
    this.url = url;
    this.hello = hello;
    this.onMessage = onMessage;
    this.onClose = onClose;
    this.onState = onState;
    /** @type {SocketWorld} */
    this.world = {
      WebSocket: globalThis.WebSocket,
      random: Math.random,
      now: () => performance.now(),
      later: (work, ms) => setTimeout(work, ms),
      cancel: (timer) => clearTimeout(/** @type {number | undefined} */ (timer)),
      ...world,
    };
  }

  open() {
    this.#cancel();
    const socket = new this.world.WebSocket(this.url, [constants.protocol.subprotocol]);
    this.socket = socket;
    socket.onopen = () => {
      if (this.socket !== socket) return;
      this.#receivedAt = this.world.now();
      socket.send(JSON.stringify(this.hello()));
      this.#become("open");
      this.#watch();
    };
    socket.onmessage = ({ data }) => {
      if (this.socket !== socket) return;
      this.#receivedAt = this.world.now();
      this.#received += 1;
      this.onMessage(data);
    };
    socket.onclose = ({ code }) => {
      if (this.socket === socket) this.#closed(code);
    };
    this.#become("connecting");
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

  /** The page was asleep, or the network is back: reconnect or probe now. */
  wake() {
    if (this.state === "waiting") this.open();
    else this.probe();
  }

  /** Request an answer; without one, reconnect. */
  probe() {
    if (this.state !== "open") return;
    this.#cancel();
    const received = this.#received;
    this.#pings += 1;
    this.send([command.ping(this.#pings)]);
    this.#timer = this.world.later(() => {
      if (this.#received > received) this.#watch();
      else this.#closed(LOST);
    }, PONG_MS);
  }

  /** Close for good; ignore later messages. */
  close() {
    this.#cancel();
    const { socket } = this;
    this.socket = null;
    this.#become("closed");
    socket?.close(1000);
  }

  /** Probe after too much silence. */
  #watch() {
    this.#cancel();
    const quiet = this.world.now() - this.#receivedAt;
    if (quiet >= QUIET_MS) this.probe();
    else this.#timer = this.world.later(() => this.#watch(), QUIET_MS - quiet);
  }

  /** @param {number} code */
  #closed(code) {
    this.#cancel();
    const { socket } = this;
    this.socket = null;
    socket?.close();
    const least = this.onClose(code);
    if (least === null) {
      this.#become("closed");
      return;
    }
    const wait = least + backoff(this.#tries, this.world.random());
    this.#tries += 1;
    this.#timer = this.world.later(() => this.open(), wait);
    this.#become("waiting");
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
