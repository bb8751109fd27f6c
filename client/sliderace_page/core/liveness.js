// Whether the connection is alive, or only looks alive. Pure.
//
// When a phone changes from Wi-Fi to 4G, or a router forgets us, no side is told: the
// socket stays open, what we send vanishes, and nothing arrives. The system reports that
// only after minutes, so we find out ourselves:
//
//   fine -- slides without an ack for LATE_MS, or silence --> probed: `ping` is sent
//   probed -- `pong` --> fine
//   probed -- no `pong` for ANSWER_MS --> in doubt: a second connection is opened
//   in doubt -- `pong` --> fine; the second one is dropped if it has not said `hello`
//   in doubt -- the second one gets its first message --> fine: it has taken over
//   in doubt -- the second one fails --> the connection counts as lost
//
// The terminal client has the same machine, and `room/liveness.py` gives the reasons;
// `shared/vectors/liveness-v1.json` tests both. Only a page wakes up.

const LATE_MS = 1500; // even bad connections answer within a second
const ANSWER_MS = 1500;
const QUIET_RACE_MS = 5000; // the server pings as often
const QUIET_MS = 20000;

export class Liveness {
  /** The server owes us an ack or a `pong`, as of the last `look`. */
  overdue = false;
  /** A second connection is needed. */
  inDoubt = false;
  /** @type {number | null} null: there is no connection */
  #heardAt = null;
  #answeredAt = 0;
  /** @type {number | null} */
  #waitingSince = null;
  /** @type {number | null} */
  #probedAt = null;
  #quietMs = QUIET_MS;

  /** There is no connection, so there is nothing to watch. */
  lost() {
    this.overdue = this.inDoubt = false;
    this.#heardAt = this.#waitingSince = this.#probedAt = null;
    this.#quietMs = QUIET_MS;
  }

  /** The server has let us in, on the first or on another connection. @param {number} now */
  connected(now) {
    this.lost();
    this.#heardAt = this.#answeredAt = now;
  }

  /** A message has arrived. @param {number} now */
  heard(now) {
    if (this.#heardAt !== null) this.#heardAt = now;
  }

  /** The server has answered slides, perhaps not all of them. */
  acked() {
    this.#waitingSince = null;
  }

  /** A `pong` has arrived. @param {number} now */
  answered(now) {
    this.#answeredAt = now;
    this.#probedAt = null;
    this.inDoubt = false;
  }

  /** The page was asleep, or the network is back: probe with the next look. */
  wake() {
    if (this.#heardAt !== null) this.#heardAt = -Infinity;
  }

  /**
   * Bring the state up to date; call this after everything, and when it is due.
   * @param {number} now ms
   * @param {boolean} inRace a countdown or a race is running
   * @param {boolean} waiting slides that we have sent have no answer yet
   * @returns {boolean} whether to send a `ping` now
   */
  look(now, inRace, waiting) {
    if (this.#heardAt === null) return false;
    if (waiting) this.#waitingSince ??= now;
    else this.#waitingSince = null;
    this.#quietMs = inRace ? QUIET_RACE_MS : QUIET_MS;
    const probes = this.#probedAt === null && now >= this.#probeAt;
    if (probes) this.#probedAt = now;
    this.inDoubt = now >= (this.#probedAt ?? Infinity) + ANSWER_MS;
    this.overdue = this.inDoubt || now >= this.#lateAt;
    return probes;
  }

  /** When to look again, if nothing happens before; Infinity: never. */
  get due() {
    if (this.#heardAt === null) return Infinity;
    const late = this.overdue ? Infinity : this.#lateAt;
    if (this.#probedAt === null) return Math.min(late, this.#probeAt);
    return Math.min(late, this.inDoubt ? Infinity : this.#probedAt + ANSWER_MS);
  }

  /** When the slides are overdue. */
  get #lateAt() {
    return this.#waitingSince === null ? Infinity : this.#waitingSince + LATE_MS;
  }

  get #probeAt() {
    const quietAt = (this.#heardAt ?? Infinity) + this.#quietMs;
    if (this.#waitingSince === null) return quietAt;
    return Math.min(quietAt, Math.max(this.#waitingSince, this.#answeredAt) + LATE_MS);
  }
}
