// Noise as JSON files have it, those of measured durations included; and what both of its grammars
// have in common.
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

/// The coefficients of variation accepted are from 0 to this.
inline constexpr double kLargestCv = 2;
inline constexpr std::int64_t kLargestSeed = std::int64_t{1} << 53;
inline constexpr const char* kCvRange =
    "a coefficient of variation from 0 to 2, such as 0.06 or 6%";
inline constexpr const char* kFactorRange = "a factor from 0.001 to 1e6";

/// Measured durations over the median of their kind; `file` may be empty.
struct Samples {
  std::vector<double> transfers;
  std::vector<double> updates;
  std::string file;
};

bool good_cv(double cv);
bool good_factor(double factor);

/// `place` is where the thing is given: all throw InputError there when it was given before. Keys
/// are those of both grammars.
class NoiseBuilder {
 public:
  explicit NoiseBuilder(std::uint64_t default_seed) { noise_.seed = default_seed; }

  /// `key` is cv, transfer_cv or update_cv.
  void cv(const std::string& key, double cv, const std::string& place);
  /// Of transfer_factors or update_factors.
  void factors(Activity activity, std::vector<double> factors, const std::string& key,
               const std::string& place);
  void samples(Samples samples, const std::string& place);
  /// `of` is link, compute, or empty: both.
  void slow_down(int worker, std::string_view of, double from_s, double factor,
                 const std::string& place);
  void stop(const Stop& stop, const std::string& place);
  void seed(std::int64_t seed, const std::string& place);

  Noise take() { return std::move(noise_); }

 private:
  Variation& vary(Activity activity, const std::string& key, const std::string& place);
  void add(const SlowDown& change, const std::string& place);

  Noise noise_;
  std::array<std::string, 2> varied_by_;  ///< the key that did, by activity
  bool seeded_ = false;
};

/// Reads an object with the keys of the items of --noise: {"cv": 0.06, "samples": {"transfers_s":
/// [[...], ...], "updates_s": [...]}, "update_factors": [0.9, 1, 1.1], "slow": [{"worker": 3,
/// "from_s": 120, "factor": 2, "of": "link"}], "stop": [{"worker": 2, "at_s": 300}], "seed": 1}.
/// Samples may be the path of a file too, from `directory`. Throws InputError.
Noise read_noise(const JsonNode& node, std::uint64_t default_seed, const std::string& directory);

/// Reads a file of measured durations, {"transfers_s": ..., "updates_s": ...}: lists of repetitions
/// of one transfer or update, or a list of such lists. Each becomes its ratio to the median of its
/// list. Throws InputError.
Samples load_samples(const std::string& path);

/// A coefficient of variation, checked.
double read_cv(const JsonNode& node);

/// As read_noise reads it; without the repetition. The samples of a file are read again from there.
nlohmann::ordered_json to_json(const Noise& noise);

}  // namespace starport
