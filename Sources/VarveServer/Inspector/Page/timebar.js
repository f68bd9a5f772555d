/** The time bar: all of history, and the moment that the page shows. */
import { fill, h } from "./dom.js";
import { current, follow, go } from "./address.js";
import { counted, moment, short } from "./format.js";
import { atCommit, hashOf, isCommit, label } from "./moments.js";
import { commitHistogram, commitStops } from "./histogram.js";
import { dateHistogram, dateStops } from "./date-histogram.js";
import { horizon } from "./horizon.js";
import { latest } from "./latest.js";
import { Walk } from "./walk.js";
import { deadDates } from "./dead.js";
import { meaning, showControls } from "./time-controls.js";
import { drawTrack } from "./track.js";

/** @typedef {import("./histogram.js").Stop} Stop */

export class TimeBar {
  /** @param {HTMLElement} root @param {import("./api.js").Space} space */
  constructor(root, space) {
    this.root = root;
    this.space = space;
    /** @type {string[]} */
    this.types = [];
    /** @type {import("./histogram.js").Histogram | null} */
    this.histogram = null;
    /** @type {Stop[] | null} */
    this.stops = [];
    /** @type {Map<string, any>} commits by the name that the address has */
    this.commits = new Map();
    this.walk = new Walk(space, (commit) => (commit ? this.arrive(commit) : this.goTo(null)));
    /** @type {string | null} the scale for which the stops were read */
    this.stopsFor = null;
    /** Steps that were wanted before the stops were there. */
    this.owed = 0;
    /** @type {"dates" | "commits" | null} the times that suit the store */
    this.standard = null;
    this.intervals = 0;
    /** @type {import("./horizon.js").Horizon | null} */
    this.horizon = null;
    /** @type {import("./track.js").Geometry | null} */
    this.geometry = null;
    /**
     * What the bars were drawn from.
     * @type {any[]}
     */
    this.drawn = [];
    this.load = latest(async () => {
      await this.read();
    });
    this.build();
    new ResizeObserver(() => {
      this.draw();
      if (this.intervals && Math.abs(this.room - this.intervals) > 20) this.load(null);
    }).observe(this.track);
    follow((state, before) => {
      const shape = (/** @type {any} */ one) => ["scale", "lanes", "from", "to"].map((name) => one.terms[name]).join();
      if (shape(state) !== shape(before)) this.load(null);
      else this.show();
    });
  }

  /** Which times the bar has: `dates` or `commits`. */
  get scale() {
    const { scale, at } = current().terms;
    return scale ?? (isCommit(at) ? "commits" : this.standard ?? "dates");
  }

  /** How many bars fit. */
  get room() {
    return Math.max(40, Math.min(240, Math.floor((this.track.clientWidth || 900) / 6)));
  }

  build() {
    this.title = h("h2", { class: "moment", id: "moment" });
    this.meaning = h("p", { class: "moment-meaning" });
    this.controls = h("div", { class: "time-controls" });
    this.handle = h("div", {
      class: "handle", role: "slider", tabindex: "0", "aria-label": "Moment", "aria-describedby": "time-help",
      onkeydown: (/** @type {KeyboardEvent} */ event) => this.key(event),
    });
    this.svg = h("svg", { class: "bars", role: "img", "aria-label": "How much happened when" });
    this.brush = h("div", { class: "brush", hidden: true });
    this.track = h("div", { class: "track", onpointerdown: (/** @type {PointerEvent} */ event) => this.press(event) },
      this.svg, this.brush, this.handle);
    fill(this.root,
      h("div", { class: "time-head" }, h("div", {}, this.title, this.meaning), this.controls),
      this.track,
      h("p", { id: "time-help", class: "visually-hidden" },
        "Arrow keys go from change to change, Page Up and Page Down ten at a time, Home to the first, End to now. Plus and minus zoom, zero shows everything."));
  }

