// Every sentence that the page shows, by key. The catalogue is two JSON files in the
// i18next format (JSON v4, flat keys): common.en.json, which the terminal client reads
// too, and page.en.json. Pure: whoever starts the page fetches them.

/** @type {Record<string, string>} */
let catalogue = {};

/**
 * Take the catalogue; call it once, before anything asks for a text.
 * @param {Record<string, string>[]} files
 */
export function setTexts(...files) {
  catalogue = Object.assign({}, ...files);
}

/**
 * The text of a key, with its placeholders filled in. A number `count` also chooses
 * between the singular (`KEY_one`) and the plural (`KEY_other`).
 * @param {string} key
 * @param {Record<string, string | number>} [values] one for each placeholder
 * @returns {string}
 */
export function text(key, values = {}) {
  const plural = `${key}_${values.count === 1 ? "one" : "other"}`;
  const found = catalogue[key] ?? catalogue[plural];
  if (found === undefined) throw new Error(`no text for ${key}`);
  return found.replace(/\{\{(\w+)\}\}/g, (_, name) => {
    if (!(name in values)) throw new Error(`no ${name} for ${key}`);
    return String(values[name]);
  });
}
