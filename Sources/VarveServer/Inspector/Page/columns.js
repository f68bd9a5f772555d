/** Chooses the columns of a table. */
import { button, h } from "./dom.js";
import { go } from "./address.js";
import { openDialog } from "./dialog.js";

/**
 * @param {string[]} keys
 * @param {string[]} chosen
 * @param {string[]} own
 */
export function openColumns(keys, chosen, own) {
  const names = /** @type {Record<string, string>} */ ({ id: "identifier", "@datestamp": "since", "@modified": "last changed" });
  const boxes = [...new Set([...own, ...keys])].map((key) => {
    const box = h("input", { type: "checkbox", value: key, checked: chosen.includes(key) });
    return h("label", { class: "choice" }, box, Object.hasOwn(names, key) ? names[key] : key);
  });
  const dialog = openDialog("Columns", h("div", { class: "choices" }, boxes), {
    actions: [
      button("All keys", () => { dialog.close(); go({ terms: { columns: null } }); }),
      button("Show these", () => {
        const wanted = boxes.map((label) => label.querySelector("input")).filter((box) => box.checked).map((box) => box.value);
        dialog.close();
        go({ terms: { columns: wanted.length ? wanted.join("\n") : "id" } });
      }, { class: "button primary" }),
    ],
  });
}
