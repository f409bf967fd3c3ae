// Regressions that a first-time user reported.
#include "tests/paths.hpp"
#include "tests/support.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>

namespace starport {
namespace {

using test::Outcome;
using test::shell;
using test::TemporaryDirectory;
using test::TemporaryFile;

const std::string kRunSirocco = "starport run platforms/sirocco.json --problem 4800 --heuristics ";

std::string file_of_workers(const std::string& workers) {
  return R"({"schema_version": 1, "name": "p", "workers": [)" + workers + "]}";
}

/// `figures` begins with a comma.
std::string a_worker(const std::string& figures = "") {
  return R"({"bandwidth": "1GBps", "speed": "1Gf", "memory": "1GB")" + figures + "}";
}

void expect_says(const Outcome& outcome, int status, const std::string& text) {
  EXPECT_EQ(outcome.status, status) << outcome.out << outcome.err;
  EXPECT_NE((outcome.out + outcome.err).find(text), std::string::npos)
      << text << " in\n"
      << outcome.out << outcome.err;
}

TEST(FirstUser, WorkersMayStopBeforeTheStartUpEnds) {
  for (const char* engine : {"simgrid", "analytic"}) {
    const Outcome outcome = shell(kRunSirocco +
                                  "DMDA,ZoneGrowth,EffectiveSteal,FirstDyn --noise "
                                  "stop=1@0.01 --engine " +
                                  engine);
    EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  }
}

// Polaris enrols eight of nine workers and takes 1.01 times the bound, HomI two and 2.2 times.
TEST(FirstUser, AWarningNamesHeuristicsThatLeaveMostWorkersIdle) {
  const TemporaryFile file(file_of_workers(
      R"({"count": 2, "bandwidth": "1Gbps", "speed": "40Gf", "memory": "16GiB"},
         {"count": 6, "bandwidth": "1Gbps", "speed": "10Gf", "memory": "4GiB"},
         {"bandwidth": "100Mbps", "speed": "80Gf", "memory": "32GiB"})"));
  const auto run = [&](const std::string& product) {
    return shell("starport run " + file.path() + " --engine analytic --problem " + product +
                 " --heuristics HomI,Polaris");
  };
  expect_says(run("40000"), 0, "\nHomI: few workers get work, because the memories are large");
  // With memories that hold less than a tenth of C, most workers have their part.
  EXPECT_EQ(run("400000x8000x400000").out.find("few workers get work"), std::string::npos);
}

/// Returns the heuristics that `starport run` compares on a platform file when none is named, and
/// expects that the platform's heading contains `heading`.
std::string compared_by_default(const std::string& file, const std::string& product,
                                const std::string& heading) {
  const std::string command =
      "starport run " + file + " --problem " + product + " --engine analytic --block-size 960";
  expect_says(shell(command), 0, heading);
  std::string names;
  const auto json = nlohmann::json::parse(shell(command + " --json").out);
  for (const auto& row : json.at("results")) names += row.at("heuristic").get<std::string>() + " ";
  EXPECT_TRUE(json.contains("recommendation")) << file;
  return names;
}

TEST(FirstUser, TheHeuristicsComparedSuitThePlatform) {
  const std::string tiles =
      "Static RandSteal ChoiceSteal EffectiveSteal FirstDyn ChoiceDyn EffectiveDyn DMDA "
      "ZoneGrowth ";
  const std::string star = "Het Hom HomI ORROML OMMOML ODDOML BMM Polaris ";
  const std::string distributed =
      "FPM[data=hub] multiple-CPM[data=hub] single-CPM[data=hub] homogeneous[data=hub] ";
  EXPECT_EQ(compared_by_default("platforms/sirocco.json", "4800", "main memory and 4 GPUs"), tiles);
  const TemporaryFile uneven(
      file_of_workers(a_worker(R"(, "return_bandwidth": "2GBps", "count": 2)")));
  EXPECT_EQ(compared_by_default(uneven.path(), "4800", "main memory and 2 workers"), tiles);
  const TemporaryFile plain(file_of_workers(a_worker()));
  EXPECT_EQ(compared_by_default(plain.path(), "4800", "p: 1 worker"), star);
  const TemporaryFile measured(file_of_workers(
      R"({"bandwidth": "1GBps", "memory": "1GB", "devices": [{"name": "core", "speed": "1Gf"}]})"));
  EXPECT_EQ(compared_by_default(measured.path(), "4800", "p: 1 worker behind a switch"),
            star + distributed);
  EXPECT_EQ(compared_by_default(measured.path(), "4800x9600x4800", "p: 1 worker"), star);
}

std::string campaign_of(const std::string& heuristic, const std::string& platform,
                        const std::string& problem, const std::string& overrides) {
  return R"({"schema_version": 1, "name": "s", "heuristics": [")" + heuristic +
         R"("], "experiments": [{"name": "e", "platforms": [")" STARPORT_SOURCE_DIR "/platforms/" +
         platform + R"("], "problems": [")" + problem + R"("], "overrides": [)" + overrides +
         "]}]}";
}

TEST(FirstUser, OverridesThatChangeNothingAreRefused) {
  const TemporaryFile file(
      campaign_of("DMDA", "sirocco.json", "1920",
                  R"({"field": "memory", "multiply": [1, 2], "workers": [1]})"));
  expect_says(shell("starport sweep " + file.path() + " --list"), 2,
              "expected workers with a memory of their own");
}

TEST(FirstUser, PlatformsThatAreNoStar) {
  const TemporaryFile shared(file_of_workers(R"({"shares_memory": true, "speed": "1Gf"})"));
  expect_says(shell("starport validate " + shared.path()), 0, "P1: shares the master's memory");
  const TemporaryFile uneven(file_of_workers(a_worker(R"(, "return_bandwidth": "2GBps")")));
  expect_says(shell("starport validate " + uneven.path()), 0, "1 GB/s out, 2 GB/s back");
  expect_says(shell("starport bound " + uneven.path() + " --problem 800x800x800"), 2,
              "return_bandwidth: expected links alike both ways");
  for (const char* name : {"sirocco", "grid5000-90"}) {
    const std::string file = "platforms/" + std::string(name) + ".json";
    EXPECT_EQ(shell("starport convert " + file + " --to simgrid-xml").status, 2) << name;
  }
  expect_says(shell("starport validate platforms/sirocco.json"), 0, "to start");
  expect_says(shell("starport validate platforms/grid5000-90.json"), 0,
              "slower as its memory fills");
}

TEST(FirstUser, NothingBeatsTheBoundOfATinyProduct) {
  const TemporaryFile fast(
      file_of_workers(R"({"count": 4, "bandwidth": "1TBps", "speed": "90Tf", "memory": "1GB"})"));
  for (const char* size : {"16", "64"}) {
    expect_says(shell("starport run " + fast.path() +
                      " -q 8 --engine analytic --heuristics FPM "
                      "--problem " +
                      size),
                0, "upper bound on the speed: 360 Tflop/s");
  }
}

TEST(FirstUser, WhoHasNoColumnSendsNothing) {
  const std::string run =
      "starport run platforms/two-processors.json --engine analytic --heuristics "
      "StraightLine,Sequential --problem 2";
  expect_says(shell(run), 0, "StraightLine: columns of the slower worker, in elements: 0");
  EXPECT_NE(shell(run + " --csv").out.find("StraightLine,ok,,,3.3195020746887967e-09"),
            std::string::npos)
      << shell(run + " --csv").out;
}

TEST(FirstUser, TwoProcessorsHaveMemoriesToo) {
  const Outcome outcome = shell(
      "starport run platforms/two-processors.json --engine analytic "
      "--heuristics hcw06 --problem 1000000");
  expect_says(outcome, 1,
              "Sequential: not applicable: worker 1 needs 2.4e+04 GB for its parts of A, B and C");
  EXPECT_TRUE(outcome.out.starts_with("HCW'06, two processors\n\nS")) << outcome.out;
}

TEST(FirstUser, RelativeWorkIsOfTheRowsThatShowIt) {
  const Outcome outcome = shell(
      "starport run platforms/sirocco.json --problem 15360 --heuristics "
      "DMDA,Het --json");
  expect_says(outcome, 0, "\"relative_work\": 1.0");
}

TEST(FirstUser, PlansOfTheStarAreJson) {
  expect_says(
      shell("starport plan platforms/first-try.json --problem 800x800x800 --heuristics Het -o "
            "/tmp/starport-plan.pdf"),
      2, "a file that ends in .json");
}

TEST(FirstUser, DamagedResultsAreToldOf) {
  const TemporaryDirectory directory;
  const std::string path = (directory.path() / "d").string();
  const TemporaryFile sweep(campaign_of("Het", "first-try.json", "800x800x800",
                                        R"({"field": "speed", "multiply": [1]})"));
  const TemporaryFile claims(R"({"schema_version": 1, "title": "t", "claims": [{"source": "s",
      "statement": "x", "expect": {"at_least": 1}, "sql": "SELECT 1e999"}]})");
  const std::string check = "starport check " + path + "/results.csv --claims " + claims.path();
  const Outcome made = shell("starport sweep " + sweep.path() + " --engine analytic -o " + path);
  expect_says(made, 0, "1 instance in ");
  expect_says(shell(check), 2, "expected one number");  // infinity is none
  EXPECT_EQ(shell(check).err.find("warning"), std::string::npos);
  std::ofstream(path + "/results.csv", std::ios::app) << "\n";
  expect_says(shell(check), 2, "warning: ");
}

