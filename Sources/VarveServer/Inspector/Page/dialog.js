/** Modal dialogs and notes. The element <dialog> keeps the focus inside, and Escape closes it. */
import { button, h } from "./dom.js";

let number = 0;

/**
 * Opens a dialog.
 * @param {any} title
 * @param {any} content
 * @param {{ actions?: any[], class?: string }} [options]
 * @returns {{ element: HTMLDialogElement, close: () => void }}
 */
export function openDialog(title, content, options = {}) {
  const { actions = [], class: name = "" } = options;
  const back = /** @type {any} */ (document.activeElement);
  const id = `dialog-${++number}`;
  const element = h("dialog", { class: `dialog ${name}`, "aria-labelledby": id },
    h("div", { class: "dialog-head" }, h("h2", { id }, title),
      button("×", () => element.close(), { class: "button bare", "aria-label": "Close" })),
    h("div", { class: "dialog-body" }, content),
    actions.length > 0 && h("div", { class: "dialog-foot" }, actions));
  element.addEventListener("close", () => {
    element.remove();
    back?.focus?.();
  });
  element.addEventListener("click", (/** @type {MouseEvent} */ event) => {
    if (event.target === element) element.close();
  });
  document.body.append(element);
  element.showModal();
  return { element, close: () => element.close() };
}

/** What stands before a note of each kind. */
const before = { done: "", failure: "Not done: ", unread: "Not read: " };

/**
 * Says something without taking the focus.
 * @param {string} text
 * @param {"done" | "failure" | "unread"} [kind]
 */
export function note(text, kind = "done") {
  const place = document.getElementById("notes");
  const element = h("p", { class: `note note-${kind}` }, before[kind] + text);
  place?.append(element);
  setTimeout(() => element.remove(), kind === "done" ? 5_000 : 12_000);
}
