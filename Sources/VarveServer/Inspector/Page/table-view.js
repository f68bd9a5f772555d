/** The entities of a type at a moment: a grid of which only the visible rows are in the page. */
import { button, fill, h, link } from "./dom.js";
import { address, current, go } from "./address.js";
import { count, counted } from "./format.js";
import { conditions, readFilters } from "./filters.js";
import { deadTypes } from "./dead.js";
import { DeadRows } from "./dead-rows.js";
import { showHead } from "./grid-head.js";
import { differenceThen, GridRows, own } from "./grid-rows.js";
import { latest } from "./latest.js";
import { reading } from "./moments.js";
import { PinnedRows } from "./pinned-rows.js";
import { VirtualRows } from "./virtual-rows.js";
import { EntityPanel } from "./entity-panel.js";
import { keysOf, namesFirst, openColumns } from "./columns.js";
import { showTypes } from "./type-list.js";

/** So many keys are columns unless others are chosen. */
const mostColumns = 60;
/** Once the handle has rested for so many milliseconds, entities are counted. */
const rest = 500;

/** @typedef {{ type: string, where: string | undefined, dead: string | undefined, order: string | undefined, columns: string }} Read what the rows were read for */

export class TableView {
  /** @param {HTMLElement} root @param {import("./api.js").Space} space @param {import("./frame.js").Frame} frame */
  constructor(root, space, frame) {
    this.space = space;
    /** @type {{ type: string, count: number }[]} */
    this.types = [];
    /** @type {Map<string, number>} */
    this.dead = new Map();
    /** @type {string[]} */
    this.keys = [];
    /** @type {any[]} */
    this.rows = [];
    this.first = 0;
    this.total = 0;
    /** @type {Map<string, any>} what the pinned moment has */
    this.then = new Map();
    this.pinned = new PinnedRows(space);
    /** @type {Read | null} */
    this.was = null;
    /** @type {string | null} */
    this.shape = null;
    this.mustFocus = false;
    /** Whether more than the rows in sight is to be read. */
    this.isStale = false;
    this.timer = 0;
    this.ended = new DeadRows(space);
    /** @type {{ row: number, column: number }} */
    this.focus = { row: 0, column: 0 };
    this.typeList = h("nav", { class: "types", "aria-label": "Types" });
    this.caption = h("div", { class: "caption" });
    this.head = h("div", { class: "grid-head", role: "rowgroup" });
    this.body = h("div", { class: "grid-body", role: "rowgroup" });
    this.grid = h("div", { class: "grid", role: "grid", "aria-labelledby": "table-title", onkeydown: (/** @type {KeyboardEvent} */ event) => this.key(event) },
      this.head, this.body);
    this.viewport = h("div", { class: "grid-viewport" }, this.grid);
    this.side = h("aside", { class: "side", "aria-label": "Entity", hidden: true });
    fill(root, this.typeList, h("section", { class: "table" }, this.caption, this.viewport), this.side);
    this.virtual = new VirtualRows(this.viewport, this.body, () => this.load(false));
    this.drawn = new GridRows(this.body, this.virtual.height, (id) => go({ terms: { entity: id } }));
    this.panel = new EntityPanel(this.side, space, frame);
    const next = latest(async () => {
      const { isStale } = this;
      this.isStale = false;
      await this.read(isStale);
    });
    /** @type {(isWhole: boolean) => void} */
    this.load = (isWhole) => {
      // Rows that come into sight meanwhile do not replace the wish for everything.
      this.isStale ||= isWhole;
      next(null);
    };
  }

  end() {
    clearTimeout(this.timer);
    this.virtual.end();
  }

  /** @returns {string} */
  get type() {
    const wanted = current().terms.type;
    const isKnown = (/** @type {string} */ type) => this.types.some((one) => one.type === type) || this.dead.has(type);
    if (wanted && (isKnown(wanted) || this.types.length + this.dead.size === 0)) return wanted;
    return (this.types.find((one) => one.count > 1) ?? this.types[0])?.type ?? [...this.dead.keys()][0] ?? wanted ?? "";
  }

  show() {
    const { terms } = current();
    const shape = [terms.at, terms.pin, terms.type, terms.where, terms.order, terms.columns, terms.dead].join("\n");
    if (shape !== this.shape) {
      if (this.shape && this.shape.split("\n")[2] !== String(terms.type ?? "")) this.viewport.scrollTop = 0;
      this.shape = shape;
      this.load(true);
    } else this.drawn.mark(terms.entity);
    this.panel.show();
  }

  refresh() {
    this.ended.forget();
    if (!current().terms.at) this.load(true);
    this.panel.refresh();
  }

