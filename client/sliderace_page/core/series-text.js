// The series of a room in words: one line for the lobby, and the table. Pure.

import { formatTime } from "./figures.js";
import { formatSize } from "./format.js";
import { text } from "./texts.js";

/** @typedef {import("./messages.js").SeriesTable} Table */
/** @typedef {import("./messages.js").SeriesRow} Row */
/** @typedef {Table["format"]} Format */

const NAMED = 4; // people in the line of the lobby
const NONE = "\u2013";

/** Format -> columns of its table, beside place, racer and races. */
const COLUMNS = /** @type {const} */ ({
  open: ["wins", "best", "ao5"],
  first: ["wins", "best"],
  mo3: ["best", "mo3"],
  ao5: ["best", "ao5"],
  ao12: ["best", "ao12"],
  points: ["points", "wins", "best"],
});

/** @typedef {(typeof COLUMNS)[Format][number]} Column */

/** Races of the formats that are an average. @type {Partial<Record<Format, number>>} */
const LENGTHS = { mo3: 3, ao5: 5, ao12: 12 };

/** Whether there is a series to show: an open one begins with a race. @param {Table} table */
export const hasBegun = (table) => table.format !== "open" || table.races > 0;

/**
 * The format: `first to 3`; "" if it is open.
 * @param {Pick<Table, "format" | "n" | "by">} table
 */
export function formatText({ format, n, by }) {
  if (format === "open") return "";
  if (format === "first") return text(by > 1 ? "score.first_ahead" : "score.first", { n, by });
  if (format === "points") return text("score.points", { count: n });
  return text(`score.${format}`);
}

/** Who has won the series; "" if it is not over. @param {Table} table */
export function wonText({ over, rows }) {
  const names = rows.filter(({ place, bot }) => place === 1 && !bot).map(({ name }) => name);
  if (!over || !names.length) return "";
  const listed = names.reduce((first, last) => text("list.and", { first, last }));
  return text("score.won", { names: listed, count: names.length });
}

/**
 * One line: `4x4 · first to 3 · race 4 · Ann 2, Ben 1`.
 * @param {Table} table @param {string} size
 */
export function seriesLine(table, size) {
  const people = table.rows.filter(({ bot }) => !bot);
  const scores = people
    .slice(0, NAMED)
    .map((row) => `${row.name} ${cell(row, scoreOf(table))}`);
  if (people.length > NAMED) scores.push("\u2026");
  const race = wonText(table) || raceText(table);
  const parts = [formatSize(size), formatText(table), race, scores.join(", ")];
  return parts.filter(Boolean).join(" \u00b7 ");
}

/** @typedef {{name: string, place: number, score: string}} Scored */

/** The people and what ranks them, best first. @param {Table} table @returns {Scored[]} */
export const peopleOf = (table) =>
  table.rows
    .filter(({ bot }) => !bot)
    .map((row) => ({ name: row.name, place: row.place, score: score(table, row) }));

/** `3 wins`. @param {Table} table @param {Row} row */
function score(table, row) {
  const column = scoreOf(table);
  if (column === "wins" || column === "points")
    return text(`score.n_${column}`, { count: row[column] });
  return cell(row, column);
}

/** Headings, and then the rows: place, racer, races, scores. @param {Table} table */
export function tableCells({ format, rows }) {
  const columns = COLUMNS[format];
  const heads = ["racer", "races", ...columns].map((key) => text(`score.column.${key}`));
  return [
    ["", ...heads],
    ...rows.map((row) => [
      row.bot ? "" : String(row.place), // bots have no place
      named(row),
      String(row.races),
      ...columns.map((column) => cell(row, column)),
    ]),
  ];
}

/** A racer's name, marked if it is a bot's. @param {Row} row */
const named = ({ name, bot }) =>
  bot && !name.startsWith("\u2699") ? text("member.named_bot", { name }) : name;

/** Which race comes next. @param {Table} table */
function raceText({ format, races, n: wanted }) {
  const all = format === "points" ? wanted : LENGTHS[format];
  const n = races + 1;
  return all ? text("score.race_of", { n, all }) : text("score.race", { n });
}

/** What racers are ranked by, as far as it is known. @param {Table} table @returns {Column} */
function scoreOf({ format, over }) {
  if (format === "open" || format === "first") return "wins";
  if (format === "points") return "points";
  return over ? format : "best";
}

/** @param {Row} row @param {Column} column */
function cell(row, column) {
  if (column === "wins" || column === "points") return String(row[column]);
  if (column === "best") return row.best_ms === null ? NONE : formatTime(row.best_ms);
  if (row.average_dnf) return text("status.dnf");
  return row.average_ms === null ? NONE : formatTime(row.average_ms);
}
