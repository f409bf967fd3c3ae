// The distributed product: the tables that the model was specified with, its engines, its
// validator.
#include "heuristics/spmd/distributions.hpp"
#include "sim/files/error.hpp"
#include "sim/files/json.hpp"
#include "sim/spmd/engine.hpp"
#include "sim/spmd/simgrid/simgrid_runs.hpp"
#include "sim/spmd/validator.hpp"
#include "tests/golden.hpp"
#include "tests/spmd/spmd_platforms.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace starport::spmd {
namespace {

constexpr std::array kStrategies{BalancingStrategy::functional, BalancingStrategy::multiple_cpm,
                                 BalancingStrategy::single_cpm, BalancingStrategy::homogeneous};

ProductRun validated(const Cluster& cluster, const Partition& partition) {
  Validator validator(cluster, partition);
  const ProductRun run = run_product(cluster, partition, Multicast::chain,
                                     [&](const auto&... stage) { validator.check(stage...); });
  validator.check_end(run);
  return run;
}

struct Expected {
  std::int64_t N;
  std::array<double, 4> tflops;  // as tables have them, to two decimals
};

/// Figures 5 of the paper as the specification's prototype has it.
TEST(Grid5000, TheSpecificationsTable) {
  const Cluster cluster = test::grid5000();
  ASSERT_EQ(cluster.nodes.size(), 90U);
  const std::array<Expected, 6> table{{{29952, {4.21, 4.21, 4.04, .73}},
                                       {60032, {4.49, 4.29, 4.24, .75}},
                                       {75008, {4.50, 4.31, 3.14, .75}},
                                       {89984, {4.50, .26, .25, .75}},
                                       {124032, {4.40, .14, .18, .75}},
                                       {150016, {4.20, .04, .04, .75}}}};
  for (const auto& [N, tflops] : table) {
    const std::int64_t side = N / 128;
    const double bound = balanced_speed_flops(cluster, side);
    for (std::size_t s = 0; s < kStrategies.size(); ++s) {
      const Partitioning found = test::divide(cluster, side, kStrategies[s]);
      const ProductRun run = validated(cluster, found.partition);
      const ProductFigures of_run = figures(run, side, 128);
      EXPECT_NEAR(of_run.speed_flops / 1e12, tflops[s], 0.0051)
          << N << " " << to_string(kStrategies[s]);
      EXPECT_LT(of_run.speed_flops, bound);
      EXPECT_LE(run.stages.size(), 90U);
      EXPECT_NEAR(of_run.imbalance, found.imbalance, 1e-12);
    }
  }
}

TEST(Grid5000, CommunicationAndWaiting) {
  const Cluster cluster = test::grid5000();
  const Partition partition = test::divide(cluster, 1172, BalancingStrategy::functional).partition;
  const auto share = [&](Multicast multicast) {
    return figures(run_product(cluster, partition, multicast), 1172, 128).waiting_share;
  };
  EXPECT_NEAR(share(Multicast::chain), 0.058, 0.0005);  // the paper: 6%
  EXPECT_NEAR(share(Multicast::flat), 0.12, 0.005);
}

TEST(Grid5000, BalancedOnAllButSixOf118Sizes) {
  const Cluster cluster = test::grid5000();
  int balanced = 0;
  int passes = 0;
  for (std::int64_t side = 234; side <= 1170; side += 8) {
    const Partitioning found = test::divide(cluster, side, BalancingStrategy::functional);
    if (found.imbalance <= kNodePassLimits.tolerance) ++balanced;
    passes += found.passes;
  }
  EXPECT_EQ(balanced, 112);
  EXPECT_NEAR(passes / 118.0, 4.8, 0.05);
}

TEST(Grid5000, ConstantsEndInATwoCycleBeyondTheMemory) {
  const Partitioning found = test::divide(test::grid5000(), 969, BalancingStrategy::multiple_cpm);
  EXPECT_EQ(found.ending, Ending::two_cycle);
  EXPECT_GT(found.imbalance, 10);
}

/// Two nodes, side 2: A's column travels from one to the other, and nothing of B.
TEST(Product, TwoNodesByHand) {
  Cluster cluster = test::plain_cluster({2, 2}, 10);  // blocks of 800 bytes
  cluster.nodes[0].bandwidth_bytes_per_s = 1600;
  cluster.nodes[1].bandwidth_bytes_per_s = 800;
  cluster.nodes[1].latency_s = 0.5;
  const Partition halves{
      .arrangement = {.side = 2, .rectangles = {{0, 0, 2, 1}, {0, 1, 2, 1}}, .columns = {{0}, {1}}},
      .slices = {{10}, {10}}};
  const ProductRun run = validated(cluster, halves);
  ASSERT_EQ(run.stages.size(), 2U);
  // Two blocks: the slower link takes .5 + 1600 / 800; two blocks are updated in 1 s.
  EXPECT_DOUBLE_EQ(run.stages[0].communication_s, 2.5);
  EXPECT_DOUBLE_EQ(run.stages[0].update_s, 1);
  EXPECT_DOUBLE_EQ(run.makespan_s, 7);
  const ProductFigures of_run = figures(run, 2, 10);
  EXPECT_DOUBLE_EQ(of_run.speed_flops, 2 * 8000 / 7.0);
  EXPECT_DOUBLE_EQ(of_run.communication_s, 5);
  EXPECT_DOUBLE_EQ(of_run.waiting_share, 5 / 7.0);
  EXPECT_NEAR(balanced_speed_flops(cluster, 2), 2 * 2 * 2000, 1e-6);  // both at 2 blocks/s
}

// A node of one row gets both rows of A's column.
TEST(Product, WhatANodeDoesNotNeedIsNotSentToIt) {
  const Cluster cluster = test::plain_cluster({2, 2, 2}, 10);
  const Partition partition{
      .arrangement = {.side = 2,
                      .rectangles = {{0, 0, 2, 1}, {0, 1, 1, 1}, {1, 1, 1, 1}},
                      .columns = {{0}, {1, 2}}},
      .slices = {{10}, {10}, {10}}};
  Validator validator(cluster, partition);
  bool first = true;
  run_product(
      cluster, partition, Multicast::chain,
      [&](const StageRun& run, const Messages& messages, const IterationTimes& times) {
        if (!std::exchange(first, false)) return;
        Messages wrong = messages;
        ASSERT_EQ(wrong.a.front().blocks, 1);
        wrong.a.front().blocks = 2;
        try {
          validator.check(run, wrong, times);
          ADD_FAILURE();
        } catch (const SimulationError& error) {
          EXPECT_TRUE(
              std::string(error.what()).ends_with(" gets what it does not need in iteration 1"))
              << error.what();
        }
      });
}

/// The same, where all lies at the hub: node 1 gets six blocks in 3 s, then node 2 in .5 + 6 s;
/// they return two in 1 s and .5 + 2 s.
TEST(Product, AHubSpreadsAndCollects) {
  Cluster cluster = test::plain_cluster({2, 2}, 10);
  cluster.nodes[0].bandwidth_bytes_per_s = 1600;
  cluster.nodes[1].bandwidth_bytes_per_s = 800;
  cluster.nodes[1].latency_s = 0.5;
  const Partition halves{
      .arrangement = {.side = 2, .rectangles = {{0, 0, 2, 1}, {0, 1, 2, 1}}, .columns = {{0}, {1}}},
      .slices = {{10}, {10}}};
  const ProductRules rules(Multicast::chain, Home::hub);
  for (const bool simgrid : {false, true}) {
    Validator validator(cluster, halves);
    const auto check = [&](const auto&... stage) { validator.check(stage...); };
    const ProductRun run =
        simgrid ? simulate_product(cluster, halves, rules, Network::own_links, 0, check)
                : run_product(cluster, halves, rules, check);
    validator.check_end(run, Home::hub);
    EXPECT_NEAR(run.stages[0].start_s, 9.5, 1e-8);
    EXPECT_NEAR(run.makespan_s, 9.5 + 7 + 3.5, 1e-8);
    EXPECT_NEAR(figures(run, 2, 10).hub_s, 13, 1e-8);
    for (const double factor : {0.9, 1.1}) {
      ProductRun wrong = run;
      wrong.spread_s[1] *= factor;
      EXPECT_THROW(validator.check_end(wrong, Home::hub), SimulationError) << factor;
    }
  }
}

/// Dates are checked relative to them: where links are a million times as fast, a nanosecond is
/// much.
TEST(Product, TransfersWithTheHubLastAsLongAsTheirLinksAllow) {
  Cluster cluster = test::plain_cluster({2, 2}, 10);
  for (Node& node : cluster.nodes) node.bandwidth_bytes_per_s = 1e9;
  const Partition halves{
      .arrangement = {.side = 2, .rectangles = {{0, 0, 2, 1}, {0, 1, 2, 1}}, .columns = {{0}, {1}}},
      .slices = {{10}, {10}}};
  const ProductRules rules(Multicast::chain, Home::hub);
  Validator validator(cluster, halves);
  ProductRun run =
      run_product(cluster, halves, rules, [&](const auto&... stage) { validator.check(stage...); });
  run.spread_s[1] += 1e-9;
  try {
    validator.check_end(run, Home::hub);
    FAIL() << "accepted";
  } catch (const SimulationError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("worker 2 and the hub exchange"))
        << error.what();
  }
}

