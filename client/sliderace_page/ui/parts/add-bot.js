// The host's button that adds one of the server's bots, with a menu of levels.

import { levels, serverBots } from "../../core/server-bots.js";
import { command } from "../../core/protocol.js";
import { text } from "../../core/texts.js";
import { button } from "./controls.js";
import { h, show } from "../dom.js";

/** A button with a menu. */
export class AddBot {
  /** @type {import("../../core/messages.js").BotWanted[]} */
  #bots = [];

  /** @param {(command: Command) => void} send sends a command to the room */
  constructor(send) {
    const choices = levels().map((level) =>
      button("row", text(`level.${level}`), () => {
        this.element.open = false;
        send(command.bots([...this.#bots, { level }]));
      }),
    );
    this.element = h(
      "details.menu.add-bot",
      {},
      h("summary", { text: text("bots.add") }),
      h("div.actions", {}, ...choices),
    );
    this.element.addEventListener("keydown", ({ key }) => {
      if (key === "Escape") this.element.open = false;
    });
  }

  /** @param {Model} model */
  update({ isHost, features, members }) {
    this.#bots = serverBots(members.values());
    show(this.element, isHost && features.includes("bots"));
  }
}
