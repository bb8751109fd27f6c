// The leaderboard: ranks stand still, and rows glide past one neighbour at a time.

import { FAST_PASS_MS, Leaderboard, shownRanks } from "../../core/leaderboard.js";
import { ordinal } from "../../core/figures.js";
import { text } from "../../core/texts.js";
import { dnfReason, standingText, statusText } from "../../core/wording.js";
import { Listing, h, isStill, setAttribute, setText, show } from "../dom.js";

/** @typedef {import("./racers.js").RacerRow} RacerRow */

const PER_FRAME = 4; // rows drawn per frame; sixteen would delay a phone's keys
const ARROW_MS = 1200;
const FLASH_MS = 500;
const ROW_PX = 30; // least height of a row
const LOW_PX = 320; // a list lower than this has
const LOW_ROW_PX = 26; // lower rows
const MIN_LINES = 5;
const MAX_PX = 44; // height of a row, and of a few racers'
const FEW_MOST_PX = 60;
const FEW = 4;
/** Where the tile of the activity icon stands after each slide: it goes round. */
const CORNERS = ["0, 0", "100%, 0", "100%, 100%", "0, 100%"].map(
  (corner) => `translate(${corner})`,
);

/** @typedef {{leader: import("./racers.js").Racer, order: number[]}} Field what rows are
 *   compared with */

/** One racer's row. It stores an update at once and is drawn when its turn comes. */
class Row {
  /** The update that is not drawn yet. @type {[RacerRow, Field] | null} */
  pending = null;
  drawnAt = 0;
  /** @type {number | undefined} where it stands; undefined: hidden */
  line = -1;
  #key = "";
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #marked;

  constructor() {
    this.fill = h("span.fill");
    this.glow = h("span.glow");
    this.name = h("span.name");
    this.arrow = h("span.arrow");
    this.tile = h("i");
    this.well = h("span.well", {}, this.tile);
    this.count = h("span.count");
    this.value = h("span.value");
    const { name, arrow, well, count, value } = this;
    const cells = h("span.cells", {}, name, arrow, well, count, value);
    this.element = h("li.lane", {}, this.fill, this.glow, cells);
  }

  /** @param {RacerRow} row @param {Field} field */
  update(row, field) {
    this.pending = [row, field];
  }

