// What the browser remembers: the nickname, and the proof of one's seat in each room.

/** Storage may be forbidden (private windows, settings): then nothing is kept. */
export const quietly = (work, otherwise = null) => {
  try {
    return work() ?? otherwise;
  } catch {
    return otherwise;
  }
};

const NAME = "sliderace.name";
const SEAT = "sliderace.seat.";
const TAB = "sliderace.room";
const KEPT_MS = 24 * 3600 * 1000; // no code is given again within a day

export class Seats {
  /** @param {Storage} lasting @param {Storage} tab @param {() => number} wall ms */
  constructor(lasting, tab, wall = Date.now) {
    this.lasting = lasting;
    this.tab = tab;
    this.wall = wall;
  }

  get name() {
    return quietly(() => this.lasting.getItem(NAME), "");
  }

  set name(name) {
    quietly(() => this.lasting.setItem(NAME, name));
  }

  /** @returns {{token: string, name: string} | null} */
  get(code) {
    return quietly(() => {
      const seat = JSON.parse(this.lasting.getItem(SEAT + code));
      return seat && this.wall() - seat.kept < KEPT_MS ? seat : null;
    });
  }

  keep(code, seat) {
    quietly(() => {
      this.#sweep();
      this.lasting.setItem(SEAT + code, JSON.stringify({ ...seat, kept: this.wall() }));
    });
  }

  forget(code) {
    quietly(() => this.lasting.removeItem(SEAT + code));
    if (this.room === code) this.room = null;
  }

  /** The room this very tab plays in: a reload goes on without a question. */
  get room() {
    return quietly(() => this.tab.getItem(TAB));
  }

  set room(code) {
    quietly(() => (code ? this.tab.setItem(TAB, code) : this.tab.removeItem(TAB)));
  }

  #sweep() {
    for (const key of Object.keys(this.lasting)) {
      if (key.startsWith(SEAT) && !this.get(key.slice(SEAT.length))) {
        this.lasting.removeItem(key);
      }
    }
  }
}
