/** Who owns whom, as a tree that is read level by level; the dead are those of the pinned moment. */
import { button, fill, h } from "./dom.js";
import { current, go } from "./address.js";
import { clipped, count, counted } from "./format.js";
import { reading } from "./moments.js";
import { latest, settled } from "./latest.js";
import { EntityPanel } from "./entity-panel.js";
import { drawOwners } from "./drawing.js";

/**
 * @typedef {{ id: string, name: string, level: number, owned: number, isDead: boolean, parent: Node_ | null, children: Node_[] | null, place: number, siblings: number, rest: string[] }} Node_
 * `rest` has what it owns and is not read yet
 *
 * @typedef {{ node: Node_, isMore: boolean }} Row a node, or the offer to read more of what it owns
 */

const rootCount = 1_000;
/** So many of the entities that one owns are read and shown at a time. */
const part = 200;

export class OwnersView {
  /** @param {HTMLElement} root @param {import("./api.js").Space} space @param {import("./frame.js").Frame} frame */
  constructor(root, space, frame) {
    this.space = space;
    /** @type {Node_[]} */
    this.roots = [];
    /** @type {Set<string>} */
    this.open = new Set();
    /** @type {Map<string, number>} how many of what an entity owns were shown */
    this.wanted = new Map();
    /** How often the tree was read. */
    this.times = 0;
    this.sort = "owned";
    /** @type {string | null} */
    this.shape = null;
    /** @type {{ type: string, count: number }[]} */
    this.types = [];
    /** @type {string[]} the types of which some own others */
    this.owning = [];
    /** @type {string | undefined} */
    this.type = undefined;
    /** @type {string | undefined} */
    this.readFor = undefined;
    this.isDrawn = false;
    this.focused = 0;
    this.caption = h("div", { class: "caption" });
    this.tree = h("div", { class: "tree", role: "treegrid", "aria-label": "Ownership", onkeydown: (/** @type {KeyboardEvent} */ event) => this.key(event) });
    this.side = h("aside", { class: "side", "aria-label": "Entity", hidden: true });
    this.figure = h("div", { class: "figure-of-tree" });
    fill(root, h("section", { class: "owners" }, this.caption, this.figure, h("div", { class: "tree-viewport" }, this.tree)), this.side);
    this.panel = new EntityPanel(this.side, space, frame);
    this.load = latest(async () => this.read());
    this.filter = h("input", { type: "search", placeholder: "Find by name", "aria-label": "Find by name", value: current().terms.find ?? "",
      oninput: settled(() => go({ terms: { find: this.filter.value } }, { replaces: true }), 160) });
  }

  focusFilter() {
    this.filter.focus();
  }

  show() {
    const { terms } = current();
    const shape = [terms.at, terms.pin, terms.type, terms.root, terms.find].join("\n");
    if (shape !== this.shape) {
      this.shape = shape;
      this.load(null);
    } else this.mark();
    this.panel.show();
  }

  refresh() {
    this.load(null);
    this.panel.refresh();
  }

  async read() {
    const { terms } = current();
    const when = reading(terms.at);
    this.types = await this.space.run({ op: "types", ...when });
    if (this.type === undefined || this.readFor !== terms.at) this.owning = await this.owningTypes(when);
    this.readFor = terms.at;
    const type = terms.type && this.types.some((/** @type {any} */ one) => one.type === terms.type) ? terms.type : this.owning[0] ?? this.types[0]?.type;
    this.type = type;
    let ids = /** @type {string[]} */ ([]);
    if (terms.root) ids = [terms.root];
    else if (type) ids = await this.space.run({ op: "query", type, run: "ids", limit: rootCount, ...when });
    let roots = await this.nodes(ids, null);
    if (terms.find) {
      const words = terms.find.toLowerCase();
      roots = roots.filter((node) => `${node.id} ${node.name}`.toLowerCase().includes(words));
    }
    if (terms.root && roots[0]) this.open.add(terms.root);
    for (const node of roots) if (this.open.has(node.id)) await this.read_(node);
    // Keys act on what is drawn, so a tree that is half read is not there yet.
    this.roots = roots;
    this.times += 1;
    this.draw();
  }

  /**
   * The types whose first entities own something.
   * @param {any} when
   */
  async owningTypes(when) {
    const probes = await this.space.runAll(this.types.map((/** @type {any} */ one) => ({ op: "query", type: one.type, run: "ids", limit: 5, ...when })));
    const asked = probes.flatMap((ids, index) => (ids instanceof Error ? [] : ids.map((/** @type {string} */ id) => ({ id, type: this.types[index].type }))));
    const owned = await this.space.runAll(asked.map((one) => ({ op: "related", id: one.id, kind: "owns", unknown: true, ...when })));
    return [...new Set(asked.filter((_, index) => !(owned[index] instanceof Error) && owned[index].length > 0).map((one) => one.type))];
  }

