// The screens and what each needs. A screen's files are fetched when it is next, all at
// once: else a phone far away waits for one round trip after another.

/** Modules that `stay.js` needs and the start page does not. */
export const STAY = [
  "stay.js",
  "attempt.js",
  "audit.js",
  "connection.js",
  "engine.js",
  "engine/notation.js",
  "engine/scramble.js",
  "fold.js",
  "lanes.js",
  "model.js",
  "nonces.js",
  "pace.js",
  "phrases.js",
  "proof.js",
  "protocol.js",
  "sha256.js",
];

/**
 * Screen -> how to load and make it, its modules beyond those of `index.html` and of
 * `STAY`, its style sheets.
 */
export const SCREENS = {
  home: {
    load: () => import("./home.js"),
    make: ({ Home }, app) => new Home(app),
    modules: [],
    sheets: [],
  },
  door: {
    load: () => import("./door.js"),
    make: ({ Door }, app) => new Door(app),
    modules: [],
    sheets: [],
  },
  lobby: {
    load: () => import("./lobby.js"),
    make: ({ Lobby }, app) => new Lobby(app),
    modules: [
      "view/lobby.js",
      "view/badges.js",
      "view/members.js",
      "view/fields.js",
      "view/rules.js",
      "view/share.js",
      "view/table.js",
      "view/warmup.js",
      "input.js",
      "record/summary.js",
      "qr.js",
    ],
    sheets: ["lobby.css", "results.css"],
  },
  race: {
    load: () => import("./race.js"),
    make: ({ Race }, app) => new Race(app),
    modules: [
      "view/race.js",
      "view/badges.js",
      "view/glide.js",
      "view/lanes.js",
      "view/watch.js",
      "view/wear.js",
      "input.js",
      "sounds.js",
    ],
    sheets: ["race.css"],
  },
  results: {
    load: () => import("./results.js"),
    make: ({ Results }, app) => new Results(app),
    modules: [
      "view/results.js",
      "view/badges.js",
      "view/signals.js",
      "view/solves.js",
      "view/table.js",
      "record/csv.js",
      "record/slidysim.js",
      "record/splits.js",
      "record/summary.js",
      "input.js",
    ],
    sheets: ["results.css"],
  },
  replay: {
    load: () => import("./replay.js"),
    make: ({ Replay }, app) => new Replay(app),
    modules: [
      "view/replay.js",
      "view/badges.js",
      "view/solves.js",
      "view/table.js",
      "record/csv.js",
      "record/reading.js",
      "record/slidysim.js",
      "record/splits.js",
      "record/summary.js",
      "replay/film.js",
      "input.js",
    ],
    sheets: ["race.css", "results.css", "replay/replay.css"],
  },
  practice: {
    load: () => import("./practice.js"),
    make: ({ Practice }, app) => new Practice(app),
    modules: [
      "view/practice.js",
      "view/wear.js",
      "practice/solve.js",
      "practice/times.js",
      "input.js",
    ],
    sheets: ["race.css", "practice/practice.css"],
  },
};

const asked = new Set();
const whole = new Map();

/** Begin to fetch modules and style sheets; nothing is asked for twice. */
function link(rel, href) {
  const key = `${rel} ${href}`;
  if (asked.has(key)) return null;
  asked.add(key);
  const element = document.createElement("link");
  Object.assign(element, { rel, href });
  document.head.append(element);
  return element;
}

/** @param {string[]} modules */
export function preload(modules) {
  for (const module of modules) link("modulepreload", module);
}

/** @param {string} href @returns {Promise<void>} once its rules hold */
export const sheet = (href) =>
  new Promise((resolve, reject) => {
    const element = link("stylesheet", href);
    if (!element) {
      resolve();
      return;
    }
    element.addEventListener("load", () => resolve());
    element.addEventListener("error", () => {
      asked.delete(`stylesheet ${href}`);
      element.remove();
      reject(new TypeError(href));
    });
  });

/**
 * Fetch a screen, once. After a failure the next call tries again.
 * @param {keyof typeof SCREENS} name
 * @returns {Promise<object>} its module
 */
export function fetchScreen(name) {
  const { load, modules, sheets } = SCREENS[name];
  if (!whole.has(name)) {
    preload(modules);
    const loading = Promise.all([load(), ...sheets.map(sheet)]).then(([it]) => it);
    loading.catch(() => whole.delete(name));
    whole.set(name, loading);
  }
  return whole.get(name);
}
