/** Sums up what an author changed: how much, when, and of which types and keys. */
import { fill, h } from "./dom.js";
import { count, counted, moment, who } from "./format.js";

/** So many commits are looked into: the newest. */
const most = 60;
/** So many entities of each. */
const mostEntities = 500;
const shownKeys = 4;

/**
 * @param {import("./api.js").Space} space
 * @param {any[]} commits those of the author that were found, the newest first
 */
export async function authorSummary(space, commits) {
  const looked = commits.slice(0, most);
  const found = await space.runAll(looked.map((one) => ({ op: "commit", commit: one.hash, limit: mostEntities })));
  const known = found.filter((one) => !(one instanceof Error));
  const totals = { added: 0, changed: 0, ended: 0 };
  /** @type {Map<string, { entities: Set<string>, keys: Map<string, number> }>} */
  const types = new Map();
  for (const commit of known) {
    for (const kind of /** @type {const} */ (["added", "changed", "ended"])) {
      totals[kind] += commit.counts[kind];
      for (const one of commit[kind]) tally(types, one, kind === "changed");
    }
  }
  return { totals, types, looked: known.length, all: commits.length, first: commits.at(-1)?.time, last: commits[0]?.time };
}

/** @param {Map<string, { entities: Set<string>, keys: Map<string, number> }>} types @param {any} one @param {boolean} isChanged */
function tally(types, one, isChanged) {
  const type = types.get(one.type) ?? { entities: new Set(), keys: new Map() };
  types.set(one.type, type);
  type.entities.add(one.id);
  if (isChanged) for (const key of Object.keys(one.properties)) type.keys.set(key, (type.keys.get(key) ?? 0) + 1);
}

/**
 * @param {Element} root
 * @param {string} author
 * @param {Awaited<ReturnType<typeof authorSummary>>} summary
 */
export function showSummary(root, author, { totals, types, looked, all, first, last }) {
  if (all === 0) return fill(root);
  const rows = [...types].sort(([, one], [, other]) => other.entities.size - one.entities.size).slice(0, 8);
  fill(root,
    h("h2", {}, `What ${who(author)} changed`),
    h("p", {}, `${counted(all, "commit")}, ${first === last ? moment(last) : `from ${moment(first)} to ${moment(last)}`}. `,
      looked < all ? `The newest ${count(looked)} of them` : "They", ` added ${counted(totals.added, "entity", "entities")}, changed ${count(totals.changed)} and ended ${count(totals.ended)}.`),
    rows.length > 0 && h("table", { class: "plain" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Type"), h("th", { scope: "col", class: "number" }, "Entities"), h("th", { scope: "col" }, "Most often changed"))),
      h("tbody", {}, rows.map(([type, { entities, keys }]) => h("tr", {}, h("td", {}, type), h("td", { class: "number" }, count(entities.size)),
        h("td", {}, [...keys].sort(([, one], [, other]) => other - one).slice(0, shownKeys).map(([key, times]) => `${key} (${count(times)})`).join(", ")))))));
}
