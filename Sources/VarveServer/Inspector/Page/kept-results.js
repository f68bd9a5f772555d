/** Results that are asked for at one moment after another. One that is the same as before is not sent again. */

/** So many results are kept: those of the rows in sight, and of the rows around them. */
const most = 6;

export class KeptResults {
  /** @param {import("./api.js").Space} space */
  constructor(space) {
    this.space = space;
    /** @type {Map<string, { name: string, result: any }>} by operation, whatever its moment */
    this.known = new Map();
  }

  /**
   * Runs an operation that reads.
   * @param {Record<string, any>} operation
   * @param {Record<string, any>} when the moment that it reads
   * @returns {Promise<any>} the same object if the result is the same
   */
  async read(operation, when) {
    const key = JSON.stringify(operation, (_, one) => (typeof one === "bigint" ? `${one}n` : one));
    const known = this.known.get(key);
    const { name, result } = await this.space.renew({ ...operation, ...when }, known?.name ?? "none");
    if (result === undefined && known) return known.result;
    this.known.delete(key);
    this.known.set(key, { name, result });
    if (this.known.size > most) this.known.delete(this.known.keys().next().value ?? "");
    return result;
  }
}
