/** Ctrl K: goes to a view, a date, an entity, a commit or what an author wrote. */
import { fill, h } from "./dom.js";
import { current, go } from "./address.js";
import { openDialog } from "./dialog.js";
import { latest } from "./latest.js";
import { clipped, count, short, text, who } from "./format.js";
import { reading } from "./moments.js";
import { views } from "./frame.js";
import { deadEntities, lastStates } from "./dead.js";

/** @typedef {{ label: string, hint: string, run: () => void, id?: string, word?: string }} Choice `word`: what else it is found by */

/** @param {import("./frame.js").Frame} frame */
export function openPalette(frame) {
  if (document.querySelector("dialog[open]")) return;
  const space = /** @type {import("./api.js").Space} */ (frame.space);
  /** @type {Choice[]} */
  let choices = [];
  let index = 0;
  /** @type {Promise<import("./dead.js").DeadRow[]> | null} */
  let dead = null;
  /** Whether all that could be looked at was. */
  let isSearching = false;
  const list = h("div", { class: "options", role: "listbox", id: "palette-list", "aria-label": "Where to go" });
  const input = h("input", { type: "text", role: "combobox", "aria-expanded": "true", "aria-controls": "palette-list", "aria-autocomplete": "list", "aria-label": "Go to",
    placeholder: "A view, a date such as 2018-12-08, a name, an author, a commit", autocomplete: "off", spellcheck: "false",
    oninput: () => search(input.value), onkeydown: (/** @type {KeyboardEvent} */ event) => key(event) });
  const dialog = openDialog("Go to", [input, list], { class: "palette" });

  const draw = () => {
    index = Math.max(0, Math.min(choices.length - 1, index));
    fill(list, choices.map((choice, place) => h("div", { role: "option", id: `palette-${place}`, "aria-selected": String(place === index),
      onclick: () => take(choice), onmousemove: () => { if (index !== place) { index = place; draw(); } } },
    h("span", { class: "label" }, clipped(choice.label, 90)), h("span", { class: "faint" }, clipped(choice.hint, 60)))),
    choices.length === 0 && h("p", { class: "empty" }, isSearching ? "Searching…" : `Nothing is called so. Names of the dead are looked for among the last ${count(deadCount)}.`));
    input.setAttribute("aria-activedescendant", `palette-${index}`);
    list.children[index]?.scrollIntoView?.({ block: "nearest" });
  };
  const take = (/** @type {Choice} */ choice) => {
    dialog.close();
    choice.run();
    if (choice.id !== undefined) frame.view?.reveal?.(choice.id);
    else frame.main.focus({ preventScroll: true });
  };
  const key = (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      index += event.key === "ArrowDown" ? 1 : -1;
      draw();
    } else if (event.key === "Enter" && choices[index]) take(choices[index]);
    else return;
    event.preventDefault();
  };
  const search = latest(async (/** @type {string} */ words) => {
    choices = fixed(words);
    isSearching = words.trim().length >= 2;
    draw();
    const found = await stored(space, words.trim());
    if (input.value !== words) return;
    choices = ranked([...choices, ...found], words);
    draw();
    if (!isSearching) return;
    // The dead are read once while the palette is open.
    dead ??= namedDead(space).catch(() => []);
    const ended = among(await dead, words.trim());
    isSearching = false;
    if (input.value !== words) return;
    choices = [...choices, ...ended.filter((one) => !choices.some((other) => other.id !== undefined && other.id === one.id))];
    draw();
  });
  search("");
  input.focus();
}

/** @param {string} words @returns {Choice[]} */
function fixed(words) {
  const wish = words.trim().toLowerCase();
  const all = [
    ...views.map(([name, title]) => ({ label: title, hint: "view", run: () => go({ view: name, terms: { entity: null } }) })),
    { label: "Now", hint: "moment", run: () => go({ terms: { at: null } }) },
    { label: "Dark or light", hint: "appearance", run: () => document.querySelector('[data-name="appearance"]')?.dispatchEvent(new MouseEvent("click")) },
  ];
  const found = all.filter((choice) => choice.label.toLowerCase().includes(wish));
  const date = /^(\d{4})(-\d{2}(-\d{2})?)?$/.exec(wish);
  const day = !date ? "" : date[3] ? wish : date[2] ? `${wish}-01` : `${wish}-12-31`;
  if (date && isDay(day)) {
    found.unshift({ label: day, hint: date[2] ? "what held at this date" : "what held at the end of the year", run: () => go({ terms: { at: `${day}T${date[2] ? "00:00:00.000" : "23:59:59.999"}Z`, scale: "dates" } }) });
  }
  return found;
}

