/** What differs between two moments: the pinned one, and the one of the time bar. */
import { append, button, failure, fill, h, link } from "./dom.js";
import { address, current, go } from "./address.js";
import { differenceList } from "./difference.js";
import { hashOf, label, named } from "./moments.js";
import { latest } from "./latest.js";
import { count, counted, time, who } from "./format.js";

export class DiffView {
  /** @param {HTMLElement} root @param {import("./api.js").Space} space @param {import("./frame.js").Frame} frame */
  constructor(root, space, frame) {
    this.space = space;
    this.frame = frame;
    /** @type {string | null | undefined} what is shown */
    this.shape = null;
    this.page = h("div", { class: "page" });
    this.result = h("div", { "aria-live": "polite" });
    this.tools = h("div", { class: "bar-of-tools" });
    fill(root, this.page);
    fill(this.page, h("h1", {}, "Changes"), this.lead = h("p", { class: "lead" }), this.tools, this.result);
    this.load = latest(async () => this.read());
  }

  show() {
    const { at, pin } = current().terms;
    const shape = [at, pin].join("\n");
    if (shape === this.shape) {
      this.draw();
      return;
    }
    this.shape = shape;
    if (!pin) {
      fill(this.tools, button("Since the beginning", () => go({ terms: { pin: "1970-01-01" } })),
        button("Since the previous change", () => this.sincePrevious()));
    }
    this.load(null);
  }

  refresh() {
    if (current().terms.at && current().terms.pin !== "now") return;
    this.shape = null;
    this.show();
  }

  async sincePrevious() {
    const bar = this.frame.bar;
    const { at } = current().terms;
    const stops = bar?.stops ?? [];
    const index = at ? stops.findIndex((/** @type {any} */ stop) => stop.at === at) : stops.length - 1;
    const before = stops[Math.max(0, index - 1)];
    if (before) go({ terms: { pin: before.at } });
  }

  async read() {
    const { at, pin } = current().terms;
    if (!pin) return this.readLast(at);
    this.lead.textContent = "Comparing…";
    const from = pin === "now" ? undefined : pin;
    try {
      this.difference = await this.space.run({ op: "diff", from: named(from), to: named(at) });
      this.lead.textContent = `From ${label(from)} to ${label(at)}.`;
      this.draw();
    } catch (error) {
      this.difference = null;
      this.lead.textContent = `From ${label(from)} to ${label(at)}.`;
      this.tools.replaceChildren();
      fill(this.result, failure(error));
    }
  }

  /**
   * Shows the last change up to a moment, because none is pinned.
   * @param {string | undefined} at
   */
  async readLast(at) {
    try {
      const hash = await lastCommit(this.space, at);
      const one = hash && await this.space.run({ op: "commit", commit: hash, limit: 1000 });
      if (current().terms.pin || current().terms.at !== at) return;
      fill(this.lead, one ? ["The last change: ", link(address({ view: "commit", terms: { commit: one.hash } }), one.message || "no message"), `, ${who(one.author)}, `, time(one.time), ". "]
        : "Nothing was written yet. ", "Pin a moment, then move to another, to see everything that differs between them.");
      this.result.replaceChildren();
      if (one) append(this.result, [differenceList(one, { counts: one.counts })]);
    } catch (error) {
      fill(this.result, failure(error));
    }
  }

  draw() {
    const difference = this.difference;
    const { pin, of: type } = current().terms;
    if (!difference || !pin) return;
    /** @type {Map<string, number>} */
    const types = new Map();
    for (const kind of ["added", "changed", "ended"]) for (const one of difference[kind]) types.set(one.type, (types.get(one.type) ?? 0) + 1);
    const wanted = (/** @type {any[]} */ all) => (type ? all.filter((one) => one.type === type) : all);
    fill(this.tools, [...types].sort().map(([name, number]) => button([name, h("span", { class: "figure" }, count(number))],
      () => go({ terms: { of: type === name ? null : name } }, { replaces: true }), { class: "button facet", "aria-pressed": String(type === name) })),
    h("span", { class: "faint" }, counted([...types.values()].reduce((sum, one) => sum + one, 0), "entity", "entities")),
    button("Exchange the two", () => go({ terms: { at: pin === "now" ? null : pin, pin: current().terms.at ?? "now" } })));
    fill(this.result, differenceList({ added: wanted(difference.added), changed: wanted(difference.changed), ended: wanted(difference.ended) }));
  }
}

/**
 * The newest commit up to a moment; null if there is none.
 * @param {import("./api.js").Space} space
 * @param {string | undefined} at
 * @returns {Promise<string | null>}
 */
async function lastCommit(space, at) {
  const hash = hashOf(at);
  if (hash) return hash;
  // A date has what was written within its millisecond.
  const around = at && await space.run({ op: "timeline", around: new Date(Date.parse(at) + 1).toISOString() });
  if (around) return around.previous?.hash ?? null;
  const [newest] = await space.run({ op: "log", limit: 1 });
  return newest?.hash ?? null;
}
