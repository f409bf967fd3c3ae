// Schedules that split k: workers share the updates of blocks of C, the master adds up their
// partial sums.
#include "heuristics/star/polaris/serving.hpp"
#include "sim/files/error.hpp"
#include "sim/models/star/star_model.hpp"
#include "sim/platform/ties.hpp"
#include "sim/results/comparison.hpp"
#include "sim/star/analytic_run.hpp"
#include "sim/star/bounds/makespan_bounds.hpp"
#include "sim/star/engine/engine.hpp"
#include "sim/star/validator/validator.hpp"
#include "tests/star/star_support.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace starport {
namespace {

using polaris::Mode;
using polaris::RectangleTask;

constexpr const char* kSplit = "Polaris[effort=low,split_k=yes]";

/// Four workers, each of which can hold all of C, none of which is fast enough alone, and a product
/// with few blocks of C and a long t.
Platform four_workers() {
  return test::star({{1, 1, 120, 0}, {1, 1, 120, 0}, {1.5, 1, 120, 0}, {1, 1.2, 120, 0}});
}
constexpr Problem kLong{.r = 8, .s = 8, .t = 120, .block_size = 10};

double makespan_of(const char* name, const Platform& platform, const Problem& problem) {
  return test::makespan_s(*parse_heuristics(name).front().heuristic, platform, problem);
}

// Any modes on any memory that holds them, k in parts of any length: valid, and the dates are those
// of the recurrence.
TEST(SplitK, EveryWalkIsValid) {
  test::Random random(47);
  int valid = 0;
  for (int instance = 0; instance < 500; ++instance) {
    const Problem problem{.r = random.integer(1, 12),
                          .s = random.integer(1, 12),
                          .t = random.integer(3, 20),
                          .block_size = random.integer(1, 9)};
    const Rectangle c{{0, static_cast<std::int32_t>(problem.r)},
                      {0, static_cast<std::int32_t>(problem.s)}};
    Platform platform = test::star({});
    if (instance % 4 == 1) platform.port.kind = Port::Kind::two;
    if (instance % 4 == 2) platform.port.kind = Port::Kind::multi;
    const auto t = static_cast<std::int32_t>(problem.t);
    const auto first = static_cast<std::int32_t>(random.integer(1, t - 2));
    const auto second = static_cast<std::int32_t>(random.integer(first + 1, t - 1));
    std::vector<RectangleTask> tasks;
    for (const Range& inner : {Range{0, first}, Range{first, second}, Range{second, t}}) {
      const Worker worker{random.real(0.1, 3), random.real(0.1, 3), random.integer(5, 300),
                          random.integer(0, 3) == 0 ? random.real(0, 5) : 0};
      Problem part = problem;
      part.t = inner.size();
      const Mode mode = polaris::find_cheapest_mode(worker, part, part.r, part.s, {});
      ASSERT_NE(mode.kind, Mode::Kind::none);
      tasks.push_back({static_cast<int>(tasks.size()), c, mode, inner, tasks.empty()});
      platform.workers.push_back(worker);
    }
    polaris::ServingOptions options;
    options.message_options.loading_share = random.real(0.01, 1);
    options.message_options.joining = random.integer(0, 4);
    options.message_options.late_c = random.integer(0, 1) == 1;
    options.return_columns = random.integer(1, 5);
    const double makespan_s = serve_tasks(platform, problem, tasks, options, kUnknown).makespan_s;
    if (makespan_s == kUnknown) continue;
    const Trace trace =
        replay(platform, problem, list_transfers(platform, problem, tasks, options));
    const auto violation = find_violation(platform, problem, trace);
    ASSERT_FALSE(violation) << "instance " << instance << ", transfer " << violation->transfer
                            << ": " << violation->message;
    EXPECT_TRUE(nearly_equal(test::makespan(trace), makespan_s)) << "instance " << instance;
    EXPECT_FALSE(test::is_c_stationary(trace, problem));
    EXPECT_FALSE(clearly_less(makespan_s, *split_k_bound_s(platform, problem)))
        << "instance " << instance;
    ++valid;
  }
  EXPECT_GT(valid, 490);
}

TEST(SplitK, PaysForLongT) {
  const Platform platform = four_workers();
  const double whole_s = makespan_of("Polaris", platform, kLong);
  EXPECT_LT(makespan_of(kSplit, platform, kLong), 0.85 * whole_s);
  // Faster than what the bound for other schedules allows, which does not hold here.
  EXPECT_LT(*split_k_bound_s(platform, kLong), *any_schedule_bound_s(platform, kLong));
}

// So many transfers that the first schedules use up the budget of the lowest effort.
TEST(SplitK, HigherEffortsGoOnFromASpentBudget) {
  if (test::kSeedStride > 1) GTEST_SKIP() << "takes too long with sanitizers";
  const Problem problem{.r = 6, .s = 6, .t = 60'000, .block_size = 10};
  const double low_s = makespan_of(kSplit, four_workers(), problem);
  EXPECT_LT(low_s, 0.95 * makespan_of("Polaris", four_workers(), problem));
  EXPECT_LT(makespan_of("Polaris[split_k=yes]", four_workers(), problem), low_s);
}

TEST(SplitK, IsNeverWorseThanWithout) {
  int split = 0;
  for (std::uint64_t seed = 1; seed <= 60; seed += test::kSeedStride) {
    auto [platform, problem] = test::random_instance(seed);
    for (Worker& worker : platform.workers) worker.w_s /= static_cast<double>(1 + seed % 7);
    if (seed % 2 == 0) problem.t *= 8;
    if (seed % 3 == 0) platform.port.kind = Port::Kind::two;
    if (seed % 6 == 1) platform.port.kind = Port::Kind::multi;
    for (const char* objective : {"time", "work"}) {
      const std::string common = std::string("effort=low,objective=") + objective;
      const auto cost = [&](const std::string& name) {
        const Trace trace = test::by_recurrence(name, platform, problem);
        const auto violation = find_violation(platform, problem, trace);
        EXPECT_FALSE(violation) << violation->message << ", seed " << seed;
        EXPECT_FALSE(clearly_less(test::makespan(trace), *split_k_bound_s(platform, problem)))
            << "seed " << seed;
        split += splits_k(trace) ? 1 : 0;
        const Metrics metrics = compute_metrics(platform, trace);
        return metrics.makespan_s * (std::string(objective) == "work"
                                         ? static_cast<double>(metrics.enrolled_workers)
                                         : 1);
      };
      EXPECT_LE(cost("Polaris[" + common + ",split_k=yes]"),
                cost("Polaris[" + common + "]") * (1 + 1e-12))
          << objective << ", seed " << seed;
    }
  }
  EXPECT_GT(split, 0);
}

// Here a heuristic that decides during the run is better: its plan still does, so that the other
// worker takes over the work of one that stops.
TEST(SplitK, APlanThatAdaptsStillAdapts) {
  const Platform platform = test::star({{4, 10, 3}, {2, 10, 5}});
  const Problem problem{.r = 2, .s = 2, .t = 1, .block_size = 10};
  const auto heuristics = parse_heuristics(kSplit);
  const auto plan = [&] { return heuristics.front().heuristic->plan(platform, problem); };
  ASSERT_EQ(plan().details.front().second, "that of BMM");
  ASSERT_TRUE(plan().adapts);
  Noise noise;
  noise.stops.push_back({.worker = 1, .at_s = 5});
  EXPECT_DOUBLE_EQ(test::makespan(AnalyticEngine().run(platform, problem, plan, noise).trace), 105);
}

TEST(SplitK, BothEnginesAgree) {
  Platform platform = four_workers();
  for (const Port::Kind kind : {Port::Kind::one, Port::Kind::two}) {
    platform.port.kind = kind;
    const Trace trace = test::by_recurrence(kSplit, platform, kLong);
    EXPECT_TRUE(splits_k(trace));
    EXPECT_EQ(find_difference(test::simulate(kSplit, platform, kLong), trace), "");
  }
}

TEST(SplitK, NoOtherHeuristicSplits) {
  const auto [platform, problem] = test::random_instance(3);
  for (const NamedHeuristic& named : parse_heuristics("all,ipdps07,Polaris[effort=low]")) {
    try {
      EXPECT_FALSE(splits_k(test::by_recurrence(named.name, platform, problem))) << named.name;
    } catch (const NotApplicable&) {
    }
  }
}

// No ratio to a bound that does not hold, whether the run is traced or only measured.
TEST(SplitK, RatiosAreOverItsOwnBound) {
  const Case instance = test::case_of(four_workers(), kLong);
  for (const bool isolated : {false, true}) {
    const RunOptions options{.engine = EngineKind::analytic, .isolated = isolated};
    const Comparison comparison =
        compare(model_registry().read_algorithms(std::string("Het,") + kSplit, "heuristics"),
                instance, model_registry().models, options);
    const Record& other = comparison.records.front();
    const Record& record = comparison.records.back();
    ASSERT_EQ(record.status, Status::ok) << record.error;
    EXPECT_TRUE(is_none(other.figures[kSplitKBound]));
    EXPECT_TRUE(is_none(record.figures[kTimesBound]));
    const double bound_s = *split_k_bound_s(four_workers(), kLong);
    EXPECT_DOUBLE_EQ(record.figures.real(kSplitKBound), bound_s);
    EXPECT_DOUBLE_EQ(record.figures.real(kTimesTightest), record.figures.real(kMakespan) / bound_s);
    const Figures& bounds = comparison.bounds_of(&star_model());
    const std::string note = star_presentation().footnote(comparison, bounds);
    EXPECT_NE(note.find("; for Polaris[effort=low,split_k=yes], which splits k: makespan / split-k "
                        "bound ("),
              std::string::npos)
        << note;
    EXPECT_NE(star_presentation().bound_distance(record, bounds).find("schedules that split k"),
              std::string::npos);
  }
}

TEST(SplitK, NotWhenAdapting) {
  EXPECT_THROW(makespan_of("Polaris[adapt=yes,split_k=yes]", four_workers(), kLong), NotApplicable);
}

}  // namespace
}  // namespace starport
