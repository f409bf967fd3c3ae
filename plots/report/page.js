// What the pages of `starport report` and `starport explore` share: formats, legend and tooltip of the Gantt chart.

const byId = (id) => document.getElementById(id);
const significant = (digits) => (text) => String(Number(Number(text).toPrecision(digits)));
const fixed = (digits) => (text) => Number(text).toFixed(digits);
/// Formats seconds; runs of tile tasks take less than one.
const shortDate = (text) => (Math.abs(text) < 10 ? Number(text).toPrecision(4) : fixed(2)(text));
/// Formats a duration in seconds with four digits, at least down to 1 s, and the unit that suits it: "491.2 ns", "12345 s".
function scaledDuration(text) {
  const seconds = Number(text);
  const [factor, unit] = [[1, "s"], [1e3, "ms"], [1e6, "µs"]].find(([f]) => Math.abs(seconds) * f >= 1) ?? [1e9, "ns"];
  if (seconds === 0) return "0 s";
  return `${Math.abs(seconds) < 1000 ? significant(4)(seconds * factor) : seconds.toFixed(0)} ${unit}`;
}
const percent = (text) => (Number(text) * 100).toFixed(1) + "%";

/// Shows the colours of the roles in the run, with the names of their kinds of slices.
function showLegend(run, { memory, lanes }) {
  const { kinds, groups } = run.chart;
  const names = ROLES.map(() => new Set());
  for (const kind of new Set(run.kind)) names[ROLES.indexOf(kinds[kind].role)].add(kinds[kind].name);
  for (const { waits } of groups) if (waits) names[WAIT].add(waits);
  const item = (style, text, shape = "") => {
    const swatch = element("i", { className: shape });
    swatch.style.color = `var(${style})`;
    return element("li", {}, swatch, text);
  };
  byId("gantt-legend").replaceChildren(
    ...ROLES.flatMap((role, r) => (names[r].size > 0 ? [item(`--${role}`, [...names[r]].join(" / "))] : [])),
    item("--lane", "idle"),
    ...(memory && lanes.rows.some(({ steps }) => steps) ? [item("--held", "memory in use")] : []),
    ...(Number.isNaN(run.bound) ? [] : [item("--bound", "lower bound", "line")]),
  );
}

/// Makes the children of a <dl> element from pairs of texts.
function definitions(lines) {
  return lines.flatMap(([name, text]) => [
    element("dt", { textContent: name }),
    element("dd", { textContent: text }),
  ]);
}

function showTip(run, slice, x, y) {
  const tip = byId("gantt-tip");
  tip.hidden = slice === null;
  if (slice === null) return;
  const [title, lines] = sliceText(run, slice);
  tip.replaceChildren(element("b", { textContent: title }), element("dl", {}, ...definitions(lines)));
  const box = byId("gantt-chart");
  const right = x + tip.offsetWidth + 24 > box.clientWidth;
  tip.style.left = `${Math.max(0, box.offsetLeft + (right ? x - tip.offsetWidth - 12 : x + 16))}px`;
  const below = box.getBoundingClientRect().top + y + tip.offsetHeight + 24 < window.innerHeight;
  tip.style.top = `${box.offsetTop + (below ? y + 16 : y - tip.offsetHeight - 12)}px`;
}

const COLOURS = [ // those of plots/figure.py
  "#003a6e", "#ff923a", "#bd7138", "#007a58", "#e0da12", "#4ea4d4", "#9d2505", "#1b1b1b",
  "#e8a9cc", "#94a074", "#546bee", "#8dcd9d", "#53636d", "#bc9d9d", "#c378a2", "#316e98",
];
/// Returns the colour of a series by its number, from 1: that of the figures, lighter in dark mode where it needs to be.
const seriesColour = (number) => `var(--series-${number}, ${COLOURS[number - 1]})`;
