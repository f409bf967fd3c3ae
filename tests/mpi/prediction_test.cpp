// What a prediction is worth, by what was measured.
#include "sim/mpi/execution/prediction.hpp"

#include "sim/app/known.hpp"
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

/// A worker whose updates were measured to take so many times, up and down, what the file says, and
/// messages of C and of operands other times.
struct Measured {
  double updates = 0;
  double c = 1;
  double operands = 1;
  std::int64_t block_size = 4;
};

constexpr double kC_s = 1e-3;
constexpr double kW_s = 5e-4;

std::string platform_text(const Measured& measured) {
  const std::int64_t q = measured.block_size;
  json links = json::array();
  for (const std::int64_t blocks : {1, 4, 64}) {
    const double time_s = kC_s * static_cast<double>(blocks);
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
    for (int n = 0; n < 3; ++n) updates.push_back(kW_s * times);
  }
  const json dgemm{{"worker", 1}, {"block_size", q}, {"update_s", updates}};
  const json samples{{"dgemm", json::array({dgemm})}, {"links", links}, {"lasted_s", 1}};
  const json worker{{"c_s", kC_s}, {"w_s", kW_s}, {"m_blocks", 45}};
  return json{{"schema_version", 1},
              {"name", "measured"},
              {"block_size", 4},
              {"provenance", {{"text", "t"}, {"samples", samples}}},
              {"workers", json::array({worker})}}
      .dump();
}

/// Of the heuristic's run of 24 x 24 x 24 blocks.
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
  const auto algorithms = known().read_algorithms(heuristic, "heuristics");
  const Planner planner = planner_of(algorithms.front(), platform, problem);
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

// Messages take what they took when they were measured, though the line is another. Operands go to
// a worker that computes, but with BMM.
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
            "w_i was measured with blocks of 8, not of 4 (calibrate --block-sizes 4)");
  // ODDOML's messages have more blocks, BMM's and the last ones of small products fewer.
  const Outcome small = plan_run(platform_text({.block_size = 32}), "ORROML");
  ASSERT_EQ(small.find_unmeasured.size(), 2U);
  EXPECT_NE(small.find_unmeasured[1].find("c_1 was measured with messages from 8192 bytes on, and some "
                                     "of this run have "),
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

TEST(Prediction, IsRefusedBeforeTheRunOrTold) {
  const TemporaryFile wide(platform_text({.updates = 0.4}));
  const std::string words = "execute " + wide.path() + " --problem 40x24x40 --heuristic Het";
  const auto forced = test::mpi(2, words + " --json");
  ASSERT_EQ(forced.status, 0) << forced.err;
  EXPECT_NE(forced.err.find("starport-mpi: Het is not predicted: "), std::string::npos)
      << forced.err;
  const json result = test::json_of(forced.out).at("results").at(0);
  const json& interval = result.at("predicted").at("interval_s");
  EXPECT_LT(interval.at(0), interval.at(1));
  // No machine takes half a millisecond for a block of 4 x 4.
  EXPECT_NE(forced.err.find("starport-mpi: worker 1 updates a block in "), std::string::npos)
      << forced.err;
  EXPECT_NE(forced.err.find(" (calibrate again: plans are made by the file)\n"), std::string::npos)
      << forced.err;
  EXPECT_LT(result.at("predicted").at("makespan_s"), result.at("predicted").at("by_file_s"));
  EXPECT_LT(result.at("predicted").at("today").at(0).at("updates").at("times"), 1);
  const auto table = test::mpi(2, words);
  EXPECT_NE(table.out.find("just before; by the file alone: Het "), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("predicted (s)"), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("95%"), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("of peak"), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("\nWall time: "), std::string::npos) << table.out;
  // Without --force, which test::mpi gives: whatever else this machine is told of.
  const auto refused =
      test::shell(test::kMpiEnvironment + "mpirun -n 2 '" STARPORT_MPI_PROGRAM "' " + words);
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.err.find("Het is not predicted: "), std::string::npos) << refused.err;
  EXPECT_NE(refused.err.find("changed its speed by "), std::string::npos) << refused.err;
  EXPECT_NE(refused.err.find("no prediction would hold to 5%, so this ends here"),
            std::string::npos)
      << refused.err;
}

}  // namespace
}  // namespace starport::mpi
