/** The server's routes. Everything is asked of the page's own origin. */
import { readJSON, writeJSON } from "./exact.js";
import { signed } from "./signature.js";
import { credentials } from "./session.js";

/** What the server replied when it refused or failed. */
export class Problem extends Error {
  /** @param {number} status @param {any} body */
  constructor(status, body) {
    super(body?.detail ?? body?.message ?? `the server replied ${status}`);
    this.status = status;
    this.code = body?.code ?? "";
    this.remedy = body?.remedy ?? "";
  }
}

/**
 * @param {string} path
 * @param {RequestInit} [options]
 */
async function request(path, options = {}) {
  let reply;
  try {
    reply = await fetch(path, {
      ...options,
      headers: { ...credentials(), ...options.headers },
      credentials: "same-origin",
    });
  } catch {
    throw new Problem(0, { detail: "the server cannot be reached" });
  }
  if (reply.status === 401) dispatchEvent(new Event("signedout"));
  if (!reply.ok) throw new Problem(reply.status, await reply.json().catch(() => ({})));
  return reply;
}

/** @param {string} path @returns {Promise<any>} */
export async function get(path) {
  return readJSON(await (await request(path)).text());
}

/**
 * Returns the results of several operations. Throws if one is an error, because what could not be read
 * must not look as if there were none.
 * @param {any[]} results
 * @returns {any[]}
 */
export function sound(results) {
  const problem = results.find((one) => one instanceof Error);
  if (problem) throw problem;
  return results;
}

/** @typedef {{ position: string, commits: number, withheld: number, parked: any[], author: string | null }} State a state of a
 *   space; `author`: of what the caller writes, null if operations name it
 */

/** A space of the server. */
export class Space {
  /** @param {{ name: string, role: string, id: string }} listing */
  constructor(listing) {
    this.name = listing.name;
    this.role = listing.role;
    this.path = `/v1/spaces/${encodeURIComponent(listing.name)}`;
  }

  get canWrite() {
    return this.role !== "reader";
  }

  /**
   * Runs one operation and returns its result.
   * @param {Record<string, any>} operation
   * @returns {Promise<any>}
   */
  async run(operation) {
    // A browser's console takes the status of a failed operation for a broken page; lines have none.
    const [result] = await this.runAll([operation]);
    if (result instanceof Problem) throw result;
    return result;
  }

  /**
   * Runs an operation whose result the page may have. It is sent only if it is another one.
   * @param {Record<string, any>} operation
   * @param {string} known the name of the result that the page has, or "none"
   * @returns {Promise<{ name: string, result: any }>} the result is undefined if it is the known one
   */
  async renew(operation, known) {
    const reply = await request(`${this.path}/operations`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "Varve-Result": known },
      body: writeJSON(operation),
    });
    const name = reply.headers.get("Varve-Result") ?? "none";
    return { name, result: reply.status === 204 ? undefined : readJSON(await reply.text()).result };
  }

  /**
   * Runs several operations in one request. A result that is an error is a `Problem`.
   * @param {Record<string, any>[]} operations
   * @returns {Promise<any[]>}
   */
  async runAll(operations) {
    if (operations.length === 0) return [];
    const reply = await request(`${this.path}/operations`, {
      method: "POST",
      headers: { "Content-Type": "application/x-ndjson" },
      body: operations.map((operation) => writeJSON(operation)).join("\n") + "\n",
    });
    const lines = (await reply.text()).trim().split("\n");
    return lines.map((line) => {
      const answer = readJSON(line);
      return answer.ok ? answer.result : new Problem(200, answer.error);
    });
  }

  /**
   * Runs one writing operation, unless what it changes was changed since a state of the space.
   * @param {Record<string, any>} operation
   * @param {State} basis the state that it was previewed on
   * @returns {Promise<any>}
   */
  async write(operation, basis) {
    const reply = await request(`${this.path}/operations`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "If-Match": `"${basis.position}"` },
      body: writeJSON(signed(operation, basis)),
    });
    return readJSON(await reply.text()).result;
  }

  /** @returns {Promise<State>} its present state */
  describe() {
    return get(this.path);
  }

  /**
   * Opens the stream of changes.
   * @param {AbortSignal} signal
   */
  async changes(signal) {
    return request(`${this.path}/changes`, { signal, headers: { Accept: "text/event-stream" } });
  }
}

/** @returns {Promise<Space[]>} the spaces that the caller may see */
export async function spaces() {
  /** @type {Space[]} */
  const all = [];
  /** @type {string | null} */
  let cursor = null;
  do {
    /** @type {{ items: any[], next: string | null }} */
    const page = await get(`/v1/spaces${cursor ? `?cursor=${encodeURIComponent(cursor)}` : ""}`);
    all.push(...page.items.map((/** @type {any} */ item) => new Space(item)));
    cursor = page.next;
  } while (cursor);
  return all;
}
