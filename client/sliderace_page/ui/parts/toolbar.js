// Buttons that open a side panel, which is fetched when it is first needed.

import { withTexts } from "../../app/load-texts.js";
import { text } from "../../core/texts.js";
import { h } from "../dom.js";

/**
 * Make an element open and close a side panel.
 * @param {HTMLElement} element
 * @param {() => Promise<{show: (opener: HTMLElement) => Promise<SidePanel>}>} load
 * @param {App["onNote"]} note called if the panel cannot be fetched
 */
export function togglePanelOnClick(element, load, note) {
  /** @type {SidePanel | null} */
  let panel = null;
  element.setAttribute("aria-expanded", "false");
  element.addEventListener("click", async () => {
    if (panel?.isOpen) {
      panel.close();
      return;
    }
    try {
      const { show } = await withTexts(load());
      panel = await show(element);
    } catch {
      note(text("frame.try_again"), "bad");
    }
  });
}

/** Create the head's `?` button, and its key. @param {App} app */
export function helpButton(app) {
  const element = h("button.icon-button", {
    type: "button",
    text: "?",
    title: text("help.hint"),
    "aria-label": text("help.label"),
  });
  const load = async () => (await import("./help.js")).helpFor(app.settings);
  togglePanelOnClick(element, load, app.onNote);
  document.addEventListener("keydown", (event) => {
    const target = /** @type {Element} */ (event.target);
    const typing = target.closest?.("input[type=text], textarea, select");
    if (event.key === "?" && !typing && !event.ctrlKey && !event.metaKey)
      element.click();
  });
  return element;
}
