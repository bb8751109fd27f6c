// Modules and style sheets that are fetched before they are needed, each once.

const asked = new Set();

/** Begin to fetch a file; return null if that has been done. */
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

/** @param {string} href @returns {Promise<void>} once its rules apply */
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
