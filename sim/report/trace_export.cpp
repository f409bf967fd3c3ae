#include "sim/report/trace_export.hpp"

#include "sim/files/error.hpp"
#include "sim/files/text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace starport {
namespace {}  // namespace

TraceFormat trace_format(const std::string& path) {
  if (path.ends_with(".csv")) return TraceFormat::csv;
  if (path.ends_with(".json")) return TraceFormat::chrome;
  throw InputError("--trace", "a file that ends in .csv or .json", "'" + path + "'");
}

TraceExporter::TraceExporter(TraceFormat format, Sink sink)
    : format_(format), sink_(std::move(sink)) {
  sink_(format_ == TraceFormat::csv
            ? "heuristic,kind,worker,direction,a_blocks,b_blocks,c_blocks,block_updates,"
              "released_blocks,start_s,end_s,held_blocks,m_blocks,bound_s,port\r\n"
            : "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n");
}

void TraceExporter::add(const TracedRun& run) {
  if (format_ == TraceFormat::csv) {
    add_csv(run);
  } else {
    add_chrome(run);
  }
}

void TraceExporter::finish() {
  if (format_ == TraceFormat::chrome) sink_("\n]}\n");
}

void TraceExporter::add_csv(const TracedRun& run) {
  const std::string name = csv_field(run.heuristic);
  const std::string bound = run.bound_s ? fmt::format("{}", *run.bound_s) : "";
  const char* port = to_string(run.platform.port.kind);
  for (std::size_t i = 0; i < run.trace.size(); ++i) {
    const auto& [transfer, dates] = run.trace[i];
    const std::int64_t m = run.platform.workers[static_cast<std::size_t>(transfer.worker)].m_blocks;
    sink_(fmt::format("{},{}transfer,{},{},{},{},{},,,{},{},{},{},{},{}\r\n", name,
                      dates.fate == Fate::lost ? kLost : "", transfer.worker + 1,
                      transfer.direction == Direction::to_worker ? "to_worker" : "to_master",
                      transfer.a.size(), transfer.b.size(), transfer.c.size(), dates.start_s,
                      dates.end_s, run.held[i].transfer, m, bound, port));
    const Update& update = transfer.update;
    if (update.empty()) continue;
    sink_(fmt::format("{},{}update,{},,,,,{},{},{},{},{},{},{},{}\r\n", name,
                      dates.fate == Fate::complete ? "" : kLost, transfer.worker + 1,
                      update.block_updates(), update.release_a.size() + update.release_b.size(),
                      dates.update_start_s, dates.update_end_s, run.held[i].update, m, bound,
                      port));
  }
}

namespace {

/// Dates in microseconds as whole multiples of a power of ten some 1e-13 of the longest one: slices
/// that follow each other do not overlap by a rounding, whatever the time scale.
class Microseconds {
 public:
  explicit Microseconds(double longest_s)
      : decimals_(longest_s > 0 ? 12 - static_cast<int>(std::floor(std::log10(longest_s * 1e6)))
                                : 0) {}

  std::int64_t ticks(double seconds) const {
    return std::llround(seconds * 1e6 * std::pow(10, decimals_));
  }
  std::string text(std::int64_t ticks) const {
    constexpr int most_decimals = 15;
    if (decimals_ < 1 || decimals_ > most_decimals) return fmt::format("{}e{}", ticks, -decimals_);
    const auto unit = static_cast<std::int64_t>(std::pow(10, decimals_));
    return fmt::format("{}.{:0{}}", ticks / unit, ticks % unit, decimals_);
  }