  /** Reads what the bar draws. */
  async read() {
    const { from, to, lanes } = current().terms;
    this.walk.neighbours.forget();
    this.types = (await this.space.run({ op: "types" })).map((/** @type {any} */ one) => one.type);
    const { stops, marks } = await commitStops(this.space, atCommit);
    for (const stop of stops ?? []) this.commits.set(stop.at, stop.commit);
    const dead = await deadDates(this.space);
    const dates = await dateStops(this.space, this.types, dead);
    this.horizon = await horizon(this.space);
    if (!this.standard) this.standard = TimeBar.prefersDates(stops, dates) ? "dates" : "commits";
    const intervals = this.room;
    this.intervals = intervals;
    const { scale } = this;
    const wish = { intervals, from, to };
    if (scale === "commits") {
      this.histogram = await commitHistogram(this.space, { ...wish, by: lanes === "none" ? "" : lanes ?? "author" });
      this.stops = stops;
      if (this.histogram) this.histogram.marks = marks;
    } else {
      this.histogram = await dateHistogram(this.space, this.types, dead, wish);
      this.stops = dates;
    }
    this.stopsFor = scale;
    this.show();
    const { owed } = this;
    this.owed = 0;
    if (owed !== 0) this.step(owed);
  }

  /** Whether values hold from other dates than those at which they were written. */
  static prefersDates(/** @type {Stop[] | null} */ commits, /** @type {Stop[] | null} */ dates) {
    if (!commits?.length || !dates?.length) return true;
    return dates[0].time < commits[0].time - 60_000;
  }

  // Moving

  /** The place of the shown moment; null for now. */
  get time() {
    const { at } = current().terms;
    if (!at) return null;
    if (isCommit(at)) {
      const known = this.commits.get(at) ?? [...this.commits.values()].find((one) => one.hash.startsWith(hashOf(at) ?? "-"));
      return known ? Date.parse(known.time) : null;
    }
    return Date.parse(at);
  }

  /** @param {Stop | null} stop */
  goTo(stop) {
    if (stop?.commit) this.commits.set(stop.at, stop.commit);
    go({ terms: { at: stop?.at ?? null, scale: this.scale } }, { replaces: true });
  }

  /**
   * Goes some stops further.
   * @param {number} count
   */
  step(count) {
    if (this.stopsFor !== this.scale) {
      this.owed += count;
      return;
    }
    if (!this.stops) {
      this.walk.go(count, this.time ?? Date.now() + 86_400_000);
      return;
    }
    const { time } = this;
    const { at } = current().terms;
    let index = this.stops.findIndex((stop) => stop.at === at);
    if (index < 0) {
      index = time === null ? this.stops.length : this.stops.findIndex((stop) => stop.time > time);
      if (index < 0) index = this.stops.length;
      else if (time !== null && count > 0) index -= 1;
    }
    this.goTo(this.stops[Math.max(0, index + count)] ?? null);
  }

