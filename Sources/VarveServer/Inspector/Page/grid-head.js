/** The heads of a table's columns: sorting, and filters under them. */
import { button, fill, h } from "./dom.js";
import { current, go } from "./address.js";
import { filterHelp, readFilters, writeFilters } from "./filters.js";
import { settled } from "./latest.js";

const titles = /** @type {Record<string, string>} */ ({ "@datestamp": "since", "@modified": "last changed" });

/**
 * @param {HTMLElement} root
 * @param {string[]} columns
 * @param {{ order: string[], leave: (column: number) => void }} options `leave` goes to the rows
 */
export function showHead(root, columns, { order, leave }) {
  const filters = readFilters(current().terms.where);
  const active = /** @type {HTMLElement | null} */ (document.activeElement);
  const focused = active && root.contains(active) && active.tagName === "INPUT" ? active.dataset.key : null;
  const apply = settled(() => {
    const inputs = /** @type {HTMLInputElement[]} */ ([...root.querySelectorAll("input")]);
    go({ terms: { where: writeFilters(Object.fromEntries(inputs.map((input) => [input.dataset.key, input.value]))) } }, { replaces: true });
  }, 140);
  fill(root,
    h("div", { class: "row head", role: "row", "aria-rowindex": 1 }, columns.map((key, index) => headCell(key, index, order))),
    h("div", { class: "row filters", role: "row", "aria-rowindex": 2 }, columns.map((key, index) =>
      h("div", { class: "cell", role: "gridcell" }, key.startsWith("@") ? null : h("input", {
        type: "search", placeholder: "filter", "aria-label": `Filter ${key}`, title: filterHelp, "data-key": key,
        value: Object.hasOwn(filters, key) ? filters[key] : "", oninput: apply, spellcheck: "false", autocomplete: "off",
        onkeydown: (/** @type {KeyboardEvent} */ event) => {
          if (event.key !== "ArrowDown" && event.key !== "Enter") return;
          event.preventDefault();
          event.stopPropagation();
          leave(index);
        },
      })))));
  if (focused) /** @type {HTMLElement | null} */ (root.querySelector(`input[data-key="${CSS.escape(focused)}"]`))?.focus();
}

/** @param {string} key @param {number} index @param {string[]} order */
function headCell(key, index, [first]) {
  const name = key === "id" ? "@id" : key;
  const direction = first === name ? "ascending" : first === `-${name}` ? "descending" : "none";
  const next = direction === "none" ? name : direction === "ascending" ? `-${name}` : null;
  const sign = direction === "none" ? "" : direction === "ascending" ? "▲" : "▼";
  return h("div", { class: "cell", role: "columnheader", "aria-sort": direction, "aria-colindex": index + 1 },
    button([Object.hasOwn(titles, key) ? titles[key] : key, h("span", { class: "sort", "aria-hidden": "true" }, sign)],
      () => go({ terms: { order: next } }), { class: "sorter", title: key }));
}
