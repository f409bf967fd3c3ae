// The explorer: shows what the server (sim/explore) computes of the state, and changes the state. Nothing is computed
// here but drawing. Data reaches the page as text, never as markup.

const page = JSON.parse(byId("explore-data").textContent); // {state, answer (null: ask the server), groups}
let state = structuredClone(page.state); // a request: sim/explore/answer.hpp
let answer = null; // to the last state that was valid
let runs = []; // the decoded runs A and B: [{name, run, division}]
let changes = 0; // number of the last change of the state

// --- asking --------------------------------------------------------------------------------------

const slot = crypto.getRandomValues(new Uint32Array(1))[0].toString(36);
const inFlight = {}; // by kind, the last request

/// Returns the server's answer; null if a newer request of that kind ("view" or "page") was made meanwhile, which ends the
/// older one. Throws an Error with the message of the server.
async function ask(kind, body) {
  inFlight[kind]?.abort();
  const request = (inFlight[kind] = new AbortController());
  try {
    const response = await fetch(`./${slot}-${kind}`, { method: "POST", body: JSON.stringify(body), signal: request.signal });
    if (!response.ok) throw new Error(`the server refuses the request (${response.status}); is it the one of this page?`);
    const json = await response.json();
    if (request !== inFlight[kind]) return null;
    if (json.error) throw new Error(json.error);
    return json;
  } catch (error) {
    if (request !== inFlight[kind]) return null;
    throw error instanceof TypeError ? new Error("starport explore has ended") : error;
  }
}

function showMessage(text) {
  byId("message").textContent = text;
  byId("message").hidden = text === "";
}

/// Returns the names of the runs to draw: those chosen; else, in a quick answer, those last shown, and in a complete one
/// the fastest of the quick one, so that the server knows them before it runs any.
function chartsFor(quick) {
  if (state.charts.length > 0 || !answer) return state.charts;
  return quick ? Object.keys(answer.charts) : runNames().slice(0, 2);
}

const PATIENCE_MS = 250;
let quickSince = -Infinity; // when the quick answer that is awaited was asked for
let shownStates = {}; // by part of the page, the JSON of what it shows

/// Returns whether a part of the page must be drawn anew, since it shows something else than this.
function isNew(part, shown) {
  const text = JSON.stringify(shown);
  if (shownStates[part] === text) return false;
  shownStates[part] = text;
  return true;
}

/// Shows the state: first with little planning by Polaris, then as `starport run` computes it. While a slider moves, the
/// quick answers follow each other; one that is slow, and a complete one, are ended by the next change.
async function update() {
  ++changes;
  if (performance.now() - quickSince < PATIENCE_MS) return; // who awaits it goes on to this change
  let change;
  try {
    do {
      change = changes;
      quickSince = performance.now();
      const began = quickSince;
      // A heuristic that crashes is a row of the complete answer only: there each has its process.
      const got = await ask("view", { ...state, quick: true, sweep: null, charts: chartsFor(true) }).catch(() => undefined);
      if (got === null) return;
      quickSince = -Infinity;
      if (got) await show(got, true);
      document.body.dataset.milliseconds = Math.round(performance.now() - began);
    } while (change !== changes);
    linkToState();
    const sweep = updateSweep();
    sweep.catch(() => {}); // reported below
    const got = await ask("view", { ...state, quick: false, sweep: null, charts: chartsFor(false) });
    if (got === null || change !== changes) return;
    await show(got, false);
    showMessage("");
    document.body.dataset.change = change; // complete
    await sweep;
  } catch (error) {
    if (change === changes) showMessage(`${error.message[0].toUpperCase()}${error.message.slice(1)}`);
  }
}

// --- the address ---------------------------------------------------------------------------------

function linkToState() {
  const text = encodeURIComponent(JSON.stringify(state)).replaceAll("'", "%27"); // for shells
  history.replaceState(null, "", `#${text}`);
}

/// Remembers what is shown of the charts: the range of dates, memory use, the date played.
function remember(shown) {
  const view = { ...state.view, ...shown };
  if (JSON.stringify(view) === JSON.stringify(state.view ?? {})) return;
  state.view = view;
  clearTimeout(remember.timer); // browsers limit how often an address may change
  remember.timer = setTimeout(linkToState, 300);
}

