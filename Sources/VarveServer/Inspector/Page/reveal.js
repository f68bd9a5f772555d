/** Where an entity stands in a table, so that its row can be brought into sight. */
import { current } from "./address.js";
import { conditions, readFilters } from "./filters.js";
import { reading } from "./moments.js";

/** In a table of more entities, the place of one is not looked for. */
const most = 20_000;

/**
 * @param {import("./api.js").Space} space
 * @param {import("./table-rows.js").TableRows} rows
 * @param {string[]} order
 * @param {string} id
 * @returns {Promise<number>} -1 if it is not known
 */
export async function placeOf(space, rows, order, id) {
  const { at, where, dead } = current().terms;
  if (dead) return rows.ended.shown.findIndex((row) => row.id === id);
  const near = rows.all.findIndex((row) => row.id === id);
  if (near >= 0) return rows.first + near;
  if (rows.total > most) return -1;
  const ids = await space.run({
    op: "query", type: rows.type, where: conditions(readFilters(where)), order: order.length ? order : undefined, run: "ids", ...reading(at),
  });
  return ids.indexOf(id);
}
