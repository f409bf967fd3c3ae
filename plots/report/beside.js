// Two runs in one chart: each group of A above the same of B, and where they part.

/// The columns of both, one behind the other; what is in those of B grows by `more`.
function joined(a, b, more = 0) {
  const both = new a.constructor(a.length + b.length);
  both.set(a);
  for (let i = 0; i < b.length; ++i) both[a.length + i] = b[i] < 0 ? b[i] : b[i] + more;
  return both;
}

function besideEachOther(a, b) {
  const charts = [a.chart, b.chart];
  const chart = { ...a.chart, groups: [], lanes: [], kinds: [], labels: [] };
  const places = charts.map(() => []);
  const most = Math.max(...charts.map(({ groups }) => groups.length));
  for (let group = 0; group < most; ++group) {
    charts.forEach(({ groups }, side) => {
      if (group >= groups.length) return;
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
  for (const name of ["number", "start", "end", "heldFrom", "held"]) both[name] = joined(a[name], b[name]);
  both.kind = joined(a.kind, b.kind, a.chart.kinds.length);
  both.label = joined(a.label, b.label, a.chart.labels.length);
  for (const name of ["lane", "other"]) both[name] = joined(a[name], b[name], a.chart.lanes.length);
  return both;
}

/// What a slice is, whenever it is.
function stepText(run, i) {
  const { kinds, lanes, groups } = run.chart;
  const lines = argumentLines(run, i).map(([name, text]) => `${name} ${text}`);
  return `${kinds[run.kind[i]].name}, ${groups[lanes[run.lane[i]].group].name}: ${lines.join("; ")}`;
}

/// The first slice that is another one in B, in words.
function partingText(a, b) {
  const least = Math.min(a.count, b.count);
  let at = 0;
  while (at < least && stepText(a, at) === stepText(b, at)) ++at;
  if (at === least && a.count === b.count) return "The same steps.";
  const words = (run) => (at < run.count ? `from ${seconds(run.start[at])} ${stepText(run, at)}` : "nothing more");
  return `The first step that differs: A, ${words(a)}; B, ${words(b)}.`;
}

/// How long dates are in one of the spans [start, end] at least.
function covered(spans) {
  let [total, until] = [0, -Infinity];
  for (const [start, end] of spans.sort(([a], [b]) => a - b)) {
    if (end > until) total += end - Math.max(start, until);
    until = Math.max(until, end);
  }
  return total;
}

/// Where the time of each group goes, in seconds: [computing, only transfers, idle until the run ends].
function timesOf(run) {
  const { groups, lanes, kinds } = run.chart;
  const spans = groups.map(() => ({ computing: [], busy: [] }));
  for (let i = 0; i < run.count; ++i) {
    for (const lane of [run.lane[i], run.other[i]]) {
      if (lane < 0) continue;
      const { computing, busy } = spans[lanes[lane].group];
      busy.push([run.start[i], run.end[i]]);
      if (!kinds[run.kind[i]].way) computing.push([run.start[i], run.end[i]]);
    }
  }
  return spans.map(({ computing, busy }) => {
    const [computes, works] = [covered(computing), covered(busy)];
    return [computes, works - computes, run.makespan - works];
  });
}

/// The same of both, as rows of a table: what it is in A, in B, and B less A.
function timesTable(a, b) {
  const [ours, theirs] = [timesOf(a), timesOf(b)];
  const cells = (tag, texts) => texts.map((textContent) => element(tag, { textContent }));
  const headings = ["computing (s)", "only transfers (s)", "idle (s)"].flatMap((name) => [`A: ${name}`, "B", "B-A"]);
  const head = element("tr", {}, ...cells("th", ["", ...headings]));
  const rows = a.chart.groups.map(({ name }, group) => {
    const texts = ours[group].flatMap((of, k) => [of, theirs[group][k], theirs[group][k] - of].map(shortDate));
    return element("tr", {}, ...cells("td", [name, ...texts]));
  });
  return [element("thead", {}, head), element("tbody", {}, ...rows)];
}
