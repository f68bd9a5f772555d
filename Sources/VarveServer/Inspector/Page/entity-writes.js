/** What a person may do to an entity, after a preview: always at present, whatever moment is shown. */
import { Problem, sound } from "./api.js";
import { current } from "./address.js";
import { h } from "./dom.js";
import { change, listed } from "./effects.js";
import { clipped, same, text } from "./format.js";
import { label, reading } from "./moments.js";
import { namedText } from "./names.js";
import { openPreview } from "./preview.js";

/** @typedef {{ space: import("./api.js").Space, frame: import("./frame.js").Frame }} Place */

/** What is said of a write if the page shows the past. */
const atPresent = () => {
  const { at } = current().terms;
  return at ? h("b", {}, ` The page shows ${label(at)}, but this is written now: it changes the present.`) : "";
};

/** @param {string} message */
const why = (message) => (message ? { message } : {});

/**
 * Writes a value that an entity had before.
 * @param {Place} place
 * @param {string} id
 * @param {string} key
 * @param {any} version
 */
export function restoreValue({ space, frame }, id, key, version) {
  const operation = { op: "set", id, set: { [key]: version.value } };
  openPreview({
    space,
    title: `Restore ${key}`,
    lead: ["A new value is written to ", namedText(id), "; the history stays as it is.", atPresent()],
    read: async () => {
      const [dry, kept] = sound(await space.runAll([
        { op: "transaction", operations: [operation], dryRun: true },
        { op: "read", refs: [id], keys: [key] },
      ]));
      return { dry, has: kept.length > 0 && Object.hasOwn(kept[0], key), value: kept[0]?.[key] ?? null };
    },
    isNothing: ({ has, value }) => has && same(value, version.value),
    show: ({ has, value }) => (has && same(value, version.value)
      ? h("p", {}, "It has this value now: nothing would change.") : change(has ? value : undefined, version.value)),
    action: "Restore the value",
    write: (message, basis) => space.write({ ...operation, message: message || `restore ${key}` }, basis),
    done: () => `${key} of ${id} is ${clipped(text(version.value), 80)} again`,
    after: () => frame.refresh(),
  });
}

/**
 * Shows what erasing would do. At present, one who may write can do it.
 * @param {Place} place
 * @param {string} id
 */
export function eraseEntity({ space, frame }, id) {
  const { at } = current().terms;
  const isOffered = space.canWrite && !at;
  const because = at ? ` The page shows ${label(at)}; an entity is erased at present.` : " This page is read-only.";
  openPreview({
    space,
    title: isOffered ? ["Erase ", namedText(id)] : ["What would erasing ", namedText(id), " do?"],
    lead: isOffered ? "It stays in the past, and can be restored." : `Nothing is erased here.${because}`,
    read: async () => {
      const { wouldErase, wouldSurvive } = await space.run({ op: "previewErasure", ids: [id], ...reading(at) });
      return { die: wouldErase.map((/** @type {any} */ one) => one.id), survive: wouldSurvive.map((/** @type {any} */ one) => one.id) };
    },
    isNothing: ({ die }) => die.length === 0,
    show: ({ die, survive }) => (die.length === 0 ? h("p", {}, "It is not live: nothing would change.") : h("div", {},
      listed(["would die", "would die"], die),
      listed(["would lose an owner and live on", "would lose an owner and live on"], survive))),
    action: isOffered ? "Erase" : undefined,
    isDangerous: true,
    write: (message, basis) => space.write({ op: "erase", ids: [id], ...why(message) }, basis),
    done: () => `${id} is erased`,
    after: () => frame.refresh(),
  });
}

/**
 * Brings an entity back to life.
 * @param {Place} place
 * @param {string} id
 */
export function restoreEntity({ space, frame }, id) {
  openPreview({
    space,
    title: ["Restore ", namedText(id)],
    lead: ["It comes back with everything that died with it; if it is dead with its owners, they come back too.", atPresent()],
    read: async () => {
      const { status } = await space.run({ op: "status", id });
      const operation = { op: "restore", id, mode: status === "dead" ? "withOwners" : "ifOwned" };
      const [back] = await restored(space, operation);
      return { operation, back };
    },
    isNothing: ({ back }) => back.length === 0,
    show: ({ back }) => listed(["comes back", "come back"], back) ?? h("p", {}, "It is live now: nothing would change."),
    action: "Restore",
    write: (message, basis, { operation }) => space.write({ ...operation, ...why(message) }, basis),
    done: () => `${id} is back`,
    after: () => frame.refresh(),
  });
}

/**
 * What a restoration would bring back. One whose owners are dead brings them back as well.
 * @param {import("./api.js").Space} space
 * @param {any} operation of which the mode is set as it is needed
 */
async function restored(space, operation) {
  const attempt = () => space.run({ op: "transaction", operations: [operation], dryRun: true });
  try {
    return await attempt();
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "ownersDead") throw error;
    operation.mode = "withOwners";
    return attempt();
  }
}
