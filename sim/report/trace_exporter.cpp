// Writes timelines as CSV traces and as Chrome trace events.
#include "sim/files/error.hpp"
#include "sim/files/json.hpp"
#include "sim/files/text.hpp"
#include "sim/report/trace_files.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <unordered_map>

namespace starport {
namespace {

/// Numbers of blocks and updates in the arguments of a slice, as both formats report them. A box of
/// two index ranges holds blocks, a box of three holds block updates.
struct Counts {
  std::optional<std::int64_t> a, b, c, released, updates;
  std::int64_t blocks = 0;
};

Counts counts_of(const Timeline& timeline, const Slice& slice) {
  Counts counts;
  if (timeline.kind_of(slice).direction != TransferDirection::none)
    counts.a = counts.b = counts.c = 0;
  visit_arguments(timeline, slice, [&](const ArgumentValue& value) {
    const std::string& name = value.argument.name;
    const std::int64_t size = value.size();
    if (name == "A") counts.a = size;
    if (name == "B") counts.b = size;
    if (name == "C") counts.c = size;
    if (name == "released blocks") counts.released = size;
    if (value.argument.axes.size() == 2) counts.blocks += size;
    if (value.argument.axes.size() == 3) counts.updates = size;
  });
  return counts;
}

// Append a field to a row of CSV, with a comma behind it.
void add_field(std::string& row, std::string_view text) {
  append_csv_field(row, text);
  row += ',';
}
void add_field(std::string& row, std::int64_t number) {
  const fmt::format_int digits(number);
  row.append(digits.data(), digits.size());
  row += ',';
}
void add_field(std::string& row, double number) {
  fmt::format_to(std::back_inserter(row), "{},", number);
}
template <class Value>
void add_field(std::string& row, const std::optional<Value>& value) {
  value ? add_field(row, *value) : add_field(row, "");
}

/// Writes dates in microseconds as integer multiples ("ticks") of a power of ten, about 1e-13 of
/// the last date. Consecutive slices then do not overlap by rounding errors, at any time scale.
class Microseconds {
 public:
  explicit Microseconds(double longest_s)
      : decimals_(longest_s > 0 ? 12 - static_cast<int>(std::floor(std::log10(longest_s * 1e6)))
                                : 0),
        scale_(std::pow(10, decimals_)) {}

  std::int64_t ticks(double seconds) const { return std::llround(seconds * 1e6 * scale_); }
  std::string text(std::int64_t ticks) const {
    constexpr int most_decimals = 15;
    if (decimals_ < 1 || decimals_ > most_decimals) return fmt::format("{}e{}", ticks, -decimals_);
    const auto unit = static_cast<std::int64_t>(scale_);
    return fmt::format("{}.{:0{}}", ticks / unit, ticks % unit, decimals_);
  }

 private:
  int decimals_;
  double scale_;
};

/// Caches texts as JSON strings: a trace repeats few names many times.
class JsonStringCache {
 public:
  /// Returns the text as a JSON string, valid as long as the cache.
  const std::string& operator()(const std::string& text) {
    const auto [entry, added] = texts_.try_emplace(text);
    if (added) entry->second = quote_json_string(text);
    return entry->second;
  }

