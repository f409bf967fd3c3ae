#include "sim/worst/search.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace starport::worst {

Found simplify(const Found& found, const SearchSpace& space, double share, std::int64_t evaluations,
               const Evaluate& evaluate, const std::function<bool()>& should_continue) {
  Found best = found;
  // Changes a copy of the best instance, which it replaces if it loses enough.
  const auto accepts = [&](const std::function<void(Instance&)>& change) {
    Instance simpler = best.instance;
    change(simpler);
    if (simpler == best.instance || evaluations <= 0 || !space.contains(simpler)) return false;
    if (!should_continue()) evaluations = 0;
    if (evaluations-- <= 0) return false;
    const Case instance = space.to_case(simpler);
    const double ratio = evaluate({&instance, 1}).front().ratio;
    if (!std::isfinite(ratio) || ratio < share * found.ratio) return false;
    best = {std::move(simpler), ratio};
    return true;
  };
  // Calls change(instance, i, figure) for each figure of the workers from `first` on.
  const auto change_figures = [&](std::size_t first, const auto& change) {
    bool improved = false;
    for (std::size_t i = first; i < best.instance.workers.size(); ++i) {
      for (std::size_t figure = 0; figure < kFigures; ++figure)
        improved |= accepts([&](Instance& instance) { change(instance.workers, i, figure); });
    }
    return improved;
  };
  using Workers = std::vector<VariedWorker>;
  // Workers with the same figure change together.
  const auto round_figures = [&](int digits) {
    return change_figures(0, [&](Workers& workers, std::size_t i, std::size_t figure) {
      const double exact = workers[i][figure];
      for (VariedWorker& worker : workers) {
        if (worker[figure] == exact) worker[figure] = round_to_digits(exact, digits);
      }
    });
  };
  const auto join_with_worker_before = [](Workers& workers, std::size_t i, std::size_t figure) {
    if (shares_memory(workers[i]) == shares_memory(workers[i - 1]))
      workers[i][figure] = workers[i - 1][figure];
  };
  for (bool improved = true; improved && evaluations > 0;) {
    improved = false;
    for (std::size_t i = best.instance.workers.size(); i-- > 0;) {
      improved |= accepts([&](Instance& instance) {
        instance.workers.erase(instance.workers.begin() + static_cast<std::ptrdiff_t>(i));
      });
    }
    for (std::size_t side = 0; side < best.instance.sides.size(); ++side) {
      for (const double factor : {0.5, 0.8}) {
        const auto shrink = [&](Instance& instance) {
          const double shorter = std::ceil(instance.sides[side] * factor);
          const double round = shorter >= 20 ? std::floor(shorter / 10) * 10 : shorter;
          instance.sides[side] = std::min(instance.sides[side], round);
        };
        while (accepts(shrink)) improved = true;
      }
    }
    improved |= change_figures(1, join_with_worker_before);
    improved |= round_figures(1);
  }
  round_figures(2);
  return best;
}

}  // namespace starport::worst
