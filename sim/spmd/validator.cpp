#include "sim/spmd/validator.hpp"

#include "sim/files/error.hpp"
#include "sim/platform/rectangle_overlap.hpp"
#include "sim/platform/ties.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace starport::spmd {
namespace {

constexpr double kTolerance = 1e-9;

std::string name(std::int64_t node) { return fmt::format("worker {}", node + 1); }

std::string find_rectangle_outside(const Arrangement& arrangement) {
  for (std::size_t i = 0; i < arrangement.rectangles.size(); ++i) {
    const NodeRectangle& r = arrangement.rectangles[i];
    if (r.m < 1 || r.n < 1 || r.row < 0 || r.column < 0 || r.row + r.m > arrangement.side ||
        r.column + r.n > arrangement.side) {
      return fmt::format("the rectangle of {} is not inside C", name(static_cast<std::int64_t>(i)));
    }
  }
  return "";
}

std::string find_shared_block(const Arrangement& arrangement) {
  const auto overlap = find_overlap(arrangement.rectangles.size(), [&](std::size_t i) {
    const NodeRectangle& r = arrangement.rectangles[i];
    return RectangleBounds{r.row, r.row + r.m, r.column, r.column + r.n};
  });
  if (!overlap) return "";
  return fmt::format("{} and {} both have a part of C",
                     name(static_cast<std::int64_t>(overlap->first)),
                     name(static_cast<std::int64_t>(overlap->second)));
}

std::string find_wrong_slices(const Cluster& cluster, const Partition& partition) {
  for (std::size_t i = 0; i < cluster.nodes.size(); ++i) {
    const auto& slices = partition.slices[i];
    const std::int64_t columns = cluster.block_size * partition.arrangement.rectangles[i].n;
    if (slices.size() != cluster.nodes[i].processors.size() ||
        std::any_of(slices.begin(), slices.end(), [](std::int64_t d) { return d < 0; }) ||
        std::accumulate(slices.begin(), slices.end(), std::int64_t{0}) != columns) {
      return fmt::format("the slices of {} are not its {} columns",
                         name(static_cast<std::int64_t>(i)), columns);
    }
  }
  return "";
}

constexpr double kBulkPrecision = 1e-9;  // of the makespan

class BulkValidator {
 public:
  BulkValidator(const TwoProcessors& problem, const BulkPlan& plan, const BulkRun& run,
                const ProductDurations& durations)
      : problem_(problem),
        plan_(plan),
        run_(run),
        durations_(durations),
        slack_s_(kBulkPrecision * run.makespan_s) {}

  void check_messages() const {
    if (run_.messages.size() != plan_.messages.size()) {
      throw SimulationError(
          fmt::format("{} of {} messages", run_.messages.size(), plan_.messages.size()));
    }
    double last_s = 0;
    std::array<double, 2> free_s{};  // of the link, each way
    for (std::size_t k = 0; k < run_.messages.size(); ++k) {
      const BulkMessage& message = run_.messages[k];
      double& mine_s = free_s[plan_.both_directions ? static_cast<std::size_t>(message.from) : 0];
      const double least_s = message_s(problem_, plan_, k, message.start_s, durations_);
      if (clearly_earlier(message.end_s, message.start_s + least_s * (1 - kBulkPrecision))) {
        throw SimulationError(fmt::format("message {} is faster than the link", k + 1));
      }
      if (clearly_earlier(message.start_s, mine_s)) {
        throw SimulationError(fmt::format("message {} meets another on the link", k + 1));
      }
      mine_s = message.end_s;
      last_s = std::max(last_s, message.end_s);
    }
    check_date("the communication", run_.communication_s, "its last message", last_s);
  }

  void check_end() const {
    check_date("the run", run_.makespan_s, "its last processor",
               std::max(run_.fast.end_s, run_.slow.end_s));
  }

