// A few lines instead of a framework. Text from others only ever becomes textContent.

/**
 * An element: `h("button.primary", {type: "button", on: {click}}, "Start")`.
 * @param {string} spec tag and classes
 * @param {object} [props] attributes; `on` are listeners, `text` is the text
 * @param {...(Node | string | null)} children
 * @returns {HTMLElement}
 */
export function h(spec, props = {}, ...children) {
  const [tag, ...classes] = spec.split(".");
  const element = document.createElement(tag);
  if (classes.length) element.classList.add(...classes);
  for (const [key, value] of Object.entries(props)) {
    if (key === "on") {
      for (const [type, work] of Object.entries(value))
        element.addEventListener(type, work);
    } else if (key === "text") {
      element.textContent = value;
    } else {
      setAttribute(element, key, value);
    }
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

/** Set, or remove for false and null; untouched if it is so already. */
export function setAttribute(element, key, value) {
  if (value === false || value === null || value === undefined) {
    element.removeAttribute(key);
  } else {
    const text = value === true ? "" : String(value);
    if (element.getAttribute(key) !== text) element.setAttribute(key, text);
  }
}

/** @param {Node} node @param {string} text */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** @param {HTMLElement} element @param {boolean} shown */
export function show(element, shown) {
  if (element.hidden === Boolean(shown)) element.hidden = !shown;
}

/** A held Enter would press a button again and again. @param {Document} document */
export function pressOnce(document) {
  document.addEventListener("keydown", (event) => {
    const presses = event.key === "Enter" || event.key === " ";
    if (event.repeat && presses && event.target.closest?.("button"))
      event.preventDefault();
  });
}

/** Put exactly these children into an element; what stays is not moved. */
export function fill(parent, children) {
  const wanted = children.filter(Boolean);
  const kept = new Set(wanted);
  for (const child of [...parent.childNodes]) if (!kept.has(child)) child.remove();
  wanted.forEach((child, i) => {
    const there = parent.childNodes[i] ?? null;
    if (there !== child) parent.insertBefore(child, there);
  });
}

/** Children of an element that follow a list of things, by key. */
export class Listing {
  /**
   * @param {HTMLElement} parent
   * @param {(thing: object) => unknown} keyOf
   * @param {(thing: object) => {element: HTMLElement, update: Function}} make
   */
  constructor(parent, keyOf, make) {
    Object.assign(this, { parent, keyOf, make, rows: new Map() });
  }

  update(things, ...context) {
    const rows = new Map();
    for (const thing of things) {
      const key = this.keyOf(thing);
      const row = this.rows.get(key) ?? this.make(thing);
      row.update(thing, ...context);
      rows.set(key, row);
    }
    this.rows = rows;
    fill(
      this.parent,
      [...rows.values()].map((row) => row.element),
    );
  }
}
