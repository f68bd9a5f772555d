/** What others wrote while a dialog or a card was open, in a sentence. */
import { clipped, counted, who } from "./format.js";

/** So many commits are described: the newest. */
const most = 3;
/** So many entities of each are named. */
const named = 2;

/**
 * @param {import("./api.js").Space} space
 * @param {import("./api.js").State} before
 * @returns {Promise<string>} empty if that is not known
 */
export async function meanwhile(space, before) {
  const now = await space.describe();
  const number = now.commits - before.commits;
  if (number <= 0) return "";
  const log = await space.run({ op: "log", limit: Math.min(most, number) });
  const commits = await space.runAll(log.map((/** @type {any} */ one) => ({ op: "commit", commit: one.hash, limit: named + 1 })));
  const known = commits.filter((one) => !(one instanceof Error)).map(said);
  const left = number - known.length;
  return `Meanwhile ${[...known, ...(left > 0 ? [`${counted(left, "more commit")} came`] : [])].join("; ")}.`;
}

/** @param {any} commit */
function said(commit) {
  const parts = /** @type {const} */ ([["changed", "changed"], ["ended", "erased"], ["added", "added"]]).flatMap(([kind, verb]) => {
    const number = commit.counts?.[kind] ?? commit[kind].length;
    if (number === 0) return [];
    const names = commit[kind].slice(0, named).map((/** @type {any} */ one) => name(one, kind === "changed"));
    return [`${verb} ${names.join(", ")}${number > names.length ? ` and ${counted(number - names.length, "more entity", "more entities")}` : ""}`];
  });
  return `${who(commit.author)} ${parts.join(", ") || "wrote"}`;
}

/** @param {any} one @param {boolean} isChanged */
function name(one, isChanged) {
  const keys = isChanged ? Object.keys(one.properties) : [];
  return clipped(one.id, 60) + (keys.length ? ` · ${clipped(keys.slice(0, 3).join(", "), 60)}` : "");
}
