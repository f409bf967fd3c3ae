#include "heuristics/star/polaris/estimate.hpp"

#include <algorithm>
#include <limits>

namespace starport::polaris {

Estimator::Estimator(const Platform& platform, const Problem& problem, const ModeChoice& choice)
    : modes(choice), platform_(&platform), problem_(&problem) {
  lags.worker_s.resize(platform.workers.size());
}

double Estimator::port_s(int worker, std::int64_t rows, std::int64_t columns) const {
  ++operations;
  const Worker& figures = platform_->workers[static_cast<std::size_t>(worker)];
  const Mode mode = cheapest_mode(figures, *problem_, rows, columns, modes);
  if (mode.kind == Mode::Kind::none) return std::numeric_limits<double>::infinity();
  return mode.blocks * figures.c_s + static_cast<double>(mode.messages) * figures.latency_s;
}

StripCost Estimator::cost(const Layout& layout, const Strip& strip) const {
  StripCost cost;
  for (const Part& part : strip.parts) {
    const std::int64_t rows = layout.of_rows ? strip.width : part.height;
    const std::int64_t columns = layout.of_rows ? part.height : strip.width;
    cost.port_s += port_s(part.worker, rows, columns);
    const auto at = static_cast<std::size_t>(part.worker);
    const double compute_s =
        static_cast<double>(rows * columns * problem_->t) * platform_->workers[at].w_s;
    cost.longest_s = std::max(cost.longest_s, compute_s + lags.worker_s[at]);
  }
  return cost;
}

double Estimator::least_s(const Layout& layout) const {
  double port = 0;
  double longest = 0;
  for (const Strip& strip : layout.strips) {
    for (const Part& part : strip.parts) {
      const std::int64_t rows = layout.of_rows ? strip.width : part.height;
      const std::int64_t columns = layout.of_rows ? part.height : strip.width;
      port += port_s(part.worker, rows, columns);
      longest =
          std::max(longest, static_cast<double>(rows * columns * problem_->t) *
                                platform_->workers[static_cast<std::size_t>(part.worker)].w_s);
    }
  }
  return std::max(port, longest);
}

double Estimator::makespan_s(const Layout& layout) const {
  double port = lags.port_s;
  double longest = 0;
  for (const Strip& strip : layout.strips) {
    const StripCost part = cost(layout, strip);
    port += part.port_s;
    longest = std::max(longest, part.longest_s);
  }
  return std::max(port, longest);
}

}  // namespace starport::polaris
