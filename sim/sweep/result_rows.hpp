// The rows of results.csv and timings.csv (RFC 4180): one per instance and algorithm.
#pragma once

#include "sim/results/comparison.hpp"
#include "sim/sweep/specification.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace starport {

/// Returns a comparison as CSV with a header, one row per algorithm (`starport run --csv`).
std::string to_csv(const Comparison& comparison);

/// Formats the rows of a specification's instances, and checks rows that were read from a file.
/// Columns of overrides, and of the noise if there is any, follow `seed`; those of platform
/// measures follow `workers`.
class ResultRows {
 public:
  /// The specification need not outlive this object.
  explicit ResultRows(const Specification& specification);

  /// Returns the first line of results.csv.
  std::string header() const;
  /// Returns the first line of timings.csv.
  static std::string timings_header() { return "instance,heuristic,decision_s,simulation_s\r\n"; }

  /// Returns the rows of one instance. The records of the comparison must be in the order of the
  /// experiment's algorithms.
  std::string rows(const SweepInstance& instance, const Comparison& comparison) const;
  /// Returns the rows of one instance in timings.csv.
  static std::string timings(const SweepInstance& instance, const std::vector<Record>& records);

  /// Numbers of rows with the status `error`.
  struct Failures {
    std::int64_t all = 0;
    std::int64_t of_machine = 0;  ///< caused by the machine: out of time or memory, or killed
  };
  /// Checks that `text` consists of valid rows of the instance: expected labels, number of figures
  /// and kinds of values. Returns what was expected at the first fault, or an empty string and adds
  /// the rows that failed to `failures`.
  std::string find_fault(const SweepInstance& instance, std::string_view text,
                         Failures& failures) const;

 private:
  /// Returns the first cells of an instance's rows, up to the engine.
  std::string label(const SweepInstance& instance) const;
  /// Returns the cells of the platform measures, each followed by a comma; empty cells when the
  /// platform is not a star.
  std::string measures_csv(const SweepInstance& instance) const;

  std::vector<std::string> override_columns_;
  std::vector<const PlatformMeasure*> measures_;
  bool noisy_;
  FigureList figures_;
};

}  // namespace starport
