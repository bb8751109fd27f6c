// The statistics of a profile, one event at a time: charts, figures, and all attempts.

import { Me, NotDone } from "../../app/profile.js";
import { EngineError, parseSize } from "../../core/engine.js";
import { formatTime } from "../../core/figures.js";
import { formatSize } from "../../core/format.js";
import { DAY_MS, momentText } from "../../core/moments.js";
import { formatMmd, formatTps } from "../../core/proof/summary.js";
import { command } from "../../core/protocol.js";
import { figures, finishedTimes, trend } from "../../core/statistics.js";
import { bestText, figureText } from "../../core/statistics-text.js";
import { text } from "../../core/texts.js";
import { calendarChart } from "../charts/calendar-chart.js";
import { Chart } from "../charts/chart.js";
import { histogramChart } from "../charts/histogram-chart.js";
import { timesChart } from "../charts/times-chart.js";
import { Choice, button } from "../parts/controls.js";
import { ownScreens, pageLink } from "../parts/own-screens.js";
import { fill, h, setText, show } from "../dom.js";

/** @typedef {import("../../core/messages.js").HistoryRow} HistoryRow */
/** @typedef {import("../../core/messages.js").Profile} Profile */

const CHARTED = 500; // attempts that are fetched at once, if there are as many
const LISTED = 50; // attempts that the list shows at first, and adds each time
const FIRST_EVENT = "4x4"; // of a profile without attempts
const ACROSS = 6; // events in one line

