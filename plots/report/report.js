// Builds the page from its data: tables, Gantt chart, platform, provenance. Data is inserted as text, never as markup.

const data = JSON.parse(document.getElementById("report-data").textContent);

const FORMATTERS = {
  date: shortDate, ratio: fixed(3), per_update: fixed(4), share: percent, mean: fixed(2), duration: scaledDuration,
};
/// Descriptions of the columns of results, by key: label, title (tooltip), show (formats a value).
const COLUMN_INFO = Object.fromEntries(data.figures.map((figure) => [figure.key, { ...figure, show: FORMATTERS[figure.form] }]));
COLUMN_INFO.block_size.label = "q";
/// Columns that are hidden at first: others say the same.
const HIDDEN_AT_FIRST = [
  "r", "s", "t", "seed", "engine", "details",
  ...data.figures.filter((figure) => !figure.label_only && !figure.primary).map((figure) => figure.key),
];
/// The order of the columns that follow the labels of a run.
const COLUMN_ORDER = [
  ...data.figures.filter((figure) => !figure.label_only).map((figure) => figure.key), "repetition", "workers", "details",
];
const MAX_ROWS = 400; // shown at first

const column = Object.fromEntries(data.columns.map((name, index) => [name, index]));
const value = (row, name) => data.rows[row][column[name]] ?? "";

// --- the summary ---------------------------------------------------------------------------------

function showSummary() {
  const select = byId("summary-group");
  select.append(...data.summary.map(({ name }, index) => element("option", { value: index, textContent: name })));
  select.parentElement.hidden = data.summary.length === 1;
  const byLabel = Object.fromEntries(data.figures.map(({ label, title }) => [label.replace(/ \(.*\)$/, ""), title]));
  const titles = {
    complete: "instances and repetitions that the heuristic completed", failed: "those that it failed", "not applicable": "those that it does not apply to",
    "times best": "on how many common instances it is the fastest",
    "mean enrolled": "workers that get work, on average",
    "95% interval": "95 % interval of the mean relative cost (Student's t, from the means of the repetitions)",
  };
  const shownAs = (label) => {
    if (label === "mean enrolled") return fixed(2);
    return /rel\.|ratio|^mean x /.test(label) ? fixed(3) : null;
  };
  const show = () => {
    const { columns, rows } = data.summary[select.value || 0];
    const described = columns.map((label) => ({ key: label, label, title: titles[label] ?? byLabel[label.replace(/^(mean|median|worst) /, "")], show: shownAs(label) }));
    const table = new SortableTable(byId("summary-table"), described, rows);
    const applicable = columns.indexOf("not applicable");
    table.setHidden(applicable, rows.every((row) => row[applicable] === "0"));
  };
  select.addEventListener("change", show);
  show();
}

// --- the results ---------------------------------------------------------------------------------

