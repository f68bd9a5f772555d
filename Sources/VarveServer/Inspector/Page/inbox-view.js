/** What merges left to decide: values that copies wrote apart, unseen deaths, issues. */
import { button, fill, h } from "./dom.js";
import { commit, counted, entity, shown, text, time, who } from "./format.js";
import { note } from "./dialog.js";
import { long, whole } from "./long-text.js";
import { latest } from "./latest.js";
import { current } from "./address.js";
import { like } from "./typed.js";

export class InboxView {
  /** @param {HTMLElement} root @param {import("./api.js").Space} space @param {import("./frame.js").Frame} frame */
  constructor(root, space, frame) {
    this.space = space;
    this.frame = frame;
    /** @type {Map<string, any>} operations by conflict */
    this.decisions = new Map();
    this.page = h("div", { class: "page" });
    fill(root, this.page);
    this.load = latest(async () => this.read());
  }

  show() {
    if (this.at === current().terms.at && this.wasRead) return;
    this.at = current().terms.at;
    this.load(null);
  }

  refresh() {
    if (!this.isInUse) this.load(null);
  }

  /** Whether something was chosen or is being typed, which stays until it is settled. */
  get isInUse() {
    const typed = document.activeElement;
    return this.decisions.size > 0 || (typed instanceof HTMLInputElement && this.page.contains(typed) && typed.type === "text");
  }

  async read() {
    this.wasRead = true;
    const [conflicts, issues] = await this.space.runAll([{ op: "conflicts" }, { op: "issues" }]);
    const list = conflicts instanceof Error ? [] : conflicts;
    const histories = await this.space.runAll(list.map((/** @type {any} */ one) => (one.key === null ? { op: "status", id: one.id } : { op: "history", id: one.id, key: one.key })));
    if (!this.isInUse) this.draw(list, histories, issues instanceof Error ? [] : issues);
  }

  /** @param {any[]} conflicts @param {any[]} histories @param {any[]} issues */
  draw(conflicts, histories, issues) {
    this.decisions.clear();
    const canWrite = this.space.canWrite;
    this.settle = button("Settle", () => this.settleAll(), { class: "button primary", disabled: true, "data-action": "settle" });
    fill(this.page, h("h1", {}, "Inbox"),
      h("p", { class: "lead" }, conflicts.length + issues.length === 0 ? "Nothing to decide: no copies disagree, and every reference is consistent."
        : `${counted(conflicts.length, "conflict")} and ${counted(issues.length, "issue")}. Until then, the store uses the newest value of each.`),
      conflicts.map((one, index) => this.conflict(one, Array.isArray(histories[index]) ? histories[index] : [])),
      issues.map((one) => this.issue(one)),
      canWrite && conflicts.length > 0 && h("div", { class: "settle-all" }, this.settle, h("span", { class: "faint" }, "The resolutions you choose are written as one commit.")));
  }

  /** @param {any} one @param {any[]} history */
  conflict(one, history) {
    const name = `conflict-${one.id}-${one.key}`;
    const choose = (/** @type {any} */ operation) => {
      if (operation) this.decisions.set(name, operation);
      else this.decisions.delete(name);
      this.settle.disabled = this.decisions.size === 0;
      this.settle.textContent = this.decisions.size > 1 ? `Settle ${this.decisions.size} in one commit` : "Settle";
    };
    return one.kind === "death" ? this.death(one, name, choose) : this.value(one, history, name, choose);
  }

