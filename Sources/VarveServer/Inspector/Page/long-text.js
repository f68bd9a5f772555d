/** A text of which only the beginning is shown until more is wanted. */
import { button, h } from "./dom.js";
import { beginning, count, shown, text } from "./format.js";

const most = 400;

/** The texts that were opened: they are open again when a view is drawn anew. @type {Set<string>} */
const opened = new Set();

/**
 * A value as a node, with a button for the rest of it if it is long.
 * @param {any} value
 */
export function whole(value) {
  const all = text(value);
  return all.length > most ? long(all) : shown(value);
}

/** @param {string} all */
export function long(all) {
  if (all.length <= most) return all;
  const part = h("span");
  const more = button("", () => {
    if (!opened.delete(all)) opened.add(all);
    show();
  }, { class: "linklike", "data-action": "whole" });
  const show = () => {
    const isOpen = opened.has(all);
    part.textContent = isOpen ? all : `${beginning(all, most)}…`;
    more.textContent = isOpen ? "Show less" : `Show all ${count(all.length)} characters`;
    more.setAttribute("aria-expanded", String(isOpen));
  };
  show();
  return h("span", { class: "long" }, part, " ", more);
}
