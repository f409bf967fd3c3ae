// Noise in JSON, files of measured durations, and the checks shared with the text form of noise.
#pragma once

#include "sim/files/json_node.hpp"
#include "sim/platform/noise/noise.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace starport {

/// Largest accepted coefficient of variation.
inline constexpr double kMaxCv = 2;
/// Largest accepted seed; exact in a double.
inline constexpr std::int64_t kMaxSeed = std::int64_t{1} << 53;
/// The accepted coefficients of variation, for error messages.
inline constexpr const char* kCvRange =
    "a coefficient of variation from 0 to 2, such as 0.06 or 6%";
/// The accepted factors, for error messages.
inline constexpr const char* kFactorRange = "a factor from 0.001 to 1e6";

/// Measured durations divided by the median of their list; `file` is where they come from, or "".
struct DurationRatios {
  std::vector<double> transfers;
  std::vector<double> updates;
  std::string file;
};

/// Returns whether a coefficient of variation is within 0..kMaxCv.
bool is_valid_cv(double cv);
/// Returns whether a factor on durations is within 0.001..1e6.
bool is_valid_factor(double factor);

/// Builds a Noise from its items in JSON or text. Each function throws InputError at `place`, where
/// the item is given, when the same thing was given before.
class NoiseBuilder {
 public:
  explicit NoiseBuilder(std::uint64_t default_seed) { noise_.seed = default_seed; }

  /// Sets the coefficient of variation; `key` is "cv" (both activities), "transfer_cv" or
  /// "update_cv".
  void set_cv(const std::string& key, double cv, const std::string& place);
  /// Sets the factors that an activity draws from; `key` is "transfer_factors" or "update_factors".
  void set_factors(Activity activity, std::vector<double> factors, const std::string& key,
                   const std::string& place);
  /// Sets the factors of the activities that have measured durations.
  void set_ratios(DurationRatios ratios, const std::string& place);
  /// Adds a slow-down of worker `worker`, from 0. `of` is "link", "compute", or "" for both.
  void add_slow_down(int worker, std::string_view of, double from_s, double factor,
                     const std::string& place);
  /// Adds a stop of a worker.
  void add_stop(const Stop& stop, const std::string& place);
  /// Sets the seed, instead of the default one.
  void set_seed(std::int64_t seed, const std::string& place);

  /// Returns the noise. Call it once, last.
  Noise build() { return std::move(noise_); }

 private:
  Variation& vary(Activity activity, const std::string& key, const std::string& place);
  void add(const SlowDown& change, const std::string& place);

  Noise noise_;
  std::array<std::string, 2> varied_by_;  ///< the key that set the variation, by activity
  bool seeded_ = false;
};

/// Reads noise from an object with the keys of the items of --noise: {"cv": 0.06, "samples":
/// {"transfers_s":
/// [[...], ...], "updates_s": [...]}, "update_factors": [0.9, 1, 1.1], "slow": [{"worker": 3,
/// "from_s": 120, "factor": 2, "of": "link"}], "stop": [{"worker": 2, "at_s": 300}], "seed": 1}.
/// "samples" may also be the path of a file, relative to `directory`. `default_seed` applies
/// without "seed". Throws InputError.
Noise read_noise(const JsonNode& node, std::uint64_t default_seed, const std::string& directory);

/// Reads a file of measured durations, {"transfers_s": ..., "updates_s": ...}: lists of repetitions
/// of one transfer or update, or a list of such lists. Each duration is divided by the median of
/// its list. Throws InputError.
DurationRatios load_duration_ratios(const std::string& path);

/// Reads a coefficient of variation: a number, or a string such as "6%". Throws InputError unless
/// it is valid.
double read_cv(const JsonNode& node);

/// Returns noise as read_noise() reads it, without the repetition. Samples from a file are read
/// again from that file; throws InputError when that fails.
nlohmann::ordered_json to_json(const Noise& noise);

}  // namespace starport
