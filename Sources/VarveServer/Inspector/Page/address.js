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

/** @returns {State} */
function read() {
  const text = location.hash.replace(/^#\/?/, "");
  const [path, query = ""] = text.split("?");
  const [space = "", view = ""] = path.split("/").map(decodeURIComponent);
  return { space, view: view || "table", terms: Object.fromEntries(new URLSearchParams(query)) };
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
export function go(change, { replaces = false } = {}) {
  const target = address(change);
  if (target === location.hash) return;
  if (replaces) history.replaceState(null, "", target);
  else history.pushState(null, "", target);
  notice();
}

function notice() {
  const before = state;
  state = read();
  for (const listener of listeners) listener(state, before);
}

/** @param {(state: State, before: State) => void} listener */
export function follow(listener) {
  listeners.add(listener);
}

addEventListener("popstate", notice);
addEventListener("hashchange", () => {
  if (JSON.stringify(read()) !== JSON.stringify(state)) notice();
});
