/** What a text in a column's filter means, as a condition of the operation `query`. */
import { integer, isNumber } from "./exact.js";
import { text } from "./format.js";

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
  const all = Object.entries(filters).map(([key, text]) => condition(key, text)).filter(Boolean);
  return all.length === 0 ? undefined : all.length === 1 ? all[0] : { "@and": all };
}

/**
 * Whether rows that the server does not filter satisfy the filters: those of dead entities.
 * @param {{ id: string, properties: Record<string, any> }} row
 * @param {Record<string, string>} filters
 */
export function satisfies(row, filters) {
  return Object.entries(filters).every(([key, wish]) => fits(key === "@id" ? row.id : Object.hasOwn(row.properties, key) ? row.properties[key] : undefined, wish.trim()));
}

/** @param {any} value @param {string} wish */
function fits(value, wish) {
  if (!wish) return true;
  const isNone = value === undefined || value === null;
  if (wish === "none" || wish === "∅") return isNone;
  if (wish === "any") return !isNone;
  if (isNone) return false;
  const said = text(value).toLowerCase();
  const found = comparison.exec(wish.toLowerCase());
  if (!found) return wish.startsWith("^") ? said.startsWith(wish.slice(1).toLowerCase()) : said.includes(wish.toLowerCase());
  const [, sign, rest] = found;
  const order = compared(value, rest, said);
  return { "=": order === 0, "!=": order !== 0, "<": order < 0, "<=": order <= 0, ">": order > 0, ">=": order >= 0 }[sign] ?? false;
}

/** @param {any} value @param {string} wish @param {string} said */
function compared(value, wish, said) {
  const [number, wanted] = typeof value === "object" && "date" in value ? [Date.parse(value.date), Date.parse(wish)]
    : isNumber(value) || (typeof value === "object" && "double" in value) ? [Number(said), Number(wish)] : [NaN, NaN];
  if (!Number.isNaN(number) && !Number.isNaN(wanted)) return number - wanted;
  return said === wish ? 0 : said < wish ? -1 : 1;
}

/** @param {string | undefined} written @returns {Record<string, string>} the filters of the address */
export function readFilters(written) {
  return written ? Object.fromEntries(new URLSearchParams(written)) : {};
}

/** @param {Record<string, string>} filters */
export function writeFilters(filters) {
  return new URLSearchParams(Object.entries(filters).filter(([, text]) => text.trim())).toString();
}

/** How a filter is written, for its title. */
export const filterHelp = 'Texts contain what you write; also ^begins, =equals, >5, <=2020-01-01, none, any';
