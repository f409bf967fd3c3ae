// Draws the Gantt chart on a canvas. Shared lanes stay on top; the lanes of the groups scroll below them.

const AXIS = 24;
const SHARED = 26;
const GAP = 10;
const MIN_GUTTER = 58; // pixels for the names of groups
const MIN_SLICE_WIDTH = 2; // pixels; narrower slices are merged

/// Returns the distance of about `count` ticks: 1, 2 or 5 times a power of ten.
function tickStep(span, count) {
  const rough = span / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * [1, 2, 5, 10].find((factor) => factor * power >= rough);
}

function formatDate(seconds, step) {
  const decimals = Math.max(0, Math.min(12, -Math.floor(Math.log10(step) + 1e-9)));
  return seconds.toFixed(decimals);
}

/// The drawing of a run's lanes between the dates `from` and `to` in an element with a canvas.
class GanttView {
  constructor(box) {
    this.box = box;
    this.canvas = box.querySelector("canvas");
    this.spacer = box.querySelector("div");
    this.strip = document.createElement("canvas");
    this.memory = false; // whether memory use is drawn below the lanes of each group
    this.pointed = null; // {lane, at}: the slice at index `at` of a lane, drawn with a frame
    for (const query of ["(prefers-color-scheme: dark)", "print"]) {
      matchMedia(query).addEventListener("change", () => this.scheduleDraw());
    }
  }

  // --- layout ------------------------------------------------------------------------------------

  layout() {
    if (!this.run || this.box.clientWidth === 0) return;
    const count = this.lanes.rows.length;
    const highest = this.memory ? 66 : 44;
    this.rowHeight = Math.max(this.memory ? 16 : 11, Math.min(highest, Math.floor((this.memory ? 720 : 480) / count)));
    const height = this.sharedEnd + GAP + count * this.rowHeight + 4;
    const style = getComputedStyle(this.box);
    const most = style.maxHeight === "none" ? Infinity : parseFloat(style.maxHeight) - 2;
    this.width = this.box.clientWidth;
    this.gutter = this.gutterOf(this.lanes);
    this.height = Math.min(height, most);
    const ratio = window.devicePixelRatio || 1;
    for (const side of ["width", "height"]) { // setting one clears the canvas
      const pixels = Math.round(this[side] * ratio);
      if (this.canvas[side] !== pixels) this.canvas[side] = pixels;
    }
    this.canvas.style.height = `${this.height}px`;
    this.spacer.style.height = `${height - this.height}px`;
    this.ratio = ratio;
    this.move(this.from, this.to);
  }

  /// Returns the width of the margin for names: that of the longest one, at most a third of the chart.
  gutterOf({ shared, rows }) {
    const context = this.canvas.getContext("2d");
    context.font = `12px ${getComputedStyle(this.box).fontFamily}`;
    const names = [...shared.map(({ group }) => group.name), ...rows.map(({ name }) => name)];
    const longest = Math.max(...names.map((name) => context.measureText(name).width));
    return Math.min(Math.max(MIN_GUTTER, Math.ceil(longest) + 16), this.width / 3);
  }
  get chartWidth() {
    return this.width - this.gutter - 8;
  }
  x(date) {
    return this.gutter + ((date - this.from) / (this.to - this.from)) * this.chartWidth;
  }
  date(x) {
    return this.from + ((x - this.gutter) / this.chartWidth) * (this.to - this.from);
  }
  get sharedEnd() {
    return AXIS + SHARED * this.lanes.shared.length;
  }
  rowTop(row) {
    return this.sharedEnd + GAP + row * this.rowHeight - this.box.scrollTop;
  }
  /// Returns top and bottom of a lane. The lanes of a row share its height, except for a gap.
  placeOf({ row, number, of }) {
    if (row < 0) return [AXIS + number * SHARED, AXIS + (number + 1) * SHARED - 2];
    const height = this.rowHeight - (this.rowHeight > 24 ? 6 : this.rowHeight > 14 ? 3 : 2);
    const parts = of + (this.memory && this.lanes.rows[row].steps ? 1 : 0);
    return [number, number + 1].map((n) => this.rowTop(row) + Math.round((n * height) / parts));
  }

