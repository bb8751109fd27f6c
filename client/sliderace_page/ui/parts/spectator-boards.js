// The boards of the others, live: all of them, the leader's, or one that is pinned.

import { BoardView } from "./board-view.js";
import { button } from "./controls.js";
import { Listing, h, setAttribute, setText, show } from "../dom.js";
import { glide } from "./reorder.js";
import { LaneRow } from "./lane-list.js";

/** One racer's lane with the board below it. */
class WatchCard {
  /** @param {(seat: number) => void} pin */
  constructor(pin) {
    this.row = new LaneRow("div");
    this.board = new BoardView({ kind: "mini" });
    this.hidden = h("p.hidden-board", { text: "\u2026", "aria-hidden": "true" });
    this.pin = button("pin", "", () => pin(this.seat));
    const tray = h(
      "div.tray",
      { on: { click: ({ target }) => target === this.pin || pin(this.seat) } },
      this.board.element,
      this.hidden,
      this.pin,
    );
    this.element = h("li.watched", {}, this.row.element, tray);
  }

  update(row, blank, big) {
    this.row.update(row);
    const { lane } = row;
    const board = lane.board ?? blank;
    if (board) this.board.update(board);
    this.seat = lane.seat;
    this.element.classList.toggle("veiled", !lane.board);
    this.element.classList.toggle("big", big === lane.seat);
    show(this.hidden, !lane.board);
    setAttribute(this.element, "data-seat", lane.seat);
    setAttribute(
      this.element,
      "data-board",
      lane.board ? lane.board.tiles.join(" ") : null,
    );
    const pinned = big === lane.seat;
    setText(this.pin, pinned ? "\u2715" : "\u2922");
    const what = pinned ? "Show all boards" : `Watch ${lane.name} closely`;
    setAttribute(this.pin, "aria-label", what);
    setAttribute(this.pin, "title", what);
  }
}

const GAP = 16;
const HEAD = 36; // a lane and the gap below it
const NARROW = 200; // px, as in style.css: a lane with a line for the name alone
const NARROW_HEAD = 58;
const BESIDE = 0.6; // all in one line compare at a glance: that is worth some size
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
      Math.floor(Math.min(wide, ((height - GAP * (lines - 1)) / lines - head) * shape));
    const cell = side(HEAD) > NARROW ? side(HEAD) : side(NARROW_HEAD);
    const beside = columns === many && cell >= LEAST && cell > best.cell * BESIDE;
    if (cell > best.cell || beside) best = { columns, cell };
  }
  if (best.cell >= LEAST) return best;
  const columns = Math.max(1, Math.floor((width + GAP) / (LEAST + GAP)));
  return { columns, cell: Math.floor((width - GAP * (columns - 1)) / columns) };
}

/** Everybody's board, live, and the camera that looks at them. */
export class Watch {
  /**
   * @param {string | null} camera "all", "leader", or the nickname to follow
   * @param {boolean} alone whom it follows is all that is shown
   */
  constructor(camera = "all", alone = false) {
    this.camera = camera;
    this.alone = alone;
    this.list = h("ol.watch", { "aria-label": "Boards of all racers" });
    const look = (text, to) => button("", text, () => this.#look(to));
    this.all = look("All", "all");
    this.leader = look("Leader", "leader");
    this.full = button("quiet", "Full screen", () => this.#fullScreen());
    this.cameras = h("div.cameras", {}, this.all, this.leader, this.full);
    this.element = h("section.watching", {}, this.cameras, this.list);
    this.listing = new Listing(
      this.list,
      (row) => row.lane.seat,
      () => new WatchCard((seat) => this.#look(this.big === seat ? "all" : seat)),
    );
    this.element.addEventListener("keydown", ({ key }) => {
      if (key === "Escape") this.element.classList.remove("filled");
    });
    this.onChange = () => {};
  }

  #look(camera) {
    this.camera = camera;
    this.onChange();
  }

  /** The whole screen for the boards; where a browser has no such thing, the page. */
  async #fullScreen() {
    const { element } = this;
    if (document.fullscreenElement) {
      await document.exitFullscreen();
    } else if (element.requestFullscreen) {
      await element.requestFullscreen().catch(() => element.classList.add("filled"));
    } else {
      element.classList.toggle("filled");
    }
    this.onChange();
  }

  get filled() {
    return (
      Boolean(document.fullscreenElement) || this.element.classList.contains("filled")
    );
  }

  /** Whose board is large; null: nobody's. @param {Wire[]} all rows, best first */
  #whose(all) {
    if (this.camera === "leader") return all[0]?.lane.seat ?? null;
    const wanted = ({ lane }) => [lane.seat, lane.name].includes(this.camera);
    return all.find(wanted)?.lane.seat ?? null;
  }

  /**
   * @param {Wire[]} all rows, best first
   * @param {Board | null} blank for visually-hidden boards
   * @param {{width: number, height: number}} room px to fill
   * @param {number} shape width of a board over its height
   */
  update(all, blank, room, shape) {
    const big = this.#whose(all);
    this.big = big;
    const [wide, tall] = this.filled
      ? [innerWidth - 2 * GAP, innerHeight - 2 * GAP]
      : [room.width, room.height];
    // A seat is easier to find again than a rank; only the one looked at comes first.
    const seats = [...all].sort((a, b) => a.lane.seat - b.lane.seat);
    const shown =
      big === null ? seats : seats.sort((a, b) => first(b, big) - first(a, big));
    const rest = all.length - 1;
    const strip =
      rest && !this.filled && !this.alone ? LEAST / shape + NARROW_HEAD + GAP : 0;
    const side = Math.min(wide, (tall - strip - HEAD) * shape);
    const least = Math.min(wide, (innerHeight / 2) * shape); // else the page scrolls
    const { columns, cell } =
      big === null
        ? arrange(all.length, { width: wide, height: tall }, shape)
        : { columns: Math.max(1, rest), cell: LEAST };
    const { style, classList } = this.element;
    style.setProperty("--columns", String(columns));
    style.setProperty("--cell", `${Math.floor(cell)}px`);
    style.setProperty("--big", `${Math.floor(Math.max(least, side))}px`);
    classList.toggle("close", big !== null);
    setAttribute(this.all, "aria-pressed", String(big === null));
    setAttribute(this.leader, "aria-pressed", String(this.camera === "leader"));
    show(this.cameras, all.length > 0);
    const order = shown.map(({ lane }) => lane.seat).join();
    glide(this.list, order, () => this.listing.update(shown, blank, big));
  }
}

const first = ({ lane }, seat) => Number(lane.seat === seat);
