// The racers' lanes: everybody's progress at a glance.

import { behind, dnfReason, explainCredit, statusText } from "../../core/wording.js";
import { ordinal } from "../../core/figures.js";
import { text } from "../../core/texts.js";
import { Latency, badge } from "./badges.js";
import { Listing, fill, h, setAttribute, setText } from "../dom.js";

const STABLE_MS = 1000; // an order stays this long, so that it can be read
const PER_FRAME = 4; // lanes drawn per frame; sixteen would delay a phone's keys

/**
 * A lane's data: of a racer, or before the race of a player who is ready.
 * @typedef {Pick<Lane, "seat" | "member" | "name" | "bot" | "status" | "place" | "final"
 *   | "time" | "why" | "standing" | "high" | "board">} Racer
 */

/**
 * @typedef {object} RacerRow
 * @property {Racer} lane
 * @property {number} rank 1: best
 * @property {boolean} mine
 * @property {boolean} away disconnected
 * @property {{rtt: number, jitter: number} | undefined} latency in ms
 * @property {boolean} waiting the race has not begun
 * @property {string} delta how far behind the first
 */

export class LaneRow {
  #marksKey = "";
  /** @type {HTMLElement[]} */
  #marks = [];

  /** @param {"li" | "div"} tag */
  constructor(tag = "li") {
    this.place = h("span.place");
    this.name = h("span.name");
    this.marks = h("span.marks");
    this.latency = new Latency();
    this.value = h("span.value");
    this.why = h("span.why");
    this.delta = h("span.delta");
    this.creditLong = h("span.credit-long");
    this.creditShort = h("span.credit-short", { "aria-hidden": "true" });
    this.credit = h("span.credit", {}, this.creditLong, this.creditShort);
    this.bar = h("span.fill", { "aria-hidden": "true" });
    this.element = h(`${tag}.lane`);
  }

  /** Add the content: when the lane is first drawn, not when it gets its place. */
  #make() {
    const content = h(
      "span.lane-content",
      {},
      this.place,
      this.name,
      // These disappear where a lane is narrow: the last ones first.
      h(
        "span.extras",
        {},
        this.delta,
        this.marks,
        this.credit,
        this.latency.element,
      ),
      this.value,
      this.why,
    );
    this.element.append(this.bar, content);
  }

  /** @param {RacerRow} row */
  update(row) {
    if (!this.element.firstChild) this.#make();
    const { lane, mine, away, waiting, latency, delta } = row;
    const place = lane.status === "finished" ? lane.place : null;
    const soFar = place !== null && !lane.final;
    setText(this.place, place === null ? "" : String(place));
    setAttribute(this.place, "title", soFar ? text("lane.so_far_hint") : null);
    this.place.classList.toggle("so-far", soFar);
    this.latency.update(latency);
    setText(this.name, lane.name);
    fill(this.marks, this.#marksOf(row));
    setText(this.value, waiting ? "" : statusText(lane));
    setText(this.why, waiting ? "" : dnfReason(lane));
    setText(this.delta, waiting ? "" : delta);
    setAttribute(this.delta, "title", delta ? text("lane.delta_hint") : null);
    const { standing } = lane;
    const ms = lane.status === "finished" ? (standing?.credit_ms ?? 0) : 0;
    setText(this.creditLong, ms ? text("lane.credit", { ms }) : "");
    setText(this.creditShort, ms ? text("lane.credit_short", { ms }) : "");
    const explanation = standing && ms ? explainCredit(standing) : null;
    setAttribute(this.credit, "title", explanation);
    setAttribute(this.value, "title", explanation);
    this.bar.style.transform = `scaleX(${waiting ? 0 : lane.high / 1000})`;
    const kinds = [waiting ? "waiting" : lane.status, mine && "mine", away && "away"];
    setAttribute(this.element, "class", ["lane", ...kinds.filter(Boolean)].join(" "));
    setAttribute(this.element, "aria-label", waiting ? lane.name : spoken(row, soFar));
  }

  /** @param {RacerRow} row */
  #marksOf({ lane: { bot }, away }) {
    const key = `${bot} ${away}`;
    if (key !== this.#marksKey) {
      this.#marksKey = key;
      this.#marks = [];
      if (bot) this.#marks.push(badge("bot", "\u2699", text("member.bot")));
      if (away) this.#marks.push(badge("lost", "\u26a1", text("member.reconnecting")));
    }
    return this.#marks;
  }
}

/**
 * Return the text of a lane for screen readers.
 * @param {RacerRow} row @param {boolean} soFar whether the place may still be lost
 */
function spoken({ lane, mine, away, rank }, soFar) {
  const racer = [
    lane.name,
    mine && text("member.you"),
    lane.bot && text("member.bot"),
    away && text("member.reconnecting"),
  ];
  const standing = [statusText(lane), dnfReason(lane)].filter(Boolean).join(" ");
  const place = lane.status === "racing" ? rank : lane.place;
  const ranked = place !== null && ["racing", "finished"].includes(lane.status);
  const key = soFar ? "lane.label_so_far" : "lane.label_place";
  return text(ranked ? key : "lane.label", {
    racer: racer.filter(Boolean).join(", "),
    standing,
    ...(ranked && { place: ordinal(place) }),
  });
}

/**
 * Return what the lanes show, best first; before the race, the players who are ready.
 * @param {Model} model
 * @returns {RacerRow[]}
 */
