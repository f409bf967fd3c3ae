#include "sim/spmd/validator.hpp"

#include "sim/files/error.hpp"
#include "sim/platform/rectangle_overlap.hpp"
#include "sim/platform/ties.hpp"
#include "sim/spmd/expected_durations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

namespace starport::spmd {
namespace {

constexpr double kTolerance = 1e-9;

/// Returns the size of a block of doubles.
double bytes_of_block(const Cluster& cluster) {
  const auto b = static_cast<double>(cluster.block_size);
  return 8 * b * b;
}

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

/// Checks a plan for two processors and its run.
class BulkValidator {
 public:
  BulkValidator(const TwoProcessors& problem, const BulkPlan& plan, const BulkRun& run,
                const ExpectedNoise* noise)
      : problem_(problem),
        plan_(plan),
        run_(run),
        noise_(noise),
        slack_s_(kTolerance * run.makespan_s) {}

  void check_messages() const {
    const std::vector<BulkMessage> due = expected_messages();
    if (run_.messages.size() != due.size()) {
      throw SimulationError(fmt::format("{} of {} messages", run_.messages.size(), due.size()));
    }
    double last_s = 0;
    std::array<double, 2> free_s{};      // of the link, each way
    std::array<std::int64_t, 2> sent{};  // messages, by processor
    for (std::size_t k = 0; k < due.size(); ++k) {
      const BulkMessage& message = run_.messages[k];
      const auto from = static_cast<std::size_t>(due[k].from);
      if (message.from != due[k].from || message.elements != due[k].elements) {
        throw SimulationError(
            fmt::format("message {} has {} elements from P{} instead of {} from P{}", k + 1,
                        message.elements, message.from + 1, due[k].elements, due[k].from + 1));
      }
      double& mine_s = free_s[plan_.both_directions ? from : 0];
      const std::string what = fmt::format("message {}", k + 1);
      check_date(what + " starts", message.start_s, mine_s);
      const double bytes = 8 * static_cast<double>(message.elements);
      check_date(
          what + " ends", message.end_s,
          message.start_s + expected_transfer_s(noise_, problem_.worker(message.from),
                                                problem_.worker(1 - message.from), ++sent[from],
                                                message.start_s, problem_.latency_s,
                                                bytes / problem_.bandwidth_bytes_per_s));
      mine_s = message.end_s;
      last_s = std::max(last_s, message.end_s);
    }
    check_date("the communication ends", run_.communication_s, last_s);
  }

  void check_end() const {
    check_date("the run ends", run_.makespan_s, std::max(run_.fast.end_s, run_.slow.end_s));
  }

  void check_processor(std::int64_t processor, const BulkWork& work, const BulkDates& dates) const {
    check_work(processor, work);
    if (work.local_flops + work.rest_flops == 0) return;
    const std::int64_t worker = problem_.worker(processor);
    const double flops_per_s = processor == 0 ? problem_.fast_flops : problem_.slow_flops;
    const std::string name = fmt::format("P{} ", processor + 1);
    check_date(name + "ends its local work", dates.local_end_s,
               expected_computation_s(noise_, worker, 1, 0, work.local_flops / flops_per_s));
    check_date(name + "starts the rest", dates.rest_start_s,
               std::max(run_.communication_s, dates.local_end_s));
    check_date(name + "ends", dates.end_s,
               dates.rest_start_s + expected_computation_s(noise_, worker, 2, dates.rest_start_s,
                                                           work.rest_flops / flops_per_s));
  }

  void check_stops(std::int64_t processor, double end_s) const {
    const double stop_s = noise_->stop_s(static_cast<int>(problem_.worker(processor)));
    if (stop_s >= end_s - slack_s_) return;
    throw SimulationError(fmt::format("worker {} stopped at {:.6g} s before its part was done",
                                      problem_.worker(processor) + 1, stop_s));
  }

 private:
  /// P2 has a square of C in a corner, or columns, or nothing. Each processor lacks the elements of
  /// A and B that it needs and the other one has.
  std::vector<BulkMessage> expected_messages() const {
    const std::int64_t other = problem_.N - plan_.cut;
    if (plan_.shape == Shape::sequential || plan_.cut == 0 || other == 0) return {};
    if (plan_.shape == Shape::straight_line) {
      return {{.from = 0, .elements = problem_.N * other},
              {.from = 1, .elements = problem_.N * plan_.cut}};
    }
    std::vector<BulkMessage> messages(2, {.from = 0, .elements = plan_.cut * other});
    messages.resize(4, {.from = 1, .elements = plan_.cut * plan_.cut});
    return messages;
  }

