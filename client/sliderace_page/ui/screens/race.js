// The race itself: lanes above, the board below, and nothing else that moves.

import { Board, formatBoard, parseSize } from "../../core/engine.js";
import { listenToKeys, listenToPointers } from "../input.js";
import { command } from "../../core/protocol.js";
import { whoWatches, whyIWatch } from "../../core/wording.js";
import { play } from "../../app/sounds.js";
import { count, formatSpan, formatTime, ordinal } from "../../core/format.js";
import { BoardReader, trackSize } from "../parts/board-reader.js";
import { BoardView } from "../parts/board-view.js";
import { button, confirmButton } from "../parts/controls.js";
import { h, setAttribute, setText, show } from "../dom.js";
import { Lanes, rows } from "../parts/lane-list.js";
import { Watch } from "../parts/spectator-boards.js";
import { wear } from "../parts/tile-picture.js";

const FRAME_PX = 250; // head, clock and controls around the spectators' boards
const SIDE_BY_SIDE = "(min-width: 1100px)"; // as in style.css
const SIDE_PX = 300;
const BELOW_PX = 180;
const SETTLE_MS = 1500; // one's own solved board is seen before the others' boards
const SAY_MS = 700; // a screen reader speaks when the hand rests

export class Race {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.lanes = new Lanes();
    this.watch = new Watch(app.camera, app.view === "stream");
    this.watch.onChange = () => app.onChange();
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
    this.ribbon = h("p.ribbon");
    this.play = h(
      "div.tray",
      {
        tabindex: "0",
        role: "application",
        "aria-roledescription": "sliding puzzle",
        "aria-label":
          "Your board. Arrow keys, W A S D or h j k l slide a tile that way.",
      },
      this.board.element,
      this.overlay,
    );
    this.clock = h("span.clock", { role: "timer", "aria-label": "Race clock" });
    this.moves = h("span");
    this.rate = h("span");
    this.counts = h("span.counts", {}, this.moves, this.rate);
    this.told = h("div.told", {}, this.clock, this.counts, this.ribbon);
    this.banner = h("p.banner", { role: "status" });
    this.stage = trackSize(h("div.stage", {}, this.play));
    this.#controls();
    this.element = h(
      "section.race",
      {},
      h("h1.visually-hidden", { text: "Race" }),
      h("div.above", {}, this.lanes.element),
      h("div.hud", {}, this.told),
      this.banner,
      this.stage,
      this.watch.element,
      this.reader.element,
      this.bar,
    );
    this.#listen();
  }

  #controls() {
    const { app } = this;
    const race = () => app.model.race;
    this.forfeit = confirmButton("quiet", "Give up", "Really give up", () =>
      app.ask(command.forfeit(race())),
    );
    this.undo = button("", "Undo giving up", () => app.ask(command.undo(race())));
    this.callTime = confirmButton("quiet", "End the race now", "End it for everybody", () =>
      app.ask(command.callTime(race())),
    );
    this.abort = confirmButton("quiet", "Call off", "Really call off", () =>
      app.ask(command.abort(race())),
    );
    this.keys = h("p.keys.soft.small", {
      text: "Arrows, WASD or hjkl: the way a tile slides. Or click a tile.",
    });
    this.bar = h(
      "div.bar",
      {},
      this.keys,
      this.undo,
      this.forfeit,
      this.callTime,
      this.abort,
    );
  }

  #listen() {
    const { app } = this;
    const size = () => (app.model?.racing ? app.model.attempt.board : null);
    listenToPointers(this.element, this.board.element, size, {
      cell: (cell) => this.#cell(cell),
      swipe: (direction) => this.#slide(direction),
      over: (cell) => app.settings.now.hover && this.#over(cell),
    });
  }

  /** @returns {Direction | null} of the slide, if it was possible */
  #cell(cell) {
    const { board } = this.app.model.attempt;
    const [direction] = board.slideOfCell(cell) ?? [null];
    if (direction && this.#over(cell)) return direction;
    if (cell !== board.gap) this.board.refuse(board.tileAt(cell));
    return null;
  }

  #sound(name) {
    if (this.app.settings.now.sound) play(name);
  }

  #slide(direction) {
    if (this.app.slide(direction)) this.#stage(this.app.model);
    else this.board.refuse(null);
  }

  /** A slide is drawn at once, so that the next frame has only to paint it. */
  #over(cell) {
    const slid = this.app.slideCell(cell);
    if (slid) this.#stage(this.app.model);
    return slid;
  }

  update(model, now) {
    const all = rows(model);
    this.settling = settles(model, now);
    const own =
      model.attempt && (model.racing || !model.watching || this.settling);
    const countdown = model.phase === "countdown";
    const grid = model.watching && (!own || model.room.rules.open_boards);
    this.element.classList.toggle("spectating", Boolean(grid && !own));
    this.element.classList.toggle("open", Boolean(grid && own));
    this.lanes.update(grid && !own ? [] : all); // boards carry their lanes themselves
    show(this.watch.element, grid);
    if (grid) this.#grid(model, own ? all.filter((row) => !row.mine) : all, own);
    show(this.stage, own || countdown || !grid);
    if (!this.stage.hidden || model.attempt !== this.attempt) this.#stage(model);
    if (countdown && !this.announced) {
      this.reader.prepare(ghost(model));
      this.announced = true;
      this.reader.announce(`The race starts in ${formatSpan(model.remaining(now) ?? 0)}`);
    }
    this.#banner(model);
    this.#bar(model, now);
    this.tick(model, now);
  }

  #grid(model, shown, beside) {
    const { width, height } = parseSize(model.room.rules.size);
    this.watch.update(shown, ghost(model), this.#space(beside), width / height);
  }

  /** px for the boards of the others: all there is, or what one's own leaves. */
  #space(beside) {
    if (beside && matchMedia(SIDE_BY_SIDE).matches) {
      return { width: SIDE_PX, height: innerHeight - SIDE_PX / 3 };
    }
    const height = beside ? BELOW_PX : innerHeight - FRAME_PX;
    return { width: this.element.clientWidth, height };
  }

  #stage(model) {
    const { attempt } = model;
    const board = attempt?.board ?? ghost(model);
    this.board.update(board);
    this.board.element.classList.toggle("ghost", !attempt);
    this.play.style.setProperty("--w", board.width);
    this.play.style.setProperty("--h", board.height);
    this.stage.style.setProperty("--w", board.width);
    this.stage.style.setProperty("--h", board.height);
    if (attempt !== this.attempt) this.#appeared(attempt);
    else if (attempt && attempt.takenBack > this.takenBack) this.#tookBack();
    this.takenBack = attempt?.takenBack ?? 0;
    if (attempt) this.#speak(model);
    setAttribute(this.play, "data-board", attempt ? formatBoard(board) : null);
  }

  /** The board is there (or gone): count from the frame that shows it. */
  #appeared(attempt) {
    this.attempt = attempt;
    this.said = null;
    if (!attempt) return;
    this.#sound("go");
    requestAnimationFrame(() => {
      this.app.model?.painted(this.app.now());
      this.#focus();
    });
  }

  /** What one did was not to be: the board trembles, and it is said. */
  #tookBack() {
    this.board.refuse(null);
    this.app.onNote("Taken back: the server did not accept that slide", "info");
  }

  #speak(model) {
    const { board, slides } = model.attempt;
    const key = formatBoard(board);
    if (this.said === key) return;
    const first = this.said === null;
    this.said = key;
    if (!first) this.#sound(board.isSolved ? "finish" : "tick");
    clearTimeout(this.speaking);
    const [column, row] = [
      (board.gap % board.width) + 1,
      Math.floor(board.gap / board.width) + 1,
    ];
    const where = `Gap in row ${row}, column ${column}.`;
    const words = first
      ? `Go! ${where}`
      : `${where} ${Math.floor(model.attempt.high / 10)} percent.`;
    this.speaking = setTimeout(
      () => {
        this.reader.update(board);
        this.reader.announce(board.isSolved ? "Solved!" : words);
      },
      first || slides.length === 0 ? 0 : SAY_MS,
    );
  }

  #banner(model) {
    setText(this.banner, bannerText(model));
    show(this.banner, this.banner.textContent !== "");
    this.banner.classList.toggle("good", model.myLane?.status === "finished");
  }

  #bar(model, now) {
    const mine =
      model.racing && !model.attempt.solved && model.myLane?.status !== "forfeited";
    // Their place is kept from the countdown on: the board must not shrink at the start.
    const soon = model.phase === "countdown" && plays(model);
    show(this.keys, mine || soon);
    show(this.forfeit, mine || soon);
    this.forfeit.classList.toggle("kept", !mine);
    show(this.callTime, model.isHost && model.phase === "grace");
    show(this.abort, model.isHost && model.phase !== "grace");
    show(this.undo, model.canUndo(now));
    show(
      this.bar,
      this.bar.querySelector(":scope > :not([hidden])") !== null,
    );
  }

  tick(model, now) {
    if (this.settling !== settles(model, now)) this.app.onChange();
    const left = model.remaining(now);
    const countdown = model.phase === "countdown";
    this.overlay.classList.toggle("over", !countdown || Boolean(model.attempt));
    if (countdown) this.#count(left);
    const ms = model.clock(now);
    const final = model.myLane?.time ?? null;
    const shown = ms ?? (countdown ? 0 : null);
    setText(this.clock, shown === null ? "" : formatTime(shown, final === null ? 1 : 3));
    this.told.classList.toggle("final", final !== null);
    const { attempt } = model;
    setText(this.moves, attempt ? count(attempt.stm, "move") : "");
    setText(this.rate, attempt && ms > 1000 ? rateText(attempt.stm, ms) : "");
    setText(this.ribbon, ribbonText(model, left, now));
    if (!this.undo.hidden) this.#bar(model, now);
  }

  #count(left) {
    const seconds = left === null ? "" : String(Math.max(1, Math.ceil(left / 1000)));
    if (seconds !== this.number.textContent) this.#sound("count");
    setText(this.number, seconds);
    const { model } = this.app;
    const leftOut = model.isPlayer && !plays(model);
    setText(
      this.caption,
      plays(model) ? "Get ready" : whyIWatch({ leftOut, room: model.room }),
    );
  }

  /** The board has the keys, unless one has gone to something else here. */
  #focus() {
    const { activeElement } = document;
    if (activeElement === document.body || !this.element.contains(activeElement))
      this.play.focus({ preventScroll: true });
  }

  enter() {
    requestAnimationFrame(() => this.#focus()); // in the countdown there is time for it
    this.undress = wear(this.board);
    this.deafen = listenToKeys(
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
    this.undress();
    this.deafen();
    clearTimeout(this.speaking);
    this.attempt = undefined;
  }
}

/** Whether the race that is counted down to is mine, too. */
const plays = ({ isPlayer, self }) => isPlayer && self.ready;

/** Whether one has just solved it: the hand rests, the time stands. */
function settles({ attempt }, now) {
  const at = attempt?.solvedAt ?? null;
  return at !== null && now - at < SETTLE_MS;
}

/** The solved board, while there is none yet. */
function ghost(model) {
  const { width, height } = parseSize(model.room.rules.size);
  return Board.solved(width, height);
}

function bannerText(model) {
  const { myLane, attempt, isHost, phase } = model;
  if (phase === "countdown") return isHost ? whoWatches(model) : "";
  if (myLane?.status === "finished") {
    const { place, time, final } = myLane;
    const [rank, told] = [ordinal(place ?? 1), formatTime(time ?? 0)];
    return final
      ? `You finished ${rank} in ${told}`
      : `You are ${rank} so far: ${told}`;
  }
  if (attempt?.solved) return "Solved!";
  if (myLane?.status === "forfeited") return "You gave up";
  if (myLane?.status === "dnf") return "You are out of this race";
  return myLane ? "" : whyIWatch(model);
}

/** Tiles per second. */
const rateText = (stm, ms) => `\u00b7 ${((stm * 1000) / ms).toFixed(1)} TPS`;

/** What ends when. */
function ribbonText(model, left, now) {
  const locked = model.attempt?.locked(now) ?? 0;
  if (locked > 0) return `Look: ${Math.ceil(locked / 1000)} s`;
  if (model.phase === "grace" && left !== null)
    return `${formatTime(left, 0)} left`;
  if (model.phase === "racing" && left !== null && left < 60000) {
    return `${formatTime(left, 0)} left`;
  }
  return "";
}