export class Statistics {
  /** @type {HistoryRow[]} the latest first */
  #rows = [];
  #more = false; // the server has earlier ones
  #listed = LISTED;
  #event = "";
  /** @type {Profile | null} */
  #profile = null;
  #left = false;

  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.me = new Me(app);
    this.title = h("h1", { tabindex: "-1", text: text("own.statistics") });
    this.status = h("p.soft", { role: "status", text: text("statistics.loading") });
    this.again = button("", text("statistics.again"), () => this.#load());
    this.toProfile = pageLink("button primary", app, "?profile", text("statistics.to_profile"));
    this.events = h("div.events");
    this.totals = h("dl.totals");
    this.times = new Chart(text("statistics.times"), "wide");
    this.spread = new Chart(text("statistics.spread"));
    this.days = new Chart(text("statistics.calendar"), "wide");
    this.figures = h("div.card.figures-card");
    this.list = h("ol.attempts");
    this.loadMore = button("", text("statistics.more"), () => this.#loadMore());
    this.loaded = h("p.soft.small", { role: "status" });
    this.earlier = button("", text("statistics.earlier"), () => this.#loadEarlier());
    const attempts = h(
      "div.card.wide",
      {},
      h("h2", { text: text("statistics.attempts") }),
      this.list,
      this.loadMore,
    );
    this.charts = h(
      "div.charts",
      { hidden: true },
      this.totals,
      h("div.loaded.wide", {}, this.loaded, this.earlier),
      this.times.element,
      this.spread.element,
      this.figures,
      this.days.element,
      attempts,
    );
    this.element = h(
      "section.statistics",
      {},
      h("header", {}, this.title, ownScreens(app, "statistics")),
      this.status,
      h("div.buttons", {}, this.again, this.toProfile),
      this.events,
      this.charts,
    );
    for (const hidden of [this.again, this.toProfile, this.events]) show(hidden, false);
  }

  /** The event in the address; "": none, or it is no size of a board. */
  get #asked() {
    const asked = new URL(this.app.location.href).searchParams.get("statistics") ?? "";
    try {
      parseSize(asked);
      return asked;
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      return "";
    }
  }

  async #load() {
    this.#say(text("statistics.loading"));
    await this.#try(async () => {
      this.#profile = await this.me.open();
      if (!this.#profile) {
        this.#say(text("statistics.guest"));
        show(this.toProfile, true);
        return;
      }
      await this.#showEvent(this.#asked || mostRaced(this.#profile));
    });
  }

  /** Say why something did not work, and offer to try again. @param {() => Promise<void>} work */
  async #try(work) {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof NotDone)) throw error;
      if (this.#left) return;
      this.#say(error.message);
      show(this.again, true);
    }
  }

  /** @param {string} words "": none */
  #say(words) {
    setText(this.status, words);
    show(this.status, words !== "");
    show(this.again, false);
  }

  /** @param {string} event */
  async #showEvent(event) {
    this.#event = event;
    this.#rows = [];
    this.#listed = LISTED;
    if (!(await this.#fetch())) return;
    this.#say("");
    this.#showEvents();
    this.#show();
  }

  /**
   * Fetch the attempts before those that we have.
   * @returns {Promise<boolean>} whether the same event is still shown
   */
  async #fetch() {
    const event = this.#event;
    const enough = this.#rows.length + CHARTED;
    if (!this.me.isOpen) await this.me.open();
    do {
      const before = this.#rows.at(-1)?.race ?? null;
      const answer = await this.me.ask(command.history(event, before));
      if (this.#left || answer.t !== "history" || event !== this.#event) return false;
      this.#rows.push(...answer.rows);
      this.#more = answer.more && answer.rows.length > 0;
    } while (this.#more && this.#rows.length < enough);
    return true;
  }

  /** Show more of the list, and fetch earlier attempts if need be. */
  async #loadMore() {
    this.#listed += LISTED;
    if (this.#listed > this.#rows.length && this.#more) await this.#loadEarlier();
    this.#showList();
  }

  async #loadEarlier() {
    await this.#try(async () => {
      if (await this.#fetch()) this.#show();
    });
  }

  #showEvents() {
    const raced = this.#profile?.bests.map(({ event }) => event) ?? [];
    const events = raced.includes(this.#event) ? raced : [...raced, this.#event];
    const choice = new Choice(
      text("rules.size"),
      events.map((event) => [event, formatSize(event)]),
      (event) => {
        this.app.history.replaceState(null, "", `.?statistics=${encodeURIComponent(event)}`);
        this.#try(() => this.#showEvent(event));
      },
    );
    choice.value = this.#event;
    choice.element.style.setProperty("--across", String(Math.min(events.length, ACROSS)));
    fill(this.events, [choice.element]);
    show(this.events, events.length > 1);
    const now = document.activeElement;
    if (now === document.body) choice.inputs.find((input) => input.checked)?.focus();
  }

  #show() {
    const rows = this.#rows;
    const points = trend(rows);
    const times = finishedTimes(points);
    const today = Math.floor(Date.now() / DAY_MS);
    show(this.charts, true);
    this.#showTotals();
    this.times.update(timesChart(points));
    this.spread.update(histogramChart(times, points.length - times.length));
    this.days.update(calendarChart(rows, today));
    this.#showFigures();
    this.#showList();
  }

  #showTotals() {
    const bests = this.#profile?.bests.find(({ event }) => event === this.#event);
    const { single_ms: best = null, ao5_ms: ao5 = null, ao12_ms: ao12 = null } = bests ?? {};
    const single = h("dd", { text: bestText(best) });
    if (bests?.race)
      fill(single, [
        pageLink("plain-link", this.app, `?replay=${encodeURIComponent(bests.race)}`, bestText(best)),
      ]);
    /** @type {[string, HTMLElement][]} */
    const totals = [
      ["statistics.best", single],
      ["statistics.best_ao5", h("dd", { text: bestText(ao5) })],
      ["statistics.best_ao12", h("dd", { text: bestText(ao12) })],
      ["statistics.finished", h("dd", { text: `${bests?.finished ?? 0} / ${bests?.attempts ?? 0}` })],
    ];
    fill(
      this.totals,
      totals.map(([key, value]) => h("div", {}, h("dt", { text: text(key) }), value)),
    );
  }

  #showFigures() {
    const heads = ["", "figures.recent", "figures.median", "figures.mean"];
    const rows = figures(this.#rows).map(({ name, ...values }) =>
      h(
        "tr",
        {},
        h("th", { scope: "row", text: text(`figures.${name}`) }),
        ...[values.recent, values.median, values.mean].map((value) =>
          h("td", { text: figureText(name, value) }),
        ),
      ),
    );
    const head = heads.map((key) =>
      key ? h("th", { scope: "col", text: text(key) }) : h("td"),
    );
    const title = text("statistics.figures");
    fill(this.figures, [
      h("h2", { text: title }),
      h(
        "table.figures",
        {},
        h("caption.visually-hidden", { text: title }),
        h("thead", {}, h("tr", {}, ...head)),
        h("tbody", {}, ...rows),
      ),
      h("p.soft.small", { text: text("statistics.figures_hint") }),
    ]);
  }

  #showList() {
    const rows = this.#rows;
    const listed = rows.slice(0, this.#listed);
    fill(this.list, listed.map((row) => this.#attempt(row)));
    show(this.loadMore, this.#more || listed.length < rows.length);
    const key = this.#more ? "statistics.loaded_latest" : "statistics.loaded_all";
    setText(this.loaded, text(key, { count: rows.length }));
    show(this.loaded, rows.length > 0);
    show(this.earlier, this.#more);
  }

  /** @param {HistoryRow} row */
  #attempt(row) {
    const { race, status, time_ms: time, started_ms: started, kind, input, counts } = row;
    const finished = status === "finished";
    const when = momentText(started, "full");
    const facts = [
      finished ? unit("column.tps", formatTps(row)) : "",
      unit("column.mmd", formatMmd(row, row.md)),
      text(`room_kind.${kind}`),
      input ? text(`input_kind.${input}`) : "",
      counts ? "" : text("statistics.uncounted"),
    ].filter(Boolean);
    const watch = pageLink("plain-link", this.app, `?replay=${encodeURIComponent(race)}`, when);
    watch.title = text("statistics.watch");
    return h(
      `li.${status}`,
      {},
      h("strong.time", { text: finished ? formatTime(time ?? 0) : text(`status.${status}`) }),
      h("span.when", {}, watch),
      h("span.facts.soft", { text: facts.join(" \u00b7 ") }),
    );
  }

  enter() {
    this.title.focus({ preventScroll: true });
    this.#load();
  }

  leave() {
    this.#left = true;
    this.me.close();
  }

  update() {
    const asked = this.#asked;
    if (this.#profile && asked && asked !== this.#event) this.#try(() => this.#showEvent(asked));
    for (const chart of [this.times, this.spread, this.days]) chart.fit();
  }
}

/** @param {string} key @param {string} figure "": none */
const unit = (key, figure) => (figure ? `${figure} ${text(key)}` : "");

/** The event with the most attempts. @param {Profile} profile */
const mostRaced = ({ bests }) =>
  bests.reduce((most, one) => (one.attempts > most.attempts ? one : most), {
    event: FIRST_EVENT,
    attempts: 0,
  }).event;
