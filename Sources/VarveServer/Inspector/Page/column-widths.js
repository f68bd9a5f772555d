/** How wide the columns of a table are: as their content, within limits. */
import { text } from "./format.js";
import { held } from "./grid-rows.js";

/** Widths in characters. */
const [least, most] = [7, 38];
/** So many rows decide. */
const looked = 60;

/**
 * Returns the widths of the columns, as a grid takes them. They do not change while a person scrolls.
 * @param {string[]} columns
 * @param {any[]} rows
 * @param {(key: string) => string} titleOf
 */
export function widths(columns, rows, titleOf) {
  return columns.map((key, index) => {
    const content = rows.slice(0, looked).map((row) => text(key === "@id" ? row.id : key.startsWith("@") ? "31 Dec 2018, 23:59:59" : held(row.properties, key)).length);
    const characters = Math.max(least, Math.min(most, Math.max(titleOf(key).length + 3, ...content)));
    const width = `calc(${characters}ch + 26px)`;
    // The last one takes the room that is left.
    return index === columns.length - 1 ? `minmax(${width}, 1fr)` : width;
  });
}
