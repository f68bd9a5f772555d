/** The columns of a table: the keys of its type, or those that are chosen. */
import { button, h } from "./dom.js";
import { go } from "./address.js";
import { openDialog } from "./dialog.js";

/**
 * @param {string[]} keys
 * @param {string[]} chosen
 * @param {string[]} own
 */
export function openColumns(keys, chosen, own) {
  const names = /** @type {Record<string, string>} */ ({ "@id": "identifier", "@datestamp": "since", "@modified": "last changed" });
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
        go({ terms: { columns: wanted.length ? wanted.join("\n") : "@id" } });
      }, { class: "button primary" }),
    ],
  });
}

/**
 * The keys that the entities of a type ever had in columns of their own. They do not depend on the
 * rows in sight, so columns stay when the rows change.
 * @param {import("./api.js").Space} space
 * @param {string} type
 * @returns {Promise<string[]>}
 */
export async function keysOf(space, type) {
  const rows = await space.run({
    op: "sql", values: [type],
    sql: `SELECT k.name AS key FROM varve_column AS c JOIN varve_key AS k ON k.number = c.key
      JOIN varve_type AS t ON t.number = c.type WHERE t.name = ? AND c.column_name IS NOT NULL ORDER BY c.key`,
  });
  return namesFirst(rows.map((/** @type {any} */ row) => row.key));
}

/**
 * Names first, the others as they came: in the order in which they were first written.
 * @param {string[]} keys
 */
export function namesFirst(keys) {
  const rank = (/** @type {string} */ key) => (["name", "title", "label"].includes(key) ? 0 : 1);
  return keys.sort((one, other) => rank(one) - rank(other));
}
