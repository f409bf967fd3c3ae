#include "sim/spmd/spmd_timeline.hpp"

#include <fmt/format.h>

#include <utility>

namespace starport::spmd {
namespace {

constexpr std::int64_t kMostSlices = 50'000;

enum ProductSlice : std::size_t { kPivots, kUpdates, kSpread, kCollect };

const std::vector<SliceKind> kProductSlices{
    {"pivots of A, B",
     "transfer",
     SliceRole::send_operands,
     TransferDirection::none,
     {{"blocks received", {}}, {"blocks sent", {}}}},
    {"computation",
     "update",
     SliceRole::compute,
     TransferDirection::none,
     {{"work", {"rows", "columns", "k"}}}},
    {"A, B, C sent",
     "transfer",
     SliceRole::send_all,
     TransferDirection::to_group,
     {{"A", {"rows", "k"}}, {"B", {"k", "columns"}}, {"C", {"rows", "columns"}}}},
    {"C returned",
     "transfer",
     SliceRole::return_c,
     TransferDirection::from_group,
     {{"C", {"rows", "columns"}}}}};

enum BulkSlice : std::size_t { kMessage, kLocal, kRest };

const std::vector<SliceKind> kBulkSlices{
    {"A, B sent",
     "transfer",
     SliceRole::send_operands,
     TransferDirection::none,
     {{"elements", {}}}},
    {"needs no message", "update", SliceRole::reduce, TransferDirection::none, {}},
    {"computation", "update", SliceRole::compute, TransferDirection::none, {}}};

std::string iterations(std::int64_t first, std::int64_t count) {
  return count == 1 ? fmt::format("iteration {}", first + 1)
                    : fmt::format("iterations {}-{}", first + 1, first + count);
}

LaneGroup worker_group(std::int64_t worker) {
  return {.name = fmt::format("P{}", worker + 1),
          .worker = worker + 1,
          .memory_blocks = {},
          .wait_label = {}};
}

}  // namespace

ProductTimeline::ProductTimeline(std::string name, const Arrangement& arrangement)
    : arrangement_(arrangement),
      loads_(arrangement.rectangles.size()),
      sums_(arrangement.rectangles.size()) {
  const auto nodes = static_cast<std::int64_t>(arrangement.rectangles.size());
  const std::int64_t slices = 2 * nodes * arrangement.side;
  group_size_ = (slices + kMostSlices - 1) / kMostSlices;
  timeline_.name = std::move(name);
  timeline_.port = "switch";
  timeline_.kinds = kProductSlices;
  for (std::int64_t i = 0; i < nodes; ++i) {
    timeline_.groups.push_back(worker_group(i));
    timeline_.lanes.push_back({"link", static_cast<std::size_t>(i)});
    timeline_.lanes.push_back({"computation", static_cast<std::size_t>(i)});
  }
}

void ProductTimeline::add(const StageRun& stage, const Messages& messages,
                          const IterationTimes& times) {
  loads_.count(messages);
  std::vector<Sum> one(sums_.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    one[i].link_s = times.link_s[i];
    one[i].update_s = times.slowest_s(static_cast<std::int64_t>(i));
    one[i].sent = loads_.sent(i);
    one[i].received = loads_.received(i);
  }
  for (std::int64_t k = 0; k < stage.stage.count; ++k) {
    if (collected_ == 0) {
      start_s_ = stage.start_s + static_cast<double>(k) * (stage.communication_s + stage.update_s);
    }
    for (std::size_t i = 0; i < one.size(); ++i) {
      sums_[i].link_s += one[i].link_s;
      sums_[i].update_s += one[i].update_s;
      sums_[i].sent += one[i].sent;
      sums_[i].received += one[i].received;
    }
    communication_s_ += stage.communication_s;
    if (++collected_ == group_size_) add_slices();
  }
}

void ProductTimeline::add_slices() {
  timeline_.labels.push_back(iterations(next_pivot_, collected_));
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    const Sum sum = std::exchange(sums_[i], {});
    const NodeRectangle& mine = arrangement_.rectangles[i];
    Slice slice{.lane = 2 * i,
                .other_lane = {},
                .kind = kPivots,
                .label = timeline_.labels.size() - 1,
                .start_s = start_s_,
                .end_s = start_s_ + sum.link_s,
                .held = {},
                .first_value = timeline_.values.size()};
    if (sum.link_s > 0) {
      timeline_.slices.push_back(slice);
      timeline_.values.insert(timeline_.values.end(), {sum.received, sum.sent});
    }
    slice.lane += 1;
    slice.kind = kUpdates;
    slice.start_s = start_s_ + communication_s_;
    slice.end_s = slice.start_s + sum.update_s;
    slice.first_value = timeline_.values.size();
    timeline_.slices.push_back(slice);
    timeline_.values.insert(timeline_.values.end(),
                            {mine.row, mine.row + mine.m, mine.column, mine.column + mine.n,
                             next_pivot_, next_pivot_ + collected_});
  }
  next_pivot_ += collected_;
  collected_ = 0;
  communication_s_ = 0;
}

