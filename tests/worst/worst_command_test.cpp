// starport worst: the search on stars, simulated.
#include "sim/files/input_file.hpp"
#include "tests/paths.hpp"
#include "tests/support.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace starport {
namespace {

using test::shell;
using test::TemporaryDirectory;
using test::TemporaryFile;

constexpr const char* kSmallSpace = R"({"schema_version": 1, "workers": [2, 6],
  "bandwidth": {"log_uniform": ["10MBps", "1GBps"]}, "speed": {"uniform": ["1Gf", "20Gf"]},
  "memory": {"log_uniform": ["1MB", "100MB"]}, "r": [1, 20], "s": [1, 20], "t": [1, 20]})";

/// Runs heuristics by `starport run` on a platform file. Returns the makespan of the first over the
/// least of the others or, without others, over the lower bound.
double ratio_of_run(const std::string& platform, const std::string& problem,
                    const std::string& heuristics) {
  const auto run = shell("starport run " + platform + " --engine analytic --json --problem " +
                         problem + " --heuristics " + heuristics);
  EXPECT_EQ(run.status, 0) << run.err;
  const auto results = test::json_of(run.out);
  const auto& rows = results["results"];
  double opponent_s =
      rows[0].value("split_k_bound_s", results["bounds"].value("any_schedule_bound_s", 0.0));
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const double makespan_s = rows[i]["makespan_s"];
    opponent_s = i == 1 ? makespan_s : std::min(opponent_s, makespan_s);
  }
  return rows[0]["makespan_s"].get<double>() / opponent_s;
}

/// Checks that `starport run` repeats the ratio of a result of `starport worst --json`.
void expect_repeated(const nlohmann::json& result, const std::string& heuristics) {
  const TemporaryFile platform(result["platform"].dump());
  const double ratio = result["ratio"];
  EXPECT_NEAR(ratio_of_run(platform.path(), result["problem"], heuristics), ratio, 1e-9 * ratio)
      << result;
}

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
  EXPECT_GT(json["ratio"].get<double>(), 1);
  EXPECT_GE(json["ratio"].get<double>(), 0.95 * json["ratio_before_simplification"].get<double>());
  EXPECT_EQ(test::json_of(read_file(platform)), json["platform"]);
  expect_repeated(json, "Het,ODDOML,BMM");
}

TEST(WorstCommand, TheStateAndTheInstanceAreTwoFiles) {
  const auto outcome = shell("starport worst Het --against ODDOML -o same.json --resume same.json");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("--output: expected another file than that of --resume"),
            std::string::npos)
      << outcome.err;
}

TEST(WorstCommand, HeuristicsMayBeOnesOwnAndDurationsVary) {
  auto tiny = nlohmann::json::parse(kSmallSpace);  // the program answers for each transfer
  for (const char* key : {"workers", "r", "s", "t"}) tiny[key] = {2, 4};
  const TemporaryFile space(tiny.dump());
  tiny["noise"] = {{"cv", 0.2}, {"seed", 3}};
  const TemporaryFile noisy_space(tiny.dump());
  const std::string library = " --plugin " STARPORT_PLUGINS "/libscarce.so";
  const std::string program = "exec:tests/fixtures/first.sh";
  for (const auto& [tested, against, options] :
       std::vector<std::tuple<std::string, std::string, std::string>>{
           {program, "BMM,Scarce", library},
           {"Scarce", "Het," + program, library},
           {"Het", "ODDOML", " --noise cv=0.2,seed=3"}}) {
    const bool is_noisy = options.starts_with(" --noise");
    const auto outcome = shell("starport worst " + tested + " --against " + against +
                               " --evaluations 32 --json --within " +
                               (is_noisy ? noisy_space.path() : space.path() + options));
    ASSERT_EQ(outcome.status, 0) << tested << outcome.err;
    const auto json = test::json_of(outcome.out);
    EXPECT_EQ(json["failures"], 0) << json;
    EXPECT_EQ(json["heuristic"], tested);
    EXPECT_EQ(json.value("noise", ""), is_noisy ? "cv=0.2,seed=3" : "");
    expect_repeated(json, tested + "," + against + options);
  }
}

