// What a paper leaves open, and a fit may choose: figures of its platforms, readings of its words.
#pragma once

#include "sim/sweep/specification.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace starport::fit {

/// A figure of the platforms of some experiments, in a range, as an axis of a sweep changes it; or
/// one of several readings of some heuristics, whose rows keep their names.
struct Parameter {
  std::string name;   ///< a column
  std::string prior;  ///< what the paper says of it
  std::string group;  ///< of experiments; empty: all of them
  std::vector<std::string> experiments;
  Override axis;                        ///< its values: the range
  std::vector<std::string> heuristics;  ///< that are read in several ways; none: a figure
  std::string key;                      ///< of their parameter in brackets
  std::vector<std::string> readings;    ///< its values, first the one that it has unless given
  ReadAlgorithms read_algorithms;

  bool is_reading() const { return !heuristics.empty(); }
  bool concerns(const Experiment& experiment) const;
  double low() const { return std::get<double>(axis.values.front()); }
  double high() const { return std::get<double>(axis.values.back()); }

  /// The value at a place from 0 to 1 of the range, with four digits; of readings, the index.
  double value_at(double place) const;
  double place_of(double value) const;
  std::string text(double value) const;
  std::string range_text() const;
};

/// A value for each parameter; none at all: everything as the specification has it.
using Calibration = std::vector<double>;

/// Those of the section "fit" of a claims file (experiments/claims.schema.json). Throws InputError
/// naming the file and the place.
std::vector<Parameter> load_parameters(const std::string& claims_path,
                                       const Specification& specification, const Known& known);

/// The specification with a calibration in it. The numbers of the instances stay.
Specification calibrated(const Specification& specification,
                         const std::vector<Parameter>& parameters, const Calibration& calibration);

/// For each parameter the index of the reading that the specification has. Throws InputError when
/// it has none of them. They are all readings.
Calibration readings_of(const Specification& specification,
                        const std::vector<Parameter>& parameters);

/// The same as a file for starport sweep.
std::string calibrated_file(const Specification& specification,
                            const std::vector<Parameter>& parameters,
                            const Calibration& calibration);

}  // namespace starport::fit
