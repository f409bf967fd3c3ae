// An axis of a sweep that changes one field of the workers, the port of the master, or the noise.
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

/// {"field": "bandwidth", "multiply": [0.5, 1, 2]}, or "divide", or {"field": "memory", "set":
/// ["132MB", "512MB"]}, with "workers": [1, 2] for those alone and "name" for the column of the
/// results (bandwidth_factor and memory_bytes here unless given); or {"field": "speed", "repeat":
/// [0.5, 1], "of": "2Gf"}, see `repeated`; or {"field": "port", "set":
/// ["one-port", "two-port"]}, the master's; or {"field": "cv", "set": [0, 0.05, "10%"]}, a
/// coefficient of variation of the noise (transfer_cv, update_cv too).
struct Override {
  using Value = std::variant<double, PortFile>;

  std::string column;
  std::string field;      ///< bandwidth, speed, memory, latency, port, cv, ...
  bool multiply = false;  ///< else set
  bool divide = false;    ///< multiply by 1 / value
  /// A worker at 1/k of this does all k times, as PPoPP'08 slows workers down (section 6.1); each
  /// repetition takes a share of the first: it is at 1 / (1 + (k - 1) share) of this. Else none.
  std::optional<double> repeated;
  std::vector<Value> values;          ///< factors, values in SI units, or ports; distinct
  std::vector<std::int64_t> workers;  ///< from 0; empty: all
  std::string pointer;                ///< where it stands in the specification

  /// A coefficient of variation of the noise: cv, transfer_cv or update_cv.
  bool of_noise() const { return field.ends_with("cv"); }
  /// values[index] as a cell of the results.
  std::string text(std::size_t index) const;

  /// Throws InputError.
  static Override read(const JsonNode& node);

  /// The platform with values[index] applied. Throws InputError when a worker is raw and the
  /// field is to be set, or when a worker does not exist.
  PlatformFile applied(const PlatformFile& file, std::size_t index) const;
  /// The same for the noise.
  void apply(Noise& noise, std::size_t index) const;

 private:
  /// What a worker's figure becomes.
  double new_figure(double figure, double value) const;
};

}  // namespace starport
