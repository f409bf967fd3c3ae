// Predictions from the samples of a calibration, and how certain they are.
#include "sim/mpi/execution/prediction.hpp"

#include "sim/app/model_registry.hpp"
#include "sim/models/star/star_model.hpp"
#include "sim/star/analytic_run.hpp"
#include "tests/mpi/mpi_support.hpp"
#include "tests/paths.hpp"
#include "tests/support.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

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
  const json worker{{"c_s", c_s}, {"w_s", w_s}, {"m_blocks", 45}};
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
  double predicted_s = 0;
  std::optional<MedianInterval> interval;
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
  const auto prediction = predict_with_interval(run);
  Outcome outcome{.model_s = compute_metrics(platform, trace).makespan_s,
                  .interval = {},
                  .find_unmeasured = find_unmeasured(run)};
  outcome.predicted_s = outcome.model_s;
  if (!prediction) return outcome;
  outcome.predicted_s = compute_metrics(platform, prediction->trace).makespan_s;
  outcome.interval = prediction->interval_s;
  return outcome;
}

TEST(Prediction, IsAsWideAsWhatWasMeasured) {
  for (const char* heuristic : {"Het", "ODDOML", "Adaptive"}) {
    const Outcome exact = plan_run(platform_text({}), heuristic);
    ASSERT_TRUE(exact.interval) << heuristic;
    EXPECT_NEAR(exact.predicted_s, exact.model_s, 1e-9);
    EXPECT_NEAR(exact.interval->low, exact.predicted_s, 1e-9);
    EXPECT_NEAR(exact.interval->high, exact.predicted_s, 1e-9);
    EXPECT_EQ(describe_wide_interval(*exact.interval, exact.predicted_s), "");
    EXPECT_TRUE(exact.find_unmeasured.empty());

    const Outcome wide = plan_run(platform_text({.updates = 0.4}), heuristic);
    ASSERT_TRUE(wide.interval) << heuristic;
    EXPECT_LT(wide.interval->low, wide.predicted_s);
    EXPECT_GT(wide.interval->high, 1.05 * wide.predicted_s);
    EXPECT_NE(describe_wide_interval(*wide.interval, wide.predicted_s), "");
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
  EXPECT_FALSE(raw.interval);
  EXPECT_TRUE(raw.find_unmeasured.empty());
}

TEST(Prediction, UncertainPredictionIsRefusedWithoutForce) {
  // By the file, a block of 4 x 4 takes 50 ms to update: any machine is faster, even a busy one.
  const TemporaryFile wide(platform_text({.updates = 0.8, .scale = 100, .lasted_s = 12}));
  const std::string words = "execute " + wide.path() + " --problem 16x12x16 --heuristics Het";
  const auto forced = test::mpi(2, words + " --json");
  ASSERT_EQ(forced.status, 0) << forced.err;
  EXPECT_NE(forced.err.find("starport-mpi: Het cannot be predicted to 5%: "), std::string::npos)
      << forced.err;
  const json result = test::json_of(forced.out).at("results").at(0);
  const json& interval = result.at("predicted").at("interval_s");
  EXPECT_LT(interval.at(0), interval.at(1));
  EXPECT_NE(forced.err.find("starport-mpi: worker 1 now takes "), std::string::npos) << forced.err;
  EXPECT_NE(forced.err.find(" Its plan still follows the platform file. Calibrate again"),
            std::string::npos)
      << forced.err;
  EXPECT_LT(result.at("predicted").at("makespan_s"),
            result.at("predicted").at("file_prediction_s"));
  EXPECT_LT(result.at("predicted").at("speed_changes").at(0).at("updates").at("factor"), 1);
  const auto table = test::mpi(2, words);
  EXPECT_NE(table.out.find("From the platform file alone: Het "), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("predicted (s)"), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("95%"), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("of peak"), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("\nWall time: "), std::string::npos) << table.out;
  // Without --force, which test::mpi() adds.
  const auto refused = test::shell(test::kMpiEnvironment + test::kGuard +
                                   "mpirun -n 2 '" STARPORT_MPI_PROGRAM "' " + words);
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.err.find("Het cannot be predicted to 5%: "), std::string::npos) << refused.err;
  EXPECT_NE(refused.err.find("the speed of the machine varied by "), std::string::npos)
      << refused.err;
  EXPECT_NE(refused.err.find("since predicted times would not be accurate to 5%"),
            std::string::npos)
      << refused.err;
}

}  // namespace
}  // namespace starport::mpi
