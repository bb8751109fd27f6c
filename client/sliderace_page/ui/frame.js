// The page's frame: the head, the screen that is shown, and short notes.

import { formatCode } from "../core/format.js";
import { button } from "./parts/controls.js";
import { fill, h, pressOnce, setAttribute, setText, show } from "./dom.js";
import { withTexts } from "../app/load-texts.js";
import { preload, sheet } from "./preload.js";
import { SCREENS, STAY, fetchScreen } from "./screen-loader.js";
import { helpButton } from "./parts/toolbar.js";

const NOTE_MS = 4000;
const NOTES = 3;
const FAR_GONE =
  "The server has not answered for a while and may be gone for good. " +
  "If so, ask the host for a new link. If it comes back, so will this page.";
const RETRY_MS = 2000; // until files that did not come are asked for again

/** Connecting, or told to stay away. */
class Waiting {
  constructor(app) {
    this.app = app;
    this.text = h("h1", { role: "status" });
    this.act = button("primary big", "", () => this.#act());
    this.home = button("quiet", "Back to the start", () => app.visit(null));
    const card = h("div.card.center", {}, this.text, this.act, this.home);
    this.element = h("section.door", {}, card);
  }

  #act() {
    const { action } = this.app.stopped;
    if (action === "again") this.app.resume();
    else if (action === "reload") location.reload();
    else this.app.visit(null);
  }

  update() {
    const { stopped, serverGone, farGone } = this.app;
    const trying = serverGone
      ? "The server is not answering. Still trying\u2026"
      : "Connecting\u2026";
    setText(this.text, stopped?.text ?? (farGone ? FAR_GONE : trying));
    const words = {
      again: "Play here instead",
      reload: "Reload the page",
      home: "Back to the start",
    };
    show(this.act, stopped !== null);
    if (stopped) setText(this.act, words[stopped.action]);
    show(this.home, stopped?.action !== "home");
  }

  enter() {}

  leave() {}
}

export class View {
  /** @param {Document} document @param {App} app */
  constructor(document, app) {
    this.app = app;
    this.shown = null;
    this.head(document.body);
    app.onChange = () => this.dirty();
    app.settings.onChange = () => {
      this.#wishes();
      this.dirty();
    };
    this.#wishes();
    if (app.view === "stream") document.documentElement.dataset.view = "stream";
    app.onNote = (text, level) => this.note(text, level);
    addEventListener("resize", () => this.dirty());
    document.addEventListener("pointerdown", (event) => {
      const target = /** @type {Node} */ (event.target);
      const aside = this.panel && !this.panel.element.contains(target);
      if (aside && !this.gear.contains(target)) this.#settings(false);
      /** @type {NodeListOf<HTMLDetailsElement>} */
      const menus = document.querySelectorAll("details.menu[open]");
      for (const menu of menus) {
        if (!menu.contains(target)) menu.open = false;
      }
    });
    pressOnce(document);
    // The first sign that somebody wants to play: fetch what a room needs.
    const intent = () => this.#prepare();
    for (const type of ["pointerdown", "focusin", "keydown"])
      document.addEventListener(type, intent, { once: true });
  }

