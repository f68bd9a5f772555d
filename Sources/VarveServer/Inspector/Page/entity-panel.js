/** One entity beside the view: its values and their history, its owners, why it lives. */
import { Problem } from "./api.js";
import { button, failure, fill, h } from "./dom.js";
import { current, go } from "./address.js";
import { byWhom, clipped, commit, count, isNumeric, same, text, time, worded } from "./format.js";
import { whole } from "./long-text.js";
import { historyList } from "./history-list.js";
import { label, reading } from "./moments.js";
import { latest } from "./latest.js";
import { named, nameIn, nameKeys } from "./names.js";
import { deathOf } from "./deaths.js";
import { eraseEntity, restoreEntity, restoreValue } from "./entity-writes.js";
import { wayUp } from "./owners.js";

export class EntityPanel {
  /** @param {HTMLElement} root @param {import("./api.js").Space} space @param {import("./frame.js").Frame} frame */
  constructor(root, space, frame) {
    this.root = root;
    this.space = space;
    this.frame = frame;
    /** @type {string | null | undefined} what is shown */
    this.shape = null;
    /** What was drawn: a panel whose entity did not change is left as it is, with what was opened in it. */
    this.facts = null;
    this.load = latest(async () => this.read());
  }

  show() {
    const { terms } = current();
    const shape = [terms.entity, terms.key, terms.at, terms.pin].join("\n");
    if (shape === this.shape) return;
    const closed = !terms.entity && this.root.contains(document.activeElement) ? this.facts?.id : undefined;
    this.shape = shape;
    this.root.hidden = !terms.entity;
    if (terms.entity) {
      this.load(null);
    } else {
      this.root.replaceChildren();
      this.facts = null;
    }
    if (closed !== undefined) focusRow(closed);
  }

  refresh() {
    this.shape = null;
    this.show();
  }

  async read() {
    const { entity: id, at, pin, key } = current().terms;
    if (!id) return;
    const when = reading(at);
    const [status, found, kept, owns, owners, free, lives, then, history] = await this.space.runAll([
      { op: "status", id, ...when },
      { op: "get", refs: [id], ...when },
      { op: "read", refs: [id], keys: "all", ...when },
      { op: "related", id, kind: "owns", ...when },
      { op: "related", id, kind: "ownedBy", unknown: true, ...when },
      { op: "related", id, kind: "free", ...when },
      { op: "history", id, limit: 200 },
      pin ? { op: "read", refs: [id], keys: "all", ...reading(pin === "now" ? undefined : pin) } : { op: "frontier" },
      key ? { op: "history", id, key } : { op: "frontier" },
    ]);
    if (current().terms.entity !== id) return;
    const problem = [status, found, kept, owns, owners, free, lives, then, history]
      .find((one) => one instanceof Problem && one.code !== "notFound");
    const facts = {
      id, at, pin, problem, state: status instanceof Error ? "unknown" : status.status, values: kept instanceof Error ? null : kept[0],
      type: found instanceof Error ? null : found[0]?.type,
      owns: list(owns), owners: list(owners), free: list(free), lives: list(lives),
      then: pin && !(then instanceof Error) ? then[0] ?? {} : null, key, history: key ? list(history) : [],
    };
    if (same(facts, this.facts)) return;
    const isExplained = this.facts?.id === id && this.whyPart?.hasChildNodes();
    this.facts = facts;
    this.draw();
    if (isExplained) this.why();
  }