/** Whether a text is a day of the calendar, which February 30 is not. */
const isDay = (/** @type {string} */ day) => !Number.isNaN(Date.parse(day)) && new Date(day).toISOString().startsWith(day);

/**
 * What begins as the words do comes first.
 * @param {Choice[]} choices
 * @param {string} words
 */
function ranked(choices, words) {
  const wish = words.trim().toLowerCase();
  const rank = (/** @type {Choice} */ { label, word, hint }) => {
    const names = [label, word ?? "", hint].map((one) => one.toLowerCase());
    return names.includes(wish) ? 0 : names.some((one) => one.startsWith(wish)) ? 1 : 2;
  };
  return wish ? [...choices].sort((one, other) => rank(one) - rank(other)) : choices;
}

/** So many of the dead are looked at. */
const deadCount = 2_000;

/**
 * The dead, with their last names.
 * @param {import("./api.js").Space} space
 */
async function namedDead(space) {
  const { at } = current().terms;
  const { dead } = await deadEntities(space, null, at, deadCount);
  return lastStates(space, dead, at, "name");
}

/**
 * The dead whose last name or identifier contains the words.
 * @param {import("./dead.js").DeadRow[]} dead
 * @param {string} words
 * @returns {Choice[]}
 */
function among(dead, words) {
  const wish = words.toLowerCase();
  return dead.filter((one) => `${one.id} ${text(one.properties.name)}`.toLowerCase().includes(wish) && one.id !== words).slice(0, 8)
    .map((one) => ({
      label: text(one.properties.name) || one.id, hint: `${one.state} · ${one.id}`, id: one.id,
      run: () => go({ view: "table", terms: { entity: one.id, type: one.type, dead: "1", where: null } }),
    }));
}

/** @param {import("./api.js").Space} space @param {string} words @returns {Promise<Choice[]>} */
async function stored(space, words) {
  if (words.length < 2) return [];
  const when = reading(current().terms.at);
  const [types, log, status] = await space.runAll([{ op: "types", ...when }, { op: "log", limit: 1000 }, { op: "status", id: words, ...when }]);
  /** @type {Choice[]} */
  const found = [];
  if (!(status instanceof Error) && status.status !== "unknown") found.push({ label: words, hint: status.status, id: words, run: () => go({ terms: { entity: words } }) });
  const names = types instanceof Error ? [] : types.map((/** @type {any} */ one) => one.type).filter((/** @type {string} */ type) => !type.startsWith("varve."));
  for (const type of names) if (type.toLowerCase().includes(words.toLowerCase())) found.push({ label: type, hint: "type", run: () => go({ view: "table", terms: { type, where: null, order: null, entity: null } }) });
  const hits = await space.runAll(names.slice(0, 12).map((/** @type {string} */ type) => ({
    op: "query", type, limit: 6, ...when,
    where: { "@or": [{ name: { contains: words, ignoringCase: true } }, { title: { contains: words, ignoringCase: true } }, { "@id": { contains: words, ignoringCase: true } }] },
  })));
  for (const rows of hits) {
    if (rows instanceof Error) continue;
    for (const row of rows) found.push({ label: text(row.properties.name ?? row.properties.title) || row.id, hint: row.id, id: row.id, run: () => go({ terms: { entity: row.id, type: row.type, dead: null } }) });
  }
  const commits = log instanceof Error ? [] : log;
  const authors = [...new Set(commits.map((/** @type {any} */ one) => one.author))].filter((author) => author && `what ${author} changed`.toLowerCase().includes(words.toLowerCase()));
  for (const author of authors.slice(0, 4)) found.push({ label: `What ${author} changed`, hint: "author", word: author, run: () => go({ view: "commits", terms: { author } }) });
  for (const one of commits.filter((/** @type {any} */ commit) => commit.hash.startsWith(words.toLowerCase()) || commit.message.toLowerCase().includes(words.toLowerCase())).slice(0, 6)) {
    found.push({ label: one.message || short(one.hash), hint: `commit by ${who(one.author)}`, run: () => go({ view: "commit", terms: { commit: one.hash } }) });
  }
  return found;
}
