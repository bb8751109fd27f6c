// The racers' lanes: how far everybody is, at a glance.

import { explainLine, reason, stands } from "../phrases.js";
import { formatLine, ordinal } from "../text.js";
import { BoardView } from "./board.js";
import { Listing, fill, h, setAttribute, setText, show } from "./dom.js";

const SO_FAR = "So far: the times of others may still count for less";

/** @returns {HTMLElement} a small word about somebody, with its sign */
export const badge = (kind, sign, word, title = null) =>
  h(
    `span.badge.${kind}`,
    { title },
    sign ? `${sign} ` : null,
    h("span.word", { text: word }),
  );

/** How far away somebody is, beside the name. */
export class Lag {
  constructor() {
    this.element = h("span.lag");
  }

  /** @param {{rtt: number, jitter: number} | undefined} line */
  update(line) {
    setText(this.element, line ? formatLine(line) : "");
    setAttribute(this.element, "title", line ? explainLine(line) : null);
  }
}

class LaneRow {
  constructor(tag = "li") {
    this.place = h("span.place");
    this.name = h("span.name");
    this.marks = h("span.marks");
    this.lag = new Lag();
    this.value = h("span.value");
    this.why = h("span.why");
    this.bar = h("span.fill", { "aria-hidden": "true" });
    const line = h(
      "span.line",
      {},
      this.place,
      this.name,
      this.lag.element,
      this.marks,
      this.value,
      this.why,
    );
    this.element = h(`${tag}.lane`, {}, this.bar, line);
  }

  /** @param {object} row of `rows` */
  update(row) {
    const { lane, mine, away, waiting, line } = row;
    const placed = lane.status === "finished" && lane.place;
    const soFar = placed && !lane.final;
    setText(this.place, placed ? String(lane.place) : "");
    setAttribute(this.place, "title", soFar ? SO_FAR : null);
    this.place.classList.toggle("so-far", Boolean(soFar));
    this.lag.update(line);
    setText(this.name, lane.name);
    fill(this.marks, this.#marks(row));
    setText(this.value, waiting ? "" : stands(lane));
    setText(this.why, waiting ? "" : reason(lane));
    this.bar.style.transform = `scaleX(${waiting ? 0 : lane.high / 1000})`;
    this.element.className = `lane ${waiting ? "waiting" : lane.status}`;
    this.element.classList.toggle("mine", mine);
    this.element.classList.toggle("away", away);
    const where = placed ? `, ${ordinal(lane.place)}${soFar ? " so far" : ""}` : "";
    const who = [lane.name, mine && "you", lane.bot && "bot", away && "reconnecting"];
    const text = `${who.filter(Boolean).join(", ")}: ${stands(lane)} ${reason(lane)}${where}`;
    setAttribute(this.element, "aria-label", waiting ? lane.name : text);
  }

  #marks({ lane, away, bot = lane.bot }) {
    const key = `${bot} ${away}`;
    if (key !== this.key) {
      this.key = key;
      this.kept = [];
      if (bot) this.kept.push(badge("bot", "\u2699", "bot"));
      if (away) this.kept.push(badge("lost", "\u26a1", "reconnecting"));
    }
    return this.kept;
  }
}

/**
 * What the lanes show, by seat: a place on the screen is easier to follow than a rank.
 * @param {Model} model
 */
export function rows(model) {
  const { seat, attempt, members, lines } = model;
  const racing = model.order(); // also gives the places
  const shown = racing.length
    ? [...racing].sort((a, b) => a.seat - b.seat)
    : toRace(model);
  return shown.map((lane) => ({
    lane: lane.seat === seat && attempt ? withOwnBoard(lane, attempt) : lane,
    mine: lane.seat === seat,
    away: members.get(lane.member)?.connected === false,
    line: lines.get(lane.member),
    waiting: !racing.length,
  }));
}

