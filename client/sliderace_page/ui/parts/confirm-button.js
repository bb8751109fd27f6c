// A button that asks before it acts.

import { setText } from "../dom.js";
import { button } from "./controls.js";

const CONFIRM_MS = 4000; // a second click counts as confirmation for this long

/**
 * Create a button that asks for a second click before it does something final.
 * @param {string} look classes
 * @param {string} label
 * @param {string} question the label until the second click
 * @param {() => void} act
 */
export function confirmButton(look, label, question, act) {
  let armed = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  /** @param {boolean} on */
  const arm = (on) => {
    armed = on;
    clearTimeout(timer);
    setText(element, on ? question : label);
    element.classList.toggle("armed", on);
    if (on) timer = setTimeout(() => arm(false), CONFIRM_MS);
  };
  const element = button(look, label, () => {
    if (armed) act();
    arm(!armed);
  });
  element.addEventListener("blur", () => arm(false));
  return element;
}
