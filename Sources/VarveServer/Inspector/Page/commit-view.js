/** One commit: who wrote it, what its author had seen, what it changed; and undoing it. */
import { sound } from "./api.js";
import { button, failure, fill, h, link } from "./dom.js";
import { address, current, go } from "./address.js";
import { byWhom, commit as commitLink, count, counted, short, time, who } from "./format.js";
import { atCommit } from "./moments.js";
import { differenceList } from "./difference.js";
import { restoreEntity } from "./entity-writes.js";
import { undo, undoers } from "./undoing.js";

export class CommitView {
  /** @param {HTMLElement} root @param {import("./api.js").Space} space @param {import("./frame.js").Frame} frame */
  constructor(root, space, frame) {
    this.space = space;
    this.frame = frame;
    /** @type {string | null | undefined} what is shown */
    this.shown = null;
    /** @type {string | null} the whole hash of what is drawn */
    this.hash = null;
    this.undone = h("p", { hidden: true });
    this.page = h("div", { class: "page" });
    fill(root, this.page);
  }

  show() {
    const { commit } = current().terms;
    if (commit === this.shown) return;
    this.shown = commit;
    this.read(commit ?? "");
  }

  refresh() {
    this.sayUndone();
  }

  /** @param {string} name */
  async read(name) {
    fill(this.page, h("p", { class: "skeleton" }, "Reading the commit…"));
    try {
      const [found, replicas] = await this.space.runAll([{ op: "commit", commit: name, limit: 1000 }, { op: "replicas" }]);
      sound([found, replicas]);
      if (this.shown === name) this.draw(found, replicas);
    } catch (error) {
      fill(this.page, h("h1", {}, "Commit"), failure(error));
    }
  }

  /** @param {any} one @param {any[]} replicas */
  draw(one, replicas) {
    const { counts } = one;
    const canWrite = this.space.canWrite;
    const seen = new Map(one.seen.map((/** @type {any} */ head) => [head.replica, head]));
    const names = new Map(replicas.map((replica, index) => [replica.replica, replica.own ? "this copy" : `copy ${index + 1}`]));
    this.undone = h("p", { class: "undone-by", hidden: true });
    this.hash = one.hash;
    fill(this.page,
      h("p", {}, link(address({ view: "commits", terms: {} }), "‹ Commits")),
      h("h1", {}, one.message || "No message"),
      h("p", { class: "lead" }, byWhom(one), ", ", time(one.time), " · ", `${counted(counts.added, "entity", "entities")} added, ${count(counts.changed)} changed, ${count(counts.ended)} ended`),
      this.undone,
      h("div", { class: "bar-of-tools" },
        button("Go there", () => go({ view: "table", terms: { at: atCommit(one), scale: "commits" } }), { class: "button primary", "data-action": "go" }),
        button("Pin the state before", () => go({ view: "changes", terms: { pin: one.seen.length ? atCommit(one.seen.find((/** @type {any} */ head) => head.replica === one.replica) ?? one.seen[0]) : "1970-01-01", at: atCommit(one), scale: "commits" } })),
        canWrite && button("Undo…", () => undo(this, one, () => this.frame.refresh()), { "data-action": "undo" })),
      h("dl", { class: "facts" },
        h("dt", {}, "Commit"), h("dd", { class: "mono" }, one.hash),
        h("dt", {}, "Written by"), h("dd", {}, `${names.get(one.replica) ?? "a copy"}, its number ${one.sequence}`),
        one.undone && [h("dt", {}, "Undoes"), h("dd", {}, commitLink(one.undone))],
        h("dt", {}, "Had seen"), h("dd", {}, one.seen.length === 0 ? "nothing: it is the first" : h("ul", {}, replicas.filter((replica) => seen.has(replica.replica)).map((replica) => {
          const head = /** @type {any} */ (seen.get(replica.replica));
          const missed = replica.newest - head.sequence - (replica.replica === one.replica ? 1 : 0);
          return h("li", {}, `${names.get(replica.replica)} up to number ${head.sequence}, `, commitLink(head.hash), missed > 0 && replica.replica !== one.replica ? h("span", { class: "faint" }, ` · not the ${count(missed)} after it`) : "");
        }))),
        replicas.some((replica) => !seen.has(replica.replica) && replica.replica !== one.replica) && [h("dt", {}, "Had not seen"),
          h("dd", {}, replicas.filter((replica) => !seen.has(replica.replica) && replica.replica !== one.replica).map((replica) => `${names.get(replica.replica)} at all (${short(replica.replica)})`).join(", "))]),
      differenceList(one, { counts, actions: (kind, entity) => kind === "ended" && canWrite && h("div", {}, button("Restore…", () => restoreEntity(this, entity.id), { class: "linklike", "data-action": "restore" })) }));
    this.sayUndone();
  }

  /** Says which commits undid this one. */
  async sayUndone() {
    const { hash, undone } = this;
    if (!hash) return;
    const found = await undoers(this.space, hash).catch(() => []);
    if (this.hash !== hash) return;
    undone.hidden = found.length === 0;
    fill(undone, "Undone by ", found.map((one, index) => [index > 0 && ", ", commitLink(one.hash), ` of ${who(one.author)}, `, time(one.time)]));
  }
}
