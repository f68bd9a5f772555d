/** A text of which only the beginning is shown until more is wanted. */
import { button, h } from "./dom.js";
import { beginning, count, shown, text } from "./format.js";

const most = 400;

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
  const part = h("span", {}, `${beginning(all, most)}…`);
  const more = button(`Show all ${count(all.length)} characters`, () => {
    const isShort = more.getAttribute("aria-expanded") === "false";
    part.textContent = isShort ? all : `${beginning(all, most)}…`;
    more.textContent = isShort ? "Show less" : `Show all ${count(all.length)} characters`;
    more.setAttribute("aria-expanded", String(isShort));
  }, { class: "linklike", "aria-expanded": "false", "data-action": "whole" });
  return h("span", { class: "long" }, part, " ", more);
}
