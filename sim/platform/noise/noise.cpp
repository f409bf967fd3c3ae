#include "sim/platform/noise/noise.hpp"

#include "sim/files/error.hpp"
#include "sim/platform/random.hpp"
#include "sim/platform/ties.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace starport {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

std::size_t to_index(Activity activity) { return static_cast<std::size_t>(activity); }

/// Returns the standard deviation of the logarithm of a log-normal variable with coefficient of
/// variation `cv`.
double sigma_of(double cv) { return std::sqrt(std::log1p(cv * cv)); }

}  // namespace

double slowed_end_s(double start_s, double work_s, const SlowdownProfile& profile) {
  double at_s = start_s;
  double factor = 1;
  for (const auto& [from_s, next_factor] : profile) {
    if (from_s > at_s) {
      const double done_s = (from_s - at_s) / factor;
      if (work_s <= done_s) break;
      work_s -= done_s;
      at_s = from_s;
    }
    factor = next_factor;
  }
  return at_s + work_s * factor;
}

DrawnNoise::DrawnNoise(const Noise& noise, const Platform& platform)
    : platform_(&platform),
      state_(mix_bits(mix_bits(noise.seed) + static_cast<std::uint64_t>(noise.repetition))),
      transfers_{.sigma = sigma_of(noise.transfers.cv), .ratios = noise.transfers.ratios},
      updates_{.sigma = sigma_of(noise.updates.cv), .ratios = noise.updates.ratios},
      slow_downs_(noise.slow_downs),
      stops_(noise.stops) {
  if (const auto needed = port_needed(noise, platform.port.kind)) {
    throw SimulationError("this noise is modelled for masters with " + *needed);
  }
  if (noise.updates.measured) {
    throw SimulationError("update_cv=measured is modelled for tile tasks only");
  }
  const auto by_date = [](auto date) {
    return [date](const auto& x, const auto& y) { return x.*date < y.*date; };
  };
  std::stable_sort(slow_downs_.begin(), slow_downs_.end(), by_date(&SlowDown::from_s));
  std::stable_sort(stops_.begin(), stops_.end(), by_date(&Stop::at_s));
  round_early_dates_to_zero();
  if (!slow_downs_.empty()) {
    for (auto& profiles : profiles_) profiles.resize(platform.workers.size());
  }
  for (const SlowDown& change : slow_downs_) {
    profiles_[to_index(change.activity)][change.worker].emplace_back(change.from_s, change.factor);
  }
  if (!stops_.empty()) stop_at_.assign(platform.workers.size(), kNever);
  for (const Stop& stop : stops_) stop_at_[stop.worker] = stop.at_s;
}

// Dates close to 0 differ by less than SimGrid resolves, yet by more than a relative 1e-9.
void DrawnNoise::round_early_dates_to_zero() {
  constexpr double share_of_a_block = 1e-3;
  double fastest_c_s = kNever;
  for (const Worker& worker : platform_->workers) fastest_c_s = std::min(fastest_c_s, worker.c_s);
  const auto count = [&](double& date_s) {
    if (date_s < share_of_a_block * fastest_c_s) date_s = 0;
  };
  for (SlowDown& change : slow_downs_) count(change.from_s);
  for (Stop& stop : stops_) count(stop.at_s);
}

// Rounding to 2^-30 hides the last bits of the mathematical library, which differ between machines.
double DrawnNoise::drawn_factor(const Draw& draw, std::uint64_t sequence, std::int64_t n) {
  const auto first = 2 * static_cast<std::uint64_t>(n);
  double factor = 1;
  if (!draw.ratios.empty()) {
    const double at = to_unit_interval(splitmix64_at(sequence, first));
    factor = draw.ratios[static_cast<std::size_t>(at * static_cast<double>(draw.ratios.size()))];
  } else if (draw.sigma > 0) {
    const double z =
        standard_normal(splitmix64_at(sequence, first), splitmix64_at(sequence, first + 1));
    factor = std::exp(draw.sigma * (z - draw.sigma / 2));
  }
  return std::max(std::round(factor * 0x1p30), 1.0) * 0x1p-30;
}

double DrawnNoise::factor(Activity activity, int worker, std::int64_t n) const {
  const std::uint64_t number =
      2 * static_cast<std::uint64_t>(worker) + static_cast<std::uint64_t>(activity);
  return drawn_factor(activity == Activity::transfer ? transfers_ : updates_,
                      mix_bits(state_ + mix_bits(number + 1)), n);
}

double DrawnNoise::transfer_end_s(int worker, std::int64_t n, double start_s,
                                  std::int64_t blocks) const {
  const Worker& figures = platform_->workers[worker];
  const double times = factor(Activity::transfer, worker, n);
  return slowed_end_s(start_s + figures.latency_s * times,
                      static_cast<double>(blocks) * figures.c_s * times,
                      slowdown_profile(Activity::transfer, worker));
}

double DrawnNoise::update_end_s(int worker, std::int64_t n, double start_s, double cost) const {
  const Worker& figures = platform_->workers[worker];
  return slowed_end_s(start_s, cost * figures.w_s * factor(Activity::update, worker, n),
                      slowdown_profile(Activity::update, worker));
}

const SlowdownProfile& DrawnNoise::slowdown_profile(Activity activity, int worker) const {
  static const SlowdownProfile none;
  const auto& profiles = profiles_[to_index(activity)];
  return profiles.empty() ? none : profiles[worker];
}

double DrawnNoise::stop_s(int worker) const { return stop_at_.empty() ? kNever : stop_at_[worker]; }

std::span<const Stop> DrawnNoise::stops_until(double date_s) const {
  const auto after = std::find_if(stops_.begin(), stops_.end(), [&](const Stop& stop) {
    return clearly_less(date_s, stop.at_s);
  });
  return {stops_.begin(), after};
}

double DrawnNoise::next_stop_s(double date_s) const {
  const std::size_t over = stops_until(date_s).size();
  return over == stops_.size() ? kNever : stops_[over].at_s;
}

std::optional<DrawnNoise> draw_noise(const Noise& noise, const Platform& platform) {
  return noise.is_none() ? std::nullopt : std::optional<DrawnNoise>(std::in_place, noise, platform);
}

std::optional<std::string> port_needed(const Noise& noise, Port::Kind kind) {
  if (noise.is_none() || kind == Port::Kind::one) return std::nullopt;
  if (!noise.stops.empty()) return "one port, where workers stop";
  if (kind == Port::Kind::two) return std::nullopt;
  return "one port or two";
}

void check_workers(const Noise& noise, std::int64_t workers, const std::string& platform,
                   const std::string& place) {
  const auto check = [&](int worker, const char* what) {
    if (worker < workers) return;
    throw InputError(
        place,
        fmt::format("workers from 1 to {}, those of platform '{}', to {}", workers, platform, what),
        fmt::format("worker {}", worker + 1));
  };
  for (const SlowDown& change : noise.slow_downs) check(change.worker, "slow down");
  for (const Stop& stop : noise.stops) check(stop.worker, "stop");
}

}  // namespace starport
