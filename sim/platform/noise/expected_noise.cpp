#include "sim/platform/noise/expected_noise.hpp"

#include "sim/files/error.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <iterator>
#include <limits>
#include <numbers>
#include <tuple>

namespace starport {
namespace {

constexpr double kUnlimited_s = std::numeric_limits<double>::infinity();

/// The output function of the generator SplitMix64.
std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

double log_deviation(double cv) { return std::sqrt(std::log1p(cv * cv)); }

bool is_before(const SlowDown& x, const SlowDown& y) {
  return std::tie(x.activity, x.worker, x.from_s) < std::tie(y.activity, y.worker, y.from_s);
}

}  // namespace

ExpectedNoise::ExpectedNoise(const Noise& noise, double shortest_s)
    : noise_(noise),
      state_(mix(mix(noise.seed) + static_cast<std::uint64_t>(noise.repetition))),
      sigmas_{log_deviation(noise.transfers.cv), log_deviation(noise.updates.cv)} {
  const auto round_to_0 = [&](double& date_s) {
    if (date_s < 1e-3 * shortest_s) date_s = 0;
  };
  std::ranges::stable_sort(noise_.slow_downs, is_before);
  for (SlowDown& change : noise_.slow_downs) round_to_0(change.from_s);
  for (Stop& stop : noise_.stops) {
    round_to_0(stop.at_s);
    stops_s_.emplace(stop.worker, stop.at_s);
  }
  std::ranges::stable_sort(noise_.stops, {}, &Stop::at_s);
}

// Operations in the order of the definition: a last bit may decide how the factor is rounded.
double ExpectedNoise::factor(Activity activity, int worker, std::int64_t n,
                             double measured_cv) const {
  const bool is_update = activity == Activity::update;
  const Variation& variation = is_update ? noise_.updates : noise_.transfers;
  if (variation.is_none()) return 1;
  const std::uint64_t stream = 2 * static_cast<std::uint64_t>(worker) + (is_update ? 2 : 1);
  const std::uint64_t seed = mix(state_ + mix(stream));
  const auto uniform = [&](std::uint64_t number) {  // a whole number below 2^53
    return static_cast<double>(mix(seed + number * 0x9e3779b97f4a7c15U) >> 11);
  };
  const std::uint64_t number = 2 * static_cast<std::uint64_t>(n) + 1;
  double factor = 1;
  if (!variation.ratios.empty()) {
    const double place = uniform(number) * 0x1p-53 * static_cast<double>(variation.ratios.size());
    factor = variation.ratios[static_cast<std::size_t>(place)];
  } else {
    const double sigma = variation.measured ? log_deviation(measured_cv) : sigmas_[is_update];
    const double length = std::sqrt(-2 * std::log((uniform(number) + 0.5) * 0x1p-53));
    const double angle = 2 * std::numbers::pi * (uniform(number + 1) * 0x1p-53);
    factor = std::exp(sigma * (std::polar(length, angle).real() - sigma / 2));
  }
  return std::max(1.0, std::round(factor * 0x1p30)) / 0x1p30;
}

double ExpectedNoise::end_of_work_s(Activity activity, std::initializer_list<int> workers,
                                    double start_s, double work_s) const {
  const std::vector<SlowDown>& changes = noise_.slow_downs;
  for (double now_s = start_s;;) {
    double pace = 0;
    double next_s = kUnlimited_s;
    for (const int worker : workers) {
      const auto is_own = [&](const SlowDown& change) {
        return change.worker == worker && change.activity == activity;
      };
      const SlowDown now{.worker = worker, .activity = activity, .from_s = now_s};
      const auto next = std::upper_bound(changes.begin(), changes.end(), now, is_before);
      if (next != changes.end() && is_own(*next)) next_s = std::min(next_s, next->from_s);
      const bool has_begun = next != changes.begin() && is_own(*std::prev(next));
      pace = std::max(pace, has_begun ? std::prev(next)->factor : 1);
    }
    if (!(work_s * pace > next_s - now_s)) return now_s + work_s * pace;
    work_s -= (next_s - now_s) / pace;
    now_s = next_s;
  }
}

double ExpectedNoise::stop_s(int worker) const {
  const auto found = stops_s_.find(worker);
  return found == stops_s_.end() ? kUnlimited_s : found->second;
}

std::optional<ExpectedNoise> expect_noise(const Noise& noise, const Platform& platform) {
  if (noise.is_none()) return std::nullopt;
  if (const auto needed = port_needed(noise, platform.port.kind)) {
    throw SimulationError("this noise is modelled for masters with " + *needed);
  }
  double fastest_c_s = kUnlimited_s;
  for (const Worker& worker : platform.workers) fastest_c_s = std::min(fastest_c_s, worker.c_s);
  return ExpectedNoise(noise, fastest_c_s);
}

}  // namespace starport