  /** @param {any} one @param {any[]} history @param {string} name @param {(operation: any) => void} choose */
  value(one, history, name, choose) {
    const canWrite = this.space.canWrite;
    const apart = new Set(one.versions.map((/** @type {any} */ version) => version.commit));
    const base = history.find((version) => !apart.has(version.commit) && version.time < one.versions[one.versions.length - 1].time);
    const write = (/** @type {any} */ value) => ({ op: "set", id: one.id, set: { [one.key]: value } });
    // What is typed is of the kind of the values that disagree.
    const example = one.versions.map((/** @type {any} */ version) => version.value).find((/** @type {any} */ value) => value !== null) ?? "";
    const chooseOther = () => {
      const value = like(example, other.value);
      other.setCustomValidity(value === undefined ? "It is not of the kind of the other values." : "");
      other.reportValidity();
      choose(value === undefined ? null : write(value));
    };
    const other = h("input", { type: "text", "aria-label": "Another value", placeholder: "another value", oninput: () => { otherChoice.checked = true; chooseOther(); } });
    const otherChoice = h("input", { type: "radio", name, onchange: chooseOther });
    const titles = one.versions.length === 2 ? ["Current", "Other"] : one.versions.map((/** @type {any} */ _, /** @type {number} */ index) => (index === 0 ? "Current" : `Other ${index}`));
    return h("article", { class: "matter", "data-conflict": one.key },
      h("header", {}, h("h3", {}, entity(one.id), " · ", one.key), h("span", { class: "state state-note" }, `${one.versions.length} conflicting values`)),
      h("div", { class: "sides" },
        h("div", { class: "side-of is-base" }, h("span", { class: "which" }, "Base"), h("span", { class: "what" }, base ? whole(base.value) : h("span", { class: "nothing" }, "no value")),
          base && h("span", { class: "faint" }, who(base.author), ", ", time(base.time))),
        one.versions.map((/** @type {any} */ version, /** @type {number} */ index) => h("div", { class: "side-of" },
          h("span", { class: "which" }, titles[index]),
          h("label", {}, canWrite && h("input", { type: "radio", name, onchange: () => choose(write(version.value)) }), h("span", { class: "what" }, whole(version.value))),
          h("span", { class: "faint" }, who(version.author), ", ", time(version.time)), h("span", { class: "faint" }, version.message ? `${version.message} · ` : "", commit(version.commit)))),
        canWrite && h("div", { class: "side-of" }, h("span", { class: "which" }, "Or"), h("label", {}, otherChoice, other),
          h("label", {}, h("input", { type: "radio", name, onchange: () => choose(write(null)) }), "no value"))));
  }

  /** @param {any} one @param {string} name @param {(operation: any) => void} choose */
  death(one, name, choose) {
    const choice = (/** @type {string} */ title, /** @type {any} */ operation) => h("label", { class: "choice" }, h("input", { type: "radio", name, onchange: () => choose(operation) }), title);
    return h("article", { class: "matter", "data-conflict": "life" },
      h("header", {}, h("h3", {}, entity(one.id)), h("span", { class: "state state-dead" }, "died where others were writing to it")),
      h("div", { class: "sides" },
        h("div", { class: "side-of is-base" }, h("span", { class: "which" }, "Died with"), one.erased.length ? one.erased.map((/** @type {string} */ id) => h("span", {}, entity(id))) : "its owners"),
        one.versions.map((/** @type {any} */ version) => h("div", { class: "side-of" }, h("span", { class: "which" }, version.key ?? version.change), h("span", { class: "what" }, long(text(version.value)) || version.change), h("span", { class: "faint" }, who(version.author), ", ", time(version.time))))),
      this.space.canWrite && h("footer", {}, choice("Keep it erased", { op: "settle", id: one.id, death: true }), choice("Restore it with its owners", { op: "restore", id: one.id, mode: "withOwners" }), choice("Restore it alone", { op: "restore", id: one.id, mode: "asRoot" })));
  }

  /** @param {any} one */
  issue(one) {
    const canWrite = this.space.canWrite;
    const fix = (/** @type {any} */ operation, /** @type {string} */ title) => canWrite && h("footer", {}, button(title, () => this.run(operation)));
    if (one.kind === "ownerlessCycle") {
      return h("article", { class: "matter" }, h("header", {}, h("h3", {}, "A circle of ownership"), h("span", { class: "state state-note" }, "nothing outside owns it")),
        h("div", { class: "side-of" }, h("div", { class: "chips" }, one.ids.map(entity))), fix({ op: "makeRoot", id: one.ids[0] }, `Make ${one.ids[0]} a root`));
    }
    if (one.kind === "disagreement") {
      return h("article", { class: "matter" }, h("header", {}, h("h3", {}, entity(one.id), ` · ${one.key}`), h("span", { class: "state state-note" }, "reference and relation disagree")),
        h("div", { class: "side-of" }, "The reference says ", shown(one.reference), ", the relations lead to ", one.ids.map(entity)), fix({ op: "reconcile", id: one.id, key: one.key }, "Follow the reference"));
    }
    return h("article", { class: "matter" }, h("header", {}, h("h3", {}, one.kind)), h("div", { class: "side-of" }, h("div", { class: "chips" }, (one.ids ?? []).map(entity))));
  }

  async settleAll() {
    const all = [...this.decisions.values()];
    const alone = all.filter((one) => one.op === "settle");
    const together = all.filter((one) => one.op !== "settle");
    const message = `settle ${counted(all.length, "conflict")}`;
    for (const one of alone) await this.run({ ...one, message });
    if (together.length > 0) await this.run({ op: "transaction", operations: together, message });
  }

  /** @param {any} operation */
  async run(operation) {
    try {
      await this.space.run(operation);
      note("Settled, by one commit");
      this.decisions.clear();
      this.frame.refresh();
    } catch (error) {
      note(error instanceof Error ? error.message : String(error), "failure");
    }
  }
}