  draw() {
    if (!this.pending) return;
    const [row, { leader, order }] = this.pending;
    const { lane, mine, away, waiting, said } = row;
    const rank = order.indexOf(lane.seat) + 1;
    this.pending = null;
    this.drawnAt = performance.now(); // also if nothing changes: others are next
    const value = waiting ? "" : standingText(lane, leader, away);
    const kinds = [waiting ? "waiting" : lane.status, mine && "mine", away && "away"];
    const classes = ["lane", ...kinds.filter(Boolean)].join(" ");
    const key = [classes, value, lane.name, lane.stm, lane.high, lane.place, lane.final, rank, said].join();
    if (key === this.#key) return;
    this.#key = key;
    setText(this.name, lane.name);
    setAttribute(this.name, "data-said", said);
    setText(this.count, waiting ? "" : String(lane.stm));
    setText(this.value, value);
    this.fill.style.transform = `scaleX(${waiting ? 0 : lane.high / 1000})`;
    this.tile.style.transform = CORNERS[lane.stm % CORNERS.length];
    setAttribute(this.element, "class", classes);
    setAttribute(this.element, "aria-label", spoken(row, rank));
  }

  /**
   * Show for a while that the racer has gained or lost a place.
   * @param {boolean} up @param {boolean} flash
   */
  mark(up, flash) {
    setText(this.arrow, up ? "\u25b2" : "\u25bc");
    this.arrow.classList.toggle("up", up);
    clearTimeout(this.#marked);
    // No fading: an animation would restyle every frame.
    this.#marked = setTimeout(() => setText(this.arrow, ""), ARROW_MS);
    if (flash && !isStill())
      this.glow.animate([{ opacity: 1 }, { opacity: 0 }], {
        duration: FLASH_MS,
        easing: "ease-out",
      });
  }
}

/**
 * Return the text of a row for screen readers.
 * @param {RacerRow} row @param {number} rank 1: best
 */
function spoken({ lane, mine, away, waiting }, rank) {
  if (waiting) return lane.name;
  const racer = [
    lane.name,
    mine && text("member.you"),
    lane.bot && text("member.bot"),
    away && text("member.reconnecting"),
  ];
  const standing = [statusText(lane), dnfReason(lane)].filter(Boolean).join(" ");
  const place = lane.status === "racing" ? rank : lane.place;
  const ranked = place !== null && ["racing", "finished"].includes(lane.status);
  const soFar = lane.status === "finished" && !lane.final;
  const key = soFar ? "lane.label_so_far" : "lane.label_place";
  return text(ranked ? key : "lane.label", {
    racer: racer.filter(Boolean).join(", "),
    standing,
    ...(ranked && { place: ordinal(place) }),
  });
}

/** The racers in one column, by rank. */
export class LeaderboardView {
  #frame = 0;
  #height = 0;
  #row = 0;
  #lines = MIN_LINES;
  /** @type {RacerRow[]} */
  #rows = [];
  /** @type {number | null} the player's seat */
  #mine = null;
  /** @type {HTMLElement[]} */
  #ranks = [];

  constructor() {
    this.board = new Leaderboard();
    this.ranks = h("div.ranks", { "aria-hidden": "true" });
    this.others = h("p.others");
    this.list = h("ol", { "aria-label": text("lane.list") });
    this.element = h("div.lanes.at-once", {}, this.list, this.ranks, this.others);
    this.listing = new Listing(
      this.list,
      (/** @type {RacerRow} */ { lane }) => lane.seat,
      () => new Row(),
    );
    new ResizeObserver(() => this.measure()).observe(this.element);
  }

  /** Begin with the racers of another race. */
  restart() {
    this.board = new Leaderboard();
    this.element.classList.add("at-once");
  }

  /** The rank shown for a seat, 1: best; 0: none yet. @param {number | null} seat */
  rankOf(seat) {
    return seat === null || !this.board.ordered ? 0 : this.board.order.indexOf(seat) + 1;
  }

  /** Fit the rows to the list's height; call it when the list is on the page. */
  measure() {
    const height = this.element.clientHeight;
    if (!height || height === this.#height) return;
    this.#height = height;
    this.#fit();
    this.#place(true);
  }

  #fit() {
    const [many, height] = [this.#rows.length, this.#height];
    const least = height < LOW_PX ? LOW_ROW_PX : ROW_PX;
    this.#lines = Math.max(MIN_LINES, Math.floor(height / least));
    const most = many > FEW ? MAX_PX : FEW_MOST_PX;
    const each = Math.floor(height / Math.max(1, Math.min(many, this.#lines)));
    const row = Math.min(most, Math.max(each, Math.min(least, height / MIN_LINES)));
    this.#row = Math.floor(row);
    this.element.style.setProperty("--row", `${this.#row}px`);
    setAttribute(this.element, "data-few", many <= FEW);
    this.element.classList.toggle("small", this.#row < 32);
  }

  /**
   * @param {RacerRow[]} rows by seat
   * @param {number | null} mine the player's seat
   * @param {number} now ms of the race
   */
  update(rows, mine, now) {
    const many = rows.length !== this.#rows.length;
    this.#rows = rows;
    this.#mine = mine;
    const swaps = this.#follow(now);
    const [first] = this.board.truth;
    const leader = rows.find(({ lane }) => lane.seat === first)?.lane;
    // In the document rows keep the order of seats: an element that moves there would be
    // laid out again.
    if (leader) this.listing.update(rows, { leader, order: this.board.order });
    if (many && this.#height) this.#fit();
    this.#show(swaps, many);
    this.#draw();
  }

  /**
   * Let the order shown follow the true one.
   * @param {number} now ms of the race
   * @returns {boolean} whether it has changed
   */
  tick(now) {
    if (this.board.settled || !this.#rows.length) return false;
    const { ordered } = this.board;
    const swaps = this.#follow(now);
    if (!swaps.length && ordered === this.board.ordered) return false;
    this.#show(swaps, false);
    return true;
  }

  /** @param {number} now */
  #follow(now) {
    const racers = this.#rows.map(({ lane }) => lane);
    return this.board.update(racers, this.#mine, now);
  }

  /**
   * Show the present order: rows that swap glide, others jump.
   * @param {import("../../core/leaderboard.js").Swap[]} swaps
   * @param {boolean} all also place rows that seem to be there
   */
  #show(swaps, all) {
    if (swaps.length) {
      this.element.classList.remove("at-once");
      this.element.classList.toggle("fast", this.board.pass === FAST_PASS_MS);
    }
    for (const { up, down, flash } of swaps) {
      this.listing.rows.get(up)?.mark(true, flash);
      if (down === this.#mine) this.listing.rows.get(down)?.mark(false, false);
    }
    this.#place(all);
  }

  /** Move the rows to their lines. @param {boolean} all also those that seem to be there */
  #place(all) {
    const { order } = this.board;
    const own = this.#mine === null ? -1 : order.indexOf(this.#mine);
    const mine = Math.max(0, own);
    const { ranks, between, behind } = shownRanks(order.length, this.#lines, mine);
    const lineOf = new Map(ranks.map((rank, line) => [rank, line]));
    order.forEach((seat, rank) => {
      const [row, line] = [this.listing.rows.get(seat), lineOf.get(rank)];
      if (!row || (line === row.line && !all)) return;
      row.line = line;
      setAttribute(row.element, "data-out", line === undefined);
      if (line !== undefined)
        row.element.style.transform = `translateY(${line * this.#row}px)`;
    });
    while (this.#ranks.length < ranks.length) {
      const rank = h("span.rank");
      this.#ranks.push(rank);
      this.ranks.append(rank);
    }
    this.#ranks.forEach((span, line) => {
      setText(span, line < ranks.length ? String(ranks[line] + 1) : "");
      span.classList.toggle("own", ranks[line] === own);
    });
    this.element.classList.toggle("ordered", this.board.ordered);
    this.element.classList.toggle("cut", between > 0);
    setText(this.others, hiddenText(between, behind));
    show(this.others, between + behind > 0);
    this.others.style.transform = `translateY(${ranks.length * this.#row}px)`;
  }

  /** Draw the player's own row and the oldest ones; the others in the next frames. */
  #draw() {
    cancelAnimationFrame(this.#frame);
    const stale = [...this.listing.rows.values()].filter(({ pending }) => pending);
    const mine = (/** @type {Row} */ { pending }) => Number(pending?.[0].mine);
    stale.sort((a, b) => mine(b) - mine(a) || a.drawnAt - b.drawnAt);
    for (const row of stale.slice(0, PER_FRAME)) row.draw();
    if (stale.length > PER_FRAME)
      this.#frame = requestAnimationFrame(() => this.#draw());
  }
}

/**
 * How many racers are not shown.
 * @param {number} between the first and the others shown @param {number} behind
 */
function hiddenText(between, behind) {
  if (!between) return text("lane.behind", { count: behind });
  if (!behind) return text("lane.between", { count: between });
  return text("lane.hidden", { count: between + behind, between, behind });
}
