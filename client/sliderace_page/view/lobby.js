// The lobby: the code to share, who is here, and what will be raced.

import { count } from "../text.js";
import { waitsFor } from "../phrases.js";
import { command } from "../protocol.js";
import { button, doubtful } from "./controls.js";
import { Listing, fill, h, setAttribute, setText, show } from "./dom.js";
import { Lag, badge } from "./lanes.js";
import { RulesCard } from "./rules.js";
import { Invitation } from "./share.js";
import { ResultTable } from "./table.js";

/** One person in the room. */
class MemberRow {
  constructor(lobby) {
    this.lobby = lobby;
    this.name = h("span.name");
    this.lag = new Lag();
    this.marks = h("span.marks");
    this.ready = h("span.ready");
    this.menu = h("details.menu", {}, h("summary", { text: "\u22ef" }));
    this.actions = h("div.actions");
    this.menu.append(this.actions);
    this.menu.addEventListener("keydown", ({ key }) => {
      if (key === "Escape") this.menu.open = false;
    });
    this.menu.addEventListener("focusout", ({ relatedTarget }) => {
      if (relatedTarget && !this.menu.contains(relatedTarget)) this.menu.open = false;
    });
    const who = h("span.who", {}, this.name, this.lag.element, this.marks);
    this.element = h("li.member", {}, who, this.ready, this.menu);
  }

  update(member, model) {
    const { host, me, isHost } = {
      host: model.room.host,
      me: model.me,
      isHost: model.isHost,
    };
    const plays = member.role === "player" && !member.benched;
    setText(this.name, member.name);
    this.lag.update(model.lines.get(member.id));
    const key = JSON.stringify([member, host === member.id, me === member.id, isHost]);
    if (key === this.key) return;
    this.key = key;
    fill(this.marks, [
      member.id === me ? badge("you", "", "you") : null,
      member.id === host ? badge("host", "\u265b", "host") : null,
      member.bot ? badge("bot", "\u2699", "bot") : null,
      member.benched ? badge("bench", "", "sits out") : null,
      member.connected ? null : badge("lost", "\u26a1", "reconnecting"),
    ]);
    setText(
      this.ready,
      !plays ? "" : member.ready ? "\u2713 ready" : "\u00b7 not ready",
    );
    this.element.classList.toggle("is-ready", plays && member.ready);
    this.element.classList.toggle("away", !member.connected);
    this.#menu(member, isHost && member.id !== me);
  }

  #menu(member, mayAct) {
    show(this.menu, mayAct);
    if (!mayAct) return;
    setAttribute(this.menu.firstChild, "aria-label", `Options for ${member.name}`);
    const { ask } = this.lobby;
    const act = (text, message) => {
      const close = () => {
        this.menu.open = false;
        ask(message);
      };
      return button("row", text, close);
    };
    const player = member.role === "player";
    fill(this.actions, [
      player && !member.bot ? act("Make host", command.handOver(member.id)) : null,
      player && !member.benched ? act("Sit out", command.bench(member.id, true)) : null,
      player && member.benched
        ? act("Let play", command.bench(member.id, false))
        : null,
      doubtful("row", "Remove", "Really remove", () => ask(command.kick(member.id))),
    ]);
  }
}

export class Lobby {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.ask = (message) => app.ask(message);
    this.invitation = new Invitation(app);
    this.rules = new RulesCard(this.ask, () => setAttribute(this.start, "disabled", true));
    this.list = h("ul.members");
    this.members = new Listing(
      this.list,
      (member) => member.id,
      () => new MemberRow(this),
    );
    this.watchers = h("ul.members.watchers");
    this.spectators = new Listing(
      this.watchers,
      (one) => one.id,
      () => new MemberRow(this),
    );
    this.playersTitle = h("h2");
    this.watchersTitle = h("h3", { text: "Watching" });
    this.empty = h("p.soft.small");
    this.ready = button("primary big", "", () => this.#ready());
    this.start = button("primary big", "Start the race", () => this.#start());
    this.status = h("p.soft.small", { "aria-live": "polite" });
    this.role = button("quiet", "", () => this.#role());
    this.lastTitle = h("h2", { text: "Last race" });
    this.last = new ResultTable();
    this.lastCard = h("div.card.last", {}, this.lastTitle, this.last.element);
    this.leaveButton = doubtful("quiet", "Leave the room", "Really leave", () =>
      app.leave(command.leave()),
    );
    this.closeButton = doubtful(
      "quiet",
      "Close the room",
      "Close it for everybody",
      () => app.leave(command.close()),
    );
    const players = h(
      "div.card.players",
      {},
      this.playersTitle,
      this.list,
      this.empty,
      this.watchersTitle,
      this.watchers,
      this.role,
    );
    const buttons = h("div.buttons", {}, this.start, this.ready);
    const go = h("div.go.dock", {}, this.status, buttons);
    this.element = h(
      "section.lobby",
      {},
      h("div.stack", {}, this.invitation.element, this.rules.element),
      h("div.stack", {}, players, go, this.lastCard),
      h("div.exits", {}, this.leaveButton, this.closeButton),
    );
  }

  #ready() {
    const { model } = this.app;
    this.ask(command.ready(model.race, !model.self?.ready));
  }

  #start() {
    this.ask(command.start(this.app.model.race));
  }

  #role() {
    const { model } = this.app;
    const { self } = model;
    if (self?.benched) this.ask(command.bench(model.me, false));
    else this.ask(command.role(self?.role === "player" ? "spectator" : "player"));
  }

  update(model, now) {
    const { players, room, self } = model;
    const watchers = [...model.members.values()].filter(
      (one) => one.role === "spectator",
    );
    this.invitation.update(room);
    this.rules.update(model, this.app.refusals);
    setText(this.playersTitle, count(players.length, "player"));
    this.list.classList.toggle("with-menus", model.isHost);
    this.members.update(players, model);
    this.spectators.update(watchers, model);
    show(this.watchersTitle, watchers.length > 0);
    show(this.watchers, watchers.length > 0);
    setText(
      this.empty,
      players.length > 1 ? "" : "Share the code or the link to get company.",
    );
    show(this.empty, players.length < 2);
    this.#buttons(model, self);
    this.tick(model, now);
    show(this.lastCard, model.results !== null);
    if (model.results) this.last.update(model.results.standings, model.me);
    show(this.closeButton, model.isHost);
  }

  #buttons(model, self) {
    const plays = model.isPlayer;
    const ready = self?.ready === true;
    show(this.ready, plays);
    setText(this.ready, ready ? "Not ready after all" : "I\u2019m ready");
    setAttribute(this.ready, "aria-pressed", String(ready));
    const host = model.isHost && model.room.rules.start !== "every";
    show(this.start, host);
    setAttribute(this.start, "disabled", !model.canStart || this.rules.pending);
    this.ready.classList.toggle("primary", !ready && !host);
    this.ready.classList.toggle("big", !host);
    setText(
      this.role,
      self?.benched ? "Play again" : plays ? "Watch instead" : "Play too",
    );
  }

  tick(model, now) {
    setText(this.status, waitsFor(model, now));
  }

  enter() {}

  leave() {}
}
