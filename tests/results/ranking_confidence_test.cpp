// Uncertainty of measured platforms, and the confidence in rankings on them.
#include "sim/app/model_registry.hpp"
#include "sim/models/star/star_model.hpp"
#include "sim/platform/noise/noise_json.hpp"
#include "sim/platform/time_variation.hpp"
#include "sim/platform/uncertainty.hpp"
#include "sim/report/comparison_text.hpp"
#include "sim/results/comparison.hpp"
#include "sim/results/figure.hpp"
#include "sim/star/engine/engine.hpp"
#include "tests/cli/json_schema.hpp"
#include "tests/paths.hpp"
#include "tests/support.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace starport {
namespace {

using test::shell;
using test::TemporaryFile;

/// Returns a platform of four workers whose link times were measured with a relative spread.
std::string platform_with_spread(double spread) {
  std::string links;
  for (int worker = 1; worker <= 4; ++worker) {
    links += fmt::format(
        R"({0}{{"worker": {1}, "bytes": 51200, "to_worker_s": [{2}, {3}, {2}, {3}, {2}, {2}, {3}, {3}], "to_master_s": [1]}})",
        worker == 1 ? "" : ", ", worker, 1 - spread, 1 + spread);
  }
  return R"({"schema_version": 1, "name": "measured", "block_size": 80,
    "provenance": {"text": "t", "samples": {"links": [)" +
         links + R"(]}}, "workers": [
      {"name": "a", "c_s": 0.001, "w_s": 0.002, "m_blocks": 60},
      {"name": "b", "c_s": 0.0012, "w_s": 0.002, "m_blocks": 100},
      {"count": 2, "c_s": 0.002, "w_s": 0.001, "m_blocks": 60}]})";
}

std::string call_on(const TemporaryFile& file, const std::string& more) {
  return "starport run " + file.path() +
         " --problem 1600x1600x1600 --engine analytic --heuristics BMM,ODDOML,OMMOML,ORROML " +
         more;
}

TEST(Uncertainty, IsThatOfTheSamples) {
  const TemporaryFile file(R"({"schema_version": 1, "name": "m", "block_size": 80,
    "provenance": {"text": "t", "samples": {
      "dgemm": [{"worker": 1, "block_size": 80, "update_s": [0.9, 1, 1, 1.2]}],
      "links": [{"worker": 2, "bytes": 8, "to_worker_s": [5, 9], "to_master_s": [5]},
                {"worker": 2, "bytes": 80, "to_worker_s": [2, 2.2], "to_master_s": [3]}]}},
    "workers": [
      {"c_s": 1, "w_s": 1, "m_blocks": 60},
      {"c_s": 1, "w_s": 1, "m_blocks": 60, "speed_function": [
        {"rows": 1, "columns": 1, "inner": 1, "block_size": 80, "seconds": 1, "interval_s": [0.5, 2]},
        {"rows": 2, "columns": 2, "inner": 1, "block_size": 80, "seconds": 4, "interval_s": [3, 4.4]}]}
    ]})");
  const auto workers = estimate_uncertainty(load_platform(file.path()), 80);
  ASSERT_EQ(workers.size(), 2U);
  const double half_width = std::log(workers[0].updates.high);
  EXPECT_NEAR(half_width, level_half_width(*estimate_time_variation({0.9, 1, 1, 1.2})), 1e-12);
  EXPECT_NEAR(std::log(workers[0].updates.low), -half_width, 1e-12);
  EXPECT_EQ(workers[0].transfers.low, 1);
  EXPECT_EQ(workers[0].transfers.high, 1);
  EXPECT_DOUBLE_EQ(workers[1].updates.low, 0.75);
  EXPECT_DOUBLE_EQ(workers[1].updates.high, 1.1);
  EXPECT_EQ(workers[1].transfers.high, 1);  // two moments are too few
  EXPECT_TRUE(
      estimate_uncertainty(load_platform(STARPORT_SOURCE_DIR "/platforms/first-try.json"), 80)
          .empty());
}

TEST(Uncertainty, DrawsLieInTheIntervalNineteenTimesInTwenty) {
  const std::vector<WorkerUncertainty> workers{{.transfers = {0.8, 1.1}, .updates = {1, 1}}};
  constexpr int draws = 4000;
  int below = 0;
  int above = 0;
  for (int draw = 1; draw <= draws; ++draw) {
    const Noise noise = with_drawn_platform({}, workers, 7, draw);
    ASSERT_EQ(noise.slow_downs.size(),
              1U);  // the interval of its updates has no width
    below += noise.slow_downs[0].factor < 0.8;
    above += noise.slow_downs[0].factor > 1.1;
  }
  EXPECT_NEAR(below, 0.025 * draws, 40);
  EXPECT_NEAR(above, 0.025 * draws, 40);
}

