// The self-test passes, and finds what is planted.
#include "sim/app/algorithms.hpp"
#include "sim/app/model_registry.hpp"
#include "sim/files/json.hpp"
#include "sim/models/spmd/spmd_model.hpp"
#include "sim/models/tiles/tile_model.hpp"
#include "sim/results/figure.hpp"
#include "sim/spmd/engine.hpp"
#include "sim/star/engine/engine.hpp"
#include "tests/selftest/consistency_checks.hpp"
#include "tests/selftest/random_cases.hpp"
#include "tests/selftest/trials.hpp"
#include "tests/support.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

namespace starport {
namespace {

using test::shell;
using test::TemporaryDirectory;
using test::TemporaryFile;

// Consecutive cases are of different models.
constexpr const char* kCases = test::kSeedStride == 1 ? "9" : "3";

TEST(SelfTest, HoldsOnDrawnCases) {
  const auto outcome =
      shell(std::string("starport_selftest --seconds 1e6 --seed 5 --cases ") + kCases);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(outcome.out.starts_with(kCases + std::string(" cases of seed 5 in "))) << outcome.out;
}

// Each in at least one of fifty cases of tile tasks.
TEST(SelfTest, DrawsReductionsRelaysAndUnlikeLinks) {
  int cases = 0;
  int reductions = 0;
  int relays = 0;
  int unlike_links = 0;
  int unlike_directions = 0;
  for (std::int64_t number = 1; number <= 900; ++number) {
    const auto drawn = test::json_of(draw_case(5, number, model_registry().models));
    const auto& experiment = drawn.at("experiments").at(0);
    if (experiment.at("name") != "tiles") continue;
    ++cases;
    for (const std::string& name : drawn.at("heuristics").get<std::vector<std::string>>()) {
      const auto has = [&](const char* text) { return name.find(text) != std::string::npos; };
      reductions += has("NRRP3D") && has("redux=yes") ? 1 : 0;
      relays += has("copies=relay") ? 1 : 0;
    }
    std::set<std::string> bandwidths;
    bool differ = false;
    for (const auto& worker : experiment.at("platforms").at(0).at("platform").at("workers")) {
      if (!worker.contains("bandwidth")) continue;
      bandwidths.insert(worker.at("bandwidth").dump());
      differ = differ || worker.at("return_bandwidth") != worker.at("bandwidth");
    }
    unlike_links += bandwidths.size() > 1 ? 1 : 0;
    unlike_directions += differ ? 1 : 0;
  }
  EXPECT_EQ(cases, 300);
  for (const int count : {reductions, relays, unlike_links, unlike_directions}) {
    EXPECT_GE(50 * count, cases);
  }
}

std::string specification(const std::string& heuristic) {
  return R"({"schema_version": 1, "name": "planted", "heuristics": [")" + heuristic +
         R"("], "experiments": [{"name": "e", "problems": ["40"], "platforms": [{"platform": {
         "schema_version": 1, "name": "p", "block_size": 10, "workers": [
         {"count": 2, "c_s": 1, "w_s": 2, "m_blocks": 60}]}}]}]})";
}

/// Returns the fault found in runs of the algorithm.
std::string found(const std::string& heuristic, const Models& models) {
  const TemporaryFile file(specification(heuristic));
  const ModelRegistry changed{.models = models, .read_algorithms = read_algorithms};
  CheckCounts counts;
  return find_fault_in_runs(load_specification(file.path(), changed), models, counts);
}

/// An engine on which workers are a millionth slower.
class SlowEngine final : public Engine {
 public:
  using Engine::run;
  Run run(const Platform& platform, const Problem& problem, const Planner& planner,
          const Noise& noise) const override {
    Platform slower = platform;
    for (Worker& worker : slower.workers) worker.w_s *= 1 + 1e-6;
    return AnalyticEngine().run(slower, problem, planner, noise);
  }
};

StarModel star_model_with(bool wrong) {
  return StarModel([wrong](EngineKind kind, const SimulationLimits&) -> std::unique_ptr<Engine> {
    if (wrong && kind == EngineKind::analytic) return std::make_unique<SlowEngine>();
    return std::make_unique<AnalyticEngine>();
  });
}

