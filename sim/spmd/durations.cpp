#include "sim/spmd/durations.hpp"

#include "sim/platform/noise/noise.hpp"

#include <algorithm>

namespace starport::spmd {
namespace {

double factor_at(const SlowdownProfile& pace, double date_s) {
  double factor = 1;
  for (const auto& [from_s, next] : pace) {
    if (from_s <= date_s) factor = next;
  }
  return factor;
}

}  // namespace

SlowdownProfile combine_slowdowns(const SlowdownProfile& x, const SlowdownProfile& y) {
  SlowdownProfile both;
  for (const SlowdownProfile* pace : {&x, &y}) {
    for (const auto& [date_s, factor] : *pace) {
      both.emplace_back(date_s, std::max(factor_at(x, date_s), factor_at(y, date_s)));
    }
  }
  std::sort(both.begin(), both.end());
  return both;
}

double ProductDurations::transfer_s(std::int64_t from, std::int64_t to, std::int64_t n,
                                    double start_s, double latency_s, double nominal_s) const {
  if (noise_ == nullptr) return latency_s + nominal_s;
  const auto sender = static_cast<int>(from);
  const auto receiver = static_cast<int>(to);
  const double factor = noise_->factor(Activity::transfer, sender, n);
  const SlowdownProfile& own = noise_->slowdown_profile(Activity::transfer, sender);
  const double begin_s = start_s + latency_s * factor;
  if (sender == receiver) return slowed_end_s(begin_s, nominal_s * factor, own) - start_s;
  const SlowdownProfile pace =
      combine_slowdowns(own, noise_->slowdown_profile(Activity::transfer, receiver));
  return slowed_end_s(begin_s, nominal_s * factor, pace) - start_s;
}

double ProductDurations::update_s(std::int64_t worker, std::int64_t n, double start_s,
                                  double nominal_s) const {
  if (noise_ == nullptr) return nominal_s;
  const auto i = static_cast<int>(worker);
  return slowed_end_s(start_s, nominal_s * noise_->factor(Activity::update, i, n),
                      noise_->slowdown_profile(Activity::update, i)) -
         start_s;
}

}  // namespace starport::spmd
