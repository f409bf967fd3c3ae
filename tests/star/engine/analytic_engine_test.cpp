// The second engine says the same as SimGrid, for every heuristic.
#include "heuristics/star/registry.hpp"
#include "sim/app/algorithms.hpp"
#include "sim/files/error.hpp"
#include "sim/files/input_file.hpp"
#include "sim/star/engine/engine.hpp"
#include "sim/star/metrics.hpp"
#include "sim/star/trace.hpp"
#include "sim/star/validator/validator.hpp"
#include "sim/sweep/run_sweep.hpp"
#include "tests/star/star_support.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

namespace starport {
namespace {

using test::RandomInstance;
using test::TemporaryDirectory;
using test::TemporaryFile;

// Instances some of which have coinciding dates, four for each number of workers and way to draw
// them. Every run of the self-test draws others.
TEST(EqualEngines, OnRandomInstances) {
  for (std::uint64_t seed = 1; seed <= 84; ++seed) {
    const RandomInstance instance =
        seed % 3 == 0 ? test::uneven_instance(seed, 3) : test::random_instance(seed, seed % 7 + 1);
    for (const NamedHeuristic& named : test::every_third_heuristic(seed)) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", " + named.name);
      try {
        test::run_on_both_engines(instance.platform, instance.problem, [&] {
          return named.heuristic->plan(instance.platform, instance.problem);
        });
      } catch (const NotApplicable&) {
        EXPECT_EQ(named.name, "HoLM");
      } catch (const InputError&) {  // no worker has the memory
      }
    }
  }
}

// Code of others that ends its process, or returns from planning in two of them.
TEST(AnalyticEngine, StreamsOfHostilePlannersAreErrorsOfTheirRun) {
  const auto instance = test::random_instance(1);
  const auto heuristic = parse_heuristics("ODDOML");
  const auto plan = [&] {
    return heuristic[0].heuristic->plan(instance.platform, instance.problem);
  };
  const auto error_of = [&](const Planner& planner) -> std::string {
    try {
      AnalyticEngine().run(instance.platform, instance.problem, planner);
    } catch (const SimulationError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(error_of([]() -> Plan { ::_exit(0); }),
            "the process of the heuristic ended before its plan was complete");
  for (int i = 0; i < 20; ++i) {
    const std::string error = error_of([&] {
      static_cast<void>(::fork());
      return plan();
    });
    // The second process may be too late to be heard.
    EXPECT_TRUE(error.empty() || error.ends_with("to its pipe")) << error;
  }
}

// A stream measures what the trace of a run measures.
TEST(AnalyticEngine, StreamsWhatItRuns) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const RandomInstance instance = test::random_instance(seed);
    const auto& [platform, problem] = instance;
    for (const char* name : {"ODDOML", "ORROML", "Het", "OMMOML", "Hom"}) {
      const auto heuristics = parse_heuristics(name);
      const auto plan = [&, &platform = platform, &problem = problem] {
        return heuristics[0].heuristic->plan(platform, problem);
      };
      MetricsAccumulator meter(platform.workers.size());
      const auto about = AnalyticEngine().measure(platform, problem, plan, Noise{}, meter);
      ASSERT_TRUE(about);
      const auto run = AnalyticEngine().run(platform, problem, plan);
      const Metrics streamed = meter.metrics();
      const Metrics traced = compute_metrics(platform, run.trace);
      EXPECT_EQ(streamed.makespan_s, traced.makespan_s);
      EXPECT_EQ(streamed.blocks_moved, traced.blocks_moved);
      EXPECT_EQ(streamed.enrolled_workers, traced.enrolled_workers);
      EXPECT_EQ(streamed.port_utilisation, traced.port_utilisation);
      EXPECT_EQ(about->details, run.details);
    }
  }
}

Planner plan_of(std::function<test::Choice(const MasterView&)> next) {
  return [next = std::move(next)] { return test::function_plan(next); };
}

