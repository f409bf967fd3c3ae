#include "sim/sweep/run_sweep.hpp"

#include "sim/model/error.hpp"
#include "sim/sweep/process_pool.hpp"

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

Comparison run_instance(const SweepInstance& instance, const Engine& engine) {
  Comparison comparison;
  comparison.engine = engine.name();
  try {
    const Instance blocks = instance.in_blocks();
    comparison.platform = blocks.platform;
    comparison.problem = blocks.problem;
    comparison.bound = steady_state(blocks.platform);
    for (const NamedHeuristic& named : *instance.experiment->heuristics) {
      const auto plan = [&] { return named.heuristic->plan(blocks.platform, blocks.problem); };
      comparison.results.push_back(simulate_row(named.name, blocks.platform, blocks.problem, plan,
                                                engine, [](const Trace&) {}));
    }
    relate(comparison);
  } catch (const std::exception& error) {
    comparison.results = failed_rows(instance, error.what());
  }
  return comparison;
}

SweepState run_sweep(const Specification& specification, ResultDirectory& directory,
                     const Engine& engine, int processes,
                     const std::function<bool(const SweepState&)>& watch) {
  const ResultRows rows(specification);
  const std::vector<std::int64_t> missing = directory.missing();
  SweepState state;
  state.total = directory.size();
  state.failures = directory.failures();
  state.done = state.total - static_cast<std::int64_t>(missing.size());
  const auto instance_at = [&](std::int64_t k) {
    return specification.instance(missing[static_cast<std::size_t>(k)]);
  };
  const auto record = [&](std::int64_t k, const Outcome& outcome) {
    directory.append(missing[static_cast<std::size_t>(k)], outcome.rows, outcome.timings);
    state.failures += outcome.failures;
    ++state.done;
    ++state.done_now;
  };
  PoolWork work;
  work.run = [&](std::int64_t k) {
    const SweepInstance instance = instance_at(k);
    return outcome_of(rows, instance, run_instance(instance, engine)).packed();
  };
  work.finished = [&](std::int64_t k, std::string_view text) {
    record(k, Outcome::unpacked(text));
  };
  work.lost = [&](std::int64_t k, const std::string& why) {
    const SweepInstance instance = instance_at(k);
    Comparison comparison;
    comparison.engine = engine.name();
    comparison.results = failed_rows(instance, "its process died: " + why);
    record(k, outcome_of(rows, instance, comparison));
  };
  work.go_on = [&] { return watch(state); };
  const auto most = static_cast<std::int64_t>(missing.size());
  run_in_processes(most, static_cast<int>(std::min<std::int64_t>(processes, most)), work);
  return state;
}

}  // namespace starport
