/** The time bar: all of history, and the moment that the page shows. */
import { button, fill, h } from "./dom.js";
import { current, follow, go } from "./address.js";
import { counted, moment, short, who } from "./format.js";
import { atCommit, hashOf, isCommit, label } from "./moments.js";
import { commitHistogram, commitStops, dateHistogram, dateStops } from "./histogram.js";
import { latest } from "./latest.js";
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
    this.types = (await this.space.run({ op: "types" })).map((/** @type {any} */ one) => one.type);
    const { stops, marks } = await commitStops(this.space, atCommit);
    for (const stop of stops ?? []) this.commits.set(stop.at, stop.commit);
    const dates = await dateStops(this.space, this.types);
    if (!this.standard) this.standard = TimeBar.prefersDates(stops, dates) ? "dates" : "commits";
    const intervals = this.room;
    this.intervals = intervals;
    const wish = { intervals, from, to };
    if (this.scale === "commits") {
      this.histogram = await commitHistogram(this.space, { ...wish, by: lanes === "none" ? "" : lanes ?? "author" });
      this.stops = stops;
      if (this.histogram) this.histogram.marks = marks;
    } else {
      this.histogram = await dateHistogram(this.space, this.types, wish);
      this.stops = dates;
    }
    this.show();
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

  /** Goes some stops further. @param {number} count */
  async step(count) {
    const time = this.time;
    if (this.stops) {
      const { at } = current().terms;
      let index = this.stops.findIndex((stop) => stop.at === at);
      if (index < 0) {
        index = time === null ? this.stops.length : this.stops.findIndex((stop) => stop.time > time);
        if (index < 0) index = this.stops.length;
        else if (time !== null && count > 0) index -= 1;
      }
      const target = Math.max(0, index + count);
      return this.goTo(this.stops[target] ?? null);
    }
    await this.stepByTimeline(count);
  }

  /** Goes from commit to commit where there are too many to list. @param {number} count */
  async stepByTimeline(count) {
    let time = this.time ?? Date.now() + 86_400_000;
    /** @type {any} */
    let commit = null;
    for (let left = Math.abs(count); left > 0; left -= 1) {
      const around = await this.space.run({ op: "timeline", around: new Date(time).toISOString() });
      commit = count < 0 ? around.previous : around.next;
      if (!commit) break;
      time = Date.parse(commit.time);
    }
    if (!commit) return count > 0 ? this.goTo(null) : undefined;
    const at = this.scale === "commits" ? atCommit(commit) : commit.time;
    this.goTo({ time, at, commit });
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    /** @type {Record<string, () => void>} */
    const keys = {
      ArrowLeft: () => this.step(-1), ArrowDown: () => this.step(-1),
      ArrowRight: () => this.step(1), ArrowUp: () => this.step(1),
      PageDown: () => this.step(-10), PageUp: () => this.step(10),
      Home: () => this.goTo(this.stops?.[0] ?? this.bound()), End: () => this.goTo(null),
      "+": () => this.zoom(0.5), "=": () => this.zoom(0.5), "-": () => this.zoom(2), 0: () => this.zoomTo(null),
    };
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const action = keys[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  /** @returns {Stop | null} */
  bound() {
    return this.histogram ? { time: this.histogram.start, at: new Date(this.histogram.start).toISOString() } : null;
  }

  /** @param {PointerEvent} event */
  press(event) {
    if (event.button !== 0 || !this.histogram) return;
    const first = this.place(event);
    const zooms = event.shiftKey || first.y > this.geometry.axis;
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
        const [low, high] = [Math.min(x, first.x), Math.max(x, first.x)].map((one) => this.geometry.time(one));
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

  /** Goes to the stop nearest to a place of the bar. @param {number} x */
  drag(x) {
    if (x > this.geometry.right + 8) return this.goTo(null);
    const time = this.geometry.time(x);
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
    if (!commit) return;
    this.goTo({ time: Date.parse(commit.time), at: this.scale === "commits" ? atCommit(commit) : commit.time, commit });
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
    const { at, pin } = current().terms;
    const commit = at ? this.commits.get(at) : null;
    this.title.textContent = !at ? "Now" : isCommit(at) ? `Commit ${short(hashOf(at) ?? "")}` : moment(at);
    fill(this.meaning, ...this.explain(at, commit));
    this.showControls(at, pin);
    this.draw();
  }

  /** @param {string | undefined} at @param {any} commit */
  explain(at, commit) {
    if (!at) return ["The present state; the page follows what is written."];
    if (commit) return [`What ${who(commit.author)} had seen, ${moment(commit.time)}`, commit.message ? `: ${commit.message}` : ""];
    if (isCommit(at)) return ["What the author of this commit had seen."];
    return ["What held at this date, as far as it is known today."];
  }

  /** @param {string | undefined} at @param {string | undefined} pin */
  showControls(at, pin) {
    const { from, to, lanes } = current().terms;
    const focused = this.controls.contains(document.activeElement) ? document.activeElement?.getAttribute("data-name") : null;
    const scale = (/** @type {string} */ name, /** @type {string} */ text, /** @type {string} */ title) =>
      button(text, () => go({ terms: { scale: name, at: null, from: null, to: null } }),
        { class: "button segment", "aria-pressed": String(this.scale === name), title, "data-name": name });
    fill(this.controls,
      h("div", { class: "segments", role: "group", "aria-label": "Times" },
        scale("dates", "Dates", "From when values hold"),
        scale("commits", "Commits", "When they were written, as their authors saw the store")),
      this.scale === "commits" && h("label", { class: "field" }, h("span", { class: "visually-hidden" }, "Lanes by"),
        h("select", { "data-name": "lanes", onchange: (/** @type {any} */ event) => go({ terms: { lanes: event.target.value } }) },
          ["author", "replica", "none"].map((name) => h("option", { value: name, selected: (lanes ?? "author") === name },
            name === "none" ? "one lane" : `by ${name}`)))),
      h("div", { class: "segments", role: "group", "aria-label": "Step" },
        button("‹", () => this.step(-1), { class: "button segment", "aria-label": "Previous change", "data-name": "previous" }),
        button("›", () => this.step(1), { class: "button segment", "aria-label": "Next change", disabled: !at, "data-name": "next" }),
        button("Now", () => this.goTo(null), { class: "button segment", "aria-pressed": String(!at), "data-name": "now" })),
      (from || to) && button("Whole history", () => this.zoomTo(null), { "data-name": "whole" }),
      pin
        ? h("span", { class: "pinned" }, "Compared with ", h("b", {}, label(pin === "now" ? undefined : pin)),
            button("×", () => go({ terms: { pin: null } }), { class: "button bare", "aria-label": "End the comparison", "data-name": "unpin" }))
        : button("Pin this moment", () => go({ terms: { pin: at ?? "now" } }),
            { title: "Compare other moments with this one", "data-name": "pin" }));
    if (focused) /** @type {any} */ (this.controls.querySelector(`[data-name="${focused}"]`))?.focus();
  }

  draw() {
    const width = this.track.clientWidth;
    if (!width) return;
    const { pin } = current().terms;
    const pinned = pin && !isCommit(pin) && pin !== "now" ? Date.parse(pin)
      : pin && this.commits.get(pin) ? Date.parse(this.commits.get(pin).time) : null;
    this.geometry = drawTrack(this.svg, width, this.histogram, { time: this.time, pinned, stops: this.stops });
    this.track.style.height = `${this.geometry.height}px`;
    const x = this.time === null ? this.geometry.now : this.geometry.x(this.time);
    this.handle.style.left = `${x}px`;
    this.handle.style.height = `${this.geometry.axis}px`;
    const { handle, histogram } = this;
    handle.classList.toggle("sticks", this.time === null);
    handle.setAttribute("aria-valuemin", String(histogram?.start ?? 0));
    handle.setAttribute("aria-valuemax", String((histogram?.end ?? 0) + 1));
    handle.setAttribute("aria-valuenow", String(this.time ?? (histogram?.end ?? 0) + 1));
    const total = histogram?.totals.reduce((sum, count) => sum + count, 0) ?? 0;
    handle.setAttribute("aria-valuetext", `${label(current().terms.at)}, ${counted(total, "change")} in the bar`);
  }
}

