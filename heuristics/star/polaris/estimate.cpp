#include "heuristics/star/polaris/estimate.hpp"

#include <algorithm>
#include <limits>

namespace starport::polaris {
namespace {

constexpr int kHashBits = 11;

}  // namespace

Estimator::Estimator(const Platform& platform, const Problem& problem, const ModeOptions& options)
    : modes(options), platform_(&platform), problem_(&problem) {
  lags_s.resize(platform.workers.size());
  cache_.resize(std::size_t{1} << kHashBits);
}

PartCost Estimator::estimate_part(int worker, std::int64_t rows, std::int64_t columns,
                                  std::int64_t length, bool receives_c) const {
  ++operations;
  const auto hash = static_cast<std::uint64_t>(((worker * 31 + rows) * 1009 + columns) * 1013 +
                                               2 * length + (receives_c ? 1 : 0));
  CacheEntry& entry = cache_[hash * 0x9E3779B97F4A7C15 >> (64 - kHashBits)];
  if (entry.worker != worker || entry.rows != rows || entry.columns != columns ||
      entry.length != length || entry.receives_c != receives_c ||
      entry.prefetch != modes.prefetch || entry.spare_columns != modes.spare_columns) {
    entry = {worker,
             modes.prefetch,
             modes.spare_columns,
             receives_c,
             rows,
             columns,
             length,
             compute_part(worker, rows, columns, length, receives_c)};
  }
  return entry.cost;
}

PartCost Estimator::compute_part(int worker, std::int64_t rows, std::int64_t columns,
                                 std::int64_t length, bool receives_c) const {
  const Worker& figures = platform_->workers[worker];
  Problem problem = *problem_;
  problem.t = length;
  const Mode mode = find_cheapest_mode(figures, problem, rows, columns, modes);
  PartCost cost{.port_s = std::numeric_limits<double>::infinity(),
                .update_s = typical_update_s(figures, mode)};
  if (mode.kind != Mode::Kind::none) {
    const Port& port = platform_->port;
    const auto area = static_cast<double>(rows * columns);
    const double blocks = mode.blocks - (receives_c ? 0 : area);
    cost.port_s = blocks * figures.c_s + static_cast<double>(mode.messages) * figures.latency_s;
    if (port.kind == Port::Kind::two) {  // C returns through a port of its own
      cost.port_s -= area * figures.c_s;
    } else if (port.kind == Port::Kind::multi) {
      cost.link_s = std::max(cost.port_s, blocks * port.c_s);
      cost.port_s = blocks * port.c_s;
      if (port.max_transfers > 0)
        cost.port_s = std::max(cost.port_s, cost.link_s / static_cast<double>(port.max_transfers));
    }
  }
  return cost;
}

StripCost Estimator::estimate_strip(const Tiling& tiling, const Strip& strip, Lags lags) const {
  StripCost cost;
  for (const Part& part : strip.parts) {
    const std::int64_t rows = tiling.of_rows ? strip.width : part.height;
    const std::int64_t columns = tiling.of_rows ? part.height : strip.width;
    const PartCost part_cost = estimate_part(part.worker, rows, columns);
    cost.port_s += part_cost.port_s;
    const double compute_s = static_cast<double>(rows * columns * problem_->t) * part_cost.update_s;
    cost.longest_s = std::max({cost.longest_s, part_cost.link_s,
                               compute_s + (lags == Lags::included ? lags_s[part.worker] : 0)});
  }
  return cost;
}

double Estimator::makespan_s(const Tiling& tiling, Lags lags) const {
  StripCost total;
  for (const Strip& strip : tiling.strips) {
    const StripCost cost = estimate_strip(tiling, strip, lags);
    total = {total.port_s + cost.port_s, std::max(total.longest_s, cost.longest_s)};
  }
  return std::max(total.port_s, total.longest_s);
}

}  // namespace starport::polaris
