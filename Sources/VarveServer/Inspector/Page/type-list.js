/** The types of a store, with how many entities of each live at the moment, and how many are dead. */
import { fill, h, link } from "./dom.js";
import { address } from "./address.js";
import { count, counted } from "./format.js";

/**
 * @param {Element} root
 * @param {{ type: string, count: number }[]} live
 * @param {Map<string, number>} dead for all types that ever had an entity
 * @param {string} shown
 */
export function showTypes(root, live, dead, shown) {
  const known = new Set(live.map((one) => one.type));
  const others = [...dead.keys()].filter((type) => !known.has(type)).map((type) => ({ type, count: 0 }));
  const types = [...live, ...others].filter((one) => !one.type.startsWith("varve.") || one.type === shown)
    // Each type keeps its place, whatever the moment has of it.
    .sort((one, other) => (one.type < other.type ? -1 : 1));
  fill(root, h("h2", {}, "Types"), h("ul", {}, types.map((one) => {
    const erased = dead.get(one.type) ?? 0;
    const terms = { type: one.type, where: null, order: null, columns: null, entity: null, dead: one.count === 0 && erased ? "1" : null };
    return h("li", {}, link(address({ terms }),
      [h("span", {}, one.type), h("span", { class: "figure" }, count(one.count))],
      { "aria-current": one.type === shown ? "true" : null, class: one.count === 0 ? "faint" : null,
        title: `${counted(one.count, "live entity", "live entities")}${erased ? `; ${count(erased)} erased or dead today` : ""}` }));
  })));
}
