// What the page tells of a slice of the Gantt chart: a title, and lines of a name and a text. Blocks, updates and
// workers count from 1.

function range(run, name, i) {
  const { begin, size } = run.ranges[FIELDS.indexOf(name)];
  return size[i] === 1 ? `${begin[i] + 1}` : `${begin[i] + 1}–${begin[i] + size[i]}`;
}

function seconds(date) {
  return `${Number(date.toPrecision(9))} s`;
}

function updateText(run, i, q) {
  const flags = run.flags[i];
  const parts = [];
  if (flags & FLAG.box) {
    const [rows, columns, k] = ["rows", "columns", "inner"].map((name) => range(run, name, i));
    parts.push(`rows ${rows}, columns ${columns}, k ${k}: ${run.updates[i]} block updates`);
  }
  if (flags & FLAG.addC) parts.push(`C added, at 1/${q} of an update per block`);
  return parts.join("; ");
}

function transferLines(run, i, q) {
  const flags = run.flags[i];
  const worker = `P${run.worker[i] + 1}`;
  const lines = [];
  if (flags & FLAG.a) lines.push(["A", `rows ${range(run, "aRows", i)}, k ${range(run, "aColumns", i)}`]);
  if (flags & FLAG.b) lines.push(["B", `k ${range(run, "bRows", i)}, columns ${range(run, "bColumns", i)}`]);
  if (flags & FLAG.c) lines.push(["C", `rows ${range(run, "cRows", i)}, columns ${range(run, "cColumns", i)}`]);
  lines.push(["blocks", `${run.blocks[i]}`]);
  const duration = seconds(run.end[i] - run.start[i]);
  lines.push(["start", seconds(run.start[i])], ["end", `${seconds(run.end[i])}, after ${duration}`]);
  if (run.after[i] > 0) {
    const end = run.updateEnd[run.carrier[run.worker[i]][run.after[i] - 1]];
    lines.push(["not before", `update ${run.after[i]} of ${worker} ends, at ${seconds(end)}`]);
  }
  if (run.starts.has(i)) lines.push(["held back", "until then by its heuristic"]);
  if (flags & FLAG.update) {
    lines.push(["allows", `update ${run.number[i]}: ${updateText(run, i, q)}`]);
    lines.push(["", `from ${seconds(run.updateStart[i])} to ${seconds(run.updateEnd[i])}`]);
  }
  const way = flags & FLAG.toMaster ? `${worker} to master` : `master to ${worker}`;
  return [`Transfer ${i + 1} of ${run.count}: ${way}`, lines];
}

function updateLines(run, i, q) {
  const duration = run.updateEnd[i] - run.updateStart[i];
  return [
    `Update ${run.number[i]} of P${run.worker[i] + 1}`,
    [
      ["work", updateText(run, i, q)],
      ["start", seconds(run.updateStart[i])],
      ["end", `${seconds(run.updateEnd[i])}, after ${seconds(duration)}`],
      ["allowed by", `transfer ${i + 1}, which arrived at ${seconds(run.end[i])}`],
    ],
  ];
}

function waitLines(run, i) {
  const end = run.start[i];
  const start = i > 0 ? run.end[i - 1] : 0;
  const worker = `P${run.worker[i] + 1}`;
  return [
    `The port waits for ${worker}`,
    [
      ["start", seconds(start)],
      ["end", `${seconds(end)}, after ${seconds(end - start)}`],
      ["until", `update ${run.after[i]} of ${worker} ends`],
      ["for", `transfer ${i + 1}`],
    ],
  ];
}

const LINES = { [KIND.update]: updateLines, [KIND.waits]: waitLines };
