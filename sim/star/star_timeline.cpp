#include "sim/star/star_timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace starport {
namespace {

enum Kind : std::size_t {
  c_sent,
  ab_sent,
  abc_sent,
  c_returned,
  computation,
  lost_send,
  lost_return,
  lost_update
};

const SliceArgument kA{"A", {"rows", "k"}};
const SliceArgument kB{"B", {"k", "columns"}};
const SliceArgument kC{"C", {"rows", "columns"}};
const SliceArgument kWork{"work", {"rows", "columns", "k"}};
const SliceArgument kAfter{"after update", {}};
const SliceArgument kAllows{"allows update", {}};
const SliceArgument kNumber{"update", {}};
const SliceArgument kAdded{"blocks of C added", {}};
const SliceArgument kReleased{"released blocks", {}};

const std::vector<SliceArgument> kUpdate{kNumber, kWork, kAdded, kReleased};

/// By Kind.
const std::vector<SliceKind> kKinds{
    {"C sent", "transfer", SliceRole::send_c, Way::to_group, {kC, kAfter, kAllows}},
    {"A, B sent", "transfer", SliceRole::send_operands, Way::to_group, {kA, kB, kAfter, kAllows}},
    {"C with A, B sent",
     "transfer",
     SliceRole::send_all,
     Way::to_group,
     {kA, kB, kC, kAfter, kAllows}},
    {"C returned", "transfer", SliceRole::return_c, Way::from_group, {kC, kAfter}},
    {"computation", "update", SliceRole::compute, Way::none, kUpdate},
    {"lost", "transfer", SliceRole::lost, Way::to_group, {kA, kB, kC, kAfter, kAllows}},
    {"lost", "transfer", SliceRole::lost, Way::from_group, {kC, kAfter}},
    {"lost", "update", SliceRole::lost, Way::none, kUpdate}};

/// By what is carried: 1 for A, 2 for B, 4 for C, added; the last one is that of updates.
const std::vector<std::string> kLabels{"", "A", "B", "A+B", "C", "A+C", "B+C", "A+B+C", "update"};

/// The lanes: the port or the sends, then two for each worker, then the returns of two ports.
std::size_t link_lane(const Transfer& transfer) {
  return 2 * static_cast<std::size_t>(transfer.worker) + 1;
}

class StarTimeline {
 public:
  explicit StarTimeline(const TracedRun& run) : run_(run) {}

  Timeline make() && {
    timeline_.name = run_.heuristic;
    timeline_.port = to_string(run_.platform.port.kind);
    timeline_.kinds = kKinds;
    timeline_.labels = kLabels;
    timeline_.bound_s = run_.bound_s;
    add_lanes();
    numbers_.resize(run_.platform.workers.size());
    for (std::size_t i = 0; i < run_.trace.size(); ++i) {
      add_transfer(i);
      if (!run_.trace[i].transfer.update.empty()) add_update(i);
    }
    return std::move(timeline_);
  }

 private:
  void add_group(std::string name, std::optional<std::int64_t> worker, std::string waits) {
    timeline_.groups.push_back({std::move(name), worker, std::nullopt, std::move(waits)});
  }

  void add_lanes() {
    const auto& workers = run_.platform.workers;
    auto [groups, lanes] = std::tie(timeline_.groups, timeline_.lanes);
    const bool two = run_.platform.port.kind == Port::Kind::two;
    if (two) {
      add_group("sends", std::nullopt, "");
      add_group("returns", std::nullopt, "");
    } else {
      add_group("port", std::nullopt, "port waits");
    }
    lanes.push_back({two ? "master's send port" : "master's port", 0});
    for (std::size_t i = 0; i < workers.size(); ++i) {
      const auto number = static_cast<std::int64_t>(i + 1);
      add_group(run_.platform.names[i], number, "");
      groups.back().memory_blocks = workers[i].m_blocks;
      lanes.push_back({"link", groups.size() - 1});
      lanes.push_back({"computation", groups.size() - 1});
    }
    if (two) lanes.push_back({"master's receive port", 1});
  }

