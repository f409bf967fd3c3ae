#include "sim/sweep/run_sweep.hpp"

#include "sim/files/error.hpp"
#include "sim/files/numbers.hpp"
#include "sim/platform/random.hpp"
#include "sim/process/process_pool.hpp"
#include "sim/results/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <new>
#include <span>

namespace starport {
namespace {

/// Records that all say why.
std::vector<Record> failed_records(const SweepInstance& instance, const std::string& why,
                                   FailureCause cause) {
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

/// What a worker process sends of an instance: the failures, the lengths of the rows and of the
/// timings, and both.
struct Outcome {
  std::int64_t failures = 0;
  std::string rows;
  std::string timings;

  std::string packed() const {
    const std::int64_t lengths[] = {failures, std::ssize(rows), std::ssize(timings)};
    return std::string(reinterpret_cast<const char*>(lengths), sizeof lengths) + rows + timings;
  }
  /// The first of those in the text, which then begins behind it.
  static Outcome unpacked(std::string_view& text) {
    std::int64_t lengths[3] = {};
    std::memcpy(lengths, text.data(), sizeof lengths);
    text.remove_prefix(sizeof lengths);
    const auto take = [&](std::int64_t length) {
      const std::string taken(text.substr(0, static_cast<std::size_t>(length)));
      text.remove_prefix(taken.size());
      return taken;
    };
    Outcome outcome{.failures = lengths[0]};
    outcome.rows = take(lengths[1]);
    outcome.timings = take(lengths[2]);
    return outcome;
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
  Random random(seed_from_identity(fmt::format("{}\ncross-check\n{}", specification.seed, instance)));
  return random.real(0, 1) < cross_check;
}

namespace {

/// Of instances of one experiment under the same noise.
std::vector<Comparison> run_together(std::span<const SweepInstance> instances, const Models& models,
                                     const SweepEngines& engines, RunMode mode) {
  const auto& algorithms = *instances[0].experiment->algorithms;
  const RunOptions options{.engine = engines.engine,
                           .limits = engines.limits,
                           .noise = instances[0].noise,
                           .isolated = mode == RunMode::isolated};
  std::vector<Comparison> comparisons;
  for (const SweepInstance& instance : instances) {
    comparisons.push_back(make_comparison(algorithms, instance.in_blocks(), models, options));
  }
  std::vector<const Case*> cases;
  for (const Comparison& comparison : comparisons) cases.push_back(&comparison.instance);
  for (const NamedAlgorithm& named : algorithms) {
    auto records = run_batch(adapt_to_models(named, comparisons[0].models), cases, models, options);
    for (std::size_t k = 0; k < records.size(); ++k) {
      comparisons[k].records.push_back(std::move(records[k]));
    }
  }
  for (Comparison& comparison : comparisons) compute_relative_figures(comparison);
  return comparisons;
}

bool alike(const SweepInstance& x, const SweepInstance& y) {
  return x.experiment == y.experiment && x.noise.none() && y.noise.none();
}

}  // namespace

Comparison run_instance(const SweepInstance& instance, const Models& models,
                        const SweepEngines& engines, RunMode mode) {
  Comparison comparison{.engine = engines.engine};
  try {
    return std::move(run_together({&instance, 1}, models, engines, mode).front());
  } catch (const std::bad_alloc&) {
    comparison.records = failed_records(instance, "not enough memory", FailureCause::memory);
  } catch (const std::exception& error) {
    comparison.records = failed_records(instance, error.what(), FailureCause::model);
  }
  return comparison;
}

std::vector<Comparison> run_instances(std::span<const SweepInstance> instances,
                                      const Models& models, const SweepEngines& engines,
                                      RunMode mode) {
  if (instances.size() > 1 && std::ranges::all_of(instances, [&](const SweepInstance& instance) {
        return alike(instance, instances[0]);
      })) {
    try {
      return run_together(instances, models, engines, mode);
    } catch (const std::exception&) {  // told by the one that it is about
    }
  }
  std::vector<Comparison> comparisons;
  for (const SweepInstance& instance : instances) {
    comparisons.push_back(run_instance(instance, models, engines, mode));
  }
  return comparisons;
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
    FailureCause cause = FailureCause::model;
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
  compute_relative_figures(comparison);
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

  /// The outcomes of instances, packed, one after another.
  std::string outcomes(std::span<const std::int64_t> numbers, RunMode mode) const {
    std::vector<SweepInstance> instances;
    for (const std::int64_t number : numbers) instances.push_back(specification.instance(number));
    auto comparisons = run_instances(instances, specification.models(), engines, mode);
    std::string text;
    for (std::size_t k = 0; k < instances.size(); ++k) {
      if (engines.cross_checks(specification, instances[k].number)) {
        cross_check(instances[k], specification.models(), engines, comparisons[k]);
      }
      text += outcome_of(rows, instances[k], comparisons[k]).packed();
    }
    return text;
  }

  /// How many instances are a piece of work: enough to fill vectors again and again, but for short
  /// sweeps not so many that processes would have nothing to do in the end.
  std::int64_t at_once(std::int64_t count, int processes, RunMode mode) const {
    constexpr std::int64_t most = 32;
    constexpr std::int64_t pieces = 8;  // of each process
    if (mode == RunMode::isolated || engines.engine != EngineKind::analytic) return 1;
    return std::clamp<std::int64_t>(count / (pieces * processes), 1, most);
  }

  /// How the process of an instance died.
  struct Lost {
    std::string why;
    FailureCause cause;
  };
  /// Runs the instances; returns those whose process died, and why.
  std::map<std::int64_t, Lost> run(const std::vector<std::int64_t>& numbers, int processes,
                                   RunMode mode,
                                   const std::function<bool(const SweepState&)>& watch) {
    std::map<std::int64_t, Lost> lost;
    const auto count = std::ssize(numbers);
    const std::int64_t most = at_once(count, processes, mode);
    const auto piece = [&](std::int64_t k) {
      return std::span(numbers).subspan(static_cast<std::size_t>(k * most),
                                        static_cast<std::size_t>(std::min(most, count - k * most)));
    };
    // Each run that has a process of its own has a time limit of its own.
    const bool common = mode == RunMode::quick && engines.engine == EngineKind::analytic;
    const PoolTasks work{
        .run = [&](std::int64_t k) { return outcomes(piece(k), mode); },
        .finished =
            [&](std::int64_t k, std::string_view text) {
              for (const std::int64_t number : piece(k)) record(number, Outcome::unpacked(text));
            },
        .lost =
            [&](std::int64_t k, const std::string& why, FailureCause cause) {
              for (const std::int64_t number : piece(k)) lost[number] = {why, cause};
            },
        .time_limit_s = common ? engines.limits.time_limit_s * static_cast<double>(most) : 0,
        .should_continue = [&] { return watch(state); }};
    const std::int64_t pieces = ceil_div(count, most);
    run_in_processes(pieces, static_cast<int>(std::min<std::int64_t>(processes, pieces)), work);
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
