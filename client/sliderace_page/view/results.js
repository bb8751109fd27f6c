// After the race: who won, by how much, and that it was fair.

import { command } from "../protocol.js";
import { formatSize, ordinal } from "../text.js";
import { BoardView } from "./board.js";
import { button, doubtful } from "./controls.js";
import { fill, h, setText, show } from "./dom.js";
import { Podium, ResultTable } from "./table.js";
import { parseBoard } from "../engine.js";

export class Results {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.title = h("h1", { tabindex: "-1" });
    this.podium = new Podium();
    this.table = new ResultTable();
    this.status = h("p.soft.small", { "aria-live": "polite" });
    this.again = button("primary big", "Rematch", () => this.rematch());
    this.leaveButton = doubtful("quiet", "Leave the room", "Really leave", () =>
      app.leave(command.leave()),
    );
    this.record = h("a.button", { text: "Race record", download: true });
    this.board = new BoardView({ kind: "mini" });
    this.verdict = h("p.verdict");
    this.details = h("dl.proof");
    const proof = h(
      "div.card.fair",
      {},
      h("div.tray", {}, this.board.element),
      h(
        "div",
        {},
        h("h2", { text: "The board" }),
        this.verdict,
        h("details", {}, h("summary", { text: "How it was made" }), this.details),
      ),
    );
    this.element = h(
      "section.after",
      {},
      this.title,
      this.podium.element,
      h("div.go", {}, this.status, h("div.buttons", {}, this.again, this.record)),
      h("div.card", {}, this.table.element),
      proof,
      h("div.exits", {}, this.leaveButton),
    );
  }

  rematch() {
    const { model } = this.app;
    if (model.phase === "results" && model.isPlayer)
      this.app.ask(command.rematch(model.race));
  }

  update(model, now) {
    const { results } = model;
    this.tick(model, now);
    show(this.again, model.isPlayer);
    if (!results || results === this.shown) return;
    this.shown = results;
    setText(this.title, headline(results.standings, model.me));
    this.podium.update(results.standings);
    this.table.update(results.standings, model.me);
    this.record.href = new URL(results.record.replace(/^\//, ""), location.href).href;
    this.board.update(parseBoard(results.board));
    this.#prove(model, results);
  }

  #prove(model, results) {
    const known = model.promises.get(results.race)?.seedKnown === true;
    const good = model.faults.length === 0;
    const said = known
      ? "The seed was known in advance: no claim of fairness."
      : "Checked in this browser: the board follows from the secret that was fixed before the race.";
    setText(
      this.verdict,
      good ? `${known ? "" : "\u2713 "}${said}` : model.faults.join(" "),
    );
    this.verdict.classList.toggle("bad", !good);
    this.verdict.classList.toggle("good", good && !known);
    const promise = model.promises.get(results.race);
    const signature = h("dd.signature", { text: "\u2026" });
    this.app.judgeRecord(results, promise).then((text) => setText(signature, text));
    const facts = [
      ["Race", results.race],
      ["Board", `${formatSize(promise?.size ?? "")} \u2014 ${results.board}`],
      ["Commitment", promise?.commitment ?? ""],
      ["Secret", results.secret ?? "none"],
      ["Seed", results.seed],
    ];
    fill(this.details, [
      ...facts.flatMap(([term, text]) => [h("dt", { text: term }), h("dd", { text })]),
      h("dt", { text: "Signature of the record" }),
      signature,
    ]);
  }

  tick(model, now) {
    const left = model.remaining(now);
    setText(
      this.status,
      left === null ? "" : `Back to the lobby in ${Math.ceil(left / 1000)} s`,
    );
    show(this.status, left !== null && left < 60000);
  }

  enter() {
    this.title.focus({ preventScroll: true });
  }

  leave() {}
}

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
