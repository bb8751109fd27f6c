// The start page's way back into rooms in which this browser has a seat.

import { formatCode } from "../../core/format.js";
import { text } from "../../core/texts.js";
import { h } from "../dom.js";
import { button } from "./controls.js";

const MOST = 3; // rooms asked about, the last ones entered

/** What is said of a room by its phase; a closed one is not offered. @type {Record<string, string>} */
const STATES = {
  lobby: "home.return",
  countdown: "home.return_racing",
  racing: "home.return_racing",
  grace: "home.return_racing",
  results: "home.return",
};

/**
 * Ask the server which of these rooms are still open.
 * @param {App} app @param {string[]} codes the last one entered first
 * @returns {Promise<HTMLElement | null>} null: none
 */
export async function returnLinks(app, codes) {
  const asked = codes.slice(0, MOST).map(async (code) => {
    const found = await app.get(`api/rooms/${code}`, (answer) => answer.json());
    const key = STATES[found.phase];
    if (!key) return null;
    const link = button("big", text(key, { code: formatCode(code) }), () => {
      app.seats.room = code; // resume at once, without asking for a name
      app.visit(code);
    });
    link.classList.toggle("primary", key === "home.return_racing");
    return link;
  });
  const links = (await Promise.all(asked)).filter((link) => link !== null);
  return links.length ? h("div.stack", {}, ...links) : null;
}
