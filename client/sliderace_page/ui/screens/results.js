// After the race: results, and the proof that it was fair.

import { command } from "../../core/protocol.js";
import { ordinal } from "../../core/figures.js";
import { formatSize } from "../../core/format.js";
import { BoardView } from "../parts/board-view.js";
import { confirmButton } from "../parts/confirm-button.js";
import { button } from "../parts/controls.js";
import { fill, h, setText, show } from "../dom.js";
import { GainsCard } from "../parts/gains.js";
import { RaceGraph } from "../parts/race-graph.js";
import { FADE_MS, STAND_MS } from "../parts/finish.js";
import { SolveSignals } from "../parts/solve-signals.js";
import { SolveDownloads } from "../parts/solve-downloads.js";
import { SeriesCard } from "../parts/series.js";
import { Reactions, said, showSaid } from "../parts/reactions.js";
import { Podium, ResultTable, columnLegend } from "../parts/results-table.js";
import { parseBoard } from "../../core/engine.js";
import { wonText } from "../../core/series-text.js";
import { text } from "../../core/texts.js";
import { directionOfKey, isField } from "../input.js";
import { checkText, explainResults, faultText, nextRaceStatus, nonceText } from "../../core/wording.js";

/** @typedef {import("../../core/fairness.js").Fault} Fault */
/** @typedef {import("../../core/messages.js").Results} RaceResults */

const CALM_MS = 1000; // for a player who was still sliding when the race ended

