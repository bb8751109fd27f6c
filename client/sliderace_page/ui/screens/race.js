// The race: the player's board and the leaderboard, or the boards of all racers.

import { Board, formatBoard, parseBoard, parseSize } from "../../core/engine.js";
import { keysText, listenToKeys, listenToPointers } from "../input.js";
import { command } from "../../core/protocol.js";
import { text } from "../../core/texts.js";
import { whoWillWatch, whyWatching, withoutLevel } from "../../core/wording.js";
import { play } from "../../app/sounds.js";
import { formatSpan, formatTime, ordinal } from "../../core/figures.js";
import { BoardReader } from "../parts/board-reader.js";
import { BoardView } from "../parts/board-view.js";
import { confirmButton } from "../parts/confirm-button.js";
import { button } from "../parts/controls.js";
import { FADE_MS, Finish, PLATE_MS, STAND_MS } from "../parts/finish.js";
import { h, isStill, setAttribute, setText, show } from "../dom.js";
import { LeaderboardView } from "../parts/leaderboard-view.js";
import { Reactions, said, spectatorsSaid } from "../parts/reactions.js";
import { racerRows } from "../parts/racers.js";
import { Speaker } from "../parts/speaker.js";
import { SpectatorBoards } from "../parts/spectator-boards.js";
import { showTilePicture } from "../parts/tile-picture.js";

/** @typedef {Model & {room: Room}} RoomModel */
/** @typedef {import("../input.js").Kind} Kind */
/** @typedef {import("../parts/racers.js").RacerRow} RacerRow */

const NEWS_MS = 2500; // how long the winner is named
const PODIUM = 3; // places with a longer fanfare
const QUIET_MS = 3000; // at the start places change too often to be heard
const TOUCH = "(pointer:coarse)";
const BEAT_MS = 100; // texts that no slide changes are formatted no more often
const BLINK_MS = 160; // of the own place, when it changes
const ANNOUNCE_MS = 700; // a screen reader speaks after a pause in the slides
const DEADLINE_MS = 60000; // the end of the race is shown in its last minute
const RATE_MS = 1000; // before that, tiles per second mean nothing

