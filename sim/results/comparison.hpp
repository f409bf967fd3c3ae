// Comparing several algorithms on one instance: runs, repetitions under noise, relative figures.
#pragma once

#include "sim/results/model.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace starport {

/// The program and the command that produced a comparison, as recorded in JSON output.
struct Provenance {
  std::string simgrid_version;
  std::vector<std::string> command;  ///< argv
};

/// Confidence in the ranking of the fastest algorithms on a measured platform, whose figures are
/// uncertain. The algorithms are simulated again on platforms drawn from the confidence intervals
/// of the figures; their plans use the nominal figures.
struct RankingConfidence {
  /// The result of one algorithm.
  struct Share {
    std::string algorithm;
    double fastest = 0;  ///< fraction of the draws in which no compared algorithm was faster
    double beaten = 0;   ///< fraction of the draws in which the first algorithm was faster
  };
  std::int64_t draws = 0;     ///< number of drawn platforms
  std::uint64_t seed = 0;     ///< seed of the draws
  std::vector<Share> shares;  ///< the fastest algorithms, by increasing nominal makespan
};

/// The records of several algorithms on one instance, with its bounds.
struct Comparison {
  Case instance;
  EngineKind engine = EngineKind::simgrid;
  std::string noise;                 ///< the noise as `--noise` accepts it; empty: no noise
  Models models = {};                ///< models of the algorithms, each once
  std::vector<Figures> bounds = {};  ///< bounds of the instance, one element per model
  std::vector<Record> records = {};  ///< one per algorithm, in the order of the request
  Provenance provenance = {};
  std::optional<RankingConfidence> ranking_confidence = {};

  /// Returns the bounds of the instance in `model`; no figures when the model is not in `models`.
  const Figures& bounds_of(const Model* model) const;
  /// Returns whether any record summarises several repetitions.
  bool has_repetitions() const;
};

/// A record together with the comparison that contains it, passed to functions that compute
/// relative figures. Both must outlive it.
struct RecordContext {
  const Comparison& comparison;
  const Record& record;

  /// Returns the value of a figure of the run, or of its instance's bounds; NaN when there is none.
  double operator[](const Figure& figure) const;
  /// Returns the minimum of `value` over the records with status ok; infinity when there is none.
  double minimum(const std::function<double(const RecordContext&)>& value) const;
  double minimum(const Figure& figure) const {
    return minimum([&](const RecordContext& other) { return other[figure]; });
  }
};

/// Computes the figures of each record that depend on the other records or on the bounds, such as
/// the relative cost. Call it again after records have changed.
void compute_relative_figures(Comparison& comparison);

/// Returns the pairs of algorithms whose 95 % confidence interval of the mean difference contains
/// 0, in the order of the records. Only records with repetitions are compared.
std::vector<std::pair<std::string, std::string>> pairs_within_noise(const Comparison& comparison);

/// Checks before any run that at least one model can run its algorithms on the instance. Throws
/// InputError with the first obstacle otherwise, or when a trace cannot fit in memory. Models that
/// cannot run are not an error when another can: their records become "not applicable".
void check(const std::vector<NamedAlgorithm>& algorithms, const Case& instance,
           const Models& models, const RunOptions& options);

/// Returns a comparison with the bounds of the algorithms' models and without records.
Comparison make_comparison(const std::vector<NamedAlgorithm>& algorithms, const Case& instance,
                           const Models& models, const RunOptions& options);

/// Returns `algorithm` as it is run beside those of `models`: with several models it counts as a
/// group member (NamedAlgorithm::named is false), so that a lack of memory makes it "not
/// applicable" instead of an error.
NamedAlgorithm adapt_to_models(const NamedAlgorithm& algorithm, const Models& models);

/// Simulates one run. The record is "not applicable" when the model of the algorithm cannot run on
/// the platform.
Record run(const NamedAlgorithm& algorithm, const Case& instance, const Models& models,
           const RunOptions& options);

/// Simulates one algorithm on several instances, with the noise of `options` on each, and returns
/// the records in the order of `instances`.
std::vector<Record> run_batch(const NamedAlgorithm& algorithm,
                              std::span<const Case* const> instances, const Models& models,
                              const RunOptions& options);

/// Calls `run` for each repetition of the noise and summarises the records: see
/// Record::makespans_s. The first record that is not ok is returned instead.
Record run_repeatedly(const std::function<Record(const RunOptions&)>& run,
                      const RunOptions& options, std::int64_t repetitions);

/// Runs each algorithm and returns their records in the same order, with relative figures. A run
/// that fails does not stop the others. With `repetitions` > 1 each algorithm is run under that
/// many draws of the noise; `options.on_timeline` receives the first run only. Shows progress on
/// stderr when that is a terminal.
Comparison compare(const std::vector<NamedAlgorithm>& algorithms, const Case& instance,
                   const Models& models, const RunOptions& options, std::int64_t repetitions = 1);

}  // namespace starport
