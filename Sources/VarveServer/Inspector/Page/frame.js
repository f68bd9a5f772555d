/** What surrounds every view: the header, the time bar, and the view of the address. */
import { fill, h, link, button } from "./dom.js";
import { sound } from "./api.js";
import { address, current, go } from "./address.js";
import { note } from "./dialog.js";
import { clipped } from "./format.js";
import { isMoment } from "./moments.js";
import { forget, hasToken } from "./session.js";
import { switchAppearance } from "./appearance.js";
import { Live } from "./live.js";
import { TimeBar } from "./timebar.js";
import { settled } from "./latest.js";
import { startNames } from "./names.js";
import { TableView } from "./table-view.js";
import { DiffView } from "./diff-view.js";
import { LogView } from "./log-view.js";
import { CommitView } from "./commit-view.js";
import { OwnersView } from "./owners-view.js";
import { InboxView } from "./inbox-view.js";
import { CopiesView } from "./copies-view.js";
import { openPalette } from "./palette.js";
import { openHelp } from "./keys.js";

/**
 * @typedef {object} View
 * @property {() => void} show called when the address has changed
 * @property {() => void} refresh called when something was written
 * @property {() => void} [end]
 * @property {() => void} [focusFilter]
 * @property {(id: string) => void} [reveal] called when an entity was chosen, which takes the focus
 */

/** @type {[string, string, any][]} */
export const views = [
  ["table", "Table", TableView],
  ["changes", "Changes", DiffView],
  ["commits", "Commits", LogView],
  ["owners", "Ownership", OwnersView],
  ["inbox", "Inbox", InboxView],
  ["copies", "Copies", CopiesView],
];
const classes = Object.fromEntries([...views.map(([name, , view]) => [name, view]), ["commit", CommitView]]);

export class Frame {
  /** @param {import("./api.js").Space[]} spaces */
  constructor(spaces) {
    this.spaces = spaces;
    this.main = /** @type {HTMLElement} */ (document.getElementById("main"));
    this.header = /** @type {HTMLElement} */ (document.getElementById("header"));
    /** How much is to be decided; an exclamation mark if that cannot be read. */
    this.inboxCount = "0";
    /** @type {string | null} the view that is there */
    this.shown = null;
    this.status = h("span", { class: "live", role: "status" });
  }

  /** @param {import("./api.js").Space} space */
  async open(space) {
    this.space = space;
    startNames(space);
    document.title = `${space.name} · Varve`;
    this.bar = new TimeBar(/** @type {HTMLElement} */ (document.getElementById("time")), space);
    this.bar.load(null);
    this.show();
    this.countInbox();
    const refresh = settled(() => this.refresh(), 150);
    this.live = new Live(space, {
      changed: refresh,
      state: (text, isLive) => {
        this.status.textContent = text;
        this.status.classList.toggle("is-live", isLive);
        if (!this.bar || this.bar.isOffline === !isLive) return;
        this.bar.isOffline = !isLive;
        this.bar.show();
      },
    });
    this.live.start();
  }

  /** Shows the view of the address. */
  show() {
    if (this.refuseMoments() || this.refuseView()) return;
    const { view: known } = current();
    if (this.shown !== known) {
      this.view?.end?.();
      this.shown = known;
      this.main.className = `view-${known}`;
      this.main.replaceChildren();
      /** @type {View} */
      this.view = new classes[known](this.main, this.space, this);
    }
    this.showHeader();
    this.view?.show();
  }

  /** Removes what names no moment from the address, and says so. */
  refuseMoments() {
    const { terms } = current();
    const wrong = ["at", "pin", "from", "to"].filter((name) => terms[name] && !(name === "pin" && terms.pin === "now") && !isMoment(terms[name]));
    if (wrong.length === 0) return false;
    note(`“${clipped(terms[wrong[0]], 60)}” is no date and no commit`, "failure");
    go({ terms: Object.fromEntries(wrong.map((name) => [name, null])) }, { replaces: true });
    return true;
  }

  /** Shows the table in place of a view that does not exist, and says so. */
  refuseView() {
    const { view } = current();
    if (Object.hasOwn(classes, view)) return false;
    note(`There is no view “${clipped(view, 60)}”. This is the table.`);
    go({ view: "table" }, { replaces: true });
    return true;
  }

  /** Reads again what is shown, after something was written. */
  refresh() {
    this.bar?.load(null);
    this.view?.refresh();
    this.countInbox();
    // An open dialog previews what is there now.
    dispatchEvent(new Event("written"));
  }

  async countInbox() {
    if (!this.space) return;
    const matters = await this.space.runAll([{ op: "conflicts" }, { op: "issues" }]).then(sound).catch(() => null);
    this.inboxCount = matters ? String(matters[0].length + matters[1].length) : "!";
    this.showHeader();
  }

  showHeader() {
    const focused = this.header.contains(document.activeElement) ? document.activeElement?.getAttribute("data-name") : null;
    const { view } = current();
    const space = this.space;
    fill(this.header,
      h("div", { class: "brand" }, h("img", { src: "/inspector/icon.svg", alt: "", width: 20, height: 20 }),
        this.spaces.length > 1
          ? h("label", {}, h("span", { class: "visually-hidden" }, "Space"),
              h("select", { class: "space", "data-name": "space", onchange: (/** @type {any} */ event) => { location.hash = `#/${encodeURIComponent(event.target.value)}/table`; } },
                this.spaces.map((one) => h("option", { value: one.name, selected: one === space }, one.name))))
          : h("h1", {}, space?.name ?? "")),
      h("nav", { "aria-label": "Views" }, views.map(([name, text]) => {
        const isHere = view === name || (name === "commits" && view === "commit");
        return link(address({ view: name, terms: { entity: null } }),
          [text, name === "inbox" && this.inboxCount !== "0" && h("span", { class: "badge" }, this.inboxCount)],
          { "aria-current": isHere ? "page" : null, "data-name": name });
      })),
      h("div", { class: "tools" }, this.status,
        !space?.canWrite && h("span", { class: "reading", title: "This page can change nothing. `varve inspect --write` permits it." }, "read-only"),
        button(["Go to ", h("kbd", {}, "Ctrl K")], () => openPalette(this), { class: "button go-to", "data-name": "palette" }),
        button("◐", () => switchAppearance(), { class: "button bare", "aria-label": "Dark or light", title: "Dark or light", "data-name": "appearance" }),
        hasToken() && button("Sign out", () => { forget(); location.reload(); }, { "data-name": "signout", title: "Forgets the token of this tab" }),
        button("?", () => openHelp(), { class: "button bare", "aria-label": "Keys and help", title: "Keys and help", "data-name": "help" })));
    if (focused) /** @type {any} */ (this.header.querySelector(`[data-name="${focused}"]`))?.focus();
  }
}
