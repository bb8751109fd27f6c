// The secret of a profile on paper, and tickets that add a device, as in
// sliderace.protocol.profile_key. Pure.

const KEY = /^[0-9a-f]{32}$/;
const TICKET = /^#claim=([A-Za-z]{8})$/;
const GROUP = 4; // letters

/** @param {string} letters */
const grouped = (letters) => letters.match(new RegExp(`.{1,${GROUP}}`, "g")) ?? [];

/** A key as it is written down: groups of four. @param {string} secret */
export const formatKey = (secret) => grouped(secret).join("-");

/** A ticket as it is shown and spoken: `BCDF-GHJK`. @param {string} ticket */
export const formatTicket = (ticket) => grouped(ticket).join("-");

/**
 * The secret in a key, as somebody types it.
 * @param {string} typed spaces, dashes and case are ignored
 * @returns {string | null} null: it is no key
 */
export function parseKey(typed) {
  const key = typed.replace(/[\s\-\u2010-\u2014\u2212]/g, "").toLowerCase();
  return KEY.test(key) ? key : null;
}

/** The ticket in the address of a link; "": none. @param {string} hash */
export const ticketIn = (hash) => TICKET.exec(hash)?.[1] ?? "";
