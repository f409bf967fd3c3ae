// Draws the figures of the report as SVG in the colours of the page, from the data that `starport plot` draws: values under
// the pointer, series hidden by a click in the key, zoom, logarithmic axes, rows of the table by a click, files.

const [WIDTH, HEIGHT] = [620, 360];

function svgNode(tag, attributes = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, text] of Object.entries(attributes)) node.setAttribute(name, text);
  node.append(...children);
  return node;
}

/// Parses CSV with a header (RFC 4180) to an array of objects.
function parseCsv(text) {
  const [header, ...rows] = [...text.matchAll(/((?:"(?:[^"]|"")*"|[^",\r\n]*)(?:,(?:"(?:[^"]|"")*"|[^",\r\n]*))*)\r?\n/g)].map(([, line]) =>
    [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain));
  return rows.map((row) => Object.fromEntries(header.map((name, index) => [name, row[index]])));
}

const colourNumber = ({ style }) => ((style - 1) % 16) + 1;
/// Returns the colour of a series, given by its number; that of a text for what is no heuristic.
const paint = (colour, forFile) => (colour === "currentColor" ? colour : forFile ? COLOURS[colour - 1] : seriesColour(colour));
const shortNumber = (value) => Number(value.toPrecision(6)).toLocaleString("en", { maximumSignificantDigits: 6 });
const groupBy = (rows, column) => [...Map.groupBy(rows, (row) => row[column])];
const quantile = (sorted, share) => {
  const [below, part] = [Math.floor(share * (sorted.length - 1)), (share * (sorted.length - 1)) % 1];
  return sorted[below] + part * ((sorted[below + 1] ?? sorted[below]) - sorted[below]);
};

/// By kind of figure, makes what is drawn: a list of {title, xlabel, ylabel, categories (names along x; absent: numbers),
/// series: [{name, colour, shape, points: [{x, y, low, high, left, right, q1, q3, others, about}]}]}.
const MODELS = {
  lines(rows, { xlabel, ylabel, xunit = 1, yunit = 1, bound_name, range, binned }) {
    const about = { repetitions: "range of repetitions", quartiles: "quartiles", interval: "95 % interval" }[range];
    const series = groupBy(rows, "heuristic").map(([name, own]) => ({
      name, colour: colourNumber(own[0]), shape: "line", range: about,
      points: own.map((row) => ({ raw: binned ? "" : row.x, x: row.x / xunit, y: row.value / yunit, low: row.least / yunit, high: row.greatest / yunit })),
    }));
    const bounds = new Map(rows.filter((row) => row.bound).map((row) => [row.x / xunit, row.bound / yunit]));
    const points = [...bounds].sort(([a], [b]) => a - b).map(([at, bound]) => ({ x: at, y: bound }));
    if (points.length > 0) series.push({ name: bound_name, colour: "currentColor", shape: "bound", points });
    return [{ xlabel, ylabel, series }];
  },
  sorted(rows, { ylabel, yunit = 1 }) {
    return [{
      xlabel: "instances, sorted for each heuristic", ylabel,
      series: groupBy(rows, "heuristic").map(([name, own]) => ({
        name, colour: colourNumber(own[0]), shape: "line",
        points: own.map((row) => ({ x: Number(row.rank), y: row.value / yunit })),
      })),
    }];
  },
  bars(rows, { xlabel, ylabel, yunit = 1, reference }) {
    const groups = groupBy(rows, "position");
    const names = groups.map(([, [{ section, label }]]) => [section, label].filter(Boolean).join(": "));
    const list = groupBy(rows, "heuristic");
    const series = list.map(([name, own], index) => ({
      name, colour: colourNumber(own[0]), shape: "bars", width: 0.84 / list.length,
      points: own.filter((row) => row.value).map((row) => ({
        x: row.position - 1 + ((index + 0.5) / list.length - 0.5) * 0.84, y: row.value / yunit, about: names[row.position - 1],
      })),
    }));
    const available = groups.filter(([, [row]]) => row.available).map(([position, [row]]) => ({ x: position - 1, y: Number(row.available) }));
    if (available.length > 0) series.push({ name: "workers of the platform", colour: "currentColor", shape: "levels", points: available });
    return [{ xlabel, ylabel, categories: names, series, zero: true, reference }];
  },
  distribution(rows, { ylabel, yunit = 1 }) {
    const list = groupBy(rows, "heuristic");
    return [{
      xlabel: "boxes: quartiles and median; whiskers: within 1.5 interquartile ranges", ylabel, categories: list.map(([name]) => name),
      series: list.map(([name, own], index) => {
        const values = own.map((row) => row.value / yunit).sort((a, b) => a - b);
        const [q1, middle, q3] = [0.25, 0.5, 0.75].map((share) => quantile(values, share));
        const inside = values.filter((value) => value >= q1 - 1.5 * (q3 - q1) && value <= q3 + 1.5 * (q3 - q1));
        const others = values.filter((value) => !inside.includes(value));
        return {
          name, colour: colourNumber(own[0]), shape: "boxes", range: "whiskers",
          points: [{ x: index, y: middle, q1, q3, low: inside[0], high: inside.at(-1), others, about: `quartiles ${shortNumber(q1)} and ${shortNumber(q3)}` }],
        };
      }),
    }];
  },
  tradeoff(rows, { xlabel, ylabel, xunit = 1, yunit = 1 }) {
    return groupBy(rows, "panel").map(([, panel]) => ({
      title: panel[0].name, xlabel, ylabel,
      series: panel.map((row) => ({
        name: row.heuristic, colour: colourNumber(row), shape: "ranges", range: "smallest to largest",
        points: [{ x: row.x / xunit, left: row.x_least / xunit, right: row.x_greatest / xunit, y: row.y / yunit, low: row.y_least / yunit, high: row.y_greatest / yunit }],
      })),
    }));
  },
};

