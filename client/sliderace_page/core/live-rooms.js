// The list of live rooms, from events or from the answers to HTTP requests. Pure. What
// the server sends is checked field by field: the readers of all events are not loaded yet.

import { parseCode } from "./format.js";
import { hasText, text } from "./texts.js";

/**
 * @typedef {{code: string, size: string, people: number, bots: number, phase: string,
 *   pace: number | null, locked: boolean}} LiveRoom
 */

const SIZE = /^\d{1,2}x\d{1,2}$/;
const MINUTE_MS = 60000;

/** @param {unknown} value */
const natural = (value) => (Number.isSafeInteger(value) ? Math.max(0, Number(value)) : 0);

/** @param {unknown} value @returns {Record<string, unknown>[]} */
const objects = (value) =>
  Array.isArray(value) ? value.filter((one) => typeof one === "object" && one !== null) : [];

/**
 * Read a room of the event `rooms`, or of `/api/rooms`, which says `size` and `players`.
 * @param {Record<string, unknown>} row @returns {LiveRoom | null} null: not one
 */
export function readRoom(row) {
  const { code, event, size = event, people, players = people, bots, phase, locked } = row;
  const known = typeof code === "string" && parseCode(code);
  if (!known || typeof size !== "string" || !SIZE.test(size)) return null;
  return {
    code: known,
    size,
    people: natural(Array.isArray(players) ? players.length : players),
    bots: natural(bots),
    phase: typeof phase === "string" ? phase : "",
    pace: natural(row.pace_ms) || null,
    locked: locked === true,
  };
}

export class LiveRooms {
  /** @type {Map<string, LiveRoom>} */
  #rooms = new Map();

  /**
   * Take an event `rooms`: rooms that are new or changed, and those that are gone.
   * @param {{rows?: unknown, gone?: unknown}} event as received
   */
  change({ rows, gone }) {
    for (const row of objects(rows)) {
      const room = readRoom(row);
      if (room) this.#rooms.set(room.code, room);
    }
    if (Array.isArray(gone)) for (const code of gone) this.#rooms.delete(code);
  }

  /** Take a complete list. @param {unknown} rows as received */
  replace(rows) {
    this.#rooms.clear();
    this.change({ rows });
  }

  /** Open rooms first, those with most people first; rows move only if that changes. */
  get sorted() {
    return [...this.#rooms.values()].sort(
      (a, b) =>
        Number(a.locked) - Number(b.locked) ||
        b.people - a.people ||
        (a.code < b.code ? -1 : 1),
    );
  }
}

/** Describe a room in a few words, without its size. @param {LiveRoom} room */
export function describeRoom({ people, bots, phase, pace, locked }) {
  return [
    text("count.people", { count: people }),
    bots ? text("count.bots", { count: bots }) : "",
    pace ? paceText(pace) : "",
    locked ? text("home.locked") : hasText(`phase.${phase}`) ? text(`phase.${phase}`) : "",
  ]
    .filter(Boolean)
    .join(" \u00b7 ");
}

/** @param {number} ms */
const paceText = (ms) =>
  ms < 2 * MINUTE_MS
    ? text("home.pace_seconds", { n: Math.round(ms / 1000) })
    : text("home.pace_minutes", { n: Math.round(ms / MINUTE_MS) });