std::string measure_failure(std::function<test::Choice(const MasterView&)> next,
                            SimulationLimits limits = {}) {
  MetricsAccumulator meter(1);
  try {
    AnalyticEngine(limits).measure(test::star({{1, 1, 5, 0}}), {1, 1, 1, 1},
                                   plan_of(std::move(next)), Noise{}, meter);
  } catch (const SimulationError& error) {
    return error.what();
  }
  return "";
}

TEST(AnalyticEngine, WhatDoesNotGetToItsEndIsAnError) {
  EXPECT_EQ(measure_failure([](const MasterView&) -> test::Choice { return Done{}; }),
            "the run is incomplete: 0 of 1 block updates done, 0 of 1 blocks of C returned");
  EXPECT_EQ(measure_failure([](const MasterView&) -> test::Choice {
              Transfer transfer;
              transfer.worker = 3;
              return transfer;
            }),
            "the dispatcher decided a transfer for worker 4; workers are numbered 1 to 1");
  EXPECT_EQ(
      measure_failure([](const MasterView&) -> test::Choice {
        Transfer transfer;
        transfer.after_update = 2;
        return transfer;
      }),
      "the dispatcher decided a transfer that waits for update 2 of worker 1, of which 0 exist");
  EXPECT_EQ(measure_failure([](const MasterView&) -> test::Choice { return Transfer{}; },
                            {.time_limit_s = 1e-9}),
            "timed out after 1e-09 s");
  EXPECT_NE(measure_failure([](const MasterView&) -> test::Choice { return Wait{}; }), "");
}