 private:
  std::unordered_map<std::string, std::string> texts_;
};

/// Formats a slice as a complete event. `name` and `category` are JSON strings, `arguments` the
/// members of a JSON object.
std::string slice_event(std::string_view name, std::string_view category, int process,
                        std::int64_t track, const Microseconds& time, double start_s, double end_s,
                        std::string_view arguments) {
  const std::int64_t start = time.ticks(start_s);
  const std::int64_t end = time.ticks(end_s);
  return fmt::format(
      R"({{"name": {}, "cat": {}, "ph": "X", "pid": {}, "tid": {}, "ts": {}, "dur": {}, )"
      R"("args": {{{}}}}})",
      name, category, process, track, time.text(start), time.text(end - start), arguments);
}

/// Formats a slice without duration as an instant event on its track.
std::string instant_event(std::string_view name, std::string_view category, int process,
                          std::int64_t track, const Microseconds& time, double date_s,
                          std::string_view arguments) {
  return fmt::format(
      R"({{"name": {}, "cat": {}, "ph": "i", "s": "t", "pid": {}, "tid": {}, "ts": {}, )"
      R"("args": {{{}}}}})",
      name, category, process, track, time.text(time.ticks(date_s)), arguments);
}

std::int64_t track_of(std::size_t lane) { return static_cast<std::int64_t>(lane) + 1; }

/// Formats an event that names a process or a track.
std::string metadata(const char* what, int process, std::int64_t track, const std::string& name) {
  return fmt::format(R"({{"name": "{}", "ph": "M", "pid": {}, "tid": {}, "args": {{"name": {}}}}})",
                     what, process, track, quote_json_string(name));
}

}  // namespace

TraceFormat trace_format(const std::string& path) {
  if (path.ends_with(".csv")) return TraceFormat::csv;
  if (path.ends_with(".json")) return TraceFormat::chrome;
  throw InputError("--trace", "a file that ends in .csv or .json", "'" + path + "'");
}

TraceExporter::TraceExporter(TraceFormat format, Sink sink)
    : format_(format), sink_(std::move(sink)) {
  sink_(format_ == TraceFormat::csv
            ? "heuristic,kind,worker,direction,a_blocks,b_blocks,c_blocks,block_updates,"
              "released_blocks,start_s,end_s,held_blocks,m_blocks,bound_s,port,makespan_s,group,"
              "lane,other_group,other_lane,waits,slice,role,held_from,label,details\r\n"
            : "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n");
}

void TraceExporter::add(const Timeline& timeline) {
  format_ == TraceFormat::csv ? add_csv(timeline) : add_chrome(timeline);
}

void TraceExporter::finish() {
  if (format_ == TraceFormat::chrome) sink_("\n]}\n");
}

void TraceExporter::add_csv(const Timeline& timeline) {
  std::string row;
  visit_by_date(timeline, [&](const Slice& slice) {
    const SliceKind& kind = timeline.kind_of(slice);
    const LaneGroup& group = timeline.group_of(slice.lane);
    const LaneGroup* other = slice.other_lane ? &timeline.group_of(*slice.other_lane) : nullptr;
    const Counts counts = counts_of(timeline, slice);
    const char* direction = kind.direction == TransferDirection::none       ? ""
                            : kind.direction == TransferDirection::to_group ? "to_worker"
                                                                            : "to_master";
    const auto held = slice.held ? std::optional(slice.held->blocks) : std::nullopt;
    const char* held_from = !slice.held                                    ? ""
                            : slice.held->from == MemoryLevel::From::start ? "start"
                                                                           : "end";
    const auto add = [&](const auto&... fields) { (add_field(row, fields), ...); };
    row.clear();
    add(timeline.name, kind.role == SliceRole::lost ? std::string(kLost) + kind.what : kind.what);
    add(group.worker, direction, counts.a, counts.b, counts.c, counts.updates, counts.released);
    add(slice.start_s, slice.end_s, held, group.memory_blocks, timeline.bound_s, timeline.port);
    add(timeline.makespan_s, group.name, timeline.lanes[slice.lane].name);
    add(other ? std::string_view(other->name) : "",
        other ? std::string_view(timeline.lanes[*slice.other_lane].name) : "");
    add(other ? other->wait_label : group.wait_label, kind.name, to_string(kind.role), held_from);
    add(timeline.labels[slice.label], format_arguments(timeline, slice));
    row.pop_back();
    row += "\r\n";
    sink_(row);
  });
}

void TraceExporter::write_event(const std::string& event) {
  sink_(first_ ? "" : ",\n");
  first_ = false;
  sink_(event);
}

void TraceExporter::write_process_metadata(const Timeline& timeline) {
  ++process_;
  write_event(metadata("process_name", process_, 0, timeline.name));
  for (const std::vector<std::size_t>& lanes : timeline.lanes_in_use()) {
    for (const std::size_t lane : lanes) {
      const LaneGroup& group = timeline.group_of(lane);
      const std::string& name = timeline.lanes[lane].name;
      write_event(metadata("thread_name", process_, track_of(lane),
                           group.worker ? group.name + " " + name : name));
    }
  }
}

void TraceExporter::add_chrome(const Timeline& timeline) {
  if (!timeline.summary || timeline.summary->first) write_process_metadata(timeline);
  const Microseconds time(timeline.end_s());
  JsonStringCache texts;
  visit_by_date(timeline, [&](const Slice& slice) {
    const SliceKind& kind = timeline.kind_of(slice);
    const LaneGroup& group = timeline.group_of(slice.lane);
    const Counts counts = counts_of(timeline, slice);
    std::string arguments;
    const auto argument = [&](const char* name, const std::optional<std::int64_t>& number) {
      if (!number) return;
      fmt::format_to(std::back_inserter(arguments), R"({}"{}": {})", arguments.empty() ? "" : ", ",
                     name, *number);
    };
    argument("worker", group.worker);
    if (counts.a) argument("blocks", counts.blocks);
    argument("block_updates", counts.updates);
    const std::string category = kind.direction == TransferDirection::none       ? kind.what
                                 : kind.direction == TransferDirection::to_group ? "send"
                                                                                 : "return";
    const char* suffix = kind.role == SliceRole::lost ? " (lost)" : "";
    const auto add = [&](std::size_t lane, const std::string& name) {
      write_event(slice_event(texts(name + suffix), texts(category), process_, track_of(lane), time,
                              slice.start_s, slice.end_s, arguments));
    };
    const std::string& label = timeline.labels[slice.label];
    if (kind.role == SliceRole::remove) {
      return write_event(instant_event(texts(kind.name), texts(category), process_,
                                       track_of(slice.lane), time, slice.start_s, arguments));
    }
    if (slice.other_lane) {
      add(*slice.other_lane,
          fmt::format("{} {} {}", label,
                      kind.direction == TransferDirection::to_group ? "to" : "from", group.name));
    }
    add(slice.lane, label);
  });
}

}  // namespace starport
