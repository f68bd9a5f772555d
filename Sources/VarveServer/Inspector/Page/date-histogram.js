/** When something changed, by the dates at which values hold, whenever they were written. */
import { folded, stopCount } from "./histogram.js";

/** @typedef {{ type: string, times: number[] }[]} Dates the dates of the dead, which have no rows */

/** A stored time is milliseconds in its upper bits. */
const from = (/** @type {string} */ type) => `"${type.replaceAll('"', '""')}"`;
const starts = (/** @type {string} */ type) => `SELECT datestamp >> 16 AS t FROM ${from(type)}`;
const changes = (/** @type {string} */ type) =>
  `SELECT modified >> 16 AS t FROM ${from(type)} WHERE modified IS NOT NULL AND modified <> datestamp`;

/**
 * Counts entities by the dates from which they exist and at which they last changed; those that are
 * dead, by all of their dates.
 * @param {import("./api.js").Space} space
 * @param {string[]} types
 * @param {Dates} dead
 * @param {{ intervals: number, from?: string, to?: string }} wish
 * @returns {Promise<import("./histogram.js").Histogram | null>}
 */
export async function dateHistogram(space, types, dead, wish) {
  const bounds = await space.runAll(
    types.map((type) => ({
      op: "sql",
      sql: `SELECT min(t) AS first, max(t) AS last FROM (${starts(type)} UNION ALL ${changes(type)})`,
    })),
  );
  const isKnown = types.map((_, index) => !(bounds[index] instanceof Error) && bounds[index][0]?.first != null);
  const known = types.filter((_, index) => isKnown[index]);
  const ends = [
    ...bounds.filter((_, index) => isKnown[index]).flatMap(([row]) => [row.first, row.last]),
    ...dead.flatMap(({ times }) => times),
  ];
  if (ends.length === 0) return null;
  const start = wish.from ? Date.parse(wish.from) : outermost(ends, -1);
  const end = Math.max(start + 1, wish.to ? Date.parse(wish.to) : outermost(ends, 1));
  const width = Math.max(1, Math.ceil((end - start + 1) / wish.intervals));
  const answers = await space.runAll(
    known.map((type) => ({
      op: "sql",
      sql: `SELECT (t - ?) / ? AS i, count(*) AS n FROM (${starts(type)} UNION ALL ${changes(type)}) WHERE t >= ? AND t <= ? GROUP BY 1`,
      values: [start, width, start, end],
    })),
  );
  /** @type {Map<string, number[]>} */
  const lanes = new Map([...known, ...dead.map(({ type }) => type)].map((type) => [type, new Array(wish.intervals).fill(0)]));
  const add = (/** @type {string} */ type, /** @type {number} */ index, /** @type {number} */ count) => {
    const counts = lanes.get(type);
    if (counts && index >= 0 && index < wish.intervals) counts[index] += count;
  };
  known.forEach((type, index) => {
    if (!(answers[index] instanceof Error)) for (const row of answers[index]) add(type, row.i, row.n);
  });
  for (const { type, times } of dead) for (const time of times) add(type, Math.floor((time - start) / width), 1);
  const all = [...lanes].map(([name, counts]) => ({ name, total: counts.reduce((sum, count) => sum + count, 0), counts }));
  const totals = new Array(wish.intervals).fill(0).map((_, index) => all.reduce((sum, lane) => sum + lane.counts[index], 0));
  return { start, end: start + width * wish.intervals, totals, lanes: folded(all), marks: [] };
}

/**
 * The greatest number, or with -1 the least.
 * @param {number[]} numbers
 * @param {number} direction
 */
const outermost = (numbers, direction) => numbers.reduce((one, other) => ((other - one) * direction > 0 ? other : one));

/**
 * Returns the dates at which something changed; null if there are too many to list.
 * @param {import("./api.js").Space} space
 * @param {string[]} types
 * @param {Dates} dead
 * @returns {Promise<import("./histogram.js").Stop[] | null>}
 */
export async function dateStops(space, types, dead) {
  const answers = await space.runAll(
    types.map((type) => ({ op: "sql", sql: `${starts(type)} UNION ${changes(type)} LIMIT ${stopCount + 1}` })),
  );
  const times = new Set(dead.flatMap((one) => one.times));
  for (const rows of answers) {
    if (rows instanceof Error) continue;
    if (rows.length > stopCount) return null;
    for (const row of rows) times.add(row.t);
  }
  if (times.size > stopCount) return null;
  return [...times].sort((one, other) => one - other).map((time) => ({ time, at: new Date(time).toISOString() }));
}
