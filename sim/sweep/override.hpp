// An axis of a sweep that changes one field of the workers, the master's port, or the noise.
#pragma once

#include "sim/platform/noise/noise.hpp"
#include "sim/platform/platform_file.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace starport {

class JsonNode;

/// An axis of a sweep: a field and the values that it takes in turn. JSON forms:
/// - {"field": "bandwidth", "multiply": [0.5, 1, 2]}, or "divide";
/// - {"field": "memory", "set": ["132MB", "512MB"]};
/// - {"field": "speed", "repeat": [0.5, 1], "of": "2Gf"}, see `single_rate`;
/// - {"field": "port", "set": ["one-port", "two-port"]}, the port of the master;
/// - {"field": "cv", "set": [0, 0.05, "10%"]}, a coefficient of variation of the noise.
/// "workers": [1, 2] restricts it to these workers; "name" names the column of the results.
struct Override {
  using Value = std::variant<double, PortFile>;

  std::string column;     ///< column of the results, such as "bandwidth_factor" or "memory_bytes"
  std::string field;      ///< bandwidth, speed, memory, latency, port, cv, transfer_cv, update_cv
  bool multiply = false;  ///< values are factors; otherwise they replace the field
  bool divide = false;    ///< factors are 1 / value; implies `multiply`
  /// For "repeat": the rate R of a worker that does each transfer or update once. PPoPP'08 (section
  /// 6.1) slows a worker down to R / k by doing everything k times; if each repetition takes only
  /// the fraction `value` of the first, its rate becomes R / (1 + (k - 1) value).
  std::optional<double> single_rate;
  std::vector<Value> values;          ///< factors, values in SI units, or ports; all distinct
  std::vector<std::int64_t> workers;  ///< indices from 0; empty: all workers
  std::string pointer;                ///< JSON pointer in the specification, for messages

  /// Returns whether the axis sets a coefficient of variation of the noise.
  bool is_noise() const { return field.ends_with("cv"); }
  /// Returns values[index] as a cell of the results.
  std::string value_text(std::size_t index) const;

  /// Reads an axis. Throws InputError.
  static Override read(const JsonNode& node);

  /// Returns the platform with values[index] applied; unchanged for an axis of the noise. Throws
  /// InputError when a worker does not exist, has no such field, or is given as c, w and m while
  /// the values are not factors.
  PlatformFile apply_to(const PlatformFile& file, std::size_t index) const;
  /// Sets the coefficients of variation of `noise` to values[index]; does nothing for other axes.
  void apply_to(Noise& noise, std::size_t index) const;

 private:
  /// Returns the changed value of a field whose value was `figure`.
  double new_figure(double figure, double value) const;
};

}  // namespace starport
