// The settings, and moving the seat to another device: a panel below the head.

import { linkForOthers } from "../../app/room-link.js";
import { isLoopback } from "../../core/format.js";
import { text } from "../../core/texts.js";
import { Choice, Switch, button } from "./controls.js";
import { fill, h, setAttribute, setText, show } from "../dom.js";
import { keyName } from "../input.js";
import { renameForm } from "./rename.js";
import { togglePanelOnClick } from "./toolbar.js";

/** @typedef {import("../../app/settings.js").Values} Values */
/** @typedef {{ticket: string, until: number}} Ticket */

/** @type {Record<Values["scheme"], string>} */
const SCHEMES = {
  fringe: "settings.fringe",
  rows: "settings.rows",
  mono: "settings.mono",
};
/** @type {Record<Values["theme"], string>} */
const THEMES = {
  system: "settings.theme_system",
  light: "settings.theme_light",
  dark: "settings.theme_dark",
};
/** @type {[name: "pace" | "hover" | "gap", label: string, hint: string][]} */
const ALWAYS = [["pace", "settings.pace", "settings.pace_hint"]];
/** @type {typeof ALWAYS} */
const SWITCHES = [
  ["hover", "settings.hover", "settings.hover_hint"],
  ["gap", "settings.gap", "settings.gap_hint"],
];
/** @type {Record<Direction, string>} */
const DIRECTIONS = {
  U: "direction.up",
  D: "direction.down",
  L: "direction.left",
  R: "direction.right",
};
const NO_OWN_KEYS = ["Tab", "Shift", "Enter", " "];

export class SettingsPanel {
  /** The direction whose key is being chosen. @type {Direction | null} */
  #choosing = null;
  /** The ticket whose QR code is shown. @type {Ticket | null} */
  #ticket = null;

  /** @param {App} app @param {() => void} close */
  constructor(app, close) {
    this.app = app;
    const { settings } = app;
    /** @param {"theme" | "scheme"} name @param {Record<string, string>} options */
    const choice = (name, options) => {
      const values = Object.entries(options);
      const one = new Choice(
        text(`settings.${name}`),
        values.map(([value, key]) => [value, text(key)]),
        (value) => settings.set({ [name]: value }),
      );
      one.value = settings.now[name];
      return one.element;
    };
    // A phone has neither a mouse nor keys.
    const touchOnly = matchMedia("(any-hover: none)").matches;
    const switches = (touchOnly ? ALWAYS : [...ALWAYS, ...SWITCHES]).map(([name, label, hint]) => {
      const change = (/** @type {boolean} */ on) => settings.set({ [name]: on });
      const one = new Switch(text(label), text(hint), change);
      one.value = settings.now[name];
      return one.element;
    });
    this.keys = Object.entries(DIRECTIONS).map(([name, label]) => {
      const direction = /** @type {Direction} */ (name);
      const element = button("", "", () => this.#chooseKey(direction));
      return { direction, label, element };
    });
    this.hint = h("p.soft.small", { role: "status" });
    const ownKeys = h(
      "fieldset.own-keys",
      {},
      h("legend", { text: text("settings.own_keys") }),
      h("div.keys-grid", {}, ...this.keys.map(({ element }) => element)),
      this.hint,
    );
    this.moveSeat = button("", text("settings.move_seat"), () =>
      app.send({ t: "transfer" }),
    );
    this.seat = h("div.stack", {}, this.moveSeat);
    const picture = button("", text("settings.picture"), () => {});
    const openChooser = async () => {
      const chooser = await import("./picture-chooser.js");
      close(); // the side panel replaces this one
      return chooser;
    };
    togglePanelOnClick(picture, openChooser, app.onNote);
    this.element = h(
      "aside.panel.card",
      { "aria-label": text("settings.title"), tabindex: "-1" },
      h("h2", { text: text("settings.title") }),
      renameForm(app, close),
      choice("theme", THEMES),
      choice("scheme", SCHEMES),
      h("p.soft.small", { text: text("settings.fringe_hint") }),
      picture,
      h("div.switches", {}, ...switches),
      touchOnly ? null : ownKeys,
      this.seat,
      button("", text("settings.done"), close),
    );
    this.element.addEventListener("keydown", (event) => this.#press(event, close));
    this.#showKeys();
  }

  /** @param {Direction} direction */
  #chooseKey(direction) {
    this.#choosing = direction;
    setText(this.hint, text("settings.press_key"));
    this.#showKeys();
  }

  /** @param {KeyboardEvent} event @param {() => void} close */
  #press(event, close) {
    const direction = this.#choosing;
    if (!direction && event.key === "Escape") close();
    if (!direction || NO_OWN_KEYS.includes(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    const { settings } = this.app;
    const others = Object.entries(settings.now.keys).filter(
      ([code, other]) => other !== direction && code !== event.code,
    );
    const own = event.key === "Escape" ? [] : [[event.code, direction]];
    settings.set({ keys: Object.fromEntries([...others, ...own]) });
    this.#choosing = null;
    setText(this.hint, "");
    this.#showKeys();
  }

  #showKeys() {
    const own = Object.entries(this.app.settings.now.keys);
    for (const { direction, label, element } of this.keys) {
      const choosing = this.#choosing === direction;
      const [code] = own.find(([, other]) => other === direction) ?? ["\u2013"];
      const key = choosing ? "\u2026" : keyName(code);
      setText(element, text("settings.key", { direction: text(label), key }));
      setAttribute(element, "aria-pressed", String(choosing));
    }
  }

  /** In a room, offer to move the seat; show a QR code once the server has answered. */
  update() {
    const { app } = this;
    const model = app.screen === "room" ? app.model : null;
    show(this.seat, model !== null);
    const now = app.now();
    const valid = model?.ticket && model.ticket.until > now ? model.ticket : null;
    if (valid === this.#ticket) return;
    this.#ticket = valid;
    fill(this.seat, [this.moveSeat]);
    if (!valid) return;
    setTimeout(() => app.onChange(), valid.until - now);
    this.#showPicture(valid);
  }

  /** @param {Ticket} ticket */
  async #showPicture(ticket) {
    const link = await seatLink(this.app, ticket);
    const { qrPicture } = await import("./invitation.js");
    if (this.#ticket !== ticket) return;
    const picture = h("div.qr", {}, qrPicture(link, text("settings.seat_qr")));
    picture.dataset.link = link;
    fill(this.seat, [h("p.small", { text: text("settings.seat_hint") }), picture]);
    picture.scrollIntoView({ block: "nearest" });
  }
}

/** The link that moves our seat to another device. @param {App} app @param {Ticket} ticket */
async function seatLink(app, { ticket }) {
  const here = new URL(app.code ?? "", app.location.href);
  const room = (isLoopback(here.href) && (await linkForOthers(app))) || here.href;
  return `${room}#ticket=${ticket}`; // the part after # is never sent to a server
}