/// A linear or logarithmic scale from values to pixels.
class Scale {
  constructor([low, high], [first, last], logarithmic) {
    Object.assign(this, { low, high, logarithmic });
    const [a, b] = [low, high].map((value) => this.bend(value));
    this.pixel = (value) => first + ((this.bend(value) - a) / (b - a || 1)) * (last - first);
    this.value = (pixel) => {
      const bent = a + ((pixel - first) / (last - first)) * (b - a);
      return logarithmic ? 10 ** bent : bent;
    };
  }

  bend(value) {
    return this.logarithmic ? Math.log10(value) : value;
  }

  /// Returns round values within the scale, about `count`.
  ticks(count) {
    const within = (value) => value >= this.low * (1 - 1e-9) && value <= this.high * (1 + 1e-9);
    if (this.logarithmic) {
      const powers = Array.from({ length: 60 }, (_, index) => 10 ** (index - 30)).filter((power) => power > this.low / 11 && power <= this.high);
      for (const digits of [[1], [1, 2, 5], [1, 1.5, 2, 3, 4, 5, 7]]) {
        const found = powers.flatMap((power) => digits.map((digit) => digit * power)).filter(within);
        if (found.length > 2) return found.length > 2 * count ? found.filter((_, index) => index % Math.ceil(found.length / count) === 0) : found;
      }
    }
    const rough = (this.high - this.low) / count || 1;
    const step = [1, 2, 5, 10].map((digit) => digit * 10 ** Math.floor(Math.log10(rough))).find((size) => size >= rough);
    const first = Math.ceil(this.low / step - 1e-9);
    return Array.from({ length: Math.floor(this.high / step + 1e-9) - first + 1 }, (_, index) => (first + index) * step);
  }
}