/// Shows the table of results. Calls choose(row, whether to jump to its chart) for a row, and changed() when the reader
/// changes the table. Returns {state() for the address, restore(state)}.
function showResults(choose, changed) {
  const [first] = data.rows;
  const same = (index) => data.rows.length > 1 && data.rows.every((row) => row[index] === first[index]);
  const constant = data.columns.filter((name, index) => name !== "heuristic" && same(index));
  const columns = data.columns.map((name) => ({ key: name, label: name.replaceAll("_", " "), ...COLUMN_INFO[name] }));
  columns[column.heuristic].cell = (row, cell) => {
    const button = element("button", { type: "button", textContent: cell.textContent, title: "Show its Gantt chart" });
    cell.replaceChildren(button); // the click is handled by the table
  };
  if ("error" in column) columns[column.error].cell = (_, cell) => (cell.className = "error");
  columns[column.status].cell = (_, cell) => cell.classList.add("status");
  const more = byId("results-more");
  const table = new SortableTable(byId("results-table"), columns, data.rows, {
    limit: MAX_ROWS,
    changed,
    columnOrder: [
      ...[...columns.keys()].filter((index) => !COLUMN_ORDER.includes(columns[index].key)),
      ...COLUMN_ORDER.filter((name) => name in column).map((name) => column[name]),
    ],
    row: (row, tr) => {
      tr.classList.add("row");
      tr.classList.toggle("failed", value(row, "status") !== "ok");
      tr.classList.toggle("chosen", row === chosenRow());
    },
    rendered: (visible, matching) => {
      const part = visible < matching ? `first ${visible} of ` : "";
      byId("results-count").textContent = `${part}${matching} of ${data.rows.length} rows`;
      more.hidden = visible === matching;
    },
  });
  for (const name of [...constant, ...HIDDEN_AT_FIRST]) {
    if (name in column) table.hidden.add(column[name]);
  }
  table.render();
  const shown = () => columns.filter((_, index) => !table.hidden.has(index)).map(({ key }) => key).join(",");
  const shownAtFirst = shown();
  const texts = constant.map((name) => `${name} ${first[column[name]] || "(empty)"}`);
  byId("results-constant").textContent = texts.length === 0 ? "" : `Equal in all rows: ${texts.join(", ")}.`;
  byId("results-columns").append(...columns.map((described, index) => columnBox(table, described, index)));
  byId("results-filter").addEventListener("input", (event) => table.filter(event.target.value));
  more.addEventListener("click", () => {
    table.limit = Infinity;
    table.render();
  });
  byId("results-table").addEventListener("click", (event) => {
    const tr = event.target.closest("tbody tr");
    if (tr && getSelection().isCollapsed) choose(Number(tr.dataset.row), event.target.closest("button") !== null);
  });
  return {
    state: () => ({
      filter: byId("results-filter").value || undefined,
      sort: table.sorted ? `${table.sorted.ascending ? "" : "-"}${columns[table.sorted.column].key}` : undefined,
      columns: shown() === shownAtFirst ? undefined : shown(),
    }),
    restore: ({ filter, sort, columns: names }) => {
      if (filter !== undefined) {
        byId("results-filter").value = filter;
        table.filter(filter);
      }
      const sorted = columns.findIndex(({ key }) => key === sort?.replace(/^-/, ""));
      if (sorted >= 0) {
        table.sorted = sort.startsWith("-") ? { column: sorted, ascending: true } : null;
        table.sort(sorted);
      }
      if (!names) return;
      for (const [index, box] of [...byId("results-columns").querySelectorAll("input")].entries()) {
        box.checked = names.includes(columns[index].key);
        box.checked ? table.hidden.delete(index) : table.hidden.add(index);
      }
      table.render();
    },
  };
}

function columnBox(table, { label }, index) {
  const box = element("input", { type: "checkbox", checked: !table.hidden.has(index) });
  box.addEventListener("change", () => table.setHidden(index, !box.checked));
  return element("label", {}, box, label);
}

// --- the run in the Gantt chart ------------------------------------------------------------------

const instanceList = [...new Set(data.rows.map((_, row) => value(row, "instance")))];
const rowsOf = new Map(instanceList.map((instance) => [instance, []]));
data.rows.forEach((_, row) => rowsOf.get(value(row, "instance")).push(row));
const axes = data.columns.slice(column.seed + 1, column.workers); // the override axes

const repeated = data.rows.some((_, row) => value(row, "repetition") > 1);

function chosenRow() {
  return Number(byId("gantt-heuristic").value || 0);
}

function instanceLabel(instance) {
  const row = rowsOf.get(instance)[0];
  const parts = ["experiment", "platform", "problem"].map((name) => value(row, name)).filter(Boolean);
  const extra = axes.filter((name) => value(row, name)).map((name) => `${name} ${value(row, name)}`);
  const repetition = repeated && `repetition ${value(row, "repetition")}`;
  return `${instance}: ` + [...parts, ...extra, repetition].filter(Boolean).join(" · ");
}

function runLabel(row) {
  const status = value(row, "status");
  if (status !== "ok") return `${value(row, "heuristic")} (${status})`;
  const absent = byId(`run-${row}`) ? "" : ", not in this page";
  return `${value(row, "heuristic")} (${scaledDuration(value(row, "makespan_s"))}${absent})`;
}

