/** Steps from commit to commit, where there are too many to list. */
import { Neighbours } from "./neighbours.js";

/** While a key is held, the page follows so often, in milliseconds. */
const pause = 150;
/** The rows of a moment come first; then so many further commits are asked for. */
const ahead = { after: 40, count: 10 };

export class Walk {
  /**
   * @param {import("./api.js").Space} space
   * @param {(commit: any) => void} arrive called with a commit; with null for the present
   */
  constructor(space, arrive) {
    this.neighbours = new Neighbours(space);
    this.arrive = arrive;
    /** How many steps are left; negative for back. */
    this.left = 0;
    this.isWalking = false;
    this.timer = 0;
  }

  /**
   * Goes some steps further; those that come while it walks are added.
   * @param {number} count
   * @param {import("./neighbours.js").Place} place where it stands
   * @param {(commit: any) => import("./neighbours.js").Place} placeOf
   */
  async go(count, place, placeOf) {
    this.left += count;
    if (this.isWalking) return;
    this.isWalking = true;
    this.neighbours.rest();
    clearTimeout(this.timer);
    try {
      await this.walk(place, placeOf);
    } catch (error) {
      dispatchEvent(new CustomEvent("trouble", { detail: error }));
    } finally {
      this.left = 0;
      this.isWalking = false;
    }
  }

  /**
   * @param {import("./neighbours.js").Place} begin
   * @param {(commit: any) => import("./neighbours.js").Place} placeOf
   */
  async walk(begin, placeOf) {
    let place = begin;
    let direction = 0;
    let shown = performance.now();
    /** @type {any} */
    let commit = null;
    while (this.left !== 0) {
      direction = Math.sign(this.left);
      const next = await this.neighbours.beside(place, direction);
      if (!next) {
        // After the last commit comes the present.
        if (direction > 0) return this.arrive(null);
        break;
      }
      this.left -= direction;
      commit = next;
      place = placeOf(commit);
      if (this.left !== 0 && performance.now() - shown > pause) {
        this.arrive(commit);
        shown = performance.now();
      }
    }
    if (!commit) return;
    this.arrive(commit);
    this.timer = setTimeout(() => this.neighbours.lookAhead(place, direction, ahead.count, placeOf), ahead.after);
  }
}
