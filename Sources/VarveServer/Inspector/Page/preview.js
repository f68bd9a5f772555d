/** Shows what a write would do, and does it when that is confirmed: that, and nothing else. */
import { button, failure, fill, h } from "./dom.js";
import { openDialog, note } from "./dialog.js";
import { same } from "./format.js";
import { authorField } from "./signature.js";
import { meanwhile } from "./meanwhile.js";

/** A new preview is there for so many milliseconds before it can be confirmed: a press may be meant for the former. */
const pause = 500;

/**
 * @typedef {object} Plan
 * @property {import("./api.js").Space} space
 * @property {any} title
 * @property {any} lead what happens, in a sentence
 * @property {() => Promise<any>} read returns what would happen
 * @property {(result: any) => any} show
 * @property {(result: any) => boolean} [isNothing] whether nothing would be written
 * @property {string} [action] the word of the button; none if nothing may be written
 * @property {(message: string, basis: import("./api.js").State, result: any) => Promise<any>} [write] refused if what it changes changed since
 * @property {(written: any, result: any) => string} [done]
 * @property {boolean} [isDangerous]
 * @property {() => void} [after]
 */

/** @param {Plan} plan */
export const openPreview = (plan) => void new Preview(plan).renew();

class Preview {
  /** @param {Plan} plan */
  constructor(plan) {
    this.plan = plan;
    /** @type {any} what is shown; undefined if there is nothing that can be confirmed */
    this.shown = undefined;
    /** @type {import("./api.js").State | null} the state that what is shown was read after */
    this.basis = null;
    /** @type {string | null} why nothing is shown */
    this.problem = null;
    this.isBusy = false;
    this.hasFocus = false;
    this.isOpen = true;
    /** @type {Promise<any>} */
    this.turn = Promise.resolve();
    this.close = () => {};
    this.open();
  }

  open() {
    const { plan } = this;
    this.remark = h("p", { class: "remark", role: "status", hidden: true });
    this.body = h("div", { class: "preview" }, h("p", { class: "skeleton" }, "Loading preview…"));
    this.author = h("span", { class: "author-place", hidden: true });
    this.message = h("input", { type: "text", id: "preview-message", placeholder: "Why (optional)", "aria-label": "Why", autocomplete: "off" });
    this.act = plan.action && button(plan.action, () => this.press(), { class: `button ${plan.isDangerous ? "danger" : "primary"}`, disabled: true, "data-name": "confirm" });
    const close = button(plan.action ? "Cancel" : "Close", () => this.close(), { "data-name": "cancel" });
    const { element, close: end } = openDialog(plan.title, [h("p", {}, plan.lead), this.remark, this.body], {
      actions: this.act ? [this.author, this.message, close, this.act] : [close],
    });
    this.close = end;
    const renew = () => this.renew();
    addEventListener("written", renew);
    element.addEventListener("close", () => {
      this.isOpen = false;
      removeEventListener("written", renew);
    });
  }

  /**
   * Reads the preview again, one reading after another.
   * @returns {Promise<boolean>} whether what was shown still holds
   */
  renew() {
    this.turn = this.turn.then(() => this.look());
    return this.turn;
  }

  async look() {
    if (!this.isOpen) return false;
    const before = this.basis;
    try {
      const basis = await this.plan.space.describe();
      const result = await this.plan.read();
      this.basis = basis;
      if (!before) this.askForName();
      if (before && !this.problem && same(result, this.shown)) return true;
      [this.shown, this.problem] = [result, null];
      fill(this.body, this.plan.show(result));
    } catch (error) {
      const problem = String(error);
      if (this.problem === problem) return false;
      [this.shown, this.problem] = [undefined, problem];
      fill(this.body, failure(error));
    }
    if (before) await this.remarkOn(before);
    this.enable();
    return false;
  }

  askForName() {
    const field = authorField(this.basis);
    if (field) this.author.replaceWith(field);
  }

  /**
   * Says that another preview is shown, and why.
   * @param {import("./api.js").State} before
   */
  async remarkOn(before) {
    this.isBusy = true;
    this.enable();
    const what = await meanwhile(this.plan.space, before).catch(() => "");
    this.remark.hidden = false;
    this.remark.textContent = `${what} Nothing was written. This is what it would do now.`.trim();
    this.remark.scrollIntoView?.({ block: "nearest" });
    await new Promise((done) => setTimeout(done, pause));
    this.isBusy = false;
  }

  enable() {
    if (!this.act) return;
    const { isNothing } = this.plan;
    const had = document.activeElement === this.act;
    this.act.disabled = this.isBusy || this.shown === undefined || Boolean(isNothing?.(this.shown));
    if (had) this.hasFocus = false;
    if (this.act.disabled || this.hasFocus || document.activeElement instanceof HTMLInputElement) return;
    this.hasFocus = true;
    this.act.focus();
  }

  async press() {
    const { plan } = this;
    if (!plan.write || this.isBusy) return;
    this.act.disabled = true;
    try {
      if (!(await this.renew()) || !this.basis) return;
      const written = await plan.write(this.message.value.trim(), this.basis, this.shown);
      const said = plan.done?.(written, this.shown) ?? "Done";
      this.close();
      note(said);
      plan.after?.();
    } catch (error) {
      // What the operation changes was changed in this moment.
      if (/** @type {any} */ (error).code === "changedMeanwhile") this.renew();
      else note(error instanceof Error ? error.message : String(error), "failure");
    } finally {
      this.hasFocus = false;
      this.enable();
    }
  }
}
