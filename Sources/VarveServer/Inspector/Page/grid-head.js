/** The heads of a table's columns: sorting, and filters under them. */
import { button, fill, h } from "./dom.js";
import { current, go } from "./address.js";
import { filterHelp, readFilters, writeFilters } from "./filters.js";
import { settled } from "./latest.js";

const titles = /** @type {Record<string, string>} */ ({ "@id": "id", "@datestamp": "since", "@modified": "last changed" });

/** The title of a column. */
export const titleOf = (/** @type {string} */ key) => (Object.hasOwn(titles, key) ? titles[key] : key);
/** What no filter compares. */
const unfiltered = new Set(["@datestamp", "@modified"]);

export class GridHead {
  /** @param {HTMLElement} root @param {(column: number) => void} leave goes to the rows */
  constructor(root, leave) {
    this.root = root;
    this.leave = leave;
    /** @type {Map<string, string>} what was typed and is not in the address yet */
    this.typed = new Map();
    /** @type {string | undefined} the filters that the boxes show */
    this.where = undefined;
    this.apply = settled(() => {
      if (this.typed.size === 0) return;
      const where = writeFilters({ ...readFilters(current().terms.where), ...Object.fromEntries(this.typed) });
      this.typed.clear();
      go({ terms: { where } }, { replaces: true });
    }, 140);
  }

  /** @param {string[]} columns @param {string[]} order */
  show(columns, order) {
    const { root } = this;
    const active = /** @type {HTMLInputElement | null} */ (document.activeElement);
    const focused = active && root.contains(active) && active.tagName === "INPUT" ? active : null;
    const [key, start, end] = [focused?.dataset.key, focused?.selectionStart ?? null, focused?.selectionEnd ?? null];
    fill(root,
      h("div", { class: "row head", role: "row", "aria-rowindex": 1 }, columns.map((key, index) => headCell(key, index, order))),
      h("div", { class: "row filters", role: "row", "aria-rowindex": 2 }, columns.map((key, index) =>
        h("div", { class: "cell", role: "gridcell" }, unfiltered.has(key) ? null : this.box(key, index)))));
    this.where = current().terms.where;
    const box = key === undefined ? null : /** @type {HTMLInputElement | null} */ (root.querySelector(`input[data-key="${CSS.escape(key)}"]`));
    box?.focus();
    box?.setSelectionRange(start, end);
  }

  /** @param {string} key @param {number} index */
  box(key, index) {
    const box = h("input", {
      type: "search", placeholder: "filter", "aria-label": `Filter ${titleOf(key)}`, title: filterHelp, "data-key": key,
      value: this.typed.get(key) ?? wished(key), spellcheck: "false", autocomplete: "off",
      oninput: () => {
        this.typed.set(key, box.value);
        this.apply();
      },
      onkeydown: (/** @type {KeyboardEvent} */ event) => {
        if (event.key !== "ArrowDown" && event.key !== "Enter") return;
        event.preventDefault();
        event.stopPropagation();
        this.leave(index);
      },
    });
    return box;
  }

  /** Shows the filters of the address, if they are others than before. What was typed for the former ones is dropped. */
  follow() {
    const { where } = current().terms;
    if (where === this.where) return;
    this.where = where;
    this.typed.clear();
    for (const box of /** @type {NodeListOf<HTMLInputElement>} */ (this.root.querySelectorAll("input[data-key]"))) {
      const wish = wished(box.dataset.key ?? "");
      if (box.value !== wish) box.value = wish;
    }
  }
}

/** @param {string} key */
function wished(key) {
  const filters = readFilters(current().terms.where);
  return Object.hasOwn(filters, key) ? filters[key] : "";
}

/** @param {string} key @param {number} index @param {string[]} order */
function headCell(key, index, [first]) {
  const direction = first === key ? "ascending" : first === `-${key}` ? "descending" : "none";
  const next = direction === "none" ? key : direction === "ascending" ? `-${key}` : null;
  const sign = direction === "none" ? "" : direction === "ascending" ? "▲" : "▼";
  return h("div", { class: "cell", role: "columnheader", "aria-sort": direction, "aria-colindex": index + 1 },
    button([titleOf(key), h("span", { class: "sort", "aria-hidden": "true" }, sign)],
      () => go({ terms: { order: next } }), { class: "sorter", title: titleOf(key) }));
}
