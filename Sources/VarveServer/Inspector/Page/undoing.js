/** Undoing a commit after a preview, and which commit undid one. */
import { h } from "./dom.js";
import { pair, listed } from "./effects.js";
import { clipped, count, counted, short } from "./format.js";
import { signed } from "./signature.js";
import { namedText } from "./names.js";
import { openPreview } from "./preview.js";

/** So many values are shown, and so many changes that stay. */
const most = 30;
/** So many versions of a value are read to find the one before the commit. */
const mostVersions = 500;

const reasons = /** @type {Record<string, string>} */ ({
  changedSince: "changed since", notLive: "not live", ownersDead: "its owners are dead", createdAnew: "created anew",
  compacted: "the value before may be gone", doneByAnother: "another commit did it too", conflictSettled: "settled a conflict",
});

/**
 * @param {import("./entity-writes.js").Place} place
 * @param {any} one the commit
 * @param {() => void} after
 */
export function undo({ space }, one, after) {
  const name = one.message ? `“${clipped(one.message, 80)}”` : `commit ${short(one.hash)}`;
  openPreview({
    space,
    title: [`Undo ${name} `, one.message && h("span", { class: "mono faint" }, short(one.hash))],
    lead: "A new commit takes it back, as far as later commits permit. The history stays as it is.",
    read: async () => {
      const report = await space.run({ op: "undo", commit: one.hash, dryRun: true });
      return { report, values: await before(space, one.hash, report.properties.slice(0, most)) };
    },
    isNothing: ({ report }) => isEmpty(report),
    show,
    action: "Undo",
    // An undo keeps what later commits changed, so it overwrites nothing.
    write: (message, basis) => space.run(signed({ op: "undo", commit: one.hash, ...(message ? { message } : {}) }, basis)),
    done: (report) => (isEmpty(report) ? `Nothing of ${name} was left to undo` : report.skipped.length === 0 ? `${name} is undone`
      : `${name} is undone in part: ${counted(report.skipped.length, "change stays", "changes stay")}`),
    after,
  });
}

/** @param {any} report */
const isEmpty = (report) => ["properties", "erased", "restored", "related", "unrelated"].every((name) => report[name].length === 0);

/**
 * What values would be undone to what.
 * @param {import("./api.js").Space} space
 * @param {string} hash
 * @param {{ id: string, key: string }[]} properties
 * @returns {Promise<({ old: any, fresh: any, isPast: boolean } | null)[]>} null if the versions do not say it
 */
async function before(space, hash, properties) {
  const histories = await space.runAll(properties.map(({ id, key }) => ({ op: "history", id, key, limit: mostVersions })));
  return histories.map((versions) => {
    if (!Array.isArray(versions)) return null;
    const place = versions.findIndex((version) => version.commit === hash);
    const former = versions.slice(place).find((version) => version.commit !== hash);
    const isValue = (/** @type {any} */ version) => ["set", "removed"].includes(version.change);
    if (place < 0 || !isValue(versions[place]) || (former && !isValue(former)) || (!former && versions.length >= mostVersions)) return null;
    return { old: versions[place].value, fresh: former?.value ?? null, isPast: place > 0 };
  });
}

/** @param {{ report: any, values: Awaited<ReturnType<typeof before>> }} result */
function show({ report, values }) {
  const { properties, related, unrelated, skipped } = report;
  const ends = [related.length > 0 && counted(related.length, "relation returns", "relations return"), unrelated.length > 0 && counted(unrelated.length, "relation ends", "relations end")].filter(Boolean);
  return h("div", {},
    isEmpty(report) && h("p", {}, "Nothing would change."),
    properties.length > 0 && h("div", {}, h("h3", {}, counted(properties.length, "value returns to what it was", "values return to what they were")),
      h("ul", { class: "undone-values" }, properties.slice(0, most).map((/** @type {any} */ one, /** @type {number} */ index) => {
        const value = values[index];
        return h("li", {}, h("span", {}, namedText(one.id), ` · ${one.key}`),
          value && h("span", {}, ...pair(value.old, value.fresh), value.isPast && h("span", { class: "faint" }, " in the past; the present stays")));
      }), properties.length > most && h("li", { class: "faint" }, `and ${count(properties.length - most)} more`))),
    listed(["comes back", "come back"], report.restored), listed(["is erased", "are erased"], report.erased),
    ends.length > 0 && h("p", {}, `${ends.join(", ")}.`),
    skipped.length > 0 && h("div", {}, h("h3", {}, counted(skipped.length, "change stays", "changes stay")),
      h("ul", {}, skipped.slice(0, most).map((/** @type {any} */ one) => h("li", {}, namedText(one.id), `${one.key ? ` · ${one.key}` : ""}: ${reasons[one.reason] ?? one.reason}`)),
        skipped.length > most && h("li", { class: "faint" }, `and ${count(skipped.length - most)} more`))));
}

/**
 * Returns the commits that undo a commit, the newest first.
 * @param {import("./api.js").Space} space
 * @param {string} hash
 * @returns {Promise<any[]>}
 */
export async function undoers(space, hash) {
  if (!/^[0-9a-f]{64}$/.test(hash)) return [];
  // A header names the commit that is undone, and those that were seen: the operation tells them apart.
  const rows = await space.run({
    op: "sql",
    sql: `SELECT (SELECT count(*) FROM varve_commit AS d WHERE d.n > c.n) AS place FROM varve_commit AS c
      WHERE instr(c.header, x'${hash}') > 0 ORDER BY c.n DESC LIMIT 20`,
  });
  const logs = await space.runAll(rows.map((/** @type {any} */ row) => ({ op: "log", limit: 1, offset: row.place })));
  const found = logs.flatMap((log) => (Array.isArray(log) ? log : []));
  const commits = await space.runAll(found.map((one) => ({ op: "commit", commit: one.hash, limit: 0 })));
  return commits.filter((one) => !(one instanceof Error) && (one.undone?.hash ?? one.undone) === hash);
}
