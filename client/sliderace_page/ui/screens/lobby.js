// The lobby: the code to share, who is here, and what will be raced.

import { parseBoard } from "../../core/engine.js";
import { count } from "../../core/format.js";
import { waitsFor } from "../../core/wording.js";
import { command } from "../../core/protocol.js";
import { Switch, button, confirmButton } from "../parts/controls.js";
import { Listing, h, setAttribute, setText, show } from "../dom.js";
import { MemberRow } from "../parts/members.js";
import { RulesCard } from "../parts/rules.js";
import { Invitation } from "../parts/invitation.js";
import { ResultTable } from "../parts/results-table.js";
import { WarmUp } from "../parts/warmup.js";

export class Lobby {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.ask = (message) => app.ask(message);
    this.invitation = new Invitation(app);
    this.rules = new RulesCard(this.ask, () =>
      setAttribute(this.start, "disabled", true),
    );
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
    this.always = new Switch("Always ready", "For each race, by itself", (on) =>
      app.settings.set({ ready: on }),
    );
    this.always.value = app.settings.now.ready;
    this.warmUp = new WarmUp(app);
    this.sitOut = button("quiet", "Sit out", () =>
      this.ask(command.bench(app.model.me, true)),
    );
    this.role = button("quiet", "", () => this.#role());
    this.lastTitle = h("h2", { text: "Last race" });
    this.last = new ResultTable();
    this.lastCard = h("div.card.last", {}, this.lastTitle, this.last.element);
    this.leaveButton = confirmButton("quiet", "Leave the room", "Really leave", () =>
      app.leave(command.leave()),
    );
    this.closeButton = confirmButton(
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
      this.always.element,
      h("div.buttons", {}, this.role, this.sitOut),
    );
    const buttons = h("div.buttons", {}, this.start, this.ready);
    const go = h("div.go.dock", {}, this.status, buttons);
    this.element = h(
      "section.lobby",
      {},
      h("h1.visually-hidden", { text: "Lobby" }),
      h("div.stack", {}, this.invitation.element, this.rules.element),
      h("div.stack", {}, players, go, this.lastCard, this.warmUp.element),
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
    this.warmUp.update(room.rules.size);
    this.app.readyBySelf();
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
    if (model.results) this.#showLast(model);
    show(this.closeButton, model.isHost);
  }

  #showLast({ results: { standings, board }, me }) {
    this.last.update(standings, me, parseBoard(board).md);
  }

  #buttons(model, self) {
    const plays = model.isPlayer;
    const ready = self?.ready === true;
    show(this.ready, plays);
    show(this.always.element, plays);
    show(this.sitOut, plays);
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

  enter() {
    this.warmUp.enter();
  }

  leave() {
    this.warmUp.leave();
  }
}
