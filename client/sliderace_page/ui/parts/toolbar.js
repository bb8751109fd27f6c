// Buttons that open something beside the screen, which is fetched when it is wanted.

import { withTexts } from "../../app/load-texts.js";
import { h } from "../dom.js";

/**
 * A button that opens and closes an `Aside`.
 * @param {HTMLElement} element
 * @param {() => Promise<{show: (opener: HTMLElement) => Promise<Aside>}>} load
 * @param {(text: string, level: string) => void} note for what goes wrong
 */
export function opens(element, load, note) {
  let aside = null;
  element.setAttribute("aria-expanded", "false");
  element.addEventListener("click", async () => {
    if (aside?.isOpen) {
      aside.close();
      return;
    }
    try {
      const { show } = await withTexts(load());
      aside = await show(element);
    } catch {
      note("The server is not answering. Please try again.", "bad");
    }
  });
}

/** The `?` of the head, there on every screen, and its key. */
export function helpButton(note) {
  const element = h("button.gear", {
    type: "button",
    text: "?",
    title: "How to play, and tips",
    "aria-label": "Help",
  });
  opens(element, () => import("./help.js"), note);
  document.addEventListener("keydown", (event) => {
    const target = /** @type {Element} */ (event.target);
    const typed = target.closest?.("input[type=text], textarea, select");
    if (event.key === "?" && !typed && !event.ctrlKey && !event.metaKey)
      element.click();
  });
  return element;
}
