// Decodes the runs embedded in the page (encoded by sim/report/page/run_encoding.cpp). The lanes, kinds and labels of a
// run are in its chart, which runs on the same platform share.

function decodeBase64(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  return bytes;
}

/// Decompresses base64 text of zlib data.
async function inflate(base64) {
  const stream = new Blob([decodeBase64(base64)]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/// Reads numbers from bytes.
class ByteReader {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }
  /// Reads a natural number in LEB128. Multiplies instead of shifting, since numbers may exceed 32 bits.
  natural() {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      if (this.at >= this.bytes.length) throw new Error("its data in the page is incomplete");
      const byte = this.bytes[this.at++];
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  }
  integer() {
    const value = this.natural();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }
  real() {
    const view = new DataView(this.bytes.buffer, this.bytes.byteOffset + this.at, 8);
    this.at += 8;
    return view.getFloat64(0, true);
  }
}

/// Decodes a run. Returns columns with an entry per slice: kind, lane, other (a second lane, or -1), label, start, end
/// (in seconds), number (its index among the slices of its kind). `held` is the number of blocks that its group holds
/// from the start (heldFrom 1) or the end (heldFrom 2) of the slice on. `values` has, by kind, the integers of the
/// arguments, `width` of them per slice.
function decodeRun(bytes, chart) {
  const reader = new ByteReader(bytes);
  const count = reader.natural();
  const run = { chart, count, makespan: reader.real(), bound: reader.real() };
  run.kind = Uint8Array.from({ length: count }, () => reader.natural());
  for (const name of ["lane", "other", "label", "number", "rule", "duration", "heldFrom"]) run[name] = new Int32Array(count);
  run.held = new Float64Array(count);
  const slices = chart.kinds.map(() => []);
  run.kind.forEach((kind, i) => (run.number[i] = slices[kind].push(i) - 1));
  for (const own of slices) for (const i of own) run.lane[i] = reader.integer();
  for (let i = 1; i < count; ++i) run.lane[i] += run.lane[i - 1];
  run.values = chart.kinds.map(({ arguments: list }, kind) => decodeKind(reader, run, slices[kind], list));
  const durations = Array.from({ length: reader.natural() }, () => reader.real());
  decodeDates(run, durations, reader);
  if (reader.at !== bytes.length) throw new Error("its data in the page is too long");
  return run;
}

/// Returns how many integers an argument has: one, or begin and end of each index range.
const widthOf = ({ axes }) => 2 * axes.length || 1;

/// Decodes the columns of the slices of one kind, except their dates, and returns its `values`.
function decodeKind(reader, run, slices, list) {
  let [other, label] = [0, 0];
  for (const i of slices) run.other[i] = (other += reader.integer()) - 1;
  for (const i of slices) run.label[i] = label += reader.integer();
  for (const i of slices) run.rule[i] = reader.natural();
  for (const i of slices) run.duration[i] = reader.natural();
  const width = list.reduce((sum, argument) => sum + widthOf(argument), 0);
  const values = new Float64Array(slices.length * width);
  let column = 0;
  for (const argument of list) {
    for (let part = 0; part < widthOf(argument); ++part, ++column) {
      const last = new Float64Array(run.chart.lanes.length);
      slices.forEach((i, number) => {
        const at = number * width + column;
        values[at] = (last[run.lane[i]] += reader.integer()) + (part % 2 === 1 ? values[at - 1] : 0);
      });
    }
  }
  for (const i of slices) run.heldFrom[i] = reader.natural();
  const held = new Float64Array(run.chart.lanes.length);
  for (const i of slices) if (run.heldFrom[i] > 0) run.held[i] = held[run.lane[i]] += reader.integer();
  return { width, values };
}

/// Computes start and end of each slice from the rules and the durations to which it refers.
function decodeDates(run, durations, reader) {
  const { lanes, groups, kinds } = run.chart;
  for (const name of ["start", "end"]) run[name] = new Float64Array(run.count);
  const free = new Float64Array(lanes.length);
  const before = groups.map(() => []); // by group, its slices so far
  const last = kinds.map(() => new Float64Array(lanes.length)); // by kind and lane, the last duration
  let unused = 0;
  for (let i = 0; i < run.count; ++i) {
    const [lane, other, rule, duration] = [run.lane[i], run.other[i], run.rule[i], run.duration[i]];
    const own = before[lanes[lane].group];
    let start = other < 0 ? free[lane] : Math.max(free[lane], free[other]);
    if (rule === 0) start = reader.real();
    if (rule > 1) start = Math.max(start, run.end[referencedSlice(run, i, own)]);
    if (duration > 0) last[run.kind[i]][lane] = durations[duration === 1 ? unused++ : duration - 2];
    run.start[i] = start;
    run.end[i] = free[lane] = start + last[run.kind[i]][lane];
    if (other >= 0) free[other] = run.end[i];
    own.push(i);
  }
}

/// Returns the slice to which the rule of slice i refers: the k-th last of all, or of the other lanes of its group.
function referencedSlice(run, i, own) {
  let back = (run.rule[i] >> 1) - 1;
  if (run.rule[i] % 2 === 1) return i - 1 - back;
  let at = own.length - 1;
  for (; at > 0 && (run.lane[own[at]] === run.lane[i] || back-- > 0); --at);
  return own[at];
}