/// A figure of the page: a <figure> with its controls, key and drawing.
class ReportFigure {
  constructor({ caption, settings, data: csv }, model, group) {
    Object.assign(this, { model, settings, caption: model.title ? `${caption.replace(/\.$/, "")}; ${model.title}.` : caption });
    this.hidden = new Set();
    this.logarithmic = new Set(settings.log ?? "");
    this.window = null; // {x: [low, high], y: [low, high]} after a zoom
    this.paper = element("div", { className: "paper" });
    this.tip = element("div", { className: "figure-tip", role: "status", hidden: true });
    this.key = element("div", { className: "key" });
    const name = (extension) => fileName(`${group} ${this.caption}`, extension);
    const controls = element("div", { className: "buttons" },
      ...["x", "y"].filter((axis) => this.positive(axis)).map((axis) => this.logButton(axis)),
      this.button("Whole", "Show all values again", () => this.zoom(null)),
      this.button("SVG", name("svg"), () => save(new Blob([svgText(this.draw(true))], { type: "image/svg+xml" }), name("svg"))),
      this.button("PNG", name("png"), async () => save(await svgToPng(this.draw(true)), name("png"))),
      this.button("CSV", name("csv"), () => save(new Blob([csv], { type: "text/csv" }), name("csv"))));
    this.node = element("figure", {}, this.paper, this.tip, this.key, element("figcaption", { textContent: this.caption }), controls);
    this.key.append(...this.model.series.map(({ name: series, colour, shape }) => {
      const swatch = element("i", { className: shape });
      swatch.style.color = paint(colour);
      const button = this.button("", "Click to hide or show", () => {
        this.hidden.has(series) ? this.hidden.delete(series) : this.hidden.add(series);
        button.setAttribute("aria-pressed", !this.hidden.has(series));
        this.show();
      });
      button.append(swatch, series);
      button.setAttribute("aria-pressed", true);
      return button;
    }));
    this.width = WIDTH;
    this.show();
    new ResizeObserver(([{ contentRect }]) => {
      const width = Math.round(Math.min(Math.max(contentRect.width, WIDTH / 2), WIDTH));
      if (width === this.width) return;
      this.width = width;
      this.show();
    }).observe(this.paper);
  }

  button(textContent, title, act) {
    const button = element("button", { type: "button", textContent, title });
    button.addEventListener("click", act);
    return button;
  }

  logButton(axis) {
    const button = this.button(`log ${axis}`, `Logarithmic ${axis} axis`, () => {
      this.logarithmic.has(axis) ? this.logarithmic.delete(axis) : this.logarithmic.add(axis);
      button.setAttribute("aria-pressed", this.logarithmic.has(axis));
      this.zoom(null);
    });
    button.setAttribute("aria-pressed", this.logarithmic.has(axis));
    return button;
  }

  /// Returns whether an axis has numbers, all above 0.
  positive(axis) {
    if (axis === "x" && this.model.categories) return false;
    return this.model.series.every(({ points }) => points.every((point) => (axis === "x" ? point.left ?? point.x : point.low ?? point.y) > 0));
  }

  zoom(window) {
    this.window = window;
    this.show();
  }

  shown() {
    return this.model.series.filter(({ name }) => !this.hidden.has(name));
  }

  /// Returns the limits of an axis: all values of the series that are shown, with a little room.
  limits(axis) {
    if (this.window?.[axis]) return this.window[axis];
    if (axis === "x" && this.model.categories) return [-0.5, this.model.categories.length - 0.5];
    const values = this.shown().flatMap(({ points }) => points.flatMap((point) =>
      (axis === "x" ? [point.left, point.x, point.right] : [point.low, point.y, point.high, ...(point.others ?? [])])))
      .filter(Number.isFinite);
    if (values.length === 0) return [0, 1];
    let [low, high] = values.reduce(([a, b], value) => [Math.min(a, value), Math.max(b, value)], [Infinity, -Infinity]);
    if (this.logarithmic.has(axis)) return [low / 1.05, high * 1.05];
    const room = 0.04 * (high - low) || 0.1 * Math.abs(high) || 1;
    if (axis === "y" && (this.model.zero || (low >= 0 && low < high / 5))) low = Math.min(0, low);
    else low -= room;
    return [low, high + room];
  }

