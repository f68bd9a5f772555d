/** Says that columns follow at the side of a table, and brings them into sight. */
import { button, h } from "./dom.js";
import { counted } from "./format.js";

export class MoreColumns {
  /** @param {HTMLElement} viewport what scrolls @param {HTMLElement} head the heads of the columns */
  constructor(viewport, head) {
    this.viewport = viewport;
    this.head = head;
    this.element = h("div", { class: "more-columns", hidden: true },
      button("", () => this.go(), { class: "button", "data-action": "more-columns" }));
    viewport.addEventListener("scroll", () => this.show(), { passive: true });
    this.observer = new ResizeObserver(() => this.show());
    this.observer.observe(viewport);
  }

  end() {
    this.observer.disconnect();
  }

  /** @returns {HTMLElement[]} the heads that stand behind the right edge */
  get hiddenHeads() {
    const edge = this.viewport.getBoundingClientRect().right;
    return [.../** @type {NodeListOf<HTMLElement>} */ (this.head.querySelectorAll('[role="columnheader"]'))]
      .filter((cell) => cell.getBoundingClientRect().right > edge + 24);
  }

  show() {
    const { length } = this.hiddenHeads;
    this.element.hidden = length === 0;
    if (length > 0) this.element.firstElementChild?.replaceChildren(`${counted(length, "more column")} ›`);
  }

  go() {
    this.viewport.scrollBy({ left: this.viewport.clientWidth * 0.7 });
  }
}
