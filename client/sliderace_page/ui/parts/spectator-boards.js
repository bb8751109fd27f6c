// The boards of the racers, live: all of them, the leader's, or one racer's.

import { text } from "../../core/texts.js";
import { BoardView } from "./board-view.js";
import { button } from "./controls.js";
import { Listing, h, setAttribute, setText, show } from "../dom.js";
import { glide } from "./reorder.js";
import { LaneRow } from "./lane-list.js";

/** @typedef {import("./lane-list.js").RacerRow} RacerRow */
/** @typedef {{width: number, height: number}} Space in px */
/** @typedef {string | number} Camera "all", "leader", a nickname, or a seat */

const GAP = 16; // px, from here on
const LANE = 36; // a lane and the gap below it
const NARROW = 200; // as in race.css: a narrower lane has a line for the name alone
const NARROW_LANE = 58;
const LEAST = 140; // smaller boards are unreadable; the page scrolls instead
const ROW_BONUS = 0.6; // boards in one row are easy to compare: worth that much size

/** A racer's lane with the board below it. */
class BoardCard {
  #seat = -1;

  /** @param {(seat: number) => void} toggle follows this racer, or shows all again */
  constructor(toggle) {
    this.row = new LaneRow("div");
    this.board = new BoardView({ kind: "mini" });
    this.hidden = h("p.hidden-board", { text: "\u2026", "aria-hidden": "true" });
    this.pin = button("pin", "", () => toggle(this.#seat));
    const tray = h(
      "div.tray",
      { on: { click: ({ target }) => target === this.pin || toggle(this.#seat) } },
      this.board.element,
      this.hidden,
      this.pin,
    );
    this.element = h("li.board-card", {}, this.row.element, tray);
  }

  /**
   * @param {RacerRow} row
   * @param {Board | null} placeholder shown while the board is hidden
   * @param {number | null} followed the seat whose board is large
   */
  update(row, placeholder, followed) {
    this.row.update(row);
    const { board, seat, name } = row.lane;
    const shown = board ?? placeholder;
    if (shown) this.board.update(shown);
    this.#seat = seat;
    const big = followed === seat;
    this.element.classList.toggle("board-hidden", !board);
    this.element.classList.toggle("big", big);
    show(this.hidden, !board);
    setAttribute(this.element, "data-seat", seat);
    setAttribute(this.element, "data-board", board && board.tiles.join(" "));
    setText(this.pin, big ? "\u2715" : "\u2922");
    const label = big ? text("boards.show_all") : text("boards.follow", { name });
    setAttribute(this.pin, "aria-label", label);
    setAttribute(this.pin, "title", label);
  }
}

/**
 * Choose the columns that make boards largest if all are visible at once; if they could
 * not be read then, as many columns as can be read.
 * @param {number} many boards
 * @param {Space} space
 * @param {number} shape width of a board divided by its height
 * @returns {{columns: number, cell: number}} cell: px of a column
 */
export function arrangeBoards(many, { width, height }, shape) {
  let best = { columns: 1, cell: 0 };
  for (let columns = 1; columns <= Math.max(1, many); columns += 1) {
    const rows = Math.ceil(many / columns);
    const widest = (width - GAP * (columns - 1)) / columns;
    const rowHeight = (height - GAP * (rows - 1)) / rows;
    const size = (/** @type {number} */ lane) =>
      Math.floor(Math.min(widest, (rowHeight - lane) * shape));
    const cell = size(LANE) > NARROW ? size(LANE) : size(NARROW_LANE);
    const oneRow = columns === many && cell >= LEAST && cell > best.cell * ROW_BONUS;
    if (cell > best.cell || oneRow) best = { columns, cell };
  }
  if (best.cell >= LEAST) return best;
  const columns = Math.max(1, Math.floor((width + GAP) / (LEAST + GAP)));
  return { columns, cell: Math.floor((width - GAP * (columns - 1)) / columns) };
}

/** Everybody's board, live, and the choice of all or one. */
export class SpectatorBoards {
  /** The seat whose board is large. @type {number | null} */
  #followed = null;

  /**
   * @param {Camera} camera
   * @param {boolean} alone whether only the followed board is shown
   */
  constructor(camera = "all", alone = false) {
    /** @type {Camera} */
    this.camera = camera;
    this.alone = alone;
    this.list = h("ol.board-grid", { "aria-label": text("boards.list") });
    this.all = button("", text("boards.all"), () => this.#look("all"));
    this.leader = button("", text("boards.leader"), () => this.#look("leader"));
    const full = button("quiet", text("boards.full_screen"), () => this.#fullScreen());
    this.cameras = h("div.cameras", {}, this.all, this.leader, full);
    this.element = h("section.spectator-boards", {}, this.cameras, this.list);
    const toggle = (/** @type {number} */ seat) =>
      this.#look(this.#followed === seat ? "all" : seat);
    this.listing = new Listing(
      this.list,
      (/** @type {RacerRow} */ { lane }) => lane.seat,
      () => new BoardCard(toggle),
    );
    this.element.addEventListener("keydown", ({ key }) => {
      if (key === "Escape") this.element.classList.remove("full-page");
    });
    this.onChange = () => {};
  }

  /** @param {Camera} camera */
  #look(camera) {
    this.camera = camera;
    this.onChange();
  }

  /** Fill the screen; in browsers that cannot do that, the page. */
  async #fullScreen() {
    const { element } = this;
    if (document.fullscreenElement) {
      await document.exitFullscreen();
    } else if (element.requestFullscreen) {
      await element
        .requestFullscreen()
        .catch(() => element.classList.add("full-page"));
    } else {
      element.classList.toggle("full-page");
    }
    this.onChange();
  }

  get isFull() {
    return (
      Boolean(document.fullscreenElement) ||
      this.element.classList.contains("full-page")
    );
  }

  /** @param {RacerRow[]} rows best first @returns {number | null} a seat; null: all */
  #followedOf(rows) {
    if (this.camera === "leader") return rows[0]?.lane.seat ?? null;
    const found = rows.find(
      ({ lane }) => lane.seat === this.camera || lane.name === this.camera,
    );
    return found?.lane.seat ?? null;
  }

  /**
   * @param {RacerRow[]} rows best first
   * @param {Board | null} placeholder for hidden boards
   * @param {Space} space to fill
   * @param {number} shape width of a board divided by its height
   */
  update(rows, placeholder, space, shape) {
    const followed = this.#followedOf(rows);
    this.#followed = followed;
    const [width, height] = this.isFull
      ? [innerWidth - 2 * GAP, innerHeight - 2 * GAP]
      : [space.width, space.height];
    // Racers keep the order of seats, which is easier to find than a rank; only the
    // followed one comes first.
    const first = (/** @type {RacerRow} */ { lane }) => Number(lane.seat === followed);
    const shown = rows.toSorted(
      (a, b) => first(b) - first(a) || a.lane.seat - b.lane.seat,
    );
    const others = rows.length - 1;
    const strip =
      others && !this.isFull && !this.alone ? LEAST / shape + NARROW_LANE + GAP : 0;
    const big = Math.min(width, (height - strip - LANE) * shape);
    const least = Math.min(width, (innerHeight / 2) * shape); // else the page scrolls
    const { columns, cell } =
      followed === null
        ? arrangeBoards(rows.length, { width, height }, shape)
        : { columns: Math.max(1, others), cell: LEAST };
    const { style, classList } = this.element;
    style.setProperty("--columns", String(columns));
    style.setProperty("--cell", `${Math.floor(cell)}px`);
    style.setProperty("--big", `${Math.floor(Math.max(least, big))}px`);
    classList.toggle("following", followed !== null);
    setAttribute(this.all, "aria-pressed", String(followed === null));
    setAttribute(this.leader, "aria-pressed", String(this.camera === "leader"));
    show(this.cameras, rows.length > 0);
    const order = shown.map(({ lane }) => lane.seat).join();
    glide(this.list, order, () => this.listing.update(shown, placeholder, followed));
  }
}
