// Formats times, durations and places. Pure.

import { text } from "./texts.js";

/**
 * A time as a stopwatch shows it; a bare number would have no unit.
 * @param {number} ms
 * @param {number} digits decimals of a second, 0 to 3; cut, never rounded up
 * @returns {string} `7.042 s`, `1:02.345`, `1:00:00.000`; without decimals `0:07`
 */
export function formatTime(ms, digits = 3) {
  const whole = Math.max(0, Math.floor(ms));
  const [h, m, s] = [whole / 3600000, (whole / 60000) % 60, (whole / 1000) % 60].map(
    Math.floor,
  );
  const two = (/** @type {number} */ n) => String(n).padStart(2, "0");
  const front = h ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
  if (!digits) return front;
  const back = String(whole % 1000)
    .padStart(3, "0")
    .slice(0, digits);
  return h || m ? `${front}.${back}` : text("time.seconds", { n: `${s}.${back}` });
}

/** A duration: `90 s`, `5 min`, `2 h`. @param {number} ms */
export function formatSpan(ms) {
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return text("time.seconds", { n: seconds });
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return text("time.minutes", { n: minutes });
  return text("time.hours", { n: Math.round(minutes / 60) });
}

/** @param {number} n `1st`, `2nd`, `3rd`, `4th`, `11th` */
export function ordinal(n) {
  const teen = n % 100 >= 11 && n % 100 <= 13;
  return `${n}${(!teen && ["th", "st", "nd", "rd"][n % 10]) || "th"}`;
}
