/** The keys of a table: which cell has the focus, and where it goes. */
import { go } from "./address.js";

export class GridFocus {
  /**
   * @param {{ head: HTMLElement, body: HTMLElement, viewport: HTMLElement }} parts
   * @param {import("./virtual-rows.js").VirtualRows} virtual
   * @param {import("./table-rows.js").TableRows} rows
   * @param {() => string[]} columns
   */
  constructor(parts, virtual, rows, columns) {
    this.head = parts.head;
    this.body = parts.body;
    this.viewport = parts.viewport;
    this.virtual = virtual;
    this.rows = rows;
    this.columns = columns;
    /** @type {{ row: number, column: number }} */
    this.place = { row: 0, column: 0 };
    /** Whether the cell takes the focus once its row is there. */
    this.isDue = false;
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const cell = /** @type {Element} */ (event.target).closest(".grid-body .cell");
    if (!cell || event.ctrlKey || event.metaKey || event.altKey) return;
    const { row, column } = this.place;
    const last = this.columns().length - 1;
    const page = Math.max(1, Math.floor(this.viewport.clientHeight / this.virtual.height) - 3);
    /** @type {Record<string, [number, number]>} */
    const moves = {
      ArrowDown: [row + 1, column], ArrowUp: [row - 1, column], ArrowRight: [row, column + 1], ArrowLeft: [row, column - 1],
      PageDown: [row + page, column], PageUp: [row - page, column], Home: [row, 0], End: [row, last],
    };
    if (event.key === "Enter") {
      event.preventDefault();
      const inner = cell.querySelector("a");
      if (inner) inner.click();
      else go({ terms: { entity: cell.parentElement?.dataset.id ?? null } });
      return;
    }
    const target = moves[event.key];
    if (!target) return;
    event.preventDefault();
    if (event.key === "ArrowUp" && row === 0) {
      /** @type {any} */ (this.head.querySelectorAll(".filters .cell")[Math.min(column, last)]?.querySelector("input"))?.focus();
      return;
    }
    this.moveTo(target[0], target[1]);
  }

  /** @param {number} row @param {number} column */
  moveTo(row, column) {
    const { first, all, total } = this.rows;
    this.place = {
      row: Math.max(0, Math.min(total - 1, row)),
      column: Math.max(0, Math.min(this.columns().length - 1, column)),
    };
    this.virtual.reveal(this.place.row);
    const isInSight = this.place.row >= first && this.place.row < first + all.length;
    if (isInSight) this.take();
    else this.isDue = true;
    this.virtual.look();
  }

  /** Goes to the first row in sight, from a column's head. */
  enter(/** @type {number} */ column) {
    this.moveTo(this.virtual.range().start === 0 ? 0 : this.rows.first, column);
  }

  /**
   * The keys go on from the cell that has the focus.
   * @param {FocusEvent} event
   */
  arrive(event) {
    const cell = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest(".grid-body .cell"));
    const row = cell?.parentElement;
    if (cell && row?.dataset.index) this.place = { row: Number(row.dataset.index), column: [...row.children].indexOf(cell) };
  }

  /** Gives the cell the focus. */
  take() {
    this.isDue = false;
    const cell = /** @type {HTMLElement | undefined} */ (this.body.querySelector(`[data-index="${this.place.row}"]`)?.children[this.place.column]);
    if (!cell) return;
    for (const other of this.body.querySelectorAll('[tabindex="0"]')) other.setAttribute("tabindex", "-1");
    cell.setAttribute("tabindex", "0");
    cell.focus({ preventScroll: true });
    cell.scrollIntoView?.({ block: "nearest", inline: "nearest" });
  }
}
