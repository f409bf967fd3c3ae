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

/// Kinds of slices, indexed by Kind.
const std::vector<SliceKind> kKinds{
    {"C sent", "transfer", SliceRole::send_c, TransferDirection::to_group, {kC, kAfter, kAllows}},
    {"A, B sent",
     "transfer",
     SliceRole::send_operands,
     TransferDirection::to_group,
     {kA, kB, kAfter, kAllows}},
    {"C with A, B sent",
     "transfer",
     SliceRole::send_all,
     TransferDirection::to_group,
     {kA, kB, kC, kAfter, kAllows}},
    {"C returned", "transfer", SliceRole::return_c, TransferDirection::from_group, {kC, kAfter}},
    {"computation", "update", SliceRole::compute, TransferDirection::none, kUpdate},
    {"lost",
     "transfer",
     SliceRole::lost,
     TransferDirection::to_group,
     {kA, kB, kC, kAfter, kAllows}},
    {"lost", "transfer", SliceRole::lost, TransferDirection::from_group, {kC, kAfter}},
    {"lost", "update", SliceRole::lost, TransferDirection::none, kUpdate}};

/// Labels of slices. The index of a transfer is the sum of 1 for A, 2 for B and 4 for C carried;
/// the last label is for updates.
const std::vector<std::string> kLabels{"", "A", "B", "A+B", "C", "A+C", "B+C", "A+B+C", "update"};

/// Returns the lane of the worker's link. Lanes are: the port or the send port, two for each
/// worker, and the receive port if there are two.
std::size_t link_lane(const Transfer& transfer) {
  return 2 * static_cast<std::size_t>(transfer.worker) + 1;
}

Kind kind_of(const Transfer& transfer, Fate fate) {
  const bool home = transfer.direction == Direction::to_master;
  if (fate == Fate::lost) return home ? lost_return : lost_send;
  if (home) return c_returned;
  if (transfer.a.empty() && transfer.b.empty()) return c_sent;
  return transfer.c.empty() ? ab_sent : abc_sent;
}

std::optional<MemoryLevel> memory(MemoryLevel::From from, const std::optional<HeldBlocks>& held,
                                  std::int64_t HeldBlocks::*blocks) {
  if (!held) return std::nullopt;
  return MemoryLevel{from, *held.*blocks};
}

}  // namespace

StarTimeline::StarTimeline(std::string heuristic, const Platform& platform,
                           std::optional<double> bound_s)
    : port_(platform.port.kind), numbers_(platform.workers.size()) {
  timeline_.name = std::move(heuristic);
  timeline_.port = to_string(port_);
  timeline_.kinds = kKinds;
  timeline_.labels = kLabels;
  timeline_.bound_s = bound_s;
  add_lanes(platform);
}

void StarTimeline::add(const TracedTransfer& event, const std::optional<HeldBlocks>& held) {
  add_transfer(event, held);
  if (!event.transfer.update.empty()) add_update(event, held);
}

void StarTimeline::add_to_extent(const TracedTransfer& event) {
  const auto& [transfer, dates] = event;
  if (!timeline_.summary) {
    timeline_.summary = {.first = true,
                         .groups_in_use = std::vector<bool>(timeline_.groups.size())};
  }
  TimelineSummary& summary = *timeline_.summary;
  const auto mark_in_use = [&](std::size_t lane) {
    summary.groups_in_use[timeline_.lanes[lane].group] = true;
  };
  mark_in_use(link_lane(transfer));
  if (const auto port = port_lane(transfer)) mark_in_use(*port);
  summary.end_s = std::max({summary.end_s, dates.end_s, dates.update_end_s});
  if (transfer.direction == Direction::to_master) {
    timeline_.makespan_s = std::max(timeline_.makespan_s, dates.end_s);
  }
}

void StarTimeline::clear_slices() {
  timeline_.slices.clear();
  timeline_.values.clear();
  if (timeline_.summary) timeline_.summary->first = false;
}

void StarTimeline::add_group(std::string name, std::optional<std::int64_t> worker,
                             std::string waits) {
  timeline_.groups.push_back({std::move(name), worker, std::nullopt, std::move(waits)});
}

void StarTimeline::add_lanes(const Platform& platform) {
  const auto& workers = platform.workers;
  auto [groups, lanes] = std::tie(timeline_.groups, timeline_.lanes);
  const bool two = port_ == Port::Kind::two;
  if (two) {
    add_group("sends", std::nullopt, "");
    add_group("returns", std::nullopt, "");
  } else {
    add_group("port", std::nullopt, "port waits");
  }
  lanes.push_back({two ? "master's send port" : "master's port", 0});
  for (std::size_t i = 0; i < workers.size(); ++i) {
    add_group(platform.names[i], static_cast<std::int64_t>(i + 1), "");
    groups.back().memory_blocks = workers[i].m_blocks;
    lanes.push_back({"link", groups.size() - 1});
    lanes.push_back({"computation", groups.size() - 1});
  }
  if (two) lanes.push_back({"master's receive port", 1});
}

void StarTimeline::range(const Range& range) {
  value(range.begin);
  value(range.end);
}

void StarTimeline::box(const Rectangle& blocks) {
  range(blocks.rows);
  range(blocks.columns);
}

// On many ports the links of the workers are the ports.
std::optional<std::size_t> StarTimeline::port_lane(const Transfer& transfer) const {
  if (port_ == Port::Kind::multi) return std::nullopt;
  const bool returns = port_ == Port::Kind::two && transfer.direction == Direction::to_master;
  return returns ? timeline_.lanes.size() - 1 : 0;
}

void StarTimeline::add_transfer(const TracedTransfer& event,
                                const std::optional<HeldBlocks>& held) {
  const auto& [transfer, dates] = event;
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
       .held = memory(home ? MemoryLevel::From::end : MemoryLevel::From::start, held,
                      &HeldBlocks::transfer),
       .first_value = timeline_.values.size()});
  for (const SliceArgument& argument : kKinds[kind].arguments) {
    if (argument.name == kA.name) box(transfer.a);
    if (argument.name == kB.name) box(transfer.b);
    if (argument.name == kC.name) box(transfer.c);
  }
  value(transfer.after_update);
  if (home) return;
  std::int64_t& number = numbers_[transfer.worker];
  value(transfer.update.empty() ? 0 : ++number);
}

void StarTimeline::add_update(const TracedTransfer& event, const std::optional<HeldBlocks>& held) {
  const auto& [transfer, dates] = event;
  const Update& update = transfer.update;
  timeline_.slices.push_back({.lane = link_lane(transfer) + 1,
                              .other_lane = std::nullopt,
                              .kind = dates.fate == Fate::complete ? computation : lost_update,
                              .label = kLabels.size() - 1,
                              .start_s = dates.update_start_s,
                              .end_s = dates.update_end_s,
                              .held = memory(MemoryLevel::From::end, held, &HeldBlocks::update),
                              .first_value = timeline_.values.size()});
  value(numbers_[transfer.worker]);
  range(update.rows);
  range(update.columns);
  range(update.inner);
  value(update.add_c ? transfer.c.size() : 0);
  value(update.release_a.size() + update.release_b.size());
}

Timeline star_timeline(const TracedRun& run) {
  StarTimeline timeline(run.heuristic, run.platform, run.bound_s);
  auto held = run.held.begin();
  for (const TracedTransfer& event : run.trace) {
    timeline.add(event, run.held.empty() ? std::nullopt : std::optional(*held++));
  }
  return std::move(timeline.timeline());
}

}  // namespace starport
