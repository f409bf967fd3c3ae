// The parameters that `starport fit` may choose: values that a paper does not publish, and
// alternative interpretations ("readings") of its text.
#pragma once

#include "sim/sweep/specification.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace starport::fit {

/// One parameter of a fit, read from the section "fit" of a claims file. It is either a number of
/// the platforms (bandwidth, speed, memory or latency) within a range, or a choice between
/// readings: interpretations of the paper that a heuristic offers as the values of one parameter in
/// brackets, such as Het[clock=exact]. Rows of results keep the heuristic's name for all readings.
struct Parameter {
  /// Name of the parameter, unique in its claims file; also its column in the CSV file of
  /// campaigns.
  std::string name;
  /// The paper's words on the value of the parameter, as text for reports.
  std::string prior;
  /// Name of the group of experiments that the parameter applies to; empty: all experiments.
  std::string group;
  /// Names of the experiments of `group`, to which the parameter applies; empty if `group` is.
  std::vector<std::string> experiments;
  /// For a parameter that is a number: the field of the platforms that changes (bandwidth, speed,
  /// memory or latency), as an override of a sweep, whose two values are the ends of the range.
  /// Unused for readings (choices between interpretations of the paper).
  Override axis;
  /// For a choice between readings (interpretations of the paper): names, as in the results, of the
  /// heuristics that it applies to, at least one. Empty for a number.
  std::vector<std::string> heuristics;
  /// For a choice between readings (interpretations of the paper): key of the heuristic's parameter
  /// in brackets, "clock" in Het[clock=exact]. Empty for a number.
  std::string key;
  /// For a choice between readings (interpretations of the paper): values of the heuristic's
  /// parameter `key`, at least two, the default first (not checked). Empty for a number.
  std::vector<std::string> readings;
  /// For a choice between readings (interpretations of the paper): function that finds algorithms
  /// by a text such as "Het[clock=exact]"; a copy of ModelRegistry::read_algorithms. Empty for a
  /// number.
  ReadAlgorithms read_algorithms;

  /// Returns true for a choice between readings (interpretations of the paper), false for a number
  /// of the platforms.
  bool is_reading() const { return !heuristics.empty(); }
  /// Returns true if the parameter is for this experiment of the specification: always without a
  /// group, else if the group lists the experiment's name. Does not check that the experiment runs
  /// one of `heuristics`.
  bool applies_to(const Experiment& experiment) const;
  /// Returns the lower end of the range of a parameter that is a number: a factor on the platforms'
  /// values if axis.multiply is true, a fraction if axis.single_rate is set (see there), else a
  /// bandwidth in bytes/s, speed in flop/s, memory in bytes or latency in seconds. Undefined
  /// behaviour for a choice between readings (interpretations of the paper).
  double low() const { return std::get<double>(axis.values.front()); }
  /// Returns the upper end of the range of a parameter that is a number: a factor on the platforms'
  /// values if axis.multiply is true, a fraction if axis.single_rate is set (see there), else a
  /// bandwidth in bytes/s, speed in flop/s, memory in bytes or latency in seconds. Undefined
  /// behaviour for a choice between readings (interpretations of the paper).
  double high() const { return std::get<double>(axis.values.back()); }

  /// Returns the parameter's value at a fraction of its range, 0 for low(), 1 for high() and linear
  /// in between, rounded to four significant digits; for a choice between readings, the index (from
  /// 0) of the one at this fraction of the list. Fractions outside 0..1 are clamped; NaN is not
  /// allowed.
  double value_at(double fraction) const;
  /// Returns the position of a value in the parameter's range as a fraction, 0 for low() and 1 for
  /// high(), such that value_at() gives the value back up to rounding. A value outside the range
  /// gives a fraction outside 0..1. For a choice between readings, `value` is the index of one, and
  /// the middle of the fractions that belong to it is returned.
  double fraction_of(double value) const;
  /// Formats a value of the parameter: the number in full precision, without a unit, or the name of
  /// the reading (interpretation of the paper) with this index (from 0). Throws std::out_of_range
  /// for an index of 0 or more that no reading has; a negative one is undefined behaviour.
  std::string value_text(double value) const;
  /// Parses the text of a value: returns the number, if it is within the range (whose ends are
  /// rounded as by value_at()), or for a choice between readings the index, from 0, of the reading
  /// of this name; nullopt for any other text.
  std::optional<double> parse_value(const std::string& text) const;
  /// Describes the parameter's possible values in a few words without a newline: field and range
  /// from low() to high(), without a unit, "speed 0.5 to 2"; or the readings, "all or own".
  std::string range_text() const;
};

/// A value for each parameter of a fit, in the order of the parameters: for a number of the
/// platforms a factor, a fraction or a value in SI units (see Parameter::low()), for a choice
/// between readings (interpretations of the paper) the index of one, from 0. Empty: the
/// specification unchanged.
using Calibration = std::vector<double>;

/// Reads the parameters that `starport fit` may choose, at least one, from the section "fit" of the
/// claims file at `claims_path` (schema: experiments/claims.schema.json). `registry` makes the
/// heuristics of readings and is used during the call only. Throws InputError, naming the file and
/// the JSON pointer of the fault, if the file cannot be read or the section is missing or invalid,
/// if two parameters have one name, if an experiment is not in the specification, if a platform
/// lacks the field or a worker of a parameter, or if a heuristic does not know a reading or is run
/// by none of the experiments that its parameter applies to.
std::vector<Parameter> load_parameters(const std::string& claims_path,
                                       const Specification& specification,
                                       const ModelRegistry& registry);

/// Returns a copy of the sweep specification with the parameter values of a calibration; an empty
/// calibration changes nothing. The instances keep their numbers. Requires at most as many values
/// as parameters (not checked: undefined behaviour); throws std::out_of_range for the index of a
/// reading that does not exist.
Specification apply_calibration(const Specification& specification,
                                const std::vector<Parameter>& parameters,
                                const Calibration& calibration);

/// Returns for each parameter the index (from 0) of the reading (interpretation of the paper) that
/// the specification uses; empty without parameters. All parameters must be readings. Throws
/// InputError without a file name if the specification uses none of the readings of a parameter, or
/// different ones in its experiments, and for a parameter that is a number.
Calibration current_readings(const Specification& specification,
                             const std::vector<Parameter>& parameters);

/// Returns the specification with the parameter values of a calibration as the indented JSON text
/// of a file for `starport sweep`, ending in a newline; its name gets the suffix ", fitted". An
/// empty calibration changes only the name. Requires at most as many values as parameters (not
/// checked: undefined behaviour); throws std::out_of_range for the index of a reading that does not
/// exist.
std::string calibrated_specification(const Specification& specification,
                                     const std::vector<Parameter>& parameters,
                                     const Calibration& calibration);

}  // namespace starport::fit