  focusFilter() {
    const filters = [...this.head.querySelectorAll("input")];
    (filters.find((input) => input.dataset.key === "name") ?? filters[0])?.focus();
  }

  // Reading

  /**
   * Reads the rows in sight; everything about the table if it is another one.
   * @param {boolean} isWhole
   */
  async read(isWhole) {
    const { terms } = current();
    try {
      // The type of the address may be new.
      const isKnown = this.was && (!terms.type || this.types.some((one) => one.type === terms.type) || this.dead.has(terms.type));
      if (isWhole && !isKnown) await this.readTypes(terms.at);
      const { type } = this;
      const isStep = isWhole && this.was?.type === type && this.was.where === terms.where && !this.was.dead && !terms.dead && this.rows.length > 0;
      if (isWhole && this.was?.type !== type) this.keys = await keysOf(this.space, type);
      const { rows, start } = terms.dead ? await this.readDead(type, isWhole) : await this.readLive(type, isWhole, isStep);
      this.then = await this.pinned.read(type, rows);
      [this.rows, this.first] = [rows, start];
      this.addKeys();
      const now = { type, where: terms.where, dead: terms.dead, order: terms.order, columns: this.columns.join("\n") };
      if (this.was?.columns !== now.columns || this.was.order !== now.order || this.was.type !== type) this.showHead();
      this.was = now;
      if (isWhole && !isStep) this.showTypes();
      this.showCaption();
      this.showRows();
      // Tells which moment the rows are of.
      this.grid.dataset.at = terms.at ?? "";
    } catch (error) {
      fill(this.caption, h("p", { class: "failure", role: "alert" }, error instanceof Error ? error.message : String(error)));
    }
  }

  /** @param {string | undefined} at */
  async readTypes(at) {
    [this.types, this.dead] = await Promise.all([this.space.run({ op: "types", ...reading(at) }), deadTypes(this.space)]);
  }

  /** Adds keys of the rows that have no columns of their own. */
  addKeys() {
    const keys = new Set(this.keys);
    const before = keys.size;
    for (const row of this.rows) for (const key of Object.keys(row.properties)) keys.add(key);
    if (keys.size !== before) this.keys = namesFirst([...keys]);
  }

  /** @param {string} type @param {boolean} isWhole @param {boolean} isStep */
  async readLive(type, isWhole, isStep) {
    const { terms } = current();
    const when = reading(terms.at);
    const query = { op: "query", type, where: conditions(readFilters(terms.where)) };
    const counts = [{ op: "types", ...when }, { ...query, run: "count", ...when }];
    clearTimeout(this.timer);
    // A step in time reads what can be seen, and the rest once the handle rests.
    const { start, count } = isStep ? this.virtual.range(2) : isWhole && this.total === 0 ? { start: 0, count: 60 } : this.virtual.range();
    const window = { ...query, order: this.order.length ? this.order : undefined, offset: start, limit: isStep ? Math.max(count, 12) : Math.max(count, 40), ...when };
    const results = await this.space.runAll(isWhole && !isStep ? [window, ...counts] : [window]);
    const [rows] = results;
    if (rows instanceof Error) throw rows;
    if (isStep) this.timer = setTimeout(() => this.settle(counts), rest);
    else if (isWhole) this.take(results[1], results[2]);
    return { rows, start };
  }

  /** @param {any} types @param {any} total the results of `types` and of the query's count */
  take(types, total) {
    this.types = types instanceof Error ? [] : types;
    this.total = total instanceof Error ? 0 : total;
    this.virtual.setTotal(this.total);
  }

  /**
   * Counts, and reads the rows around those in sight.
   * @param {any[]} operations
   */
  async settle(operations) {
    const { shape } = this;
    const results = await this.space.runAll(operations).catch(() => null);
    if (!results || shape !== this.shape) return;
    this.take(results[0], results[1]);
    if (!current().terms.at) this.dead = await deadTypes(this.space).catch(() => this.dead);
    if (this.type !== this.was?.type) return this.load(true);
    this.showTypes();
    this.load(false);
  }

  /** @param {string} type @param {boolean} isWhole */
  async readDead(type, isWhole) {
    const { at } = current().terms;
    if (await this.ended.read(type, at) && isWhole) await this.readTypes(at);
    this.total = this.ended.shown.length;
    this.virtual.setTotal(this.total);
    const { start, count } = this.virtual.range();
    return { rows: this.ended.shown.slice(start, start + Math.max(count, 40)), start };
  }

  get order() {
    return (current().terms.order ?? "").split(",").filter(Boolean);
  }

  get columns() {
    const chosen = current().terms.columns;
    return chosen ? chosen.split("\n") : ["id", ...this.keys.slice(0, mostColumns)];
  }

  // Showing

  showTypes() {
    showTypes(this.typeList, this.types, this.dead, this.type);
  }