TEST(Product, SimgridSaysTheSame) {
  Random random(53);
  for (int instance = 0; instance < 12; ++instance) {
    const Cluster cluster = test::random_cluster(random, instance == 0 ? 1 : random.integer(1, 9));
    const Partition partition =
        test::divide(cluster, random.integer(4, 30), kStrategies[instance % 4]).partition;
    for (const auto multicast : {Multicast::chain, Multicast::flat}) {
      const ProductRun exact = run_product(cluster, partition, multicast);
      Validator validator(cluster, partition);
      const ProductRun simulated =
          simulate_product(cluster, partition, multicast, Network::own_links, 0,
                           [&](const auto&... stage) { validator.check(stage...); });
      validator.check_end(simulated);
      EXPECT_LT(largest_difference(simulated, exact), 1e-9) << instance;
    }
  }
}

TEST(Cluster, AMemoryThatIsFullIsEnough) {
  const Cluster cluster = test::plain_cluster({1});
  Node node = cluster.nodes[0];
  node.memory_bytes = 3 * 10 * cluster.block_bytes();
  EXPECT_EQ(cluster.paging_factor(node, 10), 1);
  EXPECT_THROW(cluster.paging_factor(node, 11), NotApplicable);
  node.paging = 5;
  EXPECT_DOUBLE_EQ(cluster.paging_factor(node, 20), 6);
}