/// Makes `next` the state, whatever the page shows.
function setState(next) {
  state = structuredClone(next);
  shownStates = {};
  byId("play-date").value = state.view?.date ?? 1000;
}

/// Takes the state from the address; returns whether it has one.
function restore() {
  try {
    const linked = JSON.parse(decodeURIComponent(location.hash.slice(1)));
    if (typeof linked !== "object" || !linked.platform) return false;
    setState({ ...page.state, ...linked });
    return true;
  } catch {
    return false;
  }
}

// --- platform and product ------------------------------------------------------------------------

/// The columns of the table of workers: heading, keys of a platform file, exponents at both ends of the slider.
const FIGURES = [
  ["link", { bandwidth: [5, 12], c_s: [-7, 2] }],
  ["speed", { speed: [8, 15], w_s: [-7, 2] }],
  ["memory", { memory: [6, 13], m_blocks: [0.5, 8] }],
  ["latency", { latency: [-7, 0], latency_s: [-7, 0] }],
];

/// Writes a number with its unit as a platform file has it: "12.5MBps".
function quantity(value, unit) {
  if (unit === "") return Number(value.toPrecision(3));
  const prefixes = unit === "s" ? [[1, ""], [1e-3, "m"], [1e-6, "u"], [1e-9, "n"]] : [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]];
  const [factor, prefix] = prefixes.find(([least]) => value >= least) ?? prefixes.at(-1);
  return `${Number((value / factor).toPrecision(3))}${prefix}${unit}`;
}

/// Makes a cell with the heading of its column, which narrow windows show beside it.
function labelled(label, ...children) {
  const cell = element("td", {}, ...children);
  cell.dataset.label = label;
  return cell;
}

function figureCell(entry, number, [heading, keys]) {
  const key = Object.keys(keys).find((name) => name in entry.fields);
  if (!key) return labelled(heading, "–");
  const worker = state.platform.workers[number];
  const { value, unit, text } = entry.fields[key];
  const [low, high] = keys[key];
  const name = `${heading} of ${entry.name}`;
  const slider = element("input", { type: "range", min: low, max: high, step: 0.01, title: text });
  slider.value = value > 0 ? Math.log10(value) : low;
  slider.setAttribute("aria-label", name);
  slider.dataset.key = `${number}/${key}`;
  const input = element("input", { size: 9, value: worker[key] ?? 0, autocomplete: "off", spellcheck: false });
  input.setAttribute("aria-label", `${name}, as text`);
  input.dataset.key = `${number}/${key}/text`;
  slider.addEventListener("input", () => {
    const isZero = heading === "latency" && Number(slider.value) === low;
    const chosen = isZero ? 0 : 10 ** slider.value;
    worker[key] = key === "m_blocks" ? Math.round(chosen) : quantity(chosen, unit);
    if (isZero && unit) worker[key] = "0s";
    input.value = worker[key];
    update();
  });
  input.addEventListener("change", () => {
    worker[key] = unit === "" ? Number(input.value) : input.value;
    update();
  });
  return labelled(heading, element("span", { className: "figure" }, slider, input));
}

/// Adds a copy of worker `number`, after it; its name, if any, gets signs until no other has it.
function copyWorker(number) {
  const copy = structuredClone(state.platform.workers[number]);
  while (copy.name && state.platform.workers.some(({ name }) => name === copy.name)) copy.name += "'";
  state.platform.workers.splice(number + 1, 0, copy);
  if (state.sweep?.entry > number) ++state.sweep.entry;
  delete state.platform.hosts;
  update();
}

