// Distributed products as a model: records, figures, what does not apply.
#include "sim/spmd/spmd_model.hpp"

#include "sim/spmd/simgrid/simgrid_runs.hpp"
#include "sim/spmd/spmd_figures.hpp"
#include "sim/study/common_figures.hpp"
#include "tests/paths.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace starport::spmd {
namespace {

SpmdModel model() {
  return SpmdModel({.product =
                        [](const Cluster& cluster, const ProductPlan& plan, double limit_s,
                           const StageSink& sink, const Durations& durations) {
                          return simulate_product(cluster, plan.partitioning.partition,
                                                  plan.multicast, Network::own_links, limit_s, sink,
                                                  durations);
                        },
                    .end_to_end =
                        [](const Cluster& cluster, const ProductPlan& plan, double limit_s) {
                          return simulate_product(cluster, plan.partitioning.partition,
                                                  plan.multicast, Network::end_to_end, limit_s);
                        },
                    .pair =
                        [](const PairPlan& plan, double limit_s, const Durations& durations) {
                          return simulate_bulk(plan.problem, plan.bulk, limit_s, durations);
                        }});
}

Case instance(const std::string& file, const std::string& product) {
  PlatformFile platform = load_platform(STARPORT_SOURCE_DIR "/platforms/" + file);
  const Problem problem = parse_problem(product, platform.block_size.value());
  return {std::move(platform), problem};
}

template <class Kind, class... Arguments>
NamedAlgorithm named(Arguments... arguments) {
  return {.name = "x", .algorithm = std::make_shared<Kind>(arguments...), .named = true};
}

TEST(SpmdModel, TwoProcessorsByBothEngines) {
  const SpmdModel spmd = model();
  const Case pair = instance("two-processors.json", "6500");
  const Figures bounds = spmd.bounds(pair, {});
  for (const auto engine : {EngineKind::analytic, EngineKind::simgrid}) {
    const Record corner = spmd.run(named<Pair>(Shape::square_corner), pair, {.engine = engine});
    ASSERT_EQ(corner.status, Status::ok) << corner.error;
    EXPECT_NEAR(corner.figures.real(kMakespan), 123.7303, 5e-5);
    EXPECT_NEAR(corner.figures.real(kCommunicationShare), 16.9 / 123.7303, 1e-6);
    EXPECT_EQ(corner.figures.real(kElementsMoved), 2 * 6500 * 1625);
    EXPECT_LT(corner.figures.real(kSpeed), bounds.real(kBalancedSpeed));
    const Record alone = spmd.run(named<Pair>(Shape::sequential), pair, {.engine = engine});
    EXPECT_NEAR(alone.figures.real(kMakespan), 113.9523, 5e-5);
    EXPECT_EQ(alone.figures.real(kEnrolledWorkers), 1);
  }
  EXPECT_EQ(spmd.find_difference(named<Pair>(Shape::straight_line), pair, {}, EngineKind::analytic),
            "");
}

TEST(SpmdModel, NinetyNodes) {
  const SpmdModel spmd = model();
  const Case grid = instance("grid5000-90.json", "75008");
  const auto fpm = named<Hierarchical>(Strategy::functional);
  const Record exact = spmd.run(fpm, grid, {.engine = EngineKind::analytic});
  ASSERT_EQ(exact.status, Status::ok) << exact.error;
  EXPECT_NEAR(exact.figures.real(kSpeed), 4.50, 0.0051);
  EXPECT_NEAR(exact.figures.real(kImbalance), 0.05, 0.0051);
  EXPECT_TRUE(is_none(exact.figures[kEndToEndMakespan]));
  const Record simulated = spmd.run(fpm, grid, {.engine = EngineKind::simgrid});
  ASSERT_EQ(simulated.status, Status::ok) << simulated.error;
  EXPECT_NEAR(simulated.figures.real(kMakespan) / exact.figures.real(kMakespan), 1, 1e-9);
  // Links held from end to end cost something, and not much here.
  const double slower = simulated.figures.real(kEndToEndMakespan) / exact.figures.real(kMakespan);
  EXPECT_GT(slower, 1);
  EXPECT_LT(slower, 1.1);
}

TEST(SpmdModel, WhatDoesNotApplySaysWhy) {
  const SpmdModel spmd = model();
  const auto why = [&](const NamedAlgorithm& algorithm, const Case& on) {
    const Record record = spmd.run(algorithm, on, {.engine = EngineKind::analytic});
    EXPECT_EQ(record.status, Status::not_applicable);
    return record.error;
  };
  const auto fpm = named<Hierarchical>(Strategy::functional);
  EXPECT_EQ(why(named<Pair>(Shape::square_corner), instance("grid5000-90.json", "12800")),
            "it is for two workers, there are 90");
  EXPECT_EQ(why(fpm, instance("grid5000-90.json", "1000")), "90 workers, and C has only 64 blocks");
  EXPECT_EQ(why(fpm, instance("grid5000-90.json", "12800x12800x1280")),
            "it multiplies square matrices, here of 100 x 100 by 100 x 10");
  EXPECT_EQ(why(fpm, instance("two-processors.json", "20000")),
            "a worker would hold 4.8 GB of A, B and C, and has 4 GB");
}

}  // namespace
}  // namespace starport::spmd
