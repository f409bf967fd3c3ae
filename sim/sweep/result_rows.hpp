// The rows of results.csv and timings.csv (RFC 4180): one per instance and algorithm.
#pragma once

#include "sim/results/comparison.hpp"
#include "sim/sweep/specification.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace starport {

/// Returns a comparison as CSV text (RFC 4180, lines end in CR LF): a header and one row per
/// algorithm, as `starport run --csv` prints it. Includes wall-clock times.
std::string to_csv(const Comparison& comparison);

/// Formats the rows of results.csv and timings.csv for the instances of one sweep, and checks rows
/// that were read from such a file. All rows have the same columns: those of overrides, and of the
/// noise if there is any, follow `seed`; those of platform measures follow `workers`.
class ResultRows {
 public:
  /// Determines the columns from the specification and its models (see
  /// Specification::set_models()). The specification need not outlive this object.
  explicit ResultRows(const Specification& specification);

  /// Returns the first line of results.csv, the names of the columns, with its line end CR LF.
  std::string header() const;
  /// Returns the first line of timings.csv, the names of the columns, with its line end CR LF.
  static std::string timings_header() { return "instance,heuristic,decision_s,simulation_s\r\n"; }

  /// Returns the rows of one instance in results.csv, one per record of `comparison`, each with its
  /// line end. Requires that the records are in the order of the experiment's algorithms;
  /// find_fault() rejects the rows otherwise. Throws InputError when the problem is out of range at
  /// the block size.
  std::string rows(const SweepInstance& instance, const Comparison& comparison) const;
  /// Returns the rows of one instance in timings.csv, one per record, each with its line end: the
  /// wall-clock seconds of planning and of simulation, empty for a failed run.
  static std::string timings(const SweepInstance& instance, const std::vector<Record>& records);

  /// Counts of rows with the status error, to which find_fault() adds.
  struct Failures {
    /// Number of all rows with the status error, whatever the cause.
    std::int64_t all = 0;
    /// Number of those whose cause is the machine: out of time or memory, or killed.
    std::int64_t of_machine = 0;
  };
  /// Checks that `text` consists of valid rows of the instance in results.csv: one per algorithm,
  /// with the expected labels, number of figures and kinds of values. Returns an empty string if
  /// so, otherwise what was expected at the first fault. Rows with the status error are valid and
  /// are added to the counts in `failures` (up to the first fault).
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
