// Modules and style sheets that are fetched before they are needed, each once.

/** The sheet of the controls that are in no first screen. */
export const CONTROLS = "styles/controls.css";

/** @type {Set<string>} */
const requested = new Set();

/**
 * Begin to fetch a file.
 * @param {"modulepreload" | "stylesheet"} rel @param {string} href
 * @returns {HTMLLinkElement | null} null: it has been requested before
 */
function link(rel, href) {
  const key = `${rel} ${href}`;
  if (requested.has(key)) return null;
  requested.add(key);
  const element = document.createElement("link");
  Object.assign(element, { rel, href });
  document.head.append(element);
  return element;
}

/** @param {string[]} modules */
export function preload(modules) {
  for (const module of modules) link("modulepreload", module);
}

/**
 * Load a style sheet, once.
 * @param {string} href
 * @returns {Promise<void>} resolved once its rules apply
 * @throws {TypeError} it failed to load; the next call tries again
 */
export const sheet = (href) =>
  new Promise((resolve, reject) => {
    const element = link("stylesheet", href);
    if (!element) {
      resolve();
      return;
    }
    element.addEventListener("load", () => resolve());
    element.addEventListener("error", () => {
      requested.delete(`stylesheet ${href}`);
      element.remove();
      reject(new TypeError(href));
    });
  });
