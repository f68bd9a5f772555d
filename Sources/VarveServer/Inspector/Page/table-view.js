/** The entities of a type at a moment: a grid of which only the visible rows are in the page. */
import { button, fill, h, link } from "./dom.js";
import { address, current, go } from "./address.js";
import { count, counted, isNumeric, same, shown, text } from "./format.js";
import { conditions, filterHelp, readFilters, writeFilters } from "./filters.js";
import { reading } from "./moments.js";
import { latest, settled } from "./latest.js";
import { VirtualRows } from "./virtual-rows.js";
import { EntityPanel } from "./entity-panel.js";
import { openColumns } from "./columns.js";

/** A value that an object itself has: a key may be "constructor". */
const held = (/** @type {any} */ values, /** @type {string} */ key) => (Object.hasOwn(values, key) ? values[key] : undefined);
const own = ["id", "@datestamp", "@modified"];
const heads = /** @type {Record<string, string>} */ ({ "@datestamp": "since", "@modified": "last changed" });

export class TableView {
  /** @param {HTMLElement} root @param {import("./api.js").Space} space @param {import("./frame.js").Frame} frame */
  constructor(root, space, frame) {
    this.root = root;
    this.space = space;
    /** @type {{ type: string, count: number }[]} */
    this.types = [];
    /** @type {string[]} */
    this.keys = [];
    /** @type {any[]} */
    this.rows = [];
    this.first = 0;
    this.total = 0;
    /** @type {Map<string, any>} what the pinned moment has */
    this.then = new Map();
    this.mustFocus = false;
    this.timer = 0;
    /** @type {{ row: number, column: number }} */
    this.focus = { row: 0, column: 0 };
    this.build();
    this.panel = new EntityPanel(this.side, space, frame);
    this.load = latest((/** @type {boolean} */ isWhole) => this.read(isWhole));
  }

  build() {
    this.typeList = h("nav", { class: "types", "aria-label": "Types" });
    this.caption = h("div", { class: "caption" });
    this.head = h("div", { class: "grid-head", role: "rowgroup" });
    this.body = h("div", { class: "grid-body", role: "rowgroup" });
    this.grid = h("div", { class: "grid", role: "grid", "aria-labelledby": "table-title", onkeydown: (/** @type {KeyboardEvent} */ event) => this.key(event) },
      this.head, this.body);
    this.viewport = h("div", { class: "grid-viewport" }, this.grid);
    this.side = h("aside", { class: "side", "aria-label": "Entity", hidden: true });
    fill(this.root, this.typeList, h("section", { class: "table" }, this.caption, this.viewport), this.side);
    this.virtual = new VirtualRows(this.viewport, this.body, () => this.load(false));
  }

  end() {
    clearTimeout(this.timer);
    this.virtual.end();
  }

  get type() {
    const wanted = current().terms.type;
    return this.types.some((one) => one.type === wanted) || (wanted && this.types.length === 0)
      ? wanted : (this.types.find((one) => one.count > 1) ?? this.types[0])?.type ?? wanted ?? "";
  }

  show() {
    const { terms } = current();
    const shape = [terms.at, terms.pin, terms.type, terms.where, terms.order, terms.columns].join("\n");
    if (shape !== this.shape) {
      if (this.shape && this.shape.split("\n")[2] !== String(terms.type ?? "")) this.viewport.scrollTop = 0;
      this.shape = shape;
      this.load(true);
    }
    this.panel.show();
  }

  refresh() {
    if (!current().terms.at) this.load(true);
    this.panel.refresh();
  }

  focusFilter() {
    const filters = [...this.head.querySelectorAll("input")];
    (filters.find((input) => input.dataset.key === "name") ?? filters[0])?.focus();
  }

  /** Reads the rows in sight; everything about the table if it is another one. @param {boolean} isWhole */
  async read(isWhole) {
    const { terms } = current();
    const when = reading(terms.at);
    try {
      if (isWhole) {
        // The type of the address may be new.
        const isKnown = terms.type ? this.types.some((one) => one.type === terms.type) : this.types.length > 0;
        if (!isKnown) this.types = await this.space.run({ op: "types", ...when });
      }
      const type = this.type;
      const query = { op: "query", type, where: conditions(readFilters(terms.where)) };
      const { start, count } = isWhole && this.total === 0 ? { start: 0, count: 60 } : this.virtual.range();
      const window = { ...query, order: this.order.length ? this.order : undefined, offset: start, limit: Math.max(count, 40), ...when };
      // A step in time shows its rows first, and counts once the handle rests.
      const isStep = isWhole && this.shownType === type && this.shownWhere === terms.where && this.rows.length > 0;
      const counts = [{ op: "types", ...when }, { ...query, run: "count", ...when }];
      const results = await this.space.runAll(isWhole && !isStep ? [...counts, window] : [window]);
      const rows = results.at(-1);
      if (rows instanceof Error) throw rows;
      const then = await this.readPinned(rows);
      if (isWhole && !isStep) this.take(results);
      if (isStep) this.count(counts);
      this.shownWhere = terms.where;
      [this.rows, this.first, this.then] = [rows, start, then];
      const keys = new Set(this.shownType === type ? this.keys : []);
      const before = keys.size;
      for (const row of rows) for (const key of Object.keys(row.properties)) keys.add(key);
      if (isWhole || keys.size !== before) this.keys = sorted([...keys]);
      if (isWhole && !isStep) this.showTypes();
      const columns = this.columns.join("\n");
      if (columns !== this.shownColumns || this.shownOrder !== terms.order || this.shownType !== type) this.showHead();
      [this.shownColumns, this.shownOrder, this.shownType] = [columns, terms.order, type];
      this.showCaption();
      this.showRows();
    } catch (error) {
      fill(this.caption, h("p", { class: "failure", role: "alert" }, error instanceof Error ? error.message : String(error)));
    }
  }