export class Results {
  /** @type {RaceResults | null} */
  #shown = null;
  /** The shown faults of the record. @type {Fault[] | null} */
  #wrong = null;
  #keysFrom = 0; // when keys count again
  /** Whether the record is still to be verified when the proof is opened. */
  #unverified = false;

  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.title = h("h1", { tabindex: "-1" });
    this.podium = new Podium();
    this.graph = new RaceGraph();
    this.table = new ResultTable();
    this.status = h("p.soft.small", { "aria-live": "polite" });
    this.rematch = button("primary big", text("results.rematch"), () => this.#rematch());
    this.back = button("big", text("results.back"), () => app.closeResults());
    this.play = button("primary big", text("results.play"), () =>
      app.send(command.role("player")),
    );
    const leaveButton = confirmButton(
      "quiet",
      text("room.leave"),
      text("room.leave_sure"),
      () => app.leave(command.leave()),
    );
    this.exits = h("div.exits", {}, leaveButton);
    this.replay = h("a.button", { text: text("results.replay"), target: "_blank" });
    const verify = button("", text("results.verify"), () => this.#openProof());
    this.downloads = new SolveDownloads();
    this.board = new BoardView({ kind: "mini" });
    this.verdict = h("p.verdict");
    this.ownNonce = h("p.verdict.soft");
    this.recordVerdict = h("p.verdict", { role: "status" });
    this.notes = h("p.soft.small");
    this.signals = new SolveSignals();
    this.series = new SeriesCard();
    this.gains = new GainsCard(app);
    this.facts = h("dl.proof");
    this.checks = h("dd.checks");
    this.proofSummary = h("summary", { text: text("proof.how") });
    this.proof = h("details", {}, this.proofSummary, this.facts);
    this.proof.addEventListener("toggle", () => this.#verifyRecord());
    const fairness = h(
      "div.card.fairness",
      {},
      h("div.tray", {}, this.board.element),
      h(
        "div",
        {},
        h("h2", { text: text("proof.title") }),
        this.verdict,
        this.ownNonce,
        this.recordVerdict,
        this.proof,
      ),
    );
    this.exit = button("", text("room.leave"), () => app.leave(command.leave()));
    this.daily = button("primary big", text("daily.back"), () =>
      app.leave(command.leave(), ".?daily"),
    );
    const { rematch, play, back, replay, exit, daily } = this;
    this.reactions = new Reactions(app);
    const buttons = h("div.buttons", {}, daily, rematch, play, back, replay, verify, exit, this.reactions.element);
    this.element = h(
      "section.results-screen",
      {},
      this.title,
      h(
        "div.outcome",
        {},
        this.podium.element,
        this.gains.element,
        h("div.main-actions", {}, this.status, buttons),
      ),
      this.graph.element,
      h("div.card", {}, this.table.element, this.notes, columnLegend()),
      this.series.element,
      this.downloads.element,
      fairness,
      this.signals.element,
      this.exits,
    );
  }

  #rematch() {
    const { model } = this.app;
    if (model?.isPlayer && model.online && model.room?.kind === "room") this.app.playAgain();
  }

  /** @param {Model} model @param {number} now */
  update(model, now) {
    const { results } = model;
    this.tick(model, now);
    this.reactions.update(model);
    for (const [member, name] of this.table.names) showSaid(name, said(this.app, member));
    this.graph.fit();
    this.app.autoReady();
    const ready = model.inOldResults && model.self?.ready === true;
    const kind = model.room?.kind;
    show(this.rematch, model.isPlayer && !ready && kind === "room");
    show(this.daily, kind === "daily");
    show(this.exit, kind === "quick");
    show(this.exits, kind === "room");
    show(this.back, model.inOldResults);
    this.back.classList.toggle("primary", ready);
    show(this.play, model.self?.role === "spectator" && this.app.view !== "stream");
    this.rematch.disabled = this.play.disabled = !model.online;
    this.signals.update(model);
    this.series.update(model);
    if (kind === "daily") show(this.series.element, false); // it is one race
    this.gains.update(model);
    if (!results) return;
    this.podium.update(results.standings, model.series);
    const won = model.series && wonText(model.series);
    setText(this.title, won || headline(results.standings, model.me));
    this.#showRecordVerdict(results);
    if (results === this.#shown) return;
    this.#shown = results;
    const several = results.standings.length > 1;
    this.element.classList.toggle("several", several);
    if (several) this.graph.reserve();
    const board = parseBoard(results.board);
    this.table.update(results.standings, model.me, board.md);
    setText(this.notes, explainResults(results, model.lateMs).join(" "));
    show(this.notes, this.notes.textContent !== "");
    this.replay.href = new URL(`replay/${results.race}`, location.href).href;
    this.board.update(board);
    this.#showDownloads(results, model.kept?.seat ?? null);
    this.#showProof(model, results);
  }

  /** Say whether the race record matches, or everything that is wrong with it.
   * @param {RaceResults} results */
  #showRecordVerdict(results) {
    const { check } = this.app;
    const wrong = check?.race === results.race ? check.wrong : null;
    show(this.recordVerdict, wrong !== null);
    if (wrong === null || wrong === this.#wrong) return;
    this.#wrong = wrong;
    const good = wrong.length === 0;
    setText(
      this.recordVerdict,
      good ? text("proof.record_matches") : wrong.map(faultText).join(" "),
    );
    this.recordVerdict.classList.toggle("bad", !good);
    this.recordVerdict.classList.toggle("good", good);
  }

  /**
   * Show splits and downloads, which need the race record: it arrives a moment later.
   * @param {RaceResults} results @param {number | null} seat
   */
  async #showDownloads(results, seat) {
    const file = (await this.app.session?.recordCheck.text(results)) ?? null;
    if (this.#shown !== results) return;
    if (file === null) {
      this.graph.hide();
      return;
    }
    const [{ read }, { curvesOf }] = await Promise.all([
      import("../../core/proof/reading.js"),
      import("../../core/race-story.js"),
    ]);
    try {
      const record = read(JSON.parse(file).record);
      if (results.standings.length > 1) this.graph.update(curvesOf(record), seat);
      const path = results.record.replace(/^\//, "");
      this.downloads.update(record, new URL(path, location.href).href, seat);
    } catch {
      this.graph.hide(); // the file is no record, which the checks report
    }
  }

  #openProof() {
    this.proof.open = true;
    this.proof.scrollIntoView({ block: "nearest" });
    this.proofSummary.focus({ preventScroll: true });
  }

  /** Verify the race record, once, when the proof is open. */
  async #verifyRecord() {
    const { model, session } = this.app;
    if (!this.proof.open || !this.#unverified) return;
    if (!session || !model?.kept || !model.results) return;
    const { checks } = this;
    this.#unverified = false;
    const found = await session.recordCheck.verify(model.results, model.kept);
    fill(checks, found.map((check) => h("div", { text: checkText(check) })));
  }

  /** @param {Model} model @param {RaceResults} results */
  #showProof({ kept, faults, nonceRemark, room }, results) {
    const seedKnown = kept?.seedKnown === true;
    const good = faults.length === 0;
    setText(
      this.verdict,
      good ? verdictText(kept, results, room?.kind) : faults.map(faultText).join(" "),
    );
    this.verdict.classList.toggle("bad", !good);
    this.verdict.classList.toggle("good", good && !seedKnown);
    setText(this.ownNonce, nonceRemark ? nonceText(nonceRemark) : "");
    show(this.ownNonce, nonceRemark !== null);
    this.checks = h("dd.checks", { text: "\u2026" });
    this.#unverified = true;
    const facts = [
      [text("proof.race"), results.race],
      [text("proof.board"), `${formatSize(kept?.size ?? "")} \u2014 ${results.board}`],
      [text("proof.commitment"), kept?.commitment ?? ""],
      [text("proof.secret"), results.secret ?? text("proof.none")],
      ...nonceFacts(results),
      [text("proof.seed"), results.seed],
    ];
    fill(this.facts, [
      h("dt", { text: text("proof.checks") }),
      this.checks,
      ...facts.flatMap(([term, fact]) => [
        h("dt", { text: term }),
        h("dd", { text: fact }),
      ]),
    ]);
    this.#verifyRecord();
  }

  /** @param {Model} model @param {number} now */
  tick(model, now) {
    const status = nextRaceStatus(model, now);
    setText(this.status, status);
    show(this.status, status !== "");
  }

  /** @param {KeyboardEvent} event */
  #onKey = (event) => {
    const plain = !event.repeat && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (this.app.now() < this.#keysFrom) {
      // The last presses were meant for the board: they neither scroll nor rematch.
      if (directionOfKey(event, this.app.settings.now) || event.key === " ")
        event.preventDefault();
      return;
    }
    if (plain && event.key === "r" && !isField(event.target)) this.#rematch();
  };

