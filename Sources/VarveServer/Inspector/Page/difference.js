/** The difference of two states, entity by entity. */
import { button, h } from "./dom.js";
import { count, text } from "./format.js";
import { named } from "./names.js";
import { long } from "./long-text.js";

const part = 200;
const signs = /** @type {Record<string, string>} */ ({ added: "+", changed: "~", ended: "−" });
const titles = /** @type {Record<string, string>} */ ({ changed: "Changed", ended: "Ended", added: "Added" });

/**
 * @param {{ added: any[], changed: any[], ended: any[] }} difference
 * @param {{ counts?: Record<string, number>, actions?: (kind: string, one: any) => any }} [options]
 */
export function differenceList(difference, options = {}) {
  const { counts, actions } = options;
  const kinds = ["changed", "ended", "added"].filter((kind) => /** @type {any} */ (difference)[kind].length > 0);
  if (kinds.length === 0) return h("p", { class: "faint" }, "Nothing differs.");
  return h("div", {}, kinds.map((kind) => {
    const all = /** @type {any} */ (difference)[kind];
    const list = h("div", { class: "difference" });
    let shown = 0;
    const more = button("", () => show(), {});
    const show = () => {
      list.append(...all.slice(shown, shown + part).map((/** @type {any} */ one) => row(kind, one, actions)));
      shown = Math.min(all.length, shown + part);
      more.textContent = `Show ${Math.min(part, all.length - shown)} more of ${count(all.length - shown)}`;
      more.hidden = shown >= all.length;
    };
    show();
    return h("section", { "data-kind": kind },
      h("h2", {}, h("span", { class: `sign-${kind}` }, signs[kind]), titles[kind], h("span", { class: "figure" }, count(counts?.[kind] ?? all.length))),
      list, more,
      counts && counts[kind] > all.length && h("p", { class: "faint" }, `The first ${count(all.length)} of ${count(counts[kind])}.`));
  }));
}

/** @param {string} kind @param {any} one @param {any} actions */
function row(kind, one, actions) {
  const properties = Object.entries(one.properties);
  const wanted = kind === "changed" ? properties : properties.slice(0, 6);
  return h("div", { class: "changed-entity" },
    h("div", {}, h("span", { class: `sign sign-${kind}`, "aria-label": kind }, signs[kind]), named(one.id), h("br"),
      h("span", { class: "faint" }, one.type), actions?.(kind, one)),
    h("div", { class: "pairs" },
      wanted.flatMap(([key, { old, new: fresh }]) => [h("span", { class: "key" }, key), h("span", {},
        kind !== "added" && h("del", {}, long(text(old)) || "none"), kind === "changed" && h("span", { class: "arrow" }, "→"),
        kind !== "ended" && h("ins", {}, long(text(fresh)) || "none"))]),
      properties.length > wanted.length && [h("span", {}), h("span", { class: "faint" }, `and ${properties.length - wanted.length} more values`)],
      Object.entries(one.collections ?? {}).flatMap(([key, { old, new: fresh }]) => [h("span", { class: "key" }, key),
        h("span", {}, `${old?.length ?? 0} elements`, h("span", { class: "arrow" }, "→"), `${fresh?.length ?? 0} elements`)]),
      kind === "changed" && relations("related", "+", living(one, one.related), "ins"), kind === "changed" && relations("unrelated", "−", living(one, one.unrelated), "del")));
}

/**
 * The relations whose targets are not dead.
 *
 * @param {any} one
 * @param {any[]} all
 */
function living(one, all) { return all?.filter((relation) => !one.dead?.includes(relation.to)); }

/** @param {string} title @param {string} sign @param {any[]} all @param {string} mark */
function relations(title, sign, all, mark) {
  if (!all?.length) return [];
  return [h("span", { class: "key" }, title), h("span", {}, all.slice(0, 8).map((one) => [h(mark, {}, `${sign}\u00a0${one.kind}\u00a0${one.to}`), " "]),
    all.length > 8 && h("span", { class: "faint" }, `and ${all.length - 8} more`))];
}