  /// Checks that a processor has the work of its elements of C, 2 N flop each, and does none or all
  /// of that for which it has the data before the messages.
  void check_work(std::int64_t processor, const BulkWork& work) const {
    const auto N = static_cast<double>(problem_.N);
    const auto cut = static_cast<double>(plan_.cut);
    const bool corner = plan_.shape == Shape::square_corner;
    const double slow = corner ? cut * cut : plan_.shape == Shape::straight_line ? cut * N : 0;
    const double elements = processor == 0 ? N * N - slow : slow;
    // P1 has whole rows of A and columns of B beside the square, P2 squares of A and B.
    const double local = !corner          ? 0
                         : processor == 0 ? 2 * N * (N - cut) * (N - cut)
                                          : 2 * cut * cut * cut;
    const double slack = kTolerance * N * N * N;
    const double done = work.local_flops + work.rest_flops;
    if (std::abs(done - 2 * N * elements) <= slack &&
        (work.local_flops == 0 || std::abs(work.local_flops - local) <= slack)) {
      return;
    }
    throw SimulationError(
        fmt::format("P{} has {} + {} flop of work instead of {} in all, of which "
                    "{} need no message",
                    processor + 1, work.local_flops, work.rest_flops, 2 * N * elements, local));
  }

  void check_date(const std::string& what, double date_s, double due_s) const {
    if (std::abs(date_s - due_s) <= slack_s_) return;
    throw SimulationError(fmt::format("{} at {} s instead of {} s", what, date_s, due_s));
  }

