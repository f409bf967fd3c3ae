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

/// An axis of a sweep: a field of the platform or of the noise, and the values that it takes in
/// turn; made by read() and applied to each instance by apply_to(). Refers to nothing. JSON forms:
/// - {"field": "bandwidth", "multiply": [0.5, 1, 2]}, or "divide";
/// - {"field": "memory", "set": ["132MB", "512MB"]};
/// - {"field": "speed", "repeat": [0.5, 1], "of": "2Gf"}, or with "bandwidth": a worker is slower
///   than the rate "of" because it does everything several times, and each value of the axis is the
///   duration of a repetition divided by that of the first execution (see `single_rate`);
/// - {"field": "port", "set": ["one-port", "two-port"]}, the port of the master;
/// - {"field": "cv", "set": [0, 0.05, "10%"]}, a coefficient of variation of the noise.
/// "workers": [1, 2] restricts it to these workers, numbered from 1; "name" names the column of the
/// results.
struct Override {
  /// A value that an axis of a sweep gives to a field of the platform or the noise: the port of the
  /// master, or a number (see `values`).
  using Value = std::variant<double, PortFile>;

  /// Name of the column in the results of a sweep that shows the value of this axis, such as
  /// "bandwidth_factor".
  std::string column;
  /// Name of the field that the axis changes: bandwidth, speed, memory or latency of workers, port
  /// of the master, or cv, transfer_cv or update_cv (coefficients of variation of the noise: of
  /// both durations, of transfers, of updates).
  std::string field;
  /// True if the field is multiplied or divided by the values of the axis; false if they replace it
  /// or, when `single_rate` is set, say how long repetitions take (see there).
  bool multiply = false;
  /// True if the field is divided by the values of the axis; `multiply` is then true, too.
  bool divide = false;
  /// For an axis of the form "repeat": the rate R, above 0, of a worker that does each transfer
  /// (bytes/s, for the field "bandwidth") or update (flop/s, for "speed") once; nullopt for the
  /// other forms. PPoPP'08 (section 6.1) slows a worker down to R / k by doing everything k times;
  /// k is R divided by the rate in the platform file. Where each repetition takes v times as long
  /// as the first execution, v being the value of the axis, the rate becomes R / (1 + (k - 1) v).
  std::optional<double> single_rate;
  /// Values that the axis takes in turn, in the order of the specification, at least one, all
  /// distinct: positive factors or divisors of the field; new values of the field in bytes/s,
  /// flop/s or bytes, above 0, or in seconds, at least 0; fractions in (0, 1] for the form
  /// "repeat"; coefficients of variation (standard deviation / mean, 0 to 2) for the noise; or
  /// ports.
  std::vector<Value> values;
  /// Indices (from 0) of the workers whose field the axis changes, numbered from 1 in the JSON;
  /// empty: all that have the field.
  std::vector<std::int64_t> workers;
  /// JSON pointer of the axis in the specification of the sweep, such as
  /// "/experiments/0/overrides/0", for error messages.
  std::string pointer;

  /// Returns true if the axis sets a coefficient of variation of the noise (random durations);
  /// false if it changes the platform.
  bool is_noise() const { return field.ends_with("cv"); }
  /// Returns the value of the axis values[index] as text for a cell of the results, not quoted for
  /// CSV: a number without its unit (bytes/s, flop/s, bytes or seconds where the axis sets a field
  /// of workers, else none), or the text of a port such as "two-port". Throws std::out_of_range
  /// when `index`, from 0, is not less than values.size().
  std::string value_text(std::size_t index) const;

  /// Reads an axis of a sweep from its JSON object in the specification (forms: see the struct
  /// Override); nothing refers to `node` afterwards. Throws InputError, without a file name, with
  /// the JSON pointer of the fault when a key is missing or not allowed, or the field or a value is
  /// not allowed. Does not check that a platform has the workers and the field.
  static Override read(const JsonNode& node);

  /// Returns a copy of the platform in which the field of the axis is changed by values[index],
  /// `index` from 0; an unchanged copy for an axis of the noise, whatever the index. If `workers`
  /// is not empty, each entry of the copy stands for one worker, and one listed twice is changed
  /// twice. A change of bandwidth applies to both directions of the link, one of speed also to the
  /// measured durations of updates (Entry::speed_function). Throws InputError when a worker of the
  /// axis does not exist or has no such field of its own, when no worker has it, when workers are
  /// given in figures of the model (c_s, w_s, m_blocks) while the values are not factors or
  /// divisors, or when a port with a c_s (seconds per block) is set on a platform without block
  /// size. Throws std::out_of_range when `index` is not less than values.size(), for an axis of the
  /// platform. Does not check that the result is in range.
  PlatformFile apply_to(const PlatformFile& file, std::size_t index) const;
  /// Sets the coefficients of variation (standard deviation / mean) of `noise` to values[index],
  /// `index` from 0: those of the durations of transfers, of updates or of both, as `field` says;
  /// that of updates also replaces measured variation (Variation::measured). They have no effect
  /// where `noise` has factors (Variation::ratios). Does nothing for an axis of the platform,
  /// whatever the index. For an axis of the noise throws std::out_of_range when `index` is not less
  /// than values.size().
  void apply_to(Noise& noise, std::size_t index) const;

 private:
  /// Returns the changed value of a field whose value was `figure`.
  double new_figure(double figure, double value) const;
};

}  // namespace starport