/// A message that holds two links at once cannot end before either of them allows.
TEST(Product, LinksHeldToTheEndAreSlower) {
  Random random(59);
  double slower = 0;
  for (int instance = 0; instance < 5; ++instance) {
    const Cluster cluster = test::random_cluster(random, 6);
    const Partition partition = test::divide(cluster, 20, BalancingStrategy::functional).partition;
    const ProductRun exact = run_product(cluster, partition);
    const ProductRun shared =
        simulate_product(cluster, partition, Multicast::chain, Network::end_to_end);
    ASSERT_EQ(shared.stages.size(), exact.stages.size());
    for (std::size_t i = 0; i < exact.stages.size(); ++i) {
      EXPECT_GE(shared.stages[i].communication_s, exact.stages[i].communication_s * (1 - 1e-9));
    }
    slower = std::max(slower, shared.makespan_s / exact.makespan_s - 1);
  }
  EXPECT_GT(slower, 1e-3);
}

/// Iterations listed one after the other have the messages of each listed alone.
TEST(OuterProduct, MessagesOfAStayWhileTheirOwnerDoes) {
  Random random(61);
  const Cluster cluster = test::random_cluster(random, 9);
  const Partition partition = test::divide(cluster, 30, BalancingStrategy::functional).partition;
  const auto key = [](const Hop& hop) {
    return std::tuple(hop.matrix, hop.first, hop.blocks, hop.from, hop.to);
  };
  for (const auto multicast : {Multicast::chain, Multicast::flat}) {
    const OuterProduct product(partition.arrangement, multicast);
    Messages kept;
    std::size_t same = 0;
    std::int64_t blocks = 0;
    for (const Stage& stage : product.stages()) {
      product.list(stage.pivot, kept);
      if (kept.same_a) ++same;
      std::vector<Hop> alone;
      product.list_hops(stage.pivot, alone);
      std::vector<Hop> both = kept.a;
      both.insert(both.end(), kept.b.begin(), kept.b.end());
      EXPECT_TRUE(std::ranges::equal(both, alone, {}, key, key));
      for (const Hop& hop : alone) blocks += stage.count * hop.blocks;
    }
    EXPECT_EQ(blocks, blocks_moved(partition.arrangement));
    EXPECT_GT(same, 0U);
    EXPECT_EQ(same + partition.arrangement.columns.size(), product.stages().size());
  }
}