/// Fills the lists of heuristics with those of an instance. Selects `heuristic` if it is one of them, else the fastest run
/// that the page holds.
function fillHeuristics(instance, heuristic) {
  const rows = rowsOf.get(instance);
  const rank = (row) => [byId(`run-${row}`) ? 0 : 1, Number(value(row, "makespan_s") || Infinity)];
  const order = [...rows].sort((a, b) => rank(a)[0] - rank(b)[0] || rank(a)[1] - rank(b)[1]);
  const chosen = rows.find((row) => value(row, "heuristic") === heuristic) ?? order[0];
  const select = byId("gantt-heuristic");
  select.replaceChildren(...rows.map((row) => element("option", { value: row, textContent: runLabel(row) })));
  select.value = chosen;
  const held = rows.filter((row) => byId(`run-${row}`));
  byId("gantt-second").replaceChildren(
    element("option", { value: "", textContent: "none" }),
    ...held.map((row) => element("option", { value: row, textContent: runLabel(row) })),
  );
}

/// Returns the row of the run to compare with; null if there is none.
function secondRow() {
  const { value: row } = byId("gantt-second");
  return row === "" || Number(row) === chosenRow() ? null : Number(row);
}

/// Shows a message instead of the chart, with a command to copy; an empty text hides it.
function showMessage(text, isError = false, command = "") {
  const box = byId("gantt-message");
  box.textContent = text;
  if (command) box.append(" ", element("code", { textContent: command }));
  box.classList.toggle("bad", isError);
  box.hidden = text === "";
}

const loaded = new Map(); // row -> decoded run
/// Decodes the run of a row. Throws an Error if its makespan differs from the table.
async function loadRun(row) {
  if (!loaded.has(row)) {
    const { textContent, dataset } = byId(`run-${row}`);
    const run = decodeRun(await inflate(textContent.trim()), data.charts[dataset.chart]);
    const expected = Number(value(row, "makespan_s"));
    const near = (date) => Math.abs(date - expected) <= 1e-9 * expected;
    if (!near(run.makespan)) throw new Error(`it takes ${run.makespan} s, the table says ${expected} s`);
    if (!run.end.some(near)) throw new Error(`none of its slices ends at the makespan, ${expected} s`);
    loaded.set(row, run);
  }
  return loaded.get(row);
}

async function showRun(chart) {
  const row = chosenRow();
  const number = value(row, "instance");
  const instance = data.instances[number];
  showPlatform(number, instance);
  const view = byId("gantt-view");
  const heuristic = value(row, "heuristic");
  if (value(row, "status") !== "ok") {
    view.hidden = true;
    return showMessage(`${heuristic}: ${value(row, "status")}. ${value(row, "error")}`, value(row, "status") === "error");
  }
  if (!byId(`run-${row}`)) {
    view.hidden = true;
    const text = "This page does not contain the dates of this run. To include the runs of its instance:";
    return showMessage(text, false, `${data.command} --runs ${number}`);
  }
  showMessage("");
  try {
    const other = secondRow();
    const alone = await loadRun(row);
    const second = other === null ? null : await loadRun(other);
    if (row !== chosenRow() || other !== secondRow()) return; // another run was chosen meanwhile
    const run = second ? joinRuns(alone, second) : alone;
    view.hidden = false;
    if (second) showComparison(row, alone, other, second);
    else showFacts(row, alone);
    byId("gantt-times").replaceChildren(...(second ? timesTable(alone, second) : []));
    byId("gantt-times").parentElement.hidden = !second;
    chart.run = null; // do not draw the old run in the new size
    chart.show(run);
    showLegend(run, chart);
    byId("gantt-memory").parentElement.hidden = !chart.lanes.rows.some(({ steps }) => steps);
    byId("gantt-chart").setAttribute("aria-label", `${heuristic} on instance ${instanceLabel(number)}`);
  } catch (error) {
    view.hidden = true;
    showMessage(`The run of ${heuristic} cannot be shown: ${error.message}.`, true);
  }
}

