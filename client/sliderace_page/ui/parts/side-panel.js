// Something to read or choose beside the screen, never before it: what is under it goes on and takes keys.

import { button } from "./controls.js";
import { fill, h } from "../dom.js";

let open = null; // one at a time

export class Aside {
  /**
   * @param {string} title
   * @param {HTMLElement} opener gets the focus back
   */
  constructor(title, opener) {
    this.opener = opener;
    this.title = h("h2", { id: "aside-title", tabindex: "-1", text: title });
    this.body = h("div.aside-body", { tabindex: "0" });
    this.element = h(
      "div.aside",
      { role: "dialog", "aria-labelledby": "aside-title" },
      h("div.aside-head", {}, this.title, button("quiet", "Close", () => this.close())),
      this.body,
    );
    this.escape = (event) => {
      if (event.key === "Escape") this.close();
    };
    this.yields = () => this.close();
  }

  /** @param {...HTMLElement} children */
  open(...children) {
    open?.close();
    open = this;
    fill(this.body, children);
    document.body.append(this.element);
    document.addEventListener("keydown", this.escape); // wherever the focus went
    addEventListener("settings", this.yields);
    this.opener.setAttribute("aria-expanded", "true");
    this.title.focus({ preventScroll: true });
  }

  close() {
    if (open !== this) return;
    open = null;
    document.removeEventListener("keydown", this.escape);
    removeEventListener("settings", this.yields);
    const inside = this.element.contains(document.activeElement);
    this.element.remove();
    this.opener.setAttribute("aria-expanded", "false");
    /** @type {HTMLElement | null} */
    const gear = document.querySelector(".gear[aria-label=Settings]");
    const back = this.opener.isConnected ? this.opener : gear;
    if (inside) back?.focus({ preventScroll: true });
  }

  get isOpen() {
    return open === this;
  }
}