class BrokenRuns : public testing::Test {
 protected:
  BrokenRuns() : cluster_(test::plain_cluster({4, 2, 1, 1})) {
    partition_ = test::divide(cluster_, 16, BalancingStrategy::functional).partition;
  }

  using Break = std::function<void(StageRun&, Messages&, IterationTimes&)>;

  std::string fault(const Break& break_stage,
                    const std::function<void(ProductRun&)>& break_run = {}) const {
    try {
      Validator validator(cluster_, partition_);
      ProductRun run = run_product(cluster_, partition_, Multicast::chain,
                                   [&](StageRun stage, Messages messages, IterationTimes times) {
                                     if (break_stage) break_stage(stage, messages, times);
                                     validator.check(stage, messages, times);
                                   });
      if (break_run) break_run(run);
      validator.check_end(run);
    } catch (const SimulationError& error) {
      return error.what();
    }
    return "none";
  }

  Cluster cluster_;
  Partition partition_;
};

TEST_F(BrokenRuns, EachRuleIsChecked) {
  EXPECT_EQ(fault({}), "none");
  using Times = IterationTimes;
  const auto contains = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_PRED2(contains, fault([](StageRun&, Messages& sent, Times&) { sent.b.pop_back(); }),
               "updates without all of the pivots");
  EXPECT_PRED2(contains, fault([](StageRun&, Messages& sent, Times&) {
                 std::swap(sent.a[0].from, sent.a[0].to);
               }),
               "sends a piece that it does not have");
  EXPECT_PRED2(contains,
               fault([](StageRun&, Messages& sent, Times&) { sent.b.push_back(sent.b.back()); }),
               "gets a piece twice");
  EXPECT_PRED2(contains, fault([](StageRun&, Messages& sent, Times&) {
                 sent.a.back().matrix = Hop::Matrix::b;
               }),
               "among those of the other matrix");
  // As in the iteration before, where another node column owns the pivots of A.
  EXPECT_PRED2(contains, fault([](StageRun&, Messages& sent, Times&) { sent.same_a = true; }),
               "updates without all of the pivots");
  EXPECT_PRED2(contains,
               fault([](StageRun& one, Messages&, Times&) { one.communication_s *= 0.99; }),
               "is faster than its bandwidth");
  EXPECT_PRED2(contains, fault([](StageRun&, Messages&, Times& times) { times.link_s[2] *= 0.99; }),
               "is faster than its bandwidth");
  EXPECT_PRED2(contains, fault([](StageRun& one, Messages&, Times&) { one.stage.pivot += 1; }),
               "iteration 2 where 1 was due");
  EXPECT_PRED2(contains, fault([](StageRun& one, Messages&, Times&) {
                 if (one.stage.pivot > 0) one.start_s -= one.update_s;
               }),
               "and the barrier is at");
  EXPECT_PRED2(contains,
               fault([](StageRun& one, Messages&, Times&) { one.communication_s *= 1.01; }),
               "iteration 1 communicates for");
  EXPECT_PRED2(contains,
               fault([](StageRun&, Messages&, Times& times) { times.update_s[1][0] *= 0.9; }),
               "device 1 of worker 2 updates in");
  for (const double factor : {0.9, 1.1}) {
    EXPECT_PRED2(contains, fault([&](StageRun& one, Messages&, Times&) { one.update_s *= factor; }),
                 "iteration 1 updates for");
  }
  EXPECT_PRED2(contains, fault({}, [](ProductRun& run) { run.computing_s[1] *= 1.1; }),
               "the updates of worker 2 take");
  EXPECT_PRED2(contains, fault({}, [](ProductRun& run) { run.stages.front().start_s = 1; }),
               "the first iteration starts at 1 s instead of 0 s");
  EXPECT_PRED2(contains, fault({}, [](ProductRun& run) { run.makespan_s *= 0.9; }),
               "the run ends at");
}

