/** Shows who owns whom as a tree grid. The dead are those of the pinned moment. */
import { button, failure, fill, h } from "./dom.js";
import { current, go } from "./address.js";
import { clipped, count, counted } from "./format.js";
import { latest, settled } from "./latest.js";
import { EntityPanel } from "./entity-panel.js";
import { drawOwners } from "./drawing.js";
import { OwnersTree, part, rootCount } from "./owners-tree.js";

/** @typedef {import("./owners-tree.js").Node_} Node_ */

export class OwnersView {
  /** @param {HTMLElement} root @param {import("./api.js").Space} space @param {import("./frame.js").Frame} frame */
  constructor(root, space, frame) {
    this.space = space;
    this.owners = new OwnersTree(space);
    /** @type {string | null} */
    this.shape = null;
    this.isDrawn = false;
    this.focused = 0;
    this.caption = h("div", { class: "caption" }, h("p", { class: "skeleton" }, "Reading…"));
    this.tree = h("div", { class: "tree", role: "treegrid", "aria-label": "Ownership", onkeydown: (/** @type {KeyboardEvent} */ event) => this.key(event) });
    this.side = h("aside", { class: "side", "aria-label": "Entity", hidden: true });
    this.figure = h("div", { class: "figure-of-tree" });
    fill(root, h("section", { class: "owners" }, this.caption, this.figure, h("div", { class: "tree-viewport" }, this.tree)), this.side);
    this.panel = new EntityPanel(this.side, space, frame);
    this.load = latest(async () => {
      const failure = await this.owners.read().then(() => null, (error) => error);
      if (failure) return this.fail(failure);
      // Keys act on what is drawn, so a tree that is half read is not there yet.
      this.draw();
    });
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

  /**
   * Says why there is no tree. That of another moment would be taken for one of this.
   * @param {any} error
   */
  fail(error) {
    this.owners.roots = [];
    this.draw();
    fill(this.tree, failure(error, "empty"));
  }

  draw() {
    const { terms } = current();
    const hadFocus = this.tree.contains(document.activeElement);
    const filterHadFocus = document.activeElement === this.filter;
    fill(this.caption, h("h2", {}, "Ownership"),
      this.owners.types.length > 0 && h("label", {}, h("span", { class: "visually-hidden" }, "Type"), h("select", { onchange: (/** @type {any} */ event) => go({ terms: { type: event.target.value, root: null } }) },
        this.owners.types.map((/** @type {any} */ one) => h("option", { value: one.type, selected: one.type === this.owners.type }, `${one.type} (${count(one.count)})`)))),
      this.filter,
      h("div", { class: "segments", role: "group", "aria-label": "Order" },
        ["owned", "name"].map((name) => button(name === "owned" ? "Owns most" : "By name", () => { this.owners.sort = name; this.load(null); }, { class: "button segment", "aria-pressed": String(this.owners.sort === name) }))),
      button(this.isDrawn ? "No drawing" : "Drawing", () => { this.isDrawn = !this.isDrawn; this.draw(); }, { "aria-pressed": String(this.isDrawn), "data-action": "draw" }),
      terms.root && button("All", () => go({ terms: { root: null } })),
      h("span", { class: "figure" }, this.owners.roots.length === rootCount ? `the first ${count(rootCount)}` : counted(this.owners.roots.length, "entity", "entities")),
      terms.pin && h("span", { class: "legend" }, "struck through: lived at the pinned moment, dead here"));
    const rows = this.owners.rows;
    this.focused = Math.min(this.focused, Math.max(0, rows.length - 1));
    fill(this.tree,
      h("div", { class: "row head", role: "row" }, ["Name", "Identifier", "Owns", "State"].map((title, index) => h("div", { class: `cell${index === 0 ? " tree-name" : ""}${index === 2 ? " number" : ""}`, role: "columnheader" }, title))),
      rows.map(({ node, isMore }, index) => (isMore ? this.moreRow(node, index) : this.row(node, index))),
      rows.length === 0 && h("p", { class: "empty" }, "Nothing here owns anything at this moment."));
    fill(this.figure, this.isDrawn && drawOwners(this.owners.roots, this.owners.open));
    if (hadFocus) this.focus(this.focused);
    if (filterHadFocus) this.filter.focus();
  }

  mark() {
    const { entity } = current().terms;
    for (const row of this.tree.querySelectorAll("[data-id]")) row.setAttribute("aria-selected", String(row.dataset.id === entity));
  }

  /** @param {Node_} node @param {number} index */
  row(node, index) {
    const isOpen = this.owners.isOpen(node);
    const opens = node.owned > 0 && !node.isAgain;
    const cell = (/** @type {any} */ content, name = "") => h("div", { class: `cell ${name}`, role: "gridcell" }, content);
    const name = cell([h("span", { class: "twist", "aria-hidden": "true" }, opens ? (isOpen ? "▾" : "▸") : ""), h("span", { class: "name" }, clipped(node.name || node.id, 120)),
      node.isAgain && h("span", { class: "faint" }, " (again, as above)")], "tree-name");
    name.style.setProperty("--level", String(node.level));
    return h("div", { class: `row${node.isDead ? " is-dead" : ""}`, role: "row", tabindex: index === this.focused ? "0" : "-1", "data-id": node.id,
      "aria-level": node.level, "aria-posinset": node.place, "aria-setsize": node.siblings, "aria-expanded": opens ? String(isOpen) : null,
      "aria-selected": String(node.id === current().terms.entity),
      onclick: (/** @type {MouseEvent} */ event) => {
        this.focused = index;
        if (/** @type {Element} */ (event.target).closest(".twist") && opens) this.toggle(node);
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
    await this.owners.toggle(node).then(() => this.draw(), (error) => this.fail(error));
  }

  /** @param {Node_} node */
  async readMore(node) {
    if (await this.owners.readMore(node)) this.draw();
    else this.load(null);
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
    const rows = this.owners.rows;
    const { node, isMore } = rows[this.focused] ?? {};
    if (!node || !/** @type {Element} */ (event.target).closest(".row[data-id], .row[data-more]")) return;
    const isOpen = this.owners.isOpen(node);
    const opens = node.owned > 0 && !node.isAgain;
    const choose = () => (isMore ? this.readMore(node) : go({ terms: { entity: node.id, key: null } }));
    const placeOf = (/** @type {Node_} */ wanted) => rows.findIndex((row) => row.node === wanted && !row.isMore);
    /** @type {Record<string, () => void>} */
    const keys = {
      ArrowDown: () => this.focus(this.focused + 1), ArrowUp: () => this.focus(this.focused - 1),
      Home: () => this.focus(0), End: () => this.focus(rows.length - 1),
      ArrowRight: () => (isMore ? undefined : opens && !isOpen ? this.toggle(node) : this.focus(this.focused + (opens ? 1 : 0))),
      ArrowLeft: () => (isMore ? this.focus(placeOf(node)) : isOpen ? this.toggle(node) : node.parent ? this.focus(placeOf(node.parent)) : undefined),
      Enter: choose, " ": choose,
    };
    const action = keys[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }
}
