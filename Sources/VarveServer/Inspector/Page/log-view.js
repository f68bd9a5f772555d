/** The commits, newest arrival first; those of one author if wanted. */
import { button, failure, fill, h, link } from "./dom.js";
import { address, current, go } from "./address.js";
import { byWhom, count, counted, short, time, who } from "./format.js";
import { latest, settled } from "./latest.js";
import { authorSummary, showSummary } from "./author-summary.js";
import { hashOf, label } from "./moments.js";

const part = 500;
const scanned = 5_000;

export class LogView {
  /** @param {HTMLElement} root @param {import("./api.js").Space} space */
  constructor(root, space) {
    this.space = space;
    this.wanted = 200;
    /** @type {string | null} */
    this.shape = null;
    this.filter = h("input", { type: "search", placeholder: "Search messages and authors", "aria-label": "Search messages and authors",
      value: current().terms.search ?? "", oninput: settled(() => go({ terms: { search: this.filter.value } }, { replaces: true }), 160) });
    this.facets = h("div", { class: "bar-of-tools", role: "group", "aria-label": "Authors" });
    this.summary = h("section", { class: "summary", "aria-live": "polite" });
    this.list = h("ol", { class: "commits" });
    this.foot = h("div", { class: "faint" });
    fill(root, h("div", { class: "page" }, h("h1", {}, "Commits"), h("p", { class: "lead" }, "Every write that was ever made, in the order in which it arrived here."),
      h("div", { class: "bar-of-tools" }, this.filter), this.facets, this.summary, this.list, this.foot));
    this.load = latest(async () => {
      await this.read().catch((error) => fill(this.foot, failure(error)));
    });
  }

  focusFilter() {
    this.filter.focus();
  }

  show() {
    const { author, search } = current().terms;
    const shape = [author, search].join("\n");
    if (shape === this.shape) return this.mark();
    this.shape = shape;
    this.load(null);
  }

  /** Shows where the moment of the bar stands among the commits. */
  mark() {
    this.list.querySelector(".here")?.remove();
    const { at } = current().terms;
    const rows = [.../** @type {NodeListOf<HTMLElement>} */ (this.list.querySelectorAll("li[data-hash]"))];
    const hash = hashOf(at);
    for (const row of rows) row.removeAttribute("aria-current");
    if (!at || rows.length === 0) return;
    const time = Date.parse(at);
    const place = rows.find((row) => (hash ? row.dataset.hash?.startsWith(hash) : Date.parse(row.dataset.time ?? "") <= time));
    if (hash) place?.setAttribute("aria-current", "true");
    if (hash && !place) return;
    const said = hash ? "The bar shows this commit" : place ? `The bar shows ${label(at)}: what stands above was written later` : `The bar shows ${label(at)}: all of these were written later`;
    const here = h("li", { class: "here" }, said);
    if (place) place.before(here);
    else this.list.append(here);
  }

  refresh() {
    this.load(null);
  }

  async read() {
    const { author, search } = current().terms;
    const [line] = await this.space.runAll([{ op: "timeline", intervals: 1, by: "author" }]);
    const words = (search ?? "").toLowerCase();
    /** @type {any[]} */
    const found = [];
    let offset = 0;
    for (; offset < scanned && found.length < this.wanted; offset += part) {
      const commits = await this.space.run({ op: "log", limit: part, offset });
      found.push(...commits.filter((/** @type {any} */ one) => (author === undefined || one.author === (author === "(none)" ? "" : author))
        && (!words || `${one.author} ${one.message} ${one.hash}`.toLowerCase().includes(words))));
      if (commits.length < part) break;
    }
    const authors = line instanceof Error ? [] : [...line.series].sort((one, other) => other.total - one.total).slice(0, 12);
    fill(this.facets, authors.map((/** @type {any} */ one) => {
      const name = one.name || "(none)";
      return button([who(one.name), h("span", { class: "figure" }, count(one.total))],
        () => go({ terms: { author: author === name ? null : name } }), { class: "button facet", "aria-pressed": String(author === name) });
    }));
    fill(this.list, found.slice(0, this.wanted).map((one) => h("li", { "data-hash": one.hash, "data-time": one.time },
      h("span", { class: "faint" }, time(one.time)), h("span", { class: "author" }, byWhom(one)),
      h("span", { class: "message" }, link(address({ view: "commit", terms: { commit: one.hash } }), one.message || "no message"), one.redacts && h("span", { class: "state state-note" }, "destroyed data")),
      h("span", { class: "figure" }, counted(one.operations, "operation")), h("span", { class: "mono faint" }, short(one.hash)))));
    this.mark();
    this.sumUp(author, found);
    fill(this.foot, found.length === 0 ? (words || author !== undefined ? "No commit is like this." : "Nothing was written yet.") : found.length > this.wanted || offset >= scanned
      ? button("Show more", () => { this.wanted += 400; this.load(null); }) : `${counted(found.length, "commit")}.`);
  }

  /**
   * Sums up the commits of the author who is chosen.
   * @param {string | undefined} author
   * @param {any[]} commits
   */
  async sumUp(author, commits) {
    if (author === undefined) return fill(this.summary);
    const summary = await authorSummary(this.space, commits).catch(() => null);
    if (summary && current().terms.author === author) showSummary(this.summary, author === "(none)" ? "" : author, summary);
  }
}
