#include "sim/sweep/run_sweep.hpp"

#include "sim/files/error.hpp"
#include "sim/files/numbers.hpp"
#include "sim/platform/random.hpp"
#include "sim/process/process_pool.hpp"
#include "sim/results/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <map>
#include <new>
#include <span>

namespace starport {
namespace {

/// Returns an error record for each algorithm of the instance.
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

/// Returns rows as a worker process sends them: the lengths of both texts, then the texts.
std::string serialize(const InstanceRows& rows) {
  const std::int64_t numbers[] = {rows.number, rows.failures, std::ssize(rows.rows),
                                  std::ssize(rows.timings)};
  return std::string(reinterpret_cast<const char*>(numbers), sizeof numbers) + rows.rows +
         rows.timings;
}

/// Reads the rows of one instance from the start of `text` and removes them from there.
InstanceRows parse_rows(std::string_view& text) {
  std::int64_t numbers[4] = {};
  std::memcpy(numbers, text.data(), sizeof numbers);
  text.remove_prefix(sizeof numbers);
  const auto take = [&](std::int64_t length) {
    const std::string taken(text.substr(0, static_cast<std::size_t>(length)));
    text.remove_prefix(taken.size());
    return taken;
  };
  InstanceRows rows{.number = numbers[0], .failures = numbers[1]};
  rows.rows = take(numbers[2]);
  rows.timings = take(numbers[3]);
  return rows;
}

InstanceRows rows_of(const ResultRows& rows, const SweepInstance& instance,
                     const Comparison& comparison) {
  return {.number = instance.number,
          .failures = failures_in(comparison.records),
          .rows = rows.rows(instance, comparison),
          .timings = ResultRows::timings(instance, comparison.records)};
}

/// Runs instances of one experiment with the same noise.
std::vector<Comparison> run_as_batch(std::span<const SweepInstance> instances, const Models& models,
                                     const SweepOptions& options, RunMode mode) {
  const auto& algorithms = *instances[0].experiment->algorithms;
  const RunOptions run_options{.engine = options.engine,
                               .limits = options.limits,
                               .noise = instances[0].noise,
                               .isolated = mode == RunMode::isolated};
  std::vector<Comparison> comparisons;
  for (const SweepInstance& instance : instances) {
    comparisons.push_back(make_comparison(algorithms, instance.in_blocks(), models, run_options));
  }
  std::vector<const Case*> cases;
  for (const Comparison& comparison : comparisons) cases.push_back(&comparison.instance);
  for (const NamedAlgorithm& named : algorithms) {
    auto records =
        run_batch(adapt_to_models(named, comparisons[0].models), cases, models, run_options);
    for (std::size_t k = 0; k < records.size(); ++k) {
      comparisons[k].records.push_back(std::move(records[k]));
    }
  }
  for (Comparison& comparison : comparisons) compute_relative_figures(comparison);
  return comparisons;
}

bool can_share_batch(const SweepInstance& x, const SweepInstance& y) {
  return x.experiment == y.experiment && x.noise.is_none() && y.noise.is_none();
}

/// Simulates the instance on SimGrid too. Records on which the engines differ become errors.
void cross_check(const SweepInstance& instance, const Models& models, const SweepOptions& options,
                 Comparison& comparison) {
  const Case blocks = instance.in_blocks();
  const RunOptions run_options{
      .engine = options.engine, .limits = options.limits, .noise = instance.noise};
  const auto& algorithms = *instance.experiment->algorithms;
  for (std::size_t i = 0; i < algorithms.size(); ++i) {
    Record& record = comparison.records[i];
    if (record.status != Status::ok) continue;
    std::string difference;
    FailureCause cause = FailureCause::model;
    try {
      difference = model_of(*algorithms[i].algorithm, models)
                       .find_difference(algorithms[i], blocks, run_options, EngineKind::simgrid);
    } catch (const std::exception& error) {
      difference = error.what();
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

/// The state of one call of run_rows().
struct Sweep {
  const Specification& specification;
  const SweepOptions& options;
  const std::function<void(const InstanceRows&)>& on_rows;
  const std::function<bool()>& should_continue;
  const ResultRows rows{specification};

  /// Runs instances and returns their serialized rows, one instance after another.
  std::string run_to_text(std::span<const std::int64_t> numbers, RunMode mode) const {
    std::vector<SweepInstance> instances;
    for (const std::int64_t number : numbers) instances.push_back(specification.instance(number));
    auto comparisons = run_instances(instances, specification.models(), options, mode);
    std::string text;
    for (std::size_t k = 0; k < instances.size(); ++k) {
      if (options.is_cross_checked(specification, instances[k].number)) {
        cross_check(instances[k], specification.models(), options, comparisons[k]);
      }
      text += serialize(rows_of(rows, instances[k], comparisons[k]));
    }
    return text;
  }

  /// Returns the number of instances per task of the process pool: large enough to fill the vector
  /// lanes of batch planning, but small enough that several processes stay busy in short sweeps.
  std::int64_t batch_size(std::int64_t count, int processes, RunMode mode) const {
    constexpr std::int64_t max_size = 64;
    constexpr std::int64_t batches_per_process = 8;
    if (mode == RunMode::isolated || options.engine != EngineKind::analytic) return 1;
    const std::int64_t batches = processes > 1 ? batches_per_process * processes : 1;
    return std::clamp<std::int64_t>(count / batches, 1, max_size);
  }

  /// Returns the time limit in seconds of the process of one instance whose runs are isolated or on
  /// SimGrid; 0: none. Each run may take `per_run` times the limit of a run (plan, simulation,
  /// cross-check); SweepOptions::rest_s and one more limit are for other work of that process.
  double isolated_limit_s() const {
    constexpr double per_run = 8;
    std::size_t runs = 0;
    for (const Experiment& experiment : specification.experiments) {
      runs = std::max(runs, experiment.algorithms->size());
    }
    const double limit_s = options.limits.time_limit_s;
    return limit_s > 0 ? options.rest_s + limit_s * (1 + per_run * static_cast<double>(runs)) : 0;
  }

  /// The reason why the process of an instance died.
  struct Death {
    std::string reason;
    FailureCause cause;
  };
  /// Runs the instances; returns those whose process died or exceeded its time limit.
  std::map<std::int64_t, Death> run(const std::vector<std::int64_t>& numbers, int processes,
                                    RunMode mode) const {
    std::map<std::int64_t, Death> deaths;
    const auto count = std::ssize(numbers);
    const std::int64_t size = batch_size(count, processes, mode);
    const auto batch = [&](std::int64_t k) {
      return std::span(numbers).subspan(static_cast<std::size_t>(k * size),
                                        static_cast<std::size_t>(std::min(size, count - k * size)));
    };
    const bool shares_limit = mode == RunMode::in_process && options.engine == EngineKind::analytic;
    // A batch that exceeds the limit of one run runs again, each of its runs on its own.
    const double task_limit_s = shares_limit ? options.limits.time_limit_s : isolated_limit_s();
    const PoolTasks work{.run = [&](std::int64_t k) { return run_to_text(batch(k), mode); },
                         .on_finished =
                             [&](std::int64_t, std::string_view text) {
                               while (!text.empty()) on_rows(parse_rows(text));
                             },
                         .on_lost =
                             [&](std::int64_t k, const std::string& why, FailureCause cause) {
                               for (const std::int64_t number : batch(k))
                                 deaths[number] = {why, cause};
                             },
                         .time_limit_s = task_limit_s,
                         .should_continue = should_continue};
    const std::int64_t batches = ceil_div(count, size);
    const auto used = std::clamp<std::int64_t>(processes, 1, std::max<std::int64_t>(batches, 1));
    run_in_processes(batches, static_cast<int>(used), work);
    return deaths;
  }
};

}  // namespace

bool SweepOptions::is_cross_checked(const Specification& specification,
                                    std::int64_t instance) const {
  if (cross_check <= 0) return false;
  Random random(
      seed_from_identity(fmt::format("{}\ncross-check\n{}", specification.seed, instance)));
  return random.real(0, 1) < cross_check;
}

Comparison run_instance(const SweepInstance& instance, const Models& models,
                        const SweepOptions& options, RunMode mode) {
  Comparison comparison{.engine = options.engine};
  try {
    return std::move(run_as_batch({&instance, 1}, models, options, mode).front());
  } catch (const std::bad_alloc&) {
    comparison.records = failed_records(instance, "not enough memory", FailureCause::memory);
  } catch (const std::exception& error) {
    comparison.records = failed_records(instance, error.what(), FailureCause::model);
  }
  return comparison;
}

std::vector<Comparison> run_instances(std::span<const SweepInstance> instances,
                                      const Models& models, const SweepOptions& options,
                                      RunMode mode) {
  if (instances.size() > 1 && std::ranges::all_of(instances, [&](const SweepInstance& instance) {
        return can_share_batch(instance, instances[0]);
      })) {
    try {
      return run_as_batch(instances, models, options, mode);
    } catch (const std::exception&) {  // run_instance reports it for the instance that causes it
    }
  }
  std::vector<Comparison> comparisons;
  for (const SweepInstance& instance : instances) {
    comparisons.push_back(run_instance(instance, models, options, mode));
  }
  return comparisons;
}

void run_rows(const Specification& specification, const std::vector<std::int64_t>& instances,
              const SweepOptions& options, int processes,
              const std::function<void(const InstanceRows&)>& on_rows,
              const std::function<bool()>& should_continue) {
  const Sweep sweep{.specification = specification,
                    .options = options,
                    .on_rows = on_rows,
                    .should_continue = should_continue};
  // In rounds, so that the rows of batches that exceed the limit follow soon. Once most instances
  // of a round have, those of the next ones run on their own at once.
  const std::size_t round = 2048 * static_cast<std::size_t>(std::max(processes, 1));
  RunMode mode = RunMode::in_process;
  for (std::size_t first = 0; first < instances.size() && should_continue(); first += round) {
    const auto part =
        std::span(instances).subspan(first, std::min(round, instances.size() - first));
    const std::vector<std::int64_t> numbers(part.begin(), part.end());
    auto deaths = sweep.run(numbers, processes, mode);
    if (!deaths.empty() && mode == RunMode::in_process) {
      std::vector<std::int64_t> again;
      for (const auto& [number, death] : deaths) again.push_back(number);
      if (2 * again.size() > numbers.size()) mode = RunMode::isolated;
      deaths = sweep.run(again, processes, RunMode::isolated);
    }
    for (const auto& [number, death] : deaths) {
      const SweepInstance instance = specification.instance(number);
      Comparison comparison{.engine = options.engine};
      comparison.records =
          failed_records(instance, "its process died: " + death.reason, death.cause);
      on_rows(rows_of(sweep.rows, instance, comparison));
    }
  }
}

SweepProgress run_sweep(const Specification& specification, ResultDirectory& directory,
                        const SweepOptions& options, int processes,
                        const std::function<bool(const SweepProgress&)>& on_progress) {
  const std::vector<std::int64_t> missing = directory.missing();
  SweepProgress progress{.done = directory.size() - std::ssize(missing),
                         .total = directory.size(),
                         .failures = directory.failures()};
  run_rows(
      specification, missing, options, processes,
      [&](const InstanceRows& instance) {
        directory.append(instance.number, instance.rows, instance.timings);
        progress.failures += instance.failures;
        ++progress.done;
        ++progress.done_now;
      },
      [&] { return on_progress(progress); });
  return progress;
}

}  // namespace starport
