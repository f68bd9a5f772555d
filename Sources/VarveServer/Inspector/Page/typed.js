/** Reads what a person typed in place of a value as a value of the same kind. */
import { integer, isNumber } from "./exact.js";

/**
 * @param {any} example a value of the operation language
 * @param {string} text
 * @returns {any} undefined if the text is no value of the example's kind
 */
export function like(example, text) {
  const words = text.trim();
  if (isNumber(example)) {
    if (/^-?(0|[1-9]\d*)$/.test(words)) return integer(words);
    return isDecimal(words) ? { double: Number(words) } : undefined;
  }
  if (typeof example === "boolean") return words === "true" ? true : words === "false" ? false : undefined;
  if (typeof example !== "object" || example === null) return text;
  if ("value" in example) {
    const value = like(example.value, text);
    return value === undefined ? undefined : { ...example, value };
  }
  if ("double" in example) return isDecimal(words) ? { double: Number(words) } : undefined;
  if ("date" in example) return Number.isNaN(Date.parse(words)) ? undefined : { date: words };
  if ("entity" in example) return words ? { entity: words } : undefined;
  return undefined;
}

/** @param {string} words */
const isDecimal = (words) => /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(words);
