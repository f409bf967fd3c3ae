// Het's selections against their plain definition (PPoPP'08 section 5): every worker tried, every
// pair tried.
#include "heuristics/heterogeneous.hpp"
#include "heuristics/planning.hpp"
#include "sim/model/recurrence.hpp"
#include "sim/model/ties.hpp"
#include "tests/support.hpp"

#include <gtest/gtest.h>

namespace starport {
namespace {

/// T, ready_i and W of the planning clock, copied for each trial.
struct Plain {
  const Platform& platform;
  const Problem& problem;
  Selection selection;
  double t = 0;
  double work = 0;
  std::vector<double> ready = std::vector<double>(platform.workers.size(), 0.0);
  std::vector<bool> chosen = std::vector<bool>(platform.workers.size(), false);

  double mu(std::size_t i) const {
    return static_cast<double>(kOptimizedOverlapped.side(platform.workers[i].m_blocks));
  }
  void choose(std::size_t i) {
    const Worker& worker = platform.workers[i];
    const double c_blocks = selection.count_c && !chosen[i] ? mu(i) * mu(i) : 0;
    t = std::max(t + (c_blocks + 2 * mu(i)) * worker.c_s, ready[i]);
    ready[i] = t + mu(i) * mu(i) * worker.w_s;
    work += mu(i) * mu(i);
    chosen[i] = true;
  }
  double ratio_since(const Plain& before) const {
    return selection.local ? (work - before.work) / (t - before.t) : work / t;
  }
};

StepOrder plain_order(Selection selection, const Platform& platform, const Problem& problem) {
  Plain plan{platform, problem, selection};
  std::vector<std::int64_t> steps(platform.workers.size(), 0);
  const auto panel = [&](std::size_t i) {
    const auto mu = static_cast<std::int64_t>(plan.mu(i));
    return problem.t * ((problem.r + mu - 1) / mu);
  };
  std::int64_t columns = 0;
  StepOrder order;
  while (columns < problem.s) {
    std::size_t best = 0;
    double best_value = -1;
    for (std::size_t i = 0; i < platform.workers.size(); ++i) {
      Plain one = plan;
      one.choose(i);
      double value = selection.look_ahead ? 0 : one.ratio_since(plan);
      for (std::size_t j = 0; selection.look_ahead && j < platform.workers.size(); ++j) {
        Plain two = one;
        two.choose(j);
        value = std::max(value, two.ratio_since(plan));
      }
      if (best_value < 0 || clearly_less(best_value, value)) {
        best = i;
        best_value = value;
      }
    }
    plan.choose(best);
    order.push_back(static_cast<std::int32_t>(best));
    if (++steps[best] % panel(best) == 0) columns += static_cast<std::int64_t>(plan.mu(best));
  }
  std::vector<std::int64_t> seen(platform.workers.size(), 0);
  std::erase_if(order, [&](std::int32_t i) {
    const auto at = static_cast<std::size_t>(i);
    return seen[at]++ >= steps[at] / panel(at) * panel(at);
  });
  return order;
}

TEST(Selection, AgreesWithThePlainDefinition) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    auto [platform, problem] = test::random_instance(seed);
    // Some workers alike, whose readiness differs as they are chosen.
    platform.workers.insert(platform.workers.end(), 3, platform.workers.front());
    for (const Selection& selection : kSelections) {
      const Heterogeneous het({selection});
      const Plan plan = het.plan(platform, problem);
      const auto plain = run_order(plain_order(selection, platform, problem), platform, problem,
                                   kOptimizedOverlapped);
      const auto transfers = [&](Dispatcher& dispatcher) {
        Star star(platform, problem);
        std::vector<Transfer> list;
        run_recurrence(dispatcher, star,
                       [&](const Transfer& transfer, const Dates&) { list.push_back(transfer); });
        return list;
      };
      EXPECT_EQ(transfers(*plan.dispatcher), transfers(*plain))
          << selection.name() << ", seed " << seed;
    }
  }
}

}  // namespace
}  // namespace starport
