// Programs and shared libraries that schedule tile tasks or divide distributed products: what they
// may say, and what becomes of those that misbehave.
#include "heuristics/external/distribution.hpp"
#include "heuristics/external/tile_strategy.hpp"
#include "sim/files/json.hpp"
#include "tests/cli/json_schema.hpp"
#include "tests/heuristics/program.hpp"
#include "tests/paths.hpp"
#include "tests/support.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace starport {
namespace {

using test::Program;
using test::shell;
using test::TemporaryFile;

constexpr const char* kTiles =
    "starport run platforms/sirocco.json --problem 1920x2880x3840 --json ";
constexpr const char* kProduct =
    "starport run platforms/two-processors.json --problem 3200 -q 100 --json ";
constexpr const char* kSmallProduct =
    "starport run platforms/two-processors.json --problem 400 -q 100 --json ";

std::vector<nlohmann::json> rows(const std::string& command) {
  const auto outcome = shell(command);
  EXPECT_EQ(outcome.err, "") << command;
  return test::json_of(outcome.out).at("results");
}

/// The examples have the rule of EffectiveDyn, "the cheapest of all": alike to the last byte, on
/// both engines, under noise, and when a GPU stops.
TEST(ExternalTiles, ExamplesDecideAsTheBuiltInStrategy) {
  const std::string three =
      "--plugin " STARPORT_PLUGINS
      "/libnearest.so --heuristics EffectiveDyn,exec-tiles:heuristics/examples/nearest.py,Nearest";
  for (const char* options :
       {"", "--engine analytic --noise cv=10%,seed=3 ", "--engine analytic --noise stop=3@0.05 "}) {
    auto results = rows(kTiles + std::string(options) + three);
    for (const auto& row : results) {
      ASSERT_EQ(row.at("status"), "ok") << row;
      for (const char* figure : {"makespan_s", "transfers", "gpu_to_gpu", "busy_share"}) {
        EXPECT_EQ(row.at(figure), results.at(0).at(figure)) << row.at("heuristic") << options;
      }
    }
  }
}

TEST(ExternalTiles, AllocationsAreExecutedByBuiltInStrategies) {
  const std::string program = "'exec-tiles:heuristics/examples/rows.py";
  auto results = rows(kTiles + ("--heuristics " + program + "'," + program +
                                "[strategy=EffectiveSteal,prefetch=0]'"));
  EXPECT_EQ(results.at(0).at("thefts"), 0);
  EXPECT_GT(results.at(1).at("thefts"), 0);
  for (const auto& row : results) EXPECT_EQ(row.at("status"), "ok") << row;
  // Static would never run the tasks that CPU workers leave.
  results = rows(kTiles + ("--heuristics " + program + "[cpus=timely]'," + program +
                           "[cpus=timely,strategy=EffectiveSteal]'"));
  EXPECT_NE(results.at(0).value("error", "").find("needs a strategy that steals"),
            std::string::npos)
      << results.at(0);
  EXPECT_EQ(results.at(1).at("status"), "ok") << results.at(1);
  // Two nodes that share the k of every tile of C, with reductions.
  std::string nodes;
  for (int task = 0; task < 2 * 4 * 3; ++task) nodes += task % 3 < 2 ? "1," : "2,";
  nodes.pop_back();
  const Program cube("echo '{\"protocol\": 1, \"redux\": true, \"allocation\": [" + nodes + "]}'");
  const auto reduced = rows(kTiles + ("--heuristics exec-tiles:" + cube.path())).at(0);
  ASSERT_EQ(reduced.at("status"), "ok") << reduced;
  EXPECT_EQ(reduced.at("workers").at(2).at("tasks"), 16);
  EXPECT_EQ(reduced.at("workers").at(3).at("tasks"), 8 + 16);  // updates and reductions
  // As a drawing.
  const TemporaryFile drawing("", ".csv");
  EXPECT_NE(shell("starport plan platforms/sirocco.json --problem 3840 -o " + drawing.path() +
                  " --heuristics exec-tiles:heuristics/examples/rows.py")
                .out.find(" of 16 tiles"),
            std::string::npos);
}

/// Worker 1 gets all tasks as soon as they are ready.
TEST(ExternalTiles, DecidesWhenTasksAreReady) {
  const Program first(R"(read -r question
echo '{"protocol": 1, "decides": "ready"}'
while read -r view; do echo '{"worker": 4}'; done)");
  const auto row = rows(kTiles + ("--heuristics exec-tiles:" + first.path())).at(0);
  ASSERT_EQ(row.at("status"), "ok") << row;
  EXPECT_EQ(row.at("enrolled_workers"), 1);
}

TEST(ExternalTiles, WhatIsWrongIsARowThatSaysSo) {
  const std::string idle =
      "read -r q; echo '{\"protocol\": 1, \"decides\": \"idle\"}'; read -r v; ";
  const std::string ready =
      "read -r q; echo '{\"protocol\": 1, \"decides\": \"ready\"}'; read -r v; ";
  const auto plan = [](const char* text) {
    return std::string("echo '{\"protocol\": 1") + text + "}'";
  };
  const std::vector<std::pair<std::string, std::string>> cases{
      {"exit 3", "PROGRAM ended with status 3 and gave no answer"},
      {"kill -SEGV $$", "PROGRAM crashed: Segmentation fault"},
      {"echo '{\"protocol\": 2}'",
       "PROGRAM: /protocol: expected 1, the version that this Starport speaks, found 2"},
      {plan(", \"not_applicable\": \"no mood\""), "no mood"},
      {plan(""),
       "PROGRAM: /: expected \"allocation\" or \"decides\", one of them, found an object"},
      {plan(", \"decides\": \"requests\""),
       "PROGRAM: /decides: expected \"idle\" or \"ready\", found \"requests\""},
      {plan(", \"allocation\": [1, 2, 3]"),
       "the allocation has 3 memory nodes instead of 8, one per tile of C, or 24, one per task"},
      {plan(", \"allocation\": [0, 0, 0, 0, 0, 0, 0, 9]"),
       "PROGRAM: /allocation/7: expected an integer from 0 to 4, found 9"},
      {idle + "exit 5", "PROGRAM ended with status 5 and gave no answer"},
      {idle + "echo '{\"task\": [0, 0, 2]}'",
       "worker 1 is given task (0, 0, 2), which is not ready or has a worker"},
      {idle + "echo '{\"task\": [0, 0, 0]}'; read -r v; echo '{\"task\": [0, 0, 0]}'",
       "worker 2 is given task (0, 0, 0), which is not ready or has a worker"},
      {idle + "echo '{\"task\": [0, 4, 0]}'",
       "PROGRAM: /task/1: expected an integer from 0 to 3, found 4"},
      {idle + "echo '{\"task\": 7}'", "PROGRAM: /task: expected an array, found 7"},
      {idle + "while echo '{\"task\": null}'; read -r v; do :; done",
       "24 tasks are assigned to no worker"},
      {ready + "echo '{\"worker\": 7}'",
       "PROGRAM: /worker: expected an integer from 1 to 6, found 7"},
      {ready + "echo '{\"worker\": null}'",
       "PROGRAM: /worker: expected an integer from 1 to 6, found null"},
      {ready + "yes flood",
       "PROGRAM: line 1, column 2: expected JSON, found a syntax error at 'l'"},
  };
  test::expect_errors(std::string(kTiles) + "--engine analytic", "exec-tiles", cases);
  const Program sleeper("sleep 1000");
  const auto late =
      rows(kTiles + ("--heuristics 'exec-tiles:" + sleeper.path() + "[time_limit=1]'")).at(0);
  EXPECT_EQ(late.at("cause"), "time") << late;
  const auto limited =
      rows(kTiles + ("--time-limit 1 --heuristics exec-tiles:" + sleeper.path())).at(0);
  EXPECT_EQ(limited.at("cause"), "time") << limited;
  const Program silent(idle + "sleep 1000");
  const auto stuck =
      rows(kTiles + ("--heuristics 'exec-tiles:" + silent.path() + "[time_limit=1]'")).at(0);
  EXPECT_EQ(stuck.at("cause"), "time") << stuck;
}

TEST(ExternalTiles, LibrariesThatMisbehaveAreRows) {
  const auto results = rows(kTiles + std::string("--engine analytic --plugin " STARPORT_PLUGINS
                                                 "/libmisbehaving_models.so --heuristics Twice,"
                                                 "Nobody,Invalid,Exits,Nowhere,Hidden,DMDA"));
  const std::vector<std::string> errors{
      "worker 2 is given task (0, 0, 0), which is not ready or has a worker",
      "task (0, 0, 0) is assigned to worker 100 of 6",
      "worker 1 is given task 5 of target -7, which is not ready or has a worker",
      "crashed with status 7",
      "the allocation names memory node 77, which has no worker",
      "24 tasks are assigned to no worker"};
  for (std::size_t i = 0; i < errors.size(); ++i) {
    EXPECT_EQ(results.at(i).value("error", ""), errors[i]) << results.at(i);
  }
  EXPECT_EQ(results.back().at("status"), "ok");
}

TEST(ExternalProducts, ExamplesAreDistributions) {
  const auto results =
      rows(kProduct + std::string("--plugin " STARPORT_PLUGINS "/libnearest.so --heuristics "
                                  "'exec-spmd:heuristics/examples/columns.py,Columns,FPM'"));
  for (const auto& row : results) EXPECT_EQ(row.at("status"), "ok") << row;
  const auto hub =
      rows(kProduct + std::string("--engine analytic --heuristics "
                                  "'exec-spmd:heuristics/examples/columns.py[data=hub]'"));
  EXPECT_GT(hub.at(0).at("makespan_s"), results.at(0).at("makespan_s"));
}

TEST(ExternalProducts, WhatIsWrongIsARowThatSaysSo) {
  const auto plan = [](const char* rectangles) {
    return std::string("echo '{\"protocol\": 1, \"rectangles\": [") + rectangles + "]}'";
  };
  const std::vector<std::pair<std::string, std::string>> cases{
      {"exit 3", "PROGRAM ended with status 3 and gave no answer"},
      {plan(""),
       "PROGRAM: /rectangles: expected 2 rectangles, one for each worker, found an empty array "
       "(it has 0)"},
      {plan(R"({"rows": [0, 4], "columns": [0, 5]}, {"rows": [0, 4], "columns": [2, 4]})"),
       "PROGRAM: /rectangles/0/columns/1: expected an integer from 1 to 4, found 5"},
      {plan(R"({"rows": [0, 4], "columns": [0, 3]}, {"rows": [0, 4], "columns": [2, 4]})"),
       "worker 1 and worker 2 both have a part of C"},
      {plan(R"({"rows": [0, 4], "columns": [0, 1]}, {"rows": [0, 4], "columns": [2, 4]})"),
       "12 of 16 blocks of C have a worker"},
      {plan(R"({"rows": [0, 4]}, {"rows": [0, 4], "columns": [2, 4]})"),
       "PROGRAM: /rectangles/0: the key 'columns' is missing"},
  };
  test::expect_errors(std::string(kSmallProduct) + "--engine analytic", "exec-spmd", cases);
}

TEST(ExternalProducts, TimeIsLimited) {
  const Program sleeper("sleep 1000");
  for (const char* limit : {"--heuristics 'exec-spmd:%[time_limit=1]'",
                            "--time-limit 1 --heuristics 'exec-spmd:%[time_limit=1000]'"}) {
    std::string options = limit;
    options.replace(options.find('%'), 1, sleeper.path());
    const auto row = rows(std::string(kSmallProduct) + "--engine analytic " + options).at(0);
    EXPECT_EQ(row.at("cause"), "time") << row;
    EXPECT_NE(row.at("error").get<std::string>().find(" 1 s"), std::string::npos) << row;
  }
}

/// Rectangles that cover C, but not in columns.
TEST(ExternalProducts, RectanglesStandInColumns) {
  spmd::Cluster cluster{.name = "x", .block_size = 10, .nodes = {}};
  for (int node = 0; node < 5; ++node) {
    Device device;
    device.speed_flops = 1e9;
    cluster.nodes.push_back({.processors = {{.device = device, .measured = {}}},
                             .memory_bytes = 1e9,
                             .paging = std::nullopt,
                             .bandwidth_bytes_per_s = 1e9});
  }
  const spmd::ExternalDistribution pinwheel(
      [](const spmd::Cluster&, std::int64_t) -> PerWorker<spmd::NodeRectangle> {
        PerWorker<spmd::NodeRectangle> rectangles;
        for (const spmd::NodeRectangle& rectangle : {spmd::NodeRectangle{0, 0, 1, 2},
                                                     {0, 2, 2, 1},
                                                     {2, 1, 1, 2},
                                                     {1, 0, 2, 1},
                                                     {1, 1, 1, 1}}) {
          rectangles.push_back(rectangle);
        }
        return rectangles;
      },
      {});
  try {
    pinwheel.plan(cluster, 3, 60);
    ADD_FAILURE();
  } catch (const SimulationError& error) {
    EXPECT_STREQ(
        error.what(),
        "worker 4's rectangle does not stand below another one of its width, or at the top "
        "of C");
  }
}

TEST(ExternalModels, MessagesAreThoseOfTheSchema) {
  const test::JsonSchema schema("heuristics/protocol.schema.json");
  int count = 0;
  for (const auto& [run, kind, program] :
       {std::tuple(kTiles, "exec-tiles:", "nearest.py"), {kProduct, "exec-spmd:", "columns.py"}}) {
    const TemporaryFile asked("");
    const TemporaryFile said("");
    const Program between("tee " + asked.path() +
                          " | " STARPORT_SOURCE_DIR "/heuristics/examples/" + program + " | tee " +
                          said.path());
    const auto results =
        rows(std::string(run) + "--engine analytic --heuristics " + kind + between.path());
    ASSERT_EQ(results.at(0).at("status"), "ok") << results.at(0);
    for (const TemporaryFile* file : {&asked, &said}) {
      std::ifstream lines(file->path());
      for (std::string line; std::getline(lines, line); ++count) {
        EXPECT_TRUE(schema.accepts(test::json_of(line))) << line;
      }
    }
  }
  EXPECT_GT(count, 50);
  for (const char* wrong :
       {R"({"now_s": 0, "events": []})", R"({"task": [0, 0]})",
        R"({"protocol": 1, "decides": "never"})", R"({"protocol": 1, "rectangles": []})",
        R"({"protocol": 1, "allocation": [-1]})"}) {
    EXPECT_FALSE(schema.accepts(test::json_of(wrong))) << wrong;
  }
}

TEST(ExternalTiles, AllocationsOfLibrariesAreForTheProduct) {
  const auto results =
      rows(kTiles + std::string("--engine analytic --heuristics Resized --plugin " STARPORT_PLUGINS
                                "/libmisbehaving_models.so"));
  EXPECT_EQ(results.at(0).value("error", ""), "the allocation is for a product of another size");
}

}  // namespace
}  // namespace starport
