// All sentences that the page shows, by key. The catalogue is JSON in the i18next format
// (JSON v4, flat keys): start.en.json for the first screens, then page.en.json for the
// others and common.en.json, which the terminal client reads too. Pure: app/load-texts.js
// fetches the files. Use texts in functions only: while a module loads, they are not
// there yet.

/** @type {Record<string, string>} */
const catalogue = {};

/** Add files of the catalogue. @param {Record<string, string>[]} files */
export function addTexts(...files) {
  Object.assign(catalogue, ...files);
}

/** Whether there is a text. @param {string} key */
export const hasText = (key) => Object.hasOwn(catalogue, key);

/**
 * Return the text of a key, with its placeholders filled in. A number `count` also
 * chooses between the singular (`KEY_one`) and the plural (`KEY_other`).
 * @param {string} key
 * @param {Record<string, string | number>} [values] one for each placeholder
 * @returns {string}
 */
export function text(key, values = {}) {
  const found = catalogue[key] ?? catalogue[`${key}_${values.count === 1 ? "one" : "other"}`];
  if (found === undefined) throw new Error(`no text for ${key}`);
  return found.replace(/\{\{(\w+)\}\}/g, (_, name) => {
    if (!(name in values)) throw new Error(`no ${name} for ${key}`);
    return String(values[name]);
  });
}
