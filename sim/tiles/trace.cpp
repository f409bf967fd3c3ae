#include "sim/tiles/trace.hpp"

#include "sim/files/text.hpp"
#include "sim/platform/ties.hpp"
#include "sim/tiles/validator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace starport::tiles {
namespace {

bool are_equal(const TracedTask& a, const TracedTask& b) {
  return a.task == b.task && a.worker == b.worker && a.stolen == b.stolen &&
         nearly_equal(a.start_s, b.start_s) && nearly_equal(a.end_s, b.end_s);
}

bool are_equal(const TracedTransfer& a, const TracedTransfer& b) {
  return a.transfer == b.transfer && nearly_equal(a.start_s, b.start_s) &&
         nearly_equal(a.end_s, b.end_s);
}

bool are_equal(const TracedEviction& a, const TracedEviction& b) {
  return a.eviction == b.eviction && nearly_equal(a.date_s, b.date_s);
}

template <class Entry>
std::string find_list_difference(const char* what, const std::vector<Entry>& ours,
                                 const std::vector<Entry>& theirs) {
  for (std::size_t i = 0; i < std::min(ours.size(), theirs.size()); ++i) {
    if (!are_equal(ours[i], theirs[i])) return fmt::format("{} {} differs", what, i + 1);
  }
  if (ours.size() == theirs.size()) return {};
  return fmt::format("{}, not {}", format_count(std::ssize(ours), what), theirs.size());
}

const SliceArgument kTileOfA{"A", {"rows", "k"}};
const SliceArgument kTileOfB{"B", {"k", "columns"}};
const SliceArgument kTileOfC{"C", {"rows", "columns"}};
const SliceArgument kTaskOfTile{"work", {"rows", "columns", "k"}};

/// Indexed by TimelineBuilder::Kind.
const std::vector<SliceKind> kTileKinds{
    {"A, B sent",
     "transfer",
     SliceRole::send_operands,
     TransferDirection::to_group,
     {kTileOfA, kTileOfB}},
    {"C sent", "transfer", SliceRole::send_c, TransferDirection::to_group, {kTileOfC}},
    {"C returned", "transfer", SliceRole::return_c, TransferDirection::from_group, {kTileOfC}},
    {"computation", "update", SliceRole::compute, TransferDirection::none, {kTaskOfTile}},
    {"stolen", "update", SliceRole::steal, TransferDirection::none, {kTaskOfTile}},
    {"reduction", "update", SliceRole::reduce, TransferDirection::none, {kTileOfC}},
    {"A, B evicted", "removal", SliceRole::remove, TransferDirection::none, {kTileOfA, kTileOfB}},
    {"C evicted", "removal", SliceRole::remove, TransferDirection::none, {kTileOfC}},
    {"C overwritten", "removal", SliceRole::remove, TransferDirection::none, {kTileOfC}}};

/// Indexed by TimelineBuilder::Label.
const std::vector<std::string> kTileLabels{"A", "B", "C", "part of C", "task"};

/// Builds the timeline slice by slice.
class TimelineBuilder {
 public:
  /// `held` is nullptr if memories are unlimited.
  TimelineBuilder(const Platform& platform, const TaskGraph& graph, const MemoryOccupancy* held)
      : platform_(platform), graph_(graph), held_(held) {
    timeline_.port = "multi-port";
    timeline_.kinds = kTileKinds;
    timeline_.labels = kTileLabels;
    add_lanes();
  }

  void add(const TracedTransfer& traced) {
    const auto [tile, from, to] = traced.transfer;
    std::optional<std::size_t> other;
    if (from != kHub && to != kHub) other = out_lane(from);
    const bool is_target = graph_.numbering().is_target(tile);
    const Kind kind = to == kHub ? return_c : is_target ? target : operand;
    add_slice(to == kHub ? out_lane(from) : in_lane(to), kind, label_of(tile), traced.start_s,
              traced.end_s);
    timeline_.slices.back().other_lane = other;
    add_memory(to, traced.start_s);
    add_tile(tile, kind == operand);
  }

