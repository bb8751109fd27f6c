// Loads screens and their files.

import { CONTROLS, preload, sheet } from "./preload.js";

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
/** @typedef {new (app: App) => Screen} ScreenClass */
/** @typedef {{load: () => Promise<ScreenClass>, modules: string[], sheets: string[]}} Loading */
/** @typedef {keyof typeof FIRST | keyof typeof import("./screen-table.js").SCREENS} ScreenName */

/** Screens whose files `index.html` lists. */
const FIRST = {
  home: async () => (await import("./screens/home.js")).Home,
  enter: async () => (await import("./screens/enter-room.js")).EnterRoom,
};

const table = () => import("./screen-table.js");

/** Begin to fetch the modules of a room. */
export const prepareRoom = async () => preload((await table()).ROOM_MODULES);

/** @type {Map<ScreenName, Promise<ScreenClass>>} */
const loaded = new Map();

/**
 * Fetch a screen, once. After a failure the next call tries again.
 * @param {ScreenName} name
 * @returns {Promise<ScreenClass>} its class
 */
export function fetchScreen(name) {
  let loading = loaded.get(name);
  if (!loading) {
    loading = fetchFiles(name);
    loading.catch(() => loaded.delete(name));
    loaded.set(name, loading);
  }
  return loading;
}

/** @param {ScreenName} name */
async function fetchFiles(name) {
  if (name === "home" || name === "enter") return FIRST[name]();
  const { load, modules, sheets } = (await table()).SCREENS[name];
  preload(modules);
  const all = [CONTROLS, ...sheets].map(sheet);
  const [screen] = await Promise.all([load(), ...all]);
  return screen;
}
