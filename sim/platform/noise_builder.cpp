#include "sim/platform/noise_builder.hpp"

#include "sim/files/error.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace starport {

bool good_cv(double cv) { return cv >= 0 && cv <= kLargestCv; }

bool good_factor(double factor) { return factor >= 1e-3 && factor <= 1e6; }

Variation& NoiseBuilder::vary(Activity activity, const std::string& key, const std::string& place) {
  const char* one = activity == Activity::transfer ? "transfer" : "update";
  std::string& before = varied_by_[static_cast<std::size_t>(activity)];
  if (!before.empty()) {
    throw InputError(place, fmt::format("one of cv, {0}_cv, samples and {0}_factors for {0}s", one),
                     before == key ? key + " twice" : before + " and " + key);
  }
  before = key;
  return activity == Activity::transfer ? noise_.transfers : noise_.updates;
}

void NoiseBuilder::cv(const std::string& key, double cv, const std::string& place) {
  if (key != "update_cv") vary(Activity::transfer, key, place).cv = cv;
  if (key != "transfer_cv") vary(Activity::update, key, place).cv = cv;
}

void NoiseBuilder::factors(Activity activity, std::vector<double> factors, const std::string& key,
                           const std::string& place) {
  vary(activity, key, place).ratios = std::move(factors);
}

void NoiseBuilder::samples(Samples samples, const std::string& place) {
  const auto add = [&](Activity activity, std::vector<double>& ratios) {
    if (ratios.empty()) return;
    Variation& variation = vary(activity, "samples", place);
    variation.ratios = std::move(ratios);
    variation.file = samples.file;
  };
  add(Activity::transfer, samples.transfers);
  add(Activity::update, samples.updates);
}

void NoiseBuilder::add(const SlowDown& change, const std::string& place) {
  const auto& given = noise_.slow_downs;
  if (std::any_of(given.begin(), given.end(), [&](const SlowDown& other) {
        return other.worker == change.worker && other.activity == change.activity &&
               other.from_s == change.from_s;
      })) {
    throw InputError(
        place, "one slow-down of a worker at a date",
        fmt::format("worker {} slows down twice at {} s", change.worker + 1, change.from_s));
  }
  noise_.slow_downs.push_back(change);
}

void NoiseBuilder::slow_down(int worker, std::string_view of, double from_s, double factor,
                             const std::string& place) {
  if (of != "compute") add({worker, Activity::transfer, from_s, factor}, place);
  if (of != "link") add({worker, Activity::update, from_s, factor}, place);
}

void NoiseBuilder::stop(const Stop& stop, const std::string& place) {
  const auto& given = noise_.stops;
  if (std::any_of(given.begin(), given.end(),
                  [&](const Stop& other) { return other.worker == stop.worker; })) {
    throw InputError(place, "one stop of a worker",
                     fmt::format("worker {} stops twice", stop.worker + 1));
  }
  noise_.stops.push_back(stop);
}

void NoiseBuilder::seed(std::int64_t seed, const std::string& place) {
  if (seeded_) throw InputError(place, "one seed", "two");
  seeded_ = true;
  noise_.seed = static_cast<std::uint64_t>(seed);
}

}  // namespace starport