void ProductTimeline::add_port(const ProductRun& run) {
  timeline_.groups.push_back({.name = "port", .worker = {}, .memory_blocks = {}, .wait_label = {}});
  timeline_.lanes.push_back({"hub's port", timeline_.groups.size() - 1});
  timeline_.labels.insert(timeline_.labels.end(), {"A+B+C", "C"});
  std::vector<Slice> slices;
  const auto add = [&](const PerWorker<double>& transfers_s, ProductSlice kind, double start_s) {
    for (std::size_t i = 0; i < transfers_s.size(); ++i) {
      slices.push_back({.lane = 2 * i,
                        .other_lane = timeline_.lanes.size() - 1,
                        .kind = kind,
                        .label = timeline_.labels.size() - (kind == kSpread ? 2 : 1),
                        .start_s = start_s,
                        .end_s = start_s + transfers_s[i],
                        .held = {},
                        .first_value = timeline_.values.size()});
      const NodeRectangle& own = arrangement_.rectangles[i];
      for (int matrix = 0; matrix < (kind == kSpread ? 3 : 1); ++matrix) {
        timeline_.values.insert(timeline_.values.end(),
                                {own.row, own.row + own.m, own.column, own.column + own.n});
      }
      start_s += transfers_s[i];
    }
  };
  add(run.spread_s, kSpread, 0);
  timeline_.slices.insert(timeline_.slices.begin(), slices.begin(), slices.end());
  slices.clear();
  add(run.collect_s, kCollect, run.makespan_s - sum_s(run.collect_s));
  timeline_.slices.insert(timeline_.slices.end(), slices.begin(), slices.end());
}

Timeline ProductTimeline::make(const ProductRun& run, std::optional<double> bound_s) && {
  if (collected_ > 0) add_slices();
  if (!run.spread_s.empty()) add_port(run);
  timeline_.makespan_s = run.makespan_s;
  timeline_.bound_s = bound_s;
  return std::move(timeline_);
}

Timeline bulk_timeline(std::string name, const TwoProcessors& problem, const BulkPlan& plan,
                       const BulkRun& run) {
  Timeline timeline;
  timeline.name = std::move(name);
  timeline.port = "link";
  timeline.kinds = kBulkSlices;
  timeline.labels = {"strip", "square", "columns", "local", "rest"};
  timeline.makespan_s = run.makespan_s;
  timeline.groups.push_back({.name = "link", .worker = {}, .memory_blocks = {}, .wait_label = {}});
  timeline.lanes.push_back({plan.both_directions ? "link from P1" : "link", 0});
  for (const std::int64_t worker : {0, 1}) {
    timeline.groups.push_back(worker_group(worker));
    timeline.lanes.push_back({"computation", timeline.groups.size() - 1});
  }
  if (plan.both_directions) timeline.lanes.push_back({"link from P2", 0});
  const auto add = [&](std::size_t lane, std::size_t kind, std::size_t label, double start_s,
                       double end_s) {
    if (end_s > start_s) {
      timeline.slices.push_back(
          {lane, {}, kind, label, start_s, end_s, {}, timeline.values.size()});
    }
    return end_s > start_s;
  };
  for (const BulkMessage& message : run.messages) {
    const bool corner = plan.shape == Shape::square_corner;
    const std::size_t lane = plan.both_directions && problem.worker(message.from) == 1 ? 3 : 0;
    const std::size_t label = !corner ? 2 : message.from == 0 ? 0 : 1;
    if (add(lane, kMessage, label, message.start_s, message.end_s)) {
      timeline.values.push_back(message.elements);
    }
  }
  for (const std::int64_t processor : {0, 1}) {
    const BulkDates& dates = processor == 0 ? run.fast : run.slow;
    const auto lane = static_cast<std::size_t>(problem.worker(processor)) + 1;
    add(lane, kLocal, 3, 0, dates.local_end_s);
    add(lane, kRest, 4, dates.rest_start_s, dates.end_s);
  }
  return timeline;
}

}  // namespace starport::spmd
