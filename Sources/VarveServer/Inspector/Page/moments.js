/** The moments of a store: dates, at which values hold, and commits, with what their authors had seen. */
import { day, moment as writtenDate, short } from "./format.js";

/**
 * Returns what the operation language calls a moment of the address; undefined for now.
 * A commit is written REPLICA:NUMBER:HASH, by which it is found at once.
 * @param {string | undefined} at
 * @returns {any}
 */
export function asOf(at) {
  if (!at) return undefined;
  const head = head_(at);
  return head ? { commit: head } : at;
}

/** @param {string} at */
function head_(at) {
  const parts = at.split(":");
  if (parts.length !== 3 || parts[2].length !== 64) return null;
  return { replica: parts[0], sequence: Number(parts[1]), hash: parts[2] };
}

/**
 * The commit that a text of the address names by replica, number and hash; null if it does not.
 * @param {string | undefined} at
 */
export const commitOf = (at) => (at ? head_(at) : null);

/** @param {{ replica: string, sequence: number, hash: string }} commit */
export const atCommit = (commit) => `${commit.replica}:${commit.sequence}:${commit.hash}`;

/** @param {string | undefined} at @returns {boolean} */
export const isCommit = (at) => Boolean(at && (head_(at) || (/^[0-9a-f]{4,64}$/i.test(at) && !/^\d{4}$/.test(at))));

/**
 * Whether a text of the address names a moment: a date or a commit.
 * @param {string} at
 */
export const isMoment = (at) =>
  isCommit(at) || (/^\d{4}-\d{2}-\d{2}/.test(at) && !Number.isNaN(Date.parse(at)));

/** @param {string | undefined} at the hash of the commit, or null */
export const hashOf = (at) => (at && isCommit(at) ? at.split(":").pop() ?? null : null);

/**
 * The name of a moment within a sentence.
 * @param {string | undefined} at
 */
export function label(at) {
  if (!at) return "now";
  const hash = hashOf(at);
  return hash ? `commit ${short(hash)}` : end(at) ?? writtenDate(at);
}

/**
 * The last millisecond of a year, a month or a day is called its end.
 * @param {string} at
 */
function end(at) {
  const date = new Date(at);
  const next = new Date(date.getTime() + 1);
  if (Number.isNaN(next.getTime()) || next.getTime() % 86_400_000 !== 0) return null;
  const [, month, year] = day(date).split(" ");
  const isMonth = next.getUTCDate() === 1;
  return `end of ${isMonth && next.getUTCMonth() === 0 ? year : isMonth ? `${month} ${year}` : day(date)}`;
}

/**
 * Returns the fields with which an operation reads a moment.
 * @param {string | undefined} at
 */
export function reading(at) {
  const name = asOf(at);
  return name === undefined ? {} : { asOf: name };
}

/** @param {string | undefined} at what `from` and `to` of a difference take */
export const named = (at) => asOf(at) ?? "now";