export function racerRows(model) {
  const { seat, attempt, members, latencies } = model;
  /** @type {Racer[]} */
  const racing = model.order(); // also sets the places
  const racers = (racing.length ? racing : readyPlayers(model)).map((lane) =>
    lane.seat === seat && attempt ? withOwnBoard(lane, attempt) : lane,
  );
  return racers.map((lane, i) => ({
    lane,
    rank: i + 1,
    mine: lane.seat === seat,
    away: members.get(lane.member ?? 0)?.connected === false, // ids begin with 1
    latency: latencies.get(lane.member ?? 0),
    waiting: !racing.length,
    delta: behind(lane, racers[0]),
  }));
}

/**
 * Show what the player has just done, not what the server has received so far.
 * @param {Racer} lane @param {Attempt} attempt
 * @returns {Racer}
 */
function withOwnBoard(lane, attempt) {
  const { seat, member, name, bot, status, place, final, time, why, standing } = lane;
  const high = status === "racing" ? attempt.high : lane.high;
  const { board } = attempt;
  return {
    seat,
    member,
    name,
    bot,
    status,
    place,
    final,
    time,
    why,
    standing,
    high,
    board,
  };
}

/** @param {Model} model @returns {Racer[]} by seat */
const readyPlayers = (model) =>
  model.players
    .filter((/** @type {Member} */ member) => member.ready && !member.benched)
    .map((/** @type {Member} */ { id, seat, name, bot }) => ({
      seat: seat ?? 0,
      member: id,
      name,
      bot,
      status: /** @type {const} */ ("racing"),
      place: null,
      final: false,
      time: null,
      why: "",
      standing: null,
      high: 0,
      board: null,
    }))
    .sort((/** @type {Racer} */ a, /** @type {Racer} */ b) => a.seat - b.seat);

/**
 * Set custom properties of an element.
 * @param {HTMLElement} element @param {Record<string, number>} properties
 */
function setProperties(element, properties) {
  for (const [name, value] of Object.entries(properties))
    element.style.setProperty(`--${name}`, String(value));
}

/** A lane that stores an update at once and draws it when its turn comes. */
class DeferredLaneRow extends LaneRow {
  /** The update that is not drawn yet. @type {RacerRow | null} */
  pending = null;
  drawnAt = 0;
  rank = -1;

  /** @param {RacerRow} row */
  update(row) {
    this.pending = row;
  }

  draw() {
    if (this.pending) super.update(this.pending);
    this.pending = null;
    this.drawnAt = performance.now();
  }
}

/** The lanes of a race; the style sheet arranges them in one to four columns. */
export class LaneList {
  #many = -1;
  #frame = 0;
  #movedAt = -STABLE_MS;
  /** Seat -> index in the order shown. @type {Map<number, number>} */
  #order = new Map();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  constructor() {
    this.element = h("ol.lanes", { "aria-label": text("lane.list") });
    this.listing = new Listing(
      this.element,
      (/** @type {RacerRow} */ { lane }) => lane.seat,
      () => new DeferredLaneRow(),
    );
  }

  /** @param {RacerRow[]} rows best first */
  update(rows) {
    this.#setCount(rows.length);
    const shown = this.#stable(rows);
    // In the document they keep the order of seats: an element that moves there would
    // be laid out again.
    this.listing.update(shown.toSorted((a, b) => a.lane.seat - b.lane.seat));
    shown.forEach(({ lane }, rank) => {
      const row = this.listing.rows.get(lane.seat);
      if (row) this.#setRank(row, rank);
    });
    this.#draw();
  }

  /** Draw the player's own lane and the oldest ones; the others in the next frames. */
  #draw() {
    cancelAnimationFrame(this.#frame);
    const stale = [...this.listing.rows.values()].filter(({ pending }) => pending);
    const mine = (/** @type {DeferredLaneRow} */ row) => Number(row.pending?.mine);
    stale.sort((a, b) => mine(b) - mine(a) || a.drawnAt - b.drawnAt);
    for (const row of stale.slice(0, PER_FRAME)) row.draw();
    if (stale.length > PER_FRAME)
      this.#frame = requestAnimationFrame(() => this.#draw());
  }

  /** @param {number} many */
  #setCount(many) {
    if (many === this.#many) return;
    this.#many = many;
    setAttribute(this.element, "data-many", many > 4);
    setAttribute(this.element, "data-crowd", many > 8);
    const rows = (/** @type {number} */ columns) => Math.ceil(many / columns);
    setProperties(this.element, {
      many,
      pairs: rows(2),
      threes: rows(3),
      fours: rows(4),
    });
  }

  /** @param {DeferredLaneRow} row @param {number} rank 0: best */
  #setRank(row, rank) {
    if (rank === row.rank) return;
    row.rank = rank;
    setProperties(row.element, {
      rank,
      "pair-across": rank % 2,
      "pair-down": Math.floor(rank / 2),
      "three-across": rank % 3,
      "three-down": Math.floor(rank / 3),
      "four-across": rank % 4,
      "four-down": Math.floor(rank / 4),
    });
  }

  /** Return the rows in their last order, if that is younger than `STABLE_MS`.
   * @param {RacerRow[]} rows best first */
  #stable(rows) {
    clearTimeout(this.#timer);
    const now = performance.now();
    const order = this.#order;
    const same =
      rows.length === order.size && rows.every(({ lane }) => order.has(lane.seat));
    const left = same ? this.#movedAt + STABLE_MS - now : 0;
    if (left > 0) {
      this.#timer = setTimeout(() => this.update(rows), left);
      const index = (/** @type {RacerRow} */ { lane }) => order.get(lane.seat) ?? 0;
      return rows.toSorted((a, b) => index(a) - index(b));
    }
    if (!same || rows.some(({ lane }, i) => order.get(lane.seat) !== i))
      this.#movedAt = now;
    this.#order = new Map(rows.map(({ lane }, i) => [lane.seat, i]));
    return rows;
  }
}
