// The profile: its secret, which this browser stores for each server, and the connection
// that manages it. Shell.

import { constants } from "../core/constants.js";
import { deviceName } from "../core/device-name.js";
import { command, decodeEvent, enter, hello } from "../core/protocol.js";
import { text } from "../core/texts.js";
import { refusalText } from "../core/wording.js";
import { STREAK, tryStorage } from "./seats.js";

/** @typedef {import("../core/messages.js").Profile} Profile */
/** @typedef {Extract<ServerEvent, {t: "me" | "history" | "ticket"}>} Answer */

const KEY = "sliderace.profile.";
const SECRET_BYTES = 16;
const SECRET = /^[0-9a-f]{32}$/;
const ANSWER_MS = 10000; // longer than a server needs, even while it recovers
/** Command -> the type of the event that answers it; all others: `me`. @type {Record<string, string>} */
const ANSWERS = { history: "history", ticket: "ticket" };

/** The server did not do what we asked; the message is for people. */
export class NotDone extends Error {
  /** @param {string} why @param {string} [code] of the refusal; "": no answer */
  constructor(why, code = "") {
    super(why);
    this.code = code;
  }
}

/** The secret of the profile on one server, as this browser stores it. */
export class ProfileSecret {
  /** @param {Storage | undefined} lasting @param {string} url of the server's socket */
  constructor(lasting, url) {
    this.lasting = lasting;
    this.key = KEY + new URL(url).pathname;
  }

  /** @returns {string | null} null: we are a guest */
  get value() {
    const kept = tryStorage(() => this.lasting?.getItem(this.key)) ?? "";
    return SECRET.test(kept) ? kept : null;
  }

  set value(secret) {
    tryStorage(() =>
      secret ? this.lasting?.setItem(this.key, secret) : this.lasting?.removeItem(this.key),
    );
  }
}

/**
 * Store the streak of daily races for the start page, which loads no profile.
 * @param {{lasting: Storage | undefined, wallClock: () => number}} seats
 * @param {number} count days in a row; 0: none
 * @param {boolean} today whether today is one of them
 */
export function keepStreak({ lasting, wallClock }, count, today) {
  const day = Math.floor(wallClock() / 864e5) - (today ? 0 : 1);
  tryStorage(() =>
    count ? lasting?.setItem(STREAK, `${day} ${count}`) : lasting?.removeItem(STREAK),
  );
}

/** A connection that manages the profile, without being in a room. */
export class Me {
  /** @type {Profile | null} as the server described it last; null: it knows none */
  profile = null;
  /** @type {WebSocket | null} */
  #socket = null;
  /** @type {{of: string, done: (answer: Answer) => void, fail: (why: Error) => void}[]} */
  #asked = [];

  /**
   * @param {object} world the app
   * @param {string} world.socketUrl
   * @param {{lasting: Storage | undefined}} world.seats
   * @param {import("../core/draw.js").Random} world.random
   * @param {Partial<import("./connection.js").SocketWorld>} [world.socket] in tests
   */
  constructor({ socketUrl, seats, random, socket = {} }) {
    this.url = socketUrl;
    this.stored = new ProfileSecret(seats.lasting, socketUrl);
    this.WebSocket = socket.WebSocket ?? globalThis.WebSocket;
    this.later = socket.later ?? ((work, ms) => setTimeout(work, ms));
    this.cancel = socket.cancel ?? ((timer) => clearTimeout(/** @type {number} */ (timer)));
    /** Ours, or a new one that `keep` and `claim` store. */
    this.secret = this.stored.value ?? hex(random(SECRET_BYTES));
  }

  /**
   * Connect, and ask for the profile.
   * @returns {Promise<Profile | null>} null: the server knows none with our secret
   * @throws {NotDone} the server refuses, or does not answer
   */
  async open() {
    const socket = new this.WebSocket(this.url, [constants.protocol.subprotocol]);
    this.#socket = socket;
    const device = deviceName(globalThis.navigator?.userAgent ?? "");
    socket.onopen = () =>
      socket.send(JSON.stringify({ ...hello(enter.me(), this.secret), client: device }));
    socket.onmessage = ({ data }) => this.#receive(data);
    socket.onclose = () => {
      if (this.#socket !== socket) return;
      this.#socket = null;
      this.#fail(new NotDone(text("app.no_answer")));
    };
    await this.#answer("hello");
    if (this.profile) this.stored.value = this.secret; // the answer to `keep` was lost
    return this.profile;
  }

  /** Whether there is a connection, as far as we know. */
  get isOpen() {
    return this.#socket !== null;
  }

  /**
   * Send a command and wait for its answer.
   * @param {Command} message @returns {Promise<Answer>}
   * @throws {NotDone} the server refuses, or does not answer
   */
  ask(message) {
    const answer = this.#answer(message.t);
    this.#socket?.send(JSON.stringify(message));
    return answer;
  }

  /**
   * Create a profile, and store its secret.
   * @param {string} name @throws {NotDone}
   */
  async keep(name) {
    await this.ask(command.keep(name));
    this.stored.value = this.secret;
  }

  /**
   * Add this device to a profile, and store its secret.
   * @param {string} ticket as typed @throws {NotDone}
   */
  async claim(ticket) {
    await this.ask(command.claim(ticket));
    this.stored.value = this.secret;
  }

  close() {
    const socket = this.#socket;
    this.#socket = null;
    socket?.close(1000);
    this.#fail(new NotDone(text("app.no_answer")));
  }

  /** @param {string} of type of the command @returns {Promise<Answer>} */
  #answer(of) {
    return new Promise((done, fail) => {
      const timer = this.later(() => this.#fail(new NotDone(text("app.no_answer"))), ANSWER_MS);
      this.#asked.push({
        of,
        done: (answer) => (this.cancel(timer), done(answer)),
        fail: (why) => (this.cancel(timer), fail(why)),
      });
      if (!this.#socket) this.#fail(new NotDone(text("app.no_answer")));
    });
  }

  /** @param {unknown} data */
  #receive(data) {
    const event = decodeEvent(data);
    if (event?.t === "me") this.profile = event.profile;
    if (event?.t === "me" || event?.t === "history" || event?.t === "ticket") {
      this.#take(({ of }) => (ANSWERS[of] ?? "me") === event.t)?.done(event);
    } else if (event?.t === "refused" && !isGuest(event)) {
      const why = new NotDone(refusalText(event), event.code);
      this.#take(({ of }) => of === event.of)?.fail(why);
    }
  }

  /** Take the first question that an answer fits. @param {(asked: {of: string}) => boolean} fits */
  #take(fits) {
    const place = this.#asked.findIndex(fits);
    return place < 0 ? undefined : this.#asked.splice(place, 1)[0];
  }

  /** @param {NotDone} why */
  #fail(why) {
    for (const { fail } of this.#asked.splice(0)) fail(why);
  }
}

/** It only says that we have no profile yet. @param {{of: string, code: string}} refused */
const isGuest = ({ of, code }) => of === "hello" && code === "profile_unknown";

/** @param {Uint8Array} bytes */
const hex = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
