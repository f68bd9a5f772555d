/** Every value that a property ever had, newest first. */
import { button, h } from "./dom.js";
import { byWhom, commit, same, time } from "./format.js";
import { whole } from "./long-text.js";
import { go } from "./address.js";

const words = /** @type {Record<string, string>} */ ({
  created: "created", recreated: "created anew", erased: "erased", restored: "restored",
  removed: "removed", related: "added", unrelated: "taken out", collection: "became a list", set: "",
});

/**
 * @param {any[]} versions
 * @param {{ current?: any, restore?: (version: any) => void, isPast?: boolean }} [options] `isPast`: the present may have another
 *   value than the one that is shown
 */
export function historyList(versions, options = {}) {
  const { current, restore, isPast } = options;
  if (versions.length === 0) return h("p", { class: "faint" }, "Nothing was written.");
  const shownVersion = current === undefined ? 0 : versions.findIndex((version) => same(version.value, current));
  return h("ol", { class: "versions" }, versions.map((version, index) => {
    const isCurrent = index === shownVersion;
    const word = words[version.change] ?? version.change;
    return h("li", { class: `version${isCurrent ? " is-current" : ""}` },
      h("b", {}, isCurrent && current !== undefined ? h("span", { class: "visually-hidden" }, "shown: ") : "", word, word && version.value !== null ? " " : "", version.value !== null || !word ? whole(version.value) : ""),
      h("span", { class: "by" }, time(version.time), ` · ${byWhom(version)}`, version.message ? ` · ${version.message}` : ""),
      h("span", { class: "links" },
        button("Go there", () => go({ terms: { at: version.time, scale: "dates" } }), { class: "linklike", "data-action": "go" }),
        h("span", {}, "commit ", commit(version.commit)),
        restore && (isPast || !isCurrent) && version.change === "set" && button("Restore…", () => restore(version), { class: "linklike", "data-action": "restore" })));
  }));
}
