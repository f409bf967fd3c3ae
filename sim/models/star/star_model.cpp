#include "sim/models/star/star_model.hpp"

#include "sim/files/error.hpp"
#include "sim/files/numbers.hpp"
#include "sim/results/comparison.hpp"
#include "sim/results/figure.hpp"
#include "sim/star/bounds/steady_state.hpp"
#include "sim/star/heuristic.hpp"
#include "sim/star/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace starport {
namespace {

/// Returns the number as a value; no value for NaN, which a missing figure yields.
Value to_value(double number) { return number == number ? Value(number) : Value(); }

/// Returns whether the schedule splits k, so that only the bound on such schedules holds.
bool splits_k(const RecordContext& row) { return row[kSplitKBound] == row[kSplitKBound]; }

/// Returns why no worker has the memory for one of the named heuristics, or for any of the others.
std::optional<InputError> find_memory_obstacle(std::span<const NamedAlgorithm> heuristics,
                                               const Case& instance, const Platform& platform) {
  std::optional<InputError> least;
  std::int64_t least_blocks = INT64_MAX;
  bool some_fit = false;
  for (const NamedAlgorithm& named : heuristics) {
    const Requirements required = heuristic_of(named).requirements();
    if (needs_elements(heuristic_of(named), instance)) {  // checked in elements, by its run
      some_fit = true;
      continue;
    }
    try {
      check_memory(required, platform, instance.problem);
      some_fit = true;
    } catch (InputError& error) {
      error.hint = named.name + " needs it";
      if (named.named) return error.in_file(instance.file.path);
      if (required.blocks < least_blocks) least = error.in_file(instance.file.path);
      least_blocks = std::min(least_blocks, required.blocks);
    }
  }
  return some_fit ? std::nullopt : least;
}

/// Throws InputError when the transfers of a run cannot fit in memory.
void check_trace_size(std::span<const NamedAlgorithm> heuristics, const Case& instance,
                      const Platform& platform, const RunOptions& options) {
  for (const NamedAlgorithm& named : heuristics) {
    const double fewest =
        fewest_transfers(heuristic_of(named).requirements(), platform, instance.problem);
    const std::size_t limit = max_transfers(options.limits, options.noise, platform.port);
    if (fewest > static_cast<double>(limit)) {
      throw InputError("--problem",
                       fmt::format("a run that fits in memory, at most {} transfers here", limit),
                       fmt::format("at least {:.3g} transfers for {}", fewest, named.name),
                       "use larger blocks or memories, or a smaller product");
    }
  }
}

}  // namespace

Value bound_ratio(const RecordContext& row) {
  if (row[kCStationary] != row[kCStationary]) return {};  // no bound of the instance holds
  return to_value(row[kSteadyStateRate] * row[kMakespan] /
                  static_cast<double>(row.comparison.instance.problem.updates()));
}
// The run sets the flag when the schedule is C-stationary; it stays set if that bound is the
// larger. Without a flag no bound of the instance holds for the run.
Value c_stationary(const RecordContext& row) {
  const double bound_s = row[kAnyScheduleBound];
  if (bound_s != bound_s || row[kCStationary] != row[kCStationary]) return {};
  return std::int64_t{row[kCStationary] == 1 && row[kCStationaryBound] > bound_s};
}
Value times_tightest(const RecordContext& row) {
  if (splits_k(row)) return to_value(row[kMakespan] / row[kSplitKBound]);
  if (is_none(c_stationary(row))) return {};
  const bool stationary = real(c_stationary(row)) == 1;
  return to_value(row[kMakespan] / row[stationary ? kCStationaryBound : kAnyScheduleBound]);
}
Value times_bound(const RecordContext& row) {
  if (splits_k(row) || is_none(c_stationary(row))) return {};
  return to_value(row[kMakespan] / row[kAnyScheduleBound]);
}

const FigureList& star_figures() {
  static const FigureList figures = merge_figures(
      merge_figures(
          common_figures(),
          {&kEnrolledWorkers, &kBlocksMoved, &kBlockUpdates, &kCcr, &kPortUtilisation,
           &kSendUtilisation, &kReceiveUtilisation, &kRelativeCost, &kRelativeWork, &kBoundRatio,
           &kSteadyStateRate, &kSteadyStateBound, &kCStationaryBound, &kCStationary,
           &kTimesTightest, &kTimesBound, &kAnyScheduleBound, &kSplitKBound}),
      {&kSide, &kLinkBusy, &kComputeBusy});
  return figures;
}

const Heuristic& heuristic_of(const NamedAlgorithm& named) {
  return dynamic_cast<const Heuristic&>(*named.algorithm);
}

