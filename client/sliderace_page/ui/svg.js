// Pictures as SVG elements.

import { setAttribute, setText } from "./dom.js";

const SVG = "http://www.w3.org/2000/svg";

/**
 * Create an element of a picture.
 * @param {string} tag @param {Record<string, string | number>} attributes
 * @param {string} [content] its text
 */
export function draw(tag, attributes, content = "") {
  const element = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes))
    setAttribute(element, key, value);
  if (content) setText(element, content);
  return element;
}
