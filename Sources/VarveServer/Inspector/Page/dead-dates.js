/** The dates of the dead in the time bar. They have no rows, so their histories are read. */
import { counted, count } from "./format.js";
import { deadEntities, deadTypes, inParts } from "./dead.js";

/** The histories of so many are read: of those that came last. */
const most = 1_000;
/** So many of the writes to one of them count: the newest. */
const mostWrites = 200;

/**
 * @typedef {object} DeadDates
 * @property {{ type: string, times: number[] }[]} dates when each was written to
 * @property {string} omits which of them do not count, in words; empty if all do
 */

/** @type {WeakMap<object, { counts: string, found: DeadDates }>} */
const kept = new WeakMap();

/**
 * @param {import("./api.js").Space} space
 * @returns {Promise<DeadDates>}
 */
export async function deadDates(space) {
  const types = await deadTypes(space);
  const counts = JSON.stringify([...types]);
  const known = kept.get(space);
  if (known?.counts === counts) return known.found;
  const { dead } = await deadEntities(space, null, undefined, most);
  const histories = await inParts(space, dead.map(({ id }) => ({ op: "history", id, limit: mostWrites })));
  const written = histories.map((versions) => (Array.isArray(versions) ? versions : []));
  const unread = histories.filter((versions) => versions instanceof Error).length;
  const found = {
    dates: dead.map(({ type }, index) => ({ type, times: [...new Set(written[index].map((version) => Date.parse(version.time)))] })),
    omits: omitted(
      [...types].reduce((sum, [type, number]) => sum + (type.startsWith("varve.") ? 0 : number), 0), dead.length,
      written.filter((versions) => versions.length >= mostWrites).length, unread),
  };
  kept.set(space, { counts, found });
  return found;
}

/**
 * @param {number} all
 * @param {number} read
 * @param {number} long how many have more writes than were read
 * @param {number} unread how many have a history that cannot be read
 */
function omitted(all, read, long, unread) {
  const parts = [
    read < all && `the newest ${count(read)} of ${counted(all, "erased or dead entity", "erased or dead entities")}`,
    unread > 0 && `nothing of ${counted(unread, "of them", "of them")}, whose history cannot be read`,
    long > 0 && `of ${counted(long, "of them", "of them")} the newest ${mostWrites} writes`,
  ].filter(Boolean);
  return parts.length ? `The bars count ${parts.join(", and ")}.` : "";
}
