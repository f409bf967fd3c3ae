#include "heuristics/spmd/gpa.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>
#include <utility>

namespace starport::spmd {
namespace {

// Added before rounding down, so that a size just below an integer counts as that integer.
constexpr double kSizeRounding = 1e-9;
constexpr int kMaxSteps = 200;

using Speeds = PerWorker<SpeedFunction>;

/// Two lines through the origin between which the solution lies. The one with the greater slope
/// crosses the speed functions at smaller sizes, which sum to less than n.
struct Region {
  double upper;               ///< the greater slope
  double lower;               ///< the smaller slope
  PerWorker<double> upper_x;  ///< sizes at which the upper line crosses the speed functions
  PerWorker<double> lower_x;  ///< sizes at which the lower line crosses the speed functions
};

/// Computes the sizes at which the line of this slope crosses the speed functions. Returns their
/// sum.
double compute_crossings(const Speeds& speeds, double slope, PerWorker<double>& x) {
  double sum = 0;
  for (std::size_t i = 0; i < speeds.size(); ++i) {
    sum += x[i] = speeds[i].crossing(slope);
  }
  return sum;
}

Region make_initial_region(double n, const Speeds& speeds) {
  const double even = n / static_cast<double>(speeds.size());
  const auto slope = [&](const SpeedFunction& s) { return s.speed(even) / even; };
  Region region{.upper = 0, .lower = slope(speeds.front()), .upper_x = {}, .lower_x = {}};
  for (const SpeedFunction& s : speeds) {
    region.upper = std::max(region.upper, slope(s));
    region.lower = std::min(region.lower, slope(s));
  }
  region.upper_x.resize(speeds.size());
  region.lower_x.resize(speeds.size());
  compute_crossings(speeds, region.upper, region.upper_x);
  compute_crossings(speeds, region.lower, region.lower_x);
  return region;
}

bool is_within_a_unit(const Region& region) {
  return std::equal(region.lower_x.begin(), region.lower_x.end(), region.upper_x.begin(),
                    [](double low, double up) { return low - up < 1; });
}

/// Assigns the remaining units one by one to the element that finishes them first, on ties the
/// first.
void assign_remainder(std::int64_t rest, const Speeds& speeds, PerWorker<std::int64_t>& x) {
  if (rest <= 0) return;
  const auto offer = [&](std::int64_t i) {
    return std::pair(speeds[i].time_s(static_cast<double>(x[i] + 1)), i);
  };
  using Offer = std::pair<double, std::int64_t>;
  std::vector<Offer> offers;
  offers.reserve(speeds.size());
  for (std::size_t i = 0; i < speeds.size(); ++i)
    offers.push_back(offer(static_cast<std::int64_t>(i)));
  std::priority_queue<Offer, std::vector<Offer>, std::greater<>> next(std::greater<>{},
                                                                      std::move(offers));
  for (; rest > 0; --rest) {
    const std::int64_t i = next.top().second;
    next.pop();
    ++x[i];
    next.push(offer(i));
  }
}

}  // namespace

PerWorker<std::int64_t> gpa(std::int64_t n, const PerWorker<SpeedFunction>& speeds) {
  PerWorker<std::int64_t> x(speeds.size());
  if (n == 0) return x;
  const auto units = static_cast<double>(n);
  Region region = make_initial_region(units, speeds);
  PerWorker<double> middle_x(speeds.size());
  for (int step = 0; step < kMaxSteps && !is_within_a_unit(region); ++step) {
    const double middle = (region.lower + region.upper) / 2;
    if (compute_crossings(speeds, middle, middle_x) < units) {
      region.upper = middle;
      region.upper_x.swap(middle_x);
    } else {
      region.lower = middle;
      region.lower_x.swap(middle_x);
    }
  }
  std::int64_t rest = n;
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<std::int64_t>(std::floor(region.upper_x[i] + kSizeRounding));
    rest -= x[i];
  }
  assign_remainder(rest, speeds, x);
  return x;
}

}  // namespace starport::spmd
