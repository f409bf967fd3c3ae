#include "heuristics/star/polaris/estimate.hpp"

#include <algorithm>
#include <limits>

namespace starport::polaris {

Estimator::Estimator(const Platform& platform, const Problem& problem, const ModeChoice& choice)
    : modes(choice), platform_(&platform), problem_(&problem) {
  lags_s.resize(platform.workers.size());
}

double Estimator::port_s(int worker, std::int64_t rows, std::int64_t columns) const {
  ++operations;
  const Worker& figures = platform_->workers[worker];
  const Mode mode = cheapest_mode(figures, *problem_, rows, columns, modes);
  if (mode.kind == Mode::Kind::none) return std::numeric_limits<double>::infinity();
  return mode.blocks * figures.c_s + static_cast<double>(mode.messages) * figures.latency_s;
}

StripCost Estimator::cost(const Tiling& tiling, const Strip& strip, bool lags) const {
  StripCost cost;
  for (const Part& part : strip.parts) {
    const std::int64_t rows = tiling.of_rows ? strip.width : part.height;
    const std::int64_t columns = tiling.of_rows ? part.height : strip.width;
    cost.port_s += port_s(part.worker, rows, columns);
    const double compute_s =
        static_cast<double>(rows * columns * problem_->t) * platform_->workers[part.worker].w_s;
    cost.longest_s = std::max(cost.longest_s, compute_s + (lags ? lags_s[part.worker] : 0));
  }
  return cost;
}

double Estimator::makespan_s(const Tiling& tiling, bool lags) const {
  StripCost all;
  for (const Strip& strip : tiling.strips) {
    const StripCost one = cost(tiling, strip, lags);
    all = {all.port_s + one.port_s, std::max(all.longest_s, one.longest_s)};
  }
  return std::max(all.port_s, all.longest_s);
}

}  // namespace starport::polaris