  void add(const TracedTask& traced) {
    const bool is_reduction = graph_.is_reduction(traced.task);
    const Kind kind = is_reduction ? reduction : traced.stolen ? stolen : update;
    add_slice(task_lane_[static_cast<std::size_t>(traced.worker)], kind, task, traced.start_s,
              traced.end_s);
    add_memory(platform_.worker(traced.worker).node, traced.start_s);
    add_cell(graph_.cell_of(traced.task.target));
    if (!is_reduction) add_range(traced.task.k);
  }

  /// Adds a removal from a memory. Removals must come in the order of their dates, and memories be
  /// limited.
  void add(const MemoryOccupancy::Removal& removal) {
    const bool is_target = graph_.numbering().is_target(removal.tile);
    timeline_.removals.push_back(make_slice(in_lane(removal.node),
                                            !removal.is_eviction ? overwritten
                                            : is_target          ? evicted_target
                                                                 : evicted_operand,
                                            label_of(removal.tile), removal.date_s,
                                            removal.date_s));
    timeline_.removals.back().held = {MemoryLevel::From::start,
                                      held_->tiles_at(removal.node, removal.date_s)};
    add_tile(removal.tile, !is_target);
  }

  /// Sorts the slices by start and returns the timeline.
  Timeline finish() && {
    std::stable_sort(timeline_.slices.begin(), timeline_.slices.end(),
                     [](const Slice& x, const Slice& y) { return x.start_s < y.start_s; });
    return std::move(timeline_);
  }

  Timeline& timeline() { return timeline_; }

 private:
  enum Kind : std::size_t {
    operand,
    target,
    return_c,
    update,
    stolen,
    reduction,
    evicted_operand,
    evicted_target,
    overwritten
  };
  enum Label : std::size_t { a, b, c, part, task };

  std::size_t in_lane(int node) const {
    return first_lane_ + 3 * static_cast<std::size_t>(node - 1);
  }
  std::size_t out_lane(int node) const { return in_lane(node) + 1; }

  void add_lanes() {
    auto& groups = timeline_.groups;
    auto& lanes = timeline_.lanes;
    task_lane_.resize(platform_.workers.size());
    for (std::size_t w = 0; w < platform_.workers.size(); ++w) {
      const Worker& worker = platform_.worker(static_cast<int>(w));
      if (worker.node != kHub) continue;
      groups.push_back({fmt::format("P{}", worker.number + 1), worker.number + 1, {}, ""});
      task_lane_[w] = lanes.size();
      lanes.push_back({"computation", groups.size() - 1});
    }
    first_lane_ = lanes.size();
    for (std::size_t w = 0; w < platform_.workers.size(); ++w) {
      const Worker& worker = platform_.worker(static_cast<int>(w));
      if (worker.node == kHub) continue;
      groups.push_back({fmt::format("P{}", worker.number + 1), worker.number + 1,
                        held_ ? platform_.link(worker.node).memory_tiles : std::nullopt, ""});
      for (const char* name : {"to it", "from it", "computation"}) {
        lanes.push_back({name, groups.size() - 1});
      }
      task_lane_[w] = lanes.size() - 1;
    }
  }

  Slice make_slice(std::size_t lane, Kind kind, Label label, double start_s, double end_s) const {
    return {.lane = lane,
            .other_lane = std::nullopt,
            .kind = kind,
            .label = label,
            .start_s = start_s,
            .end_s = end_s,
            .held = std::nullopt,
            .first_value = timeline_.values.size()};
  }
  void add_slice(std::size_t lane, Kind kind, Label label, double start_s, double end_s) {
    timeline_.slices.push_back(make_slice(lane, kind, label, start_s, end_s));
  }

  Label label_of(Tile tile) const {
    const TileNumbering& numbering = graph_.numbering();
    if (!numbering.is_target(tile)) return numbering.is_of_a(tile) ? a : b;
    return graph_.is_auxiliary(tile - numbering.target(0)) ? part : c;
  }

