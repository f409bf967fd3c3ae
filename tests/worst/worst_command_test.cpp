// starport worst: the search on stars, simulated.
#include "tests/support.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace starport {
namespace {

using test::shell;
using test::TemporaryDirectory;
using test::TemporaryFile;

constexpr const char* kSmallSpace = R"({"schema_version": 1, "workers": [2, 6],
  "bandwidth": {"log_uniform": ["10MBps", "1GBps"]}, "speed": {"uniform": ["1Gf", "20Gf"]},
  "memory": {"log_uniform": ["1MB", "100MB"]}, "r": [1, 20], "s": [1, 20], "t": [1, 20]})";

TEST(WorstCommand, FindsAnInstanceThatRunConfirms) {
  const TemporaryFile space(kSmallSpace);
  const TemporaryDirectory folder;
  const std::string platform = (folder.path() / "worst.json").string();
  const auto outcome = shell(
      "starport worst Het --against ODDOML,BMM --evaluations 640 --json "
      "--within " +
      space.path() + " -o " + platform);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto json = test::json_of(outcome.out);
  const double ratio = json["ratio"];
  EXPECT_GT(ratio, 1);
  EXPECT_GE(ratio, 0.95 * json["ratio_before_simplification"].get<double>());
  const auto run = shell("starport run " + platform + " --engine analytic --json --heuristics " +
                         "Het,ODDOML,BMM --problem " + json["problem"].get<std::string>());
  ASSERT_EQ(run.status, 0) << run.err;
  const auto rows = test::json_of(run.out)["results"];
  const double rival =
      std::min(rows[1]["makespan_s"].get<double>(), rows[2]["makespan_s"].get<double>());
  EXPECT_NEAR(rows[0]["makespan_s"].get<double>() / rival, ratio, 1e-9 * ratio);
}

TEST(WorstCommand, GivesTheSameResultWithAnyNumberOfJobsAndAfterAResume) {
  const TemporaryFile space(kSmallSpace);
  const TemporaryDirectory folder;
  const std::string state = (folder.path() / "state.json").string();
  const std::string command = "starport worst ORROML --json --seed 3 --within " + space.path();
  const std::string budget = " --evaluations 640";
  const auto one = shell(command + budget + " -j1");
  ASSERT_EQ(one.status, 0) << one.err;
  const auto several = shell(command + budget + " -j5 --save " + state);
  EXPECT_EQ(several.out, one.out);
  ASSERT_TRUE(std::filesystem::exists(state));
  EXPECT_EQ(shell(command + budget + " --resume --save " + state).out, one.out);
  // As if the search had been stopped in the middle.
  shell("sed -i 's/\"round\":20/\"round\":11/' " + state);
  const auto continued = shell(command + budget + " --resume --save " + state);
  EXPECT_EQ(continued.status, 0) << continued.err;
  EXPECT_NE(shell("cat " + state).out.find("\"round\":20"), std::string::npos);
  const auto other = shell(command + " --evaluations 64 --resume --save " + state);
  EXPECT_EQ(other.status, 2) << other.err;
}

TEST(WorstCommand, SearchesTileStrategiesAndDistributions) {
  for (const char* names : {"EffectiveSteal --against DMDA,Static", "ZoneGrowth",
                            "SquareCorner --against StraightLine,Sequential", "FPM"}) {
    const auto outcome =
        shell("starport worst --within anything --evaluations 320 --json " + std::string(names));
    ASSERT_EQ(outcome.status, 0) << names << outcome.err;
    const auto json = test::json_of(outcome.out);
    EXPECT_GT(json["ratio"].get<double>(), 0.99) << names;
    const TemporaryFile platform(json["platform"].dump());
    const auto run = shell("starport run " + platform.path() + " --json --problem " +
                           json["problem"].get<std::string>() + " --heuristics " +
                           json["heuristic"].get<std::string>());
    EXPECT_EQ(run.status, 0) << run.err;
  }
}

TEST(WorstCommand, ReportsAFailingInstanceBesideTheWorstCase) {
  const TemporaryFile space(R"({"schema_version": 1, "workers": [1, 4], "bandwidth": "1GBps",
    "speed": {"uniform": ["1Gf", "20Gf"]}, "memory": {"log_uniform": ["60kB", "1MB"]},
    "r": [1, 20], "s": [1, 20], "t": [1, 20]})");
  const std::string command = "starport worst ODDOML --evaluations 640 --within " + space.path();
  const auto outcome = shell(command + " --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto json = test::json_of(outcome.out);
  EXPECT_GT(json["failures"].get<int>(), 0);
  ASSERT_TRUE(json.contains("failure"));
  const TemporaryFile platform(json["failure"]["platform"].dump());
  const auto run = shell("starport run " + platform.path() + " --heuristics ODDOML --problem " +
                         json["failure"]["problem"].get<std::string>());
  EXPECT_NE(run.status, 0);
  EXPECT_NE(shell(command).out.find("failed on"), std::string::npos);
}