/// Changes a duration, a date, a message or the number of iterations of a stage.
void change_at_random(StageRun& one, Messages& messages, IterationTimes& times, Random& random) {
  const auto index = [&](const auto& list) {
    return static_cast<std::size_t>(random.integer(0, std::ssize(list) - 1));
  };
  const std::size_t node = index(times.link_s);
  const double factor =
      std::array{1.01, 0.99, 1 + 1e-7}[static_cast<std::size_t>(random.integer(0, 2))];
  std::vector<Hop>& hops = random.integer(0, 1) == 1 ? messages.a : messages.b;
  const std::int64_t kind = random.integer(0, hops.empty() ? 5 : 11);
  const std::size_t hop = hops.empty() ? 0 : index(hops);
  switch (kind) {
    case 0:
      one.start_s = one.start_s * factor + 1e-3;
      break;
    case 1:
      one.communication_s *= factor;
      break;
    case 2:
      one.update_s *= factor;
      break;
    case 3:
      times.link_s[node] *= factor;
      break;
    case 4:
      times.update_s[node][index(times.update_s[node])] *= factor;
      break;
    case 5:
      one.stage.count += random.integer(0, 1) == 1 ? 1 : -1;
      break;
    case 6:
      hops[hop].from = static_cast<std::int64_t>(node);
      break;
    case 7:
      hops[hop].to = static_cast<std::int64_t>(node);
      break;
    case 8:
      hops[hop].first += random.integer(0, 1) == 1 ? 1 : -1;
      break;
    case 9:
      hops[hop].blocks += random.integer(0, 1) == 1 ? 1 : -1;
      break;
    case 10:
      hops.erase(hops.begin() + static_cast<std::ptrdiff_t>(hop));
      break;
    default:
      std::swap(hops[hop], hops[index(hops)]);
  }
}

/// What is said of changed runs. A change of any rule changes a number.
TEST(Product, VerdictsOnChangedRuns) {
  Random random(47);
  std::map<std::string, std::vector<double>> numbers;
  for (int draw = 0; draw < 100; ++draw) {
    const Cluster cluster = test::random_cluster(random, random.integer(1, 7));
    const Partition partition =
        test::divide(cluster, random.integer(4, 20), kStrategies[draw % 4]).partition;
    const ProductRules rules(draw % 3 == 0 ? Multicast::flat : Multicast::chain,
                             draw % 2 == 0 ? Home::hub : Home::workers);
    const std::int64_t stages = std::ssize(run_product(cluster, partition, rules).stages);
    starport::test::Checksum sum;
    for (int change = 0; change < 25; ++change) {
      std::int64_t changed = random.integer(0, stages - 1);
      try {
        Validator validator(cluster, partition);
        ProductRun run = run_product(cluster, partition, rules,
                                     [&](StageRun one, Messages messages, IterationTimes times) {
                                       if (changed-- == 0)
                                         change_at_random(one, messages, times, random);
                                       validator.check(one, messages, times);
                                     });
        run.makespan_s *= change % 5 == 4 ? 1.001 : 1;
        validator.check_end(run, rules.home);
      } catch (const SimulationError& error) {
        sum.add(1);
        starport::test::add_digits(error.what(), sum);
      }
    }
    numbers[to_string(kStrategies[draw % 4])].push_back(sum.value());
  }
  starport::test::expect_golden("tests/spmd/verdicts.golden", numbers);
}

