/** Reads the rows of a table: those in sight at a moment, and how many there are. */
import { sound } from "./api.js";
import { current } from "./address.js";
import { conditions, readFilters } from "./filters.js";
import { deadTypes } from "./dead.js";
import { DeadRows } from "./dead-rows.js";
import { KeptResults } from "./kept-results.js";
import { reading } from "./moments.js";

/** Once the handle has rested for so many milliseconds, entities are counted. */
const rest = 500;

export class TableRows {
  /**
   * @param {import("./api.js").Space} space
   * @param {import("./virtual-rows.js").VirtualRows} virtual
   * @param {(isOther: boolean) => void} settled called once entities were counted; with whether the type is another
   */
  constructor(space, virtual, settled) {
    this.space = space;
    this.virtual = virtual;
    this.settled = settled;
    this.kept = new KeptResults(space);
    this.ended = new DeadRows(space);
    /** @type {{ type: string, count: number }[]} */
    this.types = [];
    /** @type {Map<string, number>} how many are dead, of all types that ever had any */
    this.dead = new Map();
    /** How many entities the table has. */
    this.total = 0;
    /** @type {any[]} */
    this.all = [];
    /** The place of the first of them in the table. */
    this.first = 0;
    this.timer = 0;
    this.errand = 0;
  }

  end() {
    clearTimeout(this.timer);
  }

  /** Forgets the rows: what the moment has is unknown. */
  clear() {
    this.all = [];
    this.total = 0;
    this.virtual.setTotal(0);
  }

  /** @returns {string} the type that the address names, if there is one like it */
  get type() {
    const wanted = current().terms.type;
    if (wanted && (this.isKnown(wanted) || this.types.length + this.dead.size === 0)) return wanted;
    return (this.types.find((one) => one.count > 1) ?? this.types[0])?.type ?? [...this.dead.keys()][0] ?? wanted ?? "";
  }

  /** @param {string} type */
  isKnown(type) {
    return this.types.some((one) => one.type === type) || this.dead.has(type);
  }

  /** @param {string | undefined} at */
  async readTypes(at) {
    [this.types, this.dead] = await Promise.all([this.space.run({ op: "types", ...reading(at) }), deadTypes(this.space)]);
  }

  /**
   * Reads the rows in sight of the live or of the dead.
   * @param {string} type
   * @param {{ isWhole: boolean, isStep: boolean, order: string[], mayFail: boolean }} wish `isWhole`: everything
   *   about the table; `isStep`: only the moment is another; `mayFail`: the moment may be one that cannot be shown
   */
  async read(type, wish) {
    // Rows that come into sight leave the counting that is due.
    if (wish.isWhole) {
      this.errand += 1;
      clearTimeout(this.timer);
    }
    const { rows, start } = current().terms.dead ? await this.readDead(type, wish.isWhole) : await this.readLive(type, wish);
    [this.all, this.first] = [rows, start];
  }

  /** @param {string} type @param {{ isWhole: boolean, isStep: boolean, order: string[], mayFail: boolean }} wish */
  async readLive(type, { isWhole, isStep, order, mayFail }) {
    const { terms } = current();
    const when = reading(terms.at);
    const query = { op: "query", type, where: conditions(readFilters(terms.where)) };
    const counts = [{ op: "types", ...when }, { ...query, run: "count", ...when }];
    // A step in time reads what can be seen, and the rest once the handle rests.
    const { start, count } = isStep ? this.virtual.range(2) : isWhole && this.total === 0 ? { start: 0, count: 60 } : this.virtual.range();
    const window = { ...query, order: order.length ? order : undefined, offset: start, limit: isStep ? Math.max(count, 12) : Math.max(count, 40) };
    if (isWhole && !isStep || mayFail) {
      const results = await this.space.runAll([{ ...window, ...when }, ...(isWhole ? counts : [])]);
      sound(results);
      if (isWhole) this.take(results[1], results[2]);
      return { rows: results[0], start };
    }
    const rows = await this.kept.read(window, when);
    const { errand } = this;
    if (isStep) this.timer = setTimeout(() => this.settle(counts, errand), rest);
    return { rows, start };
  }

  /** @param {any} types @param {any} total the results of `types` and of the query's count */
  take(types, total) {
    this.types = types;
    this.total = total;
    this.virtual.setTotal(this.total);
  }

  /**
   * Counts, once the handle rests.
   * @param {any[]} operations
   * @param {number} errand
   */
  async settle(operations, errand) {
    const { type } = this;
    const results = await this.space.runAll(operations).then(sound).catch(() => null);
    if (!results || errand !== this.errand) return;
    this.take(results[0], results[1]);
    if (!current().terms.at) this.dead = await deadTypes(this.space).catch(() => this.dead);
    this.settled(this.type !== type);
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
}
