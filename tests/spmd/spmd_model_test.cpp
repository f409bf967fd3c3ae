// Distributed products as a model: records, figures, what does not apply.
#include "sim/models/spmd/spmd_model.hpp"

#include "heuristics/spmd/distributions.hpp"
#include "sim/platform/noise/noise_json.hpp"
#include "sim/report/trace_files.hpp"
#include "sim/results/figure.hpp"
#include "sim/results/timeline.hpp"
#include "sim/spmd/simgrid/simgrid_runs.hpp"
#include "tests/paths.hpp"
#include "tests/support.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace starport::spmd {
namespace {

SpmdModel model() {
  return SpmdModel(
      {.product =
           [](const Cluster& cluster, const ProductPlan& plan, double limit_s,
              const StageSink& sink, const ProductDurations& durations) {
             return simulate_product(cluster, plan.partitioning.partition, plan.rules,
                                     Network::own_links, limit_s, sink, durations);
           },
       .end_to_end =
           [](const Cluster& cluster, const ProductPlan& plan, double limit_s) {
             return simulate_product(cluster, plan.partitioning.partition, plan.rules,
                                     Network::end_to_end, limit_s);
           },
       .pair =
           [](const PairPlan& plan, double limit_s, const ProductDurations& durations) {
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
    const Record corner =
        spmd.run(named<TwoProcessorDistribution>(Shape::square_corner), pair, {.engine = engine});
    ASSERT_EQ(corner.status, Status::ok) << corner.error;
    EXPECT_NEAR(corner.figures.real(kMakespan), 123.7303, 5e-5);
    EXPECT_NEAR(corner.figures.real(kCommunicationShare), 16.9 / 123.7303, 1e-6);
    EXPECT_EQ(corner.figures.real(kElementsMoved), 2 * 6500 * 1625);
    EXPECT_LT(corner.figures.real(kSpeed), bounds.real(kBalancedSpeed));
    const Record alone =
        spmd.run(named<TwoProcessorDistribution>(Shape::sequential), pair, {.engine = engine});
    EXPECT_NEAR(alone.figures.real(kMakespan), 113.9523, 5e-5);
    EXPECT_EQ(alone.figures.real(kEnrolledWorkers), 1);
  }
  EXPECT_EQ(spmd.find_difference(named<TwoProcessorDistribution>(Shape::straight_line), pair, {},
                                 EngineKind::analytic),
            "");
}

TEST(SpmdModel, NinetyNodes) {
  const SpmdModel spmd = model();
  const Case grid = instance("grid5000-90.json", "75008");
  const auto fpm = named<HierarchicalDistribution>(BalancingStrategy::functional);
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

/// Updates of a worker, added up; every lane's slices follow each other.
double computing_s(const Timeline& timeline, std::int64_t worker) {
  double sum_s = 0;
  std::vector<double> free_s(timeline.lanes.size());
  for (const Slice& slice : timeline.slices) {
    EXPECT_GE(slice.start_s, free_s[slice.lane] * (1 - 1e-12));
    free_s[slice.lane] = slice.end_s;
    EXPECT_LE(slice.end_s, timeline.makespan_s * (1 + 1e-12));
    const bool update = timeline.kind_of(slice).what == "update";
    if (update && timeline.group_of(slice.lane).worker == worker) {
      sum_s += slice.end_s - slice.start_s;
    }
  }
  return sum_s;
}

TEST(SpmdModel, TimelinesHaveAllIterationsInNotTooManySlices) {
  const SpmdModel spmd = model();
  const Case grid = instance("grid5000-90.json", "75008");
  Timeline timeline;
  const RunOptions options{.engine = EngineKind::analytic,
                           .on_timeline = [&](const Timeline& made) { timeline = made; }};
  const Record record =
      spmd.run(named<HierarchicalDistribution>(BalancingStrategy::homogeneous), grid, options);
  ASSERT_EQ(record.status, Status::ok) << record.error;
  EXPECT_LE(timeline.slices.size(), 50'000U);
  EXPECT_EQ(timeline.labels.front(), "iterations 1-3");
  EXPECT_EQ(timeline.labels.back(), "iteration 586");
  EXPECT_EQ(timeline.lanes.size(), 180U);
  EXPECT_EQ(timeline.port, "switch");
  ASSERT_TRUE(timeline.bound_s);
  EXPECT_LT(*timeline.bound_s, timeline.makespan_s);
  // The slowest node computes whenever nobody communicates.
  double slowest_s = 0;
  for (std::int64_t worker = 1; worker <= 90; ++worker) {
    slowest_s = std::max(slowest_s, computing_s(timeline, worker));
  }
  EXPECT_NEAR(slowest_s, record.figures.real(kMakespan) - record.figures.real(kCommunication),
              1e-9 * slowest_s);
}

TEST(SpmdModel, TimelineOfTwoProcessors) {
  const SpmdModel spmd = model();
  const Case pair = instance("two-processors.json", "6500");
  Timeline timeline;
  const RunOptions options{.engine = EngineKind::analytic,
                           .on_timeline = [&](const Timeline& made) { timeline = made; }};
  const TwoProcessorDistribution::Parameters both{.overlap = Overlap::both};
  ASSERT_EQ(
      spmd.run(named<TwoProcessorDistribution>(Shape::square_corner, both), pair, options).status,
      Status::ok);
  EXPECT_EQ(timeline.slices.size(), 8U);  // four messages, and two parts on each processor
  EXPECT_NEAR(timeline.makespan_s, 106.8303, 5e-5);
  EXPECT_NEAR(computing_s(timeline, 1), 2 * 6500.0 * (6500.0 * 6500 - 1625.0 * 1625) / 4.82e9,
              1e-6);
}

// With a time limit, the run is planned and simulated in a child process only.
TEST(SpmdModel, TimelinesComeUnchangedFromTheChildProcess) {
  const SpmdModel spmd = model();
  const HierarchicalDistribution::Parameters hub{.home = Home::hub};
  const auto traces = [&](const NamedAlgorithm& algorithm, const Case& product) {
    std::vector<std::string> texts;
    for (const double limit_s : {0.0, 600.0}) {
      std::string& text = texts.emplace_back();
      TraceExporter exporter(TraceFormat::csv, [&](std::string_view piece) { text += piece; });
      const Record record =
          spmd.run(algorithm, product,
                   {.engine = EngineKind::analytic,
                    .limits = {.time_limit_s = limit_s},
                    .on_timeline = [&](const Timeline& made) { exporter.add(made); }});
      EXPECT_EQ(record.status, Status::ok) << record.error;
    }
    return std::pair(texts[0], texts[1]);
  };
  const auto [here, in_child] =
      traces(named<HierarchicalDistribution>(BalancingStrategy::functional, hub),
             instance("grid5000-90.json", "12800"));
  EXPECT_GT(here.size(), 10'000U);
  EXPECT_EQ(here, in_child);
  const auto [pair_here, pair_in_child] =
      traces(named<TwoProcessorDistribution>(Shape::square_corner),
             instance("two-processors.json", "6500"));
  EXPECT_EQ(pair_here, pair_in_child);
}

// The size found by search is 8 % faster than areas in proportion to the speeds.
TEST(SpmdModel, TheBestCutIsShorterThanTheOneByAreas) {
  const SpmdModel spmd = model();
  const Case pair = instance("two-processors.json", "6500");
  const auto makespan_s = [&](const TwoProcessorDistribution::Parameters& parameters) {
    return spmd
        .run(named<TwoProcessorDistribution>(Shape::square_corner, parameters), pair,
             {.engine = EngineKind::analytic})
        .figures.real(kMakespan);
  };
  EXPECT_NEAR(makespan_s({}), 123.730265, 1e-6);
  EXPECT_NEAR(makespan_s({.best_cut = true}), 113.962679, 1e-6);
}

// The hub spreads A, B and C before the first iteration and collects C after the last one.
TEST(SpmdModel, TheTimelineOfAHubBeginsAndEndsAtItsPort) {
  const SpmdModel spmd = model();
  const Case grid = instance("grid5000-90.json", "12800");
  Timeline timeline;
  const RunOptions options{.engine = EngineKind::analytic,
                           .on_timeline = [&](const Timeline& made) { timeline = made; }};
  const HierarchicalDistribution::Parameters hub{.home = Home::hub};
  ASSERT_EQ(
      spmd.run(named<HierarchicalDistribution>(BalancingStrategy::functional, hub), grid, options)
          .status,
      Status::ok);
  const auto blocks = timeline.values_of(timeline.slices.front());
  ASSERT_EQ(blocks.size(), 12U);  // rows, columns or k of A, B and C: from, to
  EXPECT_GT(blocks[1], blocks[0]);
  const std::size_t port = timeline.lanes.size() - 1;
  const auto count = [&](std::size_t first) {
    return std::count_if(timeline.slices.begin() + static_cast<std::ptrdiff_t>(first),
                         timeline.slices.begin() + static_cast<std::ptrdiff_t>(first) + 90,
                         [&](const Slice& slice) { return slice.other_lane == port; });
  };
  ASSERT_GT(timeline.slices.size(), 180U);
  EXPECT_EQ(count(0), 90);
  EXPECT_EQ(count(timeline.slices.size() - 90), 90);
  EXPECT_EQ(timeline.slices.front().start_s, 0);
  EXPECT_NEAR(timeline.slices.back().end_s, timeline.makespan_s, 1e-9 * timeline.makespan_s);
}

TEST(SpmdModel, NodesThatPageHaveABoundAtAnySize) {
  Case paging = instance("grid5000-90.json", "300032");
  ASSERT_EQ(model().find_obstacle(paging, {.engine = EngineKind::analytic}), std::nullopt);
  const Figures bounds = model().bounds(paging, {});
  EXPECT_GT(bounds.real(kBalancedSpeed), 0);
}

TEST(SpmdModel, UnderNoise) {
  const SpmdModel spmd = model();
  const Case grid = instance("grid5000-90.json", "12800");
  const auto fpm = named<HierarchicalDistribution>(BalancingStrategy::functional);
  const auto run = [&](const std::string& noise, EngineKind engine) {
    return spmd.run(fpm, grid, {.engine = engine, .noise = parse_noise(noise, "--noise")});
  };
  const double nominal_s =
      spmd.run(fpm, grid, {.engine = EngineKind::analytic}).figures.real(kMakespan);
  const Record exact = run("cv=5%,slow=90@1:x2,seed=1", EngineKind::analytic);
  ASSERT_EQ(exact.status, Status::ok) << exact.error;
  EXPECT_GT(exact.figures.real(kMakespan), nominal_s);
  EXPECT_NE(exact.figures.real(kMakespan),
            run("cv=5%,slow=90@1:x2,seed=2", EngineKind::analytic).figures.real(kMakespan));
  const Record simulated = run("cv=5%,slow=90@1:x2,seed=1", EngineKind::simgrid);
  EXPECT_NEAR(simulated.figures.real(kMakespan) / exact.figures.real(kMakespan), 1, 1e-9);
  const Record stopped = run("stop=7@0.5", EngineKind::analytic);
  EXPECT_EQ(stopped.status, Status::error);
  EXPECT_NE(stopped.error.find("worker 7 stopped at 0.5 s with "), std::string::npos);
  const Record in_child = spmd.run(fpm, grid,
                                   {.engine = EngineKind::analytic,
                                    .limits = {.time_limit_s = 600},
                                    .noise = parse_noise("stop=7@0.5", "--noise")});
  EXPECT_EQ(in_child.error, stopped.error);
  EXPECT_TRUE(is_none(spmd.bounds(grid, parse_noise("cv=5%", "--noise"))[kBalancedSpeed]));
}

TEST(SpmdModel, DivisionsCoverC) {
  const SpmdModel spmd = model();
  const auto covered = [](const Division& division) {
    double area = 0;
    for (const auto& part : division.parts) {
      area += (part.right - part.left) * (part.bottom - part.top);
    }
    return area;
  };
  const Division grid =
      spmd.presentation().divide(named<HierarchicalDistribution>(BalancingStrategy::functional),
                                 instance("grid5000-90.json", "75008"));
  EXPECT_EQ(grid.parts.size(), 90U);
  EXPECT_NEAR(covered(grid), 1, 1e-12);
  const Case pair = instance("two-processors.json", "6500");
  for (const auto& [shape, parts, ratio] :
       {std::tuple(Shape::square_corner, 3U, 2.5 / (2 * (std::sqrt(15) / 4 + 0.25))),
        {Shape::straight_line, 2U, 3 / (2 * (std::sqrt(15) / 4 + 0.25))},
        {Shape::sequential, 1U, 1.0}}) {
    const Division division =
        spmd.presentation().divide(named<TwoProcessorDistribution>(shape), pair);
    EXPECT_EQ(division.parts.size(), parts);
    EXPECT_NEAR(covered(division), 1, 1e-12);
    EXPECT_NEAR(half_perimeter_ratio(division), ratio, 1e-4);
  }
}

// A worker without work has no border, wherever its empty rectangle lies.
TEST(SpmdModel, IdleWorkersHaveNoBorder) {
  Division division;
  division.parts = {{0, 0, 1, 0, 1}};
  EXPECT_DOUBLE_EQ(half_perimeter_ratio(division), 1);
  division.parts.push_back({1, 1, 1, 0, 1});
  EXPECT_DOUBLE_EQ(half_perimeter_ratio(division), 1);
}

TEST(SpmdModel, WhatDoesNotApplySaysWhy) {
  const SpmdModel spmd = model();
  const auto why = [&](const NamedAlgorithm& algorithm, const Case& on) {
    const Record record = spmd.run(algorithm, on, {.engine = EngineKind::analytic});
    EXPECT_EQ(record.status, Status::not_applicable);
    return record.error;
  };
  const auto fpm = named<HierarchicalDistribution>(BalancingStrategy::functional);
  EXPECT_EQ(why(named<TwoProcessorDistribution>(Shape::square_corner),
                instance("grid5000-90.json", "12800")),
            "it requires two workers, but the platform has 90");
  EXPECT_EQ(why(fpm, instance("grid5000-90.json", "1000")),
            "there are more workers (90) than blocks of C (64)");
  EXPECT_EQ(why(fpm, instance("grid5000-90.json", "12800x12800x1280")),
            "it multiplies square matrices, here of 100 x 100 by 100 x 10");
  EXPECT_EQ(why(fpm, instance("two-processors.json", "20000")),
            "a worker would hold 4.8 GB of A, B and C, but has 4 GB of memory");
  // Its halves of three matrices of 100 x 100 take 120 kB, and the half of A that it gets 40 kB.
  const auto halves = [](const std::string& memory) {
    const starport::test::TemporaryFile file(
        R"({"schema_version": 1, "name": "pair", "block_size": 10, "workers": [
      {"count": 2, "bandwidth": "1GBps", "speed": "1Gf", "memory": ")" +
        memory + R"("}]})");
    return Case{load_platform(file.path()), parse_problem("100", 10)};
  };
  const auto line = named<TwoProcessorDistribution>(Shape::straight_line);
  EXPECT_EQ(spmd.run(line, halves("160kB"), {.engine = EngineKind::analytic}).status, Status::ok);
  EXPECT_EQ(why(line, halves("140kB")),
            "worker 1 needs 0.00016 GB for its parts of A, B and C, but has 0.00014 GB");
}

/// One of two workers has all the work.
TEST(SpmdModel, AProductOfOneElement) {
  Case instance{load_platform(STARPORT_SOURCE_DIR "/platforms/two-processors.json"), {1, 1, 1, 1}};
  instance.file.entries[1] = instance.file.entries[0];
  const Record record = model().run(named<TwoProcessorDistribution>(Shape::square_corner), instance,
                                    {.engine = EngineKind::analytic});
  EXPECT_EQ(record.figures.real(kEnrolledWorkers), 1);
  EXPECT_EQ(record.figures[kImbalance], Value());
  EXPECT_EQ(record.figures.real(kWaitingShare), 0);
}

/// The platform file's bytes are shown, though the figures count doubles.
TEST(SpmdModel, FloatsLeaveTheFilesBytesAlone) {
  const PlatformFile file = load_platform(STARPORT_SOURCE_DIR "/platforms/grid5000-90.json");
  const Problem problem{100, 100, 100, 64};
  const Case doubles{file, problem};
  const Case floats{with_element_type(file, ElementType::float32), problem};
  EXPECT_EQ(spmd_presentation().heading(floats, {}), spmd_presentation().heading(doubles, {}));
}

}  // namespace
}  // namespace starport::spmd
