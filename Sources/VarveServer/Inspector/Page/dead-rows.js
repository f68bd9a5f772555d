/** The rows of a table that shows the dead entities of a type. They are read together, and filtered here. */
import { current } from "./address.js";
import { count, text } from "./format.js";
import { isNumber } from "./exact.js";
import { readFilters, satisfies } from "./filters.js";
import { deadEntities, lastStates } from "./dead.js";

/** @typedef {import("./dead.js").DeadRow} DeadRow */

export class DeadRows {
  /** @param {import("./api.js").Space} space */
  constructor(space) {
    this.space = space;
    /** @type {string | null} what `all` were read for */
    this.for = null;
    /** @type {DeadRow[]} */
    this.all = [];
    this.isPartial = false;
    /** @type {DeadRow[]} those that satisfy the filters */
    this.shown = [];
  }

  /** Reads anew when the rows are next wanted: something was written. */
  forget() {
    this.for = null;
  }

  /**
   * @param {string} type
   * @param {string | undefined} at
   * @returns {Promise<boolean>} whether the server was asked
   */
  async read(type, at) {
    const name = JSON.stringify([type, at]);
    const isNew = name !== this.for;
    if (isNew) {
      const { dead, isPartial } = await deadEntities(this.space, type, at);
      this.all = await lastStates(this.space, dead, at);
      this.isPartial = isPartial;
      this.for = name;
    }
    const filters = readFilters(current().terms.where);
    this.shown = this.all.filter((row) => satisfies(row, filters)).sort(inOrder(current().terms.order));
    return isNew;
  }

  /** How many there are, in words. */
  get size() {
    const all = this.all.length;
    const which = this.isPartial ? `the last ${count(all)}` : count(all);
    return current().terms.where ? `${count(this.shown.length)} of ${which} erased or dead` : `${which} erased or dead, as they last were`;
  }
}

/**
 * Compares rows by a column of the address; by default those come first that were written to last, which
 * an erasure does.
 * @param {string | undefined} order a column, after a minus sign if it descends
 * @returns {(one: DeadRow, other: DeadRow) => number}
 */
function inOrder(order) {
  const [first] = (order || "-@modified").split(",");
  const [key, sign] = first.startsWith("-") ? [first.slice(1), -1] : [first, 1];
  return (one, other) => {
    const [left, right] = [valueOf(one, key), valueOf(other, key)];
    // Having no value is the least, as it is to a query.
    if (left === undefined || right === undefined) return sign * (Number(right === undefined) - Number(left === undefined));
    return sign * compared(left, right);
  };
}

/**
 * Compares values: numbers before texts.
 * @param {any} one
 * @param {any} other
 */
function compared(one, other) {
  const [left, right] = [one, other].map((value) => (isNumber(value) ? value : value?.double ?? null));
  if (left !== null && right !== null) return Number(left) - Number(right);
  if (left !== null || right !== null) return left === null ? 1 : -1;
  const [first, second] = [one, other].map((value) => value?.date ?? text(value));
  return first === second ? 0 : first < second ? -1 : 1;
}

/** @param {DeadRow} row @param {string} key */
function valueOf(row, key) {
  if (key === "@id") return row.id;
  if (key === "@datestamp") return row.datestamp ?? undefined;
  if (key === "@modified") return row.modified ?? undefined;
  return Object.hasOwn(row.properties, key) ? row.properties[key] ?? undefined : undefined;
}