// On two ports the bound on schedules that split k is far below the one on all others, which does
// not hold for them.
TEST(WorstCommand, ComparesSchedulesThatSplitKWithTheirOwnBound) {
  const TemporaryFile space(R"({"schema_version": 1, "port": {"kind": "two-port"},
    "workers": [4, 4], "bandwidth": {"uniform": ["50kBps", "60kBps"]},
    "speed": {"uniform": ["2Mf", "2.2Mf"]}, "memory": {"uniform": ["6MB", "6.3MB"]},
    "r": [8, 8], "s": [8, 8], "t": [100, 120]})");
  const std::string heuristic = "'Polaris[effort=low,split_k=yes]'";
  const auto outcome =
      shell("starport worst " + heuristic + " --evaluations 32 --json --within " + space.path());
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto json = test::json_of(outcome.out);
  EXPECT_GT(json["ratio"].get<double>(), 1.5) << json;
  expect_repeated(json, heuristic);
}

TEST(WorstCommand, GivesTheSameResultWithAnyNumberOfJobsAndFromACompleteState) {
  const TemporaryFile space(kSmallSpace);
  const TemporaryDirectory folder;
  const std::string state = (folder.path() / "state.json").string();
  const std::string command = " --json --seed 3 --within " + space.path();
  const std::string budget = " --evaluations 128";
  const auto one = shell("starport worst ORROML" + command + budget + " -j1");
  ASSERT_EQ(one.status, 0) << one.err;
  const std::string resume = " --resume " + state;
  for (const char* jobs : {" -j5", " -j2"})
    EXPECT_EQ(shell("starport worst ORROML" + command + budget + jobs + resume).out, one.out);
  // States of other searches, and damaged ones, are refused.
  for (const std::string& other : {"starport worst ORROML" + command + " --evaluations 64" + resume,
                                   "starport worst BMM" + command + budget + resume,
                                   "sed -i 's/\"round\":4/\"round\":3/' " + state +
                                       "; starport worst ORROML" + command + budget + resume}) {
    const auto outcome = shell(other);
    EXPECT_EQ(outcome.status, 2) << other;
    EXPECT_NE(outcome.err.find("it is the state of another search, or was changed"),
              std::string::npos)
        << outcome.err;
  }
}

TEST(WorstCommand, StoppedGivesTheBestSoFarAndGoesOnLater) {
  const TemporaryFile space(kSmallSpace);
  const TemporaryDirectory folder;
  const std::string state = (folder.path() / "state.json").string();
  const std::string old = (folder.path() / "old.json").string();
  std::int64_t evaluations = 0;
  for (int turn = 0; turn < 2; ++turn) {
    // Stopped when a round has been finished and saved.
    const auto outcome = shell(
        "touch " + state + "; mv " + state + " " + old + "; [ -s " + old + " ] && cp " + old + " " +
        state + "; " STARPORT_PROGRAM " worst ORROML --json --evaluations 1000000000 --within " +
        space.path() + " --resume " + state + " & pid=$!; until grep -qs round.:[1-9] " + state +
        " && ! cmp -s " + state + " " + old +
        "; do kill -0 $pid || break; sleep 0.05; done; kill -TERM $pid; wait $pid");
    EXPECT_EQ(outcome.status, 128 + 15) << outcome.err;
    const auto json = test::json_of(outcome.out);
    EXPECT_GT(json["evaluations"].get<std::int64_t>(), evaluations);
    evaluations = json["evaluations"];
    expect_repeated(json, "ORROML");
  }
}

TEST(WorstCommand, SearchesTileStrategiesAndDistributions) {
  // ZoneGrowth simulates each run a dozen times.
  for (const auto& [names, evaluations] : {std::pair("EffectiveSteal --against DMDA,Static", "96"),
                                           {"ZoneGrowth", "32"},
                                           {"SquareCorner --against StraightLine,Sequential", "96"},
                                           {"FPM", "96"}}) {
    const auto outcome = shell("starport worst --within anything --evaluations " +
                               std::string(evaluations) + " --json " + names);
    ASSERT_EQ(outcome.status, 0) << names << outcome.err;
    const auto json = test::json_of(outcome.out);
    EXPECT_GT(json["ratio"].get<double>(), 0.99) << names;
    const TemporaryFile platform(json["platform"].dump());
    const auto run =
        shell("starport run " + platform.path() + " --engine analytic --json --problem " +
              json["problem"].get<std::string>() + " --heuristics " +
              json["heuristic"].get<std::string>());
    EXPECT_EQ(run.status, 0) << run.err;
  }
}

