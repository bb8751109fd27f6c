// The boards of the racers, live: all of them equally large, or one of them larger.

import { HEAD, placeBoards, placeWithLarge } from "../../core/board-layout.js";
import { formatTime, ordinal } from "../../core/figures.js";
import { text } from "../../core/texts.js";
import { dnfReason, statusText } from "../../core/wording.js";
import { BoardView } from "./board-view.js";
import { button } from "./controls.js";
import { Listing, fill, h, setAttribute, setText, show } from "../dom.js";

/** @typedef {import("./racers.js").RacerRow} RacerRow */
/** @typedef {string | number} Camera "all", "leader", a nickname, or a seat */

const TINY = 22; // px of a tile: smaller ones show no numbers
const NARROW = 120; // px of a board: narrower ones have no percentage above
const EDGE = 0.968; // the part of a board's width that its tiles take
const LEADER_MS = 3000; // at least, between two leaders
const OUT = new Set(["dnf", "forfeited", "dns"]);

/** A racer's board below a line with rank, name and progress. */
class BoardCard {
  #seat = -1;
  #stamp = "";

  /** @param {(seat: number) => void} toggle follows this racer, or shows all again */
  constructor(toggle) {
    this.rank = h("b.rank");
    this.name = h("span.name");
    this.value = h("span.value");
    this.fill = h("span.fill", { "aria-hidden": "true" });
    this.board = new BoardView({ kind: "mini" });
    this.stamp = h("div.stamp");
    this.pin = button("pin", "", () => toggle(this.#seat));
    const { rank, name, value } = this;
    this.element = h(
      "li.board-card",
      {},
      h("div.head", {}, rank, name, value, this.fill),
      h(
        "div.tray",
        { on: { click: ({ target }) => target === this.pin || toggle(this.#seat) } },
        this.board.element,
        this.stamp,
        this.pin,
      ),
    );
  }

  /**
   * @param {RacerRow} row
   * @param {number[]} ranking seats, best first
   * @param {number | null} followed whose board is the large one
   * @param {(lane: RacerRow["lane"]) => Board | null} boardOf null: not to be seen yet
   * @param {Board} like shown blank instead
   */
  update({ lane, mine, away, waiting }, ranking, followed, boardOf, like) {
    const { seat, name, status, high } = lane;
    const board = boardOf(lane);
    const rank = ranking.indexOf(seat) + 1;
    const big = seat === followed;
    this.#seat = seat;
    setText(this.rank, waiting || OUT.has(status) ? "" : String(rank));
    setText(this.name, name);
    setText(this.value, waiting || status !== "racing" ? "" : statusText(lane));
    this.fill.style.transform = `scaleX(${waiting ? 0 : high / 1000})`;
    this.board.update(board ?? like);
    this.#showStamp(lane, away);
    const leads = rank === 1 && status === "racing" && high > 0;
    const kinds = [
      waiting ? "waiting" : status,
      mine && "mine",
      away && "away",
      leads && "first",
      big && "big",
      !board && "board-hidden",
    ];
    const { classList } = this.element;
    const kept = ["tiny", "narrow"].filter((kind) => classList.contains(kind));
    const classes = ["board-card", ...kept, ...kinds.filter(Boolean)].join(" ");
    setAttribute(this.element, "class", classes);
    setAttribute(this.element, "data-seat", seat);
    setAttribute(this.element, "data-board", board && board.tiles.join(" "));
    setText(this.pin, big ? "\u2715" : "\u2922");
    const label = big ? text("boards.show_all") : text("boards.follow", { name });
    setAttribute(this.pin, "aria-label", label);
    setAttribute(this.pin, "title", label);
  }

  /** @param {RacerRow["lane"]} lane @param {boolean} away */
  #showStamp(lane, away) {
    const { status, place, time } = lane;
    /** @type {[string, string] | null} */
    let said = null;
    if (status === "finished") said = [ordinal(place ?? 1), formatTime(time ?? 0)];
    else if (OUT.has(status)) said = [statusText(lane), dnfReason(lane)];
    else if (away) said = ["\u26a1", text("member.reconnecting")];
    const key = said?.join() ?? "";
    if (key === this.#stamp) return;
    this.#stamp = key;
    const [large = "", small = ""] = said ?? [];
    fill(this.stamp, [said && h("p", { text: large }, h("small", { text: small }))]);
  }

  /** @param {import("../../core/board-layout.js").Spot} spot @param {Board} board */
  place({ x, y, cell }, { width, height }) {
    const { style, classList } = this.element;
    style.setProperty("--cell", `${cell}px`);
    style.width = `${cell}px`;
    style.height = `${Math.floor((cell * height) / width) + HEAD}px`;
    style.transform = `translate(${x}px, ${y}px)`;
    show(this.element, cell > 0);
    classList.toggle("tiny", (cell * EDGE) / width < TINY);
    classList.toggle("narrow", cell < NARROW);
  }
}

/** Everybody's board, live, and the choice of all or one. */
export class SpectatorBoards {
  /** The seat whose board is large. @type {number | null} */
  #followed = null;
  #switchedAt = -Infinity;
  /** What the boards were last placed for. */
  #placed = "";
  /** @type {Board | null} a board of their size */
  #like = null;

  /**
   * @param {Camera} camera
   * @param {boolean} alone whether only the followed board is shown
   */
  constructor(camera = "all", alone = false) {
    /** @type {Camera} */
    this.camera = camera;
    this.alone = alone;
    this.list = h("ol.area", { "aria-label": text("boards.list") });
    this.all = button("", text("boards.all"), () => this.#look("all"));
    this.leader = button("", text("boards.leader"), () => this.#look("leader"));
    const label = text("boards.full_screen");
    const full = button("quiet", "\u2922", () => this.#fullScreen());
    setAttribute(full, "aria-label", label);
    setAttribute(full, "title", label);
    this.cameras = h("div.cameras", {}, this.all, this.leader, full);
    this.element = h("section.spectator-boards", {}, this.list);
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
    new ResizeObserver(() => this.#place()).observe(this.list);
    this.onChange = () => {};
  }

  /** @param {Camera} camera */
  #look(camera) {
    this.camera = camera;
    this.#switchedAt = -Infinity;
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

  get #isFull() {
    return (
      Boolean(document.fullscreenElement) ||
      this.element.classList.contains("full-page")
    );
  }

  /**
   * @param {RacerRow[]} rows by seat
   * @param {number} first the leader's seat
   * @returns {number | null} whose board is large; null: all are the same
   */
  #followedOf(rows, first) {
    if (this.camera !== "leader") {
      const found = rows.find(
        ({ lane }) => lane.seat === this.camera || lane.name === this.camera,
      );
      return found?.lane.seat ?? null;
    }
    const now = performance.now();
    const known = rows.some(({ lane }) => lane.seat === this.#followed);
    if (known && now - this.#switchedAt < LEADER_MS) return this.#followed;
    if (first !== this.#followed) this.#switchedAt = now;
    return first;
  }

  /**
   * @param {RacerRow[]} rows by seat
   * @param {number[]} ranking seats, best first
   * @param {(lane: RacerRow["lane"]) => Board | null} boardOf null: not to be seen yet
   * @param {Board} like a board of the same size
   */
  update(rows, ranking, boardOf, like) {
    const followed = rows.length ? this.#followedOf(rows, ranking[0]) : null;
    this.#followed = followed;
    this.#like = like;
    this.element.classList.toggle("following", followed !== null);
    setAttribute(this.all, "aria-pressed", String(followed === null));
    setAttribute(this.leader, "aria-pressed", String(this.camera === "leader"));
    this.listing.update(rows, ranking, followed, boardOf, like);
    this.#place();
  }

  /** Put the boards where they fill the area best; they keep the order of seats. */
  #place() {
    const like = this.#like;
    const { clientWidth: width, clientHeight: height } = this.list;
    const seats = [...this.listing.rows.keys()];
    if (!width || !height || !like || !seats.length) return;
    const followed = this.#followed;
    const alone = followed !== null && (this.alone || this.#isFull);
    const key = [width, height, like.width, like.height, seats, followed, alone].join();
    if (key === this.#placed) return;
    const first = this.#placed === "";
    this.#placed = key;
    const shape = like.width / like.height;
    const large = followed !== null && (alone || seats.length > 1);
    const shown = alone ? [followed] : seats;
    const ordered = large ? shown.toSorted((a, b) => +(b === followed) - +(a === followed)) : shown;
    const area = { width, height };
    const spots = large
      ? placeWithLarge(ordered.length, area, shape)
      : placeBoards(ordered.length, area, shape);
    const hidden = { x: 0, y: 0, cell: 0 };
    for (const [seat, card] of this.listing.rows)
      card.place(spots[ordered.indexOf(/** @type {number} */ (seat))] ?? hidden, like);
    if (first) setTimeout(() => this.list.classList.add("laid"), 100);
  }
}