export class Race {
  #race = ""; // whose racers are on the screen
  /** @type {Attempt | null | undefined} whose board is on the screen */
  #attempt;
  #corrections = 0;
  /** The board that was announced last. @type {string | null} */
  #announced = null;
  #startAnnounced = false;
  /** The attempt whose solution is on the screen. @type {Attempt | null} */
  #solved = null;
  #fanfare = false; // the place of the finish has been heard
  #stood = false;
  /** The race's first finisher, and since when they are known. @type {{race: string, name: string, time: number, at: number} | null} */
  #winner = null;
  #place = 0;
  #beat = NaN; // the tenth of a second in which the texts were shown last
  /** @type {{text: string, board: Board} | null} the scramble */
  #start = null;
  /** @type {RacerRow[]} */
  #rows = [];
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #announceTimer;
  #how = ""; // to slide
  #stopKeys = () => {};
  #stopPicture = () => {};
  #askedLate = false; // for the module of those who come late

  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.tool = new Speaker(app.settings).element;
    this.lanes = new LeaderboardView();
    this.finish = new Finish();
    this.boards = new SpectatorBoards(cameraOf(app), app.view === "stream");
    this.boards.onChange = () => app.onChange();
    this.board = new BoardView({ kind: "own" });
    this.reader = new BoardReader();
    /** @type {import("../parts/pace-lane.js").PaceLane | null} */
    this.pace = null;
    this.number = h("span.number");
    this.caption = h("span.caption");
    this.hint = h("span.hint");
    const { number, caption, hint } = this;
    this.overlay = h("div.overlay", { "aria-hidden": "true" }, number, caption, hint);
    this.play = h(
      "div.tray",
      {
        tabindex: "0",
        role: "application",
        "aria-roledescription": text("board.role"),
      },
      this.board.element,
      this.overlay,
      this.finish.ring,
    );
    this.clock = h("span.clock", { role: "timer", "aria-label": text("race.clock") });
    this.place = h("span");
    this.standing = h("span.standing", {}, this.place);
    this.counts = h("p.counts");
    this.deadline = h("p.deadline");
    this.banner = h("p.banner", { role: "status" });
    this.hud = h(
      "div.hud-content",
      {},
      this.clock,
      this.standing,
      this.counts,
      this.banner,
      this.deadline,
    );
    this.stage = h("div.stage", {}, this.play, this.finish.plate);
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
    const { undo, giveUp, callTime, abort } = this;
    for (const one of [callTime, abort]) one.classList.add("host");
    /** @type {import("../parts/late-comer.js").LateComer | null} */
    this.late = null;
    this.reactions = new Reactions(app);
    this.said = h("p.said", { "aria-hidden": "true" });
    this.bar = h("div.bar", {}, this.said, this.reactions.element, undo, giveUp, callTime, abort);
    this.element = h(
      "section.race",
      {},
      h("h1.visually-hidden", { text: text("race.title") }),
      this.lanes.element,
      h("div.hud", {}, this.hud),
      this.stage,
      this.boards.cameras,
      this.boards.element,
      this.reader.element,
      this.bar,
    );
    listenToPointers(this.element, this.board.element, () => this.#ownBoard, {
      cell: (cell, how) => this.#pressCell(cell, how),
      swipe: (direction, how) => this.#slide(direction, how),
      over: (cell) => app.settings.now.hover && this.#slideCell(cell, "hover"),
    });
  }

  /** The board that the player can play now. @returns {Board | null} */
  get #ownBoard() {
    const { model } = this.app;
    return model?.racing ? (model.attempt?.board ?? null) : null;
  }

  /** @param {number} cell @param {Kind} how @returns {Direction | null} of the slide, if one was made */
  #pressCell(cell, how) {
    const board = this.#ownBoard;
    if (!board) return null;
    const [direction] = board.slideOfCell(cell) ?? [null];
    if (direction && this.#slideCell(cell, how)) return direction;
    if (cell !== board.gap) this.board.refuse(board.tileAt(cell));
    return null;
  }

  /** @param {Direction} direction @param {Kind} how */
  #slide(direction, how) {
    if (this.app.slide(direction, how)) this.#showNow();
    else this.board.refuse(null);
  }

  /** @param {number} cell @param {Kind} how */
  #slideCell(cell, how) {
    const slid = this.app.slideCell(cell, how);
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
    const { sound, volume } = this.app.settings.now;
    if (sound) play(name, volume);
  }

  /** @param {RoomModel} model @param {number} now */
  update(model, now) {
    if (model.race !== this.#race) this.#restart(model);
    const rows = racerRows(model, (member) => said(this.app, member));
    this.reactions.update(model);
    setText(this.said, spectatorsSaid(this.app, model));
    this.#rows = rows;
    this.pace?.update(model);
    const { attempt, watching, racing, phase, room, seat } = model;
    const stands = standing(model, now) > 0;
    const own = attempt !== null && (racing || !watching || stands);
    const others = watching && (!own || room.rules.open_boards);
    const { classList, style } = this.element;
    classList.toggle("spectating", others && !own);
    classList.toggle("open", others && own);
    classList.toggle("stale", !model.isCurrent);
    style.setProperty("--many", String(rows.length));
    const fresh = phase === "countdown" ? -1 : raceTime(model, now);
    this.lanes.update(rows, seat, fresh);
    show(this.lanes.element, own || !others);
    show(this.boards.element, others);
    if (others) this.#showOthers(model, own ? rows.filter(({ mine }) => !mine) : rows);
    const waits = others && !own && room.kind === "quick" && model.isPlayer;
    const late = waits && !model.myLane;
    classList.toggle("late", late);
    if (waits && !this.#askedLate) this.#loadLate().catch(() => (this.#askedLate = false));
    this.late?.update(waits, late, room.rules.size);
    // Beside the own board there is no room for them.
    show(this.boards.cameras, others && !own && rows.length > 1);
    show(this.stage, own || phase === "countdown" || !others);
    if (!this.stage.hidden || attempt !== this.#attempt) this.#showBoard(model);
    if (phase === "countdown" && !this.#startAnnounced) {
      this.reader.prepare(solvedBoard(model));
      this.#startAnnounced = true;
      const span = formatSpan(model.remaining(now) ?? 0);
      this.reader.announce(text("race.starts_in", { span }));
    }
    this.#noteWinner(model, now);
    this.#showFinish(model, now);
    if (this.#stood && !stands && others && !isStill())
      this.element.animate([{ opacity: 0 }, { opacity: 1 }], FADE_MS);
    this.#stood = stands;
    this.#updateBar(model, now);
    this.#beat = NaN;
    this.tick(model, now);
  }

  /** Show another race: in a background tab, one may end unseen. @param {RoomModel} model */
  #restart({ race }) {
    this.#race = race;
    this.#place = 0;
    this.#startAnnounced = false;
    this.lanes.restart();
  }

  /** @param {RoomModel} model @param {RacerRow[]} rows */
  #showOthers(model, rows) {
    const { start } = model;
    const solved = solvedBoard(model);
    if (start !== this.#start?.text)
      this.#start = start === null ? null : { text: start, board: parseBoard(start) };
    const first = this.#start?.board ?? null;
    /** @param {RacerRow["lane"]} lane */
    const boardOf = ({ board, status, stm }) => {
      if (board || status === "dns") return board;
      if (status === "finished") return solved;
      return stm === 0 ? first : null;
    };
    this.boards.update(rows, this.lanes.board.truth, boardOf, solved);
  }

  /** Remember who finishes first, and tell a player. @param {RoomModel} model @param {number} now */
  #noteWinner(model, now) {
    const [first] = this.lanes.board.truth;
    const lane = model.lanes.get(first);
    const { race } = model;
    const known = this.#winner?.race === race;
    if (lane?.status !== "finished") {
      if (known) this.#winner = null;
      return;
    }
    const { name, time } = lane;
    if (!known) {
      this.#winner = { race, name, time: time ?? 0, at: now };
      if (model.racing && lane.seat !== model.seat) {
        this.finish.flash();
        setTimeout(() => this.app.onChange(), NEWS_MS);
      }
    } else if (this.#winner) Object.assign(this.#winner, { name, time });
  }

  /** Show the player's solved board with place and time. @param {RoomModel} model @param {number} now */
  #showFinish(model, now) {
    const { attempt } = model;
    const stands = attempt !== null && standing(model, now) > 0;
    if (!attempt || !stands) {
      this.#solved = null;
      this.finish.hide();
      return;
    }
    if (this.#solved !== attempt) {
      this.#solved = attempt;
      this.#fanfare = false;
      this.finish.celebrate(this.board.element, attempt.board.width);
      setTimeout(() => this.app.onChange(), PLATE_MS);
    }
    const { status, place } = model.myLane ?? { status: "racing", place: null };
    if (status === "finished" && place !== null && !this.#fanfare) {
      this.#fanfare = true;
      this.#sound(place === 1 ? "first" : place <= PODIUM ? "podium" : "later");
    }
    const ms = model.clock(now) ?? 0;
    if (now - (attempt.solvedAt ?? now) >= PLATE_MS) {
      this.finish.showPlate(this.#rows, ms, model.isCurrent);
    }
  }

  /**
   * How long the race stays on the screen although another screen is due: the player's
   * finish is seen by everybody.
   * @param {Model} model @param {number} now
   * @returns {number} ms
   */
  stays(model, now) {
    return standing(model, now);
  }

  /** @param {RoomModel} model */
  #showBoard(model) {
    const { attempt } = model;
    const board = attempt?.board ?? solvedBoard(model);
    this.board.update(board);
    this.board.element.classList.toggle("placeholder", !attempt);
    const { style } = this.element;
    style.setProperty("--w", String(board.width));
    style.setProperty("--h", String(board.height));
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
    if (!first) this.#sound(board.isSolved ? "solved" : "slide");
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
    show(this.giveUp, canGiveUp);
    show(this.callTime, isHost && phase === "grace");
    show(this.abort, model.canAbort && phase !== "grace");
    show(this.undo, model.canUndo(now));
    show(this.bar, this.bar.querySelector(":scope > :not([hidden])") !== null);
  }

  /** @param {RoomModel} model @param {number} now */
  tick(model, now) {
    const { attempt, phase, seat } = model;
    const left = model.remaining(now);
    const countdown = phase === "countdown";
    if (this.#stood && standing(model, now) <= 0) this.app.onChange();
    if (!countdown && this.lanes.tick(raceTime(model, now))) this.app.onChange();
    const soon = countdown || model.startsSoon;
    this.overlay.classList.toggle("over", !soon || attempt !== null);
    if (soon) this.#count(model, left);
    const ms = model.clock(now);
    const final = attempt?.solved || (model.myLane?.time ?? null) !== null;
    const shown = ms ?? (countdown ? 0 : null);
    setText(this.clock, shown === null ? "" : formatTime(shown, final ? 3 : 1));
    const beat = Math.floor(now / BEAT_MS);
    if (beat === this.#beat) return;
    this.#beat = beat;
    this.hud.classList.toggle("final", final);
    const many = this.#rows.length;
    this.pace?.tick(model, ms);
    setText(this.counts, attempt ? countsText(attempt, many, ms ?? 0) : "");
    const news = this.#newsText(model, now);
    setText(this.banner, news);
    this.hud.classList.toggle("news", news !== "");
    setText(this.deadline, deadlineText(model, left, now));
    const rank = model.isCurrent ? this.lanes.rankOf(seat) : 0; // 0: nobody knows
    const lost = this.#place > 0 && rank > this.#place && model.racing;
    if (lost && raceTime(model, now) >= QUIET_MS) this.#sound("overtaken");
    this.#showPlace(rank, many);
    if (!this.undo.hidden) this.#updateBar(model, now);
  }

  /** @param {number} place 0: none @param {number} many racers */
  #showPlace(place, many) {
    if (place === this.#place) return;
    this.standing.classList.toggle("wide", many > 9);
    setText(this.place, place && many > 1 ? ordinal(place) : "");
    if (this.#place && place && !isStill())
      this.place.animate([{ opacity: 0.2 }, { opacity: 1 }], BLINK_MS);
    this.#place = place;
  }

  /** What is new, below the clock. @param {RoomModel} model @param {number} now */
  #newsText(model, now) {
    const { myLane, attempt, phase, seat, isPlayer } = model;
    if (phase === "countdown" || model.startsSoon) return "";
    const next = nextRaceText(model, now);
    if (next) return next;
    const winner = this.#winner;
    const racing = attempt !== null && model.racing;
    if (winner && (!racing || now - winner.at < NEWS_MS) && winner.race === model.race) {
      const own = model.lanes.get(this.lanes.board.truth[0])?.seat === seat;
      const name = withoutLevel(winner.name);
      if (!own) return text("race.won", { name, time: formatTime(winner.time) });
    }
    if (racing || attempt?.solved || myLane?.status === "finished") return "";
    if (myLane?.status === "forfeited") return text("race.gave_up");
    if (myLane?.status === "dnf") return text("race.out");
    const leader = model.lanes.get(this.lanes.board.truth[0]);
    if (isPlayer || !leader?.high) return whyWatching(model);
    return text("race.leads", { name: withoutLevel(leader.name) });
  }

  /** @param {RoomModel} model @param {number | null} left ms */
  #count(model, left) {
    const seconds = left === null ? "" : String(Math.max(1, Math.ceil(left / 1000)));
    if (seconds !== this.number.textContent) {
      this.#sound("count");
      if (this.number.textContent) this.reader.announce(""); // the next digit is there
    }
    setText(this.number, seconds);
    const { isPlayer, room, isHost } = model;
    const leftOut = isPlayer && !races(model);
    const takesPart = races(model);
    const why = whyWatching({ leftOut, room });
    setText(this.caption, takesPart ? text("race.get_ready") : why);
    const absent = isHost ? whoWillWatch(model) : "";
    setText(this.hint, absent || (takesPart ? this.#how : ""));
  }

  /** Give the board the focus, unless another control of the race or an open panel has it. */
  #focus() {
    const held = document.activeElement?.closest(".race, .menu[open], .panel, .side-panel");
    if (!held) this.play.focus();
  }

  /** Fetch what somebody does who came late. */
  async #loadLate() {
    this.#askedLate = true;
    const { LateComer } = await import("../parts/late-comer.js");
    this.late = new LateComer(this.app);
    this.element.append(this.late.warmUp.element);
    this.bar.append(this.late.leave);
    this.app.onChange();
  }

  /** Our best attempt races along; loaded while there is time. */
  async #loadPace() {
    const { PaceLane } = await import("../parts/pace-lane.js");
    if (this.pace) return;
    this.pace = new PaceLane(this.app);
    this.bar.prepend(this.pace.element);
  }

  enter() {
    this.#loadPace().catch(() => {}); // a race does not need it
    const keys = keysText(this.app.settings.now);
    setAttribute(this.play, "aria-label", text("race.board", { keys }));
    this.#how = matchMedia(TOUCH).matches ? text("race.touch") : text("race.keys", { keys });
    this.lanes.measure();
    requestAnimationFrame(() => this.#focus()); // during the countdown there is time
    this.#stopPicture = showTilePicture(this.board);
    this.#stopKeys = listenToKeys(
      document,
      (direction) => {
        const { model } = this.app;
        if (model?.racing) this.#slide(direction, "keys");
        else if (!model || standing(model, this.app.now()) <= 0) return false;
        return true; // at the finish the page must not scroll
      },
      () => this.app.settings.now,
    );
  }

  leave() {
    this.#stopPicture();
    this.#stopKeys();
    this.late?.warmUp.leave();
    clearTimeout(this.#announceTimer);
    this.#attempt = undefined;
  }
}

/** Whose board the stream view shows. @param {App} app */
function cameraOf({ location, view }) {
  const pin = new URL(location.href).searchParams.get("pin");
  return pin ?? (view === "stream" ? "leader" : "all");
}

/** When whoever came late can race. @param {RoomModel} model @param {number} now */
function nextRaceText(model, now) {
  const { room, isPlayer, running, myLane } = model;
  const left = model.remaining(now);
  const late = room.kind === "quick" && isPlayer && running && !myLane;
  if (!late || left === null) return "";
  return text("next.within", { span: formatSpan(left + room.rules.every_ms) });
}

/** Whether the player takes part in the race that is about to start. @param {Model} model */
const races = ({ isPlayer, self }) => isPlayer && self?.ready === true;

/**
 * How long the player's solved board still stays, in ms.
 * @param {Model} model @param {number} now
 */
function standing({ attempt }, now) {
  const at = attempt?.solvedAt ?? null;
  return at === null ? 0 : Math.max(0, at + STAND_MS - now);
}

/** ms since the start, also after the player's finish. @param {Model} model @param {number} now */
function raceTime({ attempt, t0 }, now) {
  const begun = attempt && Number.isFinite(attempt.zero) ? attempt.zero : t0;
  return begun === null ? -1 : now - begun;
}

/** @param {Attempt} attempt @param {number} many racers @param {number} ms */
function countsText({ high, stm }, many, ms) {
  const percent = Math.floor(high / 10);
  const tps = ((stm * 1000) / ms).toFixed(1);
  const counts = [
    many > 1 && text("race.percent", { percent }),
    text("count.moves", { count: stm }),
    ms > RATE_MS && text("count.tps", { tps }),
  ];
  return counts.filter(Boolean).join(" "); // one text: nothing in it can shift
}

/** The placeholder for a board that is not shown. @param {RoomModel} model */
function solvedBoard(model) {
  const { width, height } = parseSize(model.room.rules.size);
  return Board.solved(width, height);
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
