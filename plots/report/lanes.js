// The lanes of the Gantt chart: those of one port or of two (many ports are the workers' links), and of each enrolled
// worker its transfers and its computations.

/// The slices of a lane in the order of time, which do not overlap.
function lane(indices, start, end, kind) {
  const pick = (column) => Float64Array.from(indices, (i) => column[i]);
  return { indices, start: pick(start), end: pick(end), kind: Uint8Array.from(indices, kind) };
}

/// The first slice that ends after a date.
function firstAfter(ends, date) {
  let [low, high] = [0, ends.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ends[middle] > date) high = middle;
    else low = middle + 1;
  }
  return low;
}

/// The transfers, and before those that wait for an update the time that the port loses.
function portLane(run) {
  const slices = [];
  let free = 0;
  for (let i = 0; i < run.count; ++i) {
    if (run.start[i] > free && !run.starts.has(i)) slices.push([i, free, run.start[i], KIND.waits]);
    slices.push([i, run.start[i], run.end[i], kindOf(run, i)]);
    free = run.end[i];
  }
  const column = (Type, at) => Type.from(slices, (slice) => slice[at]);
  return {
    indices: column(Int32Array, 0),
    start: column(Float64Array, 1),
    end: column(Float64Array, 2),
    kind: column(Uint8Array, 3),
  };
}

/// Named lanes.
function portLanes(run) {
  if (run.port === "one-port") return [{ name: "port", lane: portLane(run) }];
  if (run.port === "multi-port") return [];
  const all = Array.from({ length: run.count }, (_, i) => i);
  const home = (i) => (run.flags[i] & FLAG.toMaster) !== 0;
  const ways = { sends: all.filter((i) => !home(i)), returns: all.filter(home) };
  return Object.entries(ways).map(([name, indices]) => {
    return { name, lane: lane(indices, run.start, run.end, (i) => kindOf(run, i)) };
  });
}

function lanesOf(run, workers) {
  const transfers = Array.from({ length: workers }, () => []);
  for (let i = 0; i < run.count; ++i) transfers[run.worker[i]].push(i);
  const kind = (i) => kindOf(run, i);
  return {
    ports: portLanes(run),
    workers: transfers.flatMap((indices, worker) =>
      indices.length === 0
        ? []
        : [
            {
              worker,
              link: lane(indices, run.start, run.end, kind),
              computation: lane(run.carrier[worker], run.updateStart, run.updateEnd, () => KIND.update),
            },
          ],
    ),
  };
}
