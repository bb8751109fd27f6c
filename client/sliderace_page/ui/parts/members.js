// Who is in the room, and what the host may do about each.

import { command } from "../../core/protocol.js";
import { Lag, badge } from "./badges.js";
import { button, confirmButton } from "./controls.js";
import { fill, h, setAttribute, setText, show } from "../dom.js";

/** One person in the room. */
export class MemberRow {
  constructor(lobby) {
    this.lobby = lobby;
    this.name = h("span.name");
    this.lag = new Lag();
    this.marks = h("span.marks");
    this.ready = h("span.ready");
    this.summary = h("summary", { text: "\u22ef" });
    this.actions = h("div.actions");
    this.menu = h("details.menu", {}, this.summary, this.actions);
    this.menu.addEventListener("keydown", ({ key }) => {
      if (key === "Escape") this.menu.open = false;
    });
    this.menu.addEventListener("focusout", ({ relatedTarget }) => {
      const next = /** @type {Node | null} */ (relatedTarget);
      if (next && !this.menu.contains(next)) this.menu.open = false;
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
    setAttribute(this.summary, "aria-label", `Options for ${member.name}`);
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
      confirmButton("row", "Remove", "Really remove", () => ask(command.kick(member.id))),
    ]);
  }
}
