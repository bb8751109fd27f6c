// Which picture is on one's own tiles.

import { Problem, Switch, button, newId } from "./controls.js";
import { h, show as reveal } from "../dom.js";
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

class Chooser {
  constructor() {
    const builtIn = pictures.BUILT_IN.map((name) => [name, text(`picture.${name}`)]);
    const names = [["", "Colours"], ...builtIn, ["own", "My picture"]];
    this.group = newId("picture");
    this.options = new Map(
      names.map(([name, label]) => [name, this.#option(name, label)]),
    );
    this.numbers = new Switch("Numbers", "On top of the picture", () => this.#changed());
    this.problem = new Problem();
    this.file = h("input", {
      type: "file",
      accept: "image/*",
      hidden: true,
      on: { change: () => this.#took() },
    });
    this.hint = h("p.soft.small", {
      text: "A picture of yours stays in this browser; it is sent to nobody.",
    });
    this.elements = [
      h(
        "fieldset.pictures",
        {},
        h("legend.visually-hidden", { text: "Picture" }),
        ...[...this.options.values()].map(({ element }) => element),
      ),
      this.numbers.element,
      button("", "Take a picture of mine\u2026", () => this.file.click()),
      this.file,
      this.problem.element,
      this.hint,
    ];
    this.update();
  }

  #option(name, label) {
    const input = h("input", {
      type: "radio",
      name: this.group,
      value: name,
      on: { change: () => this.#changed() },
    });
    const thumb = h(`span.thumb${name ? "" : ".plain"}`, { "aria-hidden": "true" });
    const element = h("label.picture", {}, input, thumb, h("span", { text: label }));
    return { element, input, thumb };
  }

  update() {
    const { name, numbers } = pictures.chosen(storage);
    for (const [other, { element, input, thumb }] of this.options) {
      const url = pictures.urlOf(other, storage);
      input.checked = other === name;
      thumb.style.backgroundImage = url ? `url("${url}")` : "";
      reveal(element, other === "" || url !== null);
    }
    this.numbers.value = numbers;
  }

  #changed() {
    const picked = [...this.options].find(([, { input }]) => input.checked);
    const choice = { name: picked?.[0] ?? "", numbers: this.numbers.value };
    pictures.choose(storage, choice);
    this.problem.update("");
    dispatchEvent(new Event("picture")); // boards that are shown change at once
  }

  async #took() {
    const [file] = this.file.files;
    if (!file) return;
    this.file.value = ""; // the same one may be taken again
    try {
      const kept = pictures.keepOwn(storage, await pictures.square(file));
      this.update();
      this.options.get("own").input.checked = true;
      this.#changed();
      if (!kept)
        this.problem.update("It is on the tiles, but this browser will not keep it.");
      this.update();
    } catch (error) {
      if (!(error instanceof pictures.BadPicture)) throw error;
      this.problem.update(text(`picture.${error.fault}`));
    }
  }
}

let panel = null;
let chooser = null;

/** @param {HTMLElement} opener @returns {Promise<SidePanel>} */
export async function show(opener) {
  await Promise.all([sheet("styles/side-panel.css"), sheet("styles/picture.css")]);
  panel ??= new SidePanel("Picture on the tiles", opener);
  panel.opener = opener;
  chooser ??= new Chooser();
  chooser.update();
  panel.open(...chooser.elements);
  return panel;
}
