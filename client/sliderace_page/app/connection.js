// The socket: opens, comes back by itself, and finds out when it is dead. Shell.

import { constants } from "../core/constants.js";
import { backoff, command } from "../core/protocol.js";

const PONG_MS = 5000; // no answer to a probe for this long: the connection is dead
const QUIET_MS = 20000; // the server pings unseen; after so much silence we ask

export class Connection {
  /**
   * @param {object} wanted
   * @param {string} wanted.url
   * @param {() => object} wanted.hello the first message of every connection
   * @param {(text: unknown) => void} wanted.onMessage
   * @param {(code: number) => number | null} wanted.onClose when to come back: not
   *   before so many ms; null: never
   * @param {() => void} wanted.onState `state` has changed
   * @param {Wire} [world] what a test replaces
   */
  constructor({ url, hello, onMessage, onClose, onState }, world = {}) {
    this.url = url;
    this.hello = hello;
    this.onMessage = onMessage;
    this.onClose = onClose;
    this.onState = onState;
    this.world = {
      WebSocket: globalThis.WebSocket,
      random: Math.random,
      now: () => performance.now(),
      later: (work, ms) => setTimeout(work, ms),
      cancel: (timer) => clearTimeout(timer),
      ...world,
    };
    this.state = "closed"; // connecting, open, waiting (for the next try), closed
    this.tries = 0;
    this.pings = 0;
    this.words = 0; // heard on this page, of any connection
    this.heard = 0;
    this.socket = null;
  }

  open() {
    this.#cancel();
    const socket = new this.world.WebSocket(this.url, [constants.protocol.subprotocol]);
    this.socket = socket;
    // Every handler asks whether its socket is still the one in use.
    const mine = (work) => (event) => {
      if (this.socket === socket) work(event);
    };
    socket.onopen = mine(() => {
      this.heard = this.world.now();
      socket.send(JSON.stringify(this.hello()));
      this.#become("open");
      this.#watch();
    });
    socket.onmessage = mine(({ data }) => {
      this.heard = this.world.now();
      this.words += 1;
      this.onMessage(data);
    });
    socket.onclose = mine(({ code }) => this.#closed(code));
    this.#become("connecting");
  }

  /** The server has let us in: the next failure is a first one again. */
  settled() {
    this.tries = 0;
  }

  /** @param {Wire[]} commands */
  send(commands) {
    if (this.state !== "open") return;
    for (const one of commands) this.socket.send(JSON.stringify(one));
  }

  /** The page was asleep, or the network is back: look at once. */
  wake() {
    if (this.state === "waiting") this.open();
    else this.probe();
  }

  /** Ask for an answer; without one the connection is given up and opened anew. */
  probe() {
    if (this.state !== "open") return;
    this.#cancel();
    const { words } = this;
    this.pings += 1;
    this.send([command.ping(this.pings)]);
    this.timer = this.world.later(() => {
      if (this.words > words) this.#watch();
      else this.#closed(1006);
    }, PONG_MS);
  }

  /** Leave for good; what still comes is not heard. */
  close() {
    this.#cancel();
    const { socket } = this;
    this.socket = null;
    this.#become("closed");
    socket?.close(1000);
  }

  #watch() {
    this.#cancel();
    const quiet = this.world.now() - this.heard;
    if (quiet >= QUIET_MS) this.probe();
    else this.timer = this.world.later(() => this.#watch(), QUIET_MS - quiet);
  }

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
    const wait = least + backoff(this.tries, this.world.random());
    this.tries += 1;
    this.timer = this.world.later(() => this.open(), wait);
    this.#become("waiting");
  }

  #cancel() {
    this.world.cancel(this.timer);
    this.timer = undefined;
  }

  #become(state) {
    this.state = state;
    this.onState();
  }
}
