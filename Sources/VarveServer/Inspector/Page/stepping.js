/** Goes from stop to stop of the time bar: by keys and buttons, or to a place of the bar. */
import { current, go } from "./address.js";
import { latest } from "./latest.js";
import { atCommit, commitOf } from "./moments.js";
import { Walk } from "./walk.js";

/** @typedef {import("./histogram.js").Stop} Stop */

export class Stepping {
  /** @param {import("./timebar.js").TimeBar} bar */
  constructor(bar) {
    this.bar = bar;
    this.walk = new Walk(bar.space, (commit) => (commit ? this.arrive(commit) : this.goTo(null)));
    /** Steps that were wanted before the stops were there. */
    this.owed = 0;
  }

  /** Forgets the commits that it knows, because something was written. */
  forget() {
    this.walk.neighbours.forget();
  }

  /** Goes the steps that were wanted before the stops were there. */
  settle() {
    const { owed } = this;
    this.owed = 0;
    if (owed !== 0) this.step(owed);
  }

  /** @param {Stop | null} stop */
  goTo(stop) {
    if (stop?.commit) this.bar.commits.set(stop.at, stop.commit);
    go({ terms: { at: stop?.at ?? null, scale: this.bar.scale } }, { replaces: true });
  }

  goToFirst() {
    const { histogram, stops } = this.bar;
    if (!this.bar.isRead || !histogram) return;
    const { start } = histogram;
    this.goTo(stops?.[0] ?? { time: start, at: new Date(start).toISOString() });
  }

  /** @param {any} commit */
  arrive(commit) {
    this.goTo({ time: Date.parse(commit.time), at: this.bar.scale === "commits" ? atCommit(commit) : commit.time, commit });
  }

  /**
   * Goes some stops further.
   * @param {number} count
   */
  step(count) {
    const { bar } = this;
    if (!bar.isRead) {
      this.owed += count;
      return;
    }
    if (!bar.stops) {
      this.walk.go(count, this.place, this.placeOf);
      return;
    }
    const { time, stops } = bar;
    const { at } = current().terms;
    let index = stops.findIndex((stop) => stop.at === at);
    if (index < 0) {
      index = time === null ? stops.length : stops.findIndex((stop) => stop.time > time);
      if (index < 0) index = stops.length;
      else if (time !== null && count > 0) index -= 1;
    }
    this.goTo(stops[Math.max(0, index + count)] ?? null);
  }

  /** Where the handle stands, among stops that are too many to list. */
  get place() {
    const { at } = current().terms;
    const named = this.bar.scale === "commits" ? this.bar.commits.get(at ?? "") ?? commitOf(at) : null;
    return named ?? this.bar.time ?? Date.now() + 86_400_000;
  }

  /** Where a commit stands: a date has one state, whatever was written in its millisecond. */
  get placeOf() {
    return this.bar.scale === "commits" ? (/** @type {any} */ commit) => commit : (/** @type {any} */ commit) => Date.parse(commit.time);
  }

  /**
   * Goes to the stop whose state a time has: the last one up to then.
   * @param {number} time
   * @param {number} reach so far from a stop, it is meant
   */
  goTowards(time, reach) {
    const { stops, scale } = this.bar;
    if (!stops) {
      this.seek(time);
      return;
    }
    const near = stops.reduce((best, stop) => (best && Math.abs(best.time - time) <= Math.abs(stop.time - time) ? best : stop), /** @type {Stop | null} */ (null));
    const before = stops.filter((stop) => stop.time <= time).at(-1);
    if (near && Math.abs(near.time - time) <= reach) this.goTo(near);
    else if (before) this.goTo(before);
    else if (near && scale === "commits") this.goTo(near);
    else if (near) this.goTo({ time, at: new Date(time).toISOString() });
  }

  /**
   * Shows the other times in the bar, and stays at the moment: a commit becomes its time, and a date the
   * commit before it.
   * @param {"dates" | "commits"} scale
   */
  async changeScale(scale) {
    const { bar } = this;
    const { at } = current().terms;
    const terms = { scale, from: null, to: null };
    if (!at || scale === bar.scale) return go({ terms });
    if (scale === "dates") {
      await bar.know(at);
      const { time } = bar;
      return go({ terms: { ...terms, at: time === null ? null : new Date(time).toISOString() } });
    }
    // The commit of the date's own millisecond belongs to it.
    const around = await bar.space.run({ op: "timeline", around: new Date(Date.parse(at) + 1).toISOString() });
    // Meanwhile another moment may be wanted.
    if (current().terms.at !== at) return;
    const commit = around.previous ?? around.next;
    if (commit) bar.commits.set(atCommit(commit), commit);
    go({ terms: { ...terms, at: commit ? atCommit(commit) : null } });
  }

  /** Goes to the commit before a time. */
  seek = latest(async (/** @type {number} */ time) => {
    const around = await this.bar.space.run({ op: "timeline", around: new Date(time).toISOString() });
    const commit = around.previous ?? around.next;
    if (commit) this.arrive(commit);
  });
}
