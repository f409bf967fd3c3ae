// Describes a slice of the Gantt chart for its tooltip: a title, and lines of name and text. Indices count from 1.

function seconds(date) {
  return `${Number(date.toPrecision(9))} s`;
}

/// Returns the title of a slice: "transfer 3 of 120: A+B to P2".
function sliceTitle(run, i) {
  const { kinds, lanes, groups, labels } = run.chart;
  const { what, way, role, side } = kinds[run.kind[i]];
  const alike = kinds.map((kind) => kind.what === what && kind.side === side);
  let [number, count] = [0, 0];
  run.kind.forEach((kind, other) => {
    if (alike[kind]) ++count;
    if (alike[kind] && other <= i) ++number;
  });
  const label = labels[run.label[i]] === what ? "" : `${labels[run.label[i]]} `;
  const place = `${label}${way || "on"} ${groups[lanes[run.lane[i]].group].name}`;
  return `${what} ${number} of ${count}: ${place}${role === "lost" ? ", lost" : ""}`;
}

/// Returns the arguments of a slice as lines, without integers that are 0 and without empty index ranges.
function argumentLines(run, i) {
  const { width, values } = run.values[run.kind[i]];
  const lines = [];
  let [at, blocks] = [run.number[i] * width, 0];
  for (const { name, axes } of run.chart.kinds[run.kind[i]].arguments) {
    const text = [];
    let size = axes.length === 0 ? values[at] : 1;
    if (axes.length === 0) text.push(values[at++]);
    for (const axis of axes) {
      const [begin, end] = [values[at++], values[at++]];
      size *= end - begin;
      text.push(`${axis} ${end - begin === 1 ? end : `${begin + 1}–${end}`}`);
    }
    if (size === 0) continue;
    if (axes.length === 2) blocks += size;
    lines.push([name, text.join(", ") + (axes.length === 3 ? `: ${size} block updates` : "")]);
  }
  return blocks > 0 ? [...lines, ["blocks", blocks]] : lines;
}

/// Returns the title and the lines of the tooltip of a slice.
function sliceText(run, { lane, at }) {
  const [start, end, i] = [lane.start[at], lane.end[at], lane.index[at]];
  const dates = [["start", seconds(start)], ["end", `${seconds(end)}, after ${seconds(end - start)}`]];
  if (lane.role[at] === WAIT) return [lane.group.waits, [...dates, ["for", sliceTitle(run, i)]]];
  return [sliceTitle(run, i), [...argumentLines(run, i), ...dates]];
}
