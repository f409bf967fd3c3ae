// Compares two runs A and B: joins them in one chart, each group of A above the same group of B, and finds how they
// differ.

/// Concatenates two columns and adds `offset` to the entries of the second that are not negative.
function concatenate(a, b, offset = 0) {
  const both = new a.constructor(a.length + b.length);
  both.set(a);
  for (let i = 0; i < b.length; ++i) both[a.length + i] = b[i] < 0 ? b[i] : b[i] + offset;
  return both;
}

/// Pairs the groups of two charts by name: [index in A, index in B], -1 in a chart that lacks the group.
function pairGroups({ groups: a }, { groups: b }) {
  const left = Map.groupBy(b.keys(), (index) => b[index].name);
  const pairs = a.map(({ name }, index) => [index, left.get(name)?.shift() ?? -1]);
  return [...pairs, ...[...left.values()].flat().map((index) => [-1, index])];
}

/// Joins two runs in one, with the groups "A ..." and "B ..." in turn.
function joinRuns(a, b) {
  const charts = [a.chart, b.chart];
  const chart = { ...a.chart, groups: [], lanes: [], kinds: [], labels: [] };
  const places = charts.map(() => []);
  for (const pair of pairGroups(...charts)) {
    charts.forEach(({ groups }, side) => {
      const group = pair[side];
      if (group < 0) return;
      places[side][group] = chart.groups.length;
      chart.groups.push({ ...groups[group], name: `${"AB"[side]} ${groups[group].name}` });
    });
  }
  charts.forEach(({ lanes, kinds, labels }, side) => {
    chart.lanes.push(...lanes.map((lane) => ({ ...lane, group: places[side][lane.group] })));
    chart.kinds.push(...kinds.map((kind) => ({ ...kind, side })));
    chart.labels.push(...labels);
  });
  const both = { chart, count: a.count + b.count, values: [...a.values, ...b.values] };
  both.makespan = Math.max(a.makespan, b.makespan);
  both.bound = a.bound === b.bound ? a.bound : NaN;
  for (const name of ["number", "start", "end", "heldFrom", "held"]) both[name] = concatenate(a[name], b[name]);
  both.kind = concatenate(a.kind, b.kind, a.chart.kinds.length);
  both.label = concatenate(a.label, b.label, a.chart.labels.length);
  for (const name of ["lane", "other"]) both[name] = concatenate(a[name], b[name], a.chart.lanes.length);
  return both;
}

/// Describes a slice without its dates.
function stepText(run, i) {
  const { kinds, lanes, groups, labels } = run.chart;
  const lines = argumentLines(run, i).map(([name, text]) => `${name} ${text}`);
  const details = lines.join("; ") || labels[run.label[i]]; // a run of a trace has labels only
  return `${kinds[run.kind[i]].name}, ${groups[lanes[run.lane[i]].group].name}: ${details}`;
}

/// Describes the first slice in which the runs differ.
function firstDifferenceText(a, b) {
  const least = Math.min(a.count, b.count);
  let at = 0;
  while (at < least && stepText(a, at) === stepText(b, at)) ++at;
  if (at === least && a.count === b.count) return "Both runs consist of the same steps.";
  const words = (run) => (at < run.count ? `at ${seconds(run.start[at])}, ${stepText(run, at)}` : "no further step");
  return `The first step that differs: in A, ${words(a)}; in B, ${words(b)}.`;
}

/// Returns the length of the union of spans [start, end].
function unionLength(spans) {
  let [total, until] = [0, -Infinity];
  for (const [start, end] of spans.sort(([a], [b]) => a - b)) {
    if (end > until) total += end - Math.max(start, until);
    until = Math.max(until, end);
  }
  return total;
}

/// Returns how each group spends its time, in seconds: [computing, only transferring, idle until the makespan].
function measureTimes(run) {
  const { groups, lanes, kinds } = run.chart;
  const spans = groups.map(() => ({ computing: [], busy: [] }));
  for (let i = 0; i < run.count; ++i) {
    for (const lane of [run.lane[i], run.other[i]]) {
      if (lane < 0) continue;
      const { computing, busy } = spans[lanes[lane].group];
      busy.push([run.start[i], run.end[i]]);
      if (kinds[run.kind[i]].what === "update") computing.push([run.start[i], run.end[i]]);
    }
  }
  return spans.map(({ computing, busy }) => {
    const [computes, works] = [unionLength(computing), unionLength(busy)];
    return [computes, works - computes, run.makespan - works];
  });
}

/// Makes a table of how the groups spend their time, where the runs differ: in A, in B, and the difference; "–" for a run
/// without this group.
function timesTable(a, b) {
  const [timesA, timesB] = [measureTimes(a), measureTimes(b)];
  const none = [NaN, NaN, NaN];
  const cells = (tag, texts) => texts.map((textContent) => element(tag, { textContent }));
  const headings = ["computing", "only transferring", "idle"].flatMap((name) => [`A: ${name}`, "B", "B − A"]);
  const head = element("tr", {}, ...cells("th", ["", ...headings]));
  const shown = (time) => (Number.isNaN(time) ? "–" : scaledDuration(time));
  const rows = pairGroups(a.chart, b.chart).flatMap(([groupA, groupB]) => {
    const [inA, inB] = [timesA[groupA] ?? none, timesB[groupB] ?? none];
    if (inA.every((time, k) => Math.abs(inB[k] - time) <= 1e-9 * a.makespan)) return [];
    const { name } = a.chart.groups[groupA] ?? b.chart.groups[groupB];
    const texts = inA.flatMap((time, k) => [time, inB[k], inB[k] - time].map(shown));
    return element("tr", {}, ...cells("td", [name, ...texts]));
  });
  return [element("thead", {}, head), element("tbody", {}, ...rows)];
}
