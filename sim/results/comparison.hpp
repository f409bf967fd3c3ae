// The records of several algorithms on one instance, and how they compare.
#pragma once

#include "sim/results/model.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace starport {

/// What made the results.
struct Provenance {
  std::string simgrid_version;
  std::vector<std::string> command;  ///< argv
};

/// How sure a comparison is, where the platform was measured: its records once more on platforms
/// drawn from the intervals of its figures. Plans know the file's figures alone.
struct Certainty {
  struct Share {
    std::string algorithm;
    double fastest = 0;  ///< the share of the draws in which none was faster
    double beaten = 0;   ///< by the first one
  };
  std::int64_t draws = 0;
  std::uint64_t seed = 0;
  std::vector<Share> shares;  ///< the fastest few, in the order of their makespans
};

struct Comparison {
  Case instance;
  EngineKind engine = EngineKind::simgrid;
  std::string noise;                 ///< as --noise takes it; empty: none
  Models models = {};                ///< those of the algorithms
  std::vector<Figures> bounds = {};  ///< of the instance, for each of the models
  std::vector<Record> records = {};  ///< in the order asked for
  Provenance provenance = {};
  std::optional<Certainty> certainty = {};

  /// The bounds of a model among those; none at all for another.
  const Figures& bounds_of(const Model* model) const;
  /// Whether any of the records is of repetitions.
  bool repeated() const;
};

/// A record beside the others, for figures that follow from those.
struct Related {
  const Comparison& comparison;
  const Record& record;

  /// The record's own figure or its instance's; NaN when there is none.
  double operator[](const Figure& figure) const;
  /// The smallest, over the records that are ok.
  double least(const std::function<double(const Related&)>& figure) const;
  double least(const Figure& figure) const {
    return least([&](const Related& other) { return other[figure]; });
  }
};

/// Fills in the figures that relate the records to each other and to the bounds.
void relate(Comparison& comparison);

/// The pairs of algorithms whose difference is within noise, in the order of the records.
std::vector<std::pair<std::string, std::string>> pairs_within_noise(const Comparison& comparison);

/// What a model's check says when no worker can run one of the algorithms asked for by name.
class NoWorker : public InputError {
 public:
  explicit NoWorker(const InputError& error) : InputError(error) {}
};

/// What is known to fail before the start, by each of the models. Throws InputError when none of
/// them can run on such a platform; where another one can, the rows say why not.
void check(const std::vector<NamedAlgorithm>& algorithms, const Case& instance,
           const Models& models, const RunOptions& options);

/// A comparison that has the bounds of the algorithms' models, and no records yet.
Comparison comparison_of(const std::vector<NamedAlgorithm>& algorithms, const Case& instance,
                         const Models& models, const RunOptions& options);

/// The algorithm as one of a comparison: where other models run beside it, one that finds no worker
/// does not apply, as if it were one of a group.
NamedAlgorithm among(const Models& models, const NamedAlgorithm& named);

/// One run; it does not apply where its model cannot run on such a platform.
Record run(const NamedAlgorithm& algorithm, const Case& instance, const Models& models,
           const RunOptions& options);

/// The same on each of several instances.
std::vector<Record> run_each(const NamedAlgorithm& algorithm,
                             std::span<const Case* const> instances, const Models& models,
                             const RunOptions& options);

/// A record of the run of `run` over repetitions under noise. One that fails is the record.
Record run_repeatedly(const std::function<Record(const RunOptions&)>& run,
                      const RunOptions& options, std::int64_t repetitions);

/// A record for each algorithm, in their order, related to the others: one that fails does not stop
/// them. Under noise maybe of several repetitions, with other factors each time; `take_timeline`
/// gets the first. On a terminal a line on stderr tells where a long run is.
Comparison compare(const std::vector<NamedAlgorithm>& algorithms, const Case& instance,
                   const Models& models, const RunOptions& options, std::int64_t repetitions = 1);

}  // namespace starport
