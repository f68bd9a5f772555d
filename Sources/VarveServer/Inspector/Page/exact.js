/** JSON whose integers keep all of their digits: those that a number cannot hold are a `BigInt`. */

/** What no text of a store begins with, because it is made anew with each page. */
const mark = `integer-${Math.random()}-${Math.random()}:`;
const written = new RegExp(`"${mark.replaceAll(".", "\\.")}(-?\\d+)"`, "g");
/** A string, which is left as it is, or a number. */
const token = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** @param {string} text @returns {any} */
export function readJSON(text) {
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  const marked = text.replace(token, (found) =>
    /^-?\d+$/.test(found) && !Number.isSafeInteger(Number(found)) ? `"${mark}${found}"` : found);
  return JSON.parse(marked, (_, value) =>
    typeof value === "string" && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value);
}

/** @param {any} value @returns {string} */
export function writeJSON(value) {
  const text = JSON.stringify(value, (_, one) => (typeof one === "bigint" ? `${mark}${one}` : one));
  return text.replace(written, "$1");
}

/** @param {string} digits @returns {number | bigint} */
export function integer(digits) {
  const number = Number(digits);
  return Number.isSafeInteger(number) ? number : BigInt(digits);
}

/** @param {any} value @returns {boolean} whether it is a number, however large */
export const isNumber = (value) => typeof value === "number" || typeof value === "bigint";