TEST_F(BrokenRuns, PartitionsMustCoverCExactly) {
  const auto find = [&](const std::function<void(Partition&)>& change) {
    Partition broken = partition_;
    change(broken);
    return find_fault(cluster_, broken);
  };
  EXPECT_EQ(find([](Partition&) {}), "");
  EXPECT_EQ(find([](Partition& p) { p.arrangement.rectangles[0].m -= 1; }),
            "244 of 256 blocks of C have a worker");
  EXPECT_EQ(find([](Partition& p) { p.arrangement.rectangles[1] = p.arrangement.rectangles[0]; }),
            "worker 1 and worker 2 both have a part of C");
  EXPECT_EQ(find([](Partition& p) { p.arrangement.rectangles[2].row = 16; }),
            "the rectangle of worker 3 is not inside C");
  EXPECT_EQ(find([](Partition& p) { p.slices[3][0] += 1; }).substr(0, 34),
            "the slices of worker 4 are not its");
  EXPECT_EQ(find([](Partition& p) { p.slices.pop_back(); }), "not every worker has one rectangle");
}

std::string refusal(const std::string& worker, std::int64_t blocks) {
  const std::string text =
      R"({"schema_version": 1, "name": "x", "block_size": 10, "workers": [)" + worker + "]}";
  try {
    const Cluster cluster = make_cluster(parse_platform(parse_json(text, "x.json"), "x.json"), 10);
    cluster.update_s(cluster.nodes[0], 0, blocks, 10, blocks);
    return "accepted";
  } catch (const InputError& error) {
    return error.what();
  } catch (const NotApplicable& reason) {
    return reason.what();
  }
}

std::string measured_worker(const std::string& samples) {
  return R"({"bandwidth": "1GBps", "memory": "1GB", "devices": [{"speed_function": [)" + samples +
         "]}]}";
}

std::string sample(int rows, int inner, double seconds) {
  return R"({"rows": )" + std::to_string(rows) + R"(, "columns": 2, "inner": )" +
         std::to_string(inner) + R"(, "block_size": 10, "seconds": )" + std::to_string(seconds) +
         "}";
}

// Four blocks take each device 1 s.
TEST(SpeedFunctions, BoundTheSpeedOfTheProduct) {
  const std::string worker = measured_worker(sample(2, 1, 1) + "," + sample(4, 1, 4));
  const auto cluster_of = [](const std::string& workers) {
    const std::string text =
        R"({"schema_version": 1, "name": "x", "block_size": 10, "workers": [)" + workers + "]}";
    return make_cluster(parse_platform(parse_json(text, "x.json"), "x.json"), 10);
  };
  Cluster cluster = cluster_of(worker);
  EXPECT_NEAR(balanced_speed_flops(cluster, 2), 2 * 4 * 10 * 10 * 10, 1);
  cluster.nodes[0].memory_bytes = 5000;  // two blocks of each matrix
  EXPECT_THROW(balanced_speed_flops(cluster, 2), NotApplicable);
  EXPECT_THROW(
      TwoProcessorDistribution(Shape::straight_line).plan(cluster_of(worker + "," + worker), 2, 60),
      NotApplicable);
}

TEST(SpeedFunctions, OneMessageForEachFault) {
  const std::string place = "x.json: /workers/0/devices/0/speed_function: ";
  EXPECT_EQ(refusal(measured_worker(sample(1, 1, 1)), 1),
            place + "expected two sizes or more with inner = 1 and block_size = 10, found one");
  EXPECT_EQ(
      refusal(measured_worker(sample(1, 2, 1) + "," + sample(2, 2, 2)), 1),
      place + "expected two sizes or more with inner = 1 and block_size = 10, but there is none");
  EXPECT_EQ(refusal(measured_worker(sample(2, 1, 1) + "," + sample(4, 1, 1)), 1),
            place +
                "expected more than 1 s for more than 4 blocks, found 1 s for 8 (time must "
                "increase with size)");
  const std::string good = measured_worker(sample(2, 1, 1) + "," + sample(4, 1, 4));
  EXPECT_EQ(refusal(good, 8), "accepted");
  EXPECT_EQ(refusal(good, 9),
            "a device of worker 1 would update 9 blocks, and its speed function ends at 8");
  EXPECT_EQ(refusal(R"({"bandwidth": "1GBps", "memory": "1MB", "speed": "1Gf"})", 1000),
            "a worker would hold 0.0024 GB of A, B and C, but has 0.001 GB of memory");
}

}  // namespace
}  // namespace starport::spmd
