/** The commits next to a place, in a store that has too many to list. Each is asked for once. */

/**
 * A time in milliseconds, or a commit, which tells commits of one millisecond apart.
 * @typedef {number | { replica: string, sequence: number, hash: string }} Place
 */

export class Neighbours {
  /** @param {import("./api.js").Space} space */
  constructor(space) {
    this.space = space;
    /** @type {Map<number | string, { previous: any, next: any }>} by time, or by a commit's hash */
    this.known = new Map();
    this.errand = 0;
  }

  /** Forgets what may have changed: something was written. */
  forget() {
    this.errand += 1;
    this.known.clear();
  }

  /**
   * Returns the commit before or after a place; null if there is none.
   * @param {Place} place
   * @param {number} direction
   */
  async beside(place, direction) {
    const found = this.known.get(keyOf(place)) ?? await this.ask(place);
    return direction < 0 ? found.previous : found.next;
  }

  /**
   * Asks for the next commits in a direction, one after another, until something else is wanted. So a
   * step that goes on need not ask.
   * @param {Place} begin
   * @param {number} direction
   * @param {number} most
   * @param {(commit: any) => Place} placeOf
   */
  async lookAhead(begin, direction, most, placeOf) {
    this.errand += 1;
    const { errand } = this;
    let place = begin;
    for (let count = 0; count < most && errand === this.errand; count += 1) {
      const commit = await this.beside(place, direction).catch(() => null);
      if (!commit) return;
      place = placeOf(commit);
    }
  }

  /** Ends looking ahead. */
  rest() {
    this.errand += 1;
  }

  /** @param {Place} place */
  async ask(place) {
    const around = typeof place === "number" ? new Date(place).toISOString()
      : { commit: { replica: place.replica, sequence: place.sequence, hash: place.hash } };
    const found = await this.space.run({ op: "timeline", around });
    if (this.known.size > 5_000) this.known.clear();
    this.known.set(keyOf(place), found);
    return found;
  }
}

/** @param {Place} place */
const keyOf = (place) => (typeof place === "number" ? place : place.hash);
