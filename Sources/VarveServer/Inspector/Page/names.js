/** Names of entities, which stand before their identifiers. */
import { current } from "./address.js";
import { clipped, entityAddress } from "./format.js";
import { h, link } from "./dom.js";
import { reading } from "./moments.js";

/** The properties that name an entity, the best first. */
export const nameKeys = ["name", "title", "label"];
/** So many entities are named by one request. */
const most = 200;

/** @type {import("./api.js").Space | null} */
let space = null;
/** @type {Map<string, string>} the names that were read, by moment and identifier; empty if there is none */
const known = new Map();
/** @type {Map<string, (() => void)[]>} what waits for names that are not read yet */
const waiting = new Map();

/** @param {import("./api.js").Space} named the space whose entities are named */
export function startNames(named) {
  space = named;
  known.clear();
  addEventListener("written", () => known.clear());
}

/**
 * Returns the name that an entity's values have; empty if they have none.
 * @param {Record<string, any> | null | undefined} values
 */
export function nameIn(values) {
  const named = nameKeys.map((key) => (values && Object.hasOwn(values, key) ? values[key] : undefined));
  return named.find((value) => typeof value === "string" && value !== "") ?? "";
}

/**
 * A link to an entity: its name at the moment that is shown, then its identifier.
 * @param {string} id
 */
export function named(id) {
  const element = link(entityAddress(id), clipped(id, 120), { class: "entity", "data-entity": id });
  whenNamed(id, (name) => element.replaceChildren(...labelled(id, name)));
  return element;
}

/**
 * The name and the identifier of an entity, as text.
 * @param {string} id
 */
export function namedText(id) {
  const element = h("span", { class: "entity-name" }, clipped(id, 120));
  whenNamed(id, (name) => element.replaceChildren(...labelled(id, name)));
  return element;
}

/** @param {string} id @param {string} name */
const labelled = (id, name) => [h("bdi", { class: "name" }, clipped(name, 80)), " ", h("bdi", { class: "identifier" }, clipped(id, 120))];

/**
 * Calls a function with the name of an entity, unless it has none or its identifier says it.
 * @param {string} id
 * @param {(name: string) => void} body
 */
function whenNamed(id, body) {
  const { at } = current().terms;
  const key = `${at ?? ""}\n${id}`;
  const say = () => {
    const name = known.get(key);
    if (name && name !== id) body(name);
  };
  if (known.has(key)) return say();
  if (waiting.size === 0) queueMicrotask(readNames);
  waiting.set(key, [...waiting.get(key) ?? [], say]);
}

/** Reads the names that are waited for, by as few requests as can be. */
async function readNames() {
  const wanted = [...waiting];
  waiting.clear();
  for (let start = 0; start < wanted.length; start += most) {
    const part = wanted.slice(start, start + most);
    await readPart(part.map(([key]) => key)).catch(() => {});
    for (const [, listeners] of part) for (const listener of listeners) listener();
  }
}

/** @param {string[]} keys of one moment, as all that is drawn at once */
async function readPart(keys) {
  const at = keys[0].slice(0, keys[0].indexOf("\n")) || undefined;
  const ids = keys.map((key) => key.slice(key.indexOf("\n") + 1));
  const [values] = await space?.runAll([{ op: "read", refs: ids, keys: nameKeys, ...reading(at) }]) ?? [];
  if (!Array.isArray(values)) return;
  keys.forEach((key, index) => known.set(key, nameIn(values[index])));
}