TEST(Uncertainty, ComesOnTopOfSlowDowns) {
  const std::vector<WorkerUncertainty> workers{{.transfers = {0.8, 1.1}, .updates = {0.9, 1.3}}};
  const Noise noise = with_drawn_platform(parse_noise("slow_link=1@20:x4", "noise"), workers, 1, 1);
  ASSERT_EQ(noise.slow_downs.size(), 3U);
  EXPECT_EQ(noise.slow_downs[1].from_s, 0);
  EXPECT_DOUBLE_EQ(noise.slow_downs[0].factor, 4 * noise.slow_downs[1].factor);
}

TEST(RankingConfidence, IsTheShareOfTheDrawnPlatforms) {
  const TemporaryFile file(platform_with_spread(0.3));
  const auto json = test::json_of(shell(call_on(file, "--draws 40 --json")).out);
  EXPECT_TRUE(test::JsonSchema("experiments/results.schema.json").accepts(json));
  const auto& certainty = json.at("certainty");
  EXPECT_EQ(certainty.at("draws"), 40);
  const auto& results = certainty.at("results");
  ASSERT_EQ(results.size(), 4U);
  double fastest = 0;
  for (const auto& one : results) fastest += one.at("fastest").get<double>();
  EXPECT_GE(fastest, 1);
  EXPECT_EQ(results[0].at("beaten_by_first"), 0);
  // The same shares from single runs, one per draw.
  const PlatformFile platform = load_platform(file.path());
  const Case instance{platform, parse_problem("1600x1600x1600", 80)};
  const auto uncertain = estimate_uncertainty(platform, 80);
  const auto time_s = [&](const std::string& name, int draw) {
    RunOptions options{.engine = EngineKind::analytic};
    options.noise = with_drawn_platform({}, uncertain, 0, draw);
    options.noise.repetition = draw;
    const auto algorithms = model_registry().read_algorithms(name, "heuristics");
    return run(algorithms[0], instance, model_registry().models, options).figures.real(kMakespan);
  };
  const std::string first = results[0].at("heuristic");
  for (std::size_t other = 1; other < results.size(); ++other) {
    int beaten = 0;
    for (int draw = 1; draw <= 40; ++draw) {
      beaten += time_s(first, draw) < time_s(results[other].at("heuristic"), draw) * (1 - 1e-9);
    }
    EXPECT_DOUBLE_EQ(results[other].at("beaten_by_first").get<double>(), beaten / 40.0);
  }
}

// Whatever engine the runs themselves have: SimGrid would start a process for each draw.
TEST(RankingConfidence, IsComputedByTheAnalyticEngine) {
  const TemporaryFile file(platform_with_spread(0.3));
  const Case instance{load_platform(file.path()), parse_problem("1600x1600x1600", 80)};
  std::vector<EngineKind> engines;
  const StarModel star([&](EngineKind kind, const SimulationLimits&) -> std::unique_ptr<Engine> {
    engines.push_back(kind);
    return std::make_unique<AnalyticEngine>();
  });
  const auto algorithms = model_registry().read_algorithms("ODDOML,BMM", "heuristics");
  const RunOptions options{.engine = EngineKind::simgrid};
  const Comparison comparison = compare(algorithms, instance, {&star}, options);
  engines.clear();
  EXPECT_TRUE(estimate_ranking_confidence(comparison, algorithms, options, 3));
  ASSERT_FALSE(engines.empty());
  EXPECT_EQ(std::ranges::count(engines, EngineKind::simgrid), 0);
}

// Those that take longest are left out.
TEST(RankingConfidence, IsThatOfTheFastestFour) {
  const TemporaryFile file(platform_with_spread(0.3));
  const auto json = test::json_of(
      shell("starport run " + file.path() +
            " --problem 1600x1600x1600 --engine analytic --json --draws 3 --heuristics all")
          .out);
  EXPECT_GT(json.at("results").size(), 4U);
  EXPECT_EQ(json.at("certainty").at("results").size(), 4U);
}

TEST(RankingConfidence, IsToldAndReproduced) {
  const TemporaryFile file(platform_with_spread(0.3));
  const std::string text = shell(call_on(file, "--draws 30")).out;
  EXPECT_NE(text.find("\nOn 30 platforms drawn from the measured intervals, "), std::string::npos)
      << text;
  EXPECT_NE(text.find(" is faster than "), std::string::npos) << text;
  const auto shares = [&](const std::string& more) {
    return test::json_of(shell(call_on(file, "--draws 30 --json " + more)).out).at("certainty");
  };
  EXPECT_EQ(shares(""), shares(""));
  EXPECT_EQ(shell(call_on(file, "--draws 0")).out.find(" is faster than "), std::string::npos);
  EXPECT_EQ(shell("starport run platforms/first-try.json --problem 800x800x800").out.find("drawn"),
            std::string::npos);
}

TEST(RankingConfidence, IsFullWhereNothingIsOpen) {
  const TemporaryFile file(platform_with_spread(1e-6));
  const auto certainty =
      test::json_of(shell(call_on(file, "--draws 10 --json")).out).at("certainty");
  EXPECT_EQ(certainty.at("results")[0].at("fastest"), 1);
  EXPECT_EQ(certainty.at("results")[3].at("beaten_by_first"), 1);
}

}  // namespace
}  // namespace starport
