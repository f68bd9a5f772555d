/** The commits next to a moment, in a store that has too many to list. Each is asked for once. */

export class Neighbours {
  /** @param {import("./api.js").Space} space */
  constructor(space) {
    this.space = space;
    /** @type {Map<number, { previous: any, next: any }>} by time */
    this.known = new Map();
    this.errand = 0;
  }

  /** Forgets what may have changed: something was written. */
  forget() {
    this.errand += 1;
    this.known.clear();
  }

  /**
   * Returns the commit before or after a time; null if there is none.
   * @param {number} time
   * @param {number} direction
   */
  async beside(time, direction) {
    const found = this.known.get(time) ?? await this.ask(time);
    return direction < 0 ? found.previous : found.next;
  }

  /**
   * Asks for the next commits in a direction, one after another, until something else is wanted. So a
   * step that goes on need not ask.
   * @param {number} time
   * @param {number} direction
   * @param {number} most
   */
  async lookAhead(time, direction, most) {
    this.errand += 1;
    const { errand } = this;
    let place = time;
    for (let count = 0; count < most && errand === this.errand; count += 1) {
      const commit = await this.beside(place, direction).catch(() => null);
      if (!commit) return;
      place = Date.parse(commit.time);
    }
  }

  /** Ends looking ahead. */
  rest() {
    this.errand += 1;
  }

  /** @param {number} time */
  async ask(time) {
    const found = await this.space.run({ op: "timeline", around: new Date(time).toISOString() });
    if (this.known.size > 5_000) this.known.clear();
    this.known.set(time, found);
    return found;
  }
}
