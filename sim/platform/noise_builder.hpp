// A noise put together from what is given, however it is written: each thing once, and in its
// range.
#pragma once

#include "sim/platform/noise.hpp"

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

}  // namespace starport
