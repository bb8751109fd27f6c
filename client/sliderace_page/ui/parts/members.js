// The members of the room, with the host's actions for each.

import { command } from "../../core/protocol.js";
import { text } from "../../core/texts.js";
import { Latency, badge } from "./badges.js";
import { renameForm } from "./rename.js";
import { said, showSaid } from "./reactions.js";
import { confirmButton } from "./confirm-button.js";
import { button } from "./controls.js";
import { fill, h, setAttribute, setText, show } from "../dom.js";

/** One member of the room. */
export class MemberRow {
  #shown = "";

  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.send = (/** @type {Command} */ message) => app.send(message);
    this.name = h("span.name");
    this.latency = new Latency();
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
    const who = h("span.who", {}, this.name, this.latency.element, this.marks);
    this.element = h("li.member", {}, who, this.ready, this.menu);
  }

  /** @param {Member} member @param {Model & {room: Room}} model */
  update(member, { room, me, isHost, latencies, reactions, ignored }) {
    const isMe = member.id === me;
    const hosts = member.id === room.host;
    setText(this.name, member.name);
    this.latency.update(latencies.get(member.id));
    showSaid(this.name, said(this.app, member.id));
    const isIgnored = ignored.has(member.id);
    const reacts = !isMe && (isIgnored || member.muted || reactions.has(member.id));
    const key = JSON.stringify([member, hosts, isMe, isHost, isIgnored, reacts]);
    if (key === this.#shown) return;
    this.#shown = key;
    fill(this.marks, [
      isMe ? badge("you", "", text("member.you")) : null,
      hosts ? badge("host", "\u265b", text("member.host")) : null,
      member.bot && !member.name.startsWith("\u2699") ? badge("bot", "\u2699", text("member.bot")) : null,
      member.benched ? badge("bench", "", text("member.benched")) : null,
      member.muted ? badge("bench", "", text("member.muted")) : null,
      member.connected ? null : badge("lost", "\u26a1", text("member.reconnecting")),
    ]);
    const plays = member.role === "player" && !member.benched;
    const readiness = text(member.ready ? "member.ready" : "member.not_ready");
    setText(this.ready, plays ? readiness : "");
    this.element.classList.toggle("is-ready", plays && member.ready);
    this.element.classList.toggle("away", !member.connected);
    show(this.menu, isMe || isHost || reacts);
    setAttribute(this.summary, "aria-label", text("member.options", { name: member.name }));
    if (isMe) fill(this.actions, [renameForm(this.app, () => this.#close())]);
    else fill(this.actions, [...this.#reactionActions(member, reacts, isIgnored, isHost), ...(isHost ? this.#hostActions(member) : [])]);
  }

  #close() {
    this.menu.open = false;
    this.summary.focus();
  }

  /**
   * @param {string} label @param {() => void} work
   */
  #action(label, work) {
    return button("row", label, () => {
      this.menu.open = false;
      work();
    });
  }

  /** @param {Member} member @param {boolean} reacts @param {boolean} isIgnored @param {boolean} isHost */
  #reactionActions({ id, muted }, reacts, isIgnored, isHost) {
    if (!reacts) return [];
    const label = text(isIgnored ? "reaction.show_member" : "reaction.hide_member");
    const ignore = this.#action(label, () => {
      const { model } = this.app;
      if (isIgnored) model?.ignored.delete(id);
      else model?.ignored.add(id);
      this.app.onChange();
    });
    const mute = text(muted ? "reaction.unmute" : "reaction.mute");
    const send = () => this.send(command.mute(id, !muted));
    return isHost ? [ignore, this.#action(mute, send)] : [ignore];
  }

  /** @param {Member} member */
  #hostActions({ id, role, bot, benched }) {
    const player = role === "player";
    /** @param {string} label @param {Command} message */
    const action = (label, message) => this.#action(label, () => this.send(message));
    return [
      player && !bot ? action(text("member.make_host"), command.handOver(id)) : null,
      player && !benched ? action(text("member.bench"), command.bench(id, true)) : null,
      player && benched ? action(text("member.unbench"), command.bench(id, false)) : null,
      confirmButton("row", text("member.remove"), text("member.remove_sure"), () =>
        this.send(command.kick(id)),
      ),
    ];
  }
}
