// The choice of a picture for the player's own tiles.

import { Problem, Switch, button, newId } from "./controls.js";
import { h, show as setShown } from "../dom.js";
import { SidePanel } from "./side-panel.js";
import { sheet } from "../preload.js";
import { text } from "../../core/texts.js";
import * as pictures from "../../app/pictures.js";

const storage = (() => {
  try {
    return localStorage;
  } catch {
    return undefined;
  }
})();

class PictureChooser {
  #group = newId("picture");

  constructor() {
    /** By name; "": none, "own": the player's. */
    this.options = new Map(
      ["", ...pictures.BUILT_IN, "own"].map((name) => [name, this.#option(name)]),
    );
    this.numbers = new Switch(
      text("picture.numbers"),
      text("picture.numbers_hint"),
      () => this.#changed(),
    );
    this.problem = new Problem();
    this.file = h("input", {
      type: "file",
      accept: "image/*",
      hidden: true,
      on: { change: () => this.#takeFile() },
    });
    this.elements = [
      h(
        "fieldset.pictures",
        {},
        h("legend.visually-hidden", { text: text("picture.legend") }),
        ...[...this.options.values()].map(({ element }) => element),
      ),
      this.numbers.element,
      button("", text("picture.choose_file"), () => this.file.click()),
      this.file,
      this.problem.element,
      h("p.soft.small", { text: text("picture.private") }),
    ];
    this.update();
  }

  /** @param {string} name */
  #option(name) {
    const input = h("input", {
      type: "radio",
      name: this.#group,
      value: name,
      on: { change: () => this.#changed() },
    });
    const thumb = h(`span.thumb${name ? "" : ".plain"}`, { "aria-hidden": "true" });
    const label = h("span", { text: text(`picture.${name || "none"}`) });
    const element = h("label.picture", {}, input, thumb, label);
    return { element, input, thumb };
  }

  /** Show the present choice. */
  update() {
    const { name, numbers } = pictures.chosen(storage);
    for (const [other, { element, input, thumb }] of this.options) {
      const url = pictures.urlOf(other, storage);
      input.checked = other === name;
      thumb.style.backgroundImage = url ? `url("${url}")` : "";
      setShown(element, other === "" || url !== null);
    }
    this.numbers.value = numbers;
  }

  #changed() {
    const picked = [...this.options].find(([, { input }]) => input.checked);
    const choice = { name: picked?.[0] ?? "", numbers: this.numbers.value };
    pictures.choose(storage, choice);
    this.problem.update("");
    dispatchEvent(new Event("picture")); // boards on the screen change at once
  }

  async #takeFile() {
    const file = this.file.files?.[0];
    if (!file) return;
    this.file.value = ""; // so that the same file can be chosen again
    try {
      const kept = pictures.keepOwn(storage, await pictures.square(file));
      this.update();
      const own = this.options.get("own");
      if (own) own.input.checked = true;
      this.#changed();
      if (!kept) this.problem.update(text("picture.not_kept"));
      this.update();
    } catch (error) {
      if (!(error instanceof pictures.BadPicture)) throw error;
      this.problem.update(text(`picture.${error.fault}`));
    }
  }
}

/** @type {SidePanel | null} */
let panel = null;
/** @type {PictureChooser | null} */
let chooser = null;

/** Open the panel. @param {HTMLElement} opener gets the focus back */
export async function show(opener) {
  await Promise.all([sheet("styles/side-panel.css"), sheet("styles/picture.css")]);
  panel ??= new SidePanel(text("picture.title"), opener);
  panel.opener = opener;
  chooser ??= new PictureChooser();
  chooser.update();
  panel.open(...chooser.elements);
  return panel;
}
