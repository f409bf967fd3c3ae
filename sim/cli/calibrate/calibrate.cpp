// The program starport-calibrate, which `starport calibrate` starts: measures this machine and
// writes its platform file. A program of its own because a BLAS may start threads when it is
// loaded.
#include "sim/app/calibration_options.hpp"
#include "sim/app/command_line.hpp"
#include "sim/app/program.hpp"
#include "sim/files/error.hpp"
#include "sim/files/input_file.hpp"
#include "sim/files/json.hpp"
#include "sim/files/numbers.hpp"
#include "sim/files/output.hpp"
#include "sim/kernel/node_measures.hpp"
#include "sim/kernel/sample_statistics.hpp"
#include "sim/kernel/speed_measures.hpp"
#include "sim/platform/platform_file.hpp"
#include "sim/process/machine.hpp"
#include "sim/report/trace_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace starport {
namespace {

/// Returns the link of --link and --latency. Without --link it measures a local socket and stores
/// the samples in `file`.
FittedLink link_of(const CommandLine& line, std::int64_t block_bytes, PlatformFile& file) {
  const auto bandwidth = quantity(line, "link", Dimension::bandwidth);
  FittedLink link{.bandwidth_bytes_per_s = bandwidth.value_or(0), .latency_s = 0};
  if (!bandwidth) {
    file.samples->links = measure_loopback(block_bytes);
    link = fit_link(file.samples->links, 1);
  }
  link.latency_s = quantity(line, "latency", Dimension::time).value_or(link.latency_s);
  return link;
}

/// Measures the speed function of one worker while no other runs.
std::vector<SpeedSample> measure_alone(std::int64_t block_size, double memory_bytes,
                                       std::int64_t most) {
  SpeedMeter meter(block_size, {}, memory_bytes);
  const auto measure = [&](std::int64_t side) {
    return PerWorker<std::optional<SpeedSample>>{meter.measure(side)};
  };
  return measure_speed_functions(largest_side(memory_bytes, block_size, most), measure).front();
}

/// Transfers and updates of one worker in the trace.
struct Observed {
  std::map<std::int64_t, std::vector<double>> transfers_s;  ///< durations by size in blocks
  std::vector<double> pauses_s;  ///< from the end of a transfer to the port's next one
  double computing_s = 0;
  std::int64_t block_updates = 0;
};

constexpr auto kColumns =
    std::to_array<std::string_view>({"heuristic", "kind", "worker", "a_blocks", "b_blocks",
                                     "c_blocks", "block_updates", "start_s", "end_s"});
enum Column : std::size_t { heuristic, kind, worker, a, b, c, updates, start, end };

/// Collects the observations of all workers from the rows of a trace. Transfers of a run must be in
/// the order of the port.
class RunReader {
 public:
  explicit RunReader(std::size_t workers) { observed_.resize(workers); }

  void receive(const std::vector<std::string>& fields, std::size_t line) {
    line_ = line;
    if (width_ == 0) return find_columns(fields);
    if (fields.size() != width_)
      fail(fmt::format("{} fields", width_), std::to_string(fields.size()));
    fields_ = &fields;
    const std::string& name = text(heuristic);
    if (name.ends_with(" predicted")) return;
    Observed& mine = observed_[number<std::int64_t>(worker, 1, std::ssize(observed_)) - 1];
    const double start_s = date(start);
    const double end_s = date(end);
    if (text(kind).starts_with(kLost)) {
      if (text(kind) != "lost update") last_run_.clear();  // the port's next pause is not known
      return;
    }
    if (text(kind) == "update") {
      mine.computing_s += end_s - start_s;
      mine.block_updates += text(updates).empty() ? 0 : count(updates);
      return;
    }
    if (last_ != nullptr && last_run_ == name) last_->pauses_s.push_back(start_s - last_end_s_);
    mine.transfers_s[count(a) + count(b) + count(c)].push_back(end_s - start_s);
    last_ = &mine;
    last_run_ = name;
    last_end_s_ = end_s;
  }

  PerWorker<Observed> finish() {
    if (last_ == nullptr) throw InputError("", "a trace of a real run", "none in it");
    return std::move(observed_);
  }

