// Order changes glide: what moved in a list comes from where it was.

const GLIDE_MS = 260;
const orders = new WeakMap(); // list -> the order it had

/**
 * Change a list; children that stay and change places glide to the new ones.
 * @param {HTMLElement} list
 * @param {string} order the new order, in any words
 * @param {() => void} change
 */
export function glide(list, order, change) {
  const before = orders.get(list);
  orders.set(list, order);
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (before === order || before === undefined || still) {
    change(); // nothing to measure: a measurement costs a layout
    return;
  }
  const from = new Map();
  for (const child of list.children) from.set(child, child.getBoundingClientRect());
  change();
  // All is measured before anything is changed: else each measurement costs a layout.
  /** @type {[Element, DOMRect][]} */
  const moved = [...list.children].map((child) => [
    child,
    child.getBoundingClientRect(),
  ]);
  for (const [child, now] of moved) {
    const old = from.get(child);
    if (!old || (old.left === now.left && old.top === now.top)) continue;
    const start = `translate(${old.left - now.left}px, ${old.top - now.top}px)`;
    child.animate([{ transform: start }, { transform: "none" }], {
      duration: GLIDE_MS,
      easing: "ease-out",
    });
  }
}
