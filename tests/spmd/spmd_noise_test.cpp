// Distributed products under noise: hand-made dates, both engines, stops.
#include "sim/files/error.hpp"
#include "sim/platform/noise/expected_noise.hpp"
#include "sim/platform/noise/noise_json.hpp"
#include "sim/spmd/engine.hpp"
#include "sim/spmd/simgrid/simgrid_runs.hpp"
#include "sim/spmd/validator.hpp"
#include "tests/spmd/spmd_platforms.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace starport::spmd {
namespace {

/// Noise, and the platform that it is drawn for: workers' figures do not matter to the factors.
struct Drawn {
  Drawn(const std::string& text, std::size_t workers)
      : platform(workers_of(workers)),
        noise(std::in_place, parse_noise(text, "--noise"), platform),
        expected(expect_noise(parse_noise(text, "--noise"), platform)) {}
  static Platform workers_of(std::size_t count) {
    Platform platform;
    platform.workers.resize(count, {.c_s = 1e-9, .w_s = 1, .m_blocks = 5, .latency_s = 0});
    return platform;
  }
  ProductDurations durations() const { return ProductDurations(&*noise); }

  Platform platform;
  std::optional<DrawnNoise> noise;
  std::optional<ExpectedNoise> expected;
};

/// Two nodes that hold half of 2 x 2 blocks each: 2.5 s of communication, 1 s of updates.
struct Halves {
  Halves() {
    cluster.nodes[0].bandwidth_bytes_per_s = 1600;
    cluster.nodes[1].bandwidth_bytes_per_s = 800;
    cluster.nodes[1].latency_s = 0.5;
  }
  Cluster cluster = test::plain_cluster({2, 2}, 10);
  Partition partition{
      .arrangement = {.side = 2, .rectangles = {{0, 0, 2, 1}, {0, 1, 2, 1}}, .columns = {{0}, {1}}},
      .slices = {{10}, {10}}};
};

ProductRun checked(const Cluster& cluster, const Partition& partition, const Drawn& drawn,
                   bool simgrid = false) {
  const ProductDurations durations = drawn.durations();
  Validator validator(cluster, partition, &*drawn.expected);
  const StageSink sink = [&](const StageRun& stage, const auto& hops, const auto& times) {
    check_stops(*durations.noise(), partition.arrangement.side, stage, times);
    validator.check(stage, hops, times);
  };
  const ProductRun run = simgrid
                             ? simulate_product(cluster, partition, Multicast::chain,
                                                Network::own_links, 0, sink, durations)
                             : run_product(cluster, partition, Multicast::chain, sink, durations);
  validator.check_end(run);
  return run;
}

double makespan_s(const std::string& noise, bool simgrid) {
  const Halves halves;
  const Drawn drawn(noise, 2);
  return checked(halves.cluster, halves.partition, drawn, simgrid).makespan_s;
}

TEST(SpmdNoise, SlowDownsByHand) {
  for (const bool simgrid : {false, true}) {
    // The first update of node 2, from 2.5 s on, has .5 s left at 3 s: until 4 s. The second: 2 s.
    EXPECT_NEAR(makespan_s("slow_compute=2@3:x2", simgrid), 8.5, 1e-8);
    // Link 2 has latency until .5 s, 1.5 s left at 1 s: until 4 s. Then .5 + 2 * 2 s.
    EXPECT_NEAR(makespan_s("slow_link=2@1:x2", simgrid), 10.5, 1e-8);
    // It is as before from 3 s on, with .5 s left.
    EXPECT_NEAR(makespan_s("slow_link=2@1:x2,slow_link=2@3:x1", simgrid), 8, 1e-8);
    // Link 1 has 1 s to spare.
    EXPECT_NEAR(makespan_s("slow_link=1@0:x2", simgrid), 7, 1e-8);
  }
}

TEST(SpmdNoise, EachDeviceAndLinkHasAFactorOfItsOwn) {
  const Halves halves;
  const Drawn drawn("cv=20%,seed=5", 2);
  const DrawnNoise& noise = *drawn.noise;
  std::int64_t n = 0;
  run_product(
      halves.cluster, halves.partition, Multicast::chain,
      [&](const StageRun& stage, const auto&, const IterationTimes& times) {
        ++n;
        EXPECT_EQ(stage.stage.count, 1);
        EXPECT_NEAR(times.link_s[0], 1 * noise.factor(Activity::transfer, 0, n), 1e-12);
        EXPECT_NEAR(times.link_s[1], 2.5 * noise.factor(Activity::transfer, 1, n), 1e-12);
        EXPECT_NEAR(times.update_s[1][0], noise.factor(Activity::update, 1, n), 1e-12);
      },
      drawn.durations());
  EXPECT_EQ(n, 2);
}

TEST(SpmdNoise, BothEnginesSayTheSame) {
  Random random(61);
  for (int instance = 0; instance < 8; ++instance) {
    const std::int64_t nodes = random.integer(2, 6);
    const Cluster cluster = test::random_cluster(random, nodes);
    const Partition partition =
        test::divide(cluster, random.integer(4, 20), BalancingStrategy::functional).partition;
    const double half_s = run_product(cluster, partition).makespan_s / 2;
    const std::string date = std::to_string(half_s);
    const Drawn drawn("cv=30%,slow_link=1@" + date + ":x3,slow=2@" + date +
                          ":x0.5,slow_compute=1@0:x2,seed=" + std::to_string(instance),
                      static_cast<std::size_t>(nodes));
    const ProductRun exact = checked(cluster, partition, drawn);
    const ProductRun simulated = checked(cluster, partition, drawn, true);
    EXPECT_LT(largest_difference(simulated, exact), 1e-9) << instance;
    EXPECT_EQ(exact.makespan_s, checked(cluster, partition, drawn).makespan_s);
    EXPECT_EQ(exact.stages.size(), static_cast<std::size_t>(partition.arrangement.side));
  }
}

TEST(SpmdNoise, AWorkerThatStopsIsMissed) {
  const auto failure = [](const std::string& noise, bool simgrid) -> std::string {
    try {
      makespan_s(noise, simgrid);
      return "none";
    } catch (const SimulationError& error) {
      return error.what();
    }
  };
  for (const bool simgrid : {false, true}) {
    EXPECT_EQ(failure("stop=2@3", simgrid), "worker 2 stopped at 3 s with 2 of 2 iterations left");
    EXPECT_EQ(failure("stop=1@6.5", simgrid),
              "worker 1 stopped at 6.5 s with 1 of 2 iterations left");
    EXPECT_EQ(failure("stop=1@7", simgrid), "none");
  }
}

TEST(SpmdNoise, AHubsTransfersVaryToo) {
  const Halves halves;
  // Node 2 gets its blocks from 3 s on: .5 s of latency, then 1 s of 6 is done at 4.5 s.
  const Drawn drawn("slow_link=2@4.5:x2", 2);
  const ProductRules rules(Multicast::chain, Home::hub);
  const ProductRun exact =
      run_product(halves.cluster, halves.partition, rules, {}, drawn.durations());
  const ProductRun simulated = simulate_product(halves.cluster, halves.partition, rules,
                                                Network::own_links, 0, {}, drawn.durations());
  EXPECT_DOUBLE_EQ(exact.spread_s[1], 0.5 + 1 + 2 * 5);
  EXPECT_DOUBLE_EQ(exact.collect_s[1], 0.5 + 2 * 2);
  EXPECT_NEAR(simulated.makespan_s / exact.makespan_s, 1, 1e-9);
  EXPECT_NEAR(simulated.collect_s[1], exact.collect_s[1], 1e-8);
  const Drawn stop("stop=1@" + std::to_string(exact.makespan_s - exact.collect_s[1] - 0.5), 2);
  EXPECT_THROW(check_stops(*stop.noise, exact), SimulationError);
  const Drawn later("stop=1@" + std::to_string(exact.makespan_s - exact.collect_s[1] + 0.5), 2);
  EXPECT_NO_THROW(check_stops(*later.noise, exact));
  const Drawn last("stop=2@" + std::to_string(exact.makespan_s - 0.5), 2);
  EXPECT_THROW(check_stops(*last.noise, exact), SimulationError);
}

TEST(SpmdNoise, TheValidatorKnowsTheFactors) {
  const Halves halves;
  const Drawn drawn("cv=20%,seed=5", 2);
  const Drawn other("cv=20%,seed=6", 2);
  Validator validator(halves.cluster, halves.partition, &*other.expected);
  EXPECT_THROW(run_product(
                   halves.cluster, halves.partition, Multicast::chain,
                   [&](const auto&... stage) { validator.check(stage...); }, drawn.durations()),
               SimulationError);
}

/// Messages of 4, 4, 2 and 2 s, then 16 s on P1 and 4 s on P2.
TwoProcessors pair() {
  return {
      .N = 6, .fast_flops = 24, .slow_flops = 12, .bandwidth_bytes_per_s = 16, .fast_worker = 1};
}

TEST(SpmdNoise, TwoProcessorsByHand) {
  const TwoProcessors problem = pair();
  const BulkPlan plan = plan_bulk(problem, Shape::square_corner, {.cut = 2});
  EXPECT_EQ(run_bulk(problem, plan).makespan_s, 12 + 16);
  const auto dates = [&](const std::string& noise, bool simgrid) {
    const Drawn drawn(noise, 2);
    const ProductDurations durations = drawn.durations();
    const BulkRun run =
        simgrid ? simulate_bulk(problem, plan, 0, durations) : run_bulk(problem, plan, durations);
    validate(problem, plan, run, &*drawn.expected);
    return run;
  };
  for (const bool simgrid : {false, true}) {
    // The link of either slows both ways down: 2 s left of the first message take 4 s.
    EXPECT_NEAR(dates("slow_link=1@2:x2", simgrid).communication_s, 2 + 4 + 16, 1e-8);
    EXPECT_NEAR(dates("slow_link=2@2:x2", simgrid).communication_s, 2 + 4 + 16, 1e-8);
    // Worker 2 is P1.
    EXPECT_NEAR(dates("slow_compute=2@20:x2", simgrid).makespan_s, 12 + 8 + 16, 1e-8);
    EXPECT_THROW(dates("stop=2@27", simgrid), SimulationError);
    EXPECT_NO_THROW(dates("stop=1@27", simgrid));
  }
  const BulkRun exact = dates("cv=30%,slow=1@5:x2,seed=3", false);
  const BulkRun simulated = dates("cv=30%,slow=1@5:x2,seed=3", true);
  EXPECT_NEAR(simulated.makespan_s / exact.makespan_s, 1, 1e-9);
  EXPECT_NEAR(simulated.slow.end_s / exact.slow.end_s, 1, 1e-9);
}

}  // namespace
}  // namespace starport::spmd
