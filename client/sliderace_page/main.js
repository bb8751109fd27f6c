// The page, put together.

import { App } from "./app.js";
import { Seats } from "./seats.js";
import { Settings } from "./settings.js";
import { View } from "./view/view.js";

/** @returns {Storage | undefined} @param {"localStorage" | "sessionStorage"} name */
const storage = (name) => {
  try {
    return window[name];
  } catch {
    return undefined; // forbidden: nothing is remembered
  }
};

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
new View(document, app);
addEventListener("popstate", () => app.route());
addEventListener("online", () => app.wake());
addEventListener("pageshow", ({ persisted }) => persisted && app.wake());
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible") app.wake();
});
app.route();
