// Predictions from the samples of a calibration, and how certain they are.
#include "sim/mpi/execution/prediction.hpp"

#include "sim/app/model_registry.hpp"
#include "sim/files/error.hpp"
#include "sim/models/star/star_model.hpp"
#include "sim/mpi/execution/certainty.hpp"
#include "sim/star/analytic_run.hpp"
#include "tests/mpi/mpi_support.hpp"
#include "tests/paths.hpp"
#include "tests/support.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <limits>

namespace starport::mpi {
namespace {

using nlohmann::json;
using test::TemporaryFile;

/// The samples of a worker, relative to the figures of its platform file.
struct Measured {
  double updates = 0;           ///< by how much the samples of updates differ, up and down
  double c = 1;                 ///< factor on messages of C
  double operands = 1;          ///< factor on messages of operands
  std::int64_t block_size = 4;  ///< of the samples; that of the file is 4
  double scale = 1;             ///< factor on all durations, those of the file too
  double lasted_s = 1;          ///< duration of the calibration
  double overhead_s = 0;        ///< of each update, beyond its block updates
  double awaited = 1;           ///< factor on an update of a square by several steps
};

std::string platform_text(const Measured& measured) {
  const std::int64_t q = measured.block_size;
  const double c_s = 1e-3 * measured.scale;
  const double w_s = 5e-4 * measured.scale;
  json links = json::array();
  for (const std::int64_t blocks : {1, 4, 64}) {
    const double time_s = c_s * static_cast<double>(blocks);
    links.push_back({{"worker", 1},
                     {"bytes", blocks * 8 * q * q},
                     {"to_worker_s", json::array({measured.c * time_s, measured.c * time_s})},
                     {"to_master_s", json::array({measured.c * time_s})}});
    links.push_back({{"worker", 1},
                     {"bytes", blocks * 8 * q * q},
                     {"to_worker_s", json::array({measured.operands * time_s})}});
  }
  json updates = json::array();
  for (const double times : {1 - measured.updates, 1., 1 + measured.updates}) {
    for (int n = 0; n < 3; ++n) updates.push_back(w_s * times);
  }
  const json dgemm{{"worker", 1}, {"block_size", q}, {"update_s", updates}};
  const json samples{
      {"dgemm", json::array({dgemm})}, {"links", links}, {"lasted_s", measured.lasted_s}};
  json worker{{"c_s", c_s}, {"w_s", w_s}, {"m_blocks", 45}};
  if (measured.overhead_s > 0 || measured.awaited != 1) {
    const auto add = [&](int rows, int columns, int inner, double factor) {
      const double seconds = measured.overhead_s + factor * rows * columns * inner * w_s;
      worker["speed_function"].push_back({{"rows", rows},
                                          {"columns", columns},
                                          {"inner", inner},
                                          {"block_size", q},
                                          {"seconds", seconds}});
    };
    for (const int rows : {1, 4, 16, 64}) add(rows, 1, 1, 1);
    add(16, 1, 8, 1);
    if (measured.awaited != 1) add(3, 3, 3, measured.awaited);
  }
  return json{{"schema_version", 1},
              {"name", "measured"},
              {"block_size", 4},
              {"provenance", {{"text", "t"}, {"samples", samples}}},
              {"workers", json::array({worker})}}
      .dump();
}

/// The prediction of a run of 24 x 24 x 24 blocks.
struct Outcome {
  double model_s;
  double predicted_s;
  std::optional<TimeVariation> variation;
  std::vector<std::string> find_unmeasured;
};

Outcome plan_run(const std::string& text, const std::string& heuristic) {
  const TemporaryFile file(text);
  const PlatformFile platform_file = load_platform(file.path());
  const Platform platform = platform_file.at_block_size(4);
  const Problem problem{.r = 24, .s = 24, .t = 24, .block_size = 4};
  const auto algorithms = model_registry().read_algorithms(heuristic, "heuristics");
  const Planner planner = make_planner(algorithms.front(), platform, problem);
  const Trace trace = run_to_trace(*planner().dispatcher, platform, problem);
  const PlannedRun run{.file = platform_file,
                       .platform = platform,
                       .problem = problem,
                       .planner = planner,
                       .trace = trace};
  return {.model_s = compute_metrics(platform, trace).makespan_s,
          .predicted_s = compute_metrics(platform, predict_trace(run)).makespan_s,
          .variation = estimate_makespan_variation(run),
          .find_unmeasured = find_unmeasured(run)};
}

TEST(Prediction, VariesAsWhatWasMeasured) {
  for (const char* heuristic : {"Het", "ODDOML", "Adaptive"}) {
    const Outcome exact = plan_run(platform_text({}), heuristic);
    EXPECT_NEAR(exact.predicted_s, exact.model_s, 1e-9);
    ASSERT_TRUE(exact.variation) << heuristic;
    EXPECT_NEAR(level_half_width(*exact.variation), 0, 1e-6);
    EXPECT_TRUE(exact.find_unmeasured.empty());
    const Outcome wide = plan_run(platform_text({.updates = 0.4}), heuristic);
    ASSERT_TRUE(wide.variation) << heuristic;
    EXPECT_GT(level_half_width(*wide.variation), 0.05);
  }
}

// Messages take the time of their samples, even if the line through them is another. With BMM, no
// operands go to a worker that computes.
TEST(Prediction, KnowsWhatMessagesOfTheRunTook) {
  for (const char* heuristic : {"BMM", "Het"}) {
    const Outcome as_the_line = plan_run(platform_text({}), heuristic);
    EXPECT_NEAR(as_the_line.predicted_s, as_the_line.model_s, 1e-9) << heuristic;
    const Outcome slow = plan_run(platform_text({.c = 2, .operands = 2}), heuristic);
    EXPECT_GT(slow.predicted_s, 1.2 * slow.model_s) << heuristic;
    EXPECT_LE(slow.predicted_s, 2 * slow.model_s) << heuristic;
    const Outcome operands = plan_run(platform_text({.operands = 2}), heuristic);
    if (heuristic == std::string("Het")) {
      EXPECT_GT(operands.predicted_s, 1.05 * operands.model_s);
      EXPECT_LT(operands.predicted_s, slow.predicted_s);
    } else {
      EXPECT_NEAR(operands.predicted_s, operands.model_s, 1e-9);
    }
  }
}

// BMM updates by several steps at once, Het by one.
TEST(Prediction, AnUpdateOfSeveralStepsWaitsForACoreOnce) {
  const std::string delayed = platform_text({.overhead_s = 0.01});
  const Outcome het = plan_run(delayed, "Het");
  EXPECT_NEAR(het.predicted_s, het.model_s, 1e-9);
  const Outcome bmm = plan_run(delayed, "BMM");
  EXPECT_LT(bmm.predicted_s, 0.8 * bmm.model_s);
  EXPECT_GT(bmm.predicted_s, 1.2 * plan_run(platform_text({}), "BMM").model_s);
}

// The squares of BMM wait for all their operands; Het's updates are by one step.
TEST(Prediction, UpdatesThatWaitForAllOperandsLastAsMeasured) {
  const std::string slower = platform_text({.awaited = 1.2});
  const Outcome het = plan_run(slower, "Het");
  EXPECT_NEAR(het.predicted_s, het.model_s, 1e-9);
  const Outcome bmm = plan_run(slower, "BMM");
  EXPECT_GT(bmm.predicted_s, 1.05 * bmm.model_s);
  EXPECT_LT(bmm.predicted_s, 1.2 * bmm.model_s);
}

TEST(Prediction, NamesWhatWasNotMeasured) {
  const Outcome other = plan_run(platform_text({.block_size = 8}), "Het");
  ASSERT_EQ(other.find_unmeasured.size(), 1U);
  EXPECT_EQ(other.find_unmeasured[0],
            "w_i was measured with blocks of 8, not of 4. Calibrate with --block-sizes 4");
  // ORROML also sends single blocks, which are smaller than the smallest message measured.
  const Outcome small = plan_run(platform_text({.block_size = 32}), "ORROML");
  ASSERT_EQ(small.find_unmeasured.size(), 2U);
  EXPECT_NE(
      small.find_unmeasured[1].find("c_1 was measured with messages of 8192 bytes and more, but "
                                    "this run has messages of "),
      std::string::npos)
      << small.find_unmeasured[1];
}

TEST(Prediction, NothingIsSaidOfWhatNobodyMeasured) {
  const Outcome raw = plan_run(
      R"({"schema_version": 1, "name": "raw", "block_size": 4, "workers": [
          {"c_s": 0.001, "w_s": 0.0005, "m_blocks": 45}]})",
      "Het");
  EXPECT_FALSE(raw.variation);
  EXPECT_TRUE(raw.find_unmeasured.empty());
}

