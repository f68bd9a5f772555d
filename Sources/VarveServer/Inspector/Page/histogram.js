/** What the time bar draws: how much happened when, in lanes, and where the slider stops. */

/**
 * @typedef {object} Stop a moment at which something changed
 * @property {number} time
 * @property {string} at as the address names it
 * @property {any} [commit]
 *
 * @typedef {object} Histogram
 * @property {number} start
 * @property {number} end
 * @property {number[]} totals
 * @property {{ name: string, total: number, counts: number[] }[]} lanes
 * @property {{ time: number, kind: "late" | "redacts", commit: any }[]} marks
 */

const laneCount = 5;

/**
 * Counts commits by the time at which they were written.
 * @param {import("./api.js").Space} space
 * @param {{ by: string, intervals: number, from?: string, to?: string }} wish
 * @returns {Promise<Histogram | null>} null if there are none
 */
export async function commitHistogram(space, { by, intervals, from, to }) {
  const fields = { op: "timeline", intervals, ...(by ? { by } : {}), ...(from ? { from } : {}), ...(to ? { to } : {}) };
  const line = await space.run(fields);
  if (line.intervals.length === 0) return null;
  const totals = line.intervals.map((/** @type {any} */ interval) => interval.count);
  const lanes = by
    ? line.series.map((/** @type {any} */ one) => ({ name: one.name || "no author", total: one.total, counts: one.counts }))
    : [{ name: "commits", total: line.total, counts: totals }];
  return {
    start: Date.parse(line.intervals[0].from),
    end: Date.parse(line.intervals.at(-1).to),
    totals,
    lanes: folded(lanes),
    marks: [],
  };
}

/** @param {Histogram["lanes"]} lanes */
function folded(lanes) {
  lanes.sort((one, other) => other.total - one.total);
  if (lanes.length <= laneCount + 1) return lanes;
  const rest = lanes.slice(laneCount);
  const counts = rest[0].counts.map((_, index) => rest.reduce((sum, lane) => sum + lane.counts[index], 0));
  const total = rest.reduce((sum, lane) => sum + lane.total, 0);
  return [...lanes.slice(0, laneCount), { name: `${rest.length} others`, total, counts }];
}

/** A stored time is milliseconds in its upper bits. */
const from = (/** @type {string} */ type) => `"${type.replaceAll('"', '""')}"`;
const starts = (/** @type {string} */ type) => `SELECT datestamp >> 16 AS t FROM ${from(type)}`;
const changes = (/** @type {string} */ type) =>
  `SELECT modified >> 16 AS t FROM ${from(type)} WHERE modified IS NOT NULL AND modified <> datestamp`;

/**
 * Counts entities by the dates from which they exist and at which they last changed. That is where
 * values hold from, whenever they were written.
 * @param {import("./api.js").Space} space
 * @param {string[]} types
 * @param {{ intervals: number, from?: string, to?: string }} wish
 * @returns {Promise<Histogram | null>}
 */
export async function dateHistogram(space, types, wish) {
  const bounds = await space.runAll(
    types.map((type) => ({
      op: "sql",
      sql: `SELECT min(t) AS first, max(t) AS last FROM (${starts(type)} UNION ALL ${changes(type)})`,
    })),
  );
  const known = types.filter((_, index) => !(bounds[index] instanceof Error) && bounds[index][0]?.first != null);
  const rows = bounds.filter((bound) => !(bound instanceof Error) && bound[0]?.first != null).map((bound) => bound[0]);
  if (known.length === 0) return null;
  const start = wish.from ? Date.parse(wish.from) : Math.min(...rows.map((row) => row.first));
  const end = Math.max(start + 1, wish.to ? Date.parse(wish.to) : Math.max(...rows.map((row) => row.last)));
  const width = Math.max(1, Math.ceil((end - start + 1) / wish.intervals));
  const answers = await space.runAll(
    known.map((type) => ({
      op: "sql",
      sql: `SELECT (t - ?) / ? AS i, count(*) AS n FROM (${starts(type)} UNION ALL ${changes(type)}) WHERE t >= ? AND t <= ? GROUP BY 1`,
      values: [start, width, start, end],
    })),
  );
  const totals = new Array(wish.intervals).fill(0);
  const lanes = known.map((name, index) => {
    const counts = new Array(wish.intervals).fill(0);
    if (!(answers[index] instanceof Error)) {
      for (const row of answers[index]) {
        counts[row.i] += row.n;
        totals[row.i] += row.n;
      }
    }
    return { name, total: counts.reduce((sum, count) => sum + count, 0), counts };
  });
  return { start, end: start + width * wish.intervals, totals, lanes: folded(lanes), marks: [] };
}

const stopCount = 2000;

/**
 * Returns the dates at which something changed; null if there are too many to list.
 * @param {import("./api.js").Space} space
 * @param {string[]} types
 * @returns {Promise<Stop[] | null>}
 */
export async function dateStops(space, types) {
  const answers = await space.runAll(
    types.map((type) => ({ op: "sql", sql: `${starts(type)} UNION ${changes(type)} LIMIT ${stopCount + 1}` })),
  );
  /** @type {Set<number>} */
  const times = new Set();
  for (const rows of answers) {
    if (rows instanceof Error) continue;
    if (rows.length > stopCount) return null;
    for (const row of rows) times.add(row.t);
  }
  if (times.size > stopCount) return null;
  return [...times].sort((one, other) => one - other).map((time) => ({ time, at: new Date(time).toISOString() }));
}

/**
 * Returns the commits by time, with those that arrived after later ones; null if there are too many.
 * @param {import("./api.js").Space} space
 * @param {(commit: any) => string} name
 * @returns {Promise<{ stops: Stop[] | null, marks: Histogram["marks"] }>}
 */
export async function commitStops(space, name) {
  const log = await space.run({ op: "log", limit: stopCount + 1 });
  /** @type {Histogram["marks"]} */
  const marks = [];
  let latest = -Infinity;
  for (const commit of [...log].reverse()) {
    const time = Date.parse(commit.time);
    if (time < latest) marks.push({ time, kind: "late", commit });
    if (commit.redacts) marks.push({ time, kind: "redacts", commit });
    latest = Math.max(latest, time);
  }
  if (log.length > stopCount) return { stops: null, marks };
  const stops = log.map((/** @type {any} */ commit) => ({ time: Date.parse(commit.time), at: name(commit), commit }));
  stops.sort((/** @type {Stop} */ one, /** @type {Stop} */ other) => one.time - other.time);
  return { stops, marks };
}
