/** The entities that are erased, or dead with their owners: how many, which, and what they last were. */
import { sound } from "./api.js";
import { reading } from "./moments.js";

/** So many are listed of a type: those that came last. */
const deadLimit = 1_000;
const part = 250;

/** An identity is known (1), and erased (2) or dead with its owners (8). */
const from = "FROM varve_identity AS i JOIN varve_type AS t ON t.number = i.type WHERE i.life & 1";

/**
 * @typedef {{ id: string, type: string, state: string, properties: Record<string, any>, datestamp: string | null, modified: string | null }} DeadRow
 */

/**
 * Returns how many entities of each type are dead at present, for all types that ever had any.
 * @param {import("./api.js").Space} space
 * @returns {Promise<Map<string, number>>}
 */
export async function deadTypes(space) {
  const rows = await space.run({ op: "sql", sql: `SELECT t.name AS type, sum(i.life & 10 <> 0) AS n ${from} GROUP BY t.number` });
  return new Map(rows.map((/** @type {any} */ row) => [row.type, row.n]));
}

/**
 * Returns the dead entities of a type, or of all, at a moment: the newest first.
 * @param {import("./api.js").Space} space
 * @param {string | null} type
 * @param {string | undefined} at
 * @param {number} [limit]
 * @returns {Promise<{ dead: { id: string, type: string, state: string }[], isPartial: boolean }>} whether there
 *   may be more that came earlier
 */
export async function deadEntities(space, type, at, limit = deadLimit) {
  const isPast = at !== undefined;
  const rows = await space.run({
    op: "sql",
    sql: `SELECT varve_text(i.id) AS id, t.name AS type ${from}${isPast ? "" : " AND i.life & 10"}${type === null ? " AND t.name NOT LIKE 'varve.%'" : " AND t.name = ?"}
      ORDER BY i.life & 10 = 0, i.row DESC LIMIT ${limit}`,
    ...(type === null ? {} : { values: [type] }),
  });
  /** @type {any[]} */
  const statuses = await soundParts(space, rows.map((/** @type {any} */ row) => ({ op: "status", id: row.id, ...reading(at) })));
  const dead = rows.map((/** @type {any} */ row, /** @type {number} */ index) => ({ ...row, state: statuses[index].status }))
    .filter((/** @type {any} */ row) => row.state === "erased" || row.state === "dead");
  return { dead, isPartial: rows.length >= limit };
}

/**
 * Returns the dead with what they last were.
 * @param {import("./api.js").Space} space
 * @param {{ id: string, type: string, state: string }[]} dead
 * @param {string | undefined} at
 * @param {string} [key] the only property that is needed
 * @returns {Promise<DeadRow[]>}
 */
export async function lastStates(space, dead, at, key) {
  const histories = await inParts(space, dead.map(({ id }) => ({ op: "history", id, ...(key ? { key, limit: 1 } : { limit: 300 }), ...reading(at) })));
  return dead.map((one, index) => {
    const versions = Array.isArray(histories[index]) ? histories[index] : [];
    return { ...one, ...lastState(versions) };
  });
}

/**
 * What an entity was when it ended.
 * @param {any[]} versions the newest first
 */
function lastState(versions) {
  const birth = versions.find((version) => version.key === null && ["created", "recreated"].includes(version.change));
  /** @type {Record<string, any>} */
  const properties = Object.create(null);
  for (const { key, change, value, time } of versions) {
    if (key === null || key in properties || (birth && time < birth.time)) continue;
    if (change === "set" || change === "removed") properties[key] = change === "set" ? value : undefined;
  }
  for (const key of Object.keys(properties)) if (properties[key] === undefined) delete properties[key];
  return { properties, datestamp: birth?.time ?? null, modified: versions[0]?.time ?? null };
}

/** @param {import("./api.js").Space} space @param {any[]} operations */
const soundParts = async (space, operations) => sound(await inParts(space, operations));

/**
 * Runs many operations, in several requests.
 * @param {import("./api.js").Space} space
 * @param {any[]} operations
 * @returns {Promise<any[]>}
 */
export async function inParts(space, operations) {
  const results = [];
  for (let start = 0; start < operations.length; start += part) {
    results.push(...await space.runAll(operations.slice(start, start + part)));
  }
  return results;
}
