// The results of a sweep as CSV rows (RFC 4180): one per instance and heuristic.
#pragma once

#include "sim/results/comparison.hpp"
#include "sim/sweep/specification.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace starport {

/// A comparison alone, one row per algorithm.
std::string to_csv(const Comparison& comparison);

/// Writes the rows of a specification, and reads back which of them a file holds. The columns of
/// overrides, and then that of the noise where there is some, come after `seed`, those of measures
/// of the platform after `workers`; the noise is as `starport run --noise` takes it, its repetition
/// is the row's.
class ResultRows {
 public:
  explicit ResultRows(const Specification& specification);

  /// The first line of results.csv, and of timings.csv.
  std::string header() const;
  static std::string timings_header() { return "instance,heuristic,decision_s,simulation_s\r\n"; }

  /// The rows of one instance; its records are in the order of its algorithms.
  std::string rows(const SweepInstance& instance, const Comparison& comparison) const;
  static std::string timings(const SweepInstance& instance, const std::vector<Record>& records);

  /// Whether the text is `rows` of the instance for some results: labels as they must be, as many
  /// figures, all of them numbers. The reason when it is not; else those that have the status error
  /// are added to the failures.
  struct Failures {
    std::int64_t all = 0;
    std::int64_t of_machine = 0;  ///< whose cause is not the model
  };
  std::string find_fault(const SweepInstance& instance, std::string_view text,
                         Failures& failures) const;

 private:
  std::string label(const SweepInstance& instance) const;
  /// Each with a comma behind it; empty where the platform is none of workers with c, w and m.
  std::string measures_csv(const SweepInstance& instance) const;

  std::vector<std::string> override_columns_;
  std::vector<const PlatformMeasure*> measures_;
  bool noisy_;
  FigureList figures_;
};

}  // namespace starport