TEST(WorstCommand, ReportsAFailingInstanceBesideTheWorstCase) {
  const TemporaryFile space(R"({"schema_version": 1, "workers": [1, 4], "bandwidth": "1GBps",
    "speed": {"uniform": ["1Gf", "20Gf"]}, "memory": {"log_uniform": ["60kB", "1MB"]},
    "r": [1, 20], "s": [1, 20], "t": [1, 20]})");
  const std::string command = "starport worst ODDOML --evaluations 128 --within " + space.path();
  const auto outcome = shell(command + " --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto json = test::json_of(outcome.out);
  EXPECT_GT(json["failures"].get<int>(), 0);
  ASSERT_TRUE(json.contains("failure"));
  const TemporaryFile platform(json["failure"]["platform"].dump());
  const auto run = shell("starport run " + platform.path() + " --heuristics ODDOML --problem " +
                         json["failure"]["problem"].get<std::string>());
  EXPECT_NE(run.status, 0);
  EXPECT_NE(shell(command).out.find("failed or did not apply on"), std::string::npos);
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

TEST(WorstCommand, TableIsTheSameWithAnyNumberOfJobsConfirmedByRunAndPublished) {
  const TemporaryFile space(kSmallSpace);
  const std::string command =
      "starport worst ODDOML BMM --table --evaluations 96 --json --within " + space.path();
  const auto outcome = shell(command + " -j1");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(shell(command + " -j3").out, outcome.out);
  const auto cells = test::json_of(outcome.out);
  ASSERT_EQ(cells.size(), 4U);
  EXPECT_EQ(cells[0]["against"], "BMM");
  EXPECT_EQ(cells[1]["against"], "bound");
  for (const auto& cell : cells) {
    EXPECT_GT(cell["ratio"].get<double>(), 0.5) << cell;
    const std::string against = cell["against"];
    expect_repeated(
        cell, cell["heuristic"].get<std::string>() + (against == "bound" ? "" : "," + against));
  }
  const TemporaryFile table(outcome.out);
  const TemporaryDirectory folder;
  const auto published = shell(STARPORT_SOURCE_DIR "/experiments/worst/table.py " + table.path() +
                               " " + folder.path().string());
  ASSERT_EQ(published.status, 0) << published.err;
  EXPECT_EQ(test::json_of(read_file((folder.path() / "platforms/BMM-bound.json").string())),
            cells[3]["platform"]);
  EXPECT_NE(read_file((folder.path() / "instances.md").string()).find("## BMM\n"),
            std::string::npos);
  EXPECT_GT(std::filesystem::file_size(folder.path() / "heat-map.svg"), 1000U);
}

/// Returns the warnings of `starport run` that an instance is of a kind to keep heuristics from.
std::vector<std::string> warnings(const std::string& platform, const std::string& problem,
                                  const std::string& heuristics) {
  const auto outcome = shell("starport run " + platform + " --engine analytic --problem " +
                             problem + " --heuristics " + heuristics);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return test::matches(outcome.out, "([^\n]*few workers get work[^\n]*)");
}

TEST(WorstCommand, RunWarnsOnTheInstancesOfTheTable) {
  std::istringstream page(read_file(STARPORT_SOURCE_DIR "/experiments/worst/instances.md"));
  const std::regex row(R"(\| (\S+) \| ([0-9.]+) \| (\S+) \| (.*) \|)");
  const std::regex worker(R"((\d+) × ([\d.]+) (.)B/s, ([\d.]+) (.)flop/s, ([\d.]+) (.)B)");
  std::string heuristic;
  int warned = 0;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("## ")) heuristic = line.substr(3);
    std::smatch cells;
    if (!std::regex_match(line, cells, row)) continue;
    const double ratio = std::stod(cells[2]);
    nlohmann::json workers;
    const std::string described = cells[4];
    for (std::sregex_iterator i(described.begin(), described.end(), worker), end; i != end; ++i) {
      const std::smatch& x = *i;
      workers.push_back({{"count", std::stoi(x[1])},
                         {"bandwidth", x.str(2) + x.str(3) + "Bps"},
                         {"speed", x.str(4) + x.str(5) + "f"},
                         {"memory", x.str(6) + x.str(7) + "B"}});
    }
    const TemporaryFile platform(
        nlohmann::json{{"schema_version", 1}, {"name", "found"}, {"workers", workers}}.dump());
    if (cells[1] == "bound") {
      // Figures on the page have three digits.
      EXPECT_NEAR(ratio_of_run(platform.path(), cells[3], heuristic), ratio, 0.02 * ratio) << line;
    }
    if (ratio < 3) continue;
    const auto lines = warnings(platform.path(), cells[3], heuristic);
    ASSERT_EQ(lines.size(), 1U) << heuristic << line;
    EXPECT_TRUE(lines[0].starts_with(heuristic + ": ")) << lines[0];
    ++warned;
  }
  EXPECT_GE(warned, 25);
}

