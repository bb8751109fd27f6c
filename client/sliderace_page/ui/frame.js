// The page's frame: the head, the current screen, and notes.

import { text } from "../core/texts.js";
import { formatCode } from "../core/format.js";
import { withTexts } from "../app/load-texts.js";
import { button } from "./parts/controls.js";
import { fill, h, ignoreHeldKeys, setAttribute, setText, show } from "./dom.js";
import { CONTROLS, sheet } from "./preload.js";
import { fetchScreen, prepareRoom } from "./screen-loader.js";
import { helpButton } from "./parts/toolbar.js";

/** @import { Screen, ScreenName } from "./screen-loader.js" */

const NOTE_MS = 4000;
const MAX_NOTES = 3;
const RETRY_MS = 2000; // until files that failed to load are requested again

/** What the button does after the connection has stopped. */
const ACTIONS = {
  again: "frame.play_here",
  reload: "frame.reload",
  home: "frame.home",
};

/** While there is no room yet, and after the connection has stopped. */
class WaitingScreen {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.status = h("span", { role: "status" });
    this.action = button("primary big", "", () => this.#act());
    this.home = button("quiet", text("frame.home"), () => app.visit(null));
    const card = h("div.card.center", {}, h("h1", {}, this.status), this.action, this.home);
    this.element = h("section.narrow", {}, card);
  }

  #act() {
    const action = this.app.stopped?.action;
    if (action === "again") this.app.resume();
    else if (action === "reload") location.reload();
    else this.app.visit(null);
  }

  update() {
    const { stopped, serverGone, absence } = this.app;
    const trying = serverGone ? "frame.still_trying" : "frame.connecting";
    setText(this.status, stopped?.text ?? (absence || text(trying)));
    show(this.action, stopped !== null);
    if (stopped) setText(this.action, text(ACTIONS[stopped.action]));
    show(this.home, stopped?.action !== "home");
  }

  enter() {}

  leave() {}
}

export class Frame {
  /** @type {Screen | null} */
  #screen = null;
  /** @type {ScreenName | "waiting" | null} of the current screen */
  #name = null;
  /** @type {ScreenName | null} the screen whose files are being fetched */
  #wanted = null;
  /** @type {string | null} the room code when the current screen was entered */
  #code = null;
  /** @type {import("./parts/settings-panel.js").SettingsPanel | null} */
  #panel = null;
  /** @type {number | undefined} */
  #renderFrame;
  /** @type {number | undefined} */
  #tickFrame;

  /** @param {Document} document @param {App} app */
  constructor(document, app) {
    this.app = app;
    this.codeChip = h("span.chip.code");
    this.connectionChip = h("span.chip.lost", { role: "status" });
    this.settingsButton = h("button.icon-button.settings-button", {
      type: "button",
      "aria-label": text("settings.title"),
      "aria-expanded": "false",
      text: "\u2699",
      on: { click: () => this.#toggleSettings() },
    });
    this.tools = h("span.tools"); // of the screen
    this.main = h("main", { id: "main" });
    this.notes = h("div.notes", { "aria-live": "polite" });
    this.announcements = h("div.visually-hidden", { "aria-live": "polite" });
    this.serverGone = h("p.server-gone.soft.small", { role: "status" });
    app.onNote = (note, level) => this.note(note, level);
    this.#build(document.body);
    app.onChange = () => this.requestRender();
    app.settings.onChange = () => {
      this.#applySettings();
      this.requestRender();
    };
    this.#applySettings();
    if (app.view === "stream") document.documentElement.dataset.view = "stream";
    addEventListener("resize", () => this.requestRender());
    document.addEventListener("pointerdown", ({ target }) =>
      this.#closeMenus(/** @type {Node} */ (target)),
    );
    ignoreHeldKeys(document);
    // Fetch the modules of a room at the first sign that somebody wants to play.
    for (const type of ["pointerdown", "focusin", "keydown"])
      document.addEventListener(type, () => this.#prepareRoom(), { once: true });
  }

  #prepareRoom() {
    prepareRoom().catch(() => {});
    this.app.prepare().catch(() => {});
    this.#prefetch("lobby");
  }

  /** Fetch a screen that is likely to be next. @param {ScreenName} name */
  #prefetch(name) {
    fetchScreen(name).catch(() => {});
  }