function showWorkers() {
  const { workers } = state.platform;
  const focused = document.activeElement;
  if (focused.type === "range" && byId("workers").contains(focused)) return; // do not take the slider away
  if (!isNew("workers", [answer.entries, workers])) return;
  const rows = answer.entries.map((entry, number) => {
    const count = element("input", { type: "number", min: 1, className: "short", value: workers[number].count ?? 1 });
    count.setAttribute("aria-label", `number of ${entry.name}`);
    count.dataset.key = `${number}/count`;
    count.addEventListener("change", () => {
      workers[number].count = Number(count.value);
      delete state.platform.hosts;
      update();
    });
    const copy = element("button", { type: "button", textContent: "copy" });
    copy.addEventListener("click", () => copyWorker(number));
    const remove = element("button", { type: "button", textContent: "remove", disabled: workers.length === 1 });
    remove.addEventListener("click", () => {
      workers.splice(number, 1);
      const { sweep } = state;
      if (sweep?.entry === number) sweep.entry = null;
      else if (sweep?.entry > number) --sweep.entry;
      delete state.platform.hosts;
      update();
    });
    return element("tr", {}, element("th", { scope: "row", textContent: entry.name }), labelled("number", count),
      ...FIGURES.map((figure) => figureCell(entry, number, figure)), element("td", { className: "actions" }, copy, " ", remove));
  });
  const headings = ["workers", "number", ...FIGURES.map(([heading]) => heading), ""];
  const head = element("tr", {}, ...headings.map((textContent) => element("th", { scope: "col", textContent })));
  byId("workers").replaceChildren(element("thead", {}, head), element("tbody", {}, ...rows));
  if (focused.dataset.key) byId("workers").querySelector(`[data-key="${focused.dataset.key}"]`)?.focus();
}

function showProduct() {
  for (const key of ["problem", "block_size", "noise"]) if (document.activeElement !== byId(key)) byId(key).value = state[key];
  const { port } = state.platform;
  byId("port").value = (typeof port === "object" ? port.kind : port) ?? "one-port";
  byId("command").textContent = answer.command;
}

/// Shows the algorithms by group, with a mark at those that are compared.
function showHeuristics() {
  const names = answer.comparison.results.map(({ heuristic }) => heuristic);
  if (!isNew("heuristics", [names, state.heuristics])) return;
  const focused = document.activeElement.value; // of a box: the name of its heuristic
  const box = (name, about) => {
    const input = element("input", { type: "checkbox", value: name, checked: names.includes(name) });
    input.addEventListener("change", () => {
      const left = names.filter((other) => other !== name);
      state.heuristics = (input.checked ? [...left, name] : left).join(",");
      update();
    });
    return element("label", { title: about }, input, name);
  };
  const listed = Object.values(page.groups).flat().map(({ name }) => name);
  const others = names.filter((name) => !listed.includes(name)).map((name) => ({ name, about: "" }));
  const groups = Object.entries(page.groups).map(([group, list]) => [group, group === "others" ? [...list, ...others] : list]);
  byId("heuristics").replaceChildren(...groups.map(([group, list]) =>
    element("fieldset", {}, element("legend", { textContent: group }), ...list.map(({ name, about }) => box(name, about)))));
  [...byId("heuristics").querySelectorAll("input")].find(({ value }) => value === focused)?.focus();
}

// --- results -------------------------------------------------------------------------------------

/// Returns the colour of a worker, by its index.
const colourOf = (index) => seriesColour((index % COLOURS.length) + 1);
/// Returns the colour of an algorithm, the same as in figures.
const colourOfAlgorithm = (name) => colourOf((answer.styles[name] ?? 1) - 1);

/// Returns a colour as a canvas takes it: without variables of the style sheet.
function resolved(colour) {
  const [, name, otherwise] = colour.match(/^var\((--[\w-]+)(?:, (.*))?\)$/);
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim() || otherwise;
}

/// Makes a legend of workers, by their indices; of the first 24.
function workersLegend(indices) {
  return element("ul", { className: "legend" }, ...indices.slice(0, 24).map((index) => {
    const swatch = element("i");
    swatch.style.color = colourOf(index);
    return element("li", {}, swatch, answer.names[index]);
  }), ...(indices.length > 24 ? [element("li", { textContent: `and ${indices.length - 24} more` })] : []));
}

/// Draws the workers' shares of the work of a run as one bar.
function shareBar({ workers, model }) {
  const key = answer.work?.[model];
  const parts = (workers ?? []).map((worker) => worker[key] ?? 0);
  const total = parts.reduce((sum, part) => sum + part, 0);
  return element("div", { className: "shares" }, ...parts.flatMap((part, index) => {
    if (part === 0) return [];
    const piece = element("i", { title: `${answer.names[index]}: ${percent(part / total)}` });
    piece.style.width = percent(part / total);
    piece.style.background = colourOf(index);
    return [piece];
  }));
}

