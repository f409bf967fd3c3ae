#include "sim/study/run_sweep.hpp"

#include "sim/files/error.hpp"
#include "sim/platform/random.hpp"
#include "sim/process/process_pool.hpp"
#include "sim/star/engine/trace_difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace starport {
namespace {

/// Rows that all say why.
std::vector<Result> failed_rows(const SweepInstance& instance, const std::string& why) {
  std::vector<Result> results;
  for (const NamedHeuristic& named : *instance.experiment->heuristics) {
    results.emplace_back();
    results.back().heuristic = named.name;
    results.back().status = Status::error;
    results.back().error = why;
  }
  return results;
}

std::int64_t failures_in(const std::vector<Result>& results) {
  return std::count_if(results.begin(), results.end(),
                       [](const Result& result) { return result.status == Status::error; });
}

/// What a worker process sends: the failures, the rows' length, the rows, the timings.
struct Outcome {
  std::int64_t failures = 0;
  std::string rows;
  std::string timings;

  std::string packed() const {
    const std::int64_t lengths[] = {failures, static_cast<std::int64_t>(rows.size())};
    return std::string(reinterpret_cast<const char*>(lengths), sizeof lengths) + rows + timings;
  }
  static Outcome unpacked(std::string_view text) {
    std::int64_t lengths[2] = {};
    std::memcpy(lengths, text.data(), sizeof lengths);
    text.remove_prefix(sizeof lengths);
    const auto rows = static_cast<std::size_t>(lengths[1]);
    return {.failures = lengths[0],
            .rows = std::string(text.substr(0, rows)),
            .timings = std::string(text.substr(rows))};
  }
};

Outcome outcome_of(const ResultRows& rows, const SweepInstance& instance,
                   const Comparison& comparison) {
  return {.failures = failures_in(comparison.results),
          .rows = rows.rows(instance, comparison),
          .timings = ResultRows::timings(instance, comparison.results)};
}

}  // namespace

bool CrossCheck::has(const Specification& specification, std::int64_t instance) const {
  if (reference == nullptr) return false;
  Random random(seed_of(fmt::format("{}\ncross-check\n{}", specification.seed, instance)));
  return random.real(0, 1) < fraction;
}

Comparison run_instance(const SweepInstance& instance, const Engine& engine, RunMode mode) {
  Comparison comparison;
  comparison.engine = engine.name();
  try {
    const Instance blocks = instance.in_blocks();
    comparison.platform = blocks.platform;
    comparison.problem = blocks.problem;
    comparison.bound = reference_steady_state(blocks.platform, blocks.problem);
    comparison.bounds =
        makespan_bounds(blocks.platform, blocks.problem, comparison.bound.throughput_updates_per_s,
                        instance.noise.none());
    std::function<void(const Trace&)> take_trace;
    if (mode == RunMode::isolated) take_trace = [](const Trace&) {};
    for (const NamedHeuristic& named : *instance.experiment->heuristics) {
      comparison.results.push_back(simulate_row(named.name, blocks.platform, blocks.problem,
                                                planner_of(named, blocks.platform, blocks.problem),
                                                engine, take_trace, instance.noise));
    }
    relate(comparison);
  } catch (const std::exception& error) {
    comparison.results = failed_rows(instance, error.what());
  }
  return comparison;
}

