#include "sim/report/trace_file.hpp"

#include "sim/files/csv_reader.hpp"
#include "sim/files/error.hpp"
#include "sim/files/json_node.hpp"
#include "sim/platform/platform.hpp"
#include "sim/platform/ties.hpp"
#include "sim/report/trace_export.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

namespace starport {
namespace {

constexpr const char* kHint = "starport run ... --trace FILE.csv writes traces";

enum Field {
  kHeuristic,
  kKind,
  kWorker,
  kDirection,
  kStart,
  kEnd,
  kHeld,
  kMemory,
  kBound,
  kPort,
  kMakespan,
  kGroup,
  kLane,
  kOtherGroup,
  kOtherLane,
  kWaits,
  kSlice,
  kRole,
  kHeldFrom,
  kColumns
};
constexpr std::array<const char*, kColumns> kNames{
    "heuristic",  "kind",    "worker", "direction",  "start_s",  "end_s", "held_blocks",
    "m_blocks",   "bound_s", "port",   "makespan_s", "group",    "lane",  "other_group",
    "other_lane", "waits",   "slice",  "role",       "held_from"};

/// A timeline as it is read: its groups and lanes in the order in which they come.
class TimelineBuilder {
 public:
  std::size_t group(const std::string& name) {
    const auto [at, added] = groups_.emplace(name, timeline.groups.size());
    if (added)
      timeline.groups.push_back({.name = name, .worker = {}, .memory_blocks = {}, .waits = {}});
    return at->second;
  }
  std::size_t lane(const std::string& group_name, const std::string& name) {
    const std::size_t in = group(group_name);
    const auto [at, added] = lanes_.emplace(std::pair(in, name), timeline.lanes.size());
    if (added) timeline.lanes.push_back({.name = name, .group = in});
    return at->second;
  }
  std::size_t kind(SliceKind kind) {
    const auto [at, added] =
        kinds_.emplace(std::tuple(kind.name, kind.role, kind.way), timeline.kinds.size());
    if (added) timeline.kinds.push_back(std::move(kind));
    return at->second;
  }

  /// The groups by worker, behind those that are shared.
  Timeline finish() && {
    std::vector<std::size_t> order(timeline.groups.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t one, std::size_t other) {
      return timeline.groups[one].worker < timeline.groups[other].worker;
    });
    std::vector<LaneGroup> sorted;
    std::vector<std::size_t> place(order.size());
    for (const std::size_t group : order) {
      place[group] = sorted.size();
      sorted.push_back(std::move(timeline.groups[group]));
    }
    timeline.groups = std::move(sorted);
    for (Lane& lane : timeline.lanes) lane.group = place[lane.group];
    return std::move(timeline);
  }

  Timeline timeline;

 private:
  std::map<std::string, std::size_t> groups_;
  std::map<std::pair<std::size_t, std::string>, std::size_t> lanes_;
  std::map<std::tuple<std::string, SliceRole, Way>, std::size_t> kinds_;
};

class TraceReader {
 public:
  explicit TraceReader(std::optional<std::string> heuristic) : asked_(std::move(heuristic)) {
    built_.timeline.labels = {""};
  }

  void receive(const std::vector<std::string>& fields, std::size_t line) {
    line_ = line;
    if (width_ == 0) return find_columns(fields);
    if (fields.size() != width_) {
      fail(fmt::format("{} fields, as in the header", width_), fmt::format("{}", fields.size()));
    }
    for (std::size_t i = 0; i < kColumns; ++i) fields_[i] = &fields[at_[i]];
    const std::string& name = *fields_[kHeuristic];
    if (std::find(names_.begin(), names_.end(), name) == names_.end()) names_.push_back(name);
    if (name == asked_.value_or(names_.front())) add_row();
  }

  /// What was read, once all the rows have been received.
  Timeline finish() {
    if (width_ == 0) throw InputError("", "a trace", "an empty file", kHint);
    if (names_.empty()) throw InputError("", "a trace", "no row after the header", kHint);
    const bool known = !asked_ || std::find(names_.begin(), names_.end(), *asked_) != names_.end();
    if (!known || (!asked_ && names_.size() > 1)) {
      throw InputError("--heuristic",
                       fmt::format("one of the trace's: {}", fmt::join(names_, ", ")),
                       known ? "none" : "'" + *asked_ + "'");
    }
    built_.timeline.name = asked_.value_or(names_.front());
    return std::move(built_).finish();
  }

 private:
  [[noreturn]] void fail(std::string expected, std::string found, std::string hint = {}) const {
    throw InputError(fmt::format("line {}", line_), std::move(expected), std::move(found),
                     std::move(hint));
  }
  [[noreturn]] void fail(Field column, const std::string& expected) const {
    fail(fmt::format("{} to be {}", kNames[column], expected), "'" + *fields_[column] + "'");
  }

  void find_columns(const std::vector<std::string>& header) {
    for (std::size_t i = 0; i < kColumns; ++i) {
      const auto found = std::find(header.begin(), header.end(), kNames[i]);
      if (found == header.end()) {
        fail(fmt::format("a trace, with a column {}", kNames[i]), "none of that name", kHint);
      }
      at_[i] = static_cast<std::size_t>(found - header.begin());
    }
    width_ = header.size();
  }

