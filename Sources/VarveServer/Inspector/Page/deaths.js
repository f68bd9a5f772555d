/** With what an entity died that was not erased itself, when, and by whom. */
import { sound } from "./api.js";

/** So many levels of owners are looked at. */
const mostLevels = 20;

/**
 * Returns the erased owner with which an entity died, and its erasure.
 * @param {import("./api.js").Space} space
 * @param {string} id
 * @param {Record<string, any>} when the moment that is shown
 * @returns {Promise<{ id: string, erasure: any } | null>} null if that is not known
 */
export async function deathOf(space, id, when) {
  const seen = new Set([id]);
  let level = [id];
  for (let depth = 0; depth < mostLevels && level.length > 0; depth += 1) {
    const owners = (await Promise.all(level.map((one) => ownersOf(space, one)))).flat().filter((one) => !seen.has(one));
    level = [...new Set(owners)];
    for (const one of level) seen.add(one);
    const statuses = sound(await space.runAll(level.map((one) => ({ op: "status", id: one, ...when }))));
    const erased = level[statuses.findIndex(({ status }) => status === "erased")];
    if (erased !== undefined) {
      const lives = await space.run({ op: "history", id: erased, limit: 300, ...when });
      const erasure = lives.find((/** @type {any} */ one) => one.change === "erased");
      return erasure ? { id: erased, erasure } : null;
    }
  }
  return null;
}

/**
 * All that ever owned an entity: a dead one has no owners at present.
 * @param {import("./api.js").Space} space
 * @param {string} id
 * @returns {Promise<string[]>}
 */
async function ownersOf(space, id) {
  const find = (/** @type {string} */ target) => space.run({
    op: "sql", values: [id], sql: `SELECT DISTINCT varve_text(source) AS id FROM varve_link WHERE kind = 1 AND ${target} = ? LIMIT 100`,
  });
  // Most identifiers are kept as texts, which an index finds.
  const found = await find("target");
  return (found.length > 0 ? found : await find("varve_text(target)")).map((/** @type {any} */ row) => row.id);
}
