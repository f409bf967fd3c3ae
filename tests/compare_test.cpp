// A heuristic that fails gives a row that says so; the others are reported all the same.
#include "sim/cli/compare.hpp"

#include "sim/model/error.hpp"
#include "tests/support.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <functional>

namespace starport {
namespace {

/// A heuristic made of one function, for what no real heuristic does.
class FunctionHeuristic final : public Heuristic {
 public:
  explicit FunctionHeuristic(std::function<Decision(const Star&)> next) : next_(std::move(next)) {}

  Plan plan(const Platform&, const Problem&) const override {
    class FunctionDispatcher final : public Dispatcher {
     public:
      explicit FunctionDispatcher(std::function<Decision(const Star&)> next)
          : next_(std::move(next)) {}
      Decision next(const Star& star) override { return next_(star); }

     private:
      std::function<Decision(const Star&)> next_;
    };
    return {.dispatcher = std::make_unique<FunctionDispatcher>(next_), .details = {}};
  }
  const MemoryLayout& layout() const override { return kOptimizedOverlapped; }

 private:
  std::function<Decision(const Star&)> next_;
};

TEST(Compare, FailuresAreRowsAndTheOthersAreReported) {
  std::vector<NamedHeuristic> heuristics;
  const auto add = [&](const char* name, std::function<Decision(const Star&)> next) {
    heuristics.push_back({name, std::make_unique<FunctionHeuristic>(std::move(next))});
  };
  add("crash", [](const Star&) -> Decision {
    std::signal(SIGABRT, SIG_DFL);
    std::raise(SIGABRT);
    return Done{};
  });
  add("deadlock", [](const Star&) -> Decision { return Wait{}; });
  add("endless", [](const Star&) -> Decision {
    for (;;) {
    }
  });
  add("idle", [](const Star&) -> Decision { return Done{}; });
  for (NamedHeuristic& named : parse_heuristics("HoLM,ODDOML")) {
    heuristics.push_back(std::move(named));
  }
  const Platform platform = test::star({{1, 2, 12, 0}, {2, 3, 21, 0}});
  const Problem problem{4, 6, 3, 1};
  std::vector<std::string> traced;
  const auto results =
      compare(heuristics, platform, problem, SimgridEngine({.time_limit_s = 5}),
              [&](const std::string& name, const Trace&) { traced.push_back(name); });

  const auto row = [&](std::size_t i) {
    return std::string(to_string(results.at(i).status)) + ": " + results.at(i).error;
  };
  EXPECT_EQ(row(0), "error: crashed: Aborted");
  EXPECT_EQ(row(1), "error: the dispatcher waits though no update is in progress");
  EXPECT_EQ(row(2), "error: timed out after 5 s");
  EXPECT_EQ(row(3),
            "error: the trace breaks the model at transfer 1: only 0 of the 24 blocks of C come "
            "home");
  EXPECT_EQ(row(4), "not applicable: the workers are not all alike");
  EXPECT_EQ(row(5), "ok: ");
  EXPECT_EQ(results.at(5).metrics.makespan_s, 198);
  EXPECT_EQ(traced, std::vector<std::string>{"ODDOML"});
}

TEST(Compare, FewestTransfersAreThoseOfEqualChunks) {
  // One memory size: r = 6 and s = 10 in chunks of side 2 make 3 x 5 chunks of 1 + 4 + 1 transfers.
  const Platform platform = test::star({{1, 2, 12, 0}, {2, 3, 12, 0}});
  const Problem problem{6, 10, 4, 1};
  EXPECT_EQ(fewest_transfers(kOptimizedOverlapped, platform, problem), 3 * 5 * 6);
  EXPECT_EQ(test::simulate("ODDOML", platform, problem).size(), 90U);
}

}  // namespace
}  // namespace starport
