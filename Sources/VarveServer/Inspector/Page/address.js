/** The state of the page, which is its address: a link opens the same state again. */

/**
 * @typedef {object} State
 * @property {string} space
 * @property {string} view
 * @property {Record<string, string>} terms what the view shows: moment, type, filter, entity…
 */

/** @type {Set<(state: State, before: State) => void>} */
const listeners = new Set();
/** @type {State} */
let state = read();

/** @param {string} [shown] an address within the page @returns {State} */
function read(shown = location.hash) {
  const text = shown.replace(/^#\/?/, "");
  const [path, query = ""] = text.split("?");
  const [space = "", view = ""] = path.split("/").map(decoded);
  return { space, view: view || "table", terms: Object.fromEntries(new URLSearchParams(query)) };
}

/** @param {string} part a part of an address, which may be cut */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** @returns {State} */
export const current = () => state;

/**
 * Returns the address of a state that differs from the present one.
 * @param {{ space?: string, view?: string, terms?: Record<string, string | null | undefined> }} change
 */
export function address(change) {
  const terms = { ...state.terms };
  if (change.view && change.view !== state.view) {
    for (const name of ["commit", "author"]) delete terms[name];
  }
  for (const [name, value] of Object.entries(change.terms ?? {})) {
    if (value === null || value === undefined || value === "") delete terms[name];
    else terms[name] = value;
  }
  const query = new URLSearchParams(terms).toString();
  const path = [change.space ?? state.space, change.view ?? state.view].map(encodeURIComponent).join("/");
  return `#/${path}${query ? `?${query}` : ""}`;
}

/**
 * Goes to another state.
 * @param {Parameters<typeof address>[0]} change
 * @param {{ replaces?: boolean }} [options] whether "back" should skip the present state
 */
export function go(change, options = {}) {
  const target = address(change);
  if (target === (waiting ?? location.hash)) return;
  if (options.replaces) writeSoon(target);
  else {
    write();
    history.pushState(null, "", target);
  }
  notice(target);
}

// A browser refuses addresses that change too often, as they do while the handle is dragged. So the
// state changes at once, and its address follows at most ten times a second.
const pause = 100;
/** @type {string | null} the address that is not written yet */
let waiting = null;
let isPausing = false;

/** @param {string} target */
function writeSoon(target) {
  waiting = target;
  if (isPausing) return;
  write();
  isPausing = true;
  setTimeout(() => {
    isPausing = false;
    if (waiting !== null) writeSoon(waiting);
  }, pause);
}

function write() {
  if (waiting !== null) history.replaceState(null, "", waiting);
  waiting = null;
}

/** @param {string} [target] the new address; by default the one that the browser shows */
function notice(target) {
  const before = state;
  state = read(target);
  for (const listener of listeners) listener(state, before);
}

/** @param {(state: State, before: State) => void} listener */
export function follow(listener) {
  listeners.add(listener);
}

/** Shows the state of the address that the browser went to. */
function arrive() {
  waiting = null;
  if (JSON.stringify(read()) !== JSON.stringify(state)) notice();
}

addEventListener("popstate", arrive);
addEventListener("hashchange", arrive);
addEventListener("pagehide", write);
