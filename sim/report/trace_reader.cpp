// Reads timelines back from CSV traces.
#include "sim/files/error.hpp"
#include "sim/files/input_file.hpp"
#include "sim/files/json.hpp"
#include "sim/files/numbers.hpp"
#include "sim/platform/platform.hpp"
#include "sim/platform/ties.hpp"
#include "sim/report/trace_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

namespace starport {
namespace {

constexpr const char* kHint = "starport run ... --trace FILE.csv writes traces";

/// The columns that are read, those of TraceDetail::labels last.
constexpr auto kNames = std::to_array<std::string_view>(
    {"heuristic",  "kind",    "worker", "direction",  "start_s",   "end_s", "held_blocks",
     "m_blocks",   "bound_s", "port",   "makespan_s", "group",     "lane",  "other_group",
     "other_lane", "waits",   "slice",  "role",       "held_from", "label", "details"});

/// Returns the index of a column in kNames: "start_s"_c.
consteval std::size_t operator""_c(const char* name, std::size_t size) {
  std::size_t index = 0;
  while (kNames.at(index) != std::string_view(name, size)) ++index;
  return index;
}

/// Returns the index in `items` of the item with this key; appends `item` if the key is new.
template <class Key, class Item>
std::size_t find_or_add(std::map<Key, std::size_t>& indices, const Key& key,
                        std::vector<Item>& items, Item item) {
  const auto [entry, added] = indices.emplace(key, items.size());
  if (added) items.push_back(std::move(item));
  return entry->second;
}

/// Sorts the groups by worker number; shared groups, which have none, come first.
void sort_groups(Timeline& timeline) {
  std::vector<std::size_t> order(timeline.groups.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return timeline.groups[i].worker; });
  std::vector<LaneGroup> sorted;
  std::vector<std::size_t> place(order.size());
  for (const std::size_t group : order) {
    place[group] = sorted.size();
    sorted.push_back(std::move(timeline.groups[group]));
  }
  timeline.groups = std::move(sorted);
  for (Lane& lane : timeline.lanes) lane.group = place[lane.group];
}

/// Builds the timeline of one heuristic from the rows of a trace.
class TraceReader {
 public:
  TraceReader(std::optional<std::string> heuristic, TraceDetail detail)
      : asked_(std::move(heuristic)), with_labels_(detail == TraceDetail::labels) {
    timeline_.labels = {""};
  }

  /// Reads the fields of a row, the header first. Throws InputError naming the line.
  void add_line(const std::vector<std::string>& fields, std::size_t line) {
    line_ = line;
    if (width_ == 0) return find_columns(fields);
    if (fields.size() != width_) {
      fail(fmt::format("{} fields, as in the header", width_), fmt::format("{}", fields.size()));
    }
    for (std::size_t i = 0; i < kNames.size(); ++i) fields_[i] = &fields[at_[i]];
    const std::string& name = *fields_["heuristic"_c];
    if (std::ranges::find(names_, name) == names_.end()) names_.push_back(name);
    if (name == asked_.value_or(names_.front())) add_row();
  }

  /// Returns the heuristics after the last row, in their order. Throws InputError if there is none.
  const std::vector<std::string>& names() const {
    if (width_ == 0) throw InputError("", "a trace", "an empty file", kHint);
    if (names_.empty()) throw InputError("", "a trace", "no row after the header", kHint);
    return names_;
  }

  /// Returns the timeline after the last row. Throws InputError if there is none, or if it is not
  /// clear which heuristic was meant.
  Timeline finish() {
    const bool is_known =
        asked_ ? std::ranges::find(names(), *asked_) != names_.end() : names().size() == 1;
    if (!is_known) {
      const std::string names = fmt::format("{}", fmt::join(names_, ", "));
      if (asked_)
        throw InputError("--heuristics", "one of the trace's: " + names, "'" + *asked_ + "'");
      throw InputError::with_problem(
          "--heuristics", "the trace has several runs, and none is chosen", "Choose from " + names);
    }
    timeline_.name = asked_.value_or(names_.front());
    for (const TileCount& count : counts_) check(count);
    if (!timeline_.removals.empty() && wrong_count_) throw InputError(*wrong_count_);
    sort_groups(timeline_);
    return std::move(timeline_);
  }

 private:
  [[noreturn]] void fail(std::string expected, std::string found, std::string hint = {}) const {
    throw InputError(fmt::format("line {}", line_), std::move(expected), std::move(found),
                     std::move(hint));
  }
  [[noreturn]] void fail(std::size_t column, const std::string& expected) const {
    fail(fmt::format("{} to be {}", kNames[column], expected), "'" + *fields_[column] + "'");
  }

