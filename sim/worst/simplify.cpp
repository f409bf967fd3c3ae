#include "sim/worst/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <utility>

namespace starport::worst {
namespace {

/// Tries simpler instances one at a time and keeps those that lose enough.
class Simplifier {
 public:
  Simplifier(const Found& found, const SearchSpace& space, double share, std::int64_t evaluations,
             const Evaluate& evaluate, const std::function<bool()>& should_continue)
      : found_(found),
        space_(space),
        least_(found.ratio * share),
        left_(evaluations),
        evaluate_(evaluate),
        should_continue_(should_continue) {}

  Found simplify() {
    for (bool improved = true; improved && left_ > 0;) {
      improved = false;
      improved |= remove_workers();
      improved |= shrink_product();
      improved |= join_figures();
      improved |= round_figures(1);
    }
    round_figures(2);
    return found_;
  }

 private:
  bool accept(Instance simpler) {
    if (left_ <= 0 || !space_.contains(simpler)) return false;
    if (!should_continue_()) left_ = 0;
    if (left_-- <= 0) return false;
    const Case instance = space_.to_case(simpler);
    const double ratio = evaluate_({&instance, 1}).front().ratio;
    if (!std::isfinite(ratio) || ratio < least_) return false;
    found_ = {std::move(simpler), ratio};
    return true;
  }

  bool remove_workers() {
    bool improved = false;
    for (std::size_t i = found_.instance.workers.size(); i-- > 0;) {
      Instance simpler = found_.instance;
      simpler.workers.erase(simpler.workers.begin() + static_cast<std::ptrdiff_t>(i));
      improved |= accept(std::move(simpler));
    }
    return improved;
  }

  bool shrink_product() {
    bool improved = false;
    for (std::size_t side = 0; side < found_.instance.sides.size(); ++side) {
      for (const double factor : {0.5, 0.8}) {
        for (;;) {
          Instance simpler = found_.instance;
          const std::int64_t before = simpler.sides[side];
          const auto after =
              static_cast<std::int64_t>(std::ceil(static_cast<double>(before) * factor));
          simpler.sides[side] = after >= 20 ? after / 10 * 10 : after;
          if (simpler.sides[side] >= before || !accept(std::move(simpler))) break;
          improved = true;
        }
      }
    }
    return improved;
  }

  /// Makes figures of workers equal to those of the worker before, if it is of the same kind.
  bool join_figures() {
    bool improved = false;
    for (std::size_t i = 1; i < found_.instance.workers.size(); ++i) {
      for (std::size_t figure = 0; figure < kFigures; ++figure) {
        Instance simpler = found_.instance;
        const VariedWorker& before = simpler.workers[i - 1];
        VariedWorker& worker = simpler.workers[i];
        if (before.shares_memory != worker.shares_memory ||
            before.figures[figure] == worker.figures[figure]) {
          continue;
        }
        worker.figures[figure] = before.figures[figure];
        improved |= accept(std::move(simpler));
      }
    }
    return improved;
  }

  /// Rounds figures to `digits` significant digits, that of all workers with the same one at once.
  bool round_figures(int digits) {
    bool improved = false;
    for (std::size_t i = 0; i < found_.instance.workers.size(); ++i) {
      for (std::size_t figure = 0; figure < kFigures; ++figure) {
        Instance simpler = found_.instance;
        const double exact = simpler.workers[i].figures[figure];
        const double round =
            std::strtod(fmt::format("{:.{}e}", exact, digits - 1).c_str(), nullptr);
        if (exact == round) continue;
        for (VariedWorker& worker : simpler.workers) {
          if (worker.figures[figure] == exact) worker.figures[figure] = round;
        }
        improved |= accept(std::move(simpler));
      }
    }
    return improved;
  }

  Found found_;
  const SearchSpace& space_;
  double least_;
  std::int64_t left_;
  const Evaluate& evaluate_;
  const std::function<bool()>& should_continue_;
};

}  // namespace

Found simplify(const Found& found, const SearchSpace& space, double share, std::int64_t evaluations,
               const Evaluate& evaluate, const std::function<bool()>& should_continue) {
  return Simplifier(found, space, share, evaluations, evaluate, should_continue).simplify();
}

}  // namespace starport::worst