 private:
  [[noreturn]] void fail(const std::string& expected, const std::string& found) const {
    throw InputError(fmt::format("line {}", line_), expected, found,
                     "starport-mpi execute ... --trace FILE.csv writes one");
  }
  void find_columns(const std::vector<std::string>& header) {
    for (std::size_t i = 0; i < kColumns.size(); ++i) {
      const auto found = std::ranges::find(header, kColumns[i]);
      if (found == header.end()) fail(fmt::format("a column {}", kColumns[i]), "no such column");
      at_[i] = static_cast<std::size_t>(found - header.begin());
    }
    width_ = header.size();
  }
  const std::string& text(Column column) const { return (*fields_)[at_[column]]; }
  template <class Number>
  Number number(Column column, Number least, Number most) const {
    const auto value = parse_number<Number>(text(column));
    if (!value || *value < least || *value > most) {
      fail(fmt::format("{} from {} to {}", kColumns[column], least, most),
           "'" + text(column) + "'");
    }
    return *value;
  }
  std::int64_t count(Column column) const { return number<std::int64_t>(column, 0, kMaxBlocks); }
  double date(Column column) const { return number<double>(column, 0, 1e12); }

  PerWorker<Observed> observed_;
  std::array<std::size_t, kColumns.size()> at_{};
  std::size_t width_ = 0;
  std::size_t line_ = 0;
  const std::vector<std::string>* fields_ = nullptr;
  Observed* last_ = nullptr;  ///< worker of the last transfer, in observed_
  std::string last_run_;
  double last_end_s_ = 0;
};

/// Fits c (slope, seconds per block) and the latency (intercept, seconds) of a worker by a line
/// through the mean duration for each message size. The 10 % quantile of the port's pauses, during
/// which it waits for nothing else, is added to the latency.
Line fit_transfers(const Observed& worker, double known_latency_s) {
  std::vector<double> blocks;
  std::vector<double> means_s;
  for (const auto& [size, seconds] : worker.transfers_s) {
    blocks.push_back(static_cast<double>(size));
    means_s.push_back(sample_mean(seconds));
  }
  Line line =
      blocks.size() > 1 ? fit_line_to_means(blocks, means_s) : Line{.slope = 0, .intercept = 0};
  if (line.slope <= 0) {  // a single message size, or noisy measurements
    const double largest_s = means_s.back();
    const double latency_s = std::min(known_latency_s, largest_s / 2);
    line = {.slope = (largest_s - latency_s) / blocks.back(), .intercept = latency_s};
  }
  if (!worker.pauses_s.empty()) {
    line.intercept += std::max(0.0, quantile_of(worker.pauses_s, 0.1));
  }
  return line;
}

/// Returns a copy of the platform with c_i (seconds per block), latencies (seconds) and w_i
/// (seconds per block update) fitted to the real runs in the CSV trace at `trace_path`, which
/// starport-mpi execute wrote; its predicted (simulated) runs are ignored. Workers without
/// transfers keep c_i and latency, those without updates w_i; all figures are those of the model
/// for the file's block size, and speed functions and measured samples are dropped. Throws
/// InputError, which names the file, if the platform file has no block size or is invalid at it, or
/// the trace cannot be read, is malformed, names workers that the platform lacks, or holds no
/// transfer of a real run. Does not check the fitted figures: durations that are 0 or negative in
/// the trace may make them 0, negative or NaN, which PlatformFile::at_block_size() refuses.
PlatformFile fit_to_trace(const PlatformFile& file, const std::string& trace_path) {
  const std::int64_t q = file.block_size.value_or(0);
  if (q == 0) {
    throw InputError::with_problem("/block_size", "the platform has no block size",
                                   "Add the one of the run, such as \"block_size\": 80")
        .in_file(file.path);
  }
  const Platform platform = file.at_block_size(q);
  PerWorker<Observed> observed;
  try {
    RunReader run(platform.workers.size());
    CsvReader csv([&](const auto& fields, std::size_t line) { run.receive(fields, line); });
    csv.read_path(trace_path);
    observed = run.finish();
  } catch (const InputError& error) {
    throw error.in_file(trace_path);
  }
  PlatformFile fitted = file;
  fitted.entries.clear();
  fitted.samples.reset();
  for (std::int64_t i = 0; i < std::ssize(platform.workers); ++i) {
    Worker worker = platform.workers[i];
    worker.speeds.reset();
    if (!observed[i].transfers_s.empty()) {
      const Line line = fit_transfers(observed[i], worker.latency_s);
      worker.c_s = line.slope;
      worker.latency_s = line.intercept;
    }
    if (observed[i].block_updates > 0) {
      worker.w_s = observed[i].computing_s / static_cast<double>(observed[i].block_updates);
    }
    fitted.entries.push_back(
        {.worker = worker, .count = 1, .pointer = fmt::format("/workers/{}", i)});
  }
  return fitted;
}

/// Carries out --from-trace: fits the platform of --platform to a trace instead of measuring.
int refit(const CommandLine& line) {
  const std::string trace = line.text("from-trace");
  const PlatformFile known =
      load_platform(line.required("platform", "the platform file of the run that is in the trace"));
  const std::string path = calibration_output(line);
  OutputFile output(path, "--output");
  PlatformFile file = fit_to_trace(known, trace);
  file.path = path;
  file.name = line.find("name").value_or(known.name);
  file.provenance = fmt::format(
      "starport calibrate --from-trace {}, {}: c_i, w_i and latencies as "
      "real runs took them. {}",
      trace, utc_timestamp(), known.provenance);
  const std::string told = calibrated_text(file, path);
  output.write(to_json(file));
  output.commit();
  print(told);
  return kSuccess;
}

}  // namespace