  show() {
    const focused = this.paper.contains(document.activeElement);
    this.paper.replaceChildren(this.draw(false));
    if (focused) this.paper.firstChild.focus();
  }

  /// Returns the drawing as an SVG element; for a file with the key, in black on white.
  draw(forFile) {
    const { model } = this;
    const context = element("canvas").getContext("2d");
    context.font = "12px sans-serif";
    const wide = (text) => context.measureText(text).width;
    const [xlimits, ylimits] = [this.limits("x"), this.limits("y")];
    const ytexts = new Scale(ylimits, [0, 1], this.logarithmic.has("y")).ticks(6).map(shortNumber);
    const left = 34 + Math.max(...ytexts.map(wide));
    const width = forFile ? WIDTH : this.width;
    const right = width - 12;
    const turned = model.categories?.some((text) => wide(text) > (right - left) / model.categories.length - 6);
    const crowded = turned && (right - left) / model.categories.length < 12;
    const cut = (text) => (text.length > 34 ? `${text.slice(0, 16)}…${text.slice(-16)}` : text);
    const names = model.categories?.map(cut) ?? [];
    const keyRows = forFile ? this.keyRows(wide) : [];
    const bottom = HEIGHT - 40 - (turned && !crowded ? Math.max(...names.map(wide)) - 10 : 0);
    const x = new Scale(xlimits, [left, right], this.logarithmic.has("x"));
    const y = new Scale(ylimits, [bottom, 10], this.logarithmic.has("y"));
    const parts = [];
    const text = (content, at, attributes) => parts.push(svgNode("text", { x: at[0], y: at[1], fill: "currentColor", ...attributes }, content));
    const line = (from, to, attributes) => parts.push(svgNode("path", { d: `M${from}L${to}`, stroke: "currentColor", fill: "none", ...attributes }));
    for (const value of y.ticks(6)) {
      line([left, y.pixel(value)], [right, y.pixel(value)], { "stroke-opacity": 0.15 });
      text(shortNumber(value), [left - 6, y.pixel(value) + 4], { "text-anchor": "end" });
    }
    if (!model.categories) {
      for (const value of x.ticks(Math.ceil(width / 80))) {
        line([x.pixel(value), bottom], [x.pixel(value), bottom + 4]);
        text(shortNumber(value), [x.pixel(value), bottom + 17], { "text-anchor": "middle" });
      }
    } else if (!crowded) {
      names.forEach((name, index) => {
        if (index < xlimits[0] || index > xlimits[1]) return;
        const at = [x.pixel(index), bottom + 14];
        text(name, turned ? [0, 0] : at, turned ? { "text-anchor": "end", transform: `translate(${at[0] + 4} ${at[1] - 6}) rotate(-90)` } : { "text-anchor": "middle" });
      });
    }
    line([left, 10], [left, bottom]);
    line([left, bottom], [right, bottom]);
    text(model.xlabel ?? "", [(left + right) / 2, HEIGHT - 6], { "text-anchor": "middle" });
    text(model.ylabel, [0, 0], { "text-anchor": "middle", transform: `translate(13 ${(bottom + 10) / 2}) rotate(-90)` });
    if (model.reference) line([left, y.pixel(model.reference)], [right, y.pixel(model.reference)], { "stroke-dasharray": "6 3" });
    const clip = `clip${(ReportFigure.count = (ReportFigure.count ?? 0) + 1)}`;
    const body = svgNode("g", { "clip-path": `url(#${clip})` });
    this.marks = this.shown().flatMap((series) => this.drawSeries(body, { ...series, colour: paint(series.colour, forFile) }, x, y));
    const drawn = svgNode("svg", {
      viewBox: `0 0 ${width} ${HEIGHT + 18 * keyRows.length}`, role: "img", "aria-label": this.caption, "font-size": 12,
      "font-family": "system-ui, Liberation Sans, Arial, sans-serif",
      ...(forFile ? { style: "color: #000; background: #fff" } : {}),
    }, svgNode("clipPath", { id: clip }, svgNode("rect", { x: left, y: 6, width: right - left, height: bottom - 2 })), ...parts, body);
    keyRows.forEach((row, index) => row.forEach(([{ name, colour }, at]) => drawn.append(
      svgNode("rect", { x: at, y: HEIGHT + 18 * index, width: 12, height: 10, fill: paint(colour, forFile) }),
      svgNode("text", { x: at + 17, y: HEIGHT + 9 + 18 * index, fill: "currentColor" }, name))));
    if (!forFile) {
      this.listen(drawn, x, y);
      this.listenToKeys(drawn, x, y);
    }
    return drawn;
  }