  /** @param {any[]} results those of `types` and of the query's count */
  take(results) {
    this.types = results[0] instanceof Error ? [] : results[0];
    this.total = results[1] instanceof Error ? 0 : results[1];
    this.virtual.setTotal(this.total);
  }

  /** Counts soon, unless there is another step before. @param {any[]} operations */
  count(operations) {
    clearTimeout(this.timer);
    this.timer = setTimeout(async () => {
      const shape = this.shape;
      const results = await this.space.runAll(operations).catch(() => null);
      if (!results || shape !== this.shape) return;
      this.take(results);
      if (this.type !== this.shownType) return this.load(true);
      this.showTypes();
      this.showCaption();
      this.virtual.look();
    }, 500);
  }

  /** Reads what the pinned moment has of these rows. @param {any[]} rows */
  async readPinned(rows) {
    const { pin } = current().terms;
    if (!pin) return new Map();
    const ids = rows.map((row) => row.id);
    const wish = { op: "query", type: this.type, where: { "@id": { in: ids } } };
    const old = await this.space.run({ ...wish, ...reading(pin === "now" ? undefined : pin) });
    const known = new Map(old.map((/** @type {any} */ one) => [one.id, one.properties]));
    return new Map(ids.map((id) => [id, known.get(id) ?? null]));
  }

  get order() {
    return (current().terms.order ?? "").split(",").filter(Boolean);
  }

  get columns() {
    const chosen = current().terms.columns;
    return chosen ? chosen.split("\n") : ["id", ...this.keys];
  }

  // Showing

  showTypes() {
    const shown = this.types.filter((one) => !one.type.startsWith("varve.") || one.type === this.type);
    fill(this.typeList, h("h2", {}, "Types"), h("ul", {}, shown.map((one) => h("li", {},
      link(address({ terms: { type: one.type, where: null, order: null, columns: null, entity: null } }),
        [h("span", {}, one.type), h("span", { class: "figure" }, count(one.count))],
        { "aria-current": one.type === this.type ? "true" : null })))));
  }

  showCaption() {
    const { terms } = current();
    const all = this.types.find((one) => one.type === this.type)?.count ?? 0;
    const isFiltered = Boolean(terms.where);
    const differing = terms.pin ? this.rows.filter((row) => this.isChanged(row)).length : 0;
    fill(this.caption,
      h("h2", { id: "table-title" }, this.type),
      h("span", { class: "figure" }, isFiltered ? `${count(this.total)} of ${count(all)}` : counted(this.total, "entity", "entities")),
      isFiltered && button("Clear filters", () => go({ terms: { where: null } })),
      terms.pin && h("span", { class: "legend" }, h("span", { class: "swatch changed" }, "•"), ` differs from the pinned moment (${differing} in sight) `,
        link(address({ view: "changes", terms: { entity: null } }), "the whole difference")),
      h("span", { class: "spring" }),
      button("Columns", () => openColumns(this.keys, this.columns, own)));
  }

