// The lobby: the room code, the members, and the rules of the next race.

import { parseBoard } from "../../core/engine.js";
import { text } from "../../core/texts.js";
import { lobbyStatus } from "../../core/wording.js";
import { command } from "../../core/protocol.js";
import { confirmButton } from "../parts/confirm-button.js";
import { AddBot } from "../parts/add-bot.js";
import { Switch, button } from "../parts/controls.js";
import { Listing, h, setAttribute, setText, show } from "../dom.js";
import { Reactions } from "../parts/reactions.js";
import { MemberRow } from "../parts/members.js";
import { RulesCard } from "../parts/rules.js";
import { Invitation } from "../parts/invitation.js";
import { Speaker } from "../parts/speaker.js";
import { ResultTable } from "../parts/results-table.js";
import { WarmUp } from "../parts/warmup.js";

export class Lobby {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    const send = (/** @type {Command} */ message) => app.send(message);
    this.tool = new Speaker(app.settings).element;
    this.invitation = new Invitation(app);
    this.start = button("primary big", text("lobby.start"), () => this.#start());
    this.rules = new RulesCard(send, () => {
      if (this.rules.pending) setAttribute(this.start, "disabled", true);
      app.onChange();
    });
    this.playersTitle = h("h2");
    this.playerList = h("ul.members");
    this.players = new Listing(
      this.playerList,
      (/** @type {Member} */ { id }) => id,
      () => new MemberRow(app),
    );
    this.spectatorsTitle = h("h3", { text: text("lobby.spectators") });
    this.spectatorList = h("ul.members.spectators");
    this.spectators = new Listing(
      this.spectatorList,
      (/** @type {Member} */ { id }) => id,
      () => new MemberRow(app),
    );
    this.addBot = new AddBot(send);
    this.alone = h("p.soft.small", { text: text("lobby.alone") });
    this.ready = button("primary big", "", () => this.#toggleReady());
    this.status = h("p.soft.small", { "aria-live": "polite" });
    this.alwaysReady = new Switch(
      text("lobby.always_ready"),
      text("lobby.always_ready_hint"),
      (on) => app.settings.set({ ready: on }),
    );
    this.alwaysReady.value = app.settings.now.ready;
    this.warmUp = new WarmUp(app);
    this.sitOut = button("quiet", text("lobby.sit_out"), () => this.#bench(true));
    this.playAgain = button("quiet", "", () => this.#playAgain());
    this.lastResults = new ResultTable();
    this.lastCard = h(
      "div.card.last",
      {},
      h("h2", { text: text("lobby.last_race") }),
      this.lastResults.element,
    );
    const leaveButton = confirmButton(
      "quiet",
      text("room.leave"),
      text("room.leave_sure"),
      () => app.leave(command.leave()),
    );
    this.closeButton = confirmButton(
      "quiet",
      text("lobby.close"),
      text("lobby.close_sure"),
      () => app.leave(command.close()),
    );
    const members = h(
      "div.card.players",
      {},
      this.playersTitle,
      this.playerList,
      this.addBot.element,
      this.alone,
      this.spectatorsTitle,
      this.spectatorList,
      this.alwaysReady.element,
      h("div.buttons", {}, this.playAgain, this.sitOut),
    );
    this.reactions = new Reactions(app);
    const buttons = h("div.buttons", {}, this.start, this.ready, this.reactions.element);
    const dock = h("div.main-actions.dock", {}, this.status, buttons);
    this.element = h(
      "section.lobby",
      {},
      h("h1.visually-hidden", { text: text("lobby.title") }),
      h("div.stack", {}, this.invitation.element, this.rules.element),
      h("div.stack", {}, members, dock, this.lastCard, this.warmUp.element),
      h("div.exits", {}, leaveButton, this.closeButton),
    );
  }

  #toggleReady() {
    const { model } = this.app;
    if (model) this.app.send(command.ready(model.race, !model.self?.ready));
  }

  #start() {
    const { model } = this.app;
    if (model) this.app.send(command.start(model.race));
  }

  /** Sit out, or stop sitting out. @param {boolean} on */
  #bench(on) {
    const me = this.app.model?.self;
    if (me) this.app.send(command.bench(me.id, on));
  }

  #playAgain() {
    if (this.app.model?.self?.benched) this.#bench(false);
    else this.app.send(command.role("player"));
  }

  /** @param {Model & {room: Room}} model @param {number} now */
  update(model, now) {
    const { players, room, results } = model;
    const spectators = [...model.members.values()].filter(
      ({ role }) => role === "spectator",
    );
    this.invitation.update(room);
    this.warmUp.update(room.rules.size);
    this.app.autoReady();
    this.rules.update(model, this.app.refusals);
    setText(this.playersTitle, text("count.players", { count: players.length }));
    this.playerList.classList.add("with-menus");
    this.reactions.update(model);
    this.players.update(players, model);
    this.spectators.update(spectators, model);
    show(this.spectatorsTitle, spectators.length > 0);
    show(this.spectatorList, spectators.length > 0);
    this.addBot.update(model);
    show(this.alone, players.length < 2);
    this.#updateButtons(model);
    this.tick(model, now);
    show(this.lastCard, results !== null);
    if (results) {
      const { standings, board } = results;
      this.lastResults.update(standings, model.me, parseBoard(board).md);
    }
    show(this.closeButton, model.isHost);
  }

  /** @param {Model & {room: Room}} model */
  #updateButtons({ self, isPlayer, isHost, room, canStart }) {
    const ready = self?.ready === true;
    show(this.ready, isPlayer);
    show(this.alwaysReady.element, isPlayer);
    show(this.sitOut, isPlayer);
    setText(this.ready, text(ready ? "lobby.not_ready" : "lobby.ready"));
    setAttribute(this.ready, "aria-pressed", String(ready));
    const starts = isHost && room.rules.start !== "every";
    show(this.start, starts);
    setAttribute(this.start, "disabled", !canStart || this.rules.pending);
    this.ready.classList.toggle("primary", !ready && !starts);
    this.ready.classList.toggle("big", !starts);
    show(this.playAgain, !isPlayer);
    setText(this.playAgain, text(self?.benched ? "lobby.play_again" : "lobby.play"));
  }

  /** @param {Model} model @param {number} now */
  tick(model, now) {
    setText(this.status, lobbyStatus(model, now));
  }

  enter() {
    this.warmUp.enter();
  }

  leave() {
    this.warmUp.leave();
  }
}
