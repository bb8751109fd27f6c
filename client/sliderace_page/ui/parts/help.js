// The help: how to play, and tips.

import { text } from "../../core/texts.js";
import { h } from "../dom.js";
import { ownKeysText } from "../input.js";
import { SidePanel } from "./side-panel.js";
import { sheet } from "../preload.js";

/** Keys and what they do, after those that slide. */
const KEYS = [
  ["help.keys_pointer", "help.keys_pointer_does"],
  ["help.keys_rematch", "help.keys_rematch_does"],
  ["help.keys_solo", "help.keys_solo_does"],
  ["help.keys_replay", "help.keys_replay_does"],
  ["help.keys_help", "help.keys_help_does"],
];

/** Titles and texts. */
const TIPS = [
  ["help.tip_order", "help.tip_order_text"],
  ["help.tip_corner", "help.tip_corner_text"],
  ["help.tip_gap", "help.tip_gap_text"],
  ["help.tip_lines", "help.tip_lines_text"],
  ["help.tip_ahead", "help.tip_ahead_text"],
  ["help.tip_pairs", "help.tip_pairs_text"],
  ["help.tip_end", "help.tip_end_text"],
];

/** Screen -> its help text. @type {Record<string, string>} */
const SCREENS = {
  home: "help.on_home",
  enter: "help.on_enter",
  lobby: "help.on_lobby",
  race: "help.on_race",
  results: "help.on_results",
  replay: "help.on_replay",
  solo: "help.on_solo",
  profile: "help.on_profile",
  statistics: "help.on_statistics",
  leaderboards: "help.on_leaderboards",
};

/** @typedef {import("../../app/settings.js").Values} Values */

/** @type {SidePanel | null} */
let panel = null;

/**
 * The help for a player.
 * @param {{now: Pick<Values, "keys" | "gap">}} settings
 * @returns {{show: (opener: HTMLElement) => Promise<SidePanel>}} show: open the panel;
 *   the opener gets the focus back
 */
export const helpFor = (settings) => ({ show: (opener) => show(opener, settings.now) });

/** @param {HTMLElement} opener @param {Pick<Values, "keys" | "gap">} settings */
async function show(opener, { keys, gap }) {
  await Promise.all([sheet("styles/side-panel.css"), sheet("styles/help.css")]);
  panel ??= new SidePanel(text("help.title"), opener);
  panel.opener = opener;
  const screen = document.body.dataset.screen ?? "";
  const rules = [
    "help.rule_goal",
    "help.rule_slide",
    gap ? "help.rule_direction_gap" : "help.rule_direction",
    "help.rule_race",
    "help.rule_undo",
  ];
  const own = ownKeysText(keys);
  const slides = gap ? "help.keys_gap_does" : "help.keys_slide_does";
  const rows = [
    [text("help.keys_slide"), text(slides)],
    ...(own ? [[own, text("help.keys_own_does")]] : []),
    ...KEYS.map(([key, does]) => [text(key), text(does)]),
  ];
  panel.open(
    h("p.here", { text: text(SCREENS[screen] ?? "help.on_any_screen") }),
    h("ul.how", {}, ...rules.map((key) => h("li", { text: text(key) }))),
    h("h3", { text: text("help.keys") }),
    h(
      "dl.keys-list",
      {},
      ...rows.flatMap(([key, does]) => [h("dt", { text: key }), h("dd", { text: does })]),
    ),
    h("h3", { text: text("help.tips") }),
    h(
      "ol.tips",
      {},
      ...TIPS.map(([title, tip]) =>
        h("li", {}, h("strong", { text: text(title) }), h("span", { text: text(tip) })),
      ),
    ),
  );
  return panel;
}
