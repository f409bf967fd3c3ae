// The interactive Gantt chart: zooming, moving, pointing at slices.

class GanttChart extends GanttView {
  /// Calls changed(from, to) when the visible range of dates changes, and hovered({lane, at} or null, x, y) when another
  /// slice is under the pointer.
  constructor(box, { changed, hovered }) {
    super(box);
    this.changed = changed;
    this.hovered = hovered;
    this.listen();
    new ResizeObserver(() => this.layout()).observe(box);
  }

  show(run) {
    this.run = run;
    this.lanes = lanesOf(run);
    this.whole = [0, run.makespan * 1.01];
    [this.from, this.to] = this.whole;
    this.box.scrollTop = 0;
    this.point(null);
    this.layout();
  }

  // --- moving ------------------------------------------------------------------------------------

  move(from, to) {
    const [first, last] = this.whole;
    const least = (last - first) * 1e-9;
    const span = Math.min(last - first, Math.max(to - from, least));
    this.from = Math.min(Math.max(from, first), last - span);
    this.to = this.from + span;
    this.changed(this.from, this.to);
    this.scheduleDraw();
  }
  zoom(factor, at = (this.from + this.to) / 2) {
    this.move(at - (at - this.from) * factor, at + (this.to - at) * factor);
  }
  pan(share) {
    const by = (this.to - this.from) * share;
    const clipped = Math.min(Math.max(by, this.whole[0] - this.from), this.whole[1] - this.to);
    this.move(this.from + clipped, this.to + clipped);
  }
  reset() {
    this.move(...this.whole);
  }

  // --- pointing ----------------------------------------------------------------------------------

  /// Returns the lane at a height; shared lanes hide rows that have scrolled below them.
  laneAt(y) {
    const lanes = y < this.sharedEnd + GAP / 2 ? this.lanes.shared : this.lanes.all;
    return lanes.find((lane) => {
      const [top, bottom] = this.placeOf(lane);
      return y >= top && y < bottom;
    });
  }

  /// Returns the slice under a point, or within three pixels of it, as {lane, at}; else null.
  sliceAt(x, y) {
    const lane = this.laneAt(y);
    if (!lane || x < this.gutter || x > this.gutter + this.chartWidth) return null;
    const date = this.date(x);
    const reach = (3 / this.chartWidth) * (this.to - this.from);
    const { start, end } = lane;
    const next = firstEndingAfter(end, date);
    const distance = (i) => (i < 0 || i >= end.length ? Infinity : Math.max(start[i] - date, date - end[i], 0));
    const at = distance(next) <= distance(next - 1) ? next : next - 1;
    return distance(at) <= reach ? { lane, at } : null;
  }

  point(slice, x, y) {
    this.pointed = slice;
    this.hovered(slice, x, y);
    this.scheduleDraw();
  }

  /// Moves to the next (by = 1) or previous (-1) slice of the current lane, else of the first lane, and shows it.
  step(by) {
    const lane = this.pointed ? this.pointed.lane : this.lanes.all[0];
    const { start, end } = lane;
    const current = this.pointed ? this.pointed.at : firstEndingAfter(end, this.from) - (by > 0 ? 1 : 0);
    const at = Math.min(Math.max(current + by, 0), end.length - 1);
    if (start[at] < this.from || end[at] > this.to) {
      const half = Math.max(this.to - this.from, 2 * (end[at] - start[at])) / 2;
      const middle = (start[at] + end[at]) / 2;
      this.move(middle - half, middle + half);
    }
    this.point({ lane, at }, this.x((start[at] + end[at]) / 2), this.placeOf(lane)[1]);
  }

  listen() {
    const where = (event) => {
      const box = this.canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    this.box.addEventListener("wheel", (event) => this.wheel(event, ...where(event)), { passive: false });
    this.box.addEventListener("scroll", () => this.scheduleDraw());
    this.box.addEventListener("keydown", (event) => this.key(event));
    this.canvas.addEventListener("pointerdown", (event) => this.press(event));
    this.canvas.addEventListener("pointermove", (event) => {
      if (this.drag) this.dragTo(event);
      else this.point(this.sliceAt(...where(event)), ...where(event));
    });
    this.canvas.addEventListener("pointerleave", () => !this.drag && this.point(null));
    for (const end of ["pointerup", "pointercancel"]) {
      this.canvas.addEventListener(end, () => {
        this.drag = null;
        this.box.classList.remove("dragged");
      });
    }
  }

  wheel(event, x, y) {
    const unit = [1, 16, 400][event.deltaMode];
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      this.pan((event.deltaX * unit) / this.chartWidth);
    } else if (event.shiftKey) {
      event.preventDefault();
      this.box.scrollTop += event.deltaY * unit;
    } else if (event.deltaY < 0 || this.to - this.from < (this.whole[1] - this.whole[0]) * 0.999) {
      event.preventDefault();
      this.zoom(Math.exp(event.deltaY * unit * 0.002), this.date(Math.max(x, this.gutter)));
    } // at the whole run, scrolling down scrolls the page
    this.point(this.sliceAt(x, y), x, y);
  }

  press(event) {
    if (event.button !== 0) return;
    this.canvas.setPointerCapture(event.pointerId);
    this.drag = { x: event.clientX, y: event.clientY, from: this.from, scroll: this.box.scrollTop };
    this.box.classList.add("dragged");
    this.point(null);
  }
  dragTo(event) {
    const span = this.to - this.from;
    const from = this.drag.from - ((event.clientX - this.drag.x) / this.chartWidth) * span;
    this.move(from, from + span);
    this.box.scrollTop = this.drag.scroll - (event.clientY - this.drag.y);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const actions = {
      "+": () => this.zoom(0.7),
      "=": () => this.zoom(0.7),
      "-": () => this.zoom(1 / 0.7),
      ArrowLeft: () => this.pan(-0.15),
      ArrowRight: () => this.pan(0.15),
      ArrowUp: () => (this.box.scrollTop -= 60),
      ArrowDown: () => (this.box.scrollTop += 60),
      Home: () => this.move(this.whole[0], this.whole[0] + this.to - this.from),
      End: () => this.move(this.whole[1] - (this.to - this.from), this.whole[1]),
      0: () => this.reset(),
      n: () => this.step(1),
      p: () => this.step(-1),
      Escape: () => this.point(null),
    };
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  }
}
