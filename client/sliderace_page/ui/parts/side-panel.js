// A panel beside the screen, to read or to choose something. It covers nothing that is
// in use: the screen keeps running and keeps its keys.

import { text } from "../../core/texts.js";
import { fill, h } from "../dom.js";
import { button } from "./controls.js";

/** @type {SidePanel | null} */
let open = null; // one at a time

export class SidePanel {
  /**
   * @param {string} title
   * @param {HTMLElement} opener gets the focus back
   */
  constructor(title, opener) {
    this.opener = opener;
    const id = "side-panel-title";
    this.title = h("h2", { id, tabindex: "-1", text: title });
    this.body = h("div.side-panel-body", { tabindex: "0" });
    const close = button("quiet", text("panel.close"), () => this.close());
    this.element = h(
      "div.side-panel",
      { role: "dialog", "aria-labelledby": id },
      h("div.side-panel-head", {}, this.title, close),
      this.body,
    );
    /** @param {KeyboardEvent} event */
    this.onKey = (event) => {
      if (event.key === "Escape") this.close();
    };
    this.onSettings = () => this.close();
  }

  /** @param {...HTMLElement} children */
  open(...children) {
    open?.close();
    open = this;
    fill(this.body, children);
    document.body.append(this.element);
    document.addEventListener("keydown", this.onKey); // wherever the focus is
    addEventListener("settings", this.onSettings);
    this.opener.setAttribute("aria-expanded", "true");
    this.title.focus({ preventScroll: true });
  }

  close() {
    if (open !== this) return;
    open = null;
    document.removeEventListener("keydown", this.onKey);
    removeEventListener("settings", this.onSettings);
    const inside = this.element.contains(document.activeElement);
    this.element.remove();
    this.opener.setAttribute("aria-expanded", "false");
    /** @type {HTMLElement | null} */
    const settings = document.querySelector(".settings-button");
    const back = this.opener.isConnected ? this.opener : settings;
    if (inside) back?.focus({ preventScroll: true });
  }

  get isOpen() {
    return open === this;
  }
}
