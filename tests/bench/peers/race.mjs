// The race that all peers serve: what `plain` does, with the page's engine.

import { createRequire } from "node:module";
import { parseArgs } from "node:util";

import { addConstants } from "../../../client/sliderace_page/core/constants.js";
import {
  Board,
  formatBoard,
  progressPermille,
  scramble,
} from "../../../client/sliderace_page/core/engine.js";

const require = createRequire(import.meta.url);
for (const name of ["start", "constants"])
  addConstants(require(`../../../shared/sliderace/texts/${name}.json`));

const START = scramble(new Uint8Array(32), 4, 4);
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { modules: { type: "string" }, tick: { type: "string", default: "0" } },
});

export const port = Number(positionals[0]);
/** Loads a package from the folder where npm installed it. */
export const load = createRequire(`${values.modules}/`);

/** A room: its players' boards. */
export class Race {
  #boards = [];
  #pending = new Map();
  #send;

  /** @param send sends an event to all members */
  constructor(send) {
    this.#send = send;
  }

  /** Add a member; returns the welcome. */
  enter({ role }) {
    const seat = role === "player" ? this.#boards.push(START.copy()) - 1 : -1;
    return { t: "welcome", race: "R", seat, board: formatBoard(START) };
  }

  /** Check a move, acknowledge it and send it to everybody. */
  receive(seat, message, answer) {
    if (message.t === "ping") {
      answer({ t: "pong", id: message.id });
      return;
    }
    const { seq } = message;
    const board = this.#boards[seat];
    for (const [direction, tiles] of message.slides) {
      if (!board.trySlide(direction, tiles)) {
        answer({ t: "rejected", seq });
        return;
      }
    }
    answer({ t: "ack", race: "R", seq });
    this.#announce([seat, seq, progressPermille(board.md, 40), seq]);
  }

  /** Send one move to everybody, at once or with the next tick. */
  #announce(step) {
    const tick = Number(values.tick) * 1000;
    if (!tick) {
      this.#send({ t: "progress", race: "R", p: [step] });
      return;
    }
    if (this.#pending.size === 0) {
      setTimeout(() => {
        this.#send({ t: "progress", race: "R", p: [...this.#pending.values()] });
        this.#pending.clear();
      }, tick);
    }
    this.#pending.set(step[0], step);
  }
}

const races = new Map();

/** Return the race with a code; `send` is for a new one. */
export function raceOf(code, send) {
  if (!races.has(code)) races.set(code, new Race(send));
  return races.get(code);
}