function showResults(quick) {
  const { results, recommendation } = answer.comparison;
  const order = [...results.keys()].sort((i, j) => (results[i].makespan_s ?? Infinity) - (results[j].makespan_s ?? Infinity));
  const longest = Math.max(...results.map(({ makespan_s }) => makespan_s ?? 0));
  const rows = order.map((index) => {
    const result = results[index];
    const name = element("th", { scope: "row", textContent: result.heuristic });
    if (result.status !== "ok") {
      return element("tr", { className: "failed" }, name, element("td", { className: "error", colSpan: 4, textContent: result.error }));
    }
    const bar = element("div", { className: "bar" }, element("i"));
    bar.firstChild.style.width = percent(result.makespan_s / longest);
    bar.firstChild.style.background = colourOfAlgorithm(result.heuristic);
    const bound = answer.bounds_s[index];
    if (bound !== null) {
      bar.append(element("b", { title: `lower bound: ${shortDate(bound)} s` }));
      bar.lastChild.style.left = percent(bound / longest);
    }
    const date = element("td", { className: "number", textContent: `${shortDate(result.makespan_s)} s`, title: String(result.makespan_s) });
    date.dataset.heuristic = result.heuristic;
    const times = bound === null ? "–" : `${(result.makespan_s / bound).toFixed(3)} × bound`;
    return element("tr", {}, name, element("td", { className: "wide" }, bar), date, element("td", { className: "number", textContent: times }),
      element("td", { className: "wide" }, shareBar(result)));
  });
  const headings = ["heuristic", "makespan", "", "", "shares of the work"];
  const head = element("tr", {}, ...headings.map((textContent) => element("th", { scope: "col", textContent })));
  byId("bars").replaceChildren(element("thead", {}, head), element("tbody", {}, ...rows));
  byId("bars").classList.toggle("quick", quick);
  if (isNew("shares", answer.names)) byId("shares-legend").replaceChildren(workersLegend([...answer.names.keys()]));
  const [verdict, ...advice] = recommendation?.lines ?? ["One heuristic only: choose more to compare."];
  byId("verdict").textContent = verdict + (quick ? " Polaris is planning …" : "");
  byId("advice").replaceChildren(...advice.map((textContent) => element("li", { textContent })));
  byId("headings").textContent = answer.headings.join("\n");
  byId("title").textContent = state.platform.name;
}

// --- the runs A and B ----------------------------------------------------------------------------

const chart = new GanttChart(byId("gantt-chart"), {
  changed: (from, to) => remember({ dates: from > chart.whole[0] || to < chart.whole[1] ? [from, to] : undefined }),
  hovered: (slice, x, y) => showTip(chart.run, slice, x, y),
});

/// Returns the names of the runs, the fastest first.
function runNames() {
  return answer.comparison.results.filter(({ status }) => status === "ok")
    .sort((a, b) => a.makespan_s - b.makespan_s).map(({ heuristic }) => heuristic);
}

/// Decodes a run of an answer: compressed in a page that was saved.
async function decodeChart({ chart: described, slices, packed }) {
  if (packed) return decodeRun(await inflate(packed), described);
  return slices ? decodeRun(decodeBase64(slices), described) : null;
}

async function showRuns() {
  const names = runNames();
  const loaded = await Promise.all(Object.entries(answer.charts).map(async ([name, entry]) =>
    ({ name, division: entry.division, run: await decodeChart(entry) })));
  // In the order in which they were chosen.
  const place = ({ name }) => (state.charts.includes(name) ? state.charts.indexOf(name) : names.indexOf(name) + 2);
  runs = loaded.sort((a, b) => place(a) - place(b)).slice(0, 2);
  const listed = isNew("names", names);
  for (const [index, id] of ["gantt-a", "gantt-b"].entries()) {
    if (listed) byId(id).replaceChildren(...names.map((name) => element("option", { value: name, textContent: name })));
    byId(id).value = runs[index]?.name ?? "";
  }
  const drawn = runs.map(({ run }) => run).filter(Boolean);
  const facts = runs.map(({ name, run }, index) =>
    `${"AB"[index]}: ${name}, ${run ? `${shortDate(run.makespan)} s, ${run.count} transfers and updates` : "too long to draw"}`);
  byId("gantt-facts").textContent = `${facts.join("; ")}.`;
  byId("gantt-chart").hidden = drawn.length === 0;
  if (drawn.length > 0) {
    const run = drawn.length === 2 ? joinRuns(...drawn) : drawn[0];
    const [dates, top] = [state.view?.dates, chart.box.scrollTop];
    chart.memory = byId("gantt-memory").checked = state.view?.memory === true;
    chart.run = null; // do not draw the old run in the new size
    chart.show(run);
    chart.box.scrollTop = top;
    if (dates) chart.move(...dates);
    showLegend(run, chart);
  }
  showDivisions();
}

