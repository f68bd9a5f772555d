/** The keys that work everywhere. */
import { h } from "./dom.js";
import { openDialog } from "./dialog.js";
import { go } from "./address.js";
import { openPalette } from "./palette.js";
import { views } from "./frame.js";

const list = [
  ["/", "Filter or search what is shown"],
  ["Ctrl K", "Go to a view, a date, an entity or a commit"],
  ["?", "This help"],
  ["g then t, c, l, o, i, r", "Table, changes, commits (log), ownership, inbox, copies (replicas)"],
  ["[  and  ]", "Previous and next change in time"],
  ["n", "Now"],
  ["p", "Pin the moment, to compare others with it"],
  ["Esc", "Close what is open beside the view"],
  ["Arrows, Home, End", "Move in the table, the tree and the time bar"],
  ["Enter", "Open what has the focus; in a column's head, sort by it"],
  ["+  −  0", "In the time bar: zoom in, out, show everything"],
];

export function openHelp() {
  openDialog("Keys and help", [
    h("dl", { class: "keys" }, list.flatMap(([key, text]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, text)])),
    h("h3", {}, "Two kinds of times"),
    h("p", {}, "“Dates” shows what held at a date, as far as it is known today: a list of 2018 that was imported last week holds from 2018. “Commits” shows what the author of a commit had seen when writing it."),
    h("h3", {}, "Where to find"),
    h("ul", {},
      h("li", {}, "Drag the time bar, or press [ and ], to see any table at any moment; pin one to compare."),
      h("li", {}, "Select an entity to see every value it ever had, who owns it, and why it lives or is dead."),
      h("li", {}, "A commit's page shows what it changed, and undoes it after a preview. Nothing edits the past.")),
  ], { class: "help" });
}

/** @param {import("./frame.js").Frame} frame */
export function startKeys(frame) {
  let prefix = false;
  addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
      event.preventDefault();
      return openPalette(frame);
    }
    const target = /** @type {HTMLElement} */ (event.target);
    const isTyping = target.matches?.("input, select, textarea") || target.isContentEditable;
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (prefix) {
      prefix = false;
      const index = "tcloir".indexOf(event.key);
      if (index >= 0) return go({ view: views[index][0], terms: { entity: null } });
    }
    /** @type {Record<string, () => void>} */
    const keys = {
      "/": () => frame.view?.focusFilter?.(),
      "?": openHelp,
      g: () => { prefix = true; },
      "[": () => frame.bar?.stepping.step(-1),
      "]": () => frame.bar?.stepping.step(1),
      n: () => frame.bar?.stepping.goTo(null),
      p: () => document.querySelector('[data-name="pin"], [data-name="unpin"]')?.dispatchEvent(new MouseEvent("click")),
      Escape: () => go({ terms: { entity: null } }),
    };
    const action = keys[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}
