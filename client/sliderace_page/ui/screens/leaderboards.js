// The leaderboards of this server.

import { ProfileSecret } from "../../app/profile.js";
import {
  CHOICES,
  addressOf,
  linesOf,
  pathOf,
  queryOf,
  readLeaderboard,
  sharedNames,
} from "../../core/boards.js";
import { formatTime, ordinal } from "../../core/figures.js";
import { momentText } from "../../core/moments.js";
import { ProtocolError } from "../../core/readers.js";
import { text } from "../../core/texts.js";
import { squares } from "../parts/size-choice.js";
import { ownScreens, pageLink } from "../parts/own-screens.js";
import { Select } from "../parts/select.js";
import { fill, h, setText, show } from "../dom.js";

/** @typedef {import("../../core/boards.js").BoardRow} BoardRow */
/** @typedef {import("../../core/boards.js").LeaderboardAnswer} LeaderboardAnswer */
/** @typedef {import("../../core/boards.js").Query} Query */

const HEADS = ["column.place", "column.name", "column.time", "leaderboards.input", "leaderboards.race"];

export class Leaderboards {
  /** The address of the leaderboard that is shown or being fetched. */
  #shown = "";

  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.secret = new ProfileSecret(app.seats.lasting, app.socketUrl);
    this.title = h("h1", { tabindex: "-1", text: text("own.leaderboards") });
    const named = (/** @type {"kind" | "input" | "span"} */ name) =>
      new Select(
        text(`leaderboards.${name}`),
        CHOICES[name].map((value) => [value, text(`leaderboards.${name}_${value || "any"}`)]),
        () => this.#choose(),
      );
    this.selects = {
      event: new Select(text("rules.size"), squares(), () => this.#choose()),
      kind: named("kind"),
      input: named("input"),
      span: named("span"),
    };
    this.status = h("p.soft", { role: "status" });
    this.body = h("tbody");
    this.table = h(
      "table.places",
      {},
      h("caption.visually-hidden", { text: text("own.leaderboards") }),
      h("thead", {}, h("tr", {}, ...HEADS.map((key) => h("th", { scope: "col", text: text(key) })))),
      this.body,
    );
    this.claims = h("div.claims");
    this.element = h(
      "section.leaderboards",
      {},
      h("header", {}, this.title, ownScreens(app, "leaderboards")),
      h("div.filters", {}, ...Object.values(this.selects).map(({ element }) => element)),
      h("div.card", {}, this.status, this.table),
      this.claims,
    );
  }

  /** What the address names, or else the size that the player races on. */
  get #query() {
    const { searchParams } = new URL(this.app.location.href);
    if (!searchParams.has("event")) searchParams.set("event", this.app.settings.now.event);
    return queryOf(searchParams);
  }

  #choose() {
    const { event, kind, input, span } = this.selects;
    const chosen = { event: event.value, kind: kind.value, input: input.value, span: span.value };
    const possible = queryOf(new URLSearchParams(addressOf(chosen)));
    this.app.history.replaceState(null, "", `.?leaderboards&${addressOf(possible)}`);
    this.#load();
  }

  /** Fetch the leaderboard that the address names, once. */
  async #load() {
    const query = this.#query;
    const address = addressOf(query);
    if (address === this.#shown) return;
    this.#shown = address;
    for (const [name, select] of Object.entries(this.selects))
      select.show(query[/** @type {keyof Query} */ (name)], query.event);
    this.#say(text("leaderboards.loading"));
    const daily = query.span === "daily";
    fill(this.claims, claims(daily ? ["any", "daily"] : ["any"]));
    const found = await this.app.get(pathOf(query), (answer) => answer.json(), this.secret.value);
    if (this.#shown !== address) return;
    try {
      if (found.unknown) this.#say(text("leaderboards.none_here"));
      else if (found.failed) this.#fail();
      else this.#show(query, readLeaderboard(found));
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.#fail();
    }
  }

  #fail() {
    this.#shown = ""; // the next look tries again
    this.#say(text("frame.try_again"));
  }

  /** @param {string} words instead of a table */
  #say(words) {
    setText(this.status, words);
    show(this.table, false);
  }

  /** @param {Query} query @param {LeaderboardAnswer} answer */
  #show(query, answer) {
    const lines = linesOf(answer);
    if (!lines.length) {
      this.#say(text("leaderboards.empty"));
      return;
    }
    const shared = sharedNames(lines.filter((line) => line !== null));
    const own = answer.around.find(({ profile }) => profile === answer.own);
    const count = answer.total;
    setText(
      this.status,
      own
        ? text("leaderboards.total_own", { count, place: ordinal(own.place) })
        : text("leaderboards.total", { count }),
    );
    fill(
      this.body,
      lines.map((line) => (line ? this.#row(line, shared, answer.own, query) : gap())),
    );
    show(this.table, true);
  }

  /** @param {BoardRow} row @param {Set<string>} shared @param {string} own @param {Query} query */
  #row({ place, profile, name, value_ms: value, race, started_ms: started, input }, shared, own, query) {
    const mine = profile === own;
    const when = pageLink("plain-link", this.app, `?replay=${encodeURIComponent(race)}`, momentText(started, "day"));
    when.title = text(query.kind === "single" ? "statistics.watch" : "leaderboards.watch_last");
    return h(
      mine ? "tr.mine" : "tr",
      {},
      h("td.place", { text: String(place) }),
      h(
        "td.name",
        {},
        h("span", { text: `${name} ` }), // the space is heard, not seen
        shared.has(name) ? h("small.id", { text: profile }) : null,
        mine ? h("span.badge.you", { text: text("member.you") }) : null,
      ),
      h("td.time", { text: formatTime(value) }),
      h("td.input", { text: input ? text(`input_kind.${input}`) : "" }),
      h("td.when", {}, when),
    );
  }

  enter() {
    this.title.focus({ preventScroll: true });
    this.#load();
  }

  leave() {
    this.#shown = "";
  }

  update() {
    this.#load();
  }
}

/** What is proved, and what is not. @param {("any" | "daily")[]} kinds of leaderboards */
const claims = (kinds) =>
  kinds.flatMap((kind) =>
    [`board.proved.${kind}`, `board.not_proved.${kind}`].map((key) =>
      h("p.soft.small", { text: text(key) }),
    ),
  );

/** Between the best and our own line. */
const gap = () => h("tr.gap", {}, h("td", { colspan: HEADS.length, text: "\u22ee" }));
