// The lanes of the Gantt chart, from the top: shared lanes such as the port, then the lanes of each group with slices.

const ROLES = ["send_c", "send_operands", "send_all", "return_c", "compute", "reduce", "steal", "lost", "wait"];
const WAIT = ROLES.indexOf("wait");

/// Returns the index of the first end after a date; the length if there is none. `ends` is ascending.
function firstEndingAfter(ends, date) {
  let [low, high] = [0, ends.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ends[middle] > date) high = middle;
    else low = middle + 1;
  }
  return low;
}

/// Makes the columns of a lane (index, start, end, role) from the indices of its slices. In a group that waits, each
/// gap becomes an entry of the role "wait" with the index of the slice that follows.
function makeLane(run, slices, waits) {
  const roles = run.chart.kinds.map(({ role }) => ROLES.indexOf(role));
  const most = (waits ? 2 : 1) * slices.length;
  const column = (Type) => new Type(most);
  const lane = { index: column(Int32Array), start: column(Float64Array), end: column(Float64Array), role: column(Uint8Array) };
  let [length, free] = [0, 0];
  const add = (index, start, end, role) => {
    [lane.index[length], lane.start[length], lane.end[length], lane.role[length]] = [index, start, end, role];
    ++length;
  };
  for (const i of slices) {
    const start = run.start[i];
    if (waits && start - free > 1e-9 * start) add(i, free, start, WAIT);
    add(i, start, (free = run.end[i]), roles[run.kind[i]]);
  }
  for (const name of Object.keys(lane)) lane[name] = lane[name].subarray(0, length);
  return lane;
}

/// Returns the occupied share of a group's memory as columns {date, share} with an entry per change; null if the run
/// does not report it. `slices` are the indices of the slices by lane. At equal dates the end of an update comes before a
/// transfer, since it frees memory.
function memorySteps(run, number, slices) {
  const { groups, lanes, kinds } = run.chart;
  const own = slices.flatMap((list, lane) =>
    (lanes[lane].group === number ? list.filter((i) => run.lane[i] === lane && run.heldFrom[i] > 0) : []));
  if (own.length === 0 || !groups[number].memory) return null;
  const date = (i) => (run.heldFrom[i] === 1 ? run.start[i] : run.end[i]);
  const transfer = (i) => (kinds[run.kind[i]].way ? 1 : 0);
  const close = (a, b) => Math.abs(a - b) <= 1e-9 * Math.max(a, b);
  own.sort((i, j) => (close(date(i), date(j)) ? transfer(i) - transfer(j) : date(i) - date(j)) || i - j);
  return {
    date: Float64Array.from(own, date),
    share: Float64Array.from(own, (i) => run.held[i] / groups[number].memory),
  };
}

/// Arranges the lanes of a run: {shared: [lane], rows: [group with its lanes], all: [lane]}.
function lanesOf(run) {
  const { groups, lanes } = run.chart;
  const slices = lanes.map(() => []);
  for (let i = 0; i < run.count; ++i) {
    slices[run.lane[i]].push(i);
    if (run.other[i] >= 0) slices[run.other[i]].push(i);
  }
  const all = groups.map((group) => ({ ...group, lanes: [] }));
  lanes.forEach(({ group }, l) => {
    const place = { group: groups[group], number: all[group].lanes.length };
    all[group].lanes.push({ ...makeLane(run, slices[l], groups[group].waits), ...place });
  });
  all.forEach((group, number) => { // computed when memory use is shown
    let steps;
    Object.defineProperty(group, "steps", { get: () => (steps ??= { of: group.shared ? null : memorySteps(run, number, slices) }).of });
  });
  const used = all.filter(({ lanes: own }) => own.some(({ index }) => index.length > 0));
  const shared = used.filter((group) => group.shared).flatMap((group) => group.lanes);
  shared.forEach((lane, number) => Object.assign(lane, { row: -1, number }));
  const rows = used.filter((group) => !group.shared);
  rows.forEach((group, row) => group.lanes.forEach((lane) => Object.assign(lane, { row, of: group.lanes.length })));
  return { shared, rows, all: [...shared, ...rows.flatMap((group) => group.lanes)] };
}
