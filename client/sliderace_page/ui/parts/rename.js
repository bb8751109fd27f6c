// A form that changes the nickname, in the room and for the next time.

import { command } from "../../core/protocol.js";
import { text } from "../../core/texts.js";
import { NameField } from "./controls.js";
import { h } from "../dom.js";

/** @param {App} app @param {string} name */
function rename(app, name) {
  const { code, model, seats } = app;
  seats.name = name;
  const seat = code && seats.get(code);
  if (seat) seats.keep(code, { ...seat, name });
  if (model?.self && model.self.name !== name) app.send(command.rename(name));
}

/**
 * @param {App} app
 * @param {() => void} done
 */
export function renameForm(app, done) {
  const name = new NameField(app.model?.self?.name ?? app.seats.name);
  return h(
    "form.stack",
    {
      on: {
        submit: (/** @type {SubmitEvent} */ event) => {
          event.preventDefault();
          rename(app, name.value);
          done();
        },
      },
    },
    name.element,
    h("button.button", { type: "submit", text: text("name.change") }),
  );
}
