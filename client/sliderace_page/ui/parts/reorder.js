// Animated changes of order: the children of a list glide to their new places.

const GLIDE_MS = 260;
/** @type {WeakMap<HTMLElement, string>} list -> its last order */
const orders = new WeakMap();

/**
 * Change a list; children that stay glide to their new places.
 * @param {HTMLElement} list
 * @param {string} order a text that differs for each order
 * @param {() => void} change
 */
export function glide(list, order, change) {
  const before = orders.get(list);
  orders.set(list, order);
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (before === order || before === undefined || still) {
    change(); // without measuring, which costs a layout
    return;
  }
  const from = new Map();
  for (const child of list.children) from.set(child, child.getBoundingClientRect());
  change();
  // Measure everything before animating anything: one layout, not one for each child.
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