  /// Adds the number of tiles in memory at the start of the last slice.
  void add_memory(int node, double date_s) {
    if (held_ == nullptr || node == kHub) return;
    timeline_.slices.back().held = {MemoryLevel::From::start, held_->tiles_at(node, date_s)};
  }

  /// Appends the index range [value, value + 1).
  void add_range(std::int64_t value) {
    timeline_.values.push_back(value);
    timeline_.values.push_back(value + 1);
  }
  /// Appends the row and column ranges of a tile of C.
  void add_cell(std::int32_t cell) {
    add_range(graph_.numbering().row(cell));
    add_range(graph_.numbering().column(cell));
  }
  void add_empty_box() { timeline_.values.insert(timeline_.values.end(), 4, 0); }
  /// Appends the ranges of a tile; `both` if the kind has a box for A and one for B.
  void add_tile(Tile tile, bool both) {
    const TileNumbering& numbering = graph_.numbering();
    if (numbering.is_target(tile)) return add_cell(graph_.cell_of(tile - numbering.target(0)));
    const bool is_of_a = numbering.is_of_a(tile);
    if (both && !is_of_a) add_empty_box();
    add_range(numbering.operand_row(tile));
    add_range(numbering.operand_column(tile));
    if (both && is_of_a) add_empty_box();
  }

  const Platform& platform_;
  const TaskGraph& graph_;
  const MemoryOccupancy* held_;
  Timeline timeline_;
  std::size_t first_lane_ = 0;            ///< of the first GPU
  std::vector<std::size_t> task_lane_{};  ///< by worker
};

}  // namespace

void send_records(const TileTrace& trace, const TraceSink& sink) {
  struct Start {
    double date_s;
    int list;
    std::size_t index;
  };
  std::vector<Start> starts;
  starts.reserve(trace.tasks.size() + trace.transfers.size() + trace.evictions.size());
  const auto add = [&](int list, const auto& entries, auto date_s) {
    for (std::size_t i = 0; i < entries.size(); ++i) {
      starts.push_back({entries[i].*date_s, list, i});
    }
  };
  add(0, trace.tasks, &TracedTask::start_s);
  add(1, trace.transfers, &TracedTransfer::start_s);
  add(2, trace.evictions, &TracedEviction::date_s);
  std::sort(starts.begin(), starts.end(), [](const Start& a, const Start& b) {
    return std::tie(a.date_s, a.list, a.index) < std::tie(b.date_s, b.list, b.index);
  });
  for (const auto& [date_s, list, index] : starts) {
    if (list == 0) {
      sink(trace.tasks[index]);
    } else if (list == 1) {
      sink(trace.transfers[index]);
    } else {
      sink(trace.evictions[index]);
    }
  }
}

std::string find_difference(const TileTrace& ours, const TileTrace& theirs) {
  std::string text = find_list_difference("task", ours.tasks, theirs.tasks);
  if (text.empty()) text = find_list_difference("transfer", ours.transfers, theirs.transfers);
  if (text.empty()) text = find_list_difference("eviction", ours.evictions, theirs.evictions);
  return text;
}

Timeline make_tile_timeline(const std::string& name, const Platform& platform,
                            const TaskGraph& graph, const TileTrace& trace, bool limited_memory) {
  const auto held = limited_memory
                        ? std::optional<MemoryOccupancy>(std::in_place, platform, graph, trace)
                        : std::nullopt;
  TimelineBuilder builder(platform, graph, held ? &*held : nullptr);
  for (const TracedTransfer& transfer : trace.transfers) builder.add(transfer);
  for (const TracedTask& task : trace.tasks) builder.add(task);
  if (held) {
    for (const MemoryOccupancy::Removal& removal : held->removals()) builder.add(removal);
  }
  builder.timeline().name = name;
  builder.timeline().makespan_s = trace.end_s();
  return std::move(builder).finish();
}

}  // namespace starport::tiles
