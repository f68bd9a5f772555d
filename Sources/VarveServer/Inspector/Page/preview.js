/** Shows what a write would do, and does it when that is confirmed. */
import { button, h } from "./dom.js";
import { openDialog, note } from "./dialog.js";
import { clipped, counted, text } from "./format.js";

/**
 * @param {object} plan
 * @param {string} plan.title
 * @param {string} plan.lead what happens, in a sentence
 * @param {() => Promise<any>} plan.preview returns what would happen
 * @param {(result: any) => any} plan.show
 * @param {string} plan.action the word of the button
 * @param {(message: string) => Promise<any>} plan.run
 * @param {string} plan.done
 * @param {boolean} [plan.isDangerous]
 * @param {() => void} [plan.after]
 */
export async function openPreview(plan) {
  const body = h("div", { class: "preview" }, h("p", { class: "skeleton" }, "Loading preview…"));
  const message = h("input", { type: "text", id: "preview-message", placeholder: "Why (optional)", "aria-label": "Why", autocomplete: "off" });
  const act = button(plan.action, async () => {
    act.disabled = true;
    try {
      await plan.run(message.value.trim());
      dialog.close();
      note(plan.done);
      plan.after?.();
    } catch (error) {
      act.disabled = false;
      note(error instanceof Error ? error.message : String(error), "failure");
    }
  }, { class: `button ${plan.isDangerous ? "danger" : "primary"}`, disabled: true, "data-name": "confirm" });
  const dialog = openDialog(plan.title, [h("p", {}, plan.lead), body, message], {
    actions: [button("Cancel", () => dialog.close()), act],
  });
  try {
    const result = await plan.preview();
    if (result instanceof Error) throw result;
    body.replaceChildren(plan.show(result));
    act.disabled = false;
    act.focus();
  } catch (error) {
    body.replaceChildren(h("p", { class: "failure", role: "alert" }, error instanceof Error ? error.message : String(error),
      h("br"), /** @type {any} */ (error).remedy ?? ""));
  }
}

/**
 * A list of entities, the first ones by name.
 * @param {string} what
 * @param {string[]} ids
 */
export function listed(what, ids) {
  if (ids.length === 0) return null;
  return h("div", {}, h("h3", {}, `${counted(ids.length, "entity", "entities")} ${what}`),
    h("ul", { class: "chips" }, ids.slice(0, 40).map((id) => h("li", {}, id)), ids.length > 40 && h("li", { class: "faint" }, `and ${ids.length - 40} more`)));
}

/**
 * What an undo did or would do.
 * @param {any} report
 */
export function undoReport(report) {
  const reasons = /** @type {Record<string, string>} */ ({
    changedSince: "changed since", notLive: "not live", ownersDead: "its owners are dead", createdAnew: "created anew",
    compacted: "the value before may be gone", doneByAnother: "another commit did it too", conflictSettled: "settled a conflict",
  });
  const nothing = ["properties", "erased", "restored", "related", "unrelated"].every((name) => report[name].length === 0);
  return h("div", {},
    nothing && h("p", {}, "Nothing would change."),
    report.properties.length > 0 && h("div", {}, h("h3", {}, `${counted(report.properties.length, "value")} returns to what it was`),
      h("ul", {}, report.properties.slice(0, 30).map((/** @type {any} */ one) => h("li", {}, `${one.id} · ${one.key}`)),
        report.properties.length > 30 && h("li", { class: "faint" }, `and ${report.properties.length - 30} more`))),
    listed("come back", report.restored), listed("are erased", report.erased),
    report.related.length + report.unrelated.length > 0 && h("p", {}, `${counted(report.related.length, "relation")} returns, ${counted(report.unrelated.length, "relation")} ends.`),
    report.skipped.length > 0 && h("div", {}, h("h3", {}, `${counted(report.skipped.length, "change")} stays`),
      h("ul", {}, report.skipped.slice(0, 30).map((/** @type {any} */ one) => h("li", {}, `${one.id}${one.key ? ` · ${one.key}` : ""}: ${reasons[one.reason] ?? one.reason}`)))));
}

/** @param {any} old @param {any} fresh */
export const change = (old, fresh) => h("p", {}, h("del", {}, clipped(text(old)) || "none"), h("span", { class: "arrow" }, "→"), h("ins", {}, clipped(text(fresh)) || "none"));
