#include "sim/tiles/tile_timeline.hpp"

#include "sim/tiles/memory_occupancy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace starport::tiles {
namespace {

const SliceArgument kTileOfA{"A", {"rows", "k"}};
const SliceArgument kTileOfB{"B", {"k", "columns"}};
const SliceArgument kTileOfC{"C", {"rows", "columns"}};
const SliceArgument kTaskOfTile{"work", {"rows", "columns", "k"}};

/// By TileTimeline::Kind, and by its Label.
const std::vector<SliceKind> kTileKinds{
    {"A, B sent", "transfer", SliceRole::send_operands, Way::to_group, {kTileOfA, kTileOfB}},
    {"C sent", "transfer", SliceRole::send_c, Way::to_group, {kTileOfC}},
    {"C returned", "transfer", SliceRole::return_c, Way::from_group, {kTileOfC}},
    {"computation", "update", SliceRole::compute, Way::none, {kTaskOfTile}},
    {"stolen", "update", SliceRole::steal, Way::none, {kTaskOfTile}},
    {"reduction", "update", SliceRole::reduce, Way::none, {kTileOfC}}};

const std::vector<std::string> kTileLabels{"A", "B", "C", "part of C", "task"};

class TileTimeline {
 public:
  /// `held` is given where memories are limited.
  TileTimeline(const Platform& platform, const TaskGraph& graph, const MemoryOccupancy* held)
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
    const TileNumbering& numbering = graph_.numbering();
    const std::int32_t square = numbering.square();
    const bool is_target = numbering.is_target(tile);
    const Kind kind = to == kHub ? home : is_target ? target : operand;
    Label label = tile < square ? a : b;
    if (is_target) label = graph_.is_auxiliary(tile - 2 * square) ? part : c;
    begin(to == kHub ? out_lane(from) : in_lane(to), kind, label, traced.start_s, traced.end_s);
    timeline_.slices.back().other_lane = other;
    hold(to, traced.start_s);
    if (is_target) {
      cell(graph_.cell_of(tile - 2 * square));
    } else {
      const std::int32_t at = tile % square;
      if (kind == operand && label == b) empty_box();
      cell(at);
      if (kind == operand && label == a) empty_box();
    }
  }

  void add(const TracedTask& traced) {
    const bool reduces = graph_.is_reduction(traced.task);
    const Kind kind = reduces ? reduction : traced.stolen ? stolen : update;
    begin(task_lane_[static_cast<std::size_t>(traced.worker)], kind, task, traced.start_s,
          traced.end_s);
    hold(platform_.worker(traced.worker).node, traced.start_s);
    cell(graph_.cell_of(traced.task.target));
    if (!reduces) index(traced.task.k);
  }

  Timeline take() && {
    std::stable_sort(timeline_.slices.begin(), timeline_.slices.end(),
                     [](const Slice& x, const Slice& y) { return x.start_s < y.start_s; });
    return std::move(timeline_);
  }

  Timeline& timeline() { return timeline_; }

 private:
  enum Kind : std::size_t { operand, target, home, update, stolen, reduction };
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

  void begin(std::size_t lane, Kind kind, Label label, double start_s, double end_s) {
    timeline_.slices.push_back({.lane = lane,
                                .other_lane = std::nullopt,
                                .kind = kind,
                                .label = label,
                                .start_s = start_s,
                                .end_s = end_s,
                                .held = std::nullopt,
                                .first_value = timeline_.values.size()});
  }

  /// What is in the memory as the last slice starts. What leaves shows there at the next one.
  void hold(int node, double date_s) {
    if (held_ == nullptr || node == kHub) return;
    timeline_.slices.back().held = {HeldMemory::From::start, held_->at(node, date_s)};
  }

  void index(std::int64_t at) {
    timeline_.values.push_back(at);
    timeline_.values.push_back(at + 1);
  }
  void cell(std::int32_t at) {
    index(at / graph_.numbering().n);
    index(at % graph_.numbering().n);
  }
  void empty_box() { timeline_.values.insert(timeline_.values.end(), 4, 0); }

  const Platform& platform_;
  const TaskGraph& graph_;
  const MemoryOccupancy* held_;
  Timeline timeline_;
  std::size_t first_lane_ = 0;            ///< of the GPUs
  std::vector<std::size_t> task_lane_{};  ///< of each worker
};

}  // namespace

Timeline tile_timeline(const std::string& name, const Platform& platform, const TaskGraph& graph,
                       const Trace& trace, double bound_s, bool limited_memory) {
  const auto held = limited_memory ? std::optional<MemoryOccupancy>(std::in_place, platform, graph, trace)
                                   : std::nullopt;
  TileTimeline timeline(platform, graph, held ? &*held : nullptr);
  for (const TracedTransfer& transfer : trace.transfers) timeline.add(transfer);
  for (const TracedTask& task : trace.tasks) timeline.add(task);
  timeline.timeline().name = name;
  timeline.timeline().makespan_s = trace.end_s();
  timeline.timeline().bound_s = bound_s;
  return std::move(timeline).take();
}

}  // namespace starport::tiles