/// Returns the parts of C that a run updates, in the order of their first updates: [{worker (index), top, bottom, left,
/// right (in blocks), starts, ends (of their updates, ascending)}].
function updatedParts(run) {
  const parts = new Map();
  const places = run.chart.kinds.map(({ arguments: list, way }) => {
    let at = 0;
    for (const { axes } of list) {
      if (!way && axes[0] === "rows" && axes[1] === "columns") return at;
      at += 2 * axes.length || 1;
    }
    return -1;
  });
  for (let i = 0; i < run.count; ++i) {
    const kind = run.kind[i];
    if (places[kind] < 0) continue;
    const { width, values } = run.values[kind];
    const at = run.number[i] * width + places[kind];
    const [top, bottom, left, right] = values.subarray(at, at + 4);
    const group = run.chart.lanes[run.lane[i]].group;
    const key = `${group} ${top} ${bottom} ${left} ${right}`;
    if (!parts.has(key)) {
      const worker = answer.names.indexOf(run.chart.groups[group].name);
      parts.set(key, { worker, top, bottom, left, right, starts: [], ends: [] });
    }
    parts.get(key).starts.push(run.start[i]);
    parts.get(key).ends.push(run.end[i]);
  }
  return [...parts.values()];
}

/// Shows who computes which part of C: as it comes to be in a run, or the plan where updates have no place in C.
function showDivisions() {
  const shown = runs.map(({ name, run, division }) => ({ name, run, division, updates: run ? updatedParts(run) : [] }))
    .filter(({ updates, division }) => updates.length > 0 || division);
  byId("division").hidden = shown.length === 0;
  byId("play-controls").hidden = shown.every(({ updates }) => updates.length === 0);
  const owners = shown.map(({ updates, division }) =>
    [...new Set((updates.length > 0 ? updates : division.parts).map(({ worker }) => worker))].sort((a, b) => a - b));
  const texts = shown.map(({ name, division }) => (division ? `${name}: ${division.about}` : name));
  const shapes = shown.map(({ updates }) => {
    const sides = ["bottom", "right"].map((side) => updates.reduce((most, part) => Math.max(most, part[side]), 0));
    return updates.length > 0 ? Math.min(Math.max(sides[0] / sides[1], 0.25), 1.5) : 1; // height over width
  });
  if (isNew("divisions", [texts, owners, shapes, answer.names])) {
    byId("divisions").replaceChildren(...shown.map(({ name }, index) => {
      const canvas = element("canvas", { width: 640, height: Math.round(640 * shapes[index]) });
      canvas.setAttribute("role", "img");
      canvas.setAttribute("aria-label", `Parts of C by worker: ${name}`);
      return element("figure", {}, canvas, element("figcaption", { textContent: texts[index] }), workersLegend(owners[index]));
    }));
  }
  byId("divisions").entries = shown;
  drawDivisions();
}

function drawDivisions() {
  const shown = byId("divisions").entries ?? [];
  const canvases = byId("divisions").querySelectorAll("canvas");
  const last = Math.max(0, ...shown.map(({ run }) => run?.makespan ?? 0));
  const date = (byId("play-date").value / 1000) * last;
  byId("play-text").textContent = `${shortDate(date)} s`;
  for (const [index, { updates, division }] of shown.entries()) {
    const { width, height } = canvases[index];
    const context = canvases[index].getContext("2d");
    const colours = answer.names.map((_, worker) => resolved(colourOf(worker)));
    context.globalAlpha = 1;
    context.fillStyle = resolved("var(--lane)");
    context.fillRect(0, 0, width, height);
    /// Fills a part, given in shares of the sides of C, up to whole pixels; with a seam if it is large.
    const fill = (left, top, right, bottom, worker, alpha) => {
      const [x, y] = [Math.round(left * width), Math.round(top * height)];
      const [w, h] = [Math.round(right * width) - x, Math.round(bottom * height) - y];
      const seam = Math.min(w, h) > 8 ? 1 : 0;
      context.globalAlpha = alpha;
      context.fillStyle = colours[worker];
      context.fillRect(x, y, w - seam, h - seam);
    };
    let [rows, columns] = [0, 0];
    for (const { bottom, right } of updates) [rows, columns] = [Math.max(rows, bottom), Math.max(columns, right)];
    for (const { worker, top, bottom, left, right, starts, ends } of updates) {
      if (starts[0] > date) continue;
      const done = firstEndingAfter(ends, date) / ends.length;
      fill(left / columns, top / rows, right / columns, bottom / rows, worker, 0.25 + 0.75 * done);
    }
    if (updates.length > 0) continue;
    for (const { worker, box: [left, top, right, bottom] } of division.parts) fill(left, top, right, bottom, worker, 1);
  }
}