// The run without noise, which fixes the order of a plan, has the limits of a run.
TEST(AnalyticEngine, AnEndlessPlanIsStoppedUnderNoiseToo) {
  Noise noise;
  noise.updates.ratios = {0.9, 1.1};
  const auto endless = plan_of([](const MasterView&) -> test::Choice { return Transfer{}; });
  const auto error_of = [&](const SimulationLimits& limits) -> std::string {
    MetricsAccumulator meter(1);
    try {
      AnalyticEngine(limits).measure(test::star({{1, 1, 5, 0}}), {1, 1, 1, 1}, endless, noise,
                                     meter);
    } catch (const SimulationError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(error_of({.memory_bytes = 240'000}),
            "stopped after 1000 transfers: a longer run would not fit in memory");
  EXPECT_EQ(error_of({.time_limit_s = 1e-9}), "timed out after 1e-09 s");
}

// On a multi-port master without a limit, every transfer is decided before the first one ends.
TEST(AnalyticEngine, AnEndlessPlanIsStoppedOnManyPortsToo) {
  const auto endless = plan_of([](const MasterView&) -> test::Choice { return Transfer{}; });
  Platform platform = test::star({{1, 1, 5, 0}});
  platform.port = {.kind = Port::Kind::multi};
  const AnalyticEngine engine({.memory_bytes = 240'000});
  const auto error_of = [&](const auto& run) -> std::string {
    try {
      run();
    } catch (const SimulationError& error) {
      return error.what();
    }
    return "";
  };
  const std::string stopped = "stopped after 1000 transfers: a longer run would not fit in memory";
  MetricsAccumulator meter(1);
  EXPECT_EQ(error_of([&] { engine.measure(platform, {1, 1, 1, 1}, endless, {}, meter); }), stopped);
  EXPECT_EQ(error_of([&] { engine.run(platform, {1, 1, 1, 1}, endless); }), stopped);
}

// Traces of one worker, c=1 w=5: the dates of one of them moved.
TEST(TraceDifference, TellsWhereTracesDiffer) {
  const Platform platform = test::star({{1, 5, 5, 0}});
  const Trace trace = test::by_recurrence("HomI", platform, {1, 1, 3, 1});
  EXPECT_EQ(find_difference(trace, trace), "");
  Trace moved = trace;
  moved[2].dates.update_end_s += 1e-9;  // of 19 s
  EXPECT_EQ(find_difference(moved, trace), "");
  moved[2].dates.update_end_s += 1e-7;
  EXPECT_NE(find_difference(moved, trace).find("transfer 3 has its update end at 13."),
            std::string::npos);
  moved = trace;
  moved.pop_back();
  EXPECT_EQ(find_difference(moved, trace), "4 transfers instead of 5");
  moved = trace;
  std::swap(moved[1], moved[2]);
  EXPECT_EQ(find_difference(moved, trace), "transfer 2 is another one");
  // Dates of a run that does not end: others differ all the same.
  Trace endless = trace;
  endless.back().dates.end_s = kUnknown;
  EXPECT_EQ(find_difference(endless, endless), "");
  EXPECT_NE(find_difference(trace, endless), "");
  moved = endless;
  moved[0].dates.end_s += 1;
  EXPECT_NE(find_difference(moved, endless), "");
}

/// An engine that is wrong about everything by a second.
class LateEngine final : public Engine {
 public:
  using Engine::run;
  Run run(const Platform& platform, const Problem& problem, const Planner& plan,
          const Noise& noise) const override {
    Run run = AnalyticEngine().run(platform, problem, plan, noise);
    for (TracedTransfer& event : run.trace) event.dates.end_s += 1;
    return run;
  }
};

/// A program whose star has other engines.
ModelRegistry registry_with(const StarModel& star) {
  return {.models = {&star}, .read_algorithms = read_algorithms};
}

TEST(CrossCheck, ADifferenceIsAnErrorOfTheRow) {
  const TemporaryFile file(R"({"schema_version": 1, "name": "x", "heuristics": ["ODDOML", "HoLM"],
      "experiments": [{"name": "e", "problems": ["80x80x160"], "repetitions": 40, "platforms": [
        {"generate": {"name": "g", "workers": 2, "bandwidth": {"uniform": ["1MBps", "2MBps"]},
                      "speed": "1Gf", "memory": "1MB"}}]}]})");
  const StarModel late([](EngineKind kind, const SimulationLimits&) -> std::unique_ptr<Engine> {
    if (kind == EngineKind::simgrid) return std::make_unique<LateEngine>();
    return std::make_unique<AnalyticEngine>();
  });
  const Specification specification = load_specification(file.path(), registry_with(late));
  const TemporaryDirectory work;
  ResultDirectory directory((work.path() / "out").string(), specification,
                            {.engine = "analytic", .simgrid_version = "", .shard = {}},
                            nlohmann::ordered_json::object());
  const SweepOptions engines{
      .engine = EngineKind::analytic, .limits = {.time_limit_s = 60}, .cross_check = 0.25};
  const SweepProgress state =
      run_sweep(specification, directory, engines, 2, [](const SweepProgress&) { return true; });
  std::int64_t sampled = 0;
  for (std::int64_t number = 1; number <= specification.size(); ++number) {
    sampled += engines.is_cross_checked(specification, number);
  }
  EXPECT_EQ(state.failures, sampled);
  EXPECT_GT(sampled, 2);  // of 40, a quarter: within five standard deviations
  EXPECT_LT(sampled, 24);
  const std::string rows = read_file((work.path() / "out/results.csv").string());
  EXPECT_NE(rows.find("cross-check with simgrid: transfer 1 ends at "), std::string::npos) << rows;
  // Nothing is left, and no process to do it.
  EXPECT_EQ(run_sweep(specification, directory, engines, 0, [](const auto&) { return true; }).done,
            specification.size());
}

/// An engine that takes for ever on its own, and is quick in a process of its own.
class SlowMeasure final : public Engine {
 public:
  using Engine::run;
  Run run(const Platform& platform, const Problem& problem, const Planner& plan,
          const Noise& noise) const override {
    return AnalyticEngine().run(platform, problem, plan, noise);
  }
  std::optional<PlanSummary> measure(const Platform& platform, const Problem&, const Planner&,
                                     const Noise&, MetricsAccumulator&) const override {
    if (platform.workers.front().c_s < 0.03) {
      for (volatile int forever = 1; forever != 0;) {
      }
    }
    return std::nullopt;
  }
};

// An instance that takes too long in the common process is run again, heuristic by heuristic.
TEST(RunSweep, WhatTakesTooLongIsRunAgainIsolated) {
  const TemporaryFile file(R"({"schema_version": 1, "name": "x", "heuristics": ["ODDOML", "BMM"],
      "experiments": [{"name": "e", "problems": ["80x80x160"], "platforms": [{"platform":
        {"schema_version": 1, "name": "p", "workers": [
          {"bandwidth": "1MBps", "speed": "1Gf", "memory": "1MB"}]}}],
        "overrides": [{"field": "bandwidth", "multiply": [1, 2, 4]}]}]})");
  const StarModel slow([](EngineKind, const SimulationLimits&) -> std::unique_ptr<Engine> {
    return std::make_unique<SlowMeasure>();
  });
  const Specification specification = load_specification(file.path(), registry_with(slow));
  const TemporaryDirectory work;
  ResultDirectory directory((work.path() / "out").string(), specification,
                            {.engine = "slow", .simgrid_version = "", .shard = {}},
                            nlohmann::ordered_json::object());
  const SweepOptions engines{.engine = EngineKind::analytic, .limits = {.time_limit_s = 1}};
  const SweepProgress state =
      run_sweep(specification, directory, engines, 2, [](const SweepProgress&) { return true; });
  EXPECT_EQ(state.done, 3);
  EXPECT_EQ(state.failures, 0);
  EXPECT_TRUE(directory.missing().empty());
}

/// An engine whose runs, each within the limit, exceed it together; it counts them in a file.
class SlowRuns final : public Engine {
 public:
  explicit SlowRuns(std::string log) : log_(std::move(log)) {}
  using Engine::run;
  Run run(const Platform& platform, const Problem& problem, const Planner& plan,
          const Noise& noise) const override {
    std::ofstream(log_, std::ios::app) << "run\n";
    std::this_thread::sleep_for(std::chrono::milliseconds(700));
    return AnalyticEngine().run(platform, problem, plan, noise);
  }

 private:
  std::string log_;
};

// The limit is that of a run, not that of an instance.
TEST(RunSweep, RunsOfTheirOwnAreNotRunAgain) {
  const TemporaryFile file(R"({"schema_version": 1, "name": "x", "heuristics": ["ODDOML", "BMM"],
      "experiments": [{"name": "e", "problems": ["80x80x160"], "platforms": [{"platform":
        {"schema_version": 1, "name": "p", "workers": [
          {"bandwidth": "1MBps", "speed": "1Gf", "memory": "1MB"}]}}]}]})");
  const TemporaryDirectory work;
  const std::string log = (work.path() / "log").string();
  const StarModel slow([&](EngineKind, const SimulationLimits&) -> std::unique_ptr<Engine> {
    return std::make_unique<SlowRuns>(log);
  });
  const Specification specification = load_specification(file.path(), registry_with(slow));
  ResultDirectory directory((work.path() / "out").string(), specification,
                            {.engine = "slow runs", .simgrid_version = "", .shard = {}},
                            nlohmann::ordered_json::object());
  const SweepOptions engines{.engine = EngineKind::simgrid, .limits = {.time_limit_s = 1}};
  const SweepProgress state =
      run_sweep(specification, directory, engines, 1, [](const SweepProgress&) { return true; });
  EXPECT_EQ(state.done, 1);
  EXPECT_EQ(state.failures, 0);
  EXPECT_EQ(read_file(log), "run\nrun\n");
}

}  // namespace
}  // namespace starport