  template <class Number>
  Number number(Field column, Number least, Number most, const char* expected) const {
    const std::string& text = *fields_[column];
    Number value{};
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || rest != text.data() + text.size() ||
        !(value >= least && value <= most)) {
      fail(column, expected);
    }
    return value;
  }
  double date(Field column) const {
    return number<double>(column, 0, std::numeric_limits<double>::max(), "a date in seconds");
  }
  const std::string& text(Field column, const char* expected) const {
    if (fields_[column]->empty()) fail(column, expected);
    return *fields_[column];
  }

  SliceKind kind() const {
    const std::string& direction = *fields_[kDirection];
    SliceKind kind{.name = text(kSlice, "what legends call it"),
                   .what = text(kKind, "a kind of slice"),
                   .role = {},
                   .way = direction.empty()          ? Way::none
                          : direction == "to_worker" ? Way::to_group
                                                     : Way::from_group,
                   .arguments = {}};
    if (kind.way == Way::from_group && direction != "to_master") {
      fail(kDirection, "to_worker, to_master or empty");
    }
    const auto role = std::find(kSliceRoles.begin(), kSliceRoles.end(), *fields_[kRole]);
    if (role == kSliceRoles.end()) {
      fail(kRole, fmt::format("one of {}", fmt::join(kSliceRoles, ", ")));
    }
    kind.role = static_cast<SliceRole>(role - kSliceRoles.begin());
    return kind;
  }

  void add_row() {
    Timeline& timeline = built_.timeline;
    Slice slice{.lane = built_.lane(text(kGroup, "the name of a group"), text(kLane, "a lane")),
                .other_lane = {},
                .kind = built_.kind(kind()),
                .label = 0,
                .start_s = date(kStart),
                .end_s = date(kEnd),
                .held = {},
                .first_value = 0};
    LaneGroup* shared = &timeline.groups[timeline.lanes[slice.lane].group];
    if (!fields_[kWorker]->empty()) {
      shared->worker = number<std::int64_t>(kWorker, 1, kMostWorkers, "a worker's number");
    }
    read_memory(*shared, slice);
    if (!fields_[kOtherGroup]->empty()) {
      slice.other_lane = built_.lane(*fields_[kOtherGroup], text(kOtherLane, "a lane"));
      shared = &timeline.groups[timeline.lanes[*slice.other_lane].group];
    }
    if (!fields_[kWaits]->empty()) shared->waits = *fields_[kWaits];
    check_dates(slice);
    timeline.port = *fields_[kPort];
    timeline.makespan_s = date(kMakespan);
    if (timeline.makespan_s == 0) fail(kMakespan, "later than 0");
    if (!fields_[kBound]->empty()) timeline.bound_s = date(kBound);
    timeline.slices.push_back(slice);
  }

  void read_memory(LaneGroup& group, Slice& slice) const {
    if (fields_[kMemory]->empty()) return;
    const auto m = number<std::int64_t>(kMemory, 1, kMostBlocks, "a number of blocks, 1 or more");
    if (group.memory_blocks.value_or(m) != m) {
      fail(kMemory, fmt::format("that of {} above, {}", group.name, *group.memory_blocks));
    }
    group.memory_blocks = m;
    if (fields_[kHeldFrom]->empty()) return;
    const bool from_start = *fields_[kHeldFrom] == "start";
    if (!from_start && *fields_[kHeldFrom] != "end") fail(kHeldFrom, "start, end or empty");
    const auto held = number<std::int64_t>(kHeld, 0, std::numeric_limits<std::int64_t>::max(),
                                           "a number of blocks");
    if (held > m) fail(kHeld, fmt::format("at most m_blocks, {}", m));
    slice.held = {from_start ? HeldMemory::From::start : HeldMemory::From::end, held};
  }

  void check_dates(const Slice& slice) {
    if (slice.end_s < slice.start_s) fail(kEnd, "no earlier than start_s");
    free_s_.resize(built_.timeline.lanes.size());
    for (const std::size_t lane : {slice.lane, slice.other_lane.value_or(slice.lane)}) {
      if (clearly_less(slice.start_s, free_s_[lane])) {
        fail(kStart, fmt::format("{} or later, the end of the slice before in the lane {}",
                                 free_s_[lane], built_.timeline.lanes[lane].name));
      }
    }
    for (const std::size_t lane : {slice.lane, slice.other_lane.value_or(slice.lane)}) {
      free_s_[lane] = slice.end_s;
    }
  }

  std::optional<std::string> asked_;
  std::vector<std::string> names_;
  std::array<std::size_t, kColumns> at_{};
  std::array<const std::string*, kColumns> fields_{};
  std::size_t width_ = 0;
  std::size_t line_ = 0;
  std::vector<double> free_s_;  ///< by lane
  TimelineBuilder built_;
};

}  // namespace

Timeline read_trace(const std::string& path, const std::optional<std::string>& heuristic) {
  TraceReader reader(heuristic);
  CsvReader rows([&](const std::vector<std::string>& fields, std::size_t line) {
    reader.receive(fields, line);
  });
  const std::string text = read_file(path);
  try {
    rows.read(text);
    return reader.finish();
  } catch (const InputError& error) {
    throw error.in_file(path);
  }
}

}  // namespace starport