Platform make_star(const Case& instance) {
  return instance.file.at_block_size(instance.problem.block_size);
}

Planner make_planner(const NamedAlgorithm& named, const Platform& platform,
                     const Problem& problem) {
  return [&] {
    const Heuristic& heuristic = heuristic_of(named);
    if (named.named) return heuristic.plan(platform, problem);
    try {
      return heuristic.plan(platform, problem);
    } catch (const InputError& error) {
      throw NotApplicable(fmt::format("it needs {}, there is {}", error.expected, error.found));
    }
  };
}

const FigureList& StarModel::figures() const { return star_figures(); }

std::optional<InputError> StarModel::find_obstacle(
    const Case& instance, const RunOptions& options,
    std::span<const NamedAlgorithm> heuristics) const {
  std::optional<Platform> platform;
  try {
    platform = make_star(instance);
  } catch (const InputError& error) {
    return error;
  }
  const Port::Kind kind = instance.file.port.kind;
  if (const auto needed = port_needed(options.noise, kind)) {
    return InputError("--noise", "a platform whose master has " + *needed, to_string(kind));
  }
  if (auto obstacle = find_memory_obstacle(heuristics, instance, *platform)) return obstacle;
  check_trace_size(heuristics, instance, *platform, options);
  return std::nullopt;
}

double fewest_transfers(const Requirements& required, const Platform& platform,
                        const Problem& problem) {
  std::int64_t m_blocks = 0;
  for (const Worker& worker : platform.workers) m_blocks = std::max(m_blocks, worker.m_blocks);
  if (m_blocks < std::max<std::int64_t>(1, required.blocks)) return 0;
  if (required.layout == nullptr || m_blocks < required.layout->blocks(1)) {
    // Any schedule moves 2 / sqrt(m) blocks for an update (Smith et al. 2019), at most m in each.
    const auto m = static_cast<double>(m_blocks);
    return 2 * static_cast<double>(problem.updates()) / (m * std::sqrt(m));
  }
  const std::int64_t side = required.layout->side(m_blocks);
  const auto parts = [](std::int64_t whole, std::int64_t part) {
    return static_cast<double>(ceil_div(whole, part));
  };
  return parts(problem.r, side) * parts(problem.s, side) *
         (parts(problem.t, required.layout->step_depth(side)) + 2);
}

Figures figures_of(const MakespanBounds& bounds) {
  Figures figures;
  const auto set = [&](const Figure& figure, const std::optional<double>& bound_s) {
    if (bound_s) figures.set(figure, *bound_s);
  };
  set(kSteadyStateBound, bounds.steady_state_s);
  set(kCStationaryBound, bounds.c_stationary_s);
  set(kAnyScheduleBound, bounds.any_schedule_s);
  return figures;
}

Figures star_bounds(const Case& instance, const Noise& noise) {
  const Platform platform = make_star(instance);
  const double rho = steady_state(platform, instance.problem).throughput_updates_per_s;
  Figures bounds = figures_of(makespan_bounds(platform, instance.problem, rho, noise.is_none()));
  // rho is 0 when no memory holds the layout of the bound; DDOML and BMM need less memory.
  if (rho > 0) bounds.set(kSteadyStateRate, rho);
  return bounds;
}

bool needs_elements(const Heuristic& heuristic, const Case& instance) {
  return heuristic.requirements().in_elements && instance.problem.block_size > 1;
}

Case to_elements(const Case& instance) {
  Problem problem = instance.problem;
  for (std::int64_t* side : {&problem.r, &problem.s, &problem.t}) *side *= problem.block_size;
  problem.block_size = 1;
  check_problem(problem, "--problem");
  for (const PlatformFile::Entry& entry : instance.file.entries) {
    if (entry.speed_function.empty()) continue;
    throw NotApplicable("it moves single elements, and " + entry.pointer +
                        "/speed_function measures updates of blocks");
  }
  try {
    instance.file.at_block_size(1);
  } catch (const InputError& error) {
    throw NotApplicable(error.what());
  }
  return {instance.file, problem};
}

void convert_to_blocks(Record& record, std::int64_t q) {
  const auto divide = [](Figures& figures, const Figure& figure, std::int64_t by) {
    const std::int64_t count{std::llround(figures.real(figure) / static_cast<double>(by))};
    figures.set(figure, count);
  };
  const auto count = [&](Figures& figures) {
    divide(figures, kBlocksMoved, q * q);
    divide(figures, kBlockUpdates, q * q * q);
  };
  count(record.figures);
  for (Figures& worker : record.workers) count(worker);
  record.figures.set(kCcr, record.figures.real(kCcr) * static_cast<double>(q));
}

}  // namespace starport
