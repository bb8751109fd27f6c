// How to play, and how to play better.

import { h } from "../dom.js";
import { SidePanel } from "./side-panel.js";
import { sheet } from "../preload.js";

const PLAY = [
  "Bring the tiles into order, row by row from 1, with the gap in the last corner.",
  "Tap or click a tile in the gap\u2019s row or column: it slides, and all between it and the gap come along. Other tiles cannot move.",
  "A direction is the way the tile travels: arrow up moves the tile below the gap up.",
  "Everybody gets the same board at the same moment. Who solves it first wins; the others get time to finish.",
  "In a race there is no undo: every slide counts. In practice U takes the last one back.",
];

const KEYS = [
  ["Arrows, W A S D, h j k l", "slide a tile that way"],
  ["Click, tap, swipe", "the same without a keyboard"],
  ["R", "rematch, after a race"],
  ["N, U", "new board, undo: in practice"],
  ["Space, \u2190, \u2192", "play or pause, a second back or on: in a replay"],
  ["?", "this help"],
];

const TIPS = [
  [
    "Top row first, then the left column",
    "What is left is a smaller puzzle of the same kind. Go on until 3\u00d73 or 2\u00d72 remains, and never disturb what is done.",
  ],
  [
    "The last two of a row go in together",
    "Park the last tile where the second last belongs, put the second last right below it, and turn both into the corner in one go.",
  ],
  [
    "Move the gap with a plan",
    "Look first where the gap must be for the next tile, and take it there around your tile, not through what is done.",
  ],
  [
    "Slide whole lines",
    "Three tiles in one click cost the time of one. Where a row or column can move as a whole, let it.",
  ],
  [
    "Look ahead while your hands are busy",
    "While one tile goes home the eyes search the next. A steady rhythm without pauses beats fast fingers that wait.",
  ],
  [
    "Two at a time",
    "A tile on your way can often come along to its own place. Fewer moves are faster than fast moves.",
  ],
  [
    "The end of three",
    "Bring the last 2\u00d72 round in a circle until one tile is home; if the other two then are crossed, a tile further up is wrong.",
  ],
];

const HERE = {
  home: "Open a room and send the link to your friends, or practise alone first.",
  enter: "Choose a name and enter. You can also just watch.",
  lobby: "Say that you are ready. The race starts when all are, or when the host says so.",
  race: "The race goes on while you read, and your keys still move tiles.",
  results: "Take your time: the results stay until you go on or the next countdown begins. Or watch the race again, move by move.",
  replay: "Space plays and pauses. Drag the bar to any moment.",
  solo: "The clock starts with your first slide. Nothing here is sent anywhere.",
};

let panel = null;

/** @param {HTMLElement} opener @returns {Promise<SidePanel>} */
export async function show(opener) {
  await Promise.all([sheet("styles/side-panel.css"), sheet("styles/help.css")]);
  panel ??= new SidePanel("How to play", opener);
  panel.opener = opener;
  const here = HERE[document.body.dataset.screen];
  panel.open(
    h("p.here", { text: here ?? "Slide the tiles into order, faster than your friends." }),
    h("ul.how", {}, ...PLAY.map((text) => h("li", { text }))),
    h("h3", { text: "Keys and gestures" }),
    h("dl.keys-list", {}, ...KEYS.flatMap(([key, text]) => [
      h("dt", { text: key }),
      h("dd", { text }),
    ])),
    h("h3", { text: "Tips for solving" }),
    h("ol.tips", {}, ...TIPS.map(([name, text]) =>
      h("li", {}, h("strong", { text: name }), h("span", { text })),
    )),
  );
  return panel;
}
