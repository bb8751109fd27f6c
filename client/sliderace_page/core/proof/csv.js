// The results of a race as a table for spreadsheets (CSV). Pure.

import { formatMmd, formatTps, plausible } from "./summary.js";

/** @typedef {import("./summary.js").Result} Result */

const COLUMNS = /** @type {const} */ ([
  "place",
  "name",
  "bot",
  "status",
  "why",
  "time_ms",
  "solve_ms",
  "credit_ms",
  "stm",
  "mtm",
  "tps",
  "moves_per_md",
  "progress_permille",
  "seat",
]);
const FORMULA = /^[\s\p{Cc}]*[=+\-@\uff1d\uff0b\uff0d\uff20]/u; // wide forms, too
const QUOTED = /[",;\r\n]/;

/**
 * One cell. A text that a spreadsheet would read as a formula gets an apostrophe.
 * @param {string | number | boolean | null} value
 */
export function cell(value) {
  if (value === null) return "";
  if (typeof value !== "string") return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * @param {Result[]} standings
 * @param {number} md Manhattan distance of the scramble
 * @returns {string} RFC 4180: a header and a line per racer, with CRLF
 */
export function csv(standings, md) {
  const lines = standings.map((row) =>
    COLUMNS.map((name) => cell(field(row, name, md))).join(","),
  );
  return [COLUMNS.join(","), ...lines, ""].join("\r\n");
}

/** @param {Result} row @param {(typeof COLUMNS)[number]} name @param {number} md */
function field(row, name, md) {
  const solved = row.status === "finished";
  switch (name) {
    case "solve_ms":
      return plausible(row);
    case "tps":
      return solved ? formatTps(row) : null;
    case "moves_per_md":
      return formatMmd(row, md);
    case "progress_permille":
      return row.high;
    case "credit_ms":
      return solved ? row.credit_ms : null;
    default:
      return row[name] ?? null;
  }
}
