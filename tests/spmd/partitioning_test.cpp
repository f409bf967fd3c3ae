// Dividing a product: GPA, CPM, CMA, IDPA and INPA against hand-made figures and simple programs.
#include "heuristics/spmd/partitioning.hpp"

#include "heuristics/spmd/balance.hpp"
#include "heuristics/spmd/cma.hpp"
#include "heuristics/spmd/gpa.hpp"
#include "sim/files/error.hpp"
#include "sim/spmd/validator.hpp"
#include "tests/spmd/spmd_platforms.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace starport::spmd {
namespace {

using Shares = PerWorker<std::int64_t>;
using Functions = PerWorker<SpeedFunction>;
using Points = std::vector<SpeedFunction::Point>;

const SpeedFunction kCliff(Points{{1, 4}, {10, 4}, {20, 1}});

SpeedFunction constant(double speed) { return SpeedFunction(Points{{1, speed}}); }

/// Unit after unit to whom it ends first.
Shares greedy(std::int64_t n, const Functions& speeds) {
  Shares x(speeds.size());
  for (; n > 0; --n) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < x.size(); ++i) {
      const auto end_s = [&](std::size_t k) {
        return speeds[k].time_s(static_cast<double>(x[k] + 1));
      };
      if (end_s(i) < end_s(best)) best = i;
    }
    ++x[best];
  }
  return x;
}

double longest(const Shares& x, const Functions& speeds) {
  double most = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i] > 0) most = std::max(most, speeds[i].time_s(static_cast<double>(x[i])));
  }
  return most;
}

SpeedFunction random_function(Random& random) {
  SpeedFunction function;
  for (std::int64_t points = random.integer(1, 6); points > 0; --points) {
    function.add(static_cast<double>(random.integer(1, 300)), random.real(1, 50));
  }
  return function;
}

TEST(Gpa, GoldenShares) {
  EXPECT_EQ(gpa(10, {constant(3), constant(1)}), (Shares{8, 2}));
  EXPECT_EQ(gpa(12, {kCliff, constant(1)}), (Shares{10, 2}));
  EXPECT_EQ(gpa(20, {kCliff, constant(1)}), (Shares{15, 5}));
  EXPECT_EQ(gpa(30, {kCliff, constant(1)}), (Shares{18, 12}));
}

TEST(Gpa, ItsLongestTimeIsTheGreedys) {
  Random random(41);
  for (int instance = 0; instance < 300; ++instance) {
    Functions speeds;
    for (std::int64_t p = random.integer(1, 9); p > 0; --p) {
      speeds.push_back(random_function(random));
    }
    const std::int64_t n = random.integer(0, 400);
    const Shares x = gpa(n, speeds);
    EXPECT_EQ(std::accumulate(x.begin(), x.end(), std::int64_t{0}), n);
    EXPECT_DOUBLE_EQ(longest(x, speeds), longest(greedy(n, speeds), speeds)) << instance;
  }
}

