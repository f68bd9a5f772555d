/** What a text in a column's filter means, as a condition of the operation `query`. */
import { integer, isNumber } from "./exact.js";

const comparison = /^(<=|>=|!=|<|>|=)\s*(.*)$/;

/**
 * @param {string} key
 * @param {string} text
 * @returns {any} a condition; null for none
 */
export function condition(key, text) {
  const wish = text.trim();
  if (!wish) return null;
  if (wish === "none" || wish === "∅") return { [key]: null };
  if (wish === "any") return { "@not": { [key]: null } };
  const found = comparison.exec(wish);
  if (found) {
    const [, sign, rest] = found;
    const wanted = value(rest);
    // A number may be kept as a text, as numeric codes are.
    if (sign === "=" && isNumber(wanted)) return { [key]: { in: [wanted, rest] } };
    return { [key]: { [sign]: wanted } };
  }
  if (wish.startsWith("^")) return { [key]: { startsWith: wish.slice(1), ignoringCase: true } };
  const plain = value(wish);
  if (isNumber(plain)) return { "@or": [{ [key]: plain }, { [key]: { contains: wish } }] };
  if (typeof plain !== "string") return { [key]: plain };
  return { [key]: { contains: wish, ignoringCase: true } };
}

/** @param {string} text */
function value(text) {
  if (text === "true" || text === "false") return text === "true";
  if (/^-?(0|[1-9]\d*)$/.test(text)) return integer(text);
  if (/^-?\d+\.\d+$/.test(text)) return { double: Number(text) };
  if (/^\d{4}-\d{2}-\d{2}/.test(text)) return { date: text };
  const quoted = /^"(.*)"$/.exec(text);
  return quoted ? quoted[1] : text;
}

/**
 * @param {Record<string, string>} filters
 * @returns {any} the condition of all filters; undefined if there are none
 */
export function conditions(filters) {
  const all = Object.entries(filters).map(([key, text]) => condition(key === "id" ? "@id" : key, text)).filter(Boolean);
  return all.length === 0 ? undefined : all.length === 1 ? all[0] : { "@and": all };
}

/** @param {string | undefined} text @returns {Record<string, string>} the filters of the address */
export function readFilters(text) {
  return text ? Object.fromEntries(new URLSearchParams(text)) : {};
}

/** @param {Record<string, string>} filters */
export function writeFilters(filters) {
  return new URLSearchParams(Object.entries(filters).filter(([, text]) => text.trim())).toString();
}

/** How a filter is written, for its title. */
export const filterHelp = 'Texts contain what you write; also ^begins, =equals, >5, <=2020-01-01, none, any';
