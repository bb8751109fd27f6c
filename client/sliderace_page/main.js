// Starts the page.

import { App } from "./app/app.js";
import { Seats } from "./app/seats.js";
import { readJson } from "./app/load-texts.js";
import { Settings } from "./app/settings.js";
import { addConstants } from "./core/constants.js";
import { addTexts } from "./core/texts.js";
import { Frame } from "./ui/frame.js";

const KEEP_AFTER_MS = 1500; // the visible parts first

/** @returns {Storage | undefined} @param {"localStorage" | "sessionStorage"} name */
const storage = (name) => {
  try {
    return window[name];
  } catch {
    return undefined; // forbidden
  }
};

const [constants, texts] = await Promise.all(["start", "start.en"].map(readJson));
addConstants(constants);
addTexts(texts);

const app = new App({
  location,
  history,
  seats: new Seats(storage("localStorage"), storage("sessionStorage")),
  settings: new Settings(storage("localStorage")),
  fetch: (url, options) => fetch(url, options),
  now: () => performance.now(),
  random: (count) => crypto.getRandomValues(new Uint8Array(count)),
  subtle: globalThis.crypto?.subtle,
});
new Frame(document, app);
addEventListener("popstate", () => app.back());
addEventListener("online", () => app.wake());
addEventListener("pagehide", () => app.hide());
addEventListener("pageshow", ({ persisted }) => persisted && app.wake());
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible") app.wake();
});
app.route();
keepForOffline();

/** Keep a copy of the page for use without a network, if the browser allows it. */
function keepForOffline() {
  const workers = globalThis.isSecureContext && navigator.serviceWorker;
  // Not on a room's link, where a race is about to need the network.
  if (!workers || app.screen === "enter" || app.screen === "room") return;
  const keep = () => workers.register("sw.js").catch(() => {}); // storage is full or forbidden
  const later = () => setTimeout(keep, KEEP_AFTER_MS);
  if (document.readyState === "complete") later();
  else addEventListener("load", later);
}
