// The head's speaker button: sounds on or off, and how loud.

import { play } from "../../app/sounds.js";
import { text } from "../../core/texts.js";
import { h, setAttribute } from "../dom.js";
import { Switch } from "./controls.js";

const SVG = "http://www.w3.org/2000/svg";
const BODY = "M3,8h4l5-4v12l-5-4H3z";
const WAVES = "M15,7q2,3,0,6M17.5,5q4,5,0,10";
const CROSS = "M15,8l4,4m0-4l-4,4";

export class Speaker {
  /** @param {Settings} settings */
  constructor(settings) {
    this.settings = settings;
    this.sign = document.createElementNS(SVG, "path");
    const picture = document.createElementNS(SVG, "svg");
    const body = document.createElementNS(SVG, "path");
    setAttribute(body, "d", BODY);
    setAttribute(picture, "viewBox", "0 0 20 20");
    setAttribute(picture, "aria-hidden", "true");
    picture.append(body, this.sign);
    this.summary = h("summary.icon-button", { "aria-label": text("settings.sound") });
    this.summary.append(picture);
    this.switch = new Switch(text("settings.sound"), text("settings.sound_hint"), (sound) =>
      this.#set({ sound }),
    );
    this.volume = h("input", {
      type: "range",
      min: 0.05,
      max: 1,
      step: 0.05,
      "aria-label": text("settings.volume"),
      on: {
        change: ({ target }) => this.#set({ volume: Number(target.value), sound: true }),
      },
    });
    const card = h("div.card", {}, this.switch.element, this.volume);
    this.element = h("details.menu.speaker", {}, this.summary, card);
    this.element.addEventListener("keydown", ({ key }) => {
      if (key !== "Escape") return;
      this.element.open = false;
      this.summary.focus();
    });
    this.update();
  }

  /** @param {Partial<import("../../app/settings.js").Values>} change to be heard at once */
  #set(change) {
    this.settings.set(change);
    this.update();
    const { sound, volume } = this.settings.now;
    if (sound) play("slide", volume);
  }

  update() {
    const { sound, volume } = this.settings.now;
    this.switch.value = sound;
    this.volume.value = String(volume);
    setAttribute(this.sign, "d", sound ? WAVES : CROSS);
  }
}