  void find_columns(const std::vector<std::string>& header) {
    const std::size_t needed = with_labels_ ? kNames.size() : "label"_c;
    for (std::size_t i = 0; i < needed; ++i) {
      const auto found = std::ranges::find(header, kNames[i]);
      if (found == header.end()) {
        fail(fmt::format("a trace with a column {}", kNames[i]), "no such column", kHint);
      }
      at_[i] = static_cast<std::size_t>(found - header.begin());
    }
    width_ = header.size();
  }

  template <class Number>
  Number number(std::size_t column, Number least, Number most, const char* expected) const {
    const auto value = parse_number<Number>(*fields_[column]);
    if (!value || *value < least || *value > most) fail(column, expected);
    return *value;
  }
  double date(std::size_t column) const {
    return number<double>(column, 0, std::numeric_limits<double>::max(), "a date in seconds");
  }
  const std::string& text(std::size_t column, const char* expected) const {
    if (fields_[column]->empty()) fail(column, expected);
    return *fields_[column];
  }

  /// Returns the index of the lane whose group and name are in these columns; adds a new one.
  std::size_t lane(std::size_t group_column, std::size_t name_column) {
    const std::string& group = text(group_column, "the name of a group");
    const std::size_t group_index = find_or_add(groups_, group, timeline_.groups, {.name = group});
    const std::string& name = text(name_column, "a lane");
    return find_or_add(lanes_, {group_index, name}, timeline_.lanes,
                       {.name = name, .group = group_index});
  }

  std::size_t kind() {
    const std::string& direction = *fields_["direction"_c];
    SliceKind kind{.name = text("slice"_c, "what legends call it"),
                   .what = text("kind"_c, "a kind of slice"),
                   .direction = direction.empty()          ? TransferDirection::none
                                : direction == "to_worker" ? TransferDirection::to_group
                                                           : TransferDirection::from_group};
    if (kind.direction == TransferDirection::from_group && direction != "to_master") {
      fail("direction"_c, "to_worker, to_master or empty");
    }
    const auto role = std::ranges::find(kSliceRoles, *fields_["role"_c]);
    if (role == kSliceRoles.end()) {
      fail("role"_c, fmt::format("one of {}", fmt::join(kSliceRoles, ", ")));
    }
    kind.role = static_cast<SliceRole>(role - kSliceRoles.begin());
    if (kind.role == SliceRole::lost && kind.what.starts_with(kLost)) {
      kind.what.erase(0, kLost.size());  // as before it was written
    }
    return find_or_add(kinds_, {kind.name, kind.role, kind.direction}, timeline_.kinds, kind);
  }

  void add_row() {
    Slice slice{.lane = lane("group"_c, "lane"_c),
                .kind = kind(),
                .start_s = date("start_s"_c),
                .end_s = date("end_s"_c)};
    LaneGroup* shared = &timeline_.groups[timeline_.lanes[slice.lane].group];
    if (!fields_["worker"_c]->empty()) {
      shared->worker = number<std::int64_t>("worker"_c, 1, kMaxWorkers, "a worker's number");
    }
    if (with_labels_) slice.label = label();
    read_memory(*shared, slice);
    if (!fields_["other_group"_c]->empty()) {
      slice.other_lane = lane("other_group"_c, "other_lane"_c);
      shared = &timeline_.groups[timeline_.lanes[*slice.other_lane].group];
    }
    if (!fields_["waits"_c]->empty()) shared->wait_label = *fields_["waits"_c];
    const bool is_removal = timeline_.kind_of(slice).role == SliceRole::remove;
    if (is_removal && slice.end_s != slice.start_s) fail("end_s"_c, "start_s, as of all removals");
    if (!is_removal) check_dates(slice);
    count_tile(slice);
    timeline_.port = *fields_["port"_c];
    timeline_.makespan_s = date("makespan_s"_c);
    if (timeline_.makespan_s == 0) fail("makespan_s"_c, "later than 0");
    if (!fields_["bound_s"_c]->empty()) timeline_.bound_s = date("bound_s"_c);
    (is_removal ? timeline_.removals : timeline_.slices).push_back(slice);
  }

  std::size_t label() {
    const std::string& details = *fields_["details"_c];
    const std::string& text = details.empty() ? *fields_["label"_c] : details;
    return find_or_add(labels_, text, timeline_.labels, text);
  }

