// Running algorithms one after the other on an instance.
#pragma once

#include "sim/study/comparison.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace starport {

/// How `compare` runs: under noise, maybe several times, with other factors each time.
struct Repeated {
  RunOptions options;
  std::int64_t repetitions = 1;  ///< of noise 1, 2, ...
  /// Gets the timeline of each run that is complete, of the first repetition.
  std::function<void(const std::string& algorithm, const Timeline&)> take_timeline = {};
};

/// What is known to fail before the start, by each of the models.
void check(const std::vector<NamedAlgorithm>& algorithms, const Case& instance,
           const Models& models, const RunOptions& options);

/// A comparison that has the bounds of the algorithms' models, and no records yet.
Comparison comparison_of(const std::vector<NamedAlgorithm>& algorithms, const Case& instance,
                         const Models& models, EngineKind engine, const Noise& noise);

/// A record of the run of `run` over repetitions under noise. One that fails is the record.
Record run_repeatedly(const std::function<Record(const RunOptions&)>& run,
                      const RunOptions& options, std::int64_t repetitions);

/// A record for each algorithm, in their order, related to the others: one that fails does not stop
/// them. On a terminal a line on stderr tells where a long run is.
Comparison compare(const std::vector<NamedAlgorithm>& algorithms, const Case& instance,
                   const Models& models, const Repeated& repeated);

}  // namespace starport
