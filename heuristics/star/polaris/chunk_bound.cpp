#include "heuristics/star/polaris/chunk_bound.hpp"

#include "sim/files/numbers.hpp"
#include "sim/star/layout.hpp"
#include "sim/star/update_ends.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>

namespace starport::polaris {
namespace {

/// Against rounding: dates of schedules are sums of many terms.
constexpr double kTolerance = 1 + 1e-9;

}  // namespace

ChunkBound::ChunkBound(const Platform& platform, const Problem& problem, Panels panels)
    : columns_(static_cast<double>(problem.s)), full_(panels == Panels::full) {
  const auto r = static_cast<double>(problem.r);
  const auto t = static_cast<double>(problem.t);
  for (const Worker& worker : platform.workers) {
    std::int64_t side = kOptimizedOverlapped.side(worker.m_blocks);
    if (!full_) side = std::max(side, kToledo.side(worker.m_blocks));
    if (side == 0) continue;
    const auto chunks = static_cast<double>(ceil_div(problem.r, side));
    const auto v = static_cast<double>(std::min(side, problem.s));
    const double steps = full_ ? t : static_cast<double>(ceil_div(problem.t, side));
    const double c_s = 2 * r * v * worker.c_s;          // out and home
    const double ab_s = (r + chunks * v) * worker.c_s;  // for one k, of all chunks
    const double update_s = r * v * worker.w_s;         // the same
    panels_.push_back({.columns = v,
                       .port_s = c_s + t * ab_s + chunks * (2 + steps) * worker.latency_s,
                       .worker_s = c_s + 3 * chunks * worker.latency_s +
                                   std::max(ab_s + t * update_s, t * ab_s + update_s)});
  }
  std::sort(panels_.begin(), panels_.end(), [](const Panel& x, const Panel& y) {
    return x.port_s * y.columns < y.port_s * x.columns;
  });
}

double ChunkBound::columns_by(const Panel& panel, double makespan_s) const {
  const double panels = makespan_s / panel.worker_s;
  return panel.columns * (full_ ? std::floor(panels) : panels);
}

bool ChunkBound::may_end_by(double makespan_s, std::size_t enrolled) const {
  if (panels_.empty() || makespan_s == kUnknown) return !panels_.empty();
  makespan_s *= kTolerance;
  std::vector<double> most;  // columns of each worker
  double last = 0;           // of the panel that takes the last columns
  for (const Panel& panel : panels_) {
    most.push_back(columns_by(panel, makespan_s));
    last = std::max(last, panel.columns * makespan_s / panel.worker_s - most.back());
  }
  double port_s = 0;
  double left = columns_ - last;
  for (std::size_t i = 0; i < panels_.size() && left > 0; ++i) {
    const double columns = std::min(left, most[i]);
    left -= columns;
    port_s += columns / panels_[i].columns * panels_[i].port_s;
  }
  port_s += std::min(last, columns_) / panels_.front().columns * panels_.front().port_s;
  if (left > columns_ * (kTolerance - 1) || port_s > makespan_s) return false;
  const std::size_t count = std::min(enrolled, most.size());
  std::partial_sort(most.begin(), most.begin() + static_cast<std::ptrdiff_t>(count), most.end(),
                    std::greater<>());
  double sum = last;
  for (std::size_t i = 0; i < count; ++i) sum += most[i];
  return sum * kTolerance >= columns_;
}

bool ChunkBound::may_cost(double work_s) const {
  for (std::size_t enrolled = 1; enrolled <= panels_.size(); ++enrolled) {
    if (may_end_by(work_s / static_cast<double>(enrolled), enrolled)) return true;
  }
  return false;
}

}  // namespace starport::polaris
