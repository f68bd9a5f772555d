/** Who owns whom at a moment, read level by level; with a pinned moment also what is dead here. */
import { sound } from "./api.js";
import { current } from "./address.js";
import { reading } from "./moments.js";

/**
 * @typedef {{ id: string, name: string, level: number, owned: number, isDead: boolean, isAgain: boolean, parent: Node_ | null, children: Node_[] | null, place: number, siblings: number, rest: string[] }} Node_
 * `isAgain`: it is among those that own it, in a circle, and is not opened again; `rest` has what it owns
 * and is not read yet
 *
 * @typedef {{ node: Node_, isMore: boolean }} Row a node, or the offer to read more of what it owns
 */

export const rootCount = 1_000;
/** So many of the entities that one owns are read and shown at a time. */
export const part = 200;
/** So many levels that were open are read again. */
const mostLevels = 12;

export class OwnersTree {
  /** @param {import("./api.js").Space} space */
  constructor(space) {
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
    /** @type {{ type: string, count: number }[]} */
    this.types = [];
    /** @type {string[]} the types of which some own others */
    this.owning = [];
    /** @type {string | undefined} */
    this.type = undefined;
    /** @type {string | undefined} */
    this.readFor = undefined;
  }

  /** Reads the roots, and what is open of each. */
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
    for (const node of roots) if (this.isWanted(node)) await this.readOwned(node);
    // A tree that is half read is not there yet.
    this.roots = roots;
    this.times += 1;
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
    const values = ids.length ? await this.space.run({ op: "read", refs: ids, keys: ["name"], ...when }) : [];
    const owned = sound(await this.space.runAll(ids.map((id, index) => ({ op: "related", id, kind: "owns", unknown: true, ...(values[index] || !then ? when : then) }))));
    const nodes = ids.map((id, index) => ({
      id, name: typeof values[index]?.name === "string" ? values[index].name : "", level: parent ? parent.level + 1 : 1,
      owned: owned[index].length, isDead: !values[index], isAgain: isAbove(id, parent), parent, children: null, place: 0, siblings: ids.length, rest: [],
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
  async readOwned(node) {
    const { at, pin } = current().terms;
    const [now, then] = sound(await this.space.runAll([
      { op: "related", id: node.id, kind: "owns", unknown: true, ...reading(at) },
      pin ? { op: "related", id: node.id, kind: "owns", unknown: true, ...reading(pin === "now" ? undefined : pin) } : { op: "frontier" },
    ]));
    /** @type {Set<string>} */
    const ids = new Set(now);
    if (pin && Array.isArray(then)) for (const id of then) ids.add(id);
    const all = [...ids];
    // What was shown before stays shown.
    const wanted = Math.max(part, this.wanted.get(node.id) ?? 0);
    node.children = await this.nodes(all.slice(0, wanted), node);
    node.rest = all.slice(wanted);
    this.number(node);
    for (const child of node.children) if (this.isWanted(child) && node.level < mostLevels) await this.readOwned(child);
  }

  /**
   * Reads more of what an entity owns.
   * @param {Node_} node
   * @returns {Promise<boolean>} false if the tree was read anew meanwhile, maybe without them
   */
  async readMore(node) {
    const { times } = this;
    this.wanted.set(node.id, (node.children?.length ?? 0) + part);
    const more = await this.nodes(node.rest.slice(0, part), node);
    if (times !== this.times) return false;
    node.rest = node.rest.slice(part);
    node.children = [...node.children ?? [], ...more];
    this.number(node);
    return true;
  }

  /**
   * Tells the children their places among all.
   * @param {Node_} node
   */
  number(node) {
    const siblings = (node.children?.length ?? 0) + node.rest.length;
    node.children?.forEach((child, index) => Object.assign(child, { place: index + 1, siblings }));
  }

  /**
   * Opens or closes an entity.
   * @param {Node_} node
   */
  async toggle(node) {
    if (this.isOpen(node)) {
      this.open.delete(node.id);
      return;
    }
    this.open.add(node.id);
    if (!node.children) await this.readOwned(node);
  }

  /** @param {Node_} node @returns {boolean} whether it was opened; what it owns may be unread */
  isWanted(node) {
    return !node.isAgain && this.open.has(node.id);
  }

  /** @param {Node_} node */
  isOpen(node) {
    return this.isWanted(node) && node.children !== null;
  }

  /** @returns {Row[]} the visible rows */
  get rows() {
    /** @type {(nodes: Node_[]) => Row[]} */
    const visit = (nodes) => nodes.flatMap((node) => [{ node, isMore: false }, ...(this.isOpen(node) ? visit(node.children ?? []) : []),
      ...(this.isOpen(node) && node.rest.length > 0 ? [{ node, isMore: true }] : [])]);
    return visit(this.roots).slice(0, 4_000);
  }
}

/**
 * Whether an entity is among those above a place in the tree.
 * @param {string} id
 * @param {Node_ | null} parent
 */
function isAbove(id, parent) {
  for (let place = parent; place; place = place.parent) if (place.id === id) return true;
  return false;
}