  /// Returns the rows of the key of a file: [series, position] for each entry.
  keyRows(wide) {
    const rows = [[]];
    let at = 12;
    for (const series of this.shown()) {
      const width = wide(series.name) + 32;
      if (at + width > WIDTH && rows.at(-1).length > 0) [rows[rows.length], at] = [[], 12];
      rows.at(-1).push([series, at]);
      at += width;
    }
    return rows;
  }

  /// Draws a series; returns its points with their places: [{series, point, at: [x, y]}].
  drawSeries(body, { name, colour, shape, width, range, points }, x, y) {
    const add = (tag, attributes) => body.append(svgNode(tag, attributes));
    const places = points.map((point) => ({ series: { name, shape, range }, point, at: [x.pixel(point.x), y.pixel(point.y)] }));
    if (shape === "line" || shape === "bound") {
      if (range && points.some(({ low, high }) => high > low)) {
        const edge = (key) => points.map((point) => [x.pixel(point.x), y.pixel(point[key])]);
        add("path", { d: `M${edge("low").join("L")}L${edge("high").reverse().join("L")}Z`, fill: colour, "fill-opacity": 0.15 });
      }
      add("path", { d: `M${places.map(({ at }) => at).join("L")}`, fill: "none", stroke: colour, "stroke-width": 1.8, ...(shape === "bound" ? { "stroke-dasharray": "2 3" } : {}) });
      if (shape === "line" && points.length <= 60) for (const { at } of places) add("circle", { cx: at[0], cy: at[1], r: 2.5, fill: colour });
    }
    for (const { point, at } of places) {
      const [low, high] = [point.low, point.high].map((value) => y.pixel(value));
      if (shape === "bars") {
        const [from, to] = [x.pixel(point.x - width / 2), x.pixel(point.x + width / 2)];
        add("rect", { x: from, y: Math.min(at[1], y.pixel(Math.max(0, y.low))), width: to - from, height: Math.abs(y.pixel(Math.max(0, y.low)) - at[1]), fill: colour });
      } else if (shape === "levels") {
        add("path", { d: `M${x.pixel(point.x - 0.46)},${at[1]}H${x.pixel(point.x + 0.46)}`, stroke: colour, "stroke-width": 1.5 });
      } else if (shape === "boxes") {
        const [from, to] = [x.pixel(point.x - 0.28), x.pixel(point.x + 0.28)];
        add("path", { d: `M${at[0]},${low}V${high}`, stroke: colour, "stroke-width": 1.5 });
        add("rect", { x: from, y: y.pixel(point.q3), width: to - from, height: y.pixel(point.q1) - y.pixel(point.q3), fill: colour, stroke: "currentColor" });
        add("path", { d: `M${from},${at[1]}H${to}`, stroke: "currentColor", "stroke-width": 2 });
        for (const value of point.others) add("circle", { cx: at[0], cy: y.pixel(value), r: 2.5, fill: "none", stroke: colour });
      } else if (shape === "ranges") {
        const [from, to] = [point.left, point.right].map((value) => x.pixel(value));
        add("rect", { x: from, y: high, width: to - from, height: low - high, fill: colour, "fill-opacity": 0.25, stroke: colour });
        add("circle", { cx: at[0], cy: at[1], r: 4, fill: colour });
      }
    }
    return places;
  }

