/** Keeps only those rows of a long table in the page that can be seen. */

const overscan = 12;

export class VirtualRows {
  /**
   * @param {HTMLElement} viewport what scrolls
   * @param {HTMLElement} body where the rows are
   * @param {(start: number, count: number) => void} wanted called when other rows come into sight
   */
  constructor(viewport, body, wanted) {
    this.viewport = viewport;
    this.body = body;
    this.wanted = wanted;
    this.total = 0;
    this.height = parseFloat(getComputedStyle(document.documentElement).getPropertyValue("--row")) || 30;
    this.start = 0;
    this.count = 0;
    let isDue = false;
    viewport.addEventListener("scroll", () => {
      if (isDue) return;
      isDue = true;
      requestAnimationFrame(() => {
        isDue = false;
        this.look();
      });
    }, { passive: true });
    this.observer = new ResizeObserver(() => this.look());
    this.observer.observe(viewport);
  }

  end() {
    this.observer.disconnect();
  }

  /**
   * The rows that can be seen now, with some around them.
   * @param {number} around
   */
  range(around = overscan) {
    const first = Math.floor(this.viewport.scrollTop / this.height);
    const visible = Math.ceil((this.viewport.clientHeight || 400) / this.height);
    const start = Math.max(0, first - around);
    return { start, count: Math.min(visible + first - start + around, Math.max(0, this.total - start)) };
  }

  /** @param {number} total */
  setTotal(total) {
    this.total = total;
    this.body.style.height = `${total * this.height}px`;
  }

  look() {
    const { start, count } = this.range();
    if (start === this.start && count === this.count) return;
    this.start = start;
    this.count = count;
    this.wanted(start, count);
  }

  /** @param {number} index */
  reveal(index) {
    const top = index * this.height;
    const { scrollTop, clientHeight } = this.viewport;
    const head = this.height * 2 + 8;
    if (top < scrollTop) this.viewport.scrollTop = top;
    else if (top + this.height > scrollTop + clientHeight - head) this.viewport.scrollTop = top + this.height - clientHeight + head;
  }
}