int calibrate(const std::vector<std::string>& arguments) {
  CommandLine line(
      "calibrate", {},
      "Measures this machine and writes its platform file: the speed of its dgemm on blocks, as a "
      "worker\ncalls it, its memory, and its link to itself unless one is given. Medians of ten. "
      "For several machines:\nmpirun -n P starport-mpi calibrate -o platform.json",
      "starport calibrate --block-sizes 40,80,160,320 --link 125MBps -o platform.json");
  add_calibration_options(line);
  line.add("workers", "N", "number of workers like this machine, which share its memory", "1")
      .add("link", "BANDWIDTH",
           "bandwidth of a worker's link, such as 125MBps (default: measured through a local "
           "socket)")
      .add("latency", "TIME",
           "latency of that link, such as 50us (default: 0 with --link, else measured)")
      .add("from-trace", "FILE.csv",
           "measure nothing: fit the figures of --platform to the real runs in this trace of "
           "starport-mpi execute")
      .add("platform", "FILE", "with --from-trace: the platform file of these runs");
  if (!line.parse(arguments)) return kSuccess;
  if (line.has("from-trace")) {
    for (const char* option :
         {"link", "latency", "memory", "kernel", "speed-function", "speed-side"}) {
      if (!line.has(option)) continue;
      throw InputError::with_problem(std::string("--") + option,
                                     "it measures, and --from-trace measures nothing",
                                     "Leave it out");
    }
    return refit(line);
  }
  if (line.has("platform")) {
    throw InputError::with_problem("--platform", "it goes with --from-trace only",
                                   "Give --from-trace FILE.csv too, or leave it out");
  }

  const NodeSettings settings = node_settings(line);
  const std::int64_t workers = *line.integer("workers", 1, kMaxWorkers);
  const std::string path = calibration_output(line);
  OutputFile output(path, "--output");
  const NodeReport node = measure_node(settings);
  const Calibration::Dgemm& best = node.dgemm[best_block_size_index(node.dgemm)];

  PlatformFile file;
  file.path = path;
  file.name = line.find("name").value_or(node.host);
  file.block_size = best.block_size;
  file.samples = Calibration{.dgemm = node.dgemm};
  const FittedLink link =
      link_of(line, bytes_of(settings.type) * best.block_size * best.block_size, file);
  const double memory_bytes = node.memory_bytes / static_cast<double>(workers);
  file.provenance = fmt::format("starport calibrate, {}: {}; {}; link {}.", utc_timestamp(),
                                node.description(), settings_text(settings),
                                line.has("link") ? "as given" : "measured through a local socket");
  file.entries.push_back(
      {.worker = PlatformFile::Physical{.bandwidth_bytes_per_s = link.bandwidth_bytes_per_s,
                                        .speed_flops = speed_flops(best),
                                        .memory_bytes = memory_bytes,
                                        .latency_s = link.latency_s},
       .count = workers,
       .pointer = "/workers/0",
       .speed_function = {}});
  std::string told = node.table() + "\n";
  if (settings.speed_side) {
    auto& samples = file.entries.front().speed_function;
    samples = measure_alone(*file.block_size, memory_bytes, *settings.speed_side);
    told += speed_table(samples) + "\n";
  }
  file.element_type = settings.type;
  told += calibrated_text(file, path);
  output.write(to_json(file));
  output.commit();
  print(node.description() + "\n" + told);
  return kSuccess;
}

}  // namespace starport

int main(int argc, char** argv) { return starport::run_program(argc, argv, starport::calibrate); }