  #prepare() {
    preload(STAY);
    this.app.prepare().catch(() => {});
    this.#fetch("lobby");
  }

  /** Fetch a screen that is likely to be next. */
  #fetch(name) {
    fetchScreen(name).catch(() => {});
  }

  head(body) {
    const mark = h("span.mark", { "aria-hidden": "true" }, h("i"), h("i"), h("i"));
    const brand = h(
      "a.brand",
      { href: ".", "aria-label": "sliderace" },
      mark,
      h("span", { text: "sliderace" }),
    );
    brand.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      if (this.app.screen !== "room" || this.name !== "race") this.app.visit(null);
      else this.note("You are in a race. Give up or leave first.", "info");
    });
    this.code = h("span.chip.code");
    this.state = h("span.chip.lost", { role: "status" });
    this.help = helpButton((text, level) => this.note(text, level));
    this.gear = h("button.gear", {
      type: "button",
      "aria-label": "Settings",
      "aria-expanded": "false",
      text: "\u2699",
      on: { click: () => this.#settings() },
    });
    this.main = h("main", { id: "main" });
    this.notes = h("div.notes", { "aria-live": "polite" });
    this.heard = h("div.unseen", { "aria-live": "polite" });
    this.farGone = h("p.far-gone.soft.small", { role: "status" });
    fill(body, [
      h("header.top", {}, brand, this.notes, this.code, this.state, this.help, this.gear),
      this.farGone,
      this.main,
      this.heard,
    ]);
  }

  /** Open or close the settings. */
  async #settings(open = this.gear.getAttribute("aria-expanded") === "false") {
    setAttribute(this.gear, "aria-expanded", String(open));
    if (!open) {
      this.panel?.element.remove();
      this.panel = null;
      this.gear.focus();
      return;
    }
    dispatchEvent(new Event("settings")); // what else is open there closes
    const [{ Panel }] = await Promise.all([
      withTexts(import("./parts/settings-panel.js")),
      sheet("styles/settings-panel.css"),
    ]);
    this.panel = new Panel(this.app, () => this.#settings(false));
    this.main.before(this.panel.element);
    this.panel.element.focus();
    this.dirty();
  }

  /** What does not need a new screen. */
  #wishes() {
    document.documentElement.dataset.scheme = this.app.settings.now.scheme;
  }

  dirty() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = undefined;
      this.render();
    });
  }

  render() {
    const { app } = this;
    const name = this.nameOfScreen();
    if (name !== this.name || (name === "door" && app.code !== this.door))
      this.#change(name);
    if (name !== this.name) return; // its files are on their way
    this.screen.update(app.model, app.now());
    this.panel?.update();
    this.#head();
    this.#clock();
  }

  nameOfScreen() {
    const { screen, model } = this.app;
    if (["home", "door", "replay", "practice"].includes(screen)) return screen;
    if (screen === "stopped" || !model?.room) return "waiting";
    switch (model.phase) {
      case "countdown":
      case "racing":
      case "grace":
        return "race";
      case "results":
        return "results";
      default:
        if (this.app.view === "stream") return "race";
        return model.lingers ? "results" : "lobby";
    }
  }

  async #change(name) {
    if (name === "waiting") {
      this.#enter(name, new Waiting(this.app));
      return;
    }
    if (this.wanted === name) return;
    this.wanted = name;
    let module;
    try {
      module = await fetchScreen(name);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error; // not a failed fetch: a fault
      this.note("The server is not answering. Still trying\u2026", "bad");
      setTimeout(() => {
        if (this.wanted === name) this.wanted = null;
        this.dirty();
      }, RETRY_MS);
      return;
    }
    if (this.wanted !== name) return;
    this.wanted = null;
    if (this.nameOfScreen() === name)
      this.#enter(name, SCREENS[name].make(module, this.app));
    this.render(); // at once: nobody sees, or hears, a screen with nothing on it
  }

  #enter(name, screen) {
    this.wanted = null;
    this.screen?.leave();
    this.name = name;
    this.door = this.app.code;
    this.screen = screen;
    fill(this.main, [screen.element]);
    if (name === "race") fill(this.notes, [...this.notes.querySelectorAll(".bad")]);
    document.body.dataset.screen = name;
    scrollTo(0, 0);
    screen.enter();
    const next = { results: "race", lobby: "race", race: "results", waiting: "race" }[name];
    if (name === "waiting" && this.app.screen === "room") this.#prepare();
    if (next) this.#fetch(next);
  }

  #head() {
    const { app } = this;
    const inRoom = app.screen === "room" && app.model?.room;
    show(this.code, Boolean(inRoom) && this.name !== "lobby");
    if (inRoom) setText(this.code, formatCode(app.model.room.code));
    const away = inRoom && !app.model.online;
    show(this.state, Boolean(away));
    show(this.farGone, Boolean(away) && app.farGone);
    setText(this.farGone, app.farGone ? FAR_GONE : "");
    setText(
      this.state,
      app.serverGone ? "\u26a1 server not answering" : "\u26a1 reconnecting",
    );
    const title = inRoom
      ? `${formatCode(app.model.room.code)} \u2013 sliderace`
      : "sliderace";
    if (document.title !== title) document.title = title;
  }

  /** While something counts, the screen follows every frame. */
  #clock() {
    const { app } = this;
    const counts =
      app.screen === "room" &&
      app.model?.room &&
      (app.model.running || app.model.phaseEnds !== null);
    if (!counts || this.ticking || !this.screen.tick) return;
    this.ticking = requestAnimationFrame(() => {
      this.ticking = undefined;
      if (app.screen !== "room" || !app.model?.room || !this.screen.tick) return;
      this.screen.tick(app.model, app.now());
      this.#clock();
    });
  }

  /** @param {string} text @param {string} level "info", "good" or "bad" */
  note(text, level = "info") {
    const heard = this.name === "race" && level === "info"; // the lanes show it
    const list = heard ? this.heard : this.notes;
    const note = h(`p.note.${level}`, { text });
    // Only the last one is seen: what went wrong stays in front of what else happens.
    const wrong = level === "bad" ? null : list.querySelector(".bad");
    list.insertBefore(note, wrong);
    while (list.childElementCount > NOTES) list.firstChild.remove();
    setTimeout(() => note.remove(), NOTE_MS);
  }
}
