// The race: the lanes above, the player's board below, or the boards of all racers.

import { Board, formatBoard, parseSize } from "../../core/engine.js";
import { listenToKeys, listenToPointers } from "../input.js";
import { command } from "../../core/protocol.js";
import { text } from "../../core/texts.js";
import { whoWillWatch, whyWatching } from "../../core/wording.js";
import { play } from "../../app/sounds.js";
import { formatSpan, formatTime, ordinal } from "../../core/figures.js";
import { BoardReader, trackSize } from "../parts/board-reader.js";
import { BoardView } from "../parts/board-view.js";
import { button, confirmButton } from "../parts/controls.js";
import { h, setAttribute, setText, show } from "../dom.js";
import { LaneList, racerRows } from "../parts/lane-list.js";
import { SpectatorBoards } from "../parts/spectator-boards.js";
import { showTilePicture } from "../parts/tile-picture.js";

/** @typedef {Model & {room: Room}} RoomModel */

const FRAME_PX = 250; // head, clock and controls around the spectators' boards
const SIDE_BY_SIDE = "(min-width: 1100px)"; // as in race.css
const SIDE_PX = 300; // the boards of others beside the player's own, and below it
const BELOW_PX = 180;
const SETTLE_MS = 1500; // how long the solved board stays before the others' boards appear
const ANNOUNCE_MS = 700; // a screen reader speaks after a pause in the slides
const DEADLINE_MS = 60000; // the end of the race is shown in its last minute
const RATE_MS = 1000; // before that, tiles per second mean nothing

