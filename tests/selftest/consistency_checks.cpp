#include "tests/selftest/consistency_checks.hpp"

#include "sim/files/input_file.hpp"
#include "sim/files/json.hpp"
#include "sim/platform/random.hpp"
#include "sim/results/comparison.hpp"
#include "sim/results/figure.hpp"
#include "sim/sweep/checksums.hpp"
#include "sim/sweep/merge.hpp"
#include "sim/sweep/run_sweep.hpp"
#include "tests/selftest/trials.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <optional>

namespace starport {
namespace {

namespace fs = std::filesystem;

/// Time limit of runs that take milliseconds; a run that exceeds it does not end.
constexpr double kTimeLimit_s = 120;

/// Compares the reproducible figures of two records; a figure that one of them lacks is skipped.
std::string find_difference(const Record& expected, const Record& actual, double tolerance) {
  if (expected.status != actual.status) {
    return fmt::format("{}, not {} ({}{})", to_string(actual.status), to_string(expected.status),
                       expected.error, actual.error);
  }
  for (const Figure* figure : expected.model->figures()) {
    if (figure->wall_clock || figure->compute != nullptr) continue;
    const double a = expected.figures.real(*figure);
    const double b = actual.figures.real(*figure);
    if (std::abs(a - b) > tolerance * std::max({1.0, std::abs(a), std::abs(b)})) {
      return fmt::format("{} {}, not {}", figure->key, b, a);
    }
  }
  return "";
}

/// The checks of one algorithm on one instance.
struct RunChecks {
  const NamedAlgorithm& algorithm;
  const Model& model;
  const Case& instance;
  const Noise& noise;

  RunOptions options(EngineKind engine) const {
    return {.engine = engine, .limits = {.time_limit_s = kTimeLimit_s}, .noise = noise};
  }

  /// Checks a complete record against the properties of the model, and that a failed one may fail.
  std::string find_fault(const RunOptions& asked, const Record& record) const {
    if (record.status == Status::ok)
      return trials_of(model)->find_fault(algorithm, instance, asked, record);
    const bool may_fail = !noise.stops.empty() && record.cause == FailureCause::model &&
                          record.error.find("breaks the model") == std::string::npos;
    return record.status == Status::error && !may_fail ? record.error : "";
  }

  std::string find_fault_of_engines() const {
    std::optional<Record> reference;
    for (const EngineKind engine : {EngineKind::simgrid, EngineKind::analytic}) {
      const RunOptions asked = options(engine);
      if (model.find_obstacle(instance, asked)) continue;
      const Record record = model.run(algorithm, instance, asked);
      std::string fault = find_fault(asked, record);
      if (fault.empty() && reference) fault = find_difference(*reference, record, 1e-9);
      if (fault.empty() && engine == EngineKind::analytic) {
        RunOptions quick = asked;
        quick.isolated = false;
        fault = find_difference(record, model.run(algorithm, instance, quick), 0);
        if (!fault.empty()) fault = "in this process: " + fault;
      }
      if (!fault.empty()) return fmt::format("on {}: {}", to_string(engine), fault);
      if (reference && record.status == Status::ok) {
        return model.find_difference(algorithm, instance, asked, EngineKind::simgrid);
      }
      reference = record;
    }
    return "";
  }
};

/// Sweeps of one specification, each in its own subdirectory.
struct Sweeps {
  const Specification& specification;
  const ModelRegistry& registry;
  const std::string& simgrid_version;
  const nlohmann::ordered_json& run;
  const std::string& directory;
  SweepOptions options = {};

  std::string path(const char* name) const { return path_in(directory, name); }
  ResultOrigin origin(Shard shard) const {
    return {
        .engine = to_string(options.engine), .simgrid_version = simgrid_version, .shard = shard};
  }
  /// Runs a sweep until `limit` instances are done, or all.
  void run_until(ResultDirectory results, int processes, std::int64_t limit) const {
    if (results.complete()) return;  // the cut came after the last instance
    run_sweep(specification, results, options, processes,
              [&](const SweepProgress& progress) { return progress.done < limit; });
    results.finish(0);
  }
  void run_whole(const char* name, Shard shard) const {
    run_until(ResultDirectory(path(name), specification, origin(shard), run), 1, INT64_MAX);
  }
  void run_cut(const char* name, Random& random) const {
    run_until(ResultDirectory(path(name), specification, origin({}), run), 1,
              random.integer(0, specification.size()));
    const std::string rows = path_in(path(name), result_files::kResults);
    const bool complete = read_run_info(path(name))["complete"];
    const auto size = static_cast<std::int64_t>(fs::file_size(rows));
    // Truncates the rows like a kill during the last write.
    if (!complete) {
      fs::resize_file(rows, static_cast<std::uintmax_t>(size - random.integer(0, size / 4)));
    }
    run_until(ResultDirectory::resume(path(name), specification, origin({}), run), 2, INT64_MAX);
  }

  std::string find_fault_of(const char* name, const char* whole) const {
    for (const char* file : {result_files::kResults, result_files::kSpecification}) {
      if (read_file(path_in(path(name), file)) != read_file(path_in(path(whole), file))) {
        return fmt::format("the sweep {}: {} differs from that of an uninterrupted sweep", name,
                           file);
      }
    }
    const Verification verified = verify_directory(path(name), registry);
    return verified.complete ? "" : fmt::format("the sweep {} is not complete", name);
  }
};

}  // namespace

std::string find_fault_in_runs(const Specification& specification, const Models& models,
                               CheckCounts& counts) {
  for (std::int64_t number = 1; number <= specification.size(); ++number) {
    const SweepInstance point = specification.instance(number);
    const Case instance = point.in_blocks();
    for (const NamedAlgorithm& algorithm : *point.experiment->algorithms) {
      const Model& model = model_of(*algorithm.algorithm, models);
      try {
        if (model.find_obstacle(instance, {}, {&algorithm, 1}))
          continue;  // no worker has the memory
      } catch (const InputError&) {
        continue;  // the trace does not fit in memory
      }
      const std::string fault =
          RunChecks{algorithm, model, instance, point.noise}.find_fault_of_engines();
      ++counts.runs;
      if (!fault.empty()) return fmt::format("instance {}, {}: {}", number, algorithm.name, fault);
    }
  }
  return "";
}

std::string find_fault_in_sweep(const Specification& specification, const ModelRegistry& registry,
                                const std::string& simgrid_version,
                                const nlohmann::ordered_json& run, const std::string& directory,
                                CheckCounts& counts) {
  Random random(seed_from_identity(specification.resolved));
  fs::create_directory(directory);
  Sweeps sweeps{specification, registry, simgrid_version, run, directory};
  // SimGrid runs use child processes of their own, so that both options are swept.
  sweeps.options = {
      .engine = random.integer(0, 3) == 0 ? EngineKind::simgrid : EngineKind::analytic,
      .limits = {.time_limit_s = kTimeLimit_s}};
  sweeps.run_whole("whole", {});
  sweeps.run_cut("cut", random);
  std::string fault = sweeps.find_fault_of("cut", "whole");
  if (fault.empty() && specification.size() > 1) {
    const std::array shards{"shard-1", "shard-2"};
    for (std::int64_t i = 1; i <= 2; ++i) sweeps.run_whole(shards[i - 1], {i, 2});
    merge_shards({sweeps.path(shards[0]), sweeps.path(shards[1])}, registry, sweeps.path("merged"),
                 run);
    fault = sweeps.find_fault_of("merged", "whole");
  }
  ++counts.sweeps;
  return fault;
}

}  // namespace starport
