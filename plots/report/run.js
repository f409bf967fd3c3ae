// A run as the page holds it: integers, deflated. Its dates are computed here, by the recurrence that the model is.

const FIELDS = ["aRows", "aColumns", "bRows", "bColumns", "cRows", "cColumns", "rows", "columns", "inner"];
const FLAG = { toMaster: 1, a: 2, b: 4, c: 8, update: 16, box: 32, addC: 64, waited: 128 };
/// The flag without which a transfer has no such range.
const FIELD_FLAG = [FLAG.a, FLAG.a, FLAG.b, FLAG.b, FLAG.c, FLAG.c, FLAG.box, FLAG.box, FLAG.box];
const KIND = { ab: 0, c: 1, return: 2, update: 3, waits: 4 };

async function inflate(base64) {
  const packed = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

class Reader {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }
  /// LEB128; by multiplication, since a number may be longer than 32 bits.
  natural() {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      if (this.at >= this.bytes.length) throw new Error("the embedded run is cut short");
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

/// The transfers, column by column (sim/report/page/run_encoding.hpp).
function decodeRun(bytes, workers, port) {
  const reader = new Reader(bytes);
  const count = reader.natural();
  const column = (Type) => Type.from({ length: count }, () => reader.natural());
  const run = { count, flags: column(Uint8Array), worker: column(Int32Array), after: new Float64Array(count) };
  const allowed = new Float64Array(workers);
  for (let i = 0; i < count; ++i) {
    const lag = reader.natural();
    run.after[i] = lag === 0 ? 0 : allowed[run.worker[i]] + 1 - lag;
    if (run.flags[i] & FLAG.update) ++allowed[run.worker[i]];
  }
  run.ranges = FIELD_FLAG.map((flag) => {
    const range = { begin: new Int32Array(count), size: new Int32Array(count) };
    for (const part of [range.begin, range.size]) {
      const last = new Float64Array(workers);
      for (let i = 0; i < count; ++i) {
        if (run.flags[i] & flag) part[i] = last[run.worker[i]] += reader.integer();
      }
    }
    return range;
  });
  run.starts = new Map();
  for (let i = 0; i < count; ++i) {
    if (run.flags[i] & FLAG.waited) run.starts.set(i, reader.real());
  }
  run.port = port;
  if (port === "multi-port") run.dates = [0, 1].map(() => Float64Array.from({ length: count }, () => reader.real()));
  if (reader.at !== bytes.length) throw new Error("the embedded run is longer than its transfers");
  return run;
}

/// Adds blocks, updates and dates: a transfer starts when its port and its worker are free and the update that it names
/// is over, and lasts latency + blocks * c, but on many ports, where the run has the dates of its transfers; its update
/// starts when it has arrived and the previous update is over, and lasts cost * w. All in seconds.
function dateRun(run, platform, problem) {
  const size = FIELDS.map((_, field) => run.ranges[field].size);
  const columns = ["blocks", "updates", "start", "end", "updateStart", "updateEnd"];
  for (const name of columns) run[name] = new Float64Array(run.count);
  run.number = new Float64Array(run.count); // of the update that the transfer allows, from 1
  run.carrier = platform.c_s.map(() => []); // worker -> number of its update - 1 -> transfer
  const ports = [0, 0]; // from when they are free: on two ports, by direction
  const links = new Float64Array(platform.c_s.length);
  run.makespan = 0;
  for (let i = 0; i < run.count; ++i) {
    const worker = run.worker[i];
    const carriers = run.carrier[worker];
    const c = size[4][i] * size[5][i];
    run.blocks[i] = size[0][i] * size[1][i] + size[2][i] * size[3][i] + c;
    const due = run.after[i] > 0 ? run.updateEnd[carriers[run.after[i] - 1]] : 0;
    const home = run.flags[i] & FLAG.toMaster;
    const port = run.port === "two-port" && home ? 1 : 0;
    run.start[i] = run.starts.get(i) ?? Math.max(ports[port], links[worker], due);
    run.end[i] = run.start[i] + (platform.latency_s[worker] + run.blocks[i] * platform.c_s[worker]);
    if (run.dates) [run.start[i], run.end[i]] = run.dates.map((column) => column[i]);
    const end = (ports[port] = links[worker] = run.end[i]);
    run.makespan = Math.max(run.makespan, end);
    run.updateStart[i] = run.updateEnd[i] = end;
    if (!(run.flags[i] & FLAG.update)) continue;
    run.updates[i] = size[6][i] * size[7][i] * size[8][i];
    const additions = run.flags[i] & FLAG.addC ? c / problem.block_size : 0;
    const previous = carriers.length > 0 ? run.updateEnd[carriers[carriers.length - 1]] : 0;
    run.updateStart[i] = Math.max(end, previous);
    run.updateEnd[i] = run.updateStart[i] + (run.updates[i] + additions) * platform.w_s[worker];
    run.number[i] = carriers.push(i);
  }
  return run;
}

function kindOf(run, i) {
  const flags = run.flags[i];
  if (flags & FLAG.toMaster) return KIND.return;
  return flags & (FLAG.a | FLAG.b) ? KIND.ab : KIND.c;
}