TEST(Certainty, IsRequiredOrReported) {
  EXPECT_EQ(check_certainty("Het is predicted", 0.04, {}, {"busy"}), "");
  EXPECT_EQ(check_certainty("Het is predicted", 0.04, 0.05, {"busy"}), "");
  EXPECT_EQ(
      check_certainty("Het is predicted", 0.12, {}, {"2 threads, on 1 core. Start fewer"}),
      "Het is predicted to +-12% only, with 95% confidence. 2 threads, on 1 core. Start fewer");
  EXPECT_EQ(check_certainty("c_2 is known", 0.12, 0.2, {}),
            "c_2 is known to +-12% only, with 95% confidence, since the speed of the machines "
            "varied. Calibrate and run while no other program uses them, or calibrate longer with "
            "--seconds");
  EXPECT_THROW(check_certainty("c_2 is known", 0.12, 0.1, {}), SimulationError);
  const double unknown = std::numeric_limits<double>::infinity();
  EXPECT_EQ(check_certainty("Het is predicted", unknown, {}, {}), "");
  EXPECT_THROW(check_certainty("Het is predicted", unknown, 0.5, {}), SimulationError);
}

TEST(Prediction, AnUncertainOneIsReportedAndRefusedOnRequest) {
  // By the file, a block of 4 x 4 takes 50 ms to update: any machine is faster, even a busy one.
  const TemporaryFile wide(platform_text({.updates = 0.8, .scale = 100, .lasted_s = 12}));
  const std::string words = "execute " + wide.path() + " --problem 16x12x16 --heuristics Het";
  const auto outcome = test::mpi(2, words + " --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json report = test::json_of(outcome.out);
  EXPECT_TRUE(report.at("warning").get<std::string>().starts_with("Het is predicted to +-"))
      << report.at("warning");
  const json result = report.at("results").at(0);
  const json& interval = result.at("predicted").at("interval_s");
  EXPECT_LT(interval.at(0), interval.at(1));
  EXPECT_NE(outcome.err.find("starport-mpi: worker 1 now takes "), std::string::npos)
      << outcome.err;
  EXPECT_NE(outcome.err.find(" Its plan still follows the platform file. Calibrate again"),
            std::string::npos)
      << outcome.err;
  EXPECT_LT(result.at("predicted").at("makespan_s"),
            result.at("predicted").at("file_prediction_s"));
  EXPECT_LT(result.at("predicted").at("speed_changes").at(0).at("updates"), 1);
  const auto table = test::mpi(2, words);
  EXPECT_TRUE(table.out.starts_with("Het is predicted to +-")) << table.out;
  EXPECT_NE(table.out.find("From the platform file alone: Het "), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("predicted (s)"), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("95%"), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("of peak"), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("\nWall time: "), std::string::npos) << table.out;
  const auto refused = test::mpi(2, words + " --require 5%");
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.err.find("starport-mpi: Het is predicted to +-"), std::string::npos)
      << refused.err;
  EXPECT_NE(refused.err.find(". --require asks for +-5%"), std::string::npos) << refused.err;
}

TEST(Certainty, CalibrateRefusesOnRequestAndWritesNoFile) {
  const test::TemporaryDirectory directory;
  const std::string path = (directory.path() / "platform.json").string();
  const auto refused = test::mpi(
      2, "calibrate --block-sizes 8 --memory 1MiB --seconds 0.02 --require 0.000001% -o " + path);
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.err.find(" only, with 95% confidence"), std::string::npos) << refused.err;
  EXPECT_FALSE(std::filesystem::exists(path));
  const auto wrong = test::mpi(1, "calibrate --require 5 -o " + path);
  EXPECT_EQ(wrong.status, 2);
  EXPECT_NE(wrong.err.find("--require: expected a share between 0 and 1, such as 5% or 0.05, "
                           "found '5'"),
            std::string::npos)
      << wrong.err;
}

}  // namespace
}  // namespace starport::mpi