  enter() {
    const { app } = this;
    const solvedAt = app.model?.attempt?.solvedAt ?? null;
    this.#keysFrom =
      solvedAt === null ? app.now() + CALM_MS : solvedAt + STAND_MS + FADE_MS;
    const left = Math.max(0, this.#keysFrom - app.now());
    this.element.classList.add("fresh");
    setTimeout(() => this.element.classList.remove("fresh"), left);
    this.title.focus({ preventScroll: true });
    document.addEventListener("keydown", this.#onKey);
  }

  leave() {
    document.removeEventListener("keydown", this.#onKey);
  }
}

/**
 * Say which checks passed.
 * @param {Kept | null} kept @param {RaceResults} results @param {string | undefined} kind
 */
function verdictText(kept, { nonces }, kind) {
  if (kind === "daily") return text("board.proved.daily");
  if (kept?.seedKnown) return text("proof.seed_known");
  if (kept?.late !== false) return text("proof.holds_late");
  const count = nonces.filter(({ nonce }) => nonce !== null).length;
  return text("proof.holds", { count });
}

/** Each player's nonce, or why there is none. @param {RaceResults} results */
const nonceFacts = ({ nonces, standings }) =>
  nonces.map(({ seat, commitment, nonce }) => {
    const name = standings.find((row) => row.seat === seat)?.name ?? "?";
    const missing = commitment === null ? "proof.none" : "proof.left_out";
    return [text("proof.nonce_of", { name }), nonce ?? text(missing)];
  });

/** The outcome in one line. @param {Standing[]} standings @param {number | null} me */
function headline(standings, me) {
  const mine = standings.find((row) => row.member === me);
  const first = standings.filter((row) => row.place === 1 && row.status === "finished");
  if (mine?.status === "finished" && mine.place !== 1)
    return text("results.you_came", { place: ordinal(mine.place ?? 0) });
  if (first.length > 1) return text("results.dead_heat");
  if (mine?.status === "finished")
    return text(standings.length > 1 ? "results.you_won" : "board.solved");
  if (first.length) return text("results.won", { name: first[0].name });
  return text("results.nobody");
}