  /** @param {any} commit */
  arrive(commit) {
    this.goTo({ time: Date.parse(commit.time), at: this.scale === "commits" ? atCommit(commit) : commit.time, commit });
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    /** @type {Record<string, () => void>} */
    const keys = {
      ArrowLeft: () => this.step(-1), ArrowDown: () => this.step(-1),
      ArrowRight: () => this.step(1), ArrowUp: () => this.step(1),
      PageDown: () => this.step(-10), PageUp: () => this.step(10),
      Home: () => this.goToFirst(), End: () => this.goTo(null),
      "+": () => this.zoom(0.5), "=": () => this.zoom(0.5), "-": () => this.zoom(2), 0: () => this.zoomTo(null),
    };
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const action = keys[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  goToFirst() {
    if (this.stopsFor !== this.scale || !this.histogram) return;
    const { start } = this.histogram;
    this.goTo(this.stops?.[0] ?? { time: start, at: new Date(start).toISOString() });
  }

  /** @param {PointerEvent} event */
  press(event) {
    const { geometry } = this;
    if (event.button !== 0 || !this.histogram || !geometry) return;
    const first = this.place(event);
    const zooms = event.shiftKey || first.y > geometry.axis;
    this.track.setPointerCapture(event.pointerId);
    if (!zooms) {
      this.handle.focus({ preventScroll: true });
      this.drag(first.x);
    }
    const move = (/** @type {PointerEvent} */ next) => (zooms ? this.mark(first.x, this.place(next).x) : this.drag(this.place(next).x));
    const up = (/** @type {PointerEvent} */ last) => {
      this.track.removeEventListener("pointermove", move);
      this.track.removeEventListener("pointerup", up);
      this.brush.hidden = true;
      const x = this.place(last).x;
      if (zooms && Math.abs(x - first.x) > 6) {
        const [low, high] = [Math.min(x, first.x), Math.max(x, first.x)].map((one) => geometry.time(one));
        this.zoomTo([low, high]);
      }
    };
    this.track.addEventListener("pointermove", move);
    this.track.addEventListener("pointerup", up);
    event.preventDefault();
  }

  /** @param {PointerEvent} event */
  place(event) {
    const box = this.track.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  /**
   * Goes to the stop nearest to a place of the bar.
   * @param {number} x
   */
  drag(x) {
    const { geometry } = this;
    if (!geometry || this.stopsFor !== this.scale) return;
    if (x > geometry.right + 8) return this.goTo(null);
    const time = geometry.time(x);
    if (!this.stops) {
      this.seek(time);
      return;
    }
    let best = null;
    for (const stop of this.stops) {
      if (!best || Math.abs(stop.time - time) < Math.abs(best.time - time)) best = stop;
    }
    if (best) this.goTo(best);
  }

  /** Goes to the commit before a time. */
  seek = latest(async (/** @type {number} */ time) => {
    const around = await this.space.run({ op: "timeline", around: new Date(time).toISOString() });
    const commit = around.previous ?? around.next;
    if (commit) this.arrive(commit);
  });

  // Zooming

  /** @param {number} one @param {number} other */
  mark(one, other) {
    this.brush.hidden = false;
    this.brush.style.left = `${Math.min(one, other)}px`;
    this.brush.style.width = `${Math.abs(other - one)}px`;
  }

  /** @param {number} factor */
  zoom(factor) {
    if (!this.histogram) return;
    const { start, end } = this.histogram;
    const length = ((end - start) * factor) / 2;
    const middle = this.time ?? end;
    this.zoomTo([middle - length, middle + length]);
  }

  /** @param {number[] | null} span */
  zoomTo(span) {
    const [from, to] = span ? span.map((time) => new Date(time).toISOString()) : [null, null];
    go({ terms: { from, to, scale: this.scale } }, { replaces: true });
  }

  // Showing

  show() {
    const { at } = current().terms;
    const commit = at ? this.commits.get(at) : null;
    this.title.textContent = !at ? "Now" : isCommit(at) ? `Commit ${short(hashOf(at) ?? "")}` : moment(at);
    fill(this.meaning, ...meaning(at, commit));
    showControls(this);
    this.draw();
  }

  draw() {
    const width = this.track.clientWidth;
    if (!width) return;
    const { histogram, handle, time } = this;
    const shown = [width, histogram, this.stops, this.horizon, this.pinned];
    // A step moves the handle; the bars stay.
    if (!this.geometry || shown.some((one, index) => one !== this.drawn[index])) {
      this.geometry = drawTrack(this.svg, width, histogram, { pinned: this.pinned, stops: this.stops, horizon: this.horizon });
      this.track.style.height = `${this.geometry.height}px`;
      handle.style.height = `${this.geometry.axis}px`;
      this.drawn = shown;
    }
    handle.style.left = `${time === null ? this.geometry.now : this.geometry.x(time)}px`;
    handle.classList.toggle("sticks", time === null);
    handle.setAttribute("aria-valuemin", String(histogram?.start ?? 0));
    handle.setAttribute("aria-valuemax", String((histogram?.end ?? 0) + 1));
    handle.setAttribute("aria-valuenow", String(time ?? (histogram?.end ?? 0) + 1));
    const total = histogram?.totals.reduce((sum, count) => sum + count, 0) ?? 0;
    handle.setAttribute("aria-valuetext", `${label(current().terms.at)}, ${counted(total, "change")} in the bar`);
  }

  /** The time of the pinned moment; null if it has none in the bar. */
  get pinned() {
    const { pin } = current().terms;
    if (!pin || pin === "now") return null;
    if (!isCommit(pin)) return Date.parse(pin);
    const commit = this.commits.get(pin);
    return commit ? Date.parse(commit.time) : null;
  }
}
