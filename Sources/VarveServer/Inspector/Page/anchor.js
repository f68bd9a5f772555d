/** Keeps an entity of a table in sight while the moment changes, when rows above it come and go. */
import { current } from "./address.js";
import { placeOf } from "./reveal.js";

export class Anchor {
  /** @param {import("./table-view.js").TableView} view */
  constructor(view) {
    this.view = view;
    /** @type {string | null} */
    this.id = null;
    /** Where its row begins, from the top of what is in sight. */
    this.top = 0;
    /** Whether a person chose it, by the focus or as the entity that is shown beside the table. */
    this.isChosen = false;
    this.hasFocus = false;
  }

  /** Forgets the entity, because another table is shown or a person scrolled. */
  forget() {
    this.id = null;
  }

  /** Chooses the entity that stays in sight: that of the focus, the one beside the table, or the first row. */
  take() {
    const { body, viewport } = this.view;
    const { all, first } = this.view.rows;
    const focused = document.activeElement?.closest(".grid-body .row");
    this.hasFocus = Boolean(focused && body.contains(focused));
    const chosen = this.hasFocus ? /** @type {HTMLElement} */ (focused).dataset.id : current().terms.entity;
    const inSight = all.filter((_, index) => this.isInSight(first + index));
    const row = inSight.find((one) => one.id === chosen) ?? (this.isWaiting(chosen) ? null : viewport.scrollTop > 0 ? inSight[0] : undefined);
    // Where the entity does not exist for a while, it is kept in mind.
    if (row === null) return;
    this.id = row?.id ?? null;
    this.isChosen = row?.id === chosen;
    if (row) this.top = (first + all.indexOf(row)) * this.view.virtual.height - viewport.scrollTop;
  }

  /** @param {string | undefined} chosen */
  isWaiting(chosen) {
    return this.isChosen && this.id !== null && (this.id === chosen || !chosen) && !this.view.rows.all.some((row) => row.id === this.id);
  }

  /** @param {number} place */
  isInSight(place) {
    const { viewport, virtual } = this.view;
    const top = place * virtual.height - viewport.scrollTop;
    return top > -virtual.height && top < viewport.clientHeight;
  }

  /**
   * Scrolls so that the entity stands where it stood.
   * @returns {Promise<boolean>} whether other rows are in sight now than those that were read
   */
  async restore() {
    const { view } = this;
    if (!this.id) return false;
    const place = await this.place();
    if (place < 0) return false;
    const { rows, virtual, viewport } = view;
    if (place >= rows.total) {
      rows.total = place + 1;
      virtual.setTotal(rows.total);
    }
    viewport.scrollTop = Math.max(0, place * virtual.height - this.top);
    if (this.hasFocus) view.focus.place = { ...view.focus.place, row: place };
    const { start, count } = virtual.range(0);
    return start < rows.first || start + count > rows.first + Math.max(rows.all.length, 1) && rows.first + rows.all.length < rows.total;
  }

  /** @returns {Promise<number>} −1 if it is not known, or the entity does not exist */
  async place() {
    const { rows, space, order } = this.view;
    const near = rows.all.findIndex((row) => row.id === this.id);
    if (near >= 0) return rows.first + near;
    return this.isChosen ? placeOf(space, rows, order, this.id ?? "").catch(() => -1) : -1;
  }
}