  draw() {
    const facts = this.facts;
    if (!facts) return;
    const { at } = current().terms;
    const words = /** @type {Record<string, string>} */ ({ live: "live", erased: "erased", dead: "dead with its owners", unknown: "not created yet" });
    const canWrite = this.space.canWrite;
    const focused = this.root.contains(document.activeElement) ? document.activeElement?.closest("[data-key]")?.getAttribute("data-key") : null;
    fill(this.root,
      h("div", { class: "entity-head" },
        h("div", { class: "top" }, h("span", { class: `state state-${facts.state}` }, words[facts.state] ?? facts.state),
          h("span", { class: "faint" }, facts.type ?? "", at ? `, ${label(at)}` : ""), h("span", { class: "spring" }),
          button("×", () => go({ terms: { entity: null, key: null } }), { class: "button bare", "aria-label": "Close the entity" })),
        h("h2", {}, this.name || facts.id), this.name && h("p", { class: "identifier" }, facts.id),
        h("div", { class: "actions" },
          button("Why?", () => this.why(), { title: "Why it lives, or is dead", "data-action": "why" }),
          button("In the tree", () => go({ view: "owners", terms: { root: facts.owners[0] ?? facts.id, entity: facts.id } })),
          facts.state === "live" && button(canWrite && !at ? "Erase…" : "What would erasing do?", () => eraseEntity(this, facts.id), { "data-action": "erase" }),
          canWrite && ["erased", "dead"].includes(facts.state) && button("Restore…", () => restoreEntity(this, facts.id), { class: "button primary", "data-action": "restore-entity" }))),
      facts.problem && h("section", { class: "entity-part" }, failure(facts.problem), h("p", { class: "faint" }, "What could not be read is not shown.")),
      this.whyPart = h("div", { "aria-live": "polite" }),
      facts.values && h("section", { class: "entity-part" }, h("h3", {}, "Values", h("span", {}, "· press one for its history")), this.values()),
      this.relations(),
      h("section", { class: "entity-part" }, h("h3", {}, "Life"), this.death = h("p", { class: "faint", hidden: true }), historyList(facts.lives.filter((one) => one.key === null)),
        facts.state !== "live" && this.formerKeys()));
    if (facts.state === "dead") this.sayDeath().catch(() => {});
    if (focused) /** @type {any} */ (this.root.querySelector(`[data-key="${CSS.escape(focused)}"] > button`))?.focus();
  }

  /** The name of the entity, or the last one if it is dead; empty if it has none or its identifier says it. */
  get name() {
    const { id, values, lives } = /** @type {any} */ (this.facts);
    const last = (/** @type {string} */ key) => lives.find((/** @type {any} */ one) => one.key === key && one.change === "set")?.value;
    const name = nameIn(values ?? Object.fromEntries(nameKeys.map((key) => [key, last(key)])));
    return name === id ? "" : clipped(name, 120);
  }

  /** Says when and by whom that was erased with which the entity died. */
  async sayDeath() {
    const { id } = /** @type {any} */ (this.facts);
    const { death } = this;
    const found = await deathOf(this.space, id, reading(current().terms.at));
    if (!found || !death) return;
    death.hidden = false;
    fill(death, "Died with ", named(found.id), ", which was erased ", ...ended(found.erasure));
  }

  values() {
    const { values, lives, key, then, history } = /** @type {any} */ (this.facts);
    const keys = Object.keys(values).sort();
    if (then) for (const other of Object.keys(then)) if (!keys.includes(other)) keys.push(other);
    if (keys.length === 0) return h("p", { class: "faint" }, "It has no values.");
    return keys.map((name) => {
      const times = lives.filter((/** @type {any} */ one) => one.key === name).length;
      const isChanged = then && !same(then[name], values[name]);
      const isOpen = key === name;
      return h("div", { class: "value", "data-key": name },
        button([h("span", { class: "key" }, name),
          h("span", { class: `content${isNumeric(values[name]) ? " figure" : ""}` },
            isChanged && [h("del", {}, worded(then[name])), " "], values[name] === undefined ? h("span", { class: "nothing" }, "none") : values[name] === "" ? h("span", { class: "nothing" }, "empty text") : clipped(text(values[name]), 140)),
          h("span", { class: "times" }, text(values[name]).length > 140 ? `${count(text(values[name]).length)} characters ` : "", times > 1 ? `${times}×` : "")],
        () => go({ terms: { key: isOpen ? null : name } }, { replaces: true }), { class: "", "aria-expanded": String(isOpen) }),
        isOpen && history.length === 0 && values[name] !== undefined && h("p", { class: "versions" }, whole(values[name])),
        isOpen && history.length > 0 && historyList(history, { current: values[name], isPast: Boolean(current().terms.at), restore: this.space.canWrite ? (version) => restoreValue(this, this.facts?.id ?? "", name, version) : undefined }),
        isOpen && values[name]?.entity && h("p", { class: "versions" }, "Now refers to ", named(values[name].entity)));
    });
  }

