// Reactions: a menu that sends one, and the words shown beside a name.

import { constants } from "../../core/constants.js";
import { command } from "../../core/protocol.js";
import { text } from "../../core/texts.js";
import { Switch, button } from "./controls.js";
import { h, setAttribute, show } from "../dom.js";
import { sheet } from "../preload.js";

/** A reaction as it is shown: a symbol or a phrase. @param {number} id */
const words = (id) =>
  text(id <= constants.reactions.signs ? `reaction.sign_${id}` : `reaction.${id}`);

/**
 * Return a member's reaction, if it is to be shown now.
 * @param {App} app @param {number | null} member
 * @returns {string | null}
 */
export function said(app, member) {
  const id = app.settings.now.reactions && app.model?.reactionOf(member, app.now());
  return id ? words(id) : null;
}

/**
 * Return the reactions of members who do not race, in one line.
 * @param {App} app @param {Model} model
 */
export function spectatorsSaid(app, { members, lanes }) {
  const racers = new Set([...lanes.values()].map(({ member }) => member));
  const watching = [...members.values()].filter(({ id }) => !racers.has(id));
  return watching
    .flatMap(({ id, name }) => {
      const reaction = said(app, id);
      return reaction ? [text("news.reacted", { name, reaction })] : [];
    })
    .join("  ");
}

/**
 * Show a member's reaction beside the name. Style sheets do it, so that screen readers do
 * not speak it as if it were part of the name.
 * @param {HTMLElement} name @param {string | null} content
 */
export const showSaid = (name, content) => setAttribute(name, "data-said", content);

/** The menu of reactions. */
export class Reactions {
  /** @param {App} app */
  constructor(app) {
    const summary = h("summary.button.quiet", { text: text("reaction.menu") });
    const { count } = constants.reactions;
    const choices = Array.from({ length: count }, (_, i) => {
      const one = button("quiet", words(i + 1), () => {
        this.element.open = false;
        summary.focus();
        app.send(command.react(i + 1));
      });
      setAttribute(one, "aria-label", text(`reaction.${i + 1}`));
      setAttribute(one, "title", text(`reaction.${i + 1}`));
      return one;
    });
    this.shown = new Switch(text("reaction.show"), text("reaction.show_hint"), (on) => {
      app.settings.set({ reactions: on });
      app.onChange();
    });
    const panel = h(
      "div.choices",
      {},
      h("div.signs", {}, ...choices.slice(0, constants.reactions.signs)),
      h("div.phrases", {}, ...choices.slice(constants.reactions.signs)),
      this.shown.element,
    );
    this.app = app;
    sheet("styles/reactions.css").catch(() => {}); // the menu works without it
    this.element = h("details.reactions", {}, summary, panel);
    this.element.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      this.element.open = false;
      summary.focus();
    });
    this.element.addEventListener("focusout", ({ relatedTarget }) => {
      const next = /** @type {Node | null} */ (relatedTarget);
      if (next && !this.element.contains(next)) this.element.open = false;
    });
  }

  /** @param {Model} model */
  update(model) {
    show(this.element, model.mayReact);
    if (!model.mayReact) this.element.open = false;
    this.shown.value = this.app.settings.now.reactions;
  }
}