TEST(WorstCommand, AnOpponentThatNeverEndsIsRefusedBeforeTheSearch) {
  const TemporaryDirectory folder;
  const std::string endless = (folder.path() / "endless").string();
  std::ofstream(endless) << "#!/bin/sh\nexec sleep 1000\n";
  std::filesystem::permissions(endless, std::filesystem::perms::owner_all);
  const auto outcome = shell("starport worst Het --against exec:" + endless + " --time-limit 0.01");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(test::matches(outcome.err, "(none in [0-9]+ draws)").size(), 1U) << outcome.err;
  EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
}

TEST(WorstCommand, TableHasARowForEachHeuristic) {
  const TemporaryFile space(kSmallSpace);
  const auto outcome =
      shell("starport worst ODDOML BMM --table --evaluations 320 --json --within " + space.path());
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto cells = test::json_of(outcome.out);
  ASSERT_EQ(cells.size(), 4U);
  EXPECT_EQ(cells[0]["against"], "BMM");
  EXPECT_EQ(cells[1]["against"], "bound");
  for (const auto& cell : cells) EXPECT_GT(cell["ratio"].get<double>(), 0.5) << cell;
}

TEST(WorstCommand, TableIsTheSameWithAnyNumberOfJobsAndConfirmedByRun) {
  const TemporaryDirectory folder;
  const std::string map = (folder.path() / "map.csv").string();
  const std::string command = "starport worst ODDOML BMM Het --table --evaluations 96 --json";
  const auto one = shell(command + " -j1");
  ASSERT_EQ(one.status, 0) << one.err;
  const auto several = shell(command + " -j3 --heat-map " + map + " -o " + folder.path().string());
  EXPECT_EQ(several.out, one.out);
  const std::string drawn = shell("cat " + map).out;
  EXPECT_NE(drawn.find("\nODDOML,Het,"), std::string::npos) << drawn;
  for (const auto& cell : test::json_of(one.out)) {
    const std::string against = cell["against"];
    const std::string names =
        cell["heuristic"].get<std::string>() + (against == "bound" ? "" : "," + against);
    const auto run =
        shell("starport run " + folder.path().string() + "/" +
              cell["heuristic"].get<std::string>() + "-" + against + ".json --json --heuristics " +
              names + " --problem " + cell["problem"].get<std::string>());
    ASSERT_EQ(run.status, 0) << run.err;
    const auto results = test::json_of(run.out);
    const double opponent = against == "bound"
                                ? results["bounds"]["any_schedule_bound_s"].get<double>()
                                : results["results"][1]["makespan_s"].get<double>();
    const double ratio = results["results"][0]["makespan_s"].get<double>() / opponent;
    EXPECT_NEAR(ratio, cell["ratio"].get<double>(), 1e-9 * ratio) << cell;
  }
}

TEST(WorstCommand, RunWarnsWhereTheMemoriesHoldCManyTimes) {
  const auto warned = [](const std::string& options) {
    return test::matches(
        shell("starport run platforms/ppopp08-memory.json --engine analytic " + options).out,
        "([^\n]*memories hold C[^\n]*)");
  };
  const auto lines = warned("--problem 8000x800x800 --heuristics Het,BMM,ODDOML[serve=index]");
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_NE(lines[0].find("BMM"), std::string::npos) << lines[0];
  EXPECT_NE(lines[0].find("ODDOML[serve=index]"), std::string::npos) << lines[0];
  EXPECT_EQ(lines[0].find("Het"), std::string::npos) << lines[0];
  EXPECT_TRUE(warned("--problem 8000x8000x64000 --heuristics BMM").empty());
  EXPECT_TRUE(warned("--problem 8000x800x800 --heuristics Het,Polaris").empty());
}

TEST(WorstCommand, ExplainsAndDrawsBothRuns) {
  const TemporaryFile space(kSmallSpace);
  const TemporaryDirectory folder;
  const std::string chart = (folder.path() / "runs.py").string();
  const auto outcome = shell("starport worst BMM --against ODDOML --evaluations 320 --within " +
                             space.path() + " --gantt " + chart);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("times as long as ODDOML"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("Where the time goes"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("SimGrid gives the same dates"), std::string::npos) << outcome.out;
  EXPECT_GT(std::filesystem::file_size(chart), 1000U);
}

}  // namespace
}  // namespace starport