  /** @param {string[]} ids @param {Node_ | null} parent @returns {Promise<Node_[]>} */
  async nodes(ids, parent) {
    const { at, pin } = current().terms;
    const when = reading(at);
    const then = pin ? reading(pin === "now" ? undefined : pin) : null;
    const values = ids.length ? await this.space.run({ op: "read", refs: ids, keys: ["name"], ...when }).catch(() => []) : [];
    const owned = await this.space.runAll(ids.map((id) => ({ op: "related", id, kind: "owns", unknown: true, ...(values[ids.indexOf(id)] || !then ? when : then) })));
    const nodes = ids.map((id, index) => ({
      id, name: typeof values[index]?.name === "string" ? values[index].name : "", level: parent ? parent.level + 1 : 1,
      owned: Array.isArray(owned[index]) ? owned[index].length : 0, isDead: !values[index], parent, children: null, place: 0, siblings: ids.length, rest: [],
    }));
    if (this.sort === "owned") nodes.sort((one, other) => other.owned - one.owned);
    else nodes.sort((one, other) => (one.name || one.id).localeCompare(other.name || other.id));
    nodes.forEach((node, index) => { node.place = index + 1; });
    return nodes;
  }

  /**
   * Reads what an entity owns, with what it owned at the pinned moment.
   * @param {Node_} node
   */
  async read_(node) {
    const { at, pin } = current().terms;
    const [now, then] = await this.space.runAll([
      { op: "related", id: node.id, kind: "owns", unknown: true, ...reading(at) },
      pin ? { op: "related", id: node.id, kind: "owns", unknown: true, ...reading(pin === "now" ? undefined : pin) } : { op: "frontier" },
    ]);
    const ids = new Set(Array.isArray(now) ? now : []);
    if (pin && Array.isArray(then)) for (const id of then) ids.add(id);
    const all = [...ids];
    // What was shown before stays shown.
    const wanted = Math.max(part, this.wanted.get(node.id) ?? 0);
    node.children = await this.nodes(all.slice(0, wanted), node);
    node.rest = all.slice(wanted);
    this.number(node);
    for (const child of node.children) if (this.open.has(child.id) && node.level < 12) await this.read_(child);
  }

  /**
   * Reads more of what an entity owns.
   * @param {Node_} node
   */
  async readMore(node) {
    const { times } = this;
    this.wanted.set(node.id, (node.children?.length ?? 0) + part);
    const more = await this.nodes(node.rest.slice(0, part), node);
    // A tree that was read anew meanwhile may have been read without them.
    if (times !== this.times) return this.load(null);
    node.rest = node.rest.slice(part);
    node.children = [...node.children ?? [], ...more];
    this.number(node);
    this.draw();
  }

  /**
   * Tells the children their places among all.
   * @param {Node_} node
   */
  number(node) {
    const siblings = (node.children?.length ?? 0) + node.rest.length;
    node.children?.forEach((child, index) => Object.assign(child, { place: index + 1, siblings }));
  }

  /** @returns {Row[]} the visible rows */
  get rows() {
    /** @type {(nodes: Node_[]) => Row[]} */
    const visit = (nodes) => nodes.flatMap((node) => [{ node, isMore: false }, ...(this.open.has(node.id) && node.children ? visit(node.children) : []),
      ...(this.open.has(node.id) && node.rest.length > 0 ? [{ node, isMore: true }] : [])]);
    return visit(this.roots).slice(0, 4_000);
  }

  draw() {
    const { terms } = current();
    const hadFocus = this.tree.contains(document.activeElement);
    const filterHadFocus = document.activeElement === this.filter;
    fill(this.caption, h("h2", {}, "Ownership"),
      h("label", {}, h("span", { class: "visually-hidden" }, "Type"), h("select", { onchange: (/** @type {any} */ event) => go({ terms: { type: event.target.value, root: null } }) },
        this.types.map((/** @type {any} */ one) => h("option", { value: one.type, selected: one.type === this.type }, `${one.type} (${count(one.count)})`)))),
      this.filter,
      h("div", { class: "segments", role: "group", "aria-label": "Order" },
        ["owned", "name"].map((name) => button(name === "owned" ? "Owns most" : "By name", () => { this.sort = name; this.load(null); }, { class: "button segment", "aria-pressed": String(this.sort === name) }))),
      button(this.isDrawn ? "No drawing" : "Drawing", () => { this.isDrawn = !this.isDrawn; this.draw(); }, { "aria-pressed": String(this.isDrawn), "data-action": "draw" }),
      terms.root && button("All", () => go({ terms: { root: null } })),
      h("span", { class: "figure" }, this.roots.length === rootCount ? `the first ${count(rootCount)}` : counted(this.roots.length, "entity", "entities")),
      terms.pin && h("span", { class: "legend" }, "struck through: lived at the pinned moment, dead here"));
    const rows = this.rows;
    this.focused = Math.min(this.focused, Math.max(0, rows.length - 1));
    fill(this.tree,
      h("div", { class: "row head", role: "row" }, ["Name", "Identifier", "Owns", "State"].map((title, index) => h("div", { class: `cell${index === 0 ? " tree-name" : ""}${index === 2 ? " number" : ""}`, role: "columnheader" }, title))),
      rows.map(({ node, isMore }, index) => (isMore ? this.moreRow(node, index) : this.row(node, index))),
      rows.length === 0 && h("p", { class: "empty" }, "Nothing here owns anything at this moment."));
    fill(this.figure, this.isDrawn && drawOwners(this.roots, this.open));
    if (hadFocus) this.focus(this.focused);
    if (filterHadFocus) this.filter.focus();
  }

