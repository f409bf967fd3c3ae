#include "heuristics/spmd/cpm.hpp"

#include "heuristics/partition/apportion.hpp"

#include <vector>

namespace starport::spmd {
namespace {

PerWorker<std::int64_t> divide(std::int64_t n, const std::vector<double>& weights) {
  const std::int64_t least = n >= static_cast<std::int64_t>(weights.size()) ? 1 : 0;
  const std::vector<std::int64_t> shares = partition::apportion(n, weights, least);
  PerWorker<std::int64_t> result;
  result.assign(shares.begin(), shares.end());
  return result;
}

}  // namespace

PerWorker<std::int64_t> cpm(std::int64_t n, const Measure& measure) {
  std::vector<double> speeds;
  for (std::size_t i = 0; i < measure.sizes.size(); ++i) {
    const double t = measure.times_s[i];
    speeds.push_back(t > 0 ? static_cast<double>(measure.sizes[i]) / t : 0);
  }
  return divide(n, speeds);
}

PerWorker<std::int64_t> even_shares(std::int64_t n, std::size_t elements) {
  return divide(n, std::vector<double>(elements, 1));
}

}  // namespace starport::spmd
