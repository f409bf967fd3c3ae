// Noise in JSON, in files of measured durations, and as text on one line (option --noise, a column
// of results).
#pragma once

#include "sim/files/json.hpp"
#include "sim/platform/noise/noise.hpp"
#include "sim/platform/platform_file.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace starport {

/// Largest accepted coefficient of variation (standard deviation over mean).
inline constexpr double kMaxCv = 2;
/// Largest accepted seed, 2^53: every accepted seed is exact in a double.
inline constexpr std::int64_t kMaxSeed = std::int64_t{1} << 53;
/// Text for error messages: the accepted coefficients of variation.
inline constexpr const char* kCvRange =
    "a coefficient of variation from 0 to 2, such as 0.06 or 6%";
/// Text for error messages: the accepted factors on durations.
inline constexpr const char* kFactorRange = "a factor from 0.001 to 1e6";

/// Measured durations, each divided by the median of the list that it came in.
struct DurationRatios {
  /// Ratios of the durations of transfers; empty when none were measured.
  std::vector<double> transfers;
  /// Ratios of the durations of updates; empty when none were measured.
  std::vector<double> updates;
  /// Path of the file that they come from; "" when they come from none.
  std::string file;
};

/// Returns whether a coefficient of variation is within 0..kMaxCv; false for NaN.
bool is_valid_cv(double cv);
/// Returns whether a factor on durations is within 0.001..1e6; false for NaN.
bool is_valid_factor(double factor);

/// Builds a Noise from its items in JSON or text. Each set_ and add_ function throws InputError at
/// `place` (option or JSON pointer where the item is given) when the same thing was given before.
/// Ranges of values are the caller's to check.
class NoiseBuilder {
 public:
  /// Starts with no noise; `default_seed` is its seed unless set_seed() is called.
  explicit NoiseBuilder(std::uint64_t default_seed) { noise_.seed = default_seed; }

  /// Sets the coefficient of variation (is_valid_cv) of both activities for `key` "cv", or of one
  /// for "transfer_cv" or "update_cv"; `key` must be one of these (not checked). Throws InputError
  /// at `place` when the variation of that activity is set already.
  void set_cv(const std::string& key, double cv, const std::string& place);
  /// Sets the factors (is_valid_factor, at least one) that the durations of an activity are drawn
  /// from; `key`, for messages, is "transfer_factors" or "update_factors". Throws InputError at
  /// `place` when the variation of that activity is set already.
  void set_factors(Activity activity, std::vector<double> factors, const std::string& key,
                   const std::string& place);
  /// Sets the factors that durations are drawn from, for each activity that has measured durations.
  /// Throws InputError at `place` when the variation of such an activity is set already.
  void set_ratios(DurationRatios ratios, const std::string& place);
  /// Adds a slow-down of worker `worker` (index from 0) from the simulated date `from_s` (seconds)
  /// on: of its "link", its "compute", or both for `of` = "". Throws InputError at `place` when one
  /// of the same worker, activity and date was added before.
  void add_slow_down(int worker, std::string_view of, double from_s, double factor,
                     const std::string& place);
  /// Adds a stop of a worker. Throws InputError at `place` when the worker has one already.
  void add_stop(const Stop& stop, const std::string& place);
  /// Sets the seed, from 0 to kMaxSeed (not checked), instead of the default one. Throws InputError
  /// at `place` when called twice.
  void set_seed(std::int64_t seed, const std::string& place);

  /// Returns the noise built so far and leaves this object empty. Call it once, last.
  Noise build() { return std::move(noise_); }

 private:
  Variation& vary(Activity activity, const std::string& key, const std::string& place);
  void add(const SlowDown& change, const std::string& place);

  Noise noise_;
  std::array<std::string, 2> varied_by_;  ///< the key that set the variation, by activity
  bool seeded_ = false;
};

/// Reads noise from an object with the keys of the items of --noise: {"cv": 0.06, "samples":
/// {"transfers_s": [[...], ...], "updates_s": [...]}, "update_factors": [0.9, 1, 1.1], "slow":
/// [{"worker": 3, "from_s": 120, "factor": 2, "of": "link"}], "stop": [{"worker": 2, "at_s": 300}],
/// "seed": 1}. Workers count from 1 there, dates are in seconds. "samples" may also be the path of
/// a file, relative to `directory`. `default_seed` applies without "seed". Throws InputError
/// without a file name when the object is invalid, and naming the file of "samples" when that
/// cannot be read.
Noise read_noise(const JsonNode& node, std::uint64_t default_seed, const std::string& directory);

/// Reads a JSON file of measured durations, {"transfers_s": ..., "updates_s": ...}, at least one of
/// the two: a list of repetitions in seconds of one transfer or update, or a list of such lists.
/// Each duration is divided by the median of its list. Throws InputError naming the file when it
/// cannot be read or is invalid, or a ratio is not within 0.001..1e6.
DurationRatios load_duration_ratios(const std::string& path);

/// Reads a coefficient of variation: a number such as 0.06, or a string such as "6%" (0.06). Throws
/// InputError without a file name unless it is within 0..kMaxCv.
double read_cv(const JsonNode& node);

/// Returns noise as the JSON object that read_noise() reads, without the repetition. Samples from a
/// file are read again from that file and included; throws InputError naming it when that fails.
nlohmann::ordered_json to_json(const Noise& noise);

/// Parses noise from items separated by commas: cv=6% or 0.06 (of transfers and updates;
/// transfer_cv= or update_cv= of one), samples=FILE or transfer_factors=0.9:1:1.1 and
/// update_factors=, slow=WORKER@DATE:x2 (slow_link=, slow_compute= one of them), stop=WORKER@DATE,
/// seed=N; or the path of a JSON file (*.json) with an object as read_noise() reads it.
///
/// Workers count from 1, or are called by the names that `platform` gives them (nullptr: numbers
/// only; it is used during the call only, and numbers beyond its workers pass, see check_workers).
/// Dates are simulated seconds or have a unit. `default_seed` applies without seed=. Throws
/// InputError at `place` when the text is wrong, and naming the file when a file is.
Noise parse_noise(std::string_view text, const std::string& place, std::uint64_t default_seed = 0,
                  const PlatformFile* platform = nullptr);

/// Returns noise as a text on one line that parse_noise() reads, without the repetition; "" for no
/// noise. Factors from a file are given as the name of the file.
std::string to_text(const Noise& noise);

}  // namespace starport
