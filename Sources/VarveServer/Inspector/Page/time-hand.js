/** What a person does to the time bar: keys on the handle, drags across the track. */

/** So many pixels are a drag, and fewer a press. */
const least = 6;

export class TimeHand {
  /** @param {import("./timebar.js").TimeBar} bar */
  constructor(bar) {
    this.bar = bar;
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const { bar } = this;
    const { stepping } = bar;
    /** @type {Record<string, () => void>} */
    const keys = {
      ArrowLeft: () => stepping.step(-1), ArrowDown: () => stepping.step(-1),
      ArrowRight: () => stepping.step(1), ArrowUp: () => stepping.step(1),
      PageDown: () => stepping.step(-10), PageUp: () => stepping.step(10),
      Home: () => stepping.goToFirst(), End: () => stepping.goTo(null),
      "+": () => bar.zoom(0.5), "=": () => bar.zoom(0.5), "-": () => bar.zoom(2), 0: () => bar.zoomTo(null),
    };
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const action = keys[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  /** @param {PointerEvent} event */
  press(event) {
    const { bar } = this;
    const { geometry, track } = bar;
    if (event.button !== 0 || !bar.histogram || !geometry) return;
    const first = this.place(event);
    const zooms = event.shiftKey || first.y > geometry.axis;
    track.setPointerCapture(event.pointerId);
    if (!zooms) {
      bar.handle.focus({ preventScroll: true });
      this.drag(first.x);
    }
    const move = (/** @type {PointerEvent} */ next) => (zooms ? this.mark(first.x, this.place(next).x) : this.drag(this.place(next).x));
    const end = (/** @type {PointerEvent} */ last) => {
      track.removeEventListener("pointermove", move);
      track.removeEventListener("pointerup", end);
      track.removeEventListener("pointercancel", end);
      bar.brush.hidden = true;
      const x = this.place(last).x;
      if (last.type === "pointerup" && zooms && Math.abs(x - first.x) > least) {
        const [low, high] = [Math.min(x, first.x), Math.max(x, first.x)].map((one) => geometry.time(one));
        bar.zoomTo([low, high]);
      }
    };
    track.addEventListener("pointermove", move);
    track.addEventListener("pointerup", end);
    track.addEventListener("pointercancel", end);
    event.preventDefault();
  }

  /** @param {PointerEvent} event */
  place(event) {
    const box = this.bar.track.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  /**
   * Goes to the stop of a place of the bar.
   * @param {number} x
   */
  drag(x) {
    const { bar } = this;
    const { geometry } = bar;
    if (!geometry || !bar.isRead) return;
    if (x > geometry.right + 8) bar.stepping.goTo(null);
    else bar.stepping.goTowards(geometry.time(x), geometry.time(x + least) - geometry.time(x));
  }

  /** @param {number} one @param {number} other */
  mark(one, other) {
    const { brush } = this.bar;
    brush.hidden = false;
    brush.style.left = `${Math.min(one, other)}px`;
    brush.style.width = `${Math.abs(other - one)}px`;
  }
}
