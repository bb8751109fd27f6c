// After the race: who won, by how much, and that it was fair.

import { command } from "../../core/protocol.js";
import { count, formatSize, ordinal } from "../../core/format.js";
import { BoardView } from "../parts/board-view.js";
import { button, confirmButton } from "../parts/controls.js";
import { fill, h, setText, show } from "../dom.js";
import { Signals } from "../parts/solve-signals.js";
import { Solves } from "../parts/solve-downloads.js";
import { Podium, ResultTable, legend } from "../parts/results-table.js";
import { parseBoard } from "../../core/engine.js";
import { text } from "../../core/texts.js";
import { isField } from "../input.js";
import { explainResults, sayFault, sayNonce, whoGoesOn } from "../../core/wording.js";

export class Results {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.title = h("h1", { tabindex: "-1" });
    this.podium = new Podium();
    this.table = new ResultTable();
    this.status = h("p.soft.small", { "aria-live": "polite" });
    this.again = button("primary big", "Rematch", () => this.rematch());
    this.back = button("big", "Back to the room", () => app.goOn());
    this.join = button("primary big", "Play in the next race", () =>
      app.ask(command.role("player")),
    );
    this.leaveButton = confirmButton("quiet", "Leave the room", "Really leave", () =>
      app.leave(command.leave()),
    );
    this.watch = h("a.button", { text: "Watch again", target: "_blank" });
    this.verify = button("", "Verify", () => this.#verify());
    this.solves = new Solves();
    this.board = new BoardView({ kind: "mini" });
    this.verdict = h("p.verdict");
    this.part = h("p.verdict.soft");
    this.check = h("p.verdict", { role: "status" });
    this.notes = h("p.soft.small");
    this.signals = new Signals();
    this.details = h("dl.proof");
    this.summary = h("summary", { text: "How it was made" });
    this.made = h("details", {}, this.summary, this.details);
    this.made.addEventListener("toggle", () => this.#judge());
    const proof = h(
      "div.card.fair",
      {},
      h("div.tray", {}, this.board.element),
      h(
        "div",
        {},
        h("h2", { text: "The board" }),
        this.verdict,
        this.part,
        this.check,
        this.made,
      ),
    );
    const { again, join, back, watch, verify } = this;
    const buttons = h("div.buttons", {}, again, join, back, watch, verify);
    this.element = h(
      "section.after",
      {},
      this.title,
      this.podium.element,
      h("div.main-actions", {}, this.status, buttons),
      h("div.card", {}, this.table.element, this.notes, legend()),
      this.solves.element,
      proof,
      this.signals.element,
      h("div.exits", {}, this.leaveButton),
    );
  }

  rematch() {
    const { model } = this.app;
    if (model.isPlayer && model.online) this.app.again();
  }

  update(model, now) {
    const { results } = model;
    this.tick(model, now);
    this.app.autoReady();
    const ready = model.lingers && model.self?.ready === true;
    show(this.again, model.isPlayer && !ready);
    show(this.back, model.lingers);
    this.back.classList.toggle("primary", ready);
    show(this.join, model.self?.role === "spectator" && this.app.view !== "stream");
    this.again.disabled = this.join.disabled = !model.online;
    this.signals.update(model);
    this.#checked(this.app.check, results);
    if (!results || results === this.shown) return;
    this.shown = results;
    setText(this.title, headline(results.standings, model.me));
    this.podium.update(results.standings);
    const board = parseBoard(results.board);
    this.table.update(results.standings, model.me, board.md);
    setText(this.notes, explainResults(results).join(" "));
    show(this.notes, this.notes.textContent !== "");
    this.watch.href = new URL(`replay/${results.race}`, location.href).href;
    this.board.update(board);
    this.#solves(results, model.kept?.seat ?? null);
    this.#prove(model, results);
  }

  /** What came of the record: one line when it fits, each fault when it does not. */
  #checked(check, results) {
    const wrong = check?.race === results?.race ? (check?.wrong ?? null) : null;
    show(this.check, wrong !== null);
    if (wrong === null || wrong === this.wrong) return;
    this.wrong = wrong;
    const good = wrong.length === 0;
    setText(
      this.check,
      good
        ? "\u2713 The race record holds what this browser was shown and what it sent."
        : wrong.map(sayFault).join(" "),
    );
    this.check.classList.toggle("bad", !good);
    this.check.classList.toggle("good", good);
  }

