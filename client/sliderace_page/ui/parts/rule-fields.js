// The rules that few people change, as fields.

import { formatSpan } from "../../core/figures.js";
import { text } from "../../core/texts.js";
import { Select } from "./select.js";

const MINUTE = 60000;
/** The initial values of the fields: the servers' defaults. */
export const DEFAULT_RULES = {
  start: "ready",
  every_ms: 60000,
  countdown_ms: 5000,
  inspection_ms: 0,
  limit_ms: -1,
  grace_ms: -1,
  away_ms: 60000,
  spectator_delay_ms: 0,
};

/** @typedef {[number | string, string][]} Options value and text */

/** @param {...number} all ms @returns {Options} */
const spans = (...all) => all.map((ms) => [ms, formatSpan(ms)]);

/** Rule -> label and options. @returns {Record<string, [string, Options]>} */
const fields = () => ({
  start: [
    text("rules.start"),
    [
      ["ready", text("rules.start_ready")],
      ["host", text("rules.start_host")],
      ["every", text("rules.start_every")],
    ],
  ],
  every_ms: [text("rules.every"), spans(10000, 30000, MINUTE, 5 * MINUTE)],
  countdown_ms: [text("rules.countdown"), spans(3000, 5000, 10000, 30000)],
  inspection_ms: [
    text("rules.inspection"),
    [[0, text("rules.none")], ...spans(3000, 5000, 10000, 15000)],
  ],
  limit_ms: [
    text("rules.limit"),
    [
      [-1, text("rules.limit_by_size")],
      [0, text("rules.none")],
      ...spans(MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 30 * MINUTE, 60 * MINUTE),
    ],
  ],
  grace_ms: [
    text("rules.grace"),
    [
      [-1, text("rules.automatic")],
      [0, text("rules.none")],
      ...spans(10000, 30000, MINUTE, 5 * MINUTE),
    ],
  ],
  away_ms: [
    text("rules.away"),
    [[0, text("rules.away_none")], ...spans(10000, 30000, MINUTE, 5 * MINUTE)],
  ],
  spectator_delay_ms: [
    text("rules.spectators"),
    [
      [0, text("rules.spectators_live")],
      .../** @type {Options} */ (
        [5000, 30000, MINUTE, 5 * MINUTE].map((ms) => [
          ms,
          text("rules.spectators_later", { span: formatSpan(ms) }),
        ])
      ),
    ],
  ],
});

/**
 * Create a field for each rule.
 * @param {(rule: string) => (value: string | number) => void} change
 * @returns {[string, Select][]}
 */
export const ruleSelects = (change) =>
  Object.entries(fields()).map(([rule, [label, options]]) => [
    rule,
    new Select(label, options, change(rule)),
  ]);