  /// Shows values under the pointer, and zooms to what is dragged over: along one axis alone if the pointer hardly moves along the other.
  listen(drawn, x, y) {
    let start = null;
    const frame = svgNode("rect", { fill: "currentColor", "fill-opacity": 0.12 });
    const placeOf = (event) => {
      const box = drawn.getBoundingClientRect();
      return [((event.clientX - box.left) / box.width) * this.width, ((event.clientY - box.top) / box.height) * HEIGHT];
    };
    const whole = [[x.low, x.high].map(x.pixel), [y.high, y.low].map(y.pixel)];
    const spans = (to, axis) => Math.abs(to[axis] - start[axis]) > 8;
    const dragged = (to) => start && (spans(to, 0) || spans(to, 1));
    const sides = (to) => [0, 1].map((axis) => (spans(to, axis) ? [Math.min(start[axis], to[axis]), Math.max(start[axis], to[axis])] : whole[axis]));
    drawn.addEventListener("pointerdown", (event) => {
      start = placeOf(event);
      event.preventDefault();
    });
    drawn.addEventListener("pointermove", (event) => {
      const at = placeOf(event);
      if (dragged(at)) {
        const [[left, right], [top, bottom]] = sides(at);
        for (const [name, value] of Object.entries({ x: left, y: top, width: right - left, height: bottom - top })) frame.setAttribute(name, value);
        drawn.append(frame);
      }
      this.showTip(this.nearest(at), event);
    });
    drawn.addEventListener("pointerleave", () => {
      start = null;
      frame.remove();
      this.showTip(null);
    });
    drawn.addEventListener("pointerup", (event) => {
      const at = placeOf(event);
      if (dragged(at)) {
        const [across, down] = sides(at);
        this.zoom({ x: across.map(x.value), y: down.map(y.value).reverse() });
      } else {
        this.showRows(this.nearest(at));
      }
      start = null;
    });
    drawn.addEventListener("dblclick", () => this.zoom(null));
  }

