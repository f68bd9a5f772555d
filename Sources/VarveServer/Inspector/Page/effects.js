/** What a write does or would do, in words. */
import { h } from "./dom.js";
import { count, counted, worded } from "./format.js";
import { namedText } from "./names.js";

const most = 40;

/**
 * A list of entities, the first ones by name.
 * @param {[string, string]} verb what happens to one of them, and to several
 * @param {string[]} ids
 */
export function listed(verb, ids) {
  if (ids.length === 0) return null;
  return h("div", {}, h("h3", {}, counted(ids.length, `entity ${verb[0]}`, `entities ${verb[1]}`)),
    h("ul", { class: "chips" }, ids.slice(0, most).map((id) => h("li", {}, namedText(id))),
      ids.length > most && h("li", { class: "faint" }, `and ${count(ids.length - most)} more`)));
}

/** @param {any} old @param {any} fresh */
export const change = (old, fresh) => h("p", {}, ...pair(old, fresh));

/** @param {any} old @param {any} fresh @returns {any[]} */
export const pair = (old, fresh) => [
  h("del", {}, worded(old)), h("span", { class: "arrow" }, "→"), h("ins", {}, worded(fresh)),
];