  showCaption() {
    const { terms } = current();
    const dead = this.dead.get(this.type) ?? 0;
    const differing = terms.pin ? this.rows.filter((row) => this.isChanged(row)).length : 0;
    const focused = this.caption.contains(document.activeElement) ? document.activeElement?.getAttribute("data-action") : null;
    fill(this.caption,
      h("h2", { id: "table-title" }, this.type),
      h("span", { class: "figure" }, this.size),
      terms.where && button("Clear filters", () => go({ terms: { where: null } })),
      (dead > 0 || terms.dead) && button([terms.dead ? "Erased and dead" : "Erased", terms.dead ? "" : h("span", { class: "figure" }, count(dead))],
        () => go({ terms: { dead: terms.dead ? null : "1", entity: null } }),
        { class: "button facet", "aria-pressed": String(Boolean(terms.dead)), "data-action": "dead", title: "Shows what is erased, or dead with its owners" }),
      terms.pin && !terms.dead && h("span", { class: "legend" }, h("span", { class: "swatch changed" }, "•"), ` differs from the pinned moment (${differing} in sight) `,
        link(address({ view: "changes", terms: { entity: null } }), "the whole difference")),
      h("span", { class: "spring" }),
      !terms.columns && this.keys.length > mostColumns && h("span", { class: "faint" }, `the first ${mostColumns} of ${count(this.keys.length)} keys`),
      button("Columns", () => openColumns(this.keys, this.columns, own)));
    if (focused) this.caption.querySelector(`[data-action="${focused}"]`)?.focus();
  }

  /** How many entities the table has, in words. */
  get size() {
    const { terms } = current();
    if (terms.dead) return this.ended.size;
    const all = this.types.find((one) => one.type === this.type)?.count ?? 0;
    return terms.where ? `${count(this.total)} of ${count(all)}` : counted(this.total, "entity", "entities");
  }

  showHead() {
    const { columns } = this;
    const width = (/** @type {string} */ key) => (key === "id" ? "minmax(150px, 1.1fr)" : key === "name" ? "minmax(170px, 1.6fr)" : "minmax(116px, 1fr)");
    this.grid.style.setProperty("--columns", columns.map(width).join(" "));
    this.grid.setAttribute("aria-colcount", String(columns.length));
    showHead(this.head, columns, {
      order: this.order,
      leave: (column) => this.moveTo(this.virtual.range().start === 0 ? 0 : this.first, column),
    });
  }

  showRows() {
    const { terms } = current();
    const hadFocus = this.body.contains(document.activeElement);
    this.grid.setAttribute("aria-rowcount", String(this.total + 2));
    const empty = this.total > 0 || this.rows.length > 0 ? "" : terms.where ? "No entity satisfies the filters."
      : terms.dead ? "Nothing of this type is erased or dead at this moment." : "No entities of this type at this moment.";
    this.drawn.show({ rows: this.rows, first: this.first, columns: this.columns, then: this.then, focus: this.focus, selected: terms.entity, empty });
    if (this.mustFocus || (hadFocus && !this.body.contains(document.activeElement))) this.focusCell();
    this.mustFocus = false;
  }

  /** @param {any} row */
  isChanged(row) {
    return this.columns.some((key) => differenceThen(this.then, row, key));
  }

  // Keys

  /** @param {KeyboardEvent} event */
  key(event) {
    const cell = /** @type {Element} */ (event.target).closest(".grid-body .cell");
    if (!cell || event.ctrlKey || event.metaKey || event.altKey) return;
    const { row, column } = this.focus;
    const last = this.columns.length - 1;
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
      /** @type {any} */ (this.head.querySelectorAll(".filters input")[Math.min(column, last)])?.focus();
      return;
    }
    this.moveTo(target[0], target[1]);
  }

  /** @param {number} row @param {number} column */
  moveTo(row, column) {
    this.focus = {
      row: Math.max(0, Math.min(this.total - 1, row)),
      column: Math.max(0, Math.min(this.columns.length - 1, column)),
    };
    this.virtual.reveal(this.focus.row);
    const isInSight = this.focus.row >= this.first && this.focus.row < this.first + this.rows.length;
    if (isInSight) this.focusCell();
    else this.mustFocus = true;
    this.virtual.look();
  }

  focusCell() {
    const cell = this.body.querySelector(`[data-index="${this.focus.row}"]`)?.children[this.focus.column];
    if (!cell) return;
    for (const other of this.body.querySelectorAll('[tabindex="0"]')) other.setAttribute("tabindex", "-1");
    cell.setAttribute("tabindex", "0");
    cell.focus({ preventScroll: true });
    cell.scrollIntoView?.({ block: "nearest", inline: "nearest" });
  }
}