/// Plays the runs from the start in six seconds, or stops playing.
function play() {
  const slider = byId("play-date");
  const button = byId("play");
  if (button.textContent === "Stop") return void (button.textContent = "Play");
  button.textContent = "Stop";
  const began = performance.now();
  const step = (now) => {
    if (button.textContent !== "Stop") return;
    slider.value = Math.min(1000, (1000 * (now - began)) / 6000);
    drawDivisions();
    if (Number(slider.value) < 1000) requestAnimationFrame(step);
    else button.textContent = "Play";
  };
  requestAnimationFrame(step);
}

// --- one parameter varied ------------------------------------------------------------------------

/// Returns the size of the curves in pixels.
const sweepSize = () => ({ width: byId("curves").clientWidth || 800, height: 420 });
let plot = null;
let shownSweep = null; // the last one drawn

async function updateSweep() {
  const chosen = state.sweep;
  byId("curves").hidden = byId("crossings").hidden = byId("sweep-note").hidden = !chosen;
  if (!chosen) return;
  const got = page.answer ? page.answer.sweep : await ask("sweep", { ...state, quick: true, charts: [] });
  if (got) showSweep(got);
}

function showSweep(sweep) {
  const { label, field, x, makespans_s: makespans, crossings } = (shownSweep = sweep);
  const [ink, line] = [resolved("var(--ink)"), resolved("var(--line)")];
  const units = { bandwidth: "B/s", speed: "flop/s", memory: "B", latency: "s", factor: "" };
  const short = (value) => (value === null || value === undefined ? "–" : String(Number(value.toPrecision(4))));
  const axis = (text) => ({ label: text, stroke: ink, grid: { stroke: line }, ticks: { stroke: line }, values: (_, list) => list.map((value) => (value === null ? "" : short(value))) });
  const names = Object.keys(makespans);
  plot?.destroy();
  plot = new uPlot({
    ...sweepSize(),
    scales: { x: { time: false, distr: 3 }, y: { distr: 3 } },
    axes: [axis(`${label}${units[field] && ` (${units[field]})`}`), { ...axis("makespan (s)"), size: 64 }],
    series: [{ label: field, value: (_, value) => short(value) },
      ...names.map((name) => ({ label: name, stroke: resolved(colourOfAlgorithm(name)), width: 2, points: { show: false }, value: (_, value) => short(value) }))],
    hooks: { draw: [(drawn) => {
      for (const { x: at } of crossings) {
        const left = Math.round(drawn.valToPos(at, "x", true));
        drawn.ctx.strokeStyle = ink;
        drawn.ctx.setLineDash([4, 4]);
        drawn.ctx.strokeRect(left, drawn.bbox.top, 0, drawn.bbox.height);
        drawn.ctx.setLineDash([]);
      }
    }] },
  }, [x, ...names.map((name) => makespans[name])], byId("curves"));
  for (const name of byId("curves").querySelectorAll(".u-series:not(:first-child) th")) { // uPlot knows the pointer only
    name.tabIndex = 0;
    name.setAttribute("role", "button");
    name.title = "Hides or shows this curve";
    name.addEventListener("keydown", (event) => {
      if (!["Enter", " "].includes(event.key)) return;
      event.preventDefault();
      name.click();
    });
  }
  const unit = units[field] ? ` ${units[field]}` : "";
  const texts = crossings.map(({ x: at, from, to }) => `From ${short(at)}${unit} on, ${to} is the fastest instead of ${from}.`);
  byId("crossings").replaceChildren(...(texts.length ? texts : ["The same heuristic is the fastest throughout."])
    .map((textContent) => element("li", { textContent })));
}

