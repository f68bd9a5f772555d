/** The copies that write to this store: how far each is, what waits, and what was destroyed. */
import { failure, fill, h } from "./dom.js";
import { byWhom, commit, count, counted, short, time } from "./format.js";
import { latest } from "./latest.js";

export class CopiesView {
  /** @param {HTMLElement} root @param {import("./api.js").Space} space */
  constructor(root, space) {
    this.space = space;
    this.page = h("div", { class: "page" });
    fill(root, this.page);
    this.load = latest(async () => {
      await this.read().catch((error) => fill(this.page, h("h1", {}, "Copies"), failure(error)));
    });
    this.load(null);
  }

  show() {}

  refresh() {
    this.load(null);
  }

  async read() {
    const [replicas, log, stats] = await this.space.runAll([{ op: "replicas" }, { op: "log", limit: 5_000 }, { op: "stats" }]);
    const described = await this.space.describe();
    if (replicas instanceof Error) return fill(this.page, h("h1", {}, "Copies"), failure(replicas));
    const newest = Math.max(...replicas.filter((/** @type {any} */ one) => one.commits > 0).map((/** @type {any} */ one) => Date.parse(one.last)));
    const purges = log instanceof Error ? [] : log.filter((/** @type {any} */ one) => one.redacts);
    fill(this.page, h("h1", {}, "Copies"), h("p", { class: "lead" }, "Every copy that wrote to this store, as far as its commits have arrived here."),
      h("div", { class: "scrolls" }, h("table", { class: "plain" },
        h("thead", {}, h("tr", {}, ["Copy", "State", "Commits", "Newest", "Last wrote", "Behind the newest"].map((title, index) => h("th", { class: index === 2 || index === 3 ? "number" : "", scope: "col" }, title)))),
        h("tbody", {}, replicas.map((/** @type {any} */ one) => h("tr", {},
          h("td", {}, h("span", { class: "mono" }, short(one.replica)), one.own && h("b", {}, " this copy")),
          h("td", {}, h("span", { class: `state state-${one.state === "active" ? "live" : "note"}` }, one.state), one.chains > 1 && h("span", { class: "state state-note" }, `${one.chains} chains`)),
          h("td", { class: "number" }, count(one.commits)), h("td", { class: "number" }, one.newest), h("td", {}, one.commits > 0 ? time(one.last) : h("span", { class: "faint" }, "never")),
          h("td", {}, one.commits > 0 ? lag(newest - Date.parse(one.last)) : "")))))),
      h("h2", {}, "What waits"),
      h("dl", { class: "facts" },
        h("dt", {}, "Withheld"), h("dd", {}, described.withheld ? `${counted(described.withheld, "commit")} from clocks ahead of this one; they take effect when their time comes` : "nothing"),
        h("dt", {}, "In part"), h("dd", {}, stats instanceof Error ? failure(stats) : stats.partial ? `${counted(stats.partial, "commit")} of which the history has not arrived` : "nothing"),
        h("dt", {}, "Parked"), h("dd", {}, parked(described.parked ?? [])),
        h("dt", {}, "Position"), h("dd", { class: "mono" }, described.position)),
      h("h2", {}, "What was destroyed"),
      log instanceof Error ? failure(log) : purges.length === 0 ? h("p", { class: "faint" }, "Nothing among the newest commits: no purge and no compaction.")
        : h("ul", { class: "commits" }, purges.map((/** @type {any} */ one) => h("li", {}, h("span", {}, time(one.time)), h("span", { class: "author" }, byWhom(one)), h("span", { class: "message" }, one.message || "purge or compaction"), h("span", {}), commit(one)))));
  }
}

/**
 * The commits that were handed over and not taken.
 * @param {any[]} all
 */
function parked(all) {
  if (all.length === 0) return "nothing was refused since the server opened the space";
  return h("ul", { class: "parked" }, all.map((one) => h("li", {}, h("span", { class: "mono" }, short(one.hash)),
    ` number ${one.sequence} of `, h("span", { class: "mono" }, short(one.replica)), ` from ${one.from || "a client"}, `, time(one.time), `: ${one.message}`)));
}

/** @param {number} milliseconds */
function lag(milliseconds) {
  if (milliseconds < 1_000) return h("span", { class: "faint" }, "not at all");
  const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
  if (milliseconds < minute) return counted(Math.round(milliseconds / 1_000), "second");
  if (milliseconds < hour) return counted(Math.round(milliseconds / minute), "minute");
  if (milliseconds < 2 * day) return counted(Math.round(milliseconds / hour), "hour");
  return counted(Math.round(milliseconds / day), "day");
}
