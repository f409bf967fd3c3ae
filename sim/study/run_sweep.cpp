#include "sim/study/run_sweep.hpp"

#include "sim/files/error.hpp"
#include "sim/platform/random.hpp"
#include "sim/process/process_pool.hpp"
#include "sim/study/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <new>

namespace starport {
namespace {

/// Records that all say why.
std::vector<Record> failed_records(const SweepInstance& instance, const std::string& why,
                                   Cause cause) {
  std::vector<Record> records;
  for (const NamedAlgorithm& named : *instance.experiment->algorithms) {
    records.push_back(Record::failed(named.name, nullptr, Status::error, why, cause));
  }
  return records;
}

std::int64_t failures_in(const std::vector<Record>& records) {
  return std::ranges::count_if(records,
                               [](const Record& record) { return record.status == Status::error; });
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
  return {.failures = failures_in(comparison.records),
          .rows = rows.rows(instance, comparison),
          .timings = ResultRows::timings(instance, comparison.records)};
}

}  // namespace

bool SweepEngines::cross_checks(const Specification& specification, std::int64_t instance) const {
  if (cross_check <= 0) return false;
  Random random(seed_of(fmt::format("{}\ncross-check\n{}", specification.seed, instance)));
  return random.real(0, 1) < cross_check;
}

Comparison run_instance(const SweepInstance& instance, const Models& models,
                        const SweepEngines& engines, RunMode mode) {
  Comparison comparison;
  try {
    const auto& algorithms = *instance.experiment->algorithms;
    const RunOptions options{.engine = engines.engine,
                             .limits = engines.limits,
                             .noise = instance.noise,
                             .isolated = mode == RunMode::isolated};
    comparison = comparison_of(algorithms, instance.in_blocks(), models, options);
    for (const NamedAlgorithm& named : algorithms) {
      comparison.records.push_back(
          run(among(comparison.models, named), comparison.instance, models, options));
    }
    relate(comparison);
  } catch (const std::bad_alloc&) {
    comparison.engine = engines.engine;
    comparison.records = failed_records(instance, "not enough memory", Cause::memory);
  } catch (const std::exception& error) {
    comparison.engine = engines.engine;
    comparison.records = failed_records(instance, error.what(), Cause::model);
  }
  return comparison;
}

namespace {

/// Rows of an instance that both engines must agree on; the rows on which they do not become
/// errors.
void cross_check(const SweepInstance& instance, const Models& models, const SweepEngines& engines,
                 Comparison& comparison) {
  const Case blocks = instance.in_blocks();
  const RunOptions options{
      .engine = engines.engine, .limits = engines.limits, .noise = instance.noise};
  const auto& algorithms = *instance.experiment->algorithms;
  for (std::size_t i = 0; i < algorithms.size(); ++i) {
    Record& record = comparison.records[i];
    if (record.status == Status::not_applicable) continue;
    std::string difference;
    Cause cause = Cause::model;
    try {
      difference = model_of(*algorithms[i].algorithm, models)
                       .find_difference(algorithms[i], blocks, options, EngineKind::simgrid);
    } catch (const SimulationError& error) {
      if (record.status == Status::ok) difference = error.what();
      const auto* lacks = dynamic_cast<const MachineError*>(&error);
      if (lacks != nullptr) cause = lacks->cause();
    }
    if (difference.empty()) continue;
    record.cause = cause;
    record.status = Status::error;
    record.error =
        fmt::format("cross-check with {}: {}", to_string(EngineKind::simgrid), difference);
  }
  relate(comparison);
}

/// What is being run, and how far that is.
struct Sweep {
  const Specification& specification;
  ResultDirectory& directory;
  const SweepEngines& engines;
  const ResultRows rows{specification};
  SweepState state = {};

  void record(std::int64_t number, const Outcome& outcome) {
    directory.append(number, outcome.rows, outcome.timings);
    state.failures += outcome.failures;
    ++state.done;
    ++state.done_now;
  }

  Outcome outcome(std::int64_t number, RunMode mode) const {
    const SweepInstance instance = specification.instance(number);
    Comparison comparison = run_instance(instance, specification.models(), engines, mode);
    if (engines.cross_checks(specification, number)) {
      cross_check(instance, specification.models(), engines, comparison);
    }
    return outcome_of(rows, instance, comparison);
  }

  /// How the process of an instance died.
  struct Lost {
    std::string why;
    Cause cause;
  };
  /// Runs the instances; returns those whose process died, and why.
  std::map<std::int64_t, Lost> run(const std::vector<std::int64_t>& numbers, int processes,
                                   RunMode mode,
                                   const std::function<bool(const SweepState&)>& watch) {
    std::map<std::int64_t, Lost> lost;
    const auto number_of = [&](std::int64_t k) { return numbers[static_cast<std::size_t>(k)]; };
    // Each run that has a process of its own has a time limit of its own.
    const bool common = mode == RunMode::quick && engines.engine == EngineKind::analytic;
    const PoolWork work{
        .run = [&](std::int64_t k) { return outcome(number_of(k), mode).packed(); },
        .finished = [&](std::int64_t k,
                        std::string_view text) { record(number_of(k), Outcome::unpacked(text)); },
        .lost =
            [&](std::int64_t k, const std::string& why, Cause cause) {
              lost[number_of(k)] = {why, cause};
            },
        .time_limit_s = common ? engines.limits.time_limit_s : 0,
        .go_on = [&] { return watch(state); }};
    const auto count = static_cast<std::int64_t>(numbers.size());
    run_in_processes(count, static_cast<int>(std::min<std::int64_t>(processes, count)), work);
    return lost;
  }
};

}  // namespace

SweepState run_sweep(const Specification& specification, ResultDirectory& directory,
                     const SweepEngines& engines, int processes,
                     const std::function<bool(const SweepState&)>& watch) {
  const std::vector<std::int64_t> missing = directory.missing();
  Sweep sweep{.specification = specification, .directory = directory, .engines = engines};
  sweep.state = {.done = directory.size() - std::ssize(missing),
                 .total = directory.size(),
                 .failures = directory.failures()};
  std::vector<std::int64_t> again;
  for (const auto& [number, lost] : sweep.run(missing, processes, RunMode::quick, watch)) {
    again.push_back(number);
  }
  if (again.empty()) return sweep.state;
  for (const auto& [number, lost] : sweep.run(again, processes, RunMode::isolated, watch)) {
    const SweepInstance instance = specification.instance(number);
    Comparison comparison;
    comparison.engine = engines.engine;
    comparison.records = failed_records(instance, "its process died: " + lost.why, lost.cause);
    sweep.record(number, outcome_of(sweep.rows, instance, comparison));
  }
  return sweep.state;
}

}  // namespace starport
