/** Draws the rows of a table. A row that says the same as before keeps its element. */
import { h } from "./dom.js";
import { clipped, entityAddress, isNumeric, same, shown, text } from "./format.js";
import { writeJSON } from "./exact.js";

/** Columns that are no properties. */
export const own = ["@id", "@datestamp", "@modified"];

/** A value that an object itself has: a key may be "constructor". */
export const held = (/** @type {any} */ values, /** @type {string} */ key) => (Object.hasOwn(values, key) ? values[key] : undefined);

/**
 * @typedef {object} Shown
 * @property {any[]} rows
 * @property {number} first the place of the first row in the whole table
 * @property {string[]} columns
 * @property {Map<string, any>} then what the pinned moment has
 * @property {{ row: number, column: number }} focus
 * @property {string | undefined} selected
 * @property {string} empty what is said if there are no rows at all
 */

export class GridRows {
  /** @param {HTMLElement} body @param {number} height @param {(id: string) => void} choose */
  constructor(body, height, choose) {
    this.body = body;
    this.height = height;
    this.choose = choose;
    /** @type {Map<string, { says: string, element: HTMLElement }>} */
    this.kept = new Map();
  }

  /** @param {Shown} table */
  show(table) {
    const { rows, first, columns } = table;
    const names = columns.join("\n");
    /** @type {typeof this.kept} */
    const kept = new Map();
    const elements = rows.map((row, offset) => {
      const index = first + offset;
      const says = writeJSON([index, names, row, table.then.has(row.id) ? table.then.get(row.id) : 0]);
      const known = this.kept.get(row.id);
      const element = known?.says === says ? renewed(known.element) : this.row(table, row, index);
      kept.set(row.id, { says, element });
      return element;
    });
    if (table.empty) elements.push(h("p", { class: "empty" }, table.empty));
    this.kept = kept;
    // Elements that stay where they are keep their layout and the focus.
    elements.forEach((element, place) => {
      const here = this.body.children[place];
      if (here !== element) this.body.insertBefore(element, here ?? null);
    });
    while (this.body.children.length > elements.length) this.body.lastElementChild?.remove();
    this.mark(table.selected);
    this.mayFocus(table);
  }

  /**
   * Marks the row of the entity that is shown beside the table.
   * @param {string | undefined} selected
   */
  mark(selected) {
    for (const { element } of this.kept.values()) {
      element.setAttribute("aria-selected", String(element.dataset.id === selected));
    }
  }

  /**
   * Lets the tabulator reach one cell: that of the focus, or the first in sight.
   * @param {Shown} table
   */
  mayFocus({ rows, first, focus }) {
    const isInSight = focus.row >= first && focus.row < first + rows.length;
    const [row, column] = isInSight ? [focus.row, focus.column] : [first, 0];
    for (const cell of this.body.querySelectorAll('[tabindex="0"]')) cell.setAttribute("tabindex", "-1");
    this.body.querySelector(`[data-index="${row}"]`)?.children[column]?.setAttribute("tabindex", "0");
  }

  /** @param {Shown} table @param {any} row @param {number} index @returns {HTMLElement} */
  row(table, row, index) {
    const element = h("div", {
      class: `row${row.state ? " is-dead" : ""}`, role: "row", "aria-rowindex": index + 3, "data-id": row.id, "data-index": index,
      onclick: (/** @type {MouseEvent} */ event) => {
        if (!(/** @type {Element} */ (event.target).closest("a"))) this.choose(row.id);
      },
    }, table.columns.map((key, column) => cell(table, row, key, column)));
    element.style.transform = `translateY(${index * this.height}px)`;
    return element;
  }
}

/**
 * A row whose links lead to the moment that is shown now.
 * @param {HTMLElement} element
 */
function renewed(element) {
  for (const link of element.querySelectorAll("a.entity")) {
    link.setAttribute("href", entityAddress(/** @type {HTMLElement} */ (link).dataset.entity ?? ""));
  }
  return element;
}

/** @param {Shown} table @param {any} row @param {string} key @param {number} column */
function cell(table, row, key, column) {
  const value = key === "@id" ? row.id : key === "@datestamp" ? dated(row.datestamp) : key === "@modified" ? dated(row.modified) : held(row.properties, key);
  const difference = differenceThen(table.then, row, key);
  const all = text(value);
  return h("div", {
    class: `cell${isNumeric(value) ? " number" : ""}${difference ? " changed" : ""}${key === "@id" ? " id" : ""}`, role: "gridcell",
    "aria-colindex": column + 1, tabindex: "-1", title: difference ?? (all.length > 24 ? clipped(all, 600) : null),
  },
  difference && h("span", { class: "dot", "aria-label": difference }, "•"),
  value === undefined ? "" : shown(value));
}

/** @param {string | null} date */
const dated = (date) => (date ? { date } : undefined);

/**
 * What a cell was at the pinned moment; null if that is the same.
 * @param {Map<string, any>} pinned
 * @param {any} row
 * @param {string} key
 */
export function differenceThen(pinned, row, key) {
  if (own.includes(key) || !pinned.has(row.id)) return null;
  const value = held(row.properties, key);
  const then = pinned.get(row.id);
  if (!then) return value === undefined ? null : "did not exist at the pinned moment";
  if (same(held(then, key), value)) return null;
  return held(then, key) == null ? "had no value at the pinned moment" : `was ${clipped(text(held(then, key)), 600)} at the pinned moment`;
}