  // --- drawing -----------------------------------------------------------------------------------

  /// Draws in the next frame of the browser.
  scheduleDraw() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = undefined;
      if (this.run) this.draw();
    });
  }

  draw() {
    const context = (this.context = this.canvas.getContext("2d"));
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(name).trim();
    this.colours = ROLES.map((role) => colour(`--${role}`));
    this.channels = this.colours.map((hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)));
    this.ink = colour("--ink");
    this.soft = colour("--soft");
    this.shade = colour("--lane");
    this.held = colour("--held");
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.fillStyle = colour("--page");
    context.fillRect(0, 0, this.width, this.height);
    context.font = `11px ${getComputedStyle(this.box).fontFamily}`;
    context.textBaseline = "middle";
    this.drawRows();
    context.fillStyle = colour("--page"); // hides rows that have scrolled below the axis and shared lanes
    context.fillRect(0, 0, this.width, this.sharedEnd + GAP / 2);
    this.drawAxis(colour("--line"));
    for (const lane of this.lanes.shared) {
      this.drawLane(lane);
      this.label(lane.group.name, this.placeOf(lane)[0] + SHARED / 2, 12);
    }
    this.drawBound(colour("--bound"));
    if (this.pointed) this.drawPointed();
  }

  drawRows() {
    const every = Math.ceil(12 / this.rowHeight);
    for (const [row, group] of this.lanes.rows.entries()) {
      const { name, lanes } = group;
      const top = this.rowTop(row);
      if (top + this.rowHeight < this.sharedEnd || top > this.height) continue;
      for (const lane of lanes) this.drawLane(lane);
      if (this.memory && group.steps) this.drawMemory(group.steps, ...this.placeOf({ row, number: lanes.length, of: lanes.length }));
      if (row % every !== 0) continue;
      this.label(name, (top + this.placeOf(lanes.at(-1))[1]) / 2, Math.min(12, this.rowHeight - 1));
    }
  }

  label(text, y, size) {
    this.context.fillStyle = this.ink;
    this.context.textAlign = "right";
    this.context.font = this.context.font.replace(/^[\d.]+px/, `${size}px`);
    this.context.fillText(text, this.gutter - 8, y);
  }

  drawAxis(line) {
    const context = this.context;
    const step = tickStep(this.to - this.from, Math.max(2, this.chartWidth / 110));
    context.font = context.font.replace(/^[\d.]+px/, "11px");
    context.textAlign = "center";
    for (let tick = Math.ceil(this.from / step); tick * step <= this.to; ++tick) {
      const x = this.x(tick * step);
      context.fillStyle = line;
      context.fillRect(x, AXIS - 5, 1, 5);
      context.fillStyle = this.soft;
      const text = formatDate(tick * step, step) + " s";
      const half = context.measureText(text).width / 2;
      context.fillText(text, Math.min(Math.max(x, this.gutter + half - 6), this.width - half - 2), AXIS / 2 - 1);
    }
  }

  drawBound(colour) {
    const { bound } = this.run;
    if (!(bound >= this.from && bound <= this.to)) return;
    const context = this.context;
    const x = this.x(bound);
    context.strokeStyle = colour;
    context.lineWidth = 1.5;
    context.setLineDash([6, 4]);
    context.beginPath();
    context.moveTo(x, AXIS - 6);
    context.lineTo(x, this.height);
    context.stroke();
    context.setLineDash([]);
  }

  drawLane(lane) {
    const { start, end, role } = lane;
    const [top, bottom] = this.placeOf(lane);
    const height = bottom - top;
    const context = this.context;
    context.fillStyle = this.shade;
    context.fillRect(this.gutter, top, this.chartWidth, height);
    const width = Math.ceil(this.chartWidth * this.ratio);
    const scale = (this.chartWidth * this.ratio) / (this.to - this.from);
    const narrow = MIN_SLICE_WIDTH * this.ratio;
    const size = ROLES.length * width;
    if (this.cover?.length !== size) this.cover = new Float32Array(size);
    const cover = this.cover; // by pixel and role, the share of the pixel; all 0 between the drawings of two lanes
    let covered = false;
    const add = (pixel, role, share) => {
      if (pixel >= 0 && pixel < width && share > 0) cover[ROLES.length * pixel + role] += share;
    };
    for (let i = firstEndingAfter(end, this.from); i < end.length && start[i] < this.to; ++i) {
      const x0 = (start[i] - this.from) * scale;
      const x1 = (end[i] - this.from) * scale;
      if (x1 - x0 >= narrow) {
        this.drawSlice(x0 / this.ratio, x1 / this.ratio, top, height, role[i]);
        continue;
      }
      covered = true;
      for (let pixel = Math.floor(x0); pixel <= x1; ++pixel) {
        add(pixel, role[i], Math.min(x1, pixel + 1) - Math.max(x0, pixel));
      }
    }
    if (!covered) return;
    this.drawCover(cover, width, top, height);
    cover.fill(0);
  }

  /// Draws the occupied share of a memory as a height: for each column of pixels its mean over time.
  drawMemory({ date, share }, top, bottom) {
    const context = this.context;
    context.fillStyle = this.shade;
    context.fillRect(this.gutter, top, this.chartWidth, bottom - top);
    const width = Math.ceil(this.chartWidth);
    const scale = this.chartWidth / (this.to - this.from);
    const mean = new Float32Array(width);
    for (let i = firstEndingAfter(date, this.from) - 1; i < date.length; ++i) {
      if (i < 0) continue;
      const x0 = Math.max((date[i] - this.from) * scale, 0);
      const x1 = i + 1 < date.length ? Math.min((date[i + 1] - this.from) * scale, width) : width;
      if (x0 >= width) break;
      for (let pixel = Math.floor(x0); pixel < x1; ++pixel) {
        mean[pixel] += share[i] * (Math.min(x1, pixel + 1) - Math.max(x0, pixel));
      }
    }
    context.fillStyle = this.held;
    for (let pixel = 0; pixel < width; ++pixel) {
      const height = mean[pixel] * (bottom - top);
      if (height > 0) context.fillRect(this.gutter + pixel, bottom - height, 1, height);
    }
  }

  drawSlice(x0, x1, top, height, role) {
    const left = Math.max(x0, 0);
    const right = Math.min(x1, this.chartWidth);
    const seam = x1 - x0 > 6 && x1 <= this.chartWidth ? 0.8 : 0; // a gap between slices of the same colour
    this.context.fillStyle = this.colours[role];
    this.context.fillRect(this.gutter + left, top, right - left - seam, height);
  }

  /// Draws merged slices: one row of pixels with mixed colours, stretched over the height of the lane.
  drawCover(cover, width, top, height) {
    if (this.strip.width !== width) [this.strip.width, this.strip.height] = [width, 1];
    const context = this.strip.getContext("2d");
    const image = context.createImageData(width, 1);
    for (let pixel = 0; pixel < width; ++pixel) {
      let total = 0;
      const mixed = [0, 0, 0];
      for (let role = 0; role < ROLES.length; ++role) {
        const share = cover[ROLES.length * pixel + role];
        if (share === 0) continue;
        total += share;
        for (let c = 0; c < 3; ++c) mixed[c] += share * this.channels[role][c];
      }
      if (total === 0) continue;
      for (let c = 0; c < 3; ++c) image.data[4 * pixel + c] = mixed[c] / total;
      image.data[4 * pixel + 3] = 255 * Math.min(1, total);
    }
    context.putImageData(image, 0, 0);
    this.context.imageSmoothingEnabled = false;
    this.context.drawImage(this.strip, this.gutter, top, width / this.ratio, height);
  }

  drawPointed() {
    const { lane, at } = this.pointed;
    const [top, bottom] = this.placeOf(lane);
    if (bottom < AXIS) return;
    const left = Math.max(this.x(lane.start[at]), this.gutter);
    const right = Math.min(this.x(lane.end[at]), this.gutter + this.chartWidth);
    if (right < left) return;
    this.context.strokeStyle = this.ink;
    this.context.lineWidth = 1.5;
    this.context.strokeRect(left, top, Math.max(right - left, 1), bottom - top);
  }
}