  showHead() {
    const columns = this.columns;
    const filters = readFilters(current().terms.where);
    const focusedKey = this.head.contains(document.activeElement) && document.activeElement?.tagName === "INPUT"
      ? /** @type {any} */ (document.activeElement).dataset.key : null;
    this.grid.style.setProperty("--columns", columns.map((key) => (key === "id" ? "minmax(150px, 1.1fr)" : key === "name" ? "minmax(170px, 1.6fr)" : "minmax(116px, 1fr)")).join(" "));
    this.grid.setAttribute("aria-colcount", String(columns.length));
    const apply = settled(() => {
      const inputs = /** @type {HTMLInputElement[]} */ ([...this.head.querySelectorAll("input")]);
      go({ terms: { where: writeFilters(Object.fromEntries(inputs.map((input) => [input.dataset.key, input.value]))) } }, { replaces: true });
    }, 140);
    fill(this.head,
      h("div", { class: "row head", role: "row", "aria-rowindex": 1 }, columns.map((key, index) => this.headCell(key, index))),
      h("div", { class: "row filters", role: "row", "aria-rowindex": 2 }, columns.map((key) =>
        h("div", { class: "cell", role: "gridcell" }, key.startsWith("@") ? null : h("input", {
          type: "search", placeholder: "filter", "aria-label": `Filter ${key}`, title: filterHelp, "data-key": key, value: Object.hasOwn(filters, key) ? filters[key] : "",
          oninput: apply, spellcheck: "false", autocomplete: "off",
          onkeydown: (/** @type {KeyboardEvent} */ event) => {
            if (event.key !== "ArrowDown" && event.key !== "Enter") return;
            event.preventDefault();
            event.stopPropagation();
            this.moveTo(this.virtual.range().start === 0 ? 0 : this.first, columns.indexOf(key));
          },
        })))));
    if (focusedKey) /** @type {any} */ (this.head.querySelector(`input[data-key="${CSS.escape(focusedKey)}"]`))?.focus();
  }

  /** @param {string} key @param {number} index */
  headCell(key, index) {
    const name = key === "id" ? "@id" : key;
    const [first] = this.order;
    const direction = first === name ? "ascending" : first === `-${name}` ? "descending" : "none";
    const next = direction === "none" ? name : direction === "ascending" ? `-${name}` : null;
    return h("div", { class: "cell", role: "columnheader", "aria-sort": direction, "aria-colindex": index + 1 },
      button([Object.hasOwn(heads, key) ? heads[key] : key, h("span", { class: "sort", "aria-hidden": "true" }, direction === "none" ? "" : direction === "ascending" ? "▲" : "▼")],
        () => go({ terms: { order: next } }), { class: "sorter" }));
  }

  showRows() {
    const columns = this.columns;
    const selected = current().terms.entity;
    const hadFocus = this.body.contains(document.activeElement);
    this.grid.setAttribute("aria-rowcount", String(this.total + 2));
    const height = this.virtual.height;
    const rows = this.rows.map((row, offset) => {
      const index = this.first + offset;
      const element = h("div", { class: "row", role: "row", "aria-rowindex": index + 3, "aria-selected": row.id === selected ? "true" : "false", "data-id": row.id, "data-index": index,
        onclick: (/** @type {MouseEvent} */ event) => {
          if (/** @type {Element} */ (event.target).closest("a")) return;
          go({ terms: { entity: row.id } });
        } },
        columns.map((key, column) => this.cell(row, key, index, column)));
      element.style.transform = `translateY(${index * height}px)`;
      return element;
    });
    if (this.total === 0) rows.push(h("p", { class: "empty" }, current().terms.where ? "No entity satisfies the filters." : "No entities of this type at this moment."));
    this.body.replaceChildren(...rows);
    if (hadFocus || this.mustFocus) this.focusCell();
    this.mustFocus = false;
  }

  /** @param {any} row @param {string} key @param {number} index @param {number} column */
  cell(row, key, index, column) {
    const value = key === "id" ? row.id : key === "@datestamp" ? { date: row.datestamp } : key === "@modified" ? { date: row.modified } : held(row.properties, key);
    const difference = own.includes(key) ? null : this.difference(row, key, value);
    const isFocus = this.focus.row === index && this.focus.column === column;
    const isHere = isFocus || (index === this.first && column === 0 && !this.isFocusInSight);
    return h("div", { class: `cell${isNumeric(value) ? " number" : ""}${difference ? " changed" : ""}${key === "id" ? " id" : ""}`, role: "gridcell",
      "aria-colindex": column + 1, tabindex: isHere ? "0" : "-1", title: difference ?? (text(value).length > 24 ? text(value) : null) },
      difference && h("span", { class: "dot", "aria-label": difference }, "•"),
      value === undefined ? "" : shown(value));
  }

  get isFocusInSight() {
    return this.focus.row >= this.first && this.focus.row < this.first + this.rows.length;
  }

  /** What a cell was at the pinned moment, if that differs. @param {any} row @param {string} key @param {any} value */
  difference(row, key, value) {
    if (!this.then.has(row.id)) return null;
    const then = this.then.get(row.id);
    if (!then) return value === undefined ? null : "did not exist at the pinned moment";
    if (same(held(then, key), value)) return null;
    return held(then, key) == null ? "had no value at the pinned moment" : `was ${text(held(then, key))} at the pinned moment`;
  }

  /** @param {any} row */
  isChanged(row) {
    return this.columns.some((key) => !own.includes(key) && this.difference(row, key, held(row.properties, key)));
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
    if (this.isFocusInSight) this.focusCell();
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

/** Names first. @param {string[]} keys */
function sorted(keys) {
  const rank = (/** @type {string} */ key) => (["name", "title", "label"].includes(key) ? 0 : 1);
  return keys.sort((one, other) => rank(one) - rank(other) || (one < other ? -1 : 1));
}