namespace {

/// Rows of an instance that both engines must agree on; the rows on which they do not become
/// errors.
void cross_check(const SweepInstance& instance, const SweepEngines& engines,
                 Comparison& comparison) {
  const Instance blocks = instance.in_blocks();
  const auto& heuristics = *instance.experiment->heuristics;
  for (std::size_t i = 0; i < heuristics.size(); ++i) {
    Result& result = comparison.results[i];
    if (result.status == Status::not_applicable) continue;
    const auto plan = planner_of(heuristics[i], blocks.platform, blocks.problem);
    std::string difference;
    try {
      difference = find_difference(
          engines.engine.run(blocks.platform, blocks.problem, plan, instance.noise).trace,
          engines.cross_check.reference->run(blocks.platform, blocks.problem, plan, instance.noise)
              .trace);
    } catch (const SimulationError& error) {
      if (result.status == Status::ok) difference = error.what();
    }
    if (difference.empty()) continue;
    result.status = Status::error;
    result.error =
        fmt::format("cross-check with {}: {}", engines.cross_check.reference->name(), difference);
  }
  relate(comparison);
}

class Sweep {
 public:
  Sweep(const Specification& specification, ResultDirectory& directory, const SweepEngines& engines,
        const std::function<bool(const SweepState&)>& watch)
      : specification_(specification),
        directory_(directory),
        engines_(engines),
        watch_(watch),
        rows_(specification) {
    state_.total = directory.size();
    state_.failures = directory.failures();
    state_.done = state_.total - static_cast<std::int64_t>(directory.missing().size());
  }

  const SweepState& state() const { return state_; }

  /// Runs the instances; returns those whose process died, and why.
  std::vector<std::pair<std::int64_t, std::string>> run(const std::vector<std::int64_t>& numbers,
                                                        int processes, RunMode mode) {
    std::vector<std::pair<std::int64_t, std::string>> lost;
    const auto number_of = [&](std::int64_t k) { return numbers[static_cast<std::size_t>(k)]; };
    PoolWork work;
    work.run = [&](std::int64_t k) { return outcome(number_of(k), mode).packed(); };
    work.finished = [&](std::int64_t k, std::string_view text) {
      record(number_of(k), Outcome::unpacked(text));
    };
    work.lost = [&](std::int64_t k, const std::string& why) {
      lost.emplace_back(number_of(k), why);
    };
    work.go_on = [&] { return watch_(state_); };
    // Each run that has a process of its own has a time limit of its own.
    const bool common = mode == RunMode::quick && engines_.engine.streams();
    work.time_limit_s = common ? engines_.time_limit_s : 0;
    const auto count = static_cast<std::int64_t>(numbers.size());
    run_in_processes(count, static_cast<int>(std::min<std::int64_t>(processes, count)), work);
    return lost;
  }

  void record_lost(std::int64_t number, const std::string& why) {
    const SweepInstance instance = specification_.instance(number);
    Comparison comparison;
    comparison.engine = engines_.engine.name();
    comparison.results = failed_rows(instance, "its process died: " + why);
    record(number, outcome_of(rows_, instance, comparison));
  }

 private:
  Outcome outcome(std::int64_t number, RunMode mode) const {
    const SweepInstance instance = specification_.instance(number);
    Comparison comparison = run_instance(instance, engines_.engine, mode);
    if (engines_.cross_check.has(specification_, number)) {
      cross_check(instance, engines_, comparison);
    }
    return outcome_of(rows_, instance, comparison);
  }

  void record(std::int64_t number, const Outcome& outcome) {
    directory_.append(number, outcome.rows, outcome.timings);
    state_.failures += outcome.failures;
    ++state_.done;
    ++state_.done_now;
  }

  const Specification& specification_;
  ResultDirectory& directory_;
  const SweepEngines& engines_;
  const std::function<bool(const SweepState&)>& watch_;
  ResultRows rows_;
  SweepState state_;
};

}  // namespace

SweepState run_sweep(const Specification& specification, ResultDirectory& directory,
                     const SweepEngines& engines, int processes,
                     const std::function<bool(const SweepState&)>& watch) {
  Sweep sweep(specification, directory, engines, watch);
  std::vector<std::int64_t> again;
  for (const auto& [number, why] : sweep.run(directory.missing(), processes, RunMode::quick)) {
    again.push_back(number);
  }
  if (again.empty()) return sweep.state();
  std::sort(again.begin(), again.end());
  for (const auto& [number, why] : sweep.run(again, processes, RunMode::isolated)) {
    sweep.record_lost(number, why);
  }
  return sweep.state();
}

}  // namespace starport
