// Polaris[adapt=yes]: a plan of Polaris whose order is decided during the run.
#include "heuristics/star/registry.hpp"
#include "sim/files/error.hpp"
#include "sim/platform/noise/noise.hpp"
#include "sim/platform/random.hpp"
#include "sim/star/analytic_run.hpp"
#include "sim/star/engine/engine.hpp"
#include "sim/star/validator/validator.hpp"
#include "tests/random_noise.hpp"
#include "tests/star/star_support.hpp"
#include "tests/support.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

namespace starport {
namespace {

const Heuristic& heuristic(const std::string& name) {
  static std::map<std::string, std::vector<NamedHeuristic>> heuristics;
  const auto [found, is_new] = heuristics.try_emplace(name);
  if (is_new) found->second = parse_heuristics(name);
  return *found->second.front().heuristic;
}

Trace run(const std::string& name, const Platform& platform, const Problem& problem,
          const Noise& noise = {}) {
  const auto plan = [&] { return heuristic(name).plan(platform, problem); };
  return test::run_here(platform, problem, plan, noise).trace;
}

TEST(AdaptingPolaris, WithoutNoiseItsTransfersAreThoseOfThePlan) {
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 200; seed += test::kSeedStride) {
    auto [platform, problem] =
        seed % 2 == 0 ? test::uneven_instance(seed, 2) : test::random_instance(seed, 5);
    platform.port = {};
    const Plan adapting = heuristic("Polaris[effort=low,adapt=yes]").plan(platform, problem);
    const Plan fixed = heuristic("Polaris[effort=low]").plan(platform, problem);
    if (adapting.details.size() < 2 || fixed.details.size() < 2) continue;  // a rival's schedule
    ++compared;
    EXPECT_TRUE(to_transfers(run_to_trace(*adapting.dispatcher, platform, problem)) ==
                to_transfers(run_to_trace(*fixed.dispatcher, platform, problem)))
        << seed;
  }
  EXPECT_GT(compared, 150 / static_cast<int>(test::kSeedStride));
}

// Workers that slow down or stop, one or several, at any time: the schedule is valid, and complete
// unless no worker is left.
TEST(AdaptingPolaris, ComputesWhatIsLeftWhenWorkersSlowDownOrStop) {
  int lost = 0;
  int completed = 0;
  for (std::uint64_t seed = 1; seed <= 600; seed += test::kSeedStride) {
    auto [platform, problem] =
        seed % 2 == 0 ? test::uneven_instance(seed, 2) : test::random_instance(seed, 5);
    platform.port = {};
    Random random(seed);
    for (Worker& worker : platform.workers) worker.m_blocks *= random.integer(1, 20);
    problem.s *= random.integer(1, 6);
    const char* name = "Polaris[effort=low,adapt=yes]";
    const double makespan_s = test::makespan(run(name, platform, problem));
    Noise noise = random_noise(seed, platform.workers.size(), makespan_s);
    if (seed % 3 == 0) {
      noise.stops.clear();
      for (int i = 1; i < std::ssize(platform.workers); ++i)
        noise.stops.push_back({i, random.real(0, 1.1) * makespan_s});
    }
    try {
      const Trace trace = run(name, platform, problem, noise);
      const auto violation = find_violation(platform, problem, trace, noise);
      EXPECT_FALSE(violation.has_value()) << seed << ": " << violation->message;
      ++completed;
      for (const TracedTransfer& event : trace) lost += event.dates.fate != Fate::complete;
    } catch (const SimulationError& error) {  // no worker is left
      EXPECT_NE(std::string(error.what()).find("the last worker stopped"), std::string::npos)
          << seed << ": " << error.what();
    }
  }
  EXPECT_GT(lost, 0);
  EXPECT_GT(completed, 450 / static_cast<int>(test::kSeedStride));
}

// On the first worker alone, Hom is faster than Polaris' own plan, but does not adapt.
TEST(AdaptingPolaris, DividesAsARivalThatIsBetter) {
  const Platform platform = test::star({{65.4e-6, 52.3e-6, 22, 0}, {535e-6, 61.3e-6, 13, 0}});
  const Problem problem{.r = 60, .s = 60, .t = 60, .block_size = 80};
  const Trace fixed = run("Polaris[effort=low]", platform, problem);
  const Trace adapting = run("Polaris[effort=low,adapt=yes]", platform, problem);
  EXPECT_FALSE(find_violation(platform, problem, adapting).has_value());
  EXPECT_LT(test::makespan(adapting), test::makespan(fixed));
  // The second worker takes over when the first one stops.
  const double stop_s = test::makespan(fixed) / 2;
  const Noise noise{.stops = {{.worker = 0, .at_s = stop_s}}};
  const Trace stopped = run("Polaris[effort=low,adapt=yes]", platform, problem, noise);
  EXPECT_FALSE(find_violation(platform, problem, stopped, noise).has_value());
}

// The first worker determines the end. While the port serves the second one, its next message
// waits: the plan's order, which avoids that, is kept although other transfers could start earlier.
TEST(AdaptingPolaris, KeepsThePlansOrderWhereDurationsVary) {
  const Platform platform = test::star({{59.53e-6, 315.2e-6, 10, 0}, {463e-6, 199e-6, 12, 0}});
  const Problem problem{.r = 40, .s = 40, .t = 40, .block_size = 80};
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Variation variation{.cv = 0.2};
    const Noise noise{.seed = seed, .transfers = variation, .updates = variation};
    const Trace fixed = run("Polaris[effort=low]", platform, problem, noise);
    const Trace adapting = run("Polaris[effort=low,adapt=yes]", platform, problem, noise);
    EXPECT_FALSE(find_violation(platform, problem, adapting, noise).has_value()) << seed;
    EXPECT_LT(test::makespan(adapting), 1.005 * test::makespan(fixed)) << seed;
  }
}

