// The screens and their files. All files of a screen are fetched at once, while it is
// likely to be next: else a slow connection needs a round trip for each level of imports.

import { withTexts } from "../app/load-texts.js";
import { preload, sheet } from "./preload.js";

/**
 * @typedef {object} Screen
 * @property {HTMLElement} element
 * @property {HTMLElement} [tool] a button in the head
 * @property {(model: any, now: number) => void} update show the present state
 * @property {(model: any, now: number) => void} [tick] show what a clock changes
 * @property {(model: any, now: number) => number} [stays] ms for which the screen stays
 *   although another one is due
 * @property {() => void} enter the element is on the page
 * @property {() => void} leave another screen replaces it
 */
/** @typedef {keyof typeof SCREENS} ScreenName */

/** Modules that `app/room-session.js` needs and the start page does not. */
export const ROOM_MODULES = [
  "app/room-session.js",
  "core/attempt.js",
  "app/record-check.js",
  "app/connection.js",
  "core/engine.js",
  "core/engine/board.js",
  "core/engine/notation.js",
  "core/engine/scramble.js",
  "core/figures.js",
  "core/fold.js",
  "core/lanes.js",
  "core/liveness.js",
  "core/messages.js",
  "core/model.js",
  "core/draw.js",
  "core/pacing.js",
  "core/race/limits.js",
  "core/wording.js",
  "core/fairness.js",
  "core/protocol.js",
  "core/readers.js",
  "core/series-text.js",
  "core/scripts.js",
  "core/engine/sha256.js",
];

/**
 * How to load the class of each screen, its modules beyond those of `index.html` and
 * `ROOM_MODULES`, and its style sheets.
 * @satisfies {Record<string, {load: () => Promise<new (app: App) => Screen>,
 *   modules: string[], sheets: string[]}>}
 */
export const SCREENS = {
  home: {
    load: async () => (await import("./screens/home.js")).Home,
    modules: [],
    sheets: [],
  },
  enter: {
    load: async () => (await import("./screens/enter-room.js")).EnterRoom,
    modules: [],
    sheets: [],
  },
  lobby: {
    load: async () => (await withTexts(import("./screens/lobby.js"))).Lobby,
    modules: [
      "ui/screens/lobby.js",
      "ui/parts/confirm-button.js",
      "ui/parts/badges.js",
      "ui/parts/members.js",
      "ui/parts/reactions.js",
      "ui/parts/rename.js",
      "ui/parts/add-bot.js",
      "core/server-bots.js",
      "ui/parts/rule-fields.js",
      "ui/parts/select.js",
      "ui/parts/rules.js",
      "ui/parts/series.js",
      "ui/parts/invitation.js",
      "ui/parts/results-table.js",
      "ui/parts/speaker.js",
      "app/sounds.js",
      "ui/parts/warmup.js",
      "ui/input.js",
      "core/proof/summary.js",
      "vendor/uqr/index.js",
    ],
    sheets: ["styles/lobby.css", "styles/results.css", "styles/speaker.css"],
  },
  race: {
    load: async () => (await withTexts(import("./screens/race.js"))).Race,
    modules: [
      "ui/screens/race.js",
      "ui/parts/confirm-button.js",
      "core/board-layout.js",
      "core/leaderboard.js",
      "ui/parts/board-reader.js",
      "ui/parts/finish.js",
      "ui/parts/leaderboard-view.js",
      "ui/parts/racers.js",
      "ui/parts/reactions.js",
      "ui/parts/speaker.js",
      "ui/parts/spectator-boards.js",
      "ui/parts/tile-picture.js",
      "ui/input.js",
      "app/sounds.js",
    ],
    sheets: [
      "styles/board.css",
      "styles/lane.css",
      "styles/race.css",
      "styles/boards.css",
      "styles/speaker.css",
    ],
  },
  results: {
    load: async () => (await withTexts(import("./screens/results.js"))).Results,
    modules: [
      "ui/screens/results.js",
      "ui/parts/confirm-button.js",
      "core/race-story.js",
      "core/replay-timeline.js",
      "ui/parts/finish.js",
      "ui/parts/race-graph.js",
      "ui/parts/reactions.js",
      "ui/parts/badges.js",
      "ui/parts/solve-signals.js",
      "ui/parts/solve-downloads.js",
      "ui/parts/select.js",
      "ui/parts/results-table.js",
      "ui/parts/series.js",
      "core/proof/csv.js",
      "core/proof/slidysim.js",
      "core/proof/splits.js",
      "core/proof/summary.js",
      "ui/input.js",
    ],
    sheets: ["styles/results.css"],
  },
  replay: {
    load: async () => (await withTexts(import("./screens/replay.js"))).Replay,
    modules: [
      "ui/screens/replay.js",
      "core/board-layout.js",
      "ui/parts/badges.js",
      "ui/parts/solve-downloads.js",
      "ui/parts/select.js",
      "ui/parts/results-table.js",
      "core/proof/csv.js",
      "core/proof/reading.js",
      "core/proof/signature.js",
      "core/proof/slidysim.js",
      "core/proof/splits.js",
      "core/proof/summary.js",
      "core/replay-timeline.js",
      "ui/input.js",
    ],
    sheets: ["styles/results.css", "styles/lane.css", "styles/replay.css"],
  },
  solo: {
    load: async () => (await withTexts(import("./screens/solo.js"))).Solo,
    modules: [
      "ui/screens/solo.js",
      "ui/parts/board-reader.js",
      "ui/parts/tile-picture.js",
      "core/solo-attempt.js",
      "ui/parts/select.js",
      "app/solve-times.js",
      "core/averages.js",
      "ui/input.js",
    ],
    sheets: ["styles/board.css", "styles/solo.css"],
  },
};

/** @type {Map<ScreenName, Promise<new (app: App) => Screen>>} */
const loaded = new Map();

/**
 * Fetch a screen, once. After a failure the next call tries again.
 * @param {ScreenName} name
 * @returns {Promise<new (app: App) => Screen>} its class
 */
export function fetchScreen(name) {
  const { load, modules, sheets } = SCREENS[name];
  let loading = loaded.get(name);
  if (!loading) {
    preload(modules);
    loading = Promise.all([load(), ...sheets.map(sheet)]).then(([screen]) => screen);
    loading.catch(() => loaded.delete(name));
    loaded.set(name, loading);
  }
  return loading;
}