function showSweepChoices() {
  if (!isNew("sweep", [answer.entries.map(({ name, fields }) => [name, Object.keys(fields)]), state.sweep])) return;
  const raw = { bandwidth: "c_s", speed: "w_s", memory: "m_blocks", latency: "latency_s" };
  const has = (field) => answer.entries.some(({ fields }) => field in fields || raw[field] in fields);
  const fields = Object.keys(raw).filter(has);
  byId("sweep-field").replaceChildren(element("option", { value: "", textContent: "none" }), ...fields.map((field) => element("option", { textContent: field })));
  byId("sweep-field").value = state.sweep?.field ?? "";
  byId("sweep-entry").replaceChildren(element("option", { value: "", textContent: "all workers" }),
    ...answer.entries.map(({ name }, index) => element("option", { value: index, textContent: name })));
  byId("sweep-entry").value = state.sweep?.entry ?? "";
}

// --- start ---------------------------------------------------------------------------------------

async function show(got, quick) {
  answer = got;
  showWorkers();
  showProduct();
  showHeuristics();
  showSweepChoices();
  showResults(quick);
  await showRuns();
}

function listen() {
  const set = (id, change) => byId(id).addEventListener("change", ({ target }) => {
    change(target.value);
    update();
  });
  set("problem", (text) => (state.problem = text.replace(/[×*]/g, "x").replace(/ /g, "")));
  set("block_size", (text) => (state.block_size = Number(text)));
  set("noise", (text) => (state.noise = text));
  set("port", (text) => (state.platform.port = text));
  const setSweep = () => {
    const [field, entry] = [byId("sweep-field").value, byId("sweep-entry").value];
    state.sweep = field ? { field, entry: entry === "" ? null : Number(entry) } : null;
    linkToState();
    updateSweep().catch((error) => showMessage(error.message));
  };
  for (const id of ["sweep-field", "sweep-entry"]) byId(id).addEventListener("change", setSweep);
  for (const id of ["gantt-a", "gantt-b"]) set(id, () => (state.charts = [byId("gantt-a").value, byId("gantt-b").value].filter(Boolean)));
  byId("workers").addEventListener("focusout", () => setTimeout(showWorkers));
  byId("add").addEventListener("click", () => copyWorker(state.platform.workers.length - 1));
  byId("undo").addEventListener("click", () => {
    setState(page.state);
    update();
  });
  byId("download").addEventListener("click", () => save(new Blob([`${JSON.stringify(state.platform, null, 2)}\n`]), "platform.json"));
  byId("save").addEventListener("click", async () => {
    const got = await ask("page", { ...state, quick: false, page: true }).catch((error) => showMessage(error.message));
    if (got) save(new Blob([got.page], { type: "text/html" }), "explorer.html");
  });
  window.addEventListener("hashchange", () => restore() && update());
}

/// Shows an exported page: the answer inside it, unchangeable.
async function showExported() {
  setState(page.state);
  await show(page.answer, false);
  for (const control of document.querySelectorAll("#platform input, #platform select, #platform button, #sweep select")) control.disabled = true;
  byId("download").disabled = false;
  for (const id of ["gantt-a", "gantt-b"]) byId(id).disabled = true;
  byId("sweep").hidden = !page.answer.sweep;
  if (page.answer.sweep) showSweep(page.answer.sweep);
  document.body.dataset.change = 1;
}

const actions = { in: () => chart.zoom(0.5), out: () => chart.zoom(2), reset: () => chart.reset() };
for (const button of document.querySelectorAll("[data-gantt]")) button.addEventListener("click", actions[button.dataset.gantt]);
byId("gantt-memory").addEventListener("change", ({ target }) => {
  remember({ memory: target.checked });
  chart.memory = target.checked;
  showLegend(chart.run, chart);
  chart.layout();
});
byId("play").addEventListener("click", play);
byId("play-date").addEventListener("input", ({ target }) => {
  remember({ date: Number(target.value) });
  drawDivisions();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  drawDivisions();
  if (shownSweep) showSweep(shownSweep);
});
new ResizeObserver(() => plot?.setSize(sweepSize())).observe(byId("curves"));
for (const link of document.querySelectorAll("[data-to]")) { // the fragment of the address holds the state
  link.addEventListener("click", (event) => {
    event.preventDefault();
    byId(link.dataset.to).scrollIntoView();
  });
}
if (page.answer) {
  showExported();
} else {
  restore();
  listen();
  update();
}
