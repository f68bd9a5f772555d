/** Makes elements. Text is always text: nothing is ever parsed as markup. */

/**
 * @typedef {any} Child a node or a text, or a list of them; what is null, undefined or false is left out
 * @typedef {Record<string, any>} Properties `on…` is a listener, `class` a class, the rest attributes.
 */

const svgNames = new Set(["svg", "g", "rect", "line", "path", "text", "circle", "title"]);

/**
 * Returns a new element.
 * @param {string} name
 * @param {Properties} [properties]
 * @param {...(Child | Child[])} children
 * @returns {any}
 */
export function h(name, properties = {}, ...children) {
  const element = svgNames.has(name)
    ? document.createElementNS("http://www.w3.org/2000/svg", name)
    : document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "value" || key === "checked" || key === "disabled" || key === "hidden") /** @type {any} */ (element)[key] = value;
    else element.setAttribute(key, value === true ? "" : key === "title" || key === "aria-label" ? seen(String(value)) : String(value));
  }
  append(element, children);
  return element;
}

/**
 * A text in which characters that turn the direction of others are seen, and turn nothing.
 * @param {string} text
 */
export const seen = (text) => text.replace(/[\u202A-\u202E\u2066-\u2069]/g, (one) => `[U+${one.charCodeAt(0).toString(16).toUpperCase()}]`);

/**
 * Appends children, leaving out those that are nothing.
 * @param {Element} element
 * @param {any[]} children
 */
export function append(element, children) {
  for (const child of children.flat(3)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : seen(String(child)));
  }
}

/**
 * Replaces all children.
 * @param {Element} element
 * @param {...any} children
 */
export function fill(element, ...children) {
  element.replaceChildren();
  append(element, children);
}

/**
 * Returns a button.
 * @param {any} label
 * @param {(event: Event) => void} press
 * @param {Properties} [properties]
 */
export function button(label, press, properties = {}) {
  return h("button", { type: "button", class: "button", onclick: press, ...properties }, label);
}

/**
 * Returns a link within the page.
 * @param {string} href
 * @param {any} label
 * @param {Properties} [properties]
 */
export function link(href, label, properties = {}) {
  return h("a", { href, ...properties }, label);
}

/**
 * Says why something cannot be shown, and what helps.
 * @param {any} error
 * @param {string} [place] a class
 */
export function failure(error, place = "") {
  const remedy = error?.remedy ? `. ${error.remedy}` : "";
  return h("p", { class: `failure ${place}`.trim(), role: "alert" }, error instanceof Error ? error.message : String(error),
    h("span", { class: "soft" }, remedy));
}

/** @param {Node} main @param {Node} other */
export const contains = (main, other) => main === other || main.contains(other);