TEST(Gpa, AHundredThousandProcessors) {
  Random random(43);
  Functions speeds;
  for (int i = 0; i < 100'000; ++i) speeds.push_back(random_function(random));
  const std::int64_t n = 20'000'000;
  const Shares x = gpa(n, speeds);
  EXPECT_EQ(std::accumulate(x.begin(), x.end(), std::int64_t{0}), n);
  double earliest_next = INFINITY;  // nobody else would have ended the last unit sooner
  for (std::size_t i = 0; i < x.size(); ++i) {
    earliest_next = std::min(earliest_next, speeds[i].time_s(static_cast<double>(x[i] + 1)));
  }
  EXPECT_LE(longest(x, speeds), earliest_next * (1 + 1e-12));
}

/// Heights and widths, in the order of the nodes.
std::vector<std::pair<std::int64_t, std::int64_t>> shapes(const Arrangement& arrangement) {
  std::vector<std::pair<std::int64_t, std::int64_t>> result;
  for (const NodeRectangle& r : arrangement.rectangles) result.emplace_back(r.m, r.n);
  return result;
}

TEST(Cma, GoldenRectangles) {
  using List = std::vector<std::pair<std::int64_t, std::int64_t>>;
  EXPECT_EQ(shapes(cma(8, {27, 18, 12, 7})), (List{{5, 6}, {3, 6}, {5, 2}, {3, 2}}));
  EXPECT_EQ(cma(8, {27, 18, 12, 7}).half_perimeters(), 32);
  EXPECT_EQ(shapes(cma(4, {9, 4, 2, 1})), (List{{4, 2}, {2, 2}, {1, 2}, {1, 2}}));
  EXPECT_EQ(cma(4, {9, 4, 2, 1}).half_perimeters(), 16);
  EXPECT_EQ(shapes(cma(8, {55, 9})), (List{{7, 8}, {1, 8}}));
}

TEST(Cma, CoversEverySquareThatHasABlockForEachNode) {
  Random random(47);
  for (int instance = 0; instance < 2000; ++instance) {
    const std::int64_t side = random.integer(1, 7);
    const std::int64_t nodes = random.integer(1, side * side);
    Cluster cluster = test::plain_cluster({});
    Shares weights;
    PerWorker<std::vector<std::int64_t>> slices;
    for (std::int64_t i = 0; i < nodes; ++i) {
      cluster.nodes.push_back(test::plain_cluster({1}).nodes[0]);
      weights.push_back(random.integer(0, random.integer(0, 3) == 0 ? 1000 : 3));
    }
    const Arrangement arrangement = cma(side, weights);
    for (const NodeRectangle& r : arrangement.rectangles)
      slices.push_back({cluster.block_size * r.n});
    EXPECT_EQ(find_fault(cluster, {.arrangement = arrangement, .slices = slices}), "") << instance;
  }
}

TEST(Cma, MoreNodesThanBlocksDoNotApply) {
  try {
    cma(2, Shares(5));
    FAIL() << "accepted";
  } catch (const NotApplicable& reason) {
    EXPECT_STREQ(reason.what(), "there are more workers (5) than blocks of C (4)");
  }
}

TEST(Inpa, GoldenPartitions) {
  const Cluster cluster = test::plain_cluster({4, 2, 1});
  const Partitioning fpm = test::divide(cluster, 16, BalancingStrategy::functional);
  EXPECT_EQ(fpm.w, (Shares{147, 73, 36}));
  EXPECT_EQ(fpm.passes, 2);
  EXPECT_EQ(fpm.ending, Ending::balanced);
  const auto& rectangles = fpm.partition.arrangement.rectangles;
  EXPECT_EQ(rectangles[0].m, 16);
  EXPECT_EQ(rectangles[0].n, 9);
  EXPECT_EQ(rectangles[1].m, 11);
  EXPECT_EQ(rectangles[1].n, 7);
  EXPECT_EQ(rectangles[2].m, 5);
  for (const auto& [i, t] : {std::pair(0, 36.0), {1, 38.5}, {2, 35.0}}) {
    EXPECT_NEAR(fpm.times_s[i], t, 1e-9);
  }
  EXPECT_EQ(test::divide(cluster, 16, BalancingStrategy::multiple_cpm).w, (Shares{146, 73, 37}));
  const Partitioning even = test::divide(cluster, 16, BalancingStrategy::homogeneous);
  for (const auto& [i, t] : {std::pair(0, 20.0), {1, 44.0}, {2, 88.0}}) {
    EXPECT_NEAR(even.times_s[i], t, 1e-9);
  }
}

/// One device is fast until its cliff, the other slow for ever.
TEST(Idpa, ConstantsSwingAroundACliffAndSaySo) {
  const auto kernel = [](std::size_t j, std::int64_t d) {
    return j == 0 ? kCliff.time_s(static_cast<double>(d)) : static_cast<double>(d);
  };
  const BalanceResult functional = idpa(30, 2, BalancingStrategy::functional, kernel);
  EXPECT_EQ(functional.shares, (Shares{18, 12}));
  const auto swinging = [&](int cap) {
    return idpa(30, 2, BalancingStrategy::multiple_cpm, kernel,
                {.tolerance = 0.03, .max_passes = cap});
  };
  const BalanceResult odd = swinging(21);
  const BalanceResult even = swinging(22);
  EXPECT_EQ(odd.ending, Ending::two_cycle);
  EXPECT_EQ(even.ending, Ending::two_cycle);
  EXPECT_NE(odd.shares, even.shares);  // the parity of the cap decides
  EXPECT_EQ(swinging(23).shares, odd.shares);
  EXPECT_EQ(idpa(30, 2, BalancingStrategy::single_cpm, kernel).passes, 1);
}

TEST(Idpa, FewerColumnsThanDevices) {
  const auto kernel = [](std::size_t, std::int64_t d) { return static_cast<double>(d); };
  for (const auto strategy : {BalancingStrategy::functional, BalancingStrategy::multiple_cpm,
                              BalancingStrategy::single_cpm, BalancingStrategy::homogeneous}) {
    const BalanceResult found = idpa(2, 3, strategy, kernel);
    EXPECT_EQ(std::accumulate(found.shares.begin(), found.shares.end(), std::int64_t{0}), 2);
    EXPECT_EQ(found.imbalance(), 0);
  }
}

TEST(Idpa, CostsWhatItsSlowestDeviceTakes) {
  const auto kernel = [](std::size_t j, std::int64_t d) {
    return static_cast<double>(d) * (j == 1 ? 3 : 1);
  };
  EXPECT_EQ(idpa(3, 3, BalancingStrategy::homogeneous, kernel).cost_s, 3);
}

TEST(Cpm, GivesEachAUnitWhereThereAreEnough) {
  const Measurement measurement{.sizes = {10, 10}, .times_s = {1, 1e9}, .devices = {}};
  EXPECT_EQ(divide_by_last_speeds(20, measurement), (Shares{19, 1}));
}

}  // namespace
}  // namespace starport::spmd
