// Stores the nickname, and the token of our seat in each room, in the browser.

/**
 * Do something with storage, which may be forbidden (private windows, settings).
 * @template T
 * @param {() => T} work
 * @returns {T | null} null: it failed
 */
export function tryStorage(work) {
  try {
    return work();
  } catch {
    return null;
  }
}

/** @typedef {{token: string, name: string, kept?: number}} Seat kept: when, in ms */

/** Where the size of the last board played alone is stored. */
export const SOLO_SIZE = "sliderace.solo.size";
export const STREAK = "sliderace.streak"; // see `keepStreak`
const NAME = "sliderace.name";
const SEAT = "sliderace.seat.";
const TAB = "sliderace.room";
const KEPT_MS = 24 * 3600 * 1000; // no room code is used again within a day

export class Seats {
  /**
   * @param {Storage | undefined} lasting
   * @param {Storage | undefined} tab
   * @param {() => number} wallClock ms
   */
  constructor(lasting, tab, wallClock = Date.now) {
    this.lasting = lasting;
    this.tab = tab;
    this.wallClock = wallClock;
  }

  /** The nickname; "" at first. */
  get name() {
    return tryStorage(() => this.lasting?.getItem(NAME)) ?? "";
  }

  set name(name) {
    tryStorage(() => this.lasting?.setItem(NAME, name));
  }

  /** @param {string} code @returns {Seat | null} */
  get(code) {
    return tryStorage(() => {
      const seat = JSON.parse(this.lasting?.getItem(SEAT + code) ?? "null");
      return seat && this.wallClock() - seat.kept < KEPT_MS ? seat : null;
    });
  }

  /** @param {string} code @param {Seat} seat */
  keep(code, seat) {
    tryStorage(() => {
      this.#sweep();
      const kept = JSON.stringify({ ...seat, kept: this.wallClock() });
      this.lasting?.setItem(SEAT + code, kept);
    });
  }

  /** @param {string} code */
  forget(code) {
    tryStorage(() => this.lasting?.removeItem(SEAT + code));
    if (this.room === code) this.room = null;
  }

  /** Our rooms, the last one entered first. @returns {string[]} */
  get codes() {
    const since = (/** @type {string} */ code) => this.get(code)?.kept ?? 0;
    const keys = tryStorage(() => Object.keys(this.lasting ?? {})) ?? [];
    const codes = keys.filter((key) => key.startsWith(SEAT));
    return codes
      .map((key) => key.slice(SEAT.length))
      .filter(since)
      .sort((a, b) => since(b) - since(a));
  }

  /** The room in which this tab plays: a reload continues without asking. */
  get room() {
    return tryStorage(() => this.tab?.getItem(TAB)) ?? null;
  }

  set room(code) {
    tryStorage(() => (code ? this.tab?.setItem(TAB, code) : this.tab?.removeItem(TAB)));
  }

  /** Remove seats that are too old. */
  #sweep() {
    for (const key of Object.keys(this.lasting ?? {})) {
      if (key.startsWith(SEAT) && !this.get(key.slice(SEAT.length))) {
        this.lasting?.removeItem(key);
      }
    }
  }
}
