/** The cards of the inbox: values that copies wrote apart, unseen deaths, issues. */
import { button, h } from "./dom.js";
import { byWhom, commit, shown, text, time } from "./format.js";
import { named, namedText } from "./names.js";
import { long, whole } from "./long-text.js";
import { like } from "./typed.js";

/**
 * @typedef {object} Choice what a person chose of a card
 * @property {string} name which of its choices
 * @property {any} operation what it writes; null if what is typed is no value
 * @property {string} [typed]
 *
 * @typedef {object} Card
 * @property {Choice | undefined} chosen
 * @property {((choice: Choice) => void) | null} choose null if the page may not write
 */

/** @param {any} one @param {any[]} history @param {Card} card */
export function conflictCard(one, history, card) {
  return one.kind === "death" ? death(one, card) : value(one, history, card);
}

/** @param {any} one */
export const nameOf = (one) => JSON.stringify([one.id, one.key]);

/**
 * A radio button of a card.
 * @param {any} one
 * @param {Card} card
 * @param {string} name
 * @param {() => any} operation
 */
function radio(one, { chosen, choose }, name, operation) {
  return choose && h("input", {
    type: "radio", name: `conflict-${nameOf(one)}`, "data-choice": name, checked: chosen?.name === name,
    onchange: () => choose({ name, operation: operation() }),
  });
}

/** @param {any} one @param {any[]} history @param {Card} card */
function value(one, history, card) {
  const { chosen, choose } = card;
  const apart = new Set(one.versions.map((/** @type {any} */ version) => version.commit));
  const base = history.find((version) => !apart.has(version.commit) && version.time < one.versions[one.versions.length - 1].time);
  const write = (/** @type {any} */ value) => ({ op: "set", id: one.id, set: { [one.key]: value } });
  const titles = one.versions.length === 2 ? ["Current", "Other"] : one.versions.map((/** @type {any} */ _, /** @type {number} */ index) => (index === 0 ? "Current" : `Other ${index}`));
  return h("article", { class: "matter", "data-conflict": one.key, "data-card": nameOf(one) },
    h("header", {}, h("h3", {}, named(one.id), " · ", one.key), h("span", { class: "state state-note" }, `${one.versions.length} conflicting values`)),
    h("div", { class: "sides" },
      h("div", { class: "side-of is-base" }, h("span", { class: "which" }, "Base"), h("span", { class: "what" }, base ? whole(base.value) : h("span", { class: "nothing" }, "no value")),
        base && h("span", { class: "faint" }, byWhom(base), ", ", time(base.time))),
      one.versions.map((/** @type {any} */ version, /** @type {number} */ index) => h("div", { class: "side-of" },
        h("span", { class: "which" }, titles[index]),
        h("label", {}, radio(one, card, `version-${index}`, () => write(version.value)), h("span", { class: "what" }, whole(version.value))),
        h("span", { class: "faint" }, byWhom(version), ", ", time(version.time)), h("span", { class: "faint" }, version.message ? `${version.message} · ` : "", commit(version.commit)))),
      choose && other(one, chosen, choose, card, write)));
}

/**
 * The choice of a value that is typed, or of none.
 * @param {any} one @param {Choice | undefined} chosen @param {(choice: Choice) => void} choose
 * @param {Card} card @param {(value: any) => any} write
 */
function other(one, chosen, choose, card, write) {
  // What is typed is of the kind of the values that disagree.
  const example = one.versions.map((/** @type {any} */ version) => version.value).find((/** @type {any} */ value) => value !== null) ?? "";
  const take = () => {
    const value = like(example, field.value);
    field.setCustomValidity(value === undefined ? "It is not of the kind of the other values." : "");
    field.reportValidity();
    choose({ name: "other", operation: value === undefined ? null : write(value), typed: field.value });
  };
  const field = h("input", { type: "text", "aria-label": "Another value", placeholder: "another value", "data-choice": "typed",
    value: chosen?.typed ?? "", oninput: () => { mark.checked = true; take(); } });
  const mark = h("input", { type: "radio", name: `conflict-${nameOf(one)}`, "data-choice": "other", checked: chosen?.name === "other", onchange: take });
  return h("div", { class: "side-of" }, h("span", { class: "which" }, "Or"), h("label", {}, mark, field),
    h("label", {}, radio(one, card, "none", () => write(null)), "no value"));
}

/** @param {any} one @param {Card} card */
function death(one, card) {
  const choice = (/** @type {string} */ name, /** @type {string} */ title, /** @type {any} */ operation) => h("label", { class: "choice" }, radio(one, card, name, () => operation), title);
  return h("article", { class: "matter", "data-conflict": "life", "data-card": nameOf(one) },
    h("header", {}, h("h3", {}, named(one.id)), h("span", { class: "state state-dead" }, "died where others were writing to it")),
    h("div", { class: "sides" },
      h("div", { class: "side-of is-base" }, h("span", { class: "which" }, "Died with"), one.erased.length ? one.erased.map((/** @type {string} */ id) => h("span", {}, named(id))) : "its owners"),
      one.versions.map((/** @type {any} */ version) => h("div", { class: "side-of" }, h("span", { class: "which" }, version.key ?? version.change), h("span", { class: "what" }, long(text(version.value)) || version.change), h("span", { class: "faint" }, byWhom(version), ", ", time(version.time))))),
    card.choose && h("footer", {}, choice("erased", "Keep it erased", { op: "settle", id: one.id, death: true }),
      choice("owners", "Restore it with its owners", { op: "restore", id: one.id, mode: "withOwners" }),
      choice("alone", "Restore it alone", { op: "restore", id: one.id, mode: "asRoot" })));
}

/** @param {any} one @param {((operation: any) => void) | null} mend null if the page may not write */
export function issueCard(one, mend) {
  const fix = (/** @type {any} */ operation, /** @type {any} */ title) => mend && h("footer", {}, button(title, () => mend(operation)));
  if (one.kind === "ownerlessCycle") {
    return h("article", { class: "matter" }, h("header", {}, h("h3", {}, "A circle of ownership"), h("span", { class: "state state-note" }, "nothing outside owns it")),
      h("div", { class: "side-of" }, h("div", { class: "chips" }, one.ids.map(named))), fix({ op: "makeRoot", id: one.ids[0] }, ["Make ", namedText(one.ids[0]), " a root"]));
  }
  if (one.kind === "disagreement") {
    return h("article", { class: "matter" }, h("header", {}, h("h3", {}, named(one.id), ` · ${one.key}`), h("span", { class: "state state-note" }, "reference and relation disagree")),
      h("div", { class: "side-of" }, "The reference says ", shown(one.reference), ", the relations lead to ", one.ids.map(named)), fix({ op: "reconcile", id: one.id, key: one.key }, "Follow the reference"));
  }
  if (one.kind === "repetition") {
    return h("article", { class: "matter" }, h("header", {}, h("h3", {}, named(one.id), ` · ${one.key}`), h("span", { class: "state state-note" }, "copies added the same element")),
      h("div", { class: "side-of" }, "The list has ", named(one.target), ` ${one.count} times instead of ${one.meant}`), fix({ op: "removeRepetitions", id: one.id, key: one.key }, "Remove the repetitions"));
  }
  return h("article", { class: "matter" }, h("header", {}, h("h3", {}, one.kind)), h("div", { class: "side-of" }, h("div", { class: "chips" }, (one.ids ?? []).map(named))));
}
