/** Up to when the past cannot be shown: history that was folded, or that has not arrived yet. */
import { counted, moment } from "./format.js";

/**
 * @typedef {object} Horizon
 * @property {"folded" | "awaited"} kind
 * @property {number} time
 * @property {string} says
 */

/** Partially replicated commits; the table is created with the first of them. */
const awaited = "varve_awaited AS a JOIN varve_commit AS c ON c.n = a.n";

/**
 * @param {import("./api.js").Space} space
 * @returns {Promise<Horizon[]>} none if all of the past can be shown
 */
export async function horizons(space) {
  const [folded, outlines, incomplete] = await space.runAll([
    { op: "sql", sql: "SELECT max(time) >> 16 AS t FROM varve_horizon" },
    // A horizon begins with its time, in 8 bytes.
    { op: "sql", sql: "SELECT max(hex(substr(field, 1, 8))) AS t FROM varve_outline" },
    { op: "sql", sql: `SELECT count(*) AS n FROM ${awaited}` },
  ]);
  /** @type {Horizon[]} */
  const found = [];
  const add = (/** @type {Horizon["kind"]} */ kind, /** @type {number} */ time, /** @type {string} */ what) =>
    found.push({ kind, time, says: `History up to ${moment(time)} ${what}: dates up to then cannot be shown` });
  for (const result of [folded, outlines, incomplete]) if (result instanceof Error && !isAbsent(result)) throw result;
  if (!(folded instanceof Error) && folded[0]?.t != null) add("folded", folded[0].t, "was folded");
  if (!(outlines instanceof Error) && outlines[0]?.t) {
    const count = incomplete instanceof Error ? 0 : incomplete[0].n;
    add("awaited", Number(BigInt.asIntN(64, BigInt(`0x${outlines[0].t}`)) >> 16n), `has not arrived yet, and ${counted(count, "commit")} are here in part`);
  }
  return found;
}

/** Whether the table of a query was not created yet. */
const isAbsent = (/** @type {Error} */ problem) => problem.message.includes("no such table");

/**
 * Counts the commits whose history has not arrived yet, in intervals of equal length.
 * @param {import("./api.js").Space} space
 * @param {import("./histogram.js").Histogram} histogram
 * @returns {Promise<number[]>} none if nothing is awaited
 */
export async function awaitedCounts(space, { start, end, totals }) {
  const width = Math.max(1, (end - start) / totals.length);
  const [rows] = await space.runAll([{
    op: "sql", values: [start, { double: width }, start, Math.ceil(end)],
    sql: `SELECT CAST(((c.time >> 16) - ?) / ? AS INTEGER) AS i, count(*) AS n FROM ${awaited}
      WHERE c.time >> 16 >= ? AND c.time >> 16 <= ? GROUP BY 1`,
  }]);
  if (rows instanceof Error && !isAbsent(rows)) throw rows;
  if (rows instanceof Error || rows.length === 0) return [];
  const counts = new Array(totals.length).fill(0);
  for (const row of rows) counts[Math.min(totals.length - 1, row.i)] += row.n;
  return counts;
}
