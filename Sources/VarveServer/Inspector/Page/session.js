/** Who the page is: the session of the printed link (a cookie no script sees), or a token. */

/**
 * The token lives as long as the tab, so that the page can be loaded again. Scripts of other origins,
 * which are other ports too, cannot read it, and the page runs no script but its own.
 */
const place = "varve-token";

/** @returns {Record<string, string>} the headers that say who calls */
export function credentials() {
  const token = sessionStorage.getItem(place);
  return token ? { Authorization: `Bearer ${token}` } : {};
}

/** @param {string} token */
export function remember(token) {
  if (token) sessionStorage.setItem(place, token);
}

export const hasToken = () => sessionStorage.getItem(place) !== null;

/** Ends what the token permits this tab. */
export const forget = () => sessionStorage.removeItem(place);

/**
 * Exchanges the ticket in the address for a session, and removes it from the address and the history.
 * @returns {Promise<string | null>} why the ticket was refused; null if there is none or it was taken
 */
export async function enter() {
  const found = /^#enter=([0-9a-f]+)/.exec(location.hash);
  if (!found) return null;
  history.replaceState(null, "", location.pathname);
  const reply = await fetch("/v1/enter", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ ticket: found[1] }),
  });
  if (reply.ok) return null;
  const problem = await reply.json().catch(() => ({}));
  return problem.detail ?? "the link is not valid";
}