/// Returns the makespan on the platform and the product of PPoPP'08; kUnknown if the run fails.
double makespan_s(const std::string& heuristic, const std::string& noise) {
  const auto outcome = test::shell(
      "starport run platforms/ppopp08-memory.json --problem 8000x8000x64000 --engine analytic "
      "--json --heuristics '" +
      heuristic + "'" + noise);
  return test::json_of(outcome.out).at("results").at(0).value("makespan_s", kUnknown);
}

// Worker 3, which is enrolled, is at half speed from 300 s on, or stops then.
TEST(AdaptingPolaris, EndsBeforeTheOthersWhereAWorkerSlowsDownOrStops) {
  const double planned_s = makespan_s("Polaris", "");
  for (const char* noise : {" --noise slow=3@300:x2", " --noise stop=3@300"}) {
    const double adapting_s = makespan_s("Polaris[adapt=yes]", noise);
    EXPECT_LT(adapting_s, 0.8 * makespan_s("ODDOML", noise)) << noise;
    EXPECT_LT(adapting_s, 0.8 * makespan_s("Polaris", noise)) << noise;  // fails if it stops
    EXPECT_LT(adapting_s, 1.25 * planned_s) << noise;
  }
}

// By the plan's options, with room for a message ahead, four blocks do not suffice; without it they
// do. The block of C that the first worker loses takes the second one 3 s, 2 s and 1 s.
TEST(AdaptingPolaris, AWorkerWithFourBlocksTakesOver) {
  const Problem problem{.r = 1, .s = 1, .t = 1, .block_size = 2};
  const Noise noise{.stops = {{.worker = 0, .at_s = 3.5}}};
  const auto run_with = [&](std::int64_t m_blocks) {
    const Platform platform = test::star({{1, 1, 1000, 0}, {1, 2, m_blocks, 0}});
    const Trace trace = run("Polaris[adapt=yes]", platform, problem, noise);
    EXPECT_FALSE(find_violation(platform, problem, trace, noise).has_value());
    return test::makespan(trace);
  };
  EXPECT_DOUBLE_EQ(run_with(4), 9.5);
  EXPECT_DOUBLE_EQ(run_with(3), 9.5);
  try {
    run_with(2);
    ADD_FAILURE();
  } catch (const SimulationError& error) {  // the second worker has not stopped
    EXPECT_STREQ(error.what(), "no worker that is left has the memory for the 1 block of C left");
  }
}

// The links of half of the workers are too slow for any part of what the sixth one leaves, which
// waits until another one has no messages left: asking all of them at each decision took a hundred
// times as long as the run.
TEST(AdaptingPolaris, AsksIdleWorkersNowAndThen) {
  Platform platform = test::star(PerWorker<Worker>(50, {1e-4, 0.01, 1000, 0}));
  for (int i = 0; i < 50; ++i) platform.workers.push_back({10, 0.01, 1000, 0});
  const Problem problem{.r = 100, .s = 100, .t = 60, .block_size = 80};
  const char* name = "Polaris[effort=low,adapt=yes]";
  const Noise noise{.stops = {{.worker = 5, .at_s = 20}}};
  const Trace trace = run(name, platform, problem, noise);
  EXPECT_FALSE(find_violation(platform, problem, trace, noise).has_value());
  EXPECT_LT(test::makespan(trace), 1.1 * test::makespan(run(name, platform, problem)));
}

// The second worker takes over in bands as high as chunks too: in the other modes it ends at 83 s.
TEST(AdaptingPolaris, PartsHaveTheModesOfTheDivisionOfARival) {
  const Platform platform = test::star({{65.4e-6, 52.3e-6, 22, 0}, {535e-6, 61.3e-6, 13, 0}});
  const Problem problem{.r = 60, .s = 60, .t = 60, .block_size = 80};
  const Noise noise{.stops = {{.worker = 0, .at_s = 5}}};
  const Trace trace = run("Polaris[effort=low,adapt=yes]", platform, problem, noise);
  EXPECT_FALSE(find_violation(platform, problem, trace, noise).has_value());
  EXPECT_LT(test::makespan(trace), 70);
}

}  // namespace
}  // namespace starport
