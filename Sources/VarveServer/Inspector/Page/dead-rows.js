/** The rows of a table that shows the dead entities of a type. They are read together, and filtered here. */
import { current } from "./address.js";
import { count } from "./format.js";
import { readFilters, satisfies } from "./filters.js";
import { deadEntities, lastStates } from "./dead.js";

export class DeadRows {
  /** @param {import("./api.js").Space} space */
  constructor(space) {
    this.space = space;
    /** @type {string | null} what `all` were read for */
    this.for = null;
    /** @type {import("./dead.js").DeadRow[]} */
    this.all = [];
    this.isPartial = false;
    /** @type {import("./dead.js").DeadRow[]} those that satisfy the filters */
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
    this.shown = this.all.filter((row) => satisfies(row, filters));
    return isNew;
  }

  /** How many there are, in words. */
  get size() {
    const all = this.all.length;
    const which = this.isPartial ? `the last ${count(all)}` : count(all);
    return current().terms.where ? `${count(this.shown.length)} of ${which} erased or dead` : `${which} erased or dead, the last created first, as they last were`;
  }
}