  /// Goes through the points with the arrow keys, shows the rows of one with Enter, and zooms with + and −.
  listenToKeys(drawn, x, y) {
    drawn.setAttribute("tabindex", 0);
    const ring = svgNode("circle", { r: 6, fill: "none", stroke: "currentColor", "stroke-width": 1.5 });
    const inside = (scale, value) => value >= scale.low && value <= scale.high;
    const marks = this.marks.filter(({ point }) => inside(x, point.x) && inside(y, point.y));
    const current = () => marks.findIndex(({ point }) => point === this.current);
    const goTo = (index) => {
      const mark = marks[Math.min(Math.max(index, 0), marks.length - 1)];
      if (!mark) return;
      this.current = mark.point;
      ring.setAttribute("cx", mark.at[0]);
      ring.setAttribute("cy", mark.at[1]);
      drawn.append(ring);
      const box = drawn.getBoundingClientRect();
      this.showTip(mark, { clientX: box.left + (mark.at[0] / this.width) * box.width, clientY: box.top + (mark.at[1] / HEIGHT) * box.height });
    };
    const goToSeries = (by) => {
      const from = Math.max(current(), 0);
      let index = from;
      while (marks[index] && marks[index].series.name === marks[from].series.name) index += by;
      goTo(index);
    };
    const narrow = (scale, pixel) => {
      const quarter = (scale.pixel(scale.high) - scale.pixel(scale.low)) / 4;
      return [pixel - quarter, pixel + quarter].map(scale.value);
    };
    const zoomIn = ({ at } = { at: [x, y].map((scale) => (scale.pixel(scale.low) + scale.pixel(scale.high)) / 2) }) =>
      this.zoom({ x: narrow(x, at[0]), y: narrow(y, at[1]) });
    const actions = {
      ArrowRight: () => goTo(current() + 1),
      ArrowLeft: () => goTo(current() - 1),
      ArrowDown: () => goToSeries(1),
      ArrowUp: () => goToSeries(-1),
      Enter: () => this.showRows(marks[current()]),
      "+": () => zoomIn(marks[current()]),
      "-": () => this.zoom(null),
      Escape: () => drawn.blur(),
    };
    drawn.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || !actions[event.key]) return;
      event.preventDefault();
      actions[event.key]();
    });
    drawn.addEventListener("blur", () => {
      ring.remove();
      this.showTip(null);
    });
  }

  /// Returns the point that is nearest to a place, within 24 pixels.
  nearest([px, py]) {
    const away = ({ series: { shape }, at }) =>
      Math.hypot(at[0] - px, shape === "bars" && py > at[1] ? 0 : shape === "boxes" ? (at[1] - py) / 4 : at[1] - py);
    const sorted = this.marks.map((mark) => [away(mark), mark]).filter(([distance]) => distance < 24).sort(([a], [b]) => a - b);
    return sorted[0]?.[1] ?? null;
  }

  showTip(mark, event) {
    this.tip.hidden = mark === null;
    if (mark === null) return;
    const { series, point } = mark;
    const lines = [point.about, this.model.categories ? null : `${this.model.xlabel}: ${shortNumber(point.x)}`, `${this.model.ylabel}: ${shortNumber(point.y)}`,
      series.range && point.high > point.low ? `${series.range}: ${shortNumber(point.low)} to ${shortNumber(point.high)}` : null];
    this.tip.replaceChildren(element("b", { textContent: series.name }), ...lines.filter(Boolean).map((textContent) => element("div", { textContent })));
    const box = this.node.getBoundingClientRect();
    this.tip.style.left = `${Math.min(event.clientX - box.left + 14, box.width - this.tip.offsetWidth)}px`;
    this.tip.style.top = `${event.clientY - box.top + 14}px`;
  }

  /// Shows the rows of a point in the table of results.
  showRows(mark) {
    if (!mark || mark.series.shape === "bound" || mark.series.shape === "levels") return;
    const quoted = (text) => (/\s/.test(text) ? `"${text}"` : text);
    const { x_column: axis, experiment } = this.settings;
    const words = [`heuristic=${quoted(mark.series.name)}`, axis && mark.point.raw ? `${axis}=${mark.point.raw}` : "", experiment ? `experiment=${quoted(experiment)}` : ""];
    const filter = byId("results-filter");
    filter.value = words.filter(Boolean).join(" ");
    filter.dispatchEvent(new Event("input"));
    byId("results").scrollIntoView();
  }
}

/// Adds the experiments to the page: the question, what was found, the figures against what the experiment varies, and the
/// others behind a heading that opens them.
function showFindings(experiments) {
  for (const { name, question, finding, plots } of experiments) {
    const against = plots.filter(({ kind }) => kind === "lines");
    const first = against.length > 0 ? against : plots.slice(0, 1);
    const others = plots.filter((plot) => !first.includes(plot));
    const draw = (list) => element("div", { className: "figures" }, ...list.flatMap((plot) =>
      MODELS[plot.kind](parseCsv(plot.data), plot.settings).map((model) => new ReportFigure(plot, model, name).node)));
    const more = element("details", {}, element("summary", { textContent: `${others.length} more figures` }));
    more.addEventListener("toggle", () => more.children.length > 1 || more.append(draw(others)));
    byId("experiment-list").append(element("section", {},
      element("h3", { textContent: name }), element("p", { className: "question", textContent: question }),
      element("p", { textContent: finding || "No runs can be compared." }), draw(first), ...(others.length > 0 ? [more] : [])));
  }
  if (experiments.length === 0) byId("experiment-list").append("None.");
}
