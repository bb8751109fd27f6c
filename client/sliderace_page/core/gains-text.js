// What a race changed in our profile, in words. Pure.

import { formatTime, ordinal } from "./figures.js";
import { text } from "./texts.js";

/** @typedef {import("./messages.js").Gains} Gains */
/** @typedef {Gains["bests"][number]} Gain */

/** @param {Gain} gain */
function gainText({ kind: name, value_ms: ms, before_ms: before }) {
  const [kind, value] = [text(`kind.${name}`), formatTime(ms)];
  if (before === null) return text("gains.first", { kind, value });
  return text("gains.best", { kind, value, gain: formatTime(before - ms) });
}

/**
 * What an attempt changed: new bests, then the streak of daily races.
 * @param {Gains} gains
 * @returns {string[]} empty: nothing worth telling
 */
export function gainsLines({ counts, bests, place, of, streak }) {
  if (!counts) return [text("gains.not_counted")];
  const lines = bests.map(gainText);
  const best = lines.pop();
  if (best !== undefined)
    lines.push(
      place === null ? best : text("gains.placed", { best, place: ordinal(place), of }),
    );
  if (streak) lines.push(text("gains.streak", { count: streak }));
  return lines;
}
