// For whoever waits for the next race in a room of the server: the way out and, for those
// who came late, a board to warm up with beside those of the racers.

import { command } from "../../core/protocol.js";
import { text } from "../../core/texts.js";
import { show } from "../dom.js";
import { button } from "./controls.js";
import { WarmUp } from "./warmup.js";

export class LateComer {
  /** @param {App} app */
  constructor(app) {
    this.warmUp = new WarmUp(app);
    this.leave = button("quiet", text("room.leave"), () => app.leave(command.leave()));
  }

  /**
   * @param {boolean} waits for the next race
   * @param {boolean} late they have not raced yet
   * @param {string} size of the room's boards
   */
  update(waits, late, size) {
    const { element } = this.warmUp;
    if (!late && !element.hidden) this.warmUp.leave();
    show(element, late);
    show(this.leave, waits);
    if (late) this.warmUp.update(size);
  }
}
