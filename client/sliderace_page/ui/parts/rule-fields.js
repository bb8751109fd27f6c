// The rules that few people change, as fields.

import { formatSpan } from "../../core/format.js";
import { Select } from "./controls.js";

/** @returns {[number, string][]} */
const spans = (...all) => all.map((ms) => [ms, formatSpan(ms)]);
const MINUTE = 60000;

/** @type {[number, string][]} */
const LATER = [5000, 30000, MINUTE, 5 * MINUTE].map((ms) => [
  ms,
  `${formatSpan(ms)} later`,
]);

/** @type {Record<string, [string, [number | string, string][]]>} */
const SELECTS = {
  start: [
    "Start",
    [
      ["ready", "host, or all ready"],
      ["host", "only the host"],
      ["every", "again and again"],
    ],
  ],
  every_ms: ["Pause between races", spans(10000, 30000, MINUTE, 5 * MINUTE)],
  countdown_ms: ["Countdown", spans(3000, 5000, 10000, 30000)],
  inspection_ms: ["Time to inspect", [[0, "none"], ...spans(3000, 5000, 10000, 15000)]],
  limit_ms: [
    "Time limit",
    [
      [-1, "by size"],
      [0, "none"],
      ...spans(MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 30 * MINUTE, 60 * MINUTE),
    ],
  ],
  grace_ms: [
    "Time after the winner",
    [[-1, "automatic"], [0, "none"], ...spans(10000, 30000, MINUTE, 5 * MINUTE)],
  ],
  away_ms: [
    "Wait for lost connections",
    [[0, "not at all"], ...spans(10000, 30000, MINUTE, 5 * MINUTE)],
  ],
  spectator_delay_ms: [
    "Spectators see boards",
    [
      [0, "live"],
      ...LATER,
    ],
  ],
};

/**
 * A field for each rule.
 * @param {(name: string) => (value: string | number) => void} change
 * @returns {[string, Select][]}
 */
export const ruleSelects = (change) =>
  Object.entries(SELECTS).map(([name, [label, options]]) => [
    name,
    new Select(label, options, change(name)),
  ]);
