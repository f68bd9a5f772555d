/** One entity beside the view: its values and their history, its owners, why it lives. */
import { button, fill, h } from "./dom.js";
import { current, go } from "./address.js";
import { clipped, commit, count, entity, isNumeric, same, text, time } from "./format.js";
import { whole } from "./long-text.js";
import { historyList } from "./history-list.js";
import { label, reading } from "./moments.js";
import { latest } from "./latest.js";
import { change, listed, openPreview } from "./preview.js";
import { wayUp } from "./owners.js";

export class EntityPanel {
  /** @param {HTMLElement} root @param {import("./api.js").Space} space @param {import("./frame.js").Frame} frame */
  constructor(root, space, frame) {
    this.root = root;
    this.space = space;
    this.frame = frame;
    /** @type {string | null | undefined} what is shown */
    this.shape = null;
    this.load = latest(async () => this.read());
  }

  show() {
    const { terms } = current();
    const shape = [terms.entity, terms.key, terms.at, terms.pin].join("\n");
    if (shape === this.shape) return;
    this.shape = shape;
    this.root.hidden = !terms.entity;
    if (terms.entity) this.load(null);
    else this.root.replaceChildren();
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
    this.facts = {
      id, state: status instanceof Error ? "unknown" : status.status, values: kept instanceof Error ? null : kept[0],
      type: found instanceof Error ? null : found[0]?.type,
      owns: list(owns), owners: list(owners), free: list(free), lives: list(lives),
      then: pin && !(then instanceof Error) ? then[0] ?? {} : null, key, history: key ? list(history) : [],
    };
    this.draw();
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
        h("h2", {}, facts.id),
        h("div", { class: "actions" },
          button("Why?", () => this.why(), { title: "Why it lives, or is dead", "data-action": "why" }),
          button("In the tree", () => go({ view: "owners", terms: { root: facts.owners[0] ?? facts.id, entity: facts.id } })),
          facts.state === "live" && button(canWrite ? "Erase…" : "What would erasing do?", () => this.erase(), { "data-action": "erase" }),
          canWrite && ["erased", "dead"].includes(facts.state) && button("Restore…", () => this.restore(), { class: "button primary", "data-action": "restore-entity" }))),
      this.whyPart = h("div", { "aria-live": "polite" }),
      facts.values && h("section", { class: "entity-part" }, h("h3", {}, "Values", h("span", {}, "· press one for its history")), this.values()),
      this.relations(),
      h("section", { class: "entity-part" }, h("h3", {}, "Life"), historyList(facts.lives.filter((one) => one.key === null)),
        facts.state !== "live" && this.formerKeys()));
    if (focused) /** @type {any} */ (this.root.querySelector(`[data-key="${CSS.escape(focused)}"] > button`))?.focus();
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
            isChanged && [h("del", {}, clipped(text(then[name])) || "none"), " "], values[name] === undefined ? h("span", { class: "nothing" }, "none") : clipped(text(values[name]), 140)),
          h("span", { class: "times" }, text(values[name]).length > 140 ? `${count(text(values[name]).length)} characters ` : "", times > 1 ? `${times}×` : "")],
        () => go({ terms: { key: isOpen ? null : name } }, { replaces: true }), { class: "", "aria-expanded": String(isOpen) }),
        isOpen && history.length === 0 && values[name] !== undefined && h("p", { class: "versions" }, whole(values[name])),
        isOpen && history.length > 0 && historyList(history, { current: values[name], restore: this.space.canWrite ? (version) => this.restoreValue(name, version) : undefined }),
        isOpen && values[name]?.entity && h("p", { class: "versions" }, "Now refers to ", entity(values[name].entity)));
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
      h("div", { class: "chips" }, ids.slice(0, 60).map((id) => entity(id)), ids.length > 60 && h("span", { class: "faint" }, `and ${ids.length - 60} more`)));
    return [part("Owned by", owners), part("Owns", owns), part("Related", free)];
  }

  async why() {
    const { id } = /** @type {any} */ (this.facts);
    const { steps, reason } = await wayUp(this.space, id, reading(current().terms.at));
    fill(this.whyPart, h("section", { class: "entity-part" }, h("h3", {}, "Why"), h("p", {}, reason),
      h("ol", { class: "path" }, steps.map((step) => h("li", {}, entity(step.id), h("span", { class: `state state-${step.status}` }, step.status))))));
    if (!steps.some((step) => step.status !== "live")) return;
    const lives = await this.space.run({ op: "history", id: steps[steps.length - 1].id, limit: 100 }).catch(() => []);
    const end = lives.find((/** @type {any} */ one) => one.change === "erased");
    if (end) this.whyPart.firstElementChild?.append(h("p", {}, "Erased ", time(end.time), ` by ${end.author || "no author"} in commit `, commit(end.commit), end.message ? `: ${end.message}` : ""));
  }

  /** @param {string} key @param {any} version */
  restoreValue(key, version) {
    const { id, values } = /** @type {any} */ (this.facts);
    const operation = { op: "set", id, set: { [key]: version.value } };
    openPreview({
      title: `Restore ${key}`,
      lead: `A new value is written to ${id}; the history stays as it is.`,
      preview: () => this.space.run({ op: "transaction", operations: [operation], dryRun: true }),
      show: () => change(values && Object.hasOwn(values, key) ? values[key] : undefined, version.value),
      action: "Restore the value",
      run: (message) => this.space.run({ ...operation, message: message || `restore ${key}` }),
      done: `${key} of ${id} is ${clipped(text(version.value), 80)} again`,
      after: () => this.frame.refresh(),
    });
  }

  erase() {
    const { id } = /** @type {any} */ (this.facts);
    const canWrite = this.space.canWrite && !current().terms.at;
    openPreview({
      title: `Erase ${id}`,
      lead: canWrite ? "It stays in the past, and can be restored." : "This shows what erasing would do. Nothing is erased here.",
      preview: () => this.space.run({ op: "previewErasure", ids: [id], ...reading(current().terms.at) }),
      show: (preview) => h("div", {},
        listed("would die", preview.wouldErase.map((/** @type {any} */ one) => one.id)),
        listed("would lose an owner and live on", preview.wouldSurvive.map((/** @type {any} */ one) => one.id))),
      action: "Erase",
      isDangerous: true,
      run: (message) => canWrite ? this.space.run({ op: "erase", ids: [id], message: message || undefined }) : Promise.reject(new Error("this page is read-only, or shows the past")),
      done: `${id} is erased`,
      after: () => this.frame.refresh(),
    });
  }

  restore() {
    const { id, state } = /** @type {any} */ (this.facts);
    const mode = state === "dead" ? "withOwners" : "ifOwned";
    const operation = { op: "restore", id, mode };
    openPreview({
      title: `Restore ${id}`,
      lead: state === "dead" ? "It comes back with its owners, and with everything that died with them." : "It comes back with everything that died with it.",
      preview: () => this.space.run({ op: "transaction", operations: [operation], dryRun: true }),
      show: (results) => listed("come back", results[0]) ?? h("p", {}, "Nothing would change."),
      action: "Restore",
      run: (message) => this.space.run({ ...operation, message: message || undefined }),
      done: `${id} is back`,
      after: () => this.frame.refresh(),
    });
  }
}

/** @param {any} result */
const list = (result) => (result instanceof Error || !Array.isArray(result) ? [] : result);
