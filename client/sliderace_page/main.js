// The page, put together.

import { App } from "./app/app.js";
import { Seats } from "./app/seats.js";
import { readJson } from "./app/load-texts.js";
import { Settings } from "./app/settings.js";
import { setConstants } from "./core/constants.js";
import { addTexts } from "./core/texts.js";
import { Frame } from "./ui/frame.js";

const KEEP_AFTER_MS = 1500; // what is seen first comes first

/** @returns {Storage | undefined} @param {"localStorage" | "sessionStorage"} name */
const storage = (name) => {
  try {
    return window[name];
  } catch {
    return undefined; // forbidden: nothing is remembered
  }
};

const [constants, texts] = await Promise.all(["constants", "start.en"].map(readJson));
setConstants(constants);
addTexts(texts);

const app = new App({
  location,
  history,
  seats: new Seats(storage("localStorage"), storage("sessionStorage")),
  settings: new Settings(storage("localStorage")),
  fetch: (url) => fetch(url),
  now: () => performance.now(),
  random: (count) => crypto.getRandomValues(new Uint8Array(count)),
  subtle: globalThis.crypto?.subtle,
});
new Frame(document, app);
addEventListener("popstate", () => app.route());
addEventListener("online", () => app.wake());
addEventListener("pagehide", () => app.hide());
addEventListener("pageshow", ({ persisted }) => persisted && app.wake());
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible") app.wake();
});
app.route();
keepForOffline();

/** A copy of the page for when there is no network; only where browsers allow it. */
function keepForOffline() {
  const workers = globalThis.isSecureContext && navigator.serviceWorker;
  // Whoever comes by a link is about to race: not now.
  if (!workers || app.screen === "enter" || app.screen === "room") return;
  const keep = () => workers.register("sw.js").catch(() => {}); // full, or forbidden
  const later = () => setTimeout(keep, KEEP_AFTER_MS);
  if (document.readyState === "complete") later();
  else addEventListener("load", later);
}