/// Shows the figures of a run above its chart.
function showFacts(row, run) {
  const counts = {};
  for (const kind of run.kind) counts[kind] = (counts[kind] ?? 0) + 1;
  const whats = [...new Set(run.chart.kinds.map(({ what }) => what))];
  const sum = (what) => run.chart.kinds.reduce((all, kind, k) => all + (kind.what === what ? counts[k] ?? 0 : 0), 0);
  const parts = [
    `${value(row, "heuristic")}: ${scaledDuration(value(row, "makespan_s"))}`,
    [value(row, "enrolled_workers"), value(row, "workers")].filter((count) => count !== "").join(" of ")
      .replace(/.+/, "$& workers enrolled"),
    whats.filter(sum).map((what) => `${sum(what)} ${what.replace(/y$/, "ie")}s`).join(", "),
    ...data.figures.filter(({ key, primary }) => primary && key !== "makespan_s" && key !== "enrolled_workers")
      .filter(({ key }) => value(row, key) !== "")
      .map(({ key, label }) => `${label} ${(COLUMN_INFO[key].show ?? String)(value(row, key))}`),
    value(row, "details"),
  ];
  byId("gantt-facts").dataset.row = row;
  byId("gantt-facts").textContent = parts.filter(Boolean).join("; ") + ".";
}

/// Shows how the makespans of two runs differ, and their first different step.
function showComparison(row, a, other, b) {
  const more = 100 * (b.makespan / a.makespan - 1);
  const named = (letter, of) => `${letter}: ${value(of, "heuristic")}, ${scaledDuration(value(of, "makespan_s"))}`;
  const apart = `${Math.abs(more).toFixed(2)}% ${more > 0 ? "longer" : "shorter"}`;
  byId("gantt-facts").dataset.row = row;
  byId("gantt-facts").textContent = `${named("A", row)}; ${named("B", other)}, ${apart}. ${firstDifferenceText(a, b)}`;
}

// --- platform, provenance ------------------------------------------------------------------------