TEST(FirstUser, WhatDoesNotFitIsARow) {
  const TemporaryFile file(file_of_workers(R"({"shares_memory": true, "speed": "1Tf"},
      {"bandwidth": "4GBps", "speed": "3Tf", "memory": "32MB"})"));
  expect_says(shell("starport run " + file.path() +
                    " -q 960 --problem 3840 --engine analytic "
                    "--heuristics DMDA,ODDOML"),
              0, "ODDOML: not applicable: it needs a worker");
  const auto sweep = [](const std::string& heuristics) {
    const TemporaryFile campaign(
        campaign_of(heuristics, "sirocco.json", "4800", R"({"field": "speed", "multiply": [1]})"));
    const TemporaryDirectory directory;
    const std::string path = (directory.path() / "d").string();
    return shell("starport sweep " + campaign.path() + " --engine analytic -o " + path +
                 " && cat " + path + "/results.csv");
  };
  expect_says(sweep(R"(FPM", "DMDA)"), 0, "FPM,not applicable,");
  expect_says(sweep("FPM"), 2, "/workers/0: expected a worker with a link of its own");
}

TEST(FirstUser, TooManyWorkersForTasks) {
  const TemporaryFile file(
      file_of_workers(R"({"count": 1000000, "shares_memory": true, "speed": "1Gf"})"));
  expect_says(shell("starport run " + file.path() + " --problem 400 --heuristics DMDA"), 2,
              "at most 100000 workers for tile tasks");
}

TEST(FirstUser, FiguresOfFilesAreSane) {
  const auto says = [](const std::string& workers, const std::string& text) {
    const TemporaryFile file(file_of_workers(workers));
    expect_says(shell("starport validate " + file.path() + " -q 80"), 2, text);
  };
  const auto sample = [](const char* seconds) {
    return std::string(R"({"rows": 2, "columns": 2, "inner": 1, "block_size": 80, "seconds": )") +
           seconds + "}";
  };
  says(a_worker(R"(, "speed_function": [)" + sample("1") + "," + sample("1") + "]"),
       "expected each size once, found 4 blocks twice");
  says(R"({"bandwidth": "1GBps", "memory": "1GB", "devices": [{"speed": "1e-300Gf"}]})",
       "expected a quantity between 1e-100 and 1e100");
}

TEST(FirstUser, AClosedOutputIsAnError) {
  expect_says(shell("starport explain >&-"), 2, "standard output");
}

TEST(FirstUser, AnIntervalHasItsEndsInOrder) {
  const TemporaryFile claims(R"({"schema_version": 1, "title": "t", "claims": [{"source": "s",
      "statement": "x", "expect": {"at_least": 3, "at_most": 1}, "sql": "SELECT 1"}]})");
  expect_says(shell("starport check nowhere.csv --claims " + claims.path()), 2,
              "at_least no greater than at_most");
}

TEST(FirstUser, HeadingsOfTablesAreExplained) {
  for (const char* heading :
       {"comm.", "sends+returns", "above the best", "makespan (s)", "c_i", "w_i", "m_i", "mu_i"}) {
    EXPECT_EQ(shell("starport explain '" + std::string(heading) + "'").status, 0) << heading;
  }
  const Outcome bound = shell("starport explain 'x bound'");
  expect_says(bound, 0, "models: star");
  expect_says(bound, 0, "models: tiles");
}

}  // namespace
}  // namespace starport