  void read_memory(LaneGroup& group, Slice& slice) const {
    if (fields_["m_blocks"_c]->empty()) return;
    const auto m =
        number<std::int64_t>("m_blocks"_c, 1, kMaxBlocks, "a number of blocks, 1 or more");
    if (group.memory_blocks.value_or(m) != m) {
      fail("m_blocks"_c,
           fmt::format("{}, as in the rows of {} above", *group.memory_blocks, group.name));
    }
    group.memory_blocks = m;
    if (fields_["held_from"_c]->empty()) return;
    const bool from_start = *fields_["held_from"_c] == "start";
    if (!from_start && *fields_["held_from"_c] != "end") fail("held_from"_c, "start, end or empty");
    const auto held = number<std::int64_t>(
        "held_blocks"_c, 0, std::numeric_limits<std::int64_t>::max(), "a number of blocks");
    if (held > m) fail("held_blocks"_c, fmt::format("at most m_blocks, {}", m));
    slice.held = {from_start ? MemoryLevel::From::start : MemoryLevel::From::end, held};
  }

  /// Counts the tiles that a group's memory holds: one more for each transfer to it, one less for
  /// each removal. Slices without memory use are not counted.
  void count_tile(const Slice& slice) {
    if (!slice.held) return;
    counts_.resize(timeline_.groups.size());
    TileCount& count = counts_[timeline_.lanes[slice.lane].group];
    if (slice.start_s != count.date_s) check(count);
    const SliceKind& kind = timeline_.kind_of(slice);
    if (kind.direction == TransferDirection::to_group) ++count.tiles;
    if (kind.role == SliceRole::remove) --count.tiles;
    count.date_s = slice.start_s;
    count.stated = slice.held->blocks;
    count.line = line_;
  }
  struct TileCount {
    double date_s = 0;
    std::int64_t tiles = 0;
    std::int64_t stated = 0;  ///< in the last row
    std::size_t line = 0;     ///< of the last row
  };
  /// Notes the first group whose last row states another number of tiles than was counted.
  void check(const TileCount& count) {
    if (count.tiles == count.stated || wrong_count_) return;
    wrong_count_ = InputError(
        fmt::format("line {}", count.line),
        fmt::format("held_blocks to be {}, after the transfers and removals above", count.tiles),
        fmt::format("{}", count.stated));
  }

  void check_dates(const Slice& slice) {
    if (slice.end_s < slice.start_s) fail("end_s"_c, "no earlier than start_s");
    free_s_.resize(timeline_.lanes.size());
    for (const std::size_t lane : {slice.lane, slice.other_lane.value_or(slice.lane)}) {
      if (clearly_less(slice.start_s, free_s_[lane])) {
        fail("start_s"_c, fmt::format("{} or later, the end of the slice before in the lane {}",
                                      free_s_[lane], timeline_.lanes[lane].name));
      }
    }
    for (const std::size_t lane : {slice.lane, slice.other_lane.value_or(slice.lane)}) {
      free_s_[lane] = slice.end_s;
    }
  }

  std::optional<std::string> asked_;
  bool with_labels_;
  std::vector<std::string> names_;
  std::array<std::size_t, kNames.size()> at_{};             ///< position of each column in a row
  std::array<const std::string*, kNames.size()> fields_{};  ///< the current row, by kNames
  std::size_t width_ = 0;
  std::size_t line_ = 0;
  std::vector<double> free_s_;             ///< by lane, the end of its last slice
  std::vector<TileCount> counts_;          ///< by group
  std::optional<InputError> wrong_count_;  ///< an error only if the trace reports removals
  Timeline timeline_;
  std::map<std::string, std::size_t> groups_;
  std::map<std::pair<std::size_t, std::string>, std::size_t> lanes_;
  std::map<std::tuple<std::string, SliceRole, TransferDirection>, std::size_t> kinds_;
  std::map<std::string, std::size_t> labels_{{"", 0}};
};

/// Returns what `result` returns after `reader` has read the trace at `path`.
template <class Result>
auto read_with(TraceReader& reader, const std::string& path, const Result& result) {
  CsvReader rows([&](const std::vector<std::string>& fields, std::size_t line) {
    reader.add_line(fields, line);
  });
  const std::string text = read_file(path);
  return with_file_in_errors(path, [&] {
    rows.read(text);
    return result();
  });
}

}  // namespace

Timeline read_trace(const std::string& path, const std::optional<std::string>& heuristic,
                    TraceDetail detail) {
  TraceReader reader(heuristic, detail);
  return read_with(reader, path, [&] { return reader.finish(); });
}

std::vector<std::string> read_trace_names(const std::string& path) {
  TraceReader reader(std::nullopt, TraceDetail::dates);
  return read_with(reader, path, [&] { return reader.names(); });
}

}  // namespace starport