 private:
  int decimals_;
};

std::string slice(const std::string& name, const char* category, int process, std::int64_t track,
                  const Microseconds& time, double start_s, double end_s,
                  const std::string& arguments) {
  const std::int64_t start = time.ticks(start_s);
  const std::int64_t end = time.ticks(end_s);
  return fmt::format(
      R"({{"name": "{}", "cat": "{}", "ph": "X", "pid": {}, "tid": {}, "ts": {}, "dur": {}, )"
      R"("args": {{{}}}}})",
      name, category, process, track, time.text(start), time.text(end - start), arguments);
}

std::string metadata(const char* what, int process, std::int64_t track, const std::string& name) {
  return fmt::format(
      R"({{"name": "{}", "ph": "M", "pid": {}, "tid": {}, "args": {{"name": {}}}}})", what, process,
      track, nlohmann::json(name).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

/// "A+B", "C", ...
std::string carried(const Transfer& transfer) {
  std::string names;
  const auto add = [&](const Rectangle& blocks, const char* name) {
    if (!blocks.empty()) names += (names.empty() ? "" : "+") + std::string(name);
  };
  add(transfer.a, "A");
  add(transfer.b, "B");
  add(transfer.c, "C");
  return names;
}

}  // namespace

void TraceExporter::chrome_event(const std::string& event) {
  sink_(first_ ? "" : ",\n");
  first_ = false;
  sink_(event);
}

void TraceExporter::add_chrome(const TracedRun& run) {
  const auto& [heuristic, platform, trace, held, bound_s] = run;
  const int process = ++process_;
  std::vector<bool> enrolled(platform.workers.size());
  for (const TracedTransfer& event : trace) {
    enrolled[static_cast<std::size_t>(event.transfer.worker)] = true;
  }
  chrome_event(metadata("process_name", process, 0, heuristic));
  const Port::Kind port = platform.port.kind;
  const auto home_track = port == Port::Kind::two ? 2 * std::int64_t(enrolled.size()) + 2 : 1;
  if (port == Port::Kind::one) {
    chrome_event(metadata("thread_name", process, 1, "master's port"));
  } else if (port == Port::Kind::two) {
    chrome_event(metadata("thread_name", process, 1, "master's send port"));
    chrome_event(metadata("thread_name", process, home_track, "master's receive port"));
  }
  const auto link_track = [](std::int64_t worker) { return 2 * worker + 2; };
  const auto cpu_track = [](std::int64_t worker) { return 2 * worker + 3; };
  for (std::size_t i = 0; i < enrolled.size(); ++i) {
    if (!enrolled[i]) continue;
    const auto worker = static_cast<std::int64_t>(i);
    chrome_event(
        metadata("thread_name", process, link_track(worker), fmt::format("P{} link", worker + 1)));
    chrome_event(metadata("thread_name", process, cpu_track(worker),
                          fmt::format("P{} computation", worker + 1)));
  }
  double longest_s = 0;
  for (const TracedTransfer& event : trace) {
    longest_s = std::max({longest_s, event.dates.end_s, event.dates.update_end_s});
  }
  const Microseconds time(longest_s);
  for (const auto& [transfer, dates] : trace) {
    const bool sent = transfer.direction == Direction::to_worker;
    const std::string content = carried(transfer);
    const std::string arguments =
        fmt::format(R"("worker": {}, "blocks": {})", transfer.worker + 1, transfer.blocks());
    const char* category = sent ? "send" : "return";
    const char* fate = dates.fate == Fate::lost ? " (lost)" : "";
    if (port != Port::Kind::multi) {  // whose ports are the links
      chrome_event(slice(
          fmt::format("{} {} P{}{}", content, sent ? "to" : "from", transfer.worker + 1, fate),
          category, process, sent ? 1 : home_track, time, dates.start_s, dates.end_s, arguments));
    }
    chrome_event(slice(content + fate, category, process, link_track(transfer.worker), time,
                       dates.start_s, dates.end_s, arguments));
    if (transfer.update.empty()) continue;
    chrome_event(slice(dates.fate == Fate::complete ? "update" : "update (lost)", "update", process,
                       cpu_track(transfer.worker), time, dates.update_start_s, dates.update_end_s,
                       fmt::format(R"("worker": {}, "block_updates": {})", transfer.worker + 1,
                                   transfer.update.block_updates())));
  }
}

}  // namespace starport