export class Race {
  /** @type {Attempt | null | undefined} whose board is on the screen */
  #attempt;
  #corrections = 0;
  /** The board that was announced last. @type {string | null} */
  #announced = null;
  #startAnnounced = false;
  #settling = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #announceTimer;
  #stopKeys = () => {};
  #stopPicture = () => {};

  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.lanes = new LaneList();
    this.boards = new SpectatorBoards(app.camera, app.view === "stream");
    this.boards.onChange = () => app.onChange();
    this.board = new BoardView({ kind: "own" });
    this.reader = new BoardReader();
    this.number = h("span.number");
    this.caption = h("span.caption");
    this.overlay = h(
      "div.overlay",
      { "aria-hidden": "true" },
      this.number,
      this.caption,
    );
    this.play = h(
      "div.tray",
      {
        tabindex: "0",
        role: "application",
        "aria-roledescription": text("board.role"),
        "aria-label": text("race.board"),
      },
      this.board.element,
      this.overlay,
    );
    this.clock = h("span.clock", { role: "timer", "aria-label": text("race.clock") });
    this.moves = h("span");
    this.rate = h("span");
    this.deadline = h("p.deadline");
    const counts = h("span.counts", {}, this.moves, this.rate);
    this.clockRow = h("div.clock-row", {}, this.clock, counts, this.deadline);
    this.banner = h("p.banner", { role: "status" });
    this.stage = trackSize(h("div.stage", {}, this.play));
    const ask = (/** @type {(race: string) => Command} */ make) => () => {
      if (app.model) app.send(make(app.model.race));
    };
    this.giveUp = confirmButton(
      "quiet",
      text("race.give_up"),
      text("race.give_up_sure"),
      ask(command.forfeit),
    );
    this.undo = button("", text("race.undo"), ask(command.undo));
    this.callTime = confirmButton(
      "quiet",
      text("race.call_time"),
      text("race.call_time_sure"),
      ask(command.callTime),
    );
    this.abort = confirmButton(
      "quiet",
      text("race.abort"),
      text("race.abort_sure"),
      ask(command.abort),
    );
    this.keys = h("p.keys.soft.small", { text: text("race.keys") });
    this.bar = h(
      "div.bar",
      {},
      this.keys,
      this.undo,
      this.giveUp,
      this.callTime,
      this.abort,
    );
    this.element = h(
      "section.race",
      {},
      h("h1.visually-hidden", { text: text("race.title") }),
      h("div.above", {}, this.lanes.element),
      h("div.hud", {}, this.clockRow),
      this.banner,
      this.stage,
      this.boards.element,
      this.reader.element,
      this.bar,
    );
    listenToPointers(this.element, this.board.element, () => this.#ownBoard, {
      cell: (cell) => this.#pressCell(cell),
      swipe: (direction) => this.#slide(direction),
      over: (cell) => app.settings.now.hover && this.#slideCell(cell),
    });
  }

  /** The board that the player can play now. @returns {Board | null} */
  get #ownBoard() {
    const { model } = this.app;
    return model?.racing ? (model.attempt?.board ?? null) : null;
  }

  /** @param {number} cell @returns {Direction | null} of the slide, if one was made */
  #pressCell(cell) {
    const board = this.#ownBoard;
    if (!board) return null;
    const [direction] = board.slideOfCell(cell) ?? [null];
    if (direction && this.#slideCell(cell)) return direction;
    if (cell !== board.gap) this.board.refuse(board.tileAt(cell));
    return null;
  }

  /** @param {Direction} direction */
  #slide(direction) {
    if (this.app.slide(direction)) this.#showNow();
    else this.board.refuse(null);
  }

  /** @param {number} cell */
  #slideCell(cell) {
    const slid = this.app.slideCell(cell);
    if (slid) this.#showNow();
    return slid;
  }

  /** Draw a slide at once, so that the next frame only has to paint it. */
  #showNow() {
    if (this.app.model?.room)
      this.#showBoard(/** @type {RoomModel} */ (this.app.model));
  }

  /** @param {Parameters<typeof play>[0]} name */
  #sound(name) {
    if (this.app.settings.now.sound) play(name);
  }

  /** @param {RoomModel} model @param {number} now */
  update(model, now) {
    const rows = racerRows(model);
    const { attempt, watching, racing, phase, room } = model;
    this.#settling = justSolved(model, now);
    const own = attempt !== null && (racing || !watching || this.#settling);
    const others = watching && (!own || room.rules.open_boards);
    this.element.classList.toggle("spectating", others && !own);
    this.element.classList.toggle("open", others && own);
    this.lanes.update(others && !own ? [] : rows); // board cards have their own lanes
    show(this.boards.element, others);
    if (others)
      this.#showOthers(model, own ? rows.filter(({ mine }) => !mine) : rows, own);
    show(this.stage, own || phase === "countdown" || !others);
    if (!this.stage.hidden || attempt !== this.#attempt) this.#showBoard(model);
    if (phase === "countdown" && !this.#startAnnounced) {
      this.reader.prepare(solvedBoard(model));
      this.#startAnnounced = true;
      const span = formatSpan(model.remaining(now) ?? 0);
      this.reader.announce(text("race.starts_in", { span }));
    }
    setText(this.banner, bannerText(model));
    show(this.banner, this.banner.textContent !== "");
    this.banner.classList.toggle("good", model.myLane?.status === "finished");
    this.#updateBar(model, now);
    this.tick(model, now);
  }

  /**
   * @param {RoomModel} model
   * @param {import("../parts/lane-list.js").RacerRow[]} rows
   * @param {boolean} beside whether the player's own board is shown too
   */
  #showOthers(model, rows, beside) {
    const { width, height } = parseSize(model.room.rules.size);
    const placeholder = solvedBoard(model);
    this.boards.update(rows, placeholder, this.#space(beside), width / height);
  }

  /** The space for the boards of others, in px. @param {boolean} beside */
  #space(beside) {
    if (beside && matchMedia(SIDE_BY_SIDE).matches) {
      return { width: SIDE_PX, height: innerHeight - SIDE_PX / 3 };
    }
    const height = beside ? BELOW_PX : innerHeight - FRAME_PX;
    return { width: this.element.clientWidth, height };
  }

  /** @param {RoomModel} model */
  #showBoard(model) {
    const { attempt } = model;
    const board = attempt?.board ?? solvedBoard(model);
    this.board.update(board);
    this.board.element.classList.toggle("placeholder", !attempt);
    for (const { style } of [this.play, this.stage]) {
      style.setProperty("--w", String(board.width));
      style.setProperty("--h", String(board.height));
    }
    if (attempt !== this.#attempt) this.#boardAppeared(attempt);
    else if (attempt && attempt.corrections > this.#corrections) {
      this.board.refuse(null);
      this.app.onNote(text("race.taken_back"), "info");
    }
    this.#corrections = attempt?.corrections ?? 0;
    if (attempt) this.#announce(attempt);
    setAttribute(this.play, "data-board", attempt && formatBoard(board));
  }

  /** Start the clock at the frame that shows the board. @param {Attempt | null} attempt */
  #boardAppeared(attempt) {
    this.#attempt = attempt;
    this.#announced = null;
    if (!attempt) return;
    this.#sound("go");
    requestAnimationFrame(() => {
      this.app.model?.painted(this.app.now());
      this.#focus();
    });
  }

  /** Play the sound of a slide, and announce the board. @param {Attempt} attempt */
  #announce({ board, slides, high }) {
    const key = formatBoard(board);
    if (this.#announced === key) return;
    const first = this.#announced === null;
    this.#announced = key;
    if (!first) this.#sound(board.isSolved ? "finish" : "tick");
    const row = Math.floor(board.gap / board.width) + 1;
    const column = (board.gap % board.width) + 1;
    const percent = Math.floor(high / 10);
    const words = first
      ? text("race.go", { row, column })
      : text("race.progress", { row, column, percent });
    clearTimeout(this.#announceTimer);
    this.#announceTimer = setTimeout(
      () => {
        this.reader.update(board);
        this.reader.announce(board.isSolved ? text("board.solved") : words);
      },
      first || slides.length === 0 ? 0 : ANNOUNCE_MS,
    );
  }

  /** @param {RoomModel} model @param {number} now */
  #updateBar(model, now) {
    const { racing, attempt, myLane, isHost, phase } = model;
    const canGiveUp = racing && !attempt?.solved && myLane?.status !== "forfeited";
    // From the countdown on their place is reserved: the board must not shrink at the
    // start.
    const reserved = phase === "countdown" && races(model);
    show(this.keys, canGiveUp || reserved);
    show(this.giveUp, canGiveUp || reserved);
    this.giveUp.classList.toggle("reserved", !canGiveUp);
    show(this.callTime, isHost && phase === "grace");
    show(this.abort, isHost && phase !== "grace");
    show(this.undo, model.canUndo(now));
    show(this.bar, this.bar.querySelector(":scope > :not([hidden])") !== null);
  }

  /** @param {RoomModel} model @param {number} now */
  tick(model, now) {
    if (this.#settling !== justSolved(model, now)) this.app.onChange();
    const { attempt, phase } = model;
    const left = model.remaining(now);
    const countdown = phase === "countdown";
    this.overlay.classList.toggle("over", !countdown || attempt !== null);
    if (countdown) this.#count(model, left);
    const ms = model.clock(now);
    const final = (model.myLane?.time ?? null) !== null;
    const shown = ms ?? (countdown ? 0 : null);
    setText(this.clock, shown === null ? "" : formatTime(shown, final ? 3 : 1));
    this.clockRow.classList.toggle("final", final);
    setText(this.moves, attempt ? text("count.moves", { count: attempt.stm }) : "");
    const tps = attempt && ms && ms > RATE_MS ? (attempt.stm * 1000) / ms : null;
    setText(this.rate, tps === null ? "" : text("count.tps", { tps: tps.toFixed(1) }));
    setText(this.deadline, deadlineText(model, left, now));
    if (!this.undo.hidden) this.#updateBar(model, now);
  }

  /** @param {RoomModel} model @param {number | null} left ms */
  #count(model, left) {
    const seconds = left === null ? "" : String(Math.max(1, Math.ceil(left / 1000)));
    if (seconds !== this.number.textContent) this.#sound("count");
    setText(this.number, seconds);
    const { isPlayer, room } = model;
    const leftOut = isPlayer && !races(model);
    setText(
      this.caption,
      races(model) ? text("race.get_ready") : whyWatching({ leftOut, room }),
    );
  }

  /** Give the board the focus, unless another part of the screen has it. */
  #focus() {
    const { activeElement } = document;
    if (activeElement === document.body || !this.element.contains(activeElement))
      this.play.focus({ preventScroll: true });
  }

  enter() {
    requestAnimationFrame(() => this.#focus()); // during the countdown there is time
    this.#stopPicture = showTilePicture(this.board);
    this.#stopKeys = listenToKeys(
      document,
      (direction) => {
        if (!this.app.model?.racing) return false;
        this.#slide(direction);
        return true;
      },
      () => this.app.settings.now,
    );
  }

  leave() {
    this.#stopPicture();
    this.#stopKeys();
    clearTimeout(this.#announceTimer);
    this.#attempt = undefined;
  }
}