  void check_processor(std::int64_t processor, const BulkWork& work, const BulkDates& dates) const {
    const double local_s = update_s(problem_, processor, 1, work.local_flops, 0, durations_);
    const double rest_s =
        update_s(problem_, processor, 2, work.rest_flops, dates.rest_start_s, durations_);
    const bool waits = work.rest_flops > 0;
    if (waits && dates.rest_start_s < run_.communication_s - slack_s_) {
      throw SimulationError(fmt::format("P{} computes before its data are there", processor + 1));
    }
    if (dates.local_end_s < local_s - slack_s_ ||
        (waits && dates.rest_start_s < dates.local_end_s - slack_s_) ||
        dates.end_s < (waits ? dates.rest_start_s + rest_s : dates.local_end_s) - slack_s_) {
      throw SimulationError(
          fmt::format("P{} ends before it can have computed its part", processor + 1));
    }
  }

  void check_stops(std::int64_t processor, double end_s) const {
    const double stop_s = durations_.noise()->stop_s(static_cast<int>(problem_.worker(processor)));
    if (stop_s >= end_s - slack_s_) return;
    throw SimulationError(fmt::format("worker {} stopped at {:.6g} s before its part was done",
                                      problem_.worker(processor) + 1, stop_s));
  }

 private:
  void check_date(const char* what, double end_s, const char* last, double last_s) const {
    if (std::abs(end_s - last_s) <= slack_s_) return;
    throw SimulationError(fmt::format("{} ends at {} s, {} at {} s", what, end_s, last, last_s));
  }

  const TwoProcessors& problem_;
  const BulkPlan& plan_;
  const BulkRun& run_;
  const ProductDurations& durations_;
  double slack_s_;
};

}  // namespace

std::string find_fault(const Cluster& cluster, const Partition& partition) {
  const Arrangement& arrangement = partition.arrangement;
  const std::size_t nodes = cluster.nodes.size();
  if (arrangement.rectangles.size() != nodes || partition.slices.size() != nodes) {
    return "not every worker has one rectangle";
  }
  if (const std::string fault = find_rectangle_outside(arrangement); !fault.empty()) return fault;
  if (const std::string fault = find_shared_block(arrangement); !fault.empty()) return fault;
  std::int64_t blocks = 0;
  for (const NodeRectangle& rectangle : arrangement.rectangles) blocks += rectangle.blocks();
  if (blocks != arrangement.side * arrangement.side) {
    return fmt::format("{} of {} blocks of C have a worker", blocks,
                       arrangement.side * arrangement.side);
  }
  return find_wrong_slices(cluster, partition);
}

Validator::Validator(const Cluster& cluster, const Partition& partition,
                     const ProductDurations& durations)
    : cluster_(cluster),
      partition_(partition),
      durations_(durations),
      last_piece_(cluster.nodes.size()),
      loads_(cluster.nodes.size()) {
  const std::string fault = find_fault(cluster, partition);
  if (!fault.empty()) throw SimulationError(fault);
  for (std::size_t i = 0; i < cluster.nodes.size(); ++i) {
    const NodeRectangle& r = partition.arrangement.rectangles[i];
    std::vector<double>& devices = nominal_s_.emplace_back();
    for (std::size_t j = 0; j < partition.slices[i].size(); ++j) {
      devices.push_back(
          cluster.update_s(cluster.nodes[i], j, r.m, partition.slices[i][j], r.blocks()));
    }
  }
}

void Validator::check(const StageRun& run, const Messages& messages, const IterationTimes& times) {
  if (run.stage.pivot != next_pivot_ || run.stage.count < 1) {
    throw SimulationError(
        fmt::format("iteration {} where {} was due", run.stage.pivot + 1, next_pivot_ + 1));
  }
  if (clearly_earlier(run.start_s, now_s_)) {
    throw SimulationError(
        fmt::format("iteration {} begins before the barrier", run.stage.pivot + 1));
  }
  // Messages of A that have been checked have the same owners still: check_complete.
  if (!messages.same_a || next_pivot_ == 0) check_pieces(run.stage, messages.a, a_blocks_);
  check_pieces(run.stage, messages.b, b_blocks_);
  check_complete(run.stage);
  loads_.count(messages);
  check_links(run, times);
  check_updates(run, times);
  next_pivot_ += run.stage.count;
  now_s_ = run.end_s();
}

