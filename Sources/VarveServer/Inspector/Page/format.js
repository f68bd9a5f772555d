/** How dates, numbers, names and values are written. */
import { h, link } from "./dom.js";
import { isNumber, writeJSON } from "./exact.js";
import { address, current } from "./address.js";

const grouping = new Intl.NumberFormat("en");
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const two = (/** @type {number} */ number) => String(number).padStart(2, "0");

/** @param {number} count */
export const count = (count) => grouping.format(count);

/**
 * @param {number} number
 * @param {string} one
 * @param {string} [many]
 */
export const counted = (number, one, many = `${one}s`) => `${count(number)} ${number === 1 ? one : many}`;

/** @param {string | number | Date} date */
export function day(date) {
  const at = new Date(date);
  return `${at.getUTCDate()} ${months[at.getUTCMonth()]} ${at.getUTCFullYear()}`;
}

/**
 * A date with as much of its time as it has, in UTC.
 * @param {string | number | Date} date
 */
export function moment(date) {
  const at = new Date(date);
  if (Number.isNaN(at.getTime())) return String(date);
  const [hours, minutes, seconds, rest] = [
    at.getUTCHours(), at.getUTCMinutes(), at.getUTCSeconds(), at.getUTCMilliseconds(),
  ];
  if (!hours && !minutes && !seconds && !rest) return day(at);
  const fraction = rest ? `.${String(rest).padStart(3, "0")}` : "";
  return `${day(at)}, ${two(hours)}:${two(minutes)}:${two(seconds)}${fraction}`;
}

/**
 * A date in an element that machines read too.
 * @param {string} date
 */
export const time = (date) => h("time", { datetime: date, title: `${date} (UTC)` }, moment(date));

/** @param {string} hash */
export const short = (hash) => hash.slice(0, 8);

/** @param {string} author */
export const who = (author) => author || "no author";

/**
 * The author that a commit or a version names, and who handed it over if that was another.
 * @param {{ author: string, handedOverBy?: string }} one
 */
export const byWhom = (one) => (one.handedOverBy ? `${who(one.author)}, handed over by ${one.handedOverBy}` : who(one.author));

/**
 * The text of a value of the operation language.
 * @param {any} value
 * @returns {string}
 */
export function text(value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return value;
  if (typeof value !== "object") return String(value);
  if ("date" in value) return moment(value.date);
  if ("data" in value) return `data, ${count(Math.floor((value.data.length * 3) / 4))} bytes`;
  if ("entity" in value) return value.entity;
  if ("double" in value) return String(value.double);
  if ("array" in value) return `[${value.array.map(text).join(", ")}]`;
  if ("dictionary" in value) {
    return `{${Object.entries(value.dictionary).map(([key, entry]) => `${key}: ${text(entry)}`).join(", ")}}`;
  }
  if ("value" in value) return text(value.value);
  return writeJSON(value);
}

/**
 * The beginning of a text that is too long for its place.
 * @param {string} whole
 * @param {number} most
 */
export const clipped = (whole, most = 240) => (whole.length > most ? `${beginning(whole, most)}…` : whole);

/**
 * The first characters, of which none is cut.
 * @param {string} whole
 * @param {number} most
 */
export const beginning = (whole, most) => whole.slice(0, most).replace(/[\uD800-\uDBFF]$/, "");

/**
 * The beginning of a value, or what is said in its place.
 * @param {any} value
 */
export const worded = (value) => (value === null || value === undefined ? "none" : value === "" ? "empty text" : clipped(text(value)));

/** @param {any} value whether it is written with figures, which stand right */
export const isNumeric = (value) =>
  isNumber(value) || (typeof value === "object" && value !== null && "double" in value);

/**
 * A value as a node; an entity is a link to it.
 * @param {any} value
 */
export function shown(value) {
  if (value === null || value === undefined) return h("span", { class: "nothing" }, "none");
  const inner = typeof value === "object" && "value" in value ? value.value : value;
  if (typeof inner === "object" && inner !== null && "entity" in inner) return entity(inner.entity);
  if (typeof inner === "string" && inner === "") return h("span", { class: "nothing" }, "empty text");
  return clipped(text(inner));
}

/**
 * The address of an entity at the moment that is shown.
 * @param {string} id
 */
export function entityAddress(id) {
  // Only these two views show an entity beside them.
  const view = ["table", "owners"].includes(current().view) ? undefined : "table";
  return address({ view, terms: { entity: id, key: null } });
}

/** @param {string} id */
export const entity = (id) => link(entityAddress(id), clipped(id, 120), { class: "entity", "data-entity": id });

/** @param {{ hash: string } | string} commit */
export function commit(commit) {
  const hash = typeof commit === "string" ? commit : commit.hash;
  return link(address({ view: "commit", terms: { commit: hash } }), short(hash), {
    class: "mono",
    title: `Commit ${hash}`,
  });
}

/** @param {any} one @param {any} other */
export const same = (one, other) => writeJSON(one ?? null) === writeJSON(other ?? null);