/** Whether the player takes part in the race that is about to start. @param {Model} model */
const races = ({ isPlayer, self }) => isPlayer && self?.ready === true;

/** @param {Model} model @param {number} now */
function justSolved({ attempt }, now) {
  const at = attempt?.solvedAt ?? null;
  return at !== null && now - at < SETTLE_MS;
}

/** The placeholder for a board that is not shown. @param {RoomModel} model */
function solvedBoard(model) {
  const { width, height } = parseSize(model.room.rules.size);
  return Board.solved(width, height);
}

/** @param {RoomModel} model */
function bannerText(model) {
  const { myLane, attempt, isHost, phase } = model;
  if (phase === "countdown") return isHost ? whoWillWatch(model) : "";
  if (myLane?.status === "finished") {
    const key = myLane.final ? "race.finished" : "race.finished_so_far";
    const place = ordinal(myLane.place ?? 1);
    return text(key, { place, time: formatTime(myLane.time ?? 0) });
  }
  if (attempt?.solved) return text("board.solved");
  if (myLane?.status === "forfeited") return text("race.gave_up");
  if (myLane?.status === "dnf") return text("race.out");
  return myLane ? "" : whyWatching(model);
}

/**
 * The time until the board unlocks, or until the race ends.
 * @param {Model} model @param {number | null} left ms of this phase @param {number} now
 */
function deadlineText({ attempt, phase }, left, now) {
  const locked = attempt?.locked(now) ?? 0;
  if (locked > 0) return text("race.inspect", { seconds: Math.ceil(locked / 1000) });
  const near = phase === "grace" || (phase === "racing" && (left ?? 0) < DEADLINE_MS);
  if (left === null || !near) return "";
  return text("race.time_left", { time: formatTime(left, 0) });
}
