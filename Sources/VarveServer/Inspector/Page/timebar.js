/** The time bar: all of history, and the moment that the page shows. */
import { button, fill, h } from "./dom.js";
import { current, follow, go } from "./address.js";
import { counted } from "./format.js";
import { atCommit, hashOf, isCommit, label } from "./moments.js";
import { commitHistogram, commitStops } from "./histogram.js";
import { dateHistogram, dateStops, prefersDates, typeTables } from "./date-histogram.js";
import { awaitedCounts, horizons } from "./horizon.js";
import { latest } from "./latest.js";
import { Stepping } from "./stepping.js";
import { TouchedDates } from "./touched-dates.js";
import { TimeHand } from "./time-hand.js";
import { deadDates } from "./dead-dates.js";
import { meaning, showControls } from "./time-controls.js";
import { drawTrack } from "./track.js";

/** @typedef {import("./histogram.js").Stop} Stop */

/** While history is awaited, or the bar cannot be read, it is read so often, in milliseconds. */
const patience = 5_000;

export class TimeBar {
  /** @param {HTMLElement} root @param {import("./api.js").Space} space */
  constructor(root, space) {
    this.root = root;
    this.space = space;
    /** @type {import("./histogram.js").Histogram | null} */
    this.histogram = null;
    /** @type {Stop[] | null} */
    this.stops = [];
    /** @type {Map<string, any>} commits by the name that the address has */
    this.commits = new Map();
    /** @type {string | null} the scale for which the stops were read */
    this.stopsFor = null;
    this.stepping = new Stepping(this);
    /** Whether the present that the page shows may be that of before: the server does not reply. */
    this.isOffline = false;
    this.touched = new TouchedDates(space);
    this.hand = new TimeHand(this);
    /** @type {"dates" | "commits" | null} the times that suit the store */
    this.standard = null;
    this.intervals = 0;
    this.timer = 0;
    /** @type {import("./horizon.js").Horizon[]} */
    this.horizons = [];
    /** @type {string | undefined} the commit of the address that was last looked up */
    this.asked = undefined;
    /** What the bars leave out, in words. */
    this.omits = "";
    /** Why the bar could not be read, in words. */
    this.failure = "";
    /** Whether nothing was read yet. */
    this.isLoading = true;
    /** @type {import("./track.js").Geometry | null} */
    this.geometry = null;
    /** @type {any[]} what the bars were drawn from */
    this.drawn = [];
    this.load = latest(async () => {
      try {
        await this.read();
        this.failure = "";
      } catch (error) {
        this.failure = `The bar cannot be drawn: ${error instanceof Error ? error.message : error}.`;
        this.later();
      }
      this.isLoading = false;
      this.show();
    });
    this.build();
    const noteEnd = () => document.documentElement.style.setProperty("--time-end", `${this.root.getBoundingClientRect().bottom}px`);
    new ResizeObserver(noteEnd).observe(this.root);
    addEventListener("scroll", noteEnd, { passive: true });
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

  /**
   * Whether a moment may be one that cannot be shown, because history was folded or has not arrived.
   * @param {string | undefined} at
   */
  mayLack(at) {
    if (!at || this.horizons.length === 0) return false;
    const known = this.commits.get(at);
    const time = isCommit(at) ? known && Date.parse(known.time) : Date.parse(at);
    return !time || this.horizons.some((horizon) => time <= horizon.time);
  }

  /** Whether the stops are those of the times that the bar has. */
  get isRead() {
    return this.stopsFor === this.scale;
  }

  build() {
    this.title = h("h2", { class: "moment", id: "moment" });
    this.meaning = h("p", { class: "moment-meaning" });
    this.controls = h("div", { class: "time-controls" });
    this.handle = h("div", {
      class: "handle", role: "slider", tabindex: "0", "aria-label": "Moment", "aria-describedby": "time-help",
      onkeydown: (/** @type {KeyboardEvent} */ event) => this.hand.key(event),
    });
    this.svg = h("svg", { class: "bars", role: "img", "aria-label": "How much happened when" });
    this.brush = h("div", { class: "brush", hidden: true });
    this.track = h("div", { class: "track is-loading", "aria-busy": "true", onpointerdown: (/** @type {PointerEvent} */ event) => this.hand.press(event) },
      this.svg, this.brush, this.handle);
    this.remark = h("p", { class: "time-remark", hidden: true });
    fill(this.root,
      h("div", { class: "time-head" }, h("div", {}, this.title, this.meaning), this.controls),
      this.track, this.remark,
      h("p", { id: "time-help", class: "visually-hidden" },
        "Arrow keys go from change to change, Page Up and Page Down ten at a time, Home to the first, End to now. Plus and minus zoom, zero shows everything."));
  }

  /** Reads what the bar draws. */
  async read() {
    const { from, to, lanes } = current().terms;
    this.stepping.forget();
    const types = await typeTables(this.space);
    const { stops, marks } = await commitStops(this.space, atCommit);
    for (const stop of stops ?? []) this.commits.set(stop.at, stop.commit);
    await this.know(current().terms.at);
    const dead = await deadDates(this.space);
    await this.touched.read();
    const dates = await dateStops(this.space, types, dead.dates, this.touched);
    this.horizons = await horizons(this.space);
    if (!this.standard) this.standard = prefersDates(stops, dates) ? "dates" : "commits";
    const intervals = this.room;
    this.intervals = intervals;
    const { scale } = this;
    const wish = { intervals, from, to };
    if (scale === "commits") {
      const histogram = await commitHistogram(this.space, { ...wish, by: lanes === "none" ? "" : lanes ?? "author" });
      if (histogram) histogram.awaited = await awaitedCounts(this.space, histogram);
      this.histogram = histogram && { ...histogram, marks };
      this.stops = stops;
    } else {
      this.histogram = await dateHistogram(this.space, types, dead.dates, this.touched, wish);
      this.stops = dates;
    }
    this.omits = scale === "dates" ? dead.omits : "";
    this.stopsFor = scale;
    // History that arrives is no change of the state, so it is not announced.
    if (this.horizons.some((one) => one.kind === "awaited")) this.later();
    this.stepping.settle();
  }

  /** Reads the bar again after a while. */
  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.load(null), patience);
  }

  /**
   * Reads the commit that the address names, if it is not among those that are listed.
   * @param {string | undefined} at
   */
  async know(at) {
    const hash = hashOf(at);
    if (!at || !hash || this.commits.has(at)) return;
    const [commit] = await this.space.runAll([{ op: "commit", commit: hash, limit: 0 }]);
    if (!(commit instanceof Error)) this.commits.set(at, commit);
  }

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

  // Zooming

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
    if (isCommit(at) && !commit && this.asked !== at) {
      this.asked = at;
      this.know(at).then(() => this.show());
    }
    const named = label(at);
    this.title.textContent = named[0].toUpperCase() + named.slice(1);
    fill(this.meaning, ...meaning(at, commit, this.isOffline));
    // What the pointer finds on the bar is said below it too.
    fill(this.remark, [...this.horizons.map((one) => `${one.says}.`), this.omits].filter(Boolean).join(" "),
      this.failure && h("span", { class: "failure", role: "alert" }, ` ${this.failure} `, button("Try again", () => this.load(null), { class: "linklike", "data-name": "retry" })));
    this.remark.hidden = !this.remark.textContent;
    this.track.classList.toggle("is-loading", this.isLoading);
    this.track.classList.toggle("is-failed", Boolean(this.failure));
    this.track.setAttribute("aria-busy", String(this.isLoading));
    showControls(this);
    this.draw();
  }

  draw() {
    const width = this.track.clientWidth;
    if (!width) return;
    const { histogram, handle, time } = this;
    const shown = [width, histogram, this.stops, this.horizons, this.pinned];
    // A step moves the handle; the bars stay.
    if (!this.geometry || shown.some((one, index) => one !== this.drawn[index])) {
      this.geometry = drawTrack(this.svg, width, histogram, { pinned: this.pinned, stops: this.stops, horizons: this.horizons });
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