/** One's own lane shows what one has just done, not what the server heard of it. */
function withOwnBoard(lane, attempt) {
  const { seat, name, bot, status, place, final, time, why, member } = lane;
  const high = status === "racing" ? attempt.high : lane.high;
  return {
    seat,
    name,
    bot,
    status,
    place,
    final,
    time,
    why,
    member,
    high,
    board: attempt.board,
  };
}

/** Before the roster is frozen: who is ready. */
const toRace = (model) =>
  model.players
    .filter((member) => member.ready && !member.benched)
    .map(({ id, seat, name, bot }) => ({
      seat,
      name,
      bot,
      member: id,
      status: "racing",
      high: 0,
    }))
    .sort((a, b) => a.seat - b.seat);

export class Lanes {
  constructor() {
    this.element = h("ol.lanes", { "aria-label": "Racers" });
    this.listing = new Listing(
      this.element,
      (row) => row.lane.seat,
      () => new LaneRow(),
    );
  }

  update(all) {
    setAttribute(this.element, "data-many", all.length > 4);
    this.listing.update(all);
  }
}

/** One racer's lane with the board below it. */
class WatchCard {
  constructor() {
    this.row = new LaneRow("div");
    this.board = new BoardView({ kind: "mini" });
    this.hidden = h("p.hidden-board", { text: "\u2026", "aria-hidden": "true" });
    const tray = h("div.tray", {}, this.board.element, this.hidden);
    this.element = h("li.watched", {}, this.row.element, tray);
  }

  update(row, blank) {
    this.row.update(row);
    const { lane } = row;
    const board = lane.board ?? blank;
    if (board) this.board.update(board);
    this.element.classList.toggle("veiled", !lane.board);
    show(this.hidden, !lane.board);
    setAttribute(this.element, "data-seat", lane.seat);
    setAttribute(
      this.element,
      "data-board",
      lane.board ? lane.board.tiles.join(" ") : null,
    );
  }
}

const GAP = 16;
const HEAD = 36; // a lane and the gap below it
const NARROW = 200; // px, as in style.css: a lane with a line for the name alone
const NARROW_HEAD = 58;
const LEAST = 140; // px: below this a board cannot be read; the page scrolls instead

/**
 * The columns that make boards largest where all fit; else as many as can be read.
 * @param {number} many boards
 * @param {{width: number, height: number}} room px
 * @param {number} shape width of a board over its height
 * @returns {{columns: number, cell: number}} cell: px of a column
 */
export function arrange(many, { width, height }, shape) {
  let best = { columns: 1, cell: 0 };
  for (let columns = 1; columns <= Math.max(1, many); columns += 1) {
    const lines = Math.ceil(many / columns);
    const wide = (width - GAP * (columns - 1)) / columns;
    const side = (head) =>
      Math.floor(
        Math.min(wide, ((height - GAP * (lines - 1)) / lines - head) * shape),
      );
    const cell = side(HEAD) > NARROW ? side(HEAD) : side(NARROW_HEAD);
    if (cell > best.cell) best = { columns, cell };
  }
  if (best.cell >= LEAST) return best;
  const columns = Math.max(1, Math.floor((width + GAP) / (LEAST + GAP)));
  return { columns, cell: Math.floor((width - GAP * (columns - 1)) / columns) };
}

/** Everybody's board, live. */
export class WatchGrid {
  constructor() {
    this.element = h("ol.watch", { "aria-label": "Boards of all racers" });
    this.listing = new Listing(
      this.element,
      (row) => row.lane.seat,
      () => new WatchCard(),
    );
  }

  /**
   * @param {object[]} all rows
   * @param {Board | null} blank for unseen boards
   * @param {{width: number, height: number}} room px to fill
   * @param {number} shape width of a board over its height
   */
  update(all, blank, room, shape) {
    const { columns, cell } = arrange(all.length, room, shape);
    this.element.style.setProperty("--columns", columns);
    this.element.style.setProperty("--cell", `${cell}px`);
    this.listing.update(all, blank);
  }
}
