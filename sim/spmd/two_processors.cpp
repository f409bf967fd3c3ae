#include "sim/spmd/two_processors.hpp"

#include "sim/files/error.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace starport::spmd {
namespace {

constexpr double kBytesPerElement = 8;

std::int64_t cut_by_area(const TwoProcessors& problem, Shape shape) {
  const auto N = static_cast<double>(problem.N);
  const double parts = problem.ratio() + 1;
  const double side = shape == Shape::square_corner ? N / std::sqrt(parts) : N / parts;
  return static_cast<std::int64_t>(std::floor(side + 0.5));
}

std::vector<BulkMessage> messages(std::int64_t N, Shape shape, std::int64_t cut) {
  if (cut == 0 || cut == N) return {};  // one of them does everything
  if (shape == Shape::straight_line) {
    return {{.from = 0, .elements = N * (N - cut)}, {.from = 1, .elements = N * cut}};
  }
  const BulkMessage strip{.from = 0, .elements = cut * (N - cut)};
  const BulkMessage square{.from = 1, .elements = cut * cut};
  return {strip, strip, square, square};
}

/// 2 N flops for each element of C that P2 has.
double slow_flops(std::int64_t N, Shape shape, std::int64_t cut) {
  const auto n = static_cast<double>(N);
  const auto c = static_cast<double>(cut);
  switch (shape) {
    case Shape::square_corner:
      return 2 * c * c * n;
    case Shape::straight_line:
      return 2 * c * n * n;
    case Shape::sequential:
      break;
  }
  return 0;
}

}  // namespace

BulkPlan plan_bulk(const TwoProcessors& problem, Shape shape, const BulkOptions& options) {
  if (options.overlap != Overlap::none && shape != Shape::square_corner) {
    throw NotApplicable("only the square corner has elements that need no message");
  }
  const std::int64_t N = problem.N;
  BulkPlan plan{.shape = shape,
                .cut = 0,
                .both_directions = options.both_directions,
                .messages = {},
                .fast = {},
                .slow = {}};
  if (shape != Shape::sequential) plan.cut = options.cut.value_or(cut_by_area(problem, shape));
  plan.messages = messages(N, shape, plan.cut);
  const auto n = static_cast<double>(N);
  const auto q = static_cast<double>(plan.cut);
  const double slow = slow_flops(N, shape, plan.cut);
  const double fast = 2 * n * n * n - slow;
  if (options.overlap != Overlap::none) plan.fast.local_flops = 2 * (n - q) * (n - q) * n;
  if (options.overlap == Overlap::both) plan.slow.local_flops = 2 * q * q * q;
  plan.fast.rest_flops = fast - plan.fast.local_flops;
  plan.slow.rest_flops = slow - plan.slow.local_flops;
  return plan;
}

double message_s(const TwoProcessors& problem, const BulkPlan& plan, std::size_t k, double start_s,
                 const ProductDurations& durations) {
  const BulkMessage& message = plan.messages[k];
  const auto of_its_sender = std::count_if(
      plan.messages.begin(), plan.messages.begin() + static_cast<std::ptrdiff_t>(k) + 1,
      [&](const BulkMessage& other) { return other.from == message.from; });
  return durations.transfer_s(
      problem.worker(message.from), problem.worker(1 - message.from), of_its_sender, start_s,
      problem.latency_s,
      kBytesPerElement * static_cast<double>(message.elements) / problem.bandwidth_bytes_per_s);
}

double update_s(const TwoProcessors& problem, std::int64_t processor, std::int64_t n, double flops,
                double start_s, const ProductDurations& durations) {
  const double speed = processor == 0 ? problem.fast_flops : problem.slow_flops;
  return durations.update_s(problem.worker(processor), n, start_s, flops / speed);
}

BulkRun run_bulk(const TwoProcessors& problem, const BulkPlan& plan,
                 const ProductDurations& durations) {
  BulkRun run{.messages = plan.messages};
  std::array<double, 2> free_s{};  // of the link, each way
  for (std::size_t k = 0; k < run.messages.size(); ++k) {
    BulkMessage& message = run.messages[k];
    double& mine_s = free_s[plan.both_directions ? static_cast<std::size_t>(message.from) : 0];
    message.start_s = mine_s;
    message.end_s = mine_s += message_s(problem, plan, k, mine_s, durations);
    run.communication_s = std::max(run.communication_s, message.end_s);
  }
  const auto compute = [&](std::int64_t processor, const BulkWork& work) {
    BulkDates dates;
    dates.local_end_s = update_s(problem, processor, 1, work.local_flops, 0, durations);
    dates.rest_start_s = std::max(run.communication_s, dates.local_end_s);
    dates.end_s = dates.rest_start_s +
                  update_s(problem, processor, 2, work.rest_flops, dates.rest_start_s, durations);
    return dates;
  };
  run.fast = compute(0, plan.fast);
  run.slow = compute(1, plan.slow);
  run.makespan_s = std::max(run.fast.end_s, run.slow.end_s);
  return run;
}

std::int64_t best_cut(const TwoProcessors& problem, Shape shape, BulkOptions options) {
  std::int64_t best = 1;
  double least_s = 0;
  for (std::int64_t cut = 1; cut < problem.N; ++cut) {
    options.cut = cut;
    const double s = run_bulk(problem, plan_bulk(problem, shape, options)).makespan_s;
    if (cut > 1 && s >= least_s) continue;
    least_s = s;
    best = cut;
  }
  return best;
}

std::int64_t volume(const BulkPlan& plan) {
  std::int64_t elements = 0;
  for (const BulkMessage& message : plan.messages) elements += message.elements;
  return elements;
}

}  // namespace starport::spmd