TEST(WorstCommand, RunDoesNotWarnOnThePlatformsOfPpopp08) {
  for (const char* platform :
       {"memory", "links", "computation", "full-ratio2", "full-ratio4", "2007-08", "2006-11"}) {
    const std::string path = std::string("platforms/ppopp08-") + platform + ".json";
    EXPECT_TRUE(warnings(path, "8000x8000x64000", "all,Polaris[effort=low]").empty()) << platform;
  }
  // Parameters do not matter; only heuristics far from the bound are named. In the first product C
  // is small but costs nothing.
  const std::string heuristics = "Polaris[effort=low],BMM,ODDOML[serve=index]";
  EXPECT_TRUE(warnings("platforms/ppopp08-memory.json", "8000x800x800", heuristics).empty());
  const auto lines = warnings("platforms/ppopp08-full-ratio4.json", "4000x8000x4000", heuristics);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_TRUE(lines[0].starts_with("BMM, ODDOML[serve=index]: ")) << lines[0];
}

TEST(WorstCommand, ExplainsAndDrawsBothRuns) {
  const TemporaryFile space(kSmallSpace);
  const TemporaryDirectory folder;
  const std::string chart = (folder.path() / "runs.py").string();
  const auto outcome = shell("starport worst BMM --against ODDOML --evaluations 320 --within " +
                             space.path() + " --plot " + chart);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("times as long as ODDOML"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("Where the time goes"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("SimGrid gives the same dates"), std::string::npos) << outcome.out;
  EXPECT_GT(std::filesystem::file_size(chart), 1000U);
}

// The search is not lost when its last steps fail.
TEST(WorstCommand, PrintsTheInstanceThoughItCannotBeCheckedOrDrawn) {
  const TemporaryFile space(kSmallSpace);
  const TemporaryDirectory folder;
  const std::string platform = (folder.path() / "worst.json").string();
  const std::string command =
      "starport worst BMM --against ODDOML --evaluations 32 --json --within " + space.path();
  // The limit holds for the runs in processes of their own, which check the instance.
  const auto unchecked = shell(command + " --time-limit 1e-9 -o " + platform);
  EXPECT_EQ(unchecked.status, 1);
  const auto json = test::json_of(unchecked.out);
  EXPECT_NE(unchecked.err.find(json["error"].get<std::string>()), std::string::npos)
      << unchecked.err;
  EXPECT_EQ(test::json_of(read_file(platform)), json["platform"]);
  expect_repeated(json, "BMM,ODDOML");

  std::ofstream(folder.path() / "matplotlib.py") << "raise ImportError('none')\n";
  const auto undrawn = shell("PYTHONPATH=" + folder.path().string() + " " + command + " --plot " +
                             (folder.path() / "runs.svg").string());
  EXPECT_EQ(undrawn.status, 1);
  EXPECT_EQ(test::json_of(undrawn.out)["ratio"], json["ratio"]);
}

TEST(WorstCommand, WithoutSimGridIsRefusedBeforeTheSearch) {
  const TemporaryDirectory folder;  // the program alone, without the library beside it
  const std::string program = (folder.path() / "starport").string();
  std::filesystem::copy_file(STARPORT_PROGRAM, program);
  // Such a search would never end.
  const auto outcome =
      shell("timeout 60 " + program + " worst Het --against ODDOML --evaluations 1000000000");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("SimGrid"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace starport
