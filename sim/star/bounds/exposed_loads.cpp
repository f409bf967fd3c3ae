#include "sim/star/bounds/exposed_loads.hpp"

#include "sim/star/bounds/makespan_bounds.hpp"

#include <algorithm>

namespace starport {
namespace {

/// A number l of successive loads, with the largest number of updates that can be assigned to them;
/// F as in makespan_bounds.md, step 2b.
struct WindowSize {
  double loads;          ///< l
  double updates;        ///< F(m - 1 + l)
  double first_updates;  ///< the sum of F(1) to F(l)
};

/// Returns the windows whose bound is the largest for some number of exposed loads per update.
std::vector<WindowSize> useful_windows(std::int64_t m_blocks) {
  const std::int64_t longest = 3 * m_blocks;
  const std::vector<double> most = most_updates(static_cast<std::size_t>(m_blocks + longest));
  const auto at = [&](std::int64_t blocks) { return most[static_cast<std::size_t>(blocks)]; };
  std::vector<WindowSize> windows;
  double sum = 0;
  for (std::int64_t loads = 1; loads <= longest; ++loads) {
    sum += at(loads);
    const WindowSize window{static_cast<double>(loads), at(m_blocks - 1 + loads), sum};
    // Among windows with as many updates, only the longest matters.
    if (!windows.empty() && windows.back().updates == window.updates) windows.pop_back();
    windows.push_back(window);
  }
  // With `share` exposed loads per update, and many updates, the bound is (l - share) / (F - 1)
  // loads per update.
  std::vector<WindowSize> useful;
  for (double share = 0; share <= 2; share += 0.125) {
    const auto bound = [&](const WindowSize& window) {
      return window.updates > 1 ? (window.loads - share) / (window.updates - 1) : 0.0;
    };
    const WindowSize& best = *std::ranges::max_element(windows, {}, bound);
    if (useful.empty() || useful.back().loads != best.loads) useful.push_back(best);
  }
  if (windows.front().updates == 1) useful.push_back(windows.front());
  return useful;
}

}  // namespace

ExposedLoads::ExposedLoads(std::int64_t m_blocks, double w_s, double block_s, std::int64_t t)
    : block_s_(block_s), c_per_update_(1 / static_cast<double>(t)) {
  if (m_blocks < 3 || m_blocks > kMostBlocks || block_s == 0) return;
  static const auto tables = [] {
    std::vector<std::vector<WindowSize>> all(kMostBlocks + 1);
    for (std::int64_t m = 3; m <= kMostBlocks; ++m)
      all[static_cast<std::size_t>(m)] = useful_windows(m);
    return all;
  }();
  for (const auto& [loads, updates, first_updates] : tables[static_cast<std::size_t>(m_blocks)]) {
    lines_.push_back({.per_update = loads - c_per_update_ + w_s / block_s,
                      .offset = first_updates - updates - 1,
                      .divisor = updates - 1});
  }
}

ExposedLoads::Window ExposedLoads::best(double updates) const {
  Window best = kNone;
  double most = 0;
  for (Window window = 0; window < lines_.size(); ++window) {
    if (lines_[window].divisor == 0) continue;
    const double value = loads(updates, window);
    if (value <= most) continue;
    most = value;
    best = window;
  }
  return best;
}

double ExposedLoads::max_updates(double updates) const {
  // At most end_blocks_ loads and values of C can be moved.
  for (const Line& line : lines_) {
    updates = std::min(updates, ((line.divisor + 1) * end_blocks_ + line.offset) /
                                    (line.per_update + line.divisor * c_per_update_));
  }
  return std::max(0.0, updates);
}

}  // namespace starport