  mark() {
    const { entity } = current().terms;
    for (const row of this.tree.querySelectorAll("[data-id]")) row.setAttribute("aria-selected", String(row.dataset.id === entity));
  }

  /** @param {Node_} node @param {number} index */
  row(node, index) {
    const isOpen = this.open.has(node.id);
    const cell = (/** @type {any} */ content, name = "") => h("div", { class: `cell ${name}`, role: "gridcell" }, content);
    const name = cell([h("span", { class: "twist", "aria-hidden": "true" }, node.owned ? (isOpen ? "▾" : "▸") : ""), h("span", { class: "name" }, clipped(node.name || node.id, 120))], "tree-name");
    name.style.setProperty("--level", String(node.level));
    return h("div", { class: `row${node.isDead ? " is-dead" : ""}`, role: "row", tabindex: index === this.focused ? "0" : "-1", "data-id": node.id,
      "aria-level": node.level, "aria-posinset": node.place, "aria-setsize": node.siblings, "aria-expanded": node.owned ? String(isOpen) : null,
      "aria-selected": String(node.id === current().terms.entity),
      onclick: (/** @type {MouseEvent} */ event) => {
        this.focused = index;
        if (/** @type {Element} */ (event.target).closest(".twist") && node.owned) this.toggle(node);
        else go({ terms: { entity: node.id, key: null } });
      } },
    name, cell(node.name ? node.id : "", "faint"), cell(node.owned ? count(node.owned) : "", "number"),
    cell(h("span", { class: `state state-${node.isDead ? "dead" : "live"}` }, node.isDead ? "dead" : "live")));
  }

  /**
   * The offer to show more of what an entity owns.
   * @param {Node_} node
   * @param {number} index
   */
  moreRow(node, index) {
    const words = `Show ${Math.min(part, node.rest.length)} more of ${counted(node.rest.length, "entity", "entities")} that ${clipped(node.name || node.id, 60)} owns`;
    const cell = h("div", { class: "cell tree-name", role: "gridcell" }, h("span", { class: "twist" }), h("span", { class: "linklike" }, words));
    cell.style.setProperty("--level", String(node.level + 1));
    return h("div", { class: "row more", role: "row", tabindex: index === this.focused ? "0" : "-1", "data-more": node.id, "aria-level": node.level + 1,
      onclick: () => { this.focused = index; this.readMore(node); } }, cell);
  }

  /** @param {Node_} node */
  async toggle(node) {
    if (this.open.has(node.id)) this.open.delete(node.id);
    else {
      this.open.add(node.id);
      if (!node.children) await this.read_(node);
    }
    this.draw();
  }

  /** @param {number} index */
  focus(index) {
    const rows = [...this.tree.querySelectorAll(".row[data-id], .row[data-more]")];
    this.focused = Math.max(0, Math.min(rows.length - 1, index));
    rows.forEach((row, place) => row.setAttribute("tabindex", place === this.focused ? "0" : "-1"));
    rows[this.focused]?.focus();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const rows = this.rows;
    const { node, isMore } = rows[this.focused] ?? {};
    if (!node || !/** @type {Element} */ (event.target).closest(".row[data-id], .row[data-more]")) return;
    const isOpen = this.open.has(node.id);
    const choose = () => (isMore ? this.readMore(node) : go({ terms: { entity: node.id, key: null } }));
    const placeOf = (/** @type {Node_} */ wanted) => rows.findIndex((row) => row.node === wanted && !row.isMore);
    /** @type {Record<string, () => void>} */
    const keys = {
      ArrowDown: () => this.focus(this.focused + 1), ArrowUp: () => this.focus(this.focused - 1),
      Home: () => this.focus(0), End: () => this.focus(rows.length - 1),
      ArrowRight: () => (isMore ? undefined : node.owned && !isOpen ? this.toggle(node) : this.focus(this.focused + (node.owned ? 1 : 0))),
      ArrowLeft: () => (isMore ? this.focus(placeOf(node)) : isOpen ? this.toggle(node) : node.parent ? this.focus(placeOf(node.parent)) : undefined),
      Enter: choose, " ": choose,
    };
    const action = keys[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }
}