void Validator::check_pieces(const Stage& stage, const std::vector<Hop>& hops,
                             PerWorker<std::int64_t>& received) {
  received.assign(cluster_.nodes.size(), 0);
  const Hop* before = nullptr;
  for (const Hop& hop : hops) {
    const bool new_piece = before == nullptr || before->first != hop.first;
    if (new_piece && before != nullptr && hop.first < before->first + before->blocks) {
      throw SimulationError(fmt::format("pieces of iteration {} overlap", stage.pivot + 1));
    }
    if (new_piece) ++piece_;
    if (hop.matrix != hops.front().matrix) {
      throw SimulationError(
          fmt::format("a piece among those of the other matrix in iteration {}", stage.pivot + 1));
    }
    if (last_piece_[hop.from] != piece_) check_owner(stage, hop);
    if (last_piece_[hop.to] == piece_) {
      throw SimulationError(
          fmt::format("{} gets a piece twice in iteration {}", name(hop.to), stage.pivot + 1));
    }
    last_piece_[hop.to] = piece_;
    const NodeRectangle& mine = partition_.arrangement.rectangles[hop.to];
    const bool a = hop.matrix == Hop::Matrix::a;
    const std::int64_t first = a ? mine.row : mine.column;
    if (hop.first < first || hop.first + hop.blocks > first + (a ? mine.m : mine.n)) {
      throw SimulationError(fmt::format("{} gets what it does not need in iteration {}",
                                        name(hop.to), stage.pivot + 1));
    }
    received[hop.to] += hop.blocks;
    before = &hop;
  }
}

void Validator::check_owner(const Stage& stage, const Hop& hop) const {
  const NodeRectangle& r = partition_.arrangement.rectangles[hop.from];
  const bool a = hop.matrix == Hop::Matrix::a;
  const std::int64_t along = a ? r.row : r.column;
  const std::int64_t across = a ? r.column : r.row;
  if (hop.first < along || hop.first + hop.blocks > along + (a ? r.m : r.n) ||
      stage.pivot < across || stage.pivot + stage.count > across + (a ? r.n : r.m)) {
    throw SimulationError(fmt::format("{} sends a piece that it does not have in iteration {}",
                                      name(hop.from), stage.pivot + 1));
  }
}

void Validator::check_complete(const Stage& stage) const {
  for (std::size_t i = 0; i < cluster_.nodes.size(); ++i) {
    const NodeRectangle& r = partition_.arrangement.rectangles[i];
    const std::int64_t end = stage.pivot + stage.count;
    const bool owns_a = r.column <= stage.pivot && end <= r.column + r.n;
    const bool owns_b = r.row <= stage.pivot && end <= r.row + r.m;
    if (a_blocks_[i] != (owns_a ? 0 : r.m) || b_blocks_[i] != (owns_b ? 0 : r.n)) {
      throw SimulationError(fmt::format("{} updates without all of the pivots in iteration {}",
                                        name(static_cast<std::int64_t>(i)), stage.pivot + 1));
    }
  }
}

void Validator::check_links(const StageRun& run, const IterationTimes& times) {
  for (std::size_t i = 0; i < cluster_.nodes.size(); ++i) {
    const std::int64_t most = std::max(loads_.sent(i), loads_.received(i));
    if (most == 0) continue;
    const auto worker = static_cast<std::int64_t>(i);
    const Node& node = cluster_.nodes[i];
    const double bytes = static_cast<double>(most) * cluster_.block_bytes();
    const double least_s =
        durations_.transfer_s(worker, run.stage.pivot + 1, run.start_s, node.latency_s,
                              bytes / node.bandwidth_bytes_per_s);
    const double slack_s = kTolerance * (run.communication_s + run.update_s);
    if (std::min(times.link_s[i], run.communication_s) < least_s - slack_s) {
      throw SimulationError(
          fmt::format("the link of {} is faster than its bandwidth in iteration {}", name(worker),
                      run.stage.pivot + 1));
    }
  }
}