  /** Splits, downloads and links stand on the record, which comes a moment later. */
  async #solves(results, seat) {
    const text = await this.app.session.recordCheck.text(results);
    if (text === null || this.shown !== results) return;
    const { read } = await import("../../core/proof/reading.js");
    try {
      const { record } = JSON.parse(text);
      read(record);
      const path = results.record.replace(/^\//, "");
      this.solves.update(record, new URL(path, location.href).href, seat);
    } catch {
      // A record that is none: the checks below say so.
    }
  }

  #verify() {
    this.made.open = true;
    this.made.scrollIntoView({ block: "nearest" });
    this.summary.focus({ preventScroll: true });
  }

  /** The record is computed again for those who want to know. */
  #judge() {
    const { model } = this.app;
    if (!this.made.open || !this.unchecked || !model?.kept) return;
    const { checks } = this;
    this.unchecked = false;
    this.app.session.recordCheck.verify(model.results, model.kept).then((found) =>
      fill(
        checks,
        found.map((check) => {
          const name = text(`check.name.${check.name}`);
          const verdict = text(`check.verdict.${check.verdict}`);
          return h("div", { text: `${verdict} \u2014 ${name}: ${check.text}` });
        }),
      ),
    );
  }

  #prove(model, results) {
    const { kept } = model;
    const known = kept?.seedKnown === true;
    const good = model.faults.length === 0;
    const said = known
      ? "The seed was known in advance: no claim of fairness."
      : kept?.late === false
        ? `Checked in this browser: the board follows from the secret that was fixed before the race and from the parts of ${givers(results)}.`
        : "Checked in this browser: the board follows from the secret told now. What was shown before the race is not known here.";
    setText(
      this.verdict,
      good ? `${known ? "" : "\u2713 "}${said}` : model.faults.map(sayFault).join(" "),
    );
    this.verdict.classList.toggle("bad", !good);
    this.verdict.classList.toggle("good", good && !known);
    setText(this.part, model.nonceRemark ? sayNonce(model.nonceRemark) : "");
    show(this.part, model.nonceRemark !== null);
    this.checks = h("dd.checks", { text: "\u2026" });
    this.unchecked = true;
    const facts = [
      ["Race", results.race],
      ["Board", `${formatSize(kept?.size ?? "")} \u2014 ${results.board}`],
      ["Commitment", kept?.commitment ?? ""],
      ["Secret", results.secret ?? "none"],
      ...partsOf(results),
      ["Seed", results.seed],
    ];
    fill(this.details, [
      h("dt", { text: "The record, computed again" }),
      this.checks,
      ...facts.flatMap(([term, text]) => [h("dt", { text: term }), h("dd", { text })]),
    ]);
    this.#judge();
  }

  tick(model, now) {
    const said = whoGoesOn(model, now);
    setText(this.status, said);
    show(this.status, said !== "");
  }

  enter() {
    this.title.focus({ preventScroll: true });
    this.press = (event) => {
      const plain = !event.repeat && !event.ctrlKey && !event.metaKey && !event.altKey;
      if (plain && event.key === "r" && !isField(event.target)) this.rematch();
    };
    document.addEventListener("keydown", this.press);
  }

  leave() {
    document.removeEventListener("keydown", this.press);
  }
}

/** How many took part in the draw. */
const givers = ({ nonces }) =>
  count(nonces.filter(({ nonce }) => nonce !== null).length, "player");

/** What each player gave to the draw, and who was left out. */
const partsOf = ({ nonces, standings }) =>
  nonces.map(({ seat, commitment, nonce }) => {
    const name = standings.find((row) => row.seat === seat)?.name ?? "?";
    const none = commitment === null ? "none" : "left out";
    return [`Part of ${name}`, nonce ?? none];
  });

/** The race in one line. */
function headline(standings, me) {
  const mine = standings.find((row) => row.member === me);
  const first = standings.filter((row) => row.place === 1 && row.status === "finished");
  if (mine?.status === "finished") {
    if (mine.place !== 1) return `You came ${ordinal(mine.place)}`;
    return first.length > 1 ? "A dead heat!" : "You won!";
  }
  if (first.length > 1) return "A dead heat!";
  return first.length ? `${first[0].name} won` : "Nobody finished";
}
