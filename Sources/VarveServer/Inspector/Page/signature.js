/** Who signs what the page writes, if the server names no author: the name that is entered, kept with the tab. */
import { h } from "./dom.js";

const place = "varve-author";

/**
 * A field for the author; null if the server names one.
 * @param {import("./api.js").State | null} state
 */
export function authorField(state) {
  if (!state || state.author) return null;
  return h("input", {
    type: "text", class: "author-field", "aria-label": "Your name", placeholder: "Your name", autocomplete: "off",
    title: "Without a name, the history says “no author”. `--author` of `varve inspect` names one.", value: sessionStorage.getItem(place) ?? "",
    oninput: (/** @type {any} */ event) => sessionStorage.setItem(place, event.target.value.trim()),
  });
}

/**
 * An operation that its author signs.
 * @param {Record<string, any>} operation
 * @param {import("./api.js").State} state
 */
export function signed(operation, state) {
  const name = state.author ? "" : sessionStorage.getItem(place) ?? "";
  return name ? { ...operation, author: name } : operation;
}