  void value(std::int64_t integer) { timeline_.values.push_back(integer); }
  void range(const Range& range) {
    value(range.begin);
    value(range.end);
  }
  void box(const Rectangle& blocks) {
    range(blocks.rows);
    range(blocks.columns);
  }

  static Kind kind_of(const Transfer& transfer, Fate fate) {
    const bool home = transfer.direction == Direction::to_master;
    if (fate == Fate::lost) return home ? lost_return : lost_send;
    if (home) return c_returned;
    if (transfer.a.empty() && transfer.b.empty()) return c_sent;
    return transfer.c.empty() ? ab_sent : abc_sent;
  }

  /// Of many ports each is a worker's link.
  std::optional<std::size_t> port_lane(const Transfer& transfer) const {
    const Port::Kind port = run_.platform.port.kind;
    if (port == Port::Kind::multi) return std::nullopt;
    const bool returns = port == Port::Kind::two && transfer.direction == Direction::to_master;
    return returns ? timeline_.lanes.size() - 1 : 0;
  }

  std::optional<HeldMemory> held(HeldMemory::From from, std::size_t i,
                                 std::int64_t HeldBlocks::*blocks) const {
    if (run_.held.empty()) return std::nullopt;
    return HeldMemory{from, run_.held[i].*blocks};
  }

  void add_transfer(std::size_t i) {
    const auto& [transfer, dates] = run_.trace[i];
    const bool home = transfer.direction == Direction::to_master;
    const Kind kind = kind_of(transfer, dates.fate);
    if (home) timeline_.makespan_s = std::max(timeline_.makespan_s, dates.end_s);
    timeline_.slices.push_back(
        {.lane = link_lane(transfer),
         .other_lane = port_lane(transfer),
         .kind = kind,
         .label = (transfer.a.empty() ? 0U : 1U) + (transfer.b.empty() ? 0U : 2U) +
                  (transfer.c.empty() ? 0U : 4U),
         .start_s = dates.start_s,
         .end_s = dates.end_s,
         .held =
             held(home ? HeldMemory::From::end : HeldMemory::From::start, i, &HeldBlocks::transfer),
         .first_value = timeline_.values.size()});
    for (const SliceArgument& argument : kKinds[kind].arguments) {
      if (argument.name == kA.name) box(transfer.a);
      if (argument.name == kB.name) box(transfer.b);
      if (argument.name == kC.name) box(transfer.c);
    }
    value(transfer.after_update);
    if (home) return;
    std::int64_t& number = numbers_[static_cast<std::size_t>(transfer.worker)];
    value(transfer.update.empty() ? 0 : ++number);
  }

  void add_update(std::size_t i) {
    const auto& [transfer, dates] = run_.trace[i];
    const Update& update = transfer.update;
    timeline_.slices.push_back({.lane = link_lane(transfer) + 1,
                                .other_lane = std::nullopt,
                                .kind = dates.fate == Fate::complete ? computation : lost_update,
                                .label = kLabels.size() - 1,
                                .start_s = dates.update_start_s,
                                .end_s = dates.update_end_s,
                                .held = held(HeldMemory::From::end, i, &HeldBlocks::update),
                                .first_value = timeline_.values.size()});
    value(numbers_[static_cast<std::size_t>(transfer.worker)]);
    range(update.rows);
    range(update.columns);
    range(update.inner);
    value(update.add_c ? transfer.c.size() : 0);
    value(update.release_a.size() + update.release_b.size());
  }

  const TracedRun& run_;
  Timeline timeline_;
  std::vector<std::int64_t> numbers_;  ///< of each worker's last update
};

}  // namespace

Timeline star_timeline(const TracedRun& run) { return StarTimeline(run).make(); }

}  // namespace starport