  const TwoProcessors& problem_;
  const BulkPlan& plan_;
  const BulkRun& run_;
  const ExpectedNoise* noise_;
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

Validator::Validator(const Cluster& cluster, const Partition& partition, const ExpectedNoise* noise)
    : cluster_(cluster),
      partition_(partition),
      noise_(noise),
      updates_s_(cluster.nodes.size()),
      computing_s_(cluster.nodes.size()),
      last_piece_(cluster.nodes.size()) {
  const std::string fault = find_fault(cluster, partition);
  if (!fault.empty()) throw SimulationError(fault);
}

void Validator::check(const StageRun& run, const Messages& messages, const IterationTimes& times) {
  if (run.stage.pivot != next_pivot_ || run.stage.count < 1) {
    throw SimulationError(
        fmt::format("iteration {} where {} was due", run.stage.pivot + 1, next_pivot_ + 1));
  }
  // The first iteration starts when the hub has sent all parts: check_end().
  if (next_pivot_ > 0 &&
      (clearly_earlier(run.start_s, now_s_) || clearly_earlier(now_s_, run.start_s))) {
    throw SimulationError(fmt::format("iteration {} starts at {} s, and the barrier is at {} s",
                                      run.stage.pivot + 1, run.start_s, now_s_));
  }
  // Messages of A that have been checked have the same owners still: check_complete.
  if (!messages.same_a || next_pivot_ == 0) check_pieces(run.stage, messages.a, a_);
  check_pieces(run.stage, messages.b, b_);
  check_complete(run.stage);
  check_links(run, times);
  check_updates(run, times);
  next_pivot_ += run.stage.count;
  const auto iterations = static_cast<double>(run.stage.count);
  now_s_ = run.start_s + iterations * (run.communication_s + run.update_s);
}

void Validator::check_pieces(const Stage& stage, const std::vector<Hop>& hops,
                             PerWorker<Traffic>& traffic) {
  traffic.assign(cluster_.nodes.size(), {});
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
    traffic[hop.from].sent += hop.blocks;
    traffic[hop.to].received += hop.blocks;
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
    if (a_[i].received != (owns_a ? 0 : r.m) || b_[i].received != (owns_b ? 0 : r.n)) {
      throw SimulationError(fmt::format("{} updates without all of the pivots in iteration {}",
                                        name(static_cast<std::int64_t>(i)), stage.pivot + 1));
    }
  }
}

/// Returns how much the durations of an iteration may deviate: they are differences of dates, which
/// an engine rounds.
double Validator::tolerance_s(const StageRun& run) {
  return kTolerance * (run.communication_s + run.update_s) + 0x1p-47 * run.start_s;
}

void Validator::check_links(const StageRun& run, const IterationTimes& times) const {
  const double slack_s = tolerance_s(run);
  double slowest_s = 0;
  for (std::size_t i = 0; i < cluster_.nodes.size(); ++i) {
    const std::int64_t blocks = std::max(a_[i].sent + b_[i].sent, a_[i].received + b_[i].received);
    if (blocks == 0) continue;
    const auto worker = static_cast<std::int64_t>(i);
    const Node& node = cluster_.nodes[i];
    const double due_s = expected_transfer_s(
        noise_, worker, worker, run.stage.pivot + 1, run.start_s, node.latency_s,
        static_cast<double>(blocks) * bytes_of_block(cluster_) / node.bandwidth_bytes_per_s);
    if (std::min(times.link_s[i], run.communication_s) < due_s - slack_s) {
      throw SimulationError(
          fmt::format("the link of {} is faster than its bandwidth in iteration {}", name(worker),
                      run.stage.pivot + 1));
    }
    slowest_s = std::max(slowest_s, due_s);
  }
  if (run.communication_s > slowest_s + slack_s) {
    throw SimulationError(fmt::format("iteration {} communicates for {} s instead of {} s",
                                      run.stage.pivot + 1, run.communication_s, slowest_s));
  }
}

void Validator::check_updates(const StageRun& run, const IterationTimes& times) {
  const double begin_s = run.start_s + run.communication_s;
  const double slack_s = tolerance_s(run);
  const bool is_checked = times.same_updates && noise_ == nullptr && next_pivot_ > 0;
  for (std::size_t i = 0; i < updates_s_.size(); ++i) {
    const NodeRectangle& own = partition_.arrangement.rectangles[i];
    const auto devices = static_cast<std::int64_t>(partition_.slices[i].size());
    if (!is_checked) updates_s_[i] = 0;
    for (std::int64_t j = 0; j < devices && !is_checked; ++j) {
      const auto device = static_cast<std::size_t>(j);
      const double due_s = expected_computation_s(
          noise_, static_cast<std::int64_t>(i), run.stage.pivot * devices + j + 1, begin_s,
          expected_update_s(cluster_, i, device, own, partition_.slices[i][device]));
      if (std::abs(times.update_s[i][device] - due_s) > slack_s) {
        throw SimulationError(
            fmt::format("device {} of {} updates in {} s instead of {} s in iteration {}", j + 1,
                        name(static_cast<std::int64_t>(i)), times.update_s[i][device], due_s,
                        run.stage.pivot + 1));
      }
      updates_s_[i] = std::max(updates_s_[i], due_s);
    }
    computing_s_[i] += static_cast<double>(run.stage.count) * updates_s_[i];
  }
  const double slowest_s = *std::max_element(updates_s_.begin(), updates_s_.end());
  if (std::abs(run.update_s - slowest_s) > slack_s) {
    throw SimulationError(fmt::format("iteration {} updates for {} s instead of {} s",
                                      run.stage.pivot + 1, run.update_s, slowest_s));
  }
}

double Validator::check_hub(const PerWorker<double>& transfers_s, std::int64_t matrices,
                            std::int64_t number, double start_s) const {
  if (transfers_s.size() != cluster_.nodes.size()) {
    throw SimulationError("not every worker has a transfer with the hub");
  }
  for (std::size_t i = 0; i < transfers_s.size(); ++i) {
    const auto worker = static_cast<std::int64_t>(i);
    const Node& node = cluster_.nodes[i];
    const NodeRectangle& own = partition_.arrangement.rectangles[i];
    const double bytes = static_cast<double>(matrices * own.m * own.n) * bytes_of_block(cluster_);
    const double due_s = expected_transfer_s(noise_, worker, worker, number, start_s,
                                             node.latency_s, bytes / node.bandwidth_bytes_per_s);
    if (std::abs(transfers_s[i] - due_s) > kTolerance * (start_s + due_s)) {
      throw SimulationError(fmt::format("{} and the hub exchange {} bytes in {} s instead of {} s",
                                        name(worker), bytes, transfers_s[i], due_s));
    }
    start_s += transfers_s[i];
  }
  return start_s;
}

void Validator::check_end(const ProductRun& run, Home home) {
  const std::int64_t side = partition_.arrangement.side;
  if (next_pivot_ != side) {
    throw SimulationError(fmt::format("{} of {} iterations", next_pivot_, side));
  }
  // The transfers of the iterations have the numbers 1 to side.
  const double first_s = home == Home::hub ? check_hub(run.spread_s, 3, side + 1, 0) : 0;
  const double start_s = run.stages.front().start_s;
  if (std::abs(start_s - first_s) > kTolerance * first_s) {
    throw SimulationError(
        fmt::format("the first iteration starts at {} s instead of {} s", start_s, first_s));
  }
  if (home == Home::hub) now_s_ = check_hub(run.collect_s, 1, side + 2, now_s_);
  if (clearly_earlier(run.makespan_s, now_s_) || clearly_earlier(now_s_, run.makespan_s)) {
    throw SimulationError(
        fmt::format("the run ends at {} s, its last iteration at {} s", run.makespan_s, now_s_));
  }
  for (std::size_t i = 0; i < computing_s_.size(); ++i) {
    if (std::abs(run.computing_s[i] - computing_s_[i]) <= kTolerance * run.makespan_s) continue;
    throw SimulationError(fmt::format("the updates of {} take {} s in all instead of {} s",
                                      name(static_cast<std::int64_t>(i)), run.computing_s[i],
                                      computing_s_[i]));
  }
}

void validate(const TwoProcessors& problem, const BulkPlan& plan, const BulkRun& run,
              const ExpectedNoise* noise) {
  const BulkValidator validator(problem, plan, run, noise);
  validator.check_messages();
  validator.check_processor(0, plan.fast, run.fast);
  validator.check_processor(1, plan.slow, run.slow);
  validator.check_end();
  if (noise == nullptr) return;
  validator.check_stops(0, run.fast.end_s);
  validator.check_stops(1, run.slow.end_s);
}

}  // namespace starport::spmd
