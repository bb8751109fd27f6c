// What the server stores, and for how long: a side panel.

import { text } from "../../core/texts.js";
import { h } from "../dom.js";
import { sheet } from "../preload.js";
import { SidePanel } from "./side-panel.js";

const LINES = [
  "privacy.nothing",
  "privacy.room",
  "privacy.race",
  "privacy.profile",
  "privacy.addresses",
  "privacy.device",
  "privacy.get",
  "privacy.delete",
  "privacy.guests",
];

/** @type {SidePanel | null} */
let panel = null;

/** @param {HTMLElement} opener gets the focus back */
export async function show(opener) {
  await sheet("styles/side-panel.css");
  panel ??= new SidePanel(text("privacy.title"), opener);
  panel.opener = opener;
  panel.open(h("ul.privacy", {}, ...LINES.map((key) => h("li", { text: text(key) }))));
  return panel;
}
