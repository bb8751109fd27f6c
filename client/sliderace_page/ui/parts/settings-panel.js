// What one likes, and moving to another device: a panel below the head, never a dialog.

import { Choice, Switch, button } from "./controls.js";
import { fill, h, setAttribute, setText, show } from "../dom.js";
import { togglePanelOnClick } from "./toolbar.js";

/** @type {[string, string][]} */
const SCHEMES = [
  ["fringe", "Fringe"],
  ["rows", "Rows"],
  ["mono", "Plain"],
];
const WAYS = [
  ["U", "Up"],
  ["D", "Down"],
  ["L", "Left"],
  ["R", "Right"],
];

export class SettingsPanel {
  /** @param {App} app @param {() => void} close */
  constructor(app, close) {
    this.app = app;
    const { settings } = app;
    const set = (name) => (value) => settings.set({ [name]: value });
    const choice = new Choice("Tile colours", SCHEMES, set("scheme"));
    choice.value = settings.now.scheme;
    const switches = [
      ["hover", "Hover", "Tiles slide when the mouse comes over them"],
      ["gap", "Keys move the gap", "Else a key is the way the tile slides"],
      ["sound", "Sounds", "A tick, a go, a finish"],
    ].map(([name, label, hint]) => {
      const one = new Switch(label, hint, set(name));
      one.value = settings.now[name];
      return one.element;
    });
    this.keys = WAYS.map(([way, word]) => ({ way, word, button: this.#key(way) }));
    this.hint = h("p.soft.small", { role: "status" });
    this.ask = button("", "Go on on another device", () =>
      app.send({ t: "transfer" }),
    );
    this.move = h("div.stack", {}, this.ask);
    const picture = button("", "Picture on the tiles\u2026", () => {});
    const choose = async () => {
      const chooser = await import("./picture-chooser.js");
      close(); // one panel takes the place of the other
      return chooser;
    };
    togglePanelOnClick(picture, choose, app.onNote);
    this.element = h(
      "aside.panel.card",
      { "aria-label": "Settings", tabindex: "-1" },
      h("h2", { text: "Settings" }),
      choice.element,
      h("p.soft.small", {
        text: "Fringe: the top row and left column in one colour, what is left of the board in the next, and so on.",
      }),
      picture,
      h("div.switches", {}, ...switches),
      h(
        "fieldset.own-keys",
        {},
        h("legend", { text: "Own keys, beside arrows, WASD and hjkl" }),
        h("div.keys-grid", {}, ...this.keys.map((key) => key.button)),
        this.hint,
      ),
      this.move,
      button("", "Done", close),
    );
    this.element.addEventListener("keydown", (event) => this.#press(event, close));
    this.#show();
  }

  #key(way) {
    return button("", "", () => {
      this.asks = way;
      setText(this.hint, "Press the key for it. Escape: none of one\u2019s own.");
      this.#show();
    });
  }

  #press(event, close) {
    const way = this.asks;
    if (!way && event.key === "Escape") close();
    if (!way || ["Tab", "Shift", "Enter", " "].includes(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    const others = Object.entries(this.app.settings.now.keys).filter(
      ([code, other]) => other !== way && code !== event.code,
    );
    const own = event.key === "Escape" ? [] : [[event.code, way]];
    this.app.settings.set({ keys: Object.fromEntries([...others, ...own]) });
    this.asks = null;
    setText(this.hint, "");
    this.#show();
  }

  #show() {
    for (const { way, word, button: one } of this.keys) {
      const own = Object.entries(this.app.settings.now.keys).find(([, w]) => w === way);
      const name = own ? own[0].replace(/^(Key|Digit)/, "") : "\u2013";
      setText(one, `${word}: ${this.asks === way ? "\u2026" : name}`);
      setAttribute(one, "aria-pressed", String(this.asks === way));
    }
  }

  /** A picture that takes one's own seat to another device, made when asked for. */
  update() {
    const { app } = this;
    const model = app.screen === "room" ? app.model : null;
    show(this.move, model !== null);
    const now = app.now();
    const valid = model?.ticket && model.ticket.until > now ? model.ticket : null;
    if (valid === this.ticket) return;
    this.ticket = valid;
    fill(this.move, [this.ask]);
    if (!valid) return;
    setTimeout(() => app.onChange(), valid.until - now);
    this.#picture(valid);
  }

  async #picture(valid) {
    const link = await this.app.seatLink(valid.ticket);
    const { qrPicture } = await import("./invitation.js");
    if (this.ticket !== valid) return;
    const picture = h("div.qr", {}, qrPicture(link, "QR code of your own seat"));
    picture.dataset.link = link;
    const words =
      "Scan it with your other device within two minutes: your seat goes there, and " +
      "this page lets go. It works once.";
    fill(this.move, [h("p.small", { text: words }), picture]);
  }
}
