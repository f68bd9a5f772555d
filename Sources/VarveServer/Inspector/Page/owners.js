/** Why an entity lives, or is dead: the shortest way up its owners. */

import { sound } from "./api.js";

/**
 * @typedef {{ id: string, status: string, owners: string[], below: string | null }} Step
 * `below` is the entity from which the way came here
 */

/** So many levels of owners are read, each by one request, */
const mostLevels = 500;
/** and so many entities. */
const mostEntities = 5_000;

/**
 * Returns the way from an entity to what keeps it alive, or to the erased owner with which it died.
 * @param {import("./api.js").Space} space
 * @param {string} id
 * @param {Record<string, any>} when
 * @returns {Promise<{ steps: Step[], reason: string }>}
 */
export async function wayUp(space, id, when) {
  /** @type {Map<string, Step>} in the order in which they were found */
  const known = new Map([[id, { id, status: "unknown", owners: [], below: null }]]);
  let level = [id];
  for (let count = 0; level.length > 0 && count < mostLevels && known.size < mostEntities; count += 1) {
    await read(space, level.map((place) => /** @type {Step} */ (known.get(place))), when);
    const end = level.map((place) => /** @type {Step} */ (known.get(place))).find(isEnd);
    if (end) return told(known, id, end, false);
    level = level.flatMap((place) => /** @type {Step} */ (known.get(place)).owners.filter((owner) => {
      if (known.has(owner)) return false;
      known.set(owner, { id: owner, status: "unknown", owners: [], below: place });
      return true;
    }));
  }
  const isCut = level.length > 0;
  const end = isCut ? known.get(known.get(level[0])?.below ?? id) : [...known.values()].find((step) => isOnItsOwn(known, step));
  return told(known, id, end ?? null, isCut);
}

/**
 * @param {import("./api.js").Space} space
 * @param {Step[]} steps
 * @param {Record<string, any>} when
 */
async function read(space, steps, when) {
  const answers = sound(await space.runAll(steps.flatMap(({ id }) => [
    { op: "status", id, ...when },
    { op: "related", id, kind: "ownedBy", unknown: true, ...when },
  ])));
  steps.forEach((step, index) => {
    const [status, owners] = [answers[2 * index], answers[2 * index + 1]];
    step.status = status.status ?? "unknown";
    step.owners = [...new Set([...owners, ...(status.owners ?? [])])];
  });
}

/** Whether the way need not go on: nothing owns it, or it was erased itself. */
const isEnd = (/** @type {Step} */ step) => step.status === "erased" || (step.status === "live" && step.owners.length === 0);

/**
 * Whether an entity lives although no owner of it does.
 * @param {Map<string, Step>} known
 * @param {Step} step
 */
const isOnItsOwn = (known, step) => step.status === "live" && step.owners.every((owner) => known.get(owner)?.status !== "live");

/**
 * @param {Map<string, Step>} known
 * @param {string} id
 * @param {Step | null} end
 * @param {boolean} isCut whether there are more owners than were read
 */
function told(known, id, end, isCut) {
  /** @type {Step[]} */
  const steps = [];
  for (let step = end ?? known.get(id); step; step = step.below === null ? undefined : known.get(step.below)) steps.unshift(step);
  return { steps, reason: reason(steps, end, isCut) };
}

/** @param {Step[]} steps @param {Step | null} end @param {boolean} isCut */
function reason(steps, end, isCut) {
  const [first] = steps;
  if (first.status === "erased") return "Dead: it was erased itself.";
  if (isCut) return `${first.status === "live" ? "Live" : "Dead"}: the reason lies more than ${steps.length - 1} owners above it.`;
  if (first.status === "live") {
    if (!end) return "Live: it is in a circle of ownership, or owned by one, that nothing outside owns.";
    return end === first ? "Live: nothing owns it, so it lives by itself." : `Live: ${end.id} at the top lives by itself.`;
  }
  if (first.status === "dead") return end?.status === "erased" ? `Dead: its owner ${end.id} was erased.` : "Dead: everything that owned it is dead.";
  return "Unknown at this moment: it was not created yet.";
}
