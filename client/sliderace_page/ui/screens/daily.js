// The daily boards: three of them, the same for everybody, and one attempt at each.

import { placeToday, today } from "../../app/daily-results.js";
import { Me, NotDone, keepStreak } from "../../app/profile.js";
import { EVENTS, attemptOf, describeBoard, nextBoardsText } from "../../core/daily-boards.js";
import { formatSize } from "../../core/format.js";
import { command } from "../../core/protocol.js";
import { text } from "../../core/texts.js";
import { NameField, Problem, button } from "../parts/controls.js";
import { h, setText, show } from "../dom.js";
import { pageLink } from "../parts/own-screens.js";

/** @typedef {import("../../core/daily-boards.js").Event} Event */

/** One board of today. */
class BoardCard {
  /** @param {App} app @param {Event} event @param {() => string} name */
  constructor(app, event, name) {
    this.event = event;
    this.words = h("p.soft", { role: "status" });
    this.race = button("primary big", text("daily.race"), () => 
      app.enterAs({ as: "daily", event, name: name() }),
    );
    const query = `?leaderboards&event=${event}&span=daily`;
    this.board = pageLink("button quiet", app, query, text("daily.leaderboard"));
    this.element = h(
      "li.card.daily-board",
      {},
      h("h2", { text: formatSize(event) }),
      this.words,
      this.race,
      this.board,
    );
    setText(this.words, "\u2026");
    this.race.disabled = true;
  }

  /** @param {ReturnType<typeof describeBoard>} board @param {boolean} may race */
  update({ state, words }, may) {
    setText(this.words, words);
    this.element.dataset.state = state;
    show(this.race, state !== "done");
    this.race.disabled = !may;
    setText(this.race, text(state === "running" ? "daily.continue" : "daily.race"));
  }
}

export class DailyScreen {
  /** @type {Me | null} */
  #me = null;
  #left = false;

  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.title = h("h1", { text: text("daily.title"), tabindex: "-1" });
    this.when = h("p.soft");
    this.streak = h("p.streak");
    this.problem = new Problem();
    this.name = new NameField(app.seats.name);
    const keep = h("button.button.primary.big", { type: "submit", text: text("daily.keep") });
    this.guest = h(
      "form.card.daily-guest",
      { hidden: true, on: { submit: (/** @type {SubmitEvent} */ event) => this.#keep(event) } },
      h("h2", { text: text("daily.guest") }),
      h("p.soft", { text: text("daily.guest_hint") }),
      this.name.element,
      keep,
    );
    this.cards = EVENTS.map((event) => new BoardCard(app, event, () => this.name.value));
    this.element = h(
      "section.daily",
      {},
      h(
        "header",
        {},
        this.title,
        h("p.lead", { text: text("daily.lead") }),
        h("div.daily-facts", {}, this.when, this.streak),
      ),
      this.problem.element,
      this.guest,
      h("ul.daily-boards", {}, ...this.cards.map(({ element }) => element)),
      button("quiet", text("frame.home"), () => app.visit(null)),
    );
  }

  enter() {
    this.#load();
  }

  leave() {
    this.#left = true;
    this.#me?.close();
  }

  update() {
    if (this.app.problem) this.problem.update(this.app.problem);
  }

  async #load() {
    const { app } = this;
    this.#me?.close();
    const me = new Me(app);
    this.#me = me;
    try {
      const profile = await me.open();
      const secret = profile ? me.secret : null;
      const found = await today(app, secret);
      if (this.#left || me !== this.#me) return;
      show(this.guest, !profile);
      if (!found) throw new NotDone(text("frame.try_again"));
      setText(this.when, nextBoardsText(found.endsMs));
      keepStreak(app.seats, found.streak, found.begun.length > 0);
      setText(this.streak, found.streak ? text("gains.streak", { count: found.streak }) : "");
      await Promise.all(this.cards.map((card) => this.#show(card, me, secret, found)));
    } catch (error) {
      if (!(error instanceof NotDone)) throw error;
      if (!this.#left && me === this.#me) this.problem.update(error.message);
    }
  }

  /**
   * @param {BoardCard} card @param {Me} me @param {string | null} secret
   * @param {import("../../core/daily-boards.js").Today} found
   */
  async #show(card, me, secret, found) {
    const { event } = card;
    const begun = found.begun.includes(event);
    card.update(describeBoard(begun, null, null), secret !== null);
    if (!begun) return;
    const [answer, place] = await Promise.all([
      me.ask(command.history(event)),
      placeToday(this.app, event, secret),
    ]);
    const attempt = answer.t === "history" ? attemptOf(answer.rows, found.date) : null;
    card.update(describeBoard(begun, attempt, place), true);
  }

  /** @param {SubmitEvent} event */
  async #keep(event) {
    event.preventDefault();
    this.problem.update("");
    try {
      await this.#me?.keep(this.name.value);
      this.app.seats.name = this.name.value;
      this.title.focus({ preventScroll: true });
      await this.#load();
    } catch (error) {
      if (!(error instanceof NotDone)) throw error;
      this.problem.update(error.message);
    }
  }
}
