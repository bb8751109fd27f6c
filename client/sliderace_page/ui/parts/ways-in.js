// What the buttons of the start page open: host a room, enter a code, and the question
// how fast a player is.

import { ANSWERS } from "../../core/usual-pace.js";
import { codeOfText } from "../../core/format.js";
import { text } from "../../core/texts.js";
import { fill, h, show } from "../dom.js";
import { Problem, Switch, button, newId } from "./controls.js";
import { DEFAULT_RULES, ruleSelects } from "./rule-fields.js";
import { SizeChoice } from "./size-choice.js";

/**
 * Create the form that opens a room.
 * @param {App} app @param {() => string} name
 */
export function hostForm(app, name) {
  /** The rules that were changed. @type {Record<string, string | number>} */
  const changed = {};
  const size = new SizeChoice();
  const listed = new Switch(text("rules.public"), text("home.public_hint"));
  const open = new Switch(text("rules.open_boards"), text("rules.open_boards_hint"));
  const selects = ruleSelects((rule) => (value) => {
    changed[rule] = value;
    if (rule === "start") showEvery();
  });
  const fields = Object.fromEntries(selects);
  const showEvery = () => show(fields.every_ms.element, changed.start === "every");
  for (const [rule, value] of Object.entries(DEFAULT_RULES)) fields[rule].show(value, "");
  showEvery();
  const grid = h("div.rules-grid", {}, ...selects.map(([, select]) => select.element));
  const summary = h("summary", { text: text("rules.more") });
  /** @param {SubmitEvent} event */
  const submit = (event) => {
    event.preventDefault();
    app.host(name(), {
      rules: { ...changed, size: size.value, open_boards: open.value },
      public: listed.value,
    });
  };
  return h(
    "form.card.hosting",
    { on: { submit } },
    h("h2", { text: text("home.host") }),
    size.element,
    listed.element,
    h("details.more", {}, summary, open.element, grid),
    h("button.button.primary.big", { type: "submit", text: text("home.open_room") }),
  );
}

/** Create the form that leads into a room. @param {App} app */
export function joinForm(app) {
  const id = newId("code");
  const problem = new Problem();
  const field = h("input.code-input", {
    id,
    type: "text",
    maxlength: 200,
    placeholder: text("home.code_example"),
    autocomplete: "off",
    autocapitalize: "characters",
    spellcheck: "false",
    enterkeyhint: "go",
  });
  /** @param {SubmitEvent} event */
  const submit = (event) => {
    event.preventDefault();
    const code = codeOfText(field.value);
    problem.update(code ? "" : text("home.bad_code"));
    if (code) app.visit(code);
    else field.focus();
  };
  return h(
    "form.card",
    { on: { submit } },
    h("h2", { text: text("home.join") }),
    h("div.field", {}, h("label", { for: id, text: text("home.code") }), field),
    problem.element,
    h("button.button.primary.big", { type: "submit", text: text("home.go_to_room") }),
  );
}

/**
 * Create the question how fast a player is, which is asked once.
 * @param {(answer: string) => void} answered
 */
export function paceQuestion(answered) {
  const answers = Object.keys(ANSWERS).map((answer) =>
    button("big", text(`pace_question.${answer}`), () => answered(answer)),
  );
  const title = h("h2", { text: text("pace_question.title"), tabindex: "-1" });
  const card = h("div.card.question", {}, title, h("p.soft", { text: text("pace_question.why") }));
  fill(card, [...card.children, h("div.answers", {}, ...answers)]);
  return card;
}