function showPlatform(number, instance) {
  byId("platform-table").replaceChildren();
  if (!instance) {
    byId("platform-facts").textContent = `The platform of instance ${number} is not in this page.`;
    return;
  }
  const { name, port, columns, names } = data.platforms[instance.platform];
  const { r, s, t, block_size: q } = instance;
  const workers = columns[0].values.length;
  const product = `C += A·B with r = ${r}, s = ${s}, t = ${t} blocks of ${q} × ${q}: ${r * s * t} block updates.`;
  byId("platform-facts").textContent =
    `${name}, instance ${number}: ${workers} workers${port && `, ${port}`}. ${product}`;
  const same = (i, j) => columns.every(({ values }) => values[i] === values[j]);
  const described = columns.map(({ label }) => {
    const lasts = /\(s\b/.test(label);
    return { key: label, label: label.replace(/ \(s\)$/, "").replace("(s per", "(per"), show: lasts ? scaledDuration : significant(6) };
  });
  const rows = [];
  for (let i = 0, last = 0; i < workers; i = last + 1) {
    for (last = i; last + 1 < workers && same(i, last + 1); ) ++last;
    const called = (worker) => names?.[worker] ?? `P${worker + 1}`;
    const name = last > i ? `${called(i)}–${called(last)}` : called(i);
    rows.push([name, ...columns.map(({ values }) => String(values[i]))]);
  }
  new SortableTable(byId("platform-table"), [{ key: "worker", label: "worker" }, ...described], rows);
}

/// Formats nested values as text; lists of words, such as commands, on one line.
function provenanceText(value) {
  if (value === null || typeof value !== "object") return String(value);
  if (!Array.isArray(value)) {
    return Object.entries(value).map(([key, part]) => `${key} ${provenanceText(part)}`).join(", ");
  }
  const words = value.every((part) => typeof part !== "object");
  return value.map(provenanceText).join(words ? " " : "\n");
}

function showProvenance() {
  const lines = Object.entries(data.provenance);
  const texts = lines.map(([key, nested]) => [key.replaceAll("_", " "), provenanceText(nested)]);
  byId("provenance-list").append(...definitions(texts));
}

// --- start ---------------------------------------------------------------------------------------

function start() {
  const [from, to] = [byId("gantt-from"), byId("gantt-to")];
  // The address changes only after the reader has chosen something.
  let chosen = false;
  const link = () => {
    if (!chosen) return;
    const zoomed = chart.run && (chart.from > chart.whole[0] || chart.to < chart.whole[1]);
    const date = (seconds) => (zoomed ? String(Number(seconds.toPrecision(9))) : undefined);
    linkTo({
      run: `${value(chosenRow(), "instance")}/${value(chosenRow(), "heuristic")}`,
      beside: secondRow() === null ? undefined : value(secondRow(), "heuristic"),
      from: date(chart.from),
      to: date(chart.to),
      ...results.state(),
    });
  };
  const chart = new GanttChart(byId("gantt-chart"), {
    changed: (first, last) => {
      const step = (last - first) / 1e4;
      [from.value, to.value] = [formatDate(first, step), formatDate(last, step)];
      chosen ||= first > chart.whole[0] || last < chart.whole[1];
      link();
    },
    hovered: (slice, x, y) => showTip(chart.run, slice, x, y),
  });
  for (const input of [from, to]) {
    input.addEventListener("change", () => {
      if (Number(from.value) < Number(to.value)) chart.move(Number(from.value), Number(to.value));
      else chart.move(chart.from, chart.to);
    });
  }
  byId("gantt-memory").addEventListener("change", ({ target }) => {
    chart.memory = target.checked;
    showLegend(chart.run, chart);
    chart.layout();
  });
  const actions = { in: () => chart.zoom(0.5), out: () => chart.zoom(2), reset: () => chart.reset() };
  for (const button of document.querySelectorAll("[data-gantt]")) {
    button.addEventListener("click", actions[button.dataset.gantt]);
  }
  showSummary();
  const instances = byId("gantt-instance");
  instances.append(
    ...instanceList.map((instance) => element("option", { value: instance, textContent: instanceLabel(instance) })),
  );
  const markChosen = () => {
    for (const tr of byId("results-table").querySelectorAll("tbody tr")) {
      tr.classList.toggle("chosen", Number(tr.dataset.row) === chosenRow());
    }
  };
  const show = async (byReader = true) => {
    chosen ||= byReader;
    markChosen();
    await showRun(chart);
    link();
  };
  const showLinked = async () => {
    const linked = linkedState();
    restoring = true;
    results.restore(linked);
    restoring = false;
    const [instance, heuristic] = linked.run ?? [];
    if (!rowsOf.has(instance)) return false;
    instances.value = instance;
    fillHeuristics(instance, heuristic);
    const beside = rowsOf.get(instance).find((row) => value(row, "heuristic") === linked.beside && byId(`run-${row}`));
    byId("gantt-second").value = beside ?? "";
    await show();
    if (linked.from < linked.to) chart.move(linked.from, linked.to);
    if (linked.filter === undefined) byId("gantt").scrollIntoView();
    return true;
  };
  window.addEventListener("hashchange", showLinked);
  instances.addEventListener("change", () => {
    const heuristic = value(chosenRow(), "heuristic");
    fillHeuristics(instances.value, heuristic);
    show();
  });
  byId("gantt-heuristic").addEventListener("change", () => show());
  byId("gantt-second").addEventListener("change", () => show());
  fillHeuristics(instanceList[0]);
  showFindings(data.experiments);
  offerDownloads();
  let restoring = false;
  const results = showResults(async (row, jump) => {
    instances.value = value(row, "instance");
    fillHeuristics(instances.value, value(row, "heuristic"));
    await show();
    if (jump) byId("gantt").scrollIntoView();
  }, () => {
    if (restoring) return;
    chosen = true;
    link();
  });
  showProvenance();
  showLinked().then((shown) => shown || show(false));
}

start();
