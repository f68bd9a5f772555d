/** What the pinned moment has of the rows that are shown. */
import { current } from "./address.js";
import { reading } from "./moments.js";

export class PinnedRows {
  /** @param {import("./api.js").Space} space */
  constructor(space) {
    this.space = space;
    /** What `values` were read for. */
    this.for = "";
    /** @type {Map<string, any>} null for what did not exist */
    this.values = new Map();
  }

  /**
   * @param {string} type
   * @param {any[]} rows
   */
  async read(type, rows) {
    const { pin, dead } = current().terms;
    const ids = rows.map((row) => row.id);
    const name = pin && !dead ? JSON.stringify([pin, ids]) : "";
    // What is pinned in the past stays, unless an earlier commit arrives.
    if (name === this.for && pin !== "now") return this.values;
    this.for = name;
    this.values = name ? await this.ask(type, ids, pin === "now" ? undefined : pin) : new Map();
    return this.values;
  }

  /**
   * @param {string} type
   * @param {string[]} ids
   * @param {string | undefined} pin
   */
  async ask(type, ids, pin) {
    const old = await this.space.run({ op: "query", type, where: { "@id": { in: ids } }, ...reading(pin) });
    const known = new Map(old.map((/** @type {any} */ one) => [one.id, one.properties]));
    return new Map(ids.map((id) => [id, known.get(id) ?? null]));
  }
}
