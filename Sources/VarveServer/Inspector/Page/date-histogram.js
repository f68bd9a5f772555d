/** When something changed, by the dates at which values hold, whenever they were written. */
import { sound } from "./api.js";
import { folded, stopCount } from "./histogram.js";

/** @typedef {{ type: string, times: number[] }[]} Dates the dates of the dead, which have no rows */

/** @typedef {{ type: string, table: string }} TypeTable a type, and the table that has its live entities */

/** The table as it is stored. A stored time is milliseconds in its upper bits. */
const from = (/** @type {TypeTable} */ { table }) => `main."${table.replaceAll('"', '""')}"`;
const starts = (/** @type {TypeTable} */ type) => `SELECT datestamp >> 16 AS t FROM ${from(type)}`;
/** One for each entity and date; the newest are added by themselves. */
const changes = (/** @type {TypeTable} */ type) =>
  `SELECT t FROM (SELECT DISTINCT w.row, w.time >> 16 AS t FROM varve_touch AS w JOIN ${from(type)} AS e ON e.row = w.row)`;

/**
 * Returns the tables of the types that have live entities. Not every name of a type can be that of a table.
 * @param {import("./api.js").Space} space
 * @returns {Promise<TypeTable[]>}
 */
export async function typeTables(space) {
  const [types, tables] = sound(await space.runAll([{ op: "types" }, { op: "sql", sql: "SELECT name, table_name FROM varve_type" }]));
  const names = new Map(tables.map((/** @type {any} */ row) => [row.name, row.table_name]));
  return types.map((/** @type {any} */ one) => ({ type: one.type, table: names.get(one.type) })).filter((/** @type {any} */ one) => one.table);
}

/**
 * Counts entities by the dates from which they exist and at which they were written to.
 * @param {import("./api.js").Space} space
 * @param {TypeTable[]} types
 * @param {Dates} dead
 * @param {import("./touched-dates.js").TouchedDates} touched
 * @param {{ intervals: number, from?: string, to?: string }} wish
 * @returns {Promise<import("./histogram.js").Histogram | null>}
 */
export async function dateHistogram(space, types, dead, touched, wish) {
  const bounds = sound(await space.runAll(
    types.map((type) => ({
      op: "sql",
      sql: `SELECT min(t) AS first, max(t) AS last FROM (${starts(type)} UNION ALL ${changes(type)})`,
    })),
  ));
  const newest = await Promise.all(types.map(async (type) => ({ type: type.type, times: await touched.newestOf(type.type, from(type)) })));
  const more = [...dead, ...newest];
  const isKnown = types.map((_, index) => bounds[index][0]?.first != null);
  const known = types.filter((_, index) => isKnown[index]);
  const ends = [
    ...bounds.filter((_, index) => isKnown[index]).flatMap(([row]) => [row.first, row.last]),
    ...more.flatMap(({ times }) => times),
  ];
  if (ends.length === 0) return null;
  const start = wish.from ? Date.parse(wish.from) : outermost(ends, -1);
  const end = Math.max(start + 1, wish.to ? Date.parse(wish.to) : outermost(ends, 1));
  const width = Math.max(1, Math.ceil((end - start + 1) / wish.intervals));
  const answers = sound(await space.runAll(
    known.map((type) => ({
      op: "sql",
      sql: `SELECT (t - ?) / ? AS i, count(*) AS n FROM (${starts(type)} UNION ALL ${changes(type)}) WHERE t >= ? AND t <= ? GROUP BY 1`,
      values: [start, width, start, end],
    })),
  ));
  /** @type {Map<string, number[]>} */
  const lanes = new Map([...known, ...dead].map(({ type }) => [type, new Array(wish.intervals).fill(0)]));
  const add = (/** @type {string} */ type, /** @type {number} */ index, /** @type {number} */ count) => {
    const counts = lanes.get(type);
    if (counts && index >= 0 && index < wish.intervals) counts[index] += count;
  };
  known.forEach(({ type }, index) => {
    for (const row of answers[index]) add(type, row.i, row.n);
  });
  for (const { type, times } of more) for (const time of times) add(type, Math.floor((time - start) / width), 1);
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
 * @param {TypeTable[]} types
 * @param {Dates} dead
 * @param {import("./touched-dates.js").TouchedDates} touched
 * @returns {Promise<import("./histogram.js").Stop[] | null>}
 */
export async function dateStops(space, types, dead, touched) {
  const answers = sound(await space.runAll(
    types.map((type) => ({ op: "sql", sql: `SELECT DISTINCT t FROM (${starts(type)}) LIMIT ${stopCount + 1}` })),
  ));
  const times = new Set([...answers.flat().map((row) => row.t), ...await touched.all(stopCount), ...dead.flatMap((one) => one.times)]);
  if (times.size > stopCount) return null;
  return [...times].sort((one, other) => one - other).map((time) => ({ time, at: new Date(time).toISOString() }));
}

/**
 * Whether values hold from other dates than those at which they were written.
 * @param {import("./histogram.js").Stop[] | null} commits
 * @param {import("./histogram.js").Stop[] | null} dates
 */
export function prefersDates(commits, dates) {
  if (!commits?.length || !dates?.length) return true;
  return dates[0].time < commits[0].time - 60_000;
}
