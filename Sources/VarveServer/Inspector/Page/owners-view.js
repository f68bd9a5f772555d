/** Who owns whom, as a tree that is read level by level; the dead are those of the pinned moment. */
import { button, fill, h } from "./dom.js";
import { current, go } from "./address.js";
import { count, counted } from "./format.js";
import { reading } from "./moments.js";
import { latest, settled } from "./latest.js";
import { EntityPanel } from "./entity-panel.js";
import { drawOwners } from "./drawing.js";

/**
 * @typedef {{ id: string, name: string, level: number, owned: number, isDead: boolean, parent: Node_ | null, children: Node_[] | null, place: number, siblings: number }} Node_
 */

const rootCount = 1_000;

export class OwnersView {
  /** @param {HTMLElement} root @param {import("./api.js").Space} space @param {import("./frame.js").Frame} frame */
  constructor(root, space, frame) {
    this.space = space;
    /** @type {Node_[]} */
    this.roots = [];
    /** @type {Set<string>} */
    this.open = new Set();
    this.sort = "owned";
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
    this.roots = await this.nodes(ids, null);
    if (terms.find) {
      const words = terms.find.toLowerCase();
      this.roots = this.roots.filter((node) => `${node.id} ${node.name}`.toLowerCase().includes(words));
    }
    if (terms.root && this.roots[0]) this.open.add(terms.root);
    for (const node of this.roots) if (this.open.has(node.id)) await this.read_(node);
    this.draw();
  }

  /** The types whose first entities own something. @param {any} when */
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
      owned: Array.isArray(owned[index]) ? owned[index].length : 0, isDead: !values[index], parent, children: null, place: 0, siblings: ids.length,
    }));
    if (this.sort === "owned") nodes.sort((one, other) => other.owned - one.owned);
    else nodes.sort((one, other) => (one.name || one.id).localeCompare(other.name || other.id));
    nodes.forEach((node, index) => { node.place = index + 1; });
    return nodes;
  }

  /** Reads what an entity owns, with what it owned at the pinned moment. @param {Node_} node */
  async read_(node) {
    const { at, pin } = current().terms;
    const [now, then] = await this.space.runAll([
      { op: "related", id: node.id, kind: "owns", unknown: true, ...reading(at) },
      pin ? { op: "related", id: node.id, kind: "owns", unknown: true, ...reading(pin === "now" ? undefined : pin) } : { op: "frontier" },
    ]);
    const ids = new Set(Array.isArray(now) ? now : []);
    if (pin && Array.isArray(then)) for (const id of then) ids.add(id);
    node.children = await this.nodes([...ids], node);
    for (const child of node.children) if (this.open.has(child.id) && node.level < 12) await this.read_(child);
  }

  /** @returns {Node_[]} the visible rows */
  get rows() {
    const visit = (/** @type {Node_[]} */ nodes) => nodes.flatMap((/** @type {Node_} */ node) => [node, ...(this.open.has(node.id) && node.children ? visit(node.children) : [])]);
    return visit(this.roots).slice(0, 2_000);
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
      rows.map((node, index) => this.row(node, index)),
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
    const name = cell([h("span", { class: "twist", "aria-hidden": "true" }, node.owned ? (isOpen ? "▾" : "▸") : ""), h("span", { class: "name" }, node.name || node.id)], "tree-name");
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
    const rows = [...this.tree.querySelectorAll(".row[data-id]")];
    this.focused = Math.max(0, Math.min(rows.length - 1, index));
    rows.forEach((row, place) => row.setAttribute("tabindex", place === this.focused ? "0" : "-1"));
    rows[this.focused]?.focus();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const rows = this.rows;
    const node = rows[this.focused];
    if (!node || !/** @type {Element} */ (event.target).closest(".row[data-id]")) return;
    const isOpen = this.open.has(node.id);
    /** @type {Record<string, () => void>} */
    const keys = {
      ArrowDown: () => this.focus(this.focused + 1), ArrowUp: () => this.focus(this.focused - 1),
      Home: () => this.focus(0), End: () => this.focus(rows.length - 1),
      ArrowRight: () => (node.owned && !isOpen ? this.toggle(node) : this.focus(this.focused + (node.owned ? 1 : 0))),
      ArrowLeft: () => (isOpen ? this.toggle(node) : node.parent ? this.focus(rows.indexOf(node.parent)) : undefined),
      Enter: () => go({ terms: { entity: node.id, key: null } }), " ": () => go({ terms: { entity: node.id, key: null } }),
    };
    const action = keys[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }
}