TEST(SelfTest, FindsAWrongDurationOnTheStar) {
  const StarModel right = star_model_with(false);
  EXPECT_EQ(found("ODDOML", {&right}), "");
  const StarModel wrong = star_model_with(true);
  EXPECT_TRUE(found("ODDOML", {&wrong})
                  .starts_with("instance 1, ODDOML: on analytic: the trace breaks the model at "
                               "transfer "))
      << found("ODDOML", {&wrong});
}

TEST(SelfTest, FindsAWrongDurationOfTiles) {
  const tiles::TileModel wrong([](const tiles::Platform& platform, const tiles::TaskGraph& work,
                                  const tiles::StrategyMaker& strategy,
                                  const tiles::EngineOptions& options, double) {
    tiles::TileTrace trace = tiles::run_event_engine(platform, work, strategy, options);
    trace.tasks.back().end_s *= 1 + 1e-6;
    return trace;
  });
  EXPECT_TRUE(found("DMDA", {&wrong}).starts_with("instance 1, DMDA: on simgrid: the trace breaks"))
      << found("DMDA", {&wrong});
}

TEST(SelfTest, FindsAWrongDurationOfADistributedProduct) {
  spmd::Simulators simulators;
  simulators.product = [](const spmd::Cluster& cluster, const spmd::ProductPlan& plan, double,
                          const spmd::StageSink& sink, const spmd::ProductDurations& durations) {
    spmd::ProductRun run =
        spmd::run_product(cluster, plan.partitioning.partition, plan.rules, sink, durations);
    run.makespan_s *= 1 + 1e-6;
    return run;
  };
  const spmd::SpmdModel wrong(simulators);
  EXPECT_NE(found("FPM", {&wrong}), "");
}

// A heuristic that ends before any schedule can: the bound, not an engine, tells.
TEST(SelfTest, FindsARunBeforeABound) {
  const TemporaryFile file(specification("ODDOML"));
  const Specification planted = load_specification(file.path(), model_registry());
  const Case instance = planted.instance(1).in_blocks();
  Record record;
  record.figures.set(kMakespan, 1.0);
  EXPECT_TRUE(trials_of(star_model())
                  ->find_fault(planted.experiments[0].algorithms->front(), instance, {}, record)
                  .starts_with("it ends at 1 s, before any-schedule bound, "));
}

// A case is repeated from its file alone; a specification of any sweep is one.
TEST(SelfTest, RepeatsAFile) {
  const TemporaryFile file(specification("ODDOML\", \"DMDA\", \"FPM"));
  const auto good = shell("starport_selftest --repeat " + file.path());
  EXPECT_EQ(good.status, 0) << good.err;
  EXPECT_EQ(good.out, file.path() + ": 3 runs agree, and so does the sweep\n");
  EXPECT_EQ(shell("starport_selftest --repeat " + file.path() + " --seed 3").status, 2);
  EXPECT_EQ(shell("starport_selftest --seconds x").status, 2);
  EXPECT_EQ(shell("starport_selftest --repeat /dev/null").status, 2);
}

// A fault is told with the seed, and leaves a file that has it again.
TEST(SelfTest, LeavesACaseThatFails) {
  const TemporaryDirectory work;
  const StarModel wrong = star_model_with(true);
  const ModelRegistry planted{.models = {&wrong}, .read_algorithms = read_algorithms};
  testing::internal::CaptureStderr();
  const int status = self_test({.command = {"starport", "selftest"},
                                .seed = 7,
                                .seconds = 1e6,
                                .directory = work.path().string()},
                               planted);
  const std::string told = testing::internal::GetCapturedStderr();
  EXPECT_EQ(status, 1);
  EXPECT_TRUE(told.starts_with("starport: case 1 of seed 7: instance 1, ")) << told;
  const std::string left = (work.path() / "selftest-7-1.json").string();
  EXPECT_NE(told.find("\nstarport: to repeat it: starport_selftest --repeat " + left + "\n"),
            std::string::npos)
      << told;
  CheckCounts counts;
  const std::string again =
      find_fault_in_runs(load_specification(left, planted), planted.models, counts);
  EXPECT_TRUE(told.starts_with("starport: case 1 of seed 7: " + again + "\n")) << again;
  // The fault is in the engine that was planted, not in the case.
  EXPECT_EQ(shell("starport_selftest --repeat " + left).status, 0);
}

}  // namespace
}  // namespace starport
