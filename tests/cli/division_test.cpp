// Commands on algorithms that divide C before the start: plan, sweeps over ratios, lines by column.
#include "sim/files/input_file.hpp"
#include "sim/files/json.hpp"
#include "tests/support.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace starport {
namespace {

using test::shell;
using test::TemporaryDirectory;
using test::TemporaryFile;

TEST(Division, PlanDrawsWhoComputesWhat) {
  const TemporaryDirectory work;
  const std::string drawing = (work.path() / "corner.csv").string();
  const auto outcome = shell(
      "starport plan platforms/two-processors.json --problem 6500 "
      "--heuristics SquareCorner -o " +
      drawing);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, drawing + ": worker 2 has a square of side 1625, of 6500\n");
  // The square is in the lower right corner.
  EXPECT_NE(read_file(drawing).find("zone,2,,0,0.75,1,0,0.25"), std::string::npos)
      << read_file(drawing);
  const auto refused = shell(
      "starport plan platforms/first-try.json --problem 800 --heuristics "
      "SquareCorner -o " +
      drawing);
  EXPECT_EQ(refused.status, 1);
  EXPECT_TRUE(refused.err.starts_with("starport: SquareCorner: ")) << refused.err;
}

TEST(Division, RatiosAsAnAxisAndLinesByColumn) {
  const TemporaryFile sweep(R"({"schema_version": 1, "name": "ratios", "heuristics": ["FPM"],
    "experiments": [{"name": "e", "problems": ["64", "128"], "platforms": [{"platform":
      {"schema_version": 1, "name": "two", "block_size": 8, "workers": [
        {"count": 2, "bandwidth": "1GBps", "speed": "1Gf", "memory": "1GB"}]}}],
      "overrides": [{"field": "speed", "name": "ratio", "workers": [2], "divide": [1, 4]}]}]})");
  const TemporaryDirectory work;
  const std::string results = (work.path() / "results").string();
  const auto swept = shell("starport sweep " + sweep.path() + " --engine analytic -o " + results);
  ASSERT_EQ(swept.status, 0) << swept.err;
  const std::string lines = (work.path() / "lines.csv").string();
  const auto plotted = shell("starport plot " + results +
                             "/results.csv --figure lines --x ratio "
                             "--value speed_tflops --series problem -o " +
                             lines);
  ASSERT_EQ(plotted.status, 0) << plotted.err;
  const std::string data = read_file(lines);
  EXPECT_EQ(std::count(data.begin(), data.end(), '\n'), 5) << data;
  for (const char* row : {"1,,problem 64,", "4,,problem 64,", "1,,problem 128,"}) {
    EXPECT_NE(data.find(row), std::string::npos) << data;
  }
  const auto unknown = shell("starport plot " + results +
                             "/results.csv --figure lines --x ratio "
                             "--series color -o " +
                             lines);
  EXPECT_EQ(unknown.status, 2);
  EXPECT_NE(unknown.err.find("color"), std::string::npos) << unknown.err;
}

TEST(Division, RunsOfSeveralModelsStandInOneTable) {
  const auto outcome = shell(
      "starport run platforms/thirty-two.json --problem 1600 --heuristics "
      "'FPM,FPM[data=hub],ODDOML' --engine analytic --csv");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 4);
  const auto noisy = shell(
      "starport run platforms/thirty-two.json --problem 1600 --heuristics FPM "
      "--engine analytic --noise cv=10%,seed=2 --repetitions 3");
  ASSERT_EQ(noisy.status, 0) << noisy.err;
  EXPECT_NE(noisy.out.find("95% interval"), std::string::npos);
}

}  // namespace
}  // namespace starport
