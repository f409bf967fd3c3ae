// The parameters that `starport fit` may choose: values that a paper does not publish, and
// alternative interpretations ("readings") of its text.
#pragma once

#include "sim/sweep/specification.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace starport::fit {

/// One parameter of a fit, read from the section "fit" of a claims file. It is either a number of
/// the platforms (bandwidth, speed, memory or latency) within a range, or the choice between
/// readings: the values of one bracket parameter of some heuristics, whose rows keep their names.
struct Parameter {
  std::string name;                      ///< also its column in the file of campaigns
  std::string prior;                     ///< what the paper says about it
  std::string group;                     ///< group of experiments it applies to; empty: all
  std::vector<std::string> experiments;  ///< names of the experiments of `group`
  Override axis;                         ///< of a number: its two values are the range
  std::vector<std::string> heuristics;   ///< of a reading: heuristics it applies to; else empty
  std::string key;                       ///< of a reading: the parameter in brackets
  std::vector<std::string> readings;     ///< of a reading: its values, the default first
  ReadAlgorithms read_algorithms;        ///< of a reading: parses "Het[clock=exact]"

  bool is_reading() const { return !heuristics.empty(); }
  bool applies_to(const Experiment& experiment) const;
  /// Lower end of the range; the parameter must not be a reading.
  double low() const { return std::get<double>(axis.values.front()); }
  /// Upper end of the range; the parameter must not be a reading.
  double high() const { return std::get<double>(axis.values.back()); }

  /// Maps a fraction of the range, clamped to 0..1, to a value with four significant digits; for
  /// readings, to the index of one.
  double value_at(double fraction) const;
  /// Maps a value to its fraction of the range, the inverse of value_at(); for readings, to the
  /// middle of the interval that value_at() maps to this index.
  double fraction_of(double value) const;
  /// Formats a value: the number, or the reading with this index.
  std::string value_text(double value) const;
  /// Describes the choice: "speed 0.5 to 2", or "all or own" for readings.
  std::string range_text() const;
};

/// A value for each parameter, in their order; for readings, the index. Empty: the specification
/// unchanged.
using Calibration = std::vector<double>;

/// Reads the section "fit" of a claims file (schema: experiments/claims.schema.json). Throws
/// InputError naming the file and the JSON pointer, also if an experiment or a heuristic is not in
/// the specification.
std::vector<Parameter> load_parameters(const std::string& claims_path,
                                       const Specification& specification,
                                       const ModelRegistry& registry);

/// Returns the specification with the values of a calibration. The instances keep their numbers.
Specification apply_calibration(const Specification& specification,
                                const std::vector<Parameter>& parameters,
                                const Calibration& calibration);

/// Returns for each parameter the index of the reading that the specification uses. All parameters
/// must be readings. Throws InputError if the specification uses none of them, or different ones.
Calibration current_readings(const Specification& specification,
                             const std::vector<Parameter>& parameters);

/// Returns the specification with a calibration as the JSON text of a file for `starport sweep`.
std::string calibrated_specification(const Specification& specification,
                                     const std::vector<Parameter>& parameters,
                                     const Calibration& calibration);

}  // namespace starport::fit
