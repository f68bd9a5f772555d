/** Why an entity lives, or is dead: the way up its owners. */

/**
 * @typedef {{ id: string, status: string, owners: string[] }} Step
 */

const depth = 24;

/**
 * Returns the way from an entity to what keeps it alive, or to the erased owner with which it died.
 * @param {import("./api.js").Space} space
 * @param {string} id
 * @param {Record<string, any>} when
 * @returns {Promise<{ steps: Step[], reason: string }>}
 */
export async function wayUp(space, id, when) {
  /** @type {Step[]} */
  const steps = [];
  const seen = new Set();
  let place = id;
  while (steps.length < depth && !seen.has(place)) {
    seen.add(place);
    const [status, owners] = await space.runAll([
      { op: "status", id: place, ...when },
      { op: "related", id: place, kind: "ownedBy", unknown: true, ...when },
    ]);
    const step = { id: place, status: status.status ?? "unknown", owners: owners instanceof Error ? [] : owners };
    steps.push(step);
    const known = status.owners ?? [];
    const next = step.owners[0] ?? known[0];
    if (step.status === "erased" || !next) break;
    place = next;
  }
  return { steps, reason: reason(steps) };
}

/** @param {Step[]} steps */
function reason(steps) {
  const [first] = steps;
  const last = steps[steps.length - 1];
  if (first.status === "live") {
    return steps.length === 1 ? "Live: nothing owns it, so it lives by itself." : `Live: ${last.id} at the top lives by itself.`;
  }
  if (first.status === "erased") return "Dead: it was erased itself.";
  if (first.status === "dead") return last.status === "erased" ? `Dead: its owner ${last.id} was erased.` : "Dead: everything that owned it is dead.";
  return "Unknown at this moment: it was not created yet.";
}
