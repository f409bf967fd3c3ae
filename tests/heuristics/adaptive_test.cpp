// Adaptive: a demand-driven heuristic that goes by the figures that the run shows.
#include "heuristics/star/adaptive.hpp"

#include "heuristics/star/registry.hpp"
#include "sim/platform/noise/noise_json.hpp"
#include "sim/platform/random.hpp"
#include "sim/star/analytic_run.hpp"
#include "sim/star/engine/engine.hpp"
#include "sim/star/metrics.hpp"
#include "sim/star/validator/validator.hpp"
#include "tests/star/star_support.hpp"
#include "tests/support.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <map>
#include <string>

namespace starport {
namespace {

TEST(Adaptive, ItsSchedulesObeyTheModel) {
  for (int number = 0; number < 150; ++number) {
    auto [platform, problem] = test::random_instance(number);
    platform.port = {};
    const auto adaptive = parse_heuristics("Adaptive", "--heuristics");
    const Plan plan = adaptive.front().heuristic->plan(platform, problem);
    const Trace trace = run_to_trace(*plan.dispatcher, platform, problem);
    const auto violation = find_violation(platform, problem, trace);
    EXPECT_FALSE(violation.has_value()) << number << ": " << violation->message;
  }
}

// A link that takes twice, or exactly twice another's slow-down: rounding does not decide.
TEST(Adaptive, EnginesAgreeOnSlowDownsToTwice) {
  for (const char* noise :
       {"slow_link=1@0:x2", "slow=1@0:x2", "slow_link=1@0:x1.5,slow_link=2@0:x3"}) {
    double makespan_s[2] = {};
    for (const bool exact : {false, true}) {
      const auto run = test::shell(
          std::string("starport run platforms/first-try.json --problem 1600 --json --heuristics "
                      "Adaptive --engine ") +
          (exact ? "analytic" : "simgrid") + " --noise " + noise);
      ASSERT_EQ(run.status, 0) << run.err;
      makespan_s[exact] = test::json_of(run.out).at("results").at(0).at("makespan_s");
    }
    EXPECT_NEAR(makespan_s[0], makespan_s[1], 1e-9 * makespan_s[1]) << noise;
  }
}

// Of workers that differ much, so that they take over columns of each other's panels, one is slow
// from the start and one stops: what it leaves is computed all the same.
TEST(Adaptive, WhatAWorkerLeavesThatStopsIsComputed) {
  const auto named = parse_heuristics("Adaptive", "--heuristics");
  int lost = 0;
  for (std::uint64_t seed = 1; seed <= 600; seed += test::kSeedStride) {
    test::RandomInstance instance = test::uneven_instance(seed, 2);
    Platform& platform = instance.platform;
    Problem& problem = instance.problem;
    Random random(seed);
    for (Worker& worker : platform.workers) worker.m_blocks *= random.integer(1, 4);
    problem.s *= random.integer(1, 6);
    const auto plan = [&] { return named.front().heuristic->plan(platform, problem); };
    const double makespan_s = test::makespan(test::run_here(platform, problem, plan).trace);
    const auto any = [&] {
      return static_cast<int>(random.integer(0, std::ssize(platform.workers) - 1));
    };
    Noise noise;
    noise.stops.push_back({any(), random.real(0, 1) * makespan_s});
    noise.slow_downs.push_back({any(), Activity::update, 0, 4});
    try {
      const Trace trace = test::run_here(platform, problem, plan, noise).trace;
      const auto violation = find_violation(platform, problem, trace, noise);
      EXPECT_FALSE(violation.has_value()) << seed << ": " << violation->message;
      for (const TracedTransfer& event : trace) lost += event.dates.fate != Fate::complete;
    } catch (const SimulationError& error) {  // it was the last
      EXPECT_NE(std::string(error.what()).find("the last worker with memory for a chunk stopped"),
                std::string::npos)
          << seed << ": " << error.what();
    }
  }
  EXPECT_GT(lost, 0);
}

/// The makespan of each.
std::map<std::string, double> makespans(const std::string& noise) {
  const auto outcome = test::shell(
      "starport run platforms/ppopp08-memory.json --problem 32000x32000x32000 --engine analytic "
      "--heuristics Het,ODDOML,Adaptive --json" +
      noise);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const auto json = test::json_of(outcome.out);
  std::map<std::string, double> all;
  for (const auto& result : json.at("results")) {
    all[result.at("heuristic")] = result.at("makespan_s");
  }
  return all;
}

// Each worker in turn is slowed down half-way.
TEST(Adaptive, EndsBeforeTheOthersWhereAWorkerIsSlowedHalfWay) {
  const auto usual = makespans("");
  for (int worker = 1; worker <= 8; ++worker) {
    for (const int factor : {2, 5}) {
      const auto all = makespans(
          fmt::format(" --noise slow={}@{}:x{}", worker, usual.at("Adaptive") / 2, factor));
      EXPECT_LT(1.1 * all.at("Adaptive"), all.at("ODDOML")) << worker;
      EXPECT_LT(1.1 * all.at("Adaptive"), all.at("Het")) << worker;
      EXPECT_LT(all.at("Adaptive"), 1.5 * usual.at("Adaptive")) << worker;
    }
  }
}

// The transfers of a worker whose link has become slow have the other wait, unless it goes first.
TEST(Adaptive, GainsWhereALinkIsSlowedToo) {
  Platform platform{.name = "two"};
  platform.workers.assign(2, {.c_s = 30e-6, .w_s = 16e-6, .m_blocks = 163});
  const Problem problem{.r = 32, .s = 64, .t = 64, .block_size = 80};
  Noise noise;
  const auto makespan_s = [&](const char* name) {
    const auto named = parse_heuristics(name, "--heuristics");
    const auto plan = [&] { return named.front().heuristic->plan(platform, problem); };
    const Trace trace = test::run_here(platform, problem, plan, noise).trace;
    const auto violation = find_violation(platform, problem, trace, noise);
    EXPECT_FALSE(violation.has_value()) << violation->message;
    return test::makespan(trace);
  };
  for (const double factor : {5, 20}) {
    noise.slow_downs = {
        {.worker = 1, .activity = Activity::transfer, .from_s = 0.6, .factor = factor}};
    EXPECT_LT(1.1 * makespan_s("Adaptive"), makespan_s("ODDOML")) << factor;
  }
}

TEST(ObservedPace, IsTheMedianOfWhatWasSeen) {
  Platform platform{.name = "one"};
  platform.workers.push_back({.c_s = 1, .w_s = 2, .m_blocks = 12});
  const Problem problem{.r = 2, .s = 2, .t = 4, .block_size = 1};
  MasterView star(platform, problem);
  ObservedPace pace(platform, problem);
  pace.observe(star);
  EXPECT_EQ(pace.transfer_slowdown(0), 1);
  EXPECT_EQ(pace.update_slowdown(0), 1);
  Message step{.allows_update = true, .blocks = 4, .block_updates = 4, .updated_blocks = 4};
  // Three transfers of 4 blocks in 4, 8 and 8 s; their updates take 8, 24 and 24 s.
  double date_s = 0;
  for (const auto& [transfer_s, update_s] : {std::pair{4.0, 8.0}, {8.0, 24.0}, {8.0, 24.0}}) {
    pace.observe(star);
    pace.record_decision(star, step);
    date_s += transfer_s;
    star.allow_update(0, date_s + update_s);
    star.end_transfer(0, date_s);
    pace.observe(star);
    EXPECT_EQ(pace.updates_under_way(0), 1);
    date_s += update_s;
    star.observe_time(date_s);
  }
  pace.observe(star);
  EXPECT_EQ(pace.updates_under_way(0), 0);
  EXPECT_EQ(pace.transfer_slowdown(0), 2);
  EXPECT_EQ(pace.update_slowdown(0), 3);
}

}  // namespace
}  // namespace starport
