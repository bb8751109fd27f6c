// Links between the screens with an address of their own, without loading the page again.

import { text } from "../../core/texts.js";
import { h, setAttribute } from "../dom.js";

/** @typedef {"profile" | "statistics" | "leaderboards"} OwnScreen */

/** @type {OwnScreen[]} */
const SCREENS = ["profile", "statistics", "leaderboards"];

/**
 * A link to another screen of this page.
 * @param {string} look classes
 * @param {App} app
 * @param {string} query such as `?replay=KWXTRB-SA1B2C-3`
 * @param {string} label
 */
export function pageLink(look, app, query, label) {
  const link = h("a", { href: query, text: label });
  link.className = look;
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    app.visit(`.${query}`);
  });
  return link;
}

/** Links to all of them. @param {App} app @param {OwnScreen} current */
export function ownScreens(app, current) {
  const links = SCREENS.map((name) => {
    const link = pageLink("button quiet", app, `?${name}`, text(`own.${name}`));
    setAttribute(link, "aria-current", name === current ? "page" : null);
    return link;
  });
  return h("nav.own-screens", { "aria-label": text("own.label") }, ...links);
}