void Validator::check_updates(const StageRun& run, const IterationTimes& times) {
  const double begin_s = run.start_s + run.communication_s;
  const double slack_s = kTolerance * (run.communication_s + run.update_s);
  const bool checked = times.same_updates && !durations_.has_noise() && next_pivot_ > 0;
  if (!checked) slowest_due_s_ = 0;
  for (std::size_t i = 0; i < nominal_s_.size() && !checked; ++i) {
    const auto worker = static_cast<std::int64_t>(i);
    const std::size_t devices = nominal_s_[i].size();
    for (std::size_t j = 0; j < devices; ++j) {
      const double due_s = durations_.update_s(worker, update_number(run.stage.pivot, j, devices),
                                               begin_s, nominal_s_[i][j]);
      if (std::abs(times.update_s[i][j] - due_s) > slack_s) {
        throw SimulationError(
            fmt::format("device {} of {} updates in {} s instead of {} s in iteration {}", j + 1,
                        name(worker), times.update_s[i][j], due_s, run.stage.pivot + 1));
      }
      slowest_due_s_ = std::max(slowest_due_s_, due_s);
    }
  }
  if (run.update_s < slowest_due_s_ - slack_s) {
    throw SimulationError(
        fmt::format("iteration {} ends before its slowest device", run.stage.pivot + 1));
  }
}

void Validator::check_hub(const PerWorker<double>& transfers_s, HubPhase phase,
                          double start_s) const {
  if (transfers_s.size() != cluster_.nodes.size()) {
    throw SimulationError("not every worker has a transfer with the hub");
  }
  for (std::size_t i = 0; i < transfers_s.size(); ++i) {
    const auto worker = static_cast<std::int64_t>(i);
    const Node& node = cluster_.nodes[i];
    const NodeRectangle& mine = partition_.arrangement.rectangles[i];
    const double bytes = static_cast<double>(hub_blocks(mine, phase)) * cluster_.block_bytes();
    const double least_s =
        durations_.transfer_s(worker, hub_transfer_number(partition_.arrangement.side, phase),
                              start_s, node.latency_s, bytes / node.bandwidth_bytes_per_s);
    if (transfers_s[i] < least_s - kTolerance * (start_s + least_s)) {
      throw SimulationError(
          fmt::format("the link of {} is faster than its bandwidth to the hub", name(worker)));
    }
    start_s += transfers_s[i];
  }
}

void Validator::check_end(const ProductRun& run, Home home) {
  if (next_pivot_ != partition_.arrangement.side) {
    throw SimulationError(
        fmt::format("{} of {} iterations", next_pivot_, partition_.arrangement.side));
  }
  if (home == Home::hub) {
    check_hub(run.spread_s, HubPhase::spread, 0);
    check_hub(run.collect_s, HubPhase::collect, now_s_);
    if (run.stages.front().start_s < sum_s(run.spread_s) * (1 - kTolerance)) {
      throw SimulationError("the first iteration begins before all have their parts");
    }
    now_s_ += sum_s(run.collect_s);
  }
  if (clearly_earlier(run.makespan_s, now_s_) || clearly_earlier(now_s_, run.makespan_s)) {
    throw SimulationError(
        fmt::format("the run ends at {} s, its last iteration at {} s", run.makespan_s, now_s_));
  }
}

void validate(const TwoProcessors& problem, const BulkPlan& plan, const BulkRun& run,
              const ProductDurations& durations) {
  const BulkValidator validator(problem, plan, run, durations);
  validator.check_messages();
  validator.check_processor(0, plan.fast, run.fast);
  validator.check_processor(1, plan.slow, run.slow);
  validator.check_end();
  if (!durations.has_noise()) return;
  validator.check_stops(0, run.fast.end_s);
  validator.check_stops(1, run.slow.end_s);
}

}  // namespace starport::spmd
