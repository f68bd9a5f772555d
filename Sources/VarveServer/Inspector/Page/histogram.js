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
 * @property {number[]} [awaited] how many commits of each interval have not arrived whole
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

/**
 * Lanes, with the smallest as one.
 * @param {Histogram["lanes"]} lanes
 */
export function folded(lanes) {
  lanes.sort((one, other) => other.total - one.total);
  if (lanes.length <= laneCount + 1) return lanes;
  const rest = lanes.slice(laneCount);
  const counts = rest[0].counts.map((_, index) => rest.reduce((sum, lane) => sum + lane.counts[index], 0));
  const total = rest.reduce((sum, lane) => sum + lane.total, 0);
  return [...lanes.slice(0, laneCount), { name: `${rest.length} others`, total, counts }];
}

/** A bar of time lists so many stops at most. */
export const stopCount = 2_000;

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
  // The log has the newest first. Those of one millisecond stay in the order in which they arrived.
  const stops = log.reverse().map((/** @type {any} */ commit) => ({ time: Date.parse(commit.time), at: name(commit), commit }));
  stops.sort((/** @type {Stop} */ one, /** @type {Stop} */ other) => one.time - other.time);
  return { stops, marks };
}
