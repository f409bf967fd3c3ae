// Values that two independent programs of the same model agree on, here on SimGrid.
#include "sim/star/bounds/steady_state.hpp"
#include "sim/star/metrics.hpp"
#include "sim/star/validator/validator.hpp"
#include "tests/paths.hpp"
#include "tests/star/star_support.hpp"

#include <gtest/gtest.h>

#include <map>

namespace starport {
namespace {

struct Golden {
  double makespan;
  std::int64_t enrolled;
  std::int64_t blocks;
};

void expect_golden(const Platform& platform, const Problem& problem,
                   const std::map<std::string, Golden>& table) {
  for (const auto& [name, golden] : table) {
    const Trace trace = test::simulate(name, platform, problem);
    const auto violation = find_violation(platform, problem, trace);
    EXPECT_FALSE(violation) << name << ": " << violation->message;
    const Metrics metrics = compute_metrics(platform, trace);
    EXPECT_NEAR(metrics.makespan_s, golden.makespan, 1e-9 * golden.makespan) << name;
    EXPECT_EQ(metrics.enrolled_workers, golden.enrolled) << name;
    EXPECT_EQ(metrics.blocks_moved, golden.blocks) << name;
    EXPECT_EQ(metrics.block_updates, problem.updates()) << name;
  }
}

TEST(Golden, TwoWorkers) {
  const Platform platform = test::star({{1, 2, 12, 0}, {2, 3, 21, 0}});
  const Problem problem{.r = 4, .s = 6, .t = 3, .block_size = 1};
  expect_golden(platform, problem,
                {{"Het", {198, 2, 120}},
                 {"Hom", {208, 2, 120}},
                 {"HomI", {216, 1, 120}},
                 {"ORROML", {236, 2, 120}},
                 {"OMMOML", {216, 1, 120}},
                 {"ODDOML", {198, 2, 120}},
                 {"DDOML", {234, 2, 120}},
                 {"BMM", {208, 2, 120}},
                 {"OBMM", {283, 2, 144}}});
  EXPECT_NEAR(steady_state(platform, problem).throughput_updates_per_s, 0.833333, 5e-7);
}

TEST(Golden, ThreeWorkers) {
  const Platform platform = test::star({{1, 4.5, 21, 0}, {1.5, 4, 32, 0}, {4, 2, 12, 0}});
  const Problem problem{.r = 6, .s = 12, .t = 5, .block_size = 1};
  expect_golden(platform, problem,
                {{"Het", {1002.5, 3, 394}},
                 {"Hom", {1014, 2, 384}},
                 {"HomI", {1014, 2, 384}},
                 {"ORROML", {1194.5, 3, 394}},
                 {"OMMOML", {2160, 1, 504}},
                 {"ODDOML", {1052, 3, 394}},
                 {"DDOML", {1103, 3, 434}},
                 {"BMM", {1132, 3, 444}},
                 {"OBMM", {1126, 3, 564}}});
  EXPECT_NEAR(steady_state(platform, problem).throughput_updates_per_s, 0.638310185185, 1e-9);
}

// Het for the smallest and the largest product of PPoPP'08 on its platforms with one kind of
// heterogeneity, and on that of November 2006.
TEST(Golden, HetOnThePlatformsOfThePaper) {
  const auto het = [](const std::string& file, const char* problem) {
    const Platform platform =
        load_platform(STARPORT_SOURCE_DIR "/platforms/ppopp08-" + file).at_block_size(80);
    return test::makespan(test::simulate("Het", platform, parse_problem(problem, 80)));
  };
  EXPECT_NEAR(het("memory.json", "8000x8000x64000"), 2079, 1);
  EXPECT_NEAR(het("memory.json", "8000x8000x128000"), 3878, 1);
  EXPECT_NEAR(het("links.json", "8000x8000x64000"), 2533, 1);
  EXPECT_NEAR(het("links.json", "8000x8000x128000"), 5067, 1);
  EXPECT_NEAR(het("computation.json", "8000x8000x64000"), 2903, 1);
  EXPECT_NEAR(het("computation.json", "8000x8000x128000"), 5820, 1);
  EXPECT_NEAR(het("2006-11.json", "8000x8000x320000"), 7815, 1);
}

}  // namespace
}  // namespace starport
