/** When anything was written to the live entities of a store, by the dates from which it holds. */
import { sound } from "./api.js";

/** @typedef {{ row: number, time: number }} Touch a write to the entity of a row */

/** So many rows are asked for at once. */
const part = 2_000;

/** The newest writes are kept together, and sorted into a table later: both are read. */
export class TouchedDates {
  /** @param {import("./api.js").Space} space */
  constructor(space) {
    this.space = space;
    /** @type {Map<number, Touch[]>} the newest writes, by the number of their transaction */
    this.recent = new Map();
    /** @type {Map<string, Set<number>>} the rows of the newest writes that are of a type */
    this.rows = new Map();
    /** @type {Map<string, Set<number>>} the rows that were asked for, by type */
    this.asked = new Map();
  }

  /** Reads the newest writes. Those that are known are not read again. */
  async read() {
    const known = Math.max(0, ...this.recent.keys());
    const [[first], fresh] = sound(await this.space.runAll([
      { op: "sql", sql: "SELECT min(number) AS number FROM varve_recent_touch" },
      { op: "sql", sql: "SELECT number, touches FROM varve_recent_touch WHERE number > ?", values: [known] },
    ]));
    for (const number of [...this.recent.keys()]) if (first.number === null || number < first.number) this.recent.delete(number);
    for (const { number, touches } of fresh) this.recent.set(number, decoded(touches.data));
  }

  /** @returns {Touch[]} one for each row and time */
  get newest() {
    const all = [...this.recent.values()].flat();
    return [...new Map(all.map((touch) => [`${touch.row} ${touch.time}`, touch])).values()];
  }

  /**
   * Returns when the newest writes were that were made to the live entities of a type.
   * @param {string} type
   * @param {string} from the name of the type's table, quoted
   * @returns {Promise<number[]>}
   */
  async newestOf(type, from) {
    const { newest } = this;
    const [rows, asked] = [this.rows, this.asked].map((one) => one.get(type) ?? new Set());
    const unknown = [...new Set(newest.map(({ row }) => row))].filter((row) => !asked.has(row));
    if (unknown.length > 0) {
      const parts = [];
      for (let start = 0; start < unknown.length; start += part) parts.push(unknown.slice(start, start + part));
      const found = sound(await this.space.runAll(parts.map((some) => ({ op: "sql", sql: `SELECT row FROM ${from} WHERE row IN (${some.join()})` }))));
      for (const { row } of found.flat()) rows.add(row);
      for (const row of unknown) asked.add(row);
      this.rows.set(type, rows);
      this.asked.set(type, asked);
    }
    return newest.filter(({ row }) => rows.has(row)).map(({ time }) => time);
  }

  /**
   * Returns the dates of all writes, also those of relations and of entities that are dead.
   * @param {number} most
   * @returns {Promise<number[]>} more than so many if there are more
   */
  async all(most) {
    const times = (/** @type {string} */ table) => `SELECT DISTINCT time >> 16 AS t FROM ${table} LIMIT ${most + 1}`;
    const found = sound(await this.space.runAll(["varve_touch", "varve_link", "varve_unlink"].map((table) => ({ op: "sql", sql: times(table) }))));
    return [...found.flat().map((/** @type {any} */ row) => row.t), ...this.newest.map(({ time }) => time)];
  }
}

/**
 * Reads what `RecentTouches` wrote: their number, then for each the differences from the one before in
 * row, key, time, block and ordinal, as zigzag varints.
 * @param {string} data
 * @returns {Touch[]}
 */
function decoded(data) {
  const bytes = Uint8Array.from(atob(data), (one) => one.charCodeAt(0));
  let place = 0;
  const varint = () => {
    let [value, shift] = [0n, 0n];
    for (;;) {
      const byte = bytes[place++];
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
      shift += 7n;
    }
  };
  const signed = () => {
    const value = varint();
    return (value >> 1n) ^ -(value & 1n);
  };
  /** @type {Touch[]} */
  const touches = [];
  let [row, time] = [0n, 0n];
  for (let left = varint(); left > 0n; left -= 1n) {
    row += signed();
    signed();
    time = BigInt.asIntN(64, time + signed());
    signed();
    signed();
    touches.push({ row: Number(row), time: Number(time >> 16n) });
  }
  return touches;
}
