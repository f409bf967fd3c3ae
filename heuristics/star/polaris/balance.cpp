#include "heuristics/star/polaris/balance.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace starport::polaris {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

std::size_t index_of_least(const std::vector<double>& values) {
  return static_cast<std::size_t>(std::ranges::min_element(values) - values.begin());
}
std::size_t index_of_greatest(const std::vector<double>& values) {
  return static_cast<std::size_t>(std::ranges::max_element(values) - values.begin());
}

class Balancer {
 public:
  Balancer(Tiling& tiling, const Estimator& estimator, const Problem& problem)
      : tiling_(tiling), estimator_(estimator), t_(static_cast<double>(problem.t)) {}

  /// Shifts columns from the strip that ends last to the one that ends first with one more.
  void balance() {
    std::vector<Strip>& strips = tiling_.strips;
    std::vector<double> ends_s;
    std::vector<double> wider_s;  // the end of each strip with one more column
    for (Strip& strip : strips) {
      ends_s.push_back(balance(strip));
      wider_s.push_back(end_of_wider_s(strip));
    }
    while (true) {
      const std::size_t last = index_of_greatest(ends_s);
      wider_s[last] = kNever;
      const std::size_t to = index_of_least(wider_s);
      if (to == last || strips[last].width == 1) return;
      Strip narrower = strips[last];
      --narrower.width;
      const double narrower_s = balance(narrower);
      if (std::max(narrower_s, wider_s[to]) >= ends_s[last]) return;
      strips[last] = std::move(narrower);
      ends_s[last] = narrower_s;
      ++strips[to].width;
      ends_s[to] = balance(strips[to]);
      for (const std::size_t i : {last, to}) wider_s[i] = end_of_wider_s(strips[i]);
    }
  }

 private:
  /// Shifts rows from the part of a strip that ends last to the one that ends first with one more.
  /// Returns the estimated end of the strip.
  double balance(Strip& strip) const {
    std::vector<double> ends_s;
    std::vector<double> higher_s;  // the end of each part with one more row
    for (const Part& part : strip.parts) {
      ends_s.push_back(end_s(part.worker, strip.width, part.height));
      higher_s.push_back(end_s(part.worker, strip.width, part.height + 1));
    }
    while (true) {
      const std::size_t last = index_of_greatest(ends_s);
      const std::size_t to = index_of_least(higher_s);
      if (to == last || strip.parts[last].height == 1 || higher_s[to] >= ends_s[last])
        return ends_s[last];
      --strip.parts[last].height;
      ++strip.parts[to].height;
      for (const std::size_t i : {last, to}) {
        const Part& part = strip.parts[i];
        ends_s[i] = end_s(part.worker, strip.width, part.height);
        higher_s[i] = end_s(part.worker, strip.width, part.height + 1);
      }
    }
  }

  double end_of_wider_s(Strip strip) const {
    ++strip.width;
    return balance(strip);
  }

  /// Returns the estimated end of a rectangle; infinity if the worker lacks the memory.
  double end_s(int worker, std::int64_t width, std::int64_t height) const {
    const PartCost cost = tiling_.of_rows ? estimator_.estimate_part(worker, width, height)
                                          : estimator_.estimate_part(worker, height, width);
    if (cost.port_s == kNever) return kNever;
    const double compute_s = static_cast<double>(width * height) * t_ * cost.update_s;
    return std::max(cost.link_s, compute_s + estimator_.lags_s[worker]);
  }

  Tiling& tiling_;
  const Estimator& estimator_;
  double t_;
};

}  // namespace

void balance(Tiling& tiling, const Estimator& estimator, const Problem& problem) {
  double port_s = 0;
  for (const Strip& strip : tiling.strips) port_s += estimator.estimate_strip(tiling, strip).port_s;
  if (port_s == 0) Balancer(tiling, estimator, problem).balance();
}

}  // namespace starport::polaris
