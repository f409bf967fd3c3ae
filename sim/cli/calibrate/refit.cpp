#include "sim/cli/calibrate/refit.hpp"

#include "sim/files/error.hpp"
#include "sim/files/input_file.hpp"
#include "sim/files/json.hpp"
#include "sim/files/numbers.hpp"
#include "sim/kernel/sample_statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace starport {
namespace {

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

}  // namespace

PlatformFile fit_to_trace(const PlatformFile& file, const std::string& trace_path) {
  const std::int64_t q = file.block_size.value_or(0);
  if (q == 0) throw InputError("/block_size", "that of the run", "none").in_file(file.path);
  const Platform platform = file.at_block_size(q);
  PerWorker<Observed> observed;
  try {
    RunReader run(platform.workers.size());
    CsvReader csv([&](const auto& fields, std::size_t line) { run.receive(fields, line); });
    csv.read(read_file(trace_path));
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

}  // namespace starport
