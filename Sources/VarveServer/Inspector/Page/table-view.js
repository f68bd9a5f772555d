/** The entities of a type at a moment: a grid of which only the visible rows are in the page. */
import { button, failure, fill, h, link } from "./dom.js";
import { address, current, go } from "./address.js";
import { clipped, count, counted } from "./format.js";
import { GridHead, titleOf } from "./grid-head.js";
import { GridFocus } from "./grid-focus.js";
import { differenceThen, GridRows, own } from "./grid-rows.js";
import { latest } from "./latest.js";
import { placeOf } from "./reveal.js";
import { Anchor } from "./anchor.js";
import { widths } from "./column-widths.js";
import { MoreColumns } from "./more-columns.js";
import { PinnedRows } from "./pinned-rows.js";
import { TableRows } from "./table-rows.js";
import { VirtualRows } from "./virtual-rows.js";
import { EntityPanel } from "./entity-panel.js";
import { keysOf, namesFirst, openColumns } from "./columns.js";
import { showTypes } from "./type-list.js";

/** So many keys are columns unless others are chosen. */
const mostColumns = 60;
/** Rows of the moment before are faint once those of another are awaited for so many milliseconds. */
const patience = 400;

/** @typedef {{ type: string, where: string | undefined, dead: string | undefined, order: string | undefined, columns: string }} Read what the rows were read for */

