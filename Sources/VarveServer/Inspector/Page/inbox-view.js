/** What merges left to decide. A card that changes while it is open is drawn anew, and what was chosen of it is dropped. */
import { sound } from "./api.js";
import { button, failure, fill, h } from "./dom.js";
import { clipped, counted, same } from "./format.js";
import { note } from "./dialog.js";
import { conflictCard, issueCard, nameOf } from "./inbox-cards.js";
import { authorField, signed } from "./signature.js";
import { meanwhile } from "./meanwhile.js";

/** What is said if a card changed in the moment in which it was settled. */
const changed = "what you chose from has changed; look again";

/** @typedef {{ conflicts: any[], histories: any[], issues: any[] }} Matters */

export class InboxView {
  /** @param {HTMLElement} root @param {import("./api.js").Space} space @param {import("./frame.js").Frame} frame */
  constructor(root, space, frame) {
    this.space = space;
    this.frame = frame;
    /** @type {Map<string, import("./inbox-cards.js").Choice>} by conflict */
    this.chosen = new Map();
    /** @type {Matters | null} what is shown */
    this.matters = null;
    /** @type {import("./api.js").State | null} the state after which it was read */
    this.basis = null;
    /** What changed while the page was open. */
    this.remark = "";
    /** @type {Promise<any>} */
    this.turn = Promise.resolve();
    this.page = h("div", { class: "page" });
    this.settle = button("Settle", () => this.settleAll(), { class: "button primary", disabled: true, "data-action": "settle" });
    fill(root, this.page);
  }

  show() {
    if (!this.matters) this.renew();
  }

  refresh() {
    this.renew();
  }

  /**
   * Reads again, one reading after another.
   * @returns {Promise<boolean>} whether all that is chosen is of cards that are still as they were
   */
  renew() {
    this.turn = this.turn.then(() => this.look());
    return this.turn;
  }

  async look() {
    try {
      const basis = await this.space.describe();
      const matters = await this.read();
      const before = this.basis;
      this.basis = basis;
      if (this.matters && same(matters, this.matters)) return true;
      const dropped = this.matters ? this.drop(matters) : [];
      this.remark = dropped.length && before ? `${await meanwhile(this.space, before).catch(() => "")} What you chose for ${dropped.join(", ")} was dropped, and nothing of it was written.`.trim() : "";
      this.draw(matters);
      return dropped.length === 0;
    } catch (error) {
      this.matters = null;
      fill(this.page, h("h1", {}, "Inbox"), failure(error));
      return false;
    }
  }

  /** @returns {Promise<Matters>} */
  async read() {
    const [conflicts, issues] = sound(await this.space.runAll([{ op: "conflicts" }, { op: "issues" }]));
    const histories = await this.space.runAll(conflicts.map((/** @type {any} */ one) => (one.key === null ? { op: "status", id: one.id } : { op: "history", id: one.id, key: one.key })));
    return { conflicts, issues, histories: histories.map((one) => (one instanceof Error ? null : one)) };
  }

  /**
   * Drops what was chosen of cards that are others now.
   * @param {Matters} fresh
   * @returns {string[]} what of, in words
   */
  drop(fresh) {
    const cards = (/** @type {Matters} */ { conflicts, histories }) => new Map(conflicts.map((one, index) => [nameOf(one), { one, history: histories[index] }]));
    const [before, now] = [cards(/** @type {Matters} */ (this.matters)), cards(fresh)];
    return [...this.chosen.keys()].filter((name) => !same(before.get(name), now.get(name))).map((name) => {
      this.chosen.delete(name);
      const { id, key } = before.get(name)?.one ?? {};
      return clipped([id, key].filter(Boolean).join(" · "), 120);
    });
  }

  /** @param {Matters} matters */
  draw(matters) {
    this.matters = matters;
    const { conflicts, histories, issues } = matters;
    const { canWrite } = this.space;
    const focus = this.focus();
    const choose = (/** @type {any} */ one) => (canWrite ? (/** @type {import("./inbox-cards.js").Choice} */ choice) => {
      this.chosen.set(nameOf(one), choice);
      this.enable();
    } : null);
    this.enable();
    fill(this.page, h("h1", {}, "Inbox"),
      h("p", { class: "lead" }, conflicts.length + issues.length === 0 ? "Nothing to decide: no copies disagree, and every reference is consistent."
        : `${counted(conflicts.length, "conflict")} and ${counted(issues.length, "issue")}. Until they are settled, the store uses the newest value of each.`),
      h("p", { class: "remark", role: "status", hidden: !this.remark }, this.remark),
      conflicts.map((one, index) => conflictCard(one, Array.isArray(histories[index]) ? histories[index] : [], { chosen: this.chosen.get(nameOf(one)), choose: choose(one) })),
      issues.map((one) => issueCard(one, canWrite ? (operation) => this.mend(one, operation) : null)),
      canWrite && conflicts.length > 0 && h("div", { class: "settle-all" }, authorField(this.basis), this.settle, h("span", { class: "faint" }, "The resolutions you choose are written as one commit.")));
    focus();
  }

  /** Returns what gives the focus back to the choice that has it. */
  focus() {
    const active = /** @type {any} */ (document.activeElement);
    const card = this.page.contains(active) ? active.closest("[data-card]")?.dataset.card : null;
    const isSettle = active === this.settle;
    const [choice, start, end] = [active?.dataset?.choice, active?.selectionStart, active?.selectionEnd];
    return () => {
      if (isSettle) this.settle.focus();
      const same = card && this.page.querySelector(`[data-card="${CSS.escape(card)}"] [data-choice="${CSS.escape(choice ?? "")}"]`);
      same?.focus();
      if (same && choice === "typed") same.setSelectionRange(start, end);
    };
  }

  enable() {
    const ready = this.operations.length;
    this.settle.disabled = ready === 0;
    this.settle.textContent = ready > 1 ? `Settle ${ready} in one commit` : "Settle";
  }

  /** @returns {any[]} what is chosen */
  get operations() {
    return [...this.chosen.values()].map((one) => one.operation).filter(Boolean);
  }

  async settleAll() {
    this.settle.disabled = true;
    const all = this.operations;
    const message = `settle ${counted(all.length, "conflict")}`;
    const isDone = await this.write(counted(all.length, "conflict"), async (basis) => {
      const together = all.filter((one) => one.op !== "settle");
      if (together.length > 0) await this.space.write({ op: "transaction", operations: together, message }, basis);
      // Only a conflict that is still there can be settled.
      for (const one of all.filter((one) => one.op === "settle")) await this.space.run(signed({ ...one, message }, basis));
    });
    if (isDone) this.chosen.clear();
    else this.enable();
    this.frame.refresh();
  }

  /** @param {any} issue @param {any} operation */
  async mend(issue, operation) {
    await this.write("1 issue", async (basis) => {
      if (!this.matters?.issues.some((one) => same(one, issue))) throw new Error("the issue is another one now");
      await this.space.write(operation, basis);
    });
    this.frame.refresh();
  }

  /**
   * Writes what was decided on what is shown, unless that is no longer so.
   * @param {string} what
   * @param {(basis: import("./api.js").State) => Promise<void>} body
   */
  async write(what, body) {
    try {
      const isSame = await this.renew();
      if (!isSame || !this.basis) {
        note(changed, "failure");
        return false;
      }
      await body(this.basis);
      note(`Settled: ${what}`);
      return true;
    } catch (error) {
      const isLate = /** @type {any} */ (error).code === "changedMeanwhile";
      note(isLate ? changed : error instanceof Error ? error.message : String(error), "failure");
      return false;
    }
  }
}
