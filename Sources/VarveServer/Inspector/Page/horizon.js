/** Up to when history was folded: no earlier date can be shown. */
import { moment } from "./format.js";

/** @typedef {{ time: number, says: string }} Horizon */

/**
 * @param {import("./api.js").Space} space
 * @returns {Promise<Horizon | null>} null if nothing was folded
 */
export async function horizon(space) {
  // The table is created with the first compaction.
  const [found] = await space.runAll([{ op: "sql", sql: "SELECT max(time) >> 16 AS t FROM varve_horizon" }]);
  if (found instanceof Error || found[0]?.t == null) return null;
  const time = found[0].t;
  return { time, says: `dates before ${moment(time)} cannot be shown` };
}