  /** @param {HTMLElement} body */
  #build(body) {
    const mark = h("span.mark", { "aria-hidden": "true" }, h("i"), h("i"), h("i"));
    const brand = h(
      "a.brand",
      { href: ".", "aria-label": text("frame.title") },
      mark,
      h("span", { text: text("frame.title") }),
    );
    brand.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      if (this.app.screen === "room" && this.#name === "race")
        this.note(text("frame.race_running"), "info");
      else this.app.visit(null);
    });
    const help = helpButton(this.app);
    fill(body, [
      h(
        "header.top",
        {},
        brand,
        this.notes,
        this.codeChip,
        this.connectionChip,
        this.tools,
        help,
        this.settingsButton,
      ),
      this.serverGone,
      this.main,
      this.announcements,
    ]);
  }

  /** Close the settings and all menus that were not clicked. @param {Node} clicked */
  #closeMenus(clicked) {
    const outside = this.#panel && !this.#panel.element.contains(clicked);
    if (outside && !this.settingsButton.contains(clicked)) this.#toggleSettings(false);
    /** @type {NodeListOf<HTMLDetailsElement>} */
    const menus = document.querySelectorAll("details.menu[open]");
    for (const menu of menus) if (!menu.contains(clicked)) menu.open = false;
  }

  async #toggleSettings(
    open = this.settingsButton.getAttribute("aria-expanded") === "false",
  ) {
    setAttribute(this.settingsButton, "aria-expanded", String(open));
    if (!open) {
      this.#panel?.element.remove();
      this.#panel = null;
      this.settingsButton.focus();
      return;
    }
    dispatchEvent(new Event("settings")); // closes a side panel
    const [{ SettingsPanel }] = await Promise.all([
      withTexts(import("./parts/settings-panel.js")),
      sheet(CONTROLS),
      sheet("styles/settings-panel.css"),
    ]);
    this.#panel = new SettingsPanel(this.app, () => this.#toggleSettings(false));
    this.main.before(this.#panel.element);
    this.#panel.element.focus();
    this.requestRender();
  }

  /** Apply the settings that concern the whole page. */
  #applySettings() {
    const { scheme, theme } = this.app.settings.now;
    const { dataset, style } = document.documentElement;
    dataset.scheme = scheme;
    const system = theme === "system";
    style.colorScheme = system ? "" : theme;
    /** @type {NodeListOf<HTMLMetaElement>} */
    const bars = document.querySelectorAll("meta[id]"); // the browser's own bar
    for (const bar of bars)
      bar.media = system ? `(prefers-color-scheme:${bar.id})` : bar.id === theme ? "" : "print";
  }

  /** Render in the next animation frame. */
  requestRender() {
    this.#renderFrame ??= requestAnimationFrame(() => {
      this.#renderFrame = undefined;
      this.#render();
    });
  }

  #render() {
    const { app } = this;
    const due = this.#screenName();
    const ours = app.screen === "room" && due !== this.#name; // whoever leaves, leaves at once
    const left = ours ? this.#screen?.stays?.(app.model, app.now()) : 0;
    if (left) setTimeout(() => this.requestRender(), left);
    const name = left && this.#name ? this.#name : due;
    if (name !== this.#name || (name === "enter" && app.code !== this.#code))
      this.#change(name);
    if (name !== this.#name) return; // its files are still being fetched
    this.#screen?.update(app.model, app.now());
    this.#panel?.update();
    this.#updateHead();
    this.#tick();
  }

  /** @returns {ScreenName | "waiting"} */
  #screenName() {
    const { screen, model } = this.app;
    if (screen !== "room" && screen !== "stopped") return screen;
    if (screen === "stopped" || !model?.room) return "waiting";
    if (model.room.kind === "solo") return "solo";
    switch (model.phase) {
      case "countdown":
      case "racing":
      case "grace":
        return "race";
      case "results":
        return "results";
      default:
        if (this.app.view === "stream" || model.startsSoon) return "race";
        return model.inOldResults ? "results" : "lobby";
    }
  }

  /** @param {ScreenName | "waiting"} name */
  async #change(name) {
    if (name === "waiting") {
      this.#enter(name, new WaitingScreen(this.app));
      return;
    }
    if (this.#wanted === name) return;
    this.#wanted = name;
    let Screen;
    try {
      Screen = await fetchScreen(name);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error; // a bug, not a failed fetch
      this.note(text("frame.still_trying"), "bad");
      setTimeout(() => {
        if (this.#wanted === name) this.#wanted = null;
        this.requestRender();
      }, RETRY_MS);
      return;
    }
    if (this.#wanted !== name) return;
    this.#wanted = null;
    if (this.#screenName() === name) this.#enter(name, new Screen(this.app));
    this.#render(); // at once: an empty screen must not be seen or read aloud
  }

  /** @param {ScreenName | "waiting"} name @param {Screen} screen */
  #enter(name, screen) {
    this.#wanted = null;
    this.#screen?.leave();
    this.#name = name;
    this.#code = this.app.code;
    this.#screen = screen;
    fill(this.main, [screen.element]);
    fill(this.tools, [screen.tool ?? null]);
    if (name === "race") fill(this.notes, [...this.notes.querySelectorAll(".bad")]);
    document.body.dataset.screen = name;
    scrollTo(0, 0);
    screen.enter();
    if (name === "waiting" && this.app.screen === "room") this.#prepareRoom();
    if (name === "race") this.#prefetch("results");
    if (["results", "lobby", "waiting"].includes(name)) this.#prefetch("race");
  }

  #updateHead() {
    const { app } = this;
    const room = app.screen === "room" ? (app.model?.room ?? null) : null;
    const code = room ? formatCode(room.code) : "";
    show(this.codeChip, room !== null && this.#name !== "lobby");
    if (room) setText(this.codeChip, code);
    const trouble = room ? app.trouble : "";
    show(this.connectionChip, trouble !== "");
    setText(this.connectionChip, trouble);
    show(this.serverGone, room !== null && app.absence !== "");
    setText(this.serverGone, app.absence);
    const title = room ? text("frame.room_title", { code }) : text("frame.title");
    if (document.title !== title) document.title = title;
  }

  /** While a clock runs, update the screen in every animation frame. */
  #tick() {
    const { app } = this;
    const runs =
      app.screen === "room" &&
      app.model?.room &&
      (app.model.running || app.model.phaseEnds !== null);
    if (!runs || this.#tickFrame || !this.#screen?.tick) return;
    this.#tickFrame = requestAnimationFrame(() => {
      this.#tickFrame = undefined;
      if (app.screen !== "room" || !app.model?.room || !this.#screen?.tick) return;
      this.#screen.tick(app.model, app.now());
      this.#tick();
    });
  }

  /**
   * Show a note for a few seconds, and read it aloud. In a race, where the lanes show
   * what happens, notes of level "info" are only read aloud.
   * @param {string} content
   * @param {import("../app/room-session.js").Level} [level]
   */
  note(content, level = "info") {
    const hidden = level === "said" || (this.#name === "race" && level === "info");
    const list = hidden ? this.announcements : this.notes;
    const note = h(`p.note.${level}`, { text: content });
    // Only the last note is visible, and an error hides other notes.
    const error = level === "bad" ? null : list.querySelector(".bad");
    list.insertBefore(note, error);
    while (list.childElementCount > MAX_NOTES) list.firstElementChild?.remove();
    setTimeout(() => note.remove(), NOTE_MS);
  }
}
