// The results of a sweep as CSV rows (RFC 4180): one per instance and heuristic.
#pragma once

#include "sim/study/comparison.hpp"
#include "sim/study/specification.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace starport {

/// The figures that a row of results has: of its run and of its instance, in the order of the
/// columns, but for those of repetitions and of the wall clock.
FigureList row_figures(const Models& models);

/// The columns of a sweep whose algorithms belong to these models; those of overrides and noise
/// come after `seed`.
std::vector<std::string> result_columns(const Models& models);

/// What a row says of a record after its labels, as CSV: heuristic, status, error, the figures,
/// the details. The error and the details are on one line.
std::string record_csv(const FigureList& figures, const Comparison& comparison,
                       const Record& record);

/// Writes the rows of a specification, and reads back which of them a file holds.
class ResultRows {
 public:
  /// The column of the noise, as `starport run --noise` takes it (its repetition is the row's), of
  /// sweeps that have some; after those of overrides.
  static constexpr const char* kNoise = "noise";

  explicit ResultRows(const Specification& specification);

  /// The first line of results.csv, and of timings.csv.
  std::string header() const;
  static std::string timings_header() { return "instance,heuristic,decision_s,simulation_s\r\n"; }

  /// The rows of one instance; its records are in the order of its algorithms.
  std::string rows(const SweepInstance& instance, const Comparison& comparison) const;
  static std::string timings(const SweepInstance& instance, const std::vector<Record>& records);

  /// Whether the text is `rows` of the instance for some results: labels as they must be, as many
  /// figures, all of them numbers. The reason when it is not.
  std::string find_fault(const SweepInstance& instance, std::string_view text) const;
  /// How many rows of such a text have the status error.
  std::int64_t failures(const SweepInstance& instance, std::string_view text) const;

 private:
  std::string label(const SweepInstance& instance) const;

  std::vector<std::string> override_columns_;
  bool noisy_;
  Models models_;
  FigureList figures_;
};

}  // namespace starport