  formerKeys() {
    const { lives } = /** @type {any} */ (this.facts);
    const keys = [...new Set(lives.filter((/** @type {any} */ one) => one.change === "set").map((/** @type {any} */ one) => one.key))];
    return keys.length > 0 && h("p", { class: "faint" }, `Its last values: ${keys.slice(0, 6).map((key) => `${key} ${clipped(text(lives.find((/** @type {any} */ one) => one.key === key).value), 120)}`).join(", ")}`);
  }

  relations() {
    const { owns, owners, free } = /** @type {any} */ (this.facts);
    const part = (/** @type {string} */ title, /** @type {string[]} */ ids) => ids.length > 0 && h("section", { class: "entity-part" },
      h("h3", {}, title, h("span", { class: "figure" }, String(ids.length))),
      h("div", { class: "chips" }, ids.slice(0, 60).map((id) => named(id)), ids.length > 60 && h("span", { class: "faint" }, `and ${ids.length - 60} more`)));
    return [part("Owned by", owners), part("Owns", owns), part("Related", free)];
  }

  async why() {
    const { id } = /** @type {any} */ (this.facts);
    const found = await wayUp(this.space, id, reading(current().terms.at)).catch((error) => {
      fill(this.whyPart, h("section", { class: "entity-part" }, h("h3", {}, "Why"), failure(error)));
    });
    if (!found) return;
    const { steps, reason } = found;
    fill(this.whyPart, h("section", { class: "entity-part" }, h("h3", {}, "Why"), h("p", {}, reason),
      h("ol", { class: "path" }, path(steps))));
    const end = await endOf(this.space, steps);
    if (end) this.whyPart.firstElementChild?.append(h("p", {}, "Erased ", ...ended(end)));
  }
}

/**
 * Gives the focus to the row of an or to the rows.
 * @param {string} id
 */
function focusRow(id) {
  const main = document.getElementById("main");
  const row = /** @type {HTMLElement | null | undefined} */ (main?.querySelector(`.row[data-id="${CSS.escape(id)}"]`));
  const place = /** @type {HTMLElement | null | undefined} */ (row?.querySelector('[role="gridcell"]') ?? row ?? main?.querySelector('.row [tabindex="0"], .row[tabindex="0"]'));
  (place ?? main)?.focus({ preventScroll: true });
}

/** So many steps of a long way are shown at its beginning, and at its end. */
const [firstSteps, lastSteps] = [12, 4];

/** @param {import("./owners.js").Step[]} steps */
function path(steps) {
  const item = (/** @type {import("./owners.js").Step} */ step) =>
    h("li", {}, named(step.id), h("span", { class: `state state-${step.status}` }, step.status));
  const left = steps.length - firstSteps - lastSteps;
  if (left <= 1) return steps.map(item);
  return [...steps.slice(0, firstSteps).map(item), h("li", { class: "faint" }, `${count(left)} more`), ...steps.slice(-lastSteps).map(item)];
}

/**
 * How that ended on which the last step of a way depends.
 * @param {import("./api.js").Space} space
 * @param {import("./owners.js").Step[]} steps
 */
async function endOf(space, steps) {
  if (!steps.some((step) => step.status !== "live")) return null;
  const lives = await space.run({ op: "history", id: steps[steps.length - 1].id, limit: 100 }).catch(() => []);
  return lives.find((/** @type {any} */ one) => one.change === "erased");
}

/** @param {any} end @returns {any[]} */
const ended = (end) => [time(end.time), ` by ${byWhom(end)} in commit `, commit(end.commit), end.message ? `: ${end.message}` : ""];

/** @param {any} result */
const list = (result) => (result instanceof Error || !Array.isArray(result) ? [] : result);
