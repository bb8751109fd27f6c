// The screens and what each needs. A screen's files are fetched when it is next, all at
// once: else a phone far away waits for one round trip after another.

import { withTexts } from "../app/load-texts.js";
import { preload, sheet } from "./preload.js";

/** Modules that `app/room-session.js` needs and the start page does not. */
export const STAY = [
  "app/room-session.js",
  "core/attempt.js",
  "app/record-check.js",
  "app/connection.js",
  "core/engine.js",
  "core/engine/notation.js",
  "core/engine/scramble.js",
  "core/fold.js",
  "core/lanes.js",
  "core/messages.js",
  "core/model.js",
  "core/draw.js",
  "core/pacing.js",
  "core/wording.js",
  "core/fairness.js",
  "core/protocol.js",
  "core/readers.js",
  "core/engine/sha256.js",
];

/**
 * Screen -> how to load and make it, its modules beyond those of `index.html` and of
 * `STAY`, its style sheets.
 */
export const SCREENS = {
  home: {
    load: () => import("./screens/home.js"),
    make: ({ Home }, app) => new Home(app),
    modules: [],
    sheets: [],
  },
  door: {
    load: () => import("./screens/enter-room.js"),
    make: ({ Door }, app) => new Door(app),
    modules: [],
    sheets: [],
  },
  lobby: {
    load: () => withTexts(import("./screens/lobby.js")),
    make: ({ Lobby }, app) => new Lobby(app),
    modules: [
      "ui/screens/lobby.js",
      "ui/parts/badges.js",
      "ui/parts/members.js",
      "ui/parts/rule-fields.js",
      "ui/parts/rules.js",
      "ui/parts/invitation.js",
      "ui/parts/results-table.js",
      "ui/parts/warmup.js",
      "ui/input.js",
      "core/proof/summary.js",
      "core/qr.js",
    ],
    sheets: ["styles/lobby.css", "styles/results.css"],
  },
  race: {
    load: () => withTexts(import("./screens/race.js")),
    make: ({ Race }, app) => new Race(app),
    modules: [
      "ui/screens/race.js",
      "ui/parts/badges.js",
      "ui/parts/reorder.js",
      "ui/parts/lane-list.js",
      "ui/parts/spectator-boards.js",
      "ui/parts/tile-picture.js",
      "ui/input.js",
      "app/sounds.js",
    ],
    sheets: ["styles/race.css"],
  },
  results: {
    load: () => withTexts(import("./screens/results.js")),
    make: ({ Results }, app) => new Results(app),
    modules: [
      "ui/screens/results.js",
      "ui/parts/badges.js",
      "ui/parts/solve-signals.js",
      "ui/parts/solve-downloads.js",
      "ui/parts/results-table.js",
      "core/proof/csv.js",
      "core/proof/slidysim.js",
      "core/proof/splits.js",
      "core/proof/summary.js",
      "ui/input.js",
    ],
    sheets: ["styles/results.css"],
  },
  replay: {
    load: () => withTexts(import("./screens/replay.js")),
    make: ({ Replay }, app) => new Replay(app),
    modules: [
      "ui/screens/replay.js",
      "ui/parts/badges.js",
      "ui/parts/reorder.js",
      "ui/parts/lane-list.js",
      "ui/parts/solve-downloads.js",
      "ui/parts/results-table.js",
      "ui/parts/spectator-boards.js",
      "core/proof/csv.js",
      "core/proof/reading.js",
      "core/proof/slidysim.js",
      "core/proof/splits.js",
      "core/proof/summary.js",
      "core/replay-timeline.js",
      "ui/input.js",
    ],
    sheets: ["styles/race.css", "styles/results.css", "styles/replay.css"],
  },
  practice: {
    load: () => withTexts(import("./screens/solo.js")),
    make: ({ Practice }, app) => new Practice(app),
    modules: [
      "ui/screens/solo.js",
      "ui/parts/tile-picture.js",
      "core/solo-attempt.js",
      "app/solve-times.js",
      "ui/input.js",
    ],
    sheets: ["styles/race.css", "styles/solo.css"],
  },
};

const whole = new Map();

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