export class TableView {
  /** @param {HTMLElement} root @param {import("./api.js").Space} space @param {import("./frame.js").Frame} frame */
  constructor(root, space, frame) {
    this.space = space;
    this.frame = frame;
    /** @type {string[]} */
    this.keys = [];
    /** @type {Map<string, any>} what the pinned moment has */
    this.then = new Map();
    this.pinned = new PinnedRows(space);
    /** @type {Read | null} */
    this.was = null;
    /** @type {string | null} */
    this.shape = null;
    /** @type {string | null} the entity that is to be brought into sight */
    this.revealed = null;
    /** Whether more than the rows in sight is to be read. */
    this.isStale = false;
    this.build(root);
    this.virtual = new VirtualRows(this.viewport, this.body, () => this.load(false));
    this.rows = new TableRows(space, this.virtual, (isOther) => this.settled(isOther));
    this.focus = new GridFocus(this, this.virtual, this.rows, () => this.columns);
    this.heads = new GridHead(this.head, (column) => this.focus.enter(column));
    this.drawn = new GridRows(this.body, this.virtual.height, (id) => go({ terms: { entity: id } }));
    this.anchor = new Anchor(this);
    this.more = new MoreColumns(this.viewport, this.head);
    this.viewport.after(this.more.element);
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

  /** @param {HTMLElement} root */
  build(root) {
    this.typeList = h("nav", { class: "types", "aria-label": "Types" });
    this.caption = h("div", { class: "caption" }, h("p", { class: "skeleton" }, "Reading…"));
    this.head = h("div", { class: "grid-head", role: "rowgroup" });
    this.body = h("div", { class: "grid-body", role: "rowgroup" });
    this.grid = h("div", { class: "grid", role: "grid", "aria-labelledby": "table-title", onkeydown: (/** @type {KeyboardEvent} */ event) => this.focus.key(event),
      onfocusin: (/** @type {FocusEvent} */ event) => this.focus.arrive(event) },
      this.head, this.body);
    this.viewport = h("div", { class: "grid-viewport" }, this.grid);
    this.side = h("aside", { class: "side", "aria-label": "Entity", hidden: true });
    fill(root, this.typeList, h("section", { class: "table" }, this.caption, this.viewport), this.side);
  }

  end() {
    this.rows.end();
    this.virtual.end();
    this.more.end();
  }

  show() {
    const { terms } = current();
    this.heads.follow();
    const shape = [terms.at, terms.pin, terms.type, terms.where, terms.order, terms.columns, terms.dead].join("\n");
    if (shape !== this.shape) {
      if (this.shape && this.shape.split("\n")[2] !== String(terms.type ?? "")) this.viewport.scrollTop = 0;
      this.shape = shape;
      this.load(true);
    } else this.drawn.mark(terms.entity);
    this.panel.show();
  }

  refresh() {
    this.rows.ended.forget();
    if (!current().terms.at) this.load(true);
    this.panel.refresh();
  }

  /** @param {string} id */
  reveal(id) {
    this.revealed = id;
    this.load(false);
  }

  /** Gives the focus to the row of an entity that was chosen elsewhere. */
  async showRevealed() {
    const id = this.revealed;
    this.revealed = null;
    if (!id || current().terms.entity !== id) return;
    const place = await placeOf(this.space, this.rows, this.order, id).catch(() => -1);
    if (place >= 0) this.focus.moveTo(place, 0);
    else this.side.querySelector("button")?.focus();
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
    const { rows } = this;
    const waiting = setTimeout(() => this.grid.classList.add("is-waiting"), patience);
    try {
      // The type of the address may be new.
      const isKnown = this.was && (!terms.type || rows.isKnown(terms.type));
      if (isWhole && !isKnown) await rows.readTypes(terms.at);
      const { type } = rows;
      const isStep = isWhole && this.was?.type === type && this.was.where === terms.where && !this.was.dead && !terms.dead && rows.all.length > 0;
      if (isWhole && this.was?.type !== type) this.keys = await keysOf(this.space, type);
      if (isStep) this.anchor.take();
      else if (isWhole) this.anchor.forget();
      const wish = { order: this.order, mayFail: this.frame.bar?.mayLack(terms.at) ?? true };
      await rows.read(type, { ...wish, isWhole, isStep });
      if (isStep && await this.anchor.restore()) await rows.read(type, { ...wish, isWhole: false, isStep: false });
      // The first type of a store, or what is left of them, is known only now.
      if (rows.type !== type) return this.load(true);
      this.then = await this.pinned.read(type, rows.all);
      // Meanwhile another table may be wanted, which is read next.
      if (current().terms.dead !== terms.dead || current().terms.type !== terms.type) return;
      this.addKeys();
      const now = { type, where: terms.where, dead: terms.dead, order: terms.order, columns: this.columns.join("\n") };
      if (this.was?.columns !== now.columns || this.was.order !== now.order || this.was.type !== type) this.showHead();
      this.was = now;
      // A step counts nothing: the counts are those of the moment before, until the handle rests.
      if (isWhole) this.showAge(isStep);
      if (isWhole && !isStep) this.showTypes();
      this.showCaption();
      this.showRows();
      if (this.revealed) await this.showRevealed();
      // Tells which moment the rows are of.
      this.grid.dataset.at = terms.at ?? "";
    } catch (error) {
      // Rows of another moment would be taken for those of this one.
      this.rows.clear();
      this.drawn.show({ rows: [], first: 0, columns: [], then: new Map(), focus: this.focus.place, selected: undefined, empty: "" });
      fill(this.caption, failure(error));
    } finally {
      clearTimeout(waiting);
      this.grid.classList.remove("is-waiting");
    }
  }

  /**
   * The handle rests, and entities were counted.
   * @param {boolean} isOther whether another type is shown than before
   */
  settled(isOther) {
    if (isOther) return this.load(true);
    this.showAge(false);
    this.showTypes();
    this.load(false);
  }

  /** Adds keys of the rows that have no columns of their own. */
  addKeys() {
    const keys = new Set(this.keys);
    const before = keys.size;
    for (const row of this.rows.all) for (const key of Object.keys(row.properties)) keys.add(key);
    if (keys.size !== before) this.keys = namesFirst([...keys]);
  }

  get order() {
    return (current().terms.order ?? "").split(",").filter(Boolean);
  }

  get columns() {
    const chosen = current().terms.columns;
    return chosen ? chosen.split("\n") : ["@id", ...this.keys.slice(0, mostColumns)];
  }

  // Showing

  /**
   * Shows whether the counts are those of a moment before.
   * @param {boolean} isOld
   */
  showAge(isOld) {
    this.typeList.classList.toggle("is-counting", isOld);
    this.caption.classList.toggle("is-counting", isOld);
  }

  showTypes() {
    showTypes(this.typeList, this.rows.types, this.rows.dead, this.rows.type);
  }

  showCaption() {
    const { terms } = current();
    const dead = this.rows.dead.get(this.rows.type) ?? 0;
    const differing = terms.pin ? this.rows.all.filter((row) => this.isChanged(row)).length : 0;
    const focused = this.caption.contains(document.activeElement) ? document.activeElement?.getAttribute("data-action") : null;
    fill(this.caption,
      h("h2", { id: "table-title" }, this.rows.type || "No types"),
      terms.type && terms.type !== this.rows.type && h("span", { class: "failure", role: "alert" }, `There is no type “${clipped(terms.type, 60)}”.`),
      h("span", { class: "figure" }, this.size),
      terms.where && button("Clear filters", () => go({ terms: { where: null } })),
      (dead > 0 || terms.dead || terms.at) && button([terms.dead ? "Erased and dead" : "Erased", terms.dead || terms.at ? "" : h("span", { class: "figure" }, count(dead))],
        () => go({ terms: { dead: terms.dead ? null : "1", entity: null } }),
        { class: "button facet", "aria-pressed": String(Boolean(terms.dead)), "data-action": "dead", title: "Shows what is erased, or dead with its owners" }),
      terms.pin && !terms.dead && h("span", { class: "legend" }, h("span", { class: "swatch changed" }, "•"), ` differs from the pinned moment (${count(differing)} in sight) `,
        link(address({ view: "changes", terms: { entity: null } }), "the whole difference")),
      h("span", { class: "spring" }),
      !terms.columns && this.keys.length > mostColumns && h("span", { class: "faint" }, `the first ${mostColumns} of ${count(this.keys.length)} keys`),
      button("Columns", () => openColumns(this.keys, this.columns, own)));
    if (focused) this.caption.querySelector(`[data-action="${focused}"]`)?.focus();
  }

  /** How many entities the table has, in words. */
  get size() {
    const { terms } = current();
    if (terms.dead) return this.rows.ended.size;
    const all = this.rows.types.find((one) => one.type === this.rows.type)?.count ?? 0;
    return terms.where ? `${count(this.rows.total)} of ${count(all)}` : counted(this.rows.total, "entity", "entities");
  }

  showHead() {
    const { columns } = this;
    this.grid.style.setProperty("--columns", widths(columns, this.rows.all, titleOf).join(" "));
    this.grid.setAttribute("aria-colcount", String(columns.length));
    this.heads.show(columns, this.order);
    this.more.show();
  }

  showRows() {
    const { terms } = current();
    const { all, first, total } = this.rows;
    const hadFocus = this.body.contains(document.activeElement);
    this.grid.setAttribute("aria-rowcount", String(total + 2));
    const empty = total > 0 || all.length > 0 ? "" : !this.rows.type ? "Nothing was written yet." : terms.where ? "No entity satisfies the filters at this moment."
      : terms.dead ? "Nothing of this type is erased or dead at this moment." : "No entities of this type at this moment.";
    this.drawn.show({ rows: all, first, columns: this.columns, then: this.then, focus: this.focus.place, selected: terms.entity, empty });
    if (this.focus.isDue || (hadFocus && !this.body.contains(document.activeElement))) this.focus.take();
  }

  /** @param {any} row */
  isChanged(row) {
    return this.columns.some((key) => differenceThen(this.then, row, key));
  }
}
