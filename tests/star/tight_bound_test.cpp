// "x bound" is over the tightest bound that holds for the schedule.
#include "sim/models/star/star_model.hpp"
#include "sim/results/comparison.hpp"
#include "sim/results/figure.hpp"
#include "sim/star/trace.hpp"
#include "tests/paths.hpp"
#include "tests/star/star_support.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace starport {
namespace {

TEST(TightBound, ThePublishedHeuristicsKeepOneRectangle) {
  int looked_at = 0;
  for (std::uint64_t seed = 1; seed <= 60; seed += test::kSeedStride) {
    const auto [platform, problem] = test::random_instance(seed);
    for (const NamedHeuristic& named : parse_heuristics("all,ipdps07")) {
      if (named.heuristic->requirements().layout == nullptr) continue;
      try {
        const Trace trace = test::by_recurrence(named.name, platform, problem);
        EXPECT_TRUE(test::is_c_stationary(trace, problem)) << named.name << ", seed " << seed;
        ++looked_at;
      } catch (const NotApplicable&) {
      }
    }
  }
  EXPECT_GT(looked_at, 10);
}

/// One worker, a product of 1 x 2 x 1 blocks: C_11, then C_12.
struct Transfers {
  std::vector<Transfer> list;

  void send_c(std::int32_t column) { list.push_back({.c = {{0, 1}, {column, column + 1}}}); }
  void send_operands(std::int32_t column, bool with_a = true) {
    Transfer transfer{.b = {{0, 1}, {column, column + 1}},
                      .update = {.rows = {0, 1}, .columns = {column, column + 1}, .inner = {0, 1}}};
    if (with_a) transfer.a = {{0, 1}, {0, 1}};
    list.push_back(transfer);
  }
  void send_home(std::int32_t column) {
    list.push_back({.direction = Direction::to_master, .c = {{0, 1}, {column, column + 1}}});
  }
  bool keeps_one() const {
    Trace trace;
    for (const Transfer& transfer : list) trace.push_back({.transfer = transfer, .dates = {}});
    return test::is_c_stationary(trace, {.r = 1, .s = 2, .t = 1, .block_size = 1});
  }
};

TEST(TightBound, OneRectangleAtATimeWithOperandsOfItsOwn) {
  Transfers good;
  for (const std::int32_t column : {0, 1}) {
    good.send_c(column);
    good.send_operands(column);
    good.send_home(column);
  }
  EXPECT_TRUE(good.keeps_one());

  Transfers resident = good;  // A stays from the first rectangle to the second
  resident.list[4].a = {};
  EXPECT_FALSE(resident.keeps_one());

  Transfers two;  // C_12 comes before C_11 has gone
  two.send_c(0);
  two.send_operands(0);
  two.send_c(1);
  two.send_home(0);
  EXPECT_FALSE(two.keeps_one());

  Transfers late;  // C comes with the last update, to be added
  late.send_operands(0);
  EXPECT_FALSE(late.keeps_one());

  Transfers kept = good;  // the last one never comes home
  kept.list.pop_back();
  EXPECT_FALSE(kept.keeps_one());
}

TEST(TightBound, IsTheLargerOfThoseThatHold) {
  const PlatformFile file = load_platform(STARPORT_SOURCE_DIR "/platforms/ppopp08-memory.json");
  for (const bool isolated : {false, true}) {
    const RunOptions options{.engine = EngineKind::analytic, .isolated = isolated};
    const Comparison comparison =
        compare(model_registry().read_algorithms("Het,BMM,Polaris[effort=low]", "heuristics"),
                {file, {100, 800, 100, 80}}, model_registry().models, options);
    const Figures& bounds = comparison.bounds_of(&star_model());
    const double any_s = bounds.real(kAnyScheduleBound);
    const double stationary_s = bounds.real(kCStationaryBound);
    ASSERT_GT(stationary_s, any_s);
    for (const Record& record : comparison.records) {
      const bool own = !record.algorithm.starts_with("Polaris");
      EXPECT_EQ(record.figures.real(kCStationary), own ? 1 : 0) << record.algorithm;
      EXPECT_DOUBLE_EQ(record.figures.real(kTimesTightest),
                       record.figures.real(kMakespan) / (own ? stationary_s : any_s));
    }
    const std::string note =
        star_presentation().footnote(comparison, comparison.bounds_of(&star_model()));
    EXPECT_TRUE(note.starts_with("x bound: makespan / C-stationary bound (")) << note;
    EXPECT_NE(note.find("; for Polaris[effort=low]: makespan / any-schedule bound ("),
              std::string::npos)
        << note;
  }
}

TEST(TightBound, NoDustOfTheSolver) {
  const test::Outcome outcome =
      test::shell("starport bound platforms/ppopp08-full-ratio4.json --problem 8000x8000x64000");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out.find("e-0"), std::string::npos) << outcome.out;
}

}  // namespace
}  // namespace starport
