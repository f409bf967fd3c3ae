// Names of workers: in platform files, tables, traces and figures.
#include "sim/files/error.hpp"
#include "sim/platform/platform_file.hpp"
#include "sim/star/schedule.hpp"
#include "tests/cli/json_schema.hpp"
#include "tests/paths.hpp"
#include "tests/support.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <sstream>

namespace starport {
namespace {

using test::Outcome;
using test::shell;
using test::TemporaryDirectory;
using test::TemporaryFile;

std::string platform_of(const std::string& workers) {
  return R"({"schema_version": 1, "name": "p", "block_size": 80, "workers": [)" + workers + "]}";
}

/// `head` ends with a comma, or is empty.
std::string worker(const std::string& head, double c_s = 0.001) {
  return fmt::format(R"({{{}"c_s": {}, "w_s": 0.002, "m_blocks": 60}})", head, c_s);
}

/// Five workers, three of which have names.
std::string five_workers() {
  return platform_of(worker(R"("name": "gpu", "count": 2, )") + "," +
                     worker(R"("name": "Zürich, \"old\"", )", 0.0015) + "," +
                     worker(R"("count": 2, )", 0.003));
}

std::string text_of_file(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

void expect_says(const std::string& text, const std::string& what) {
  EXPECT_NE(text.find(what), std::string::npos) << what << " in\n" << text;
}

TEST(NamedWorkers, AreCalledSo) {
  const TemporaryFile file(five_workers());
  const PlatformFile read = load_platform(file.path());
  EXPECT_EQ(read.names[0], "gpu-1");
  EXPECT_EQ(read.names[1], "gpu-2");
  EXPECT_EQ(read.names[2], "Zürich, \"old\"");
  EXPECT_EQ(read.names[3], "P4");
  EXPECT_EQ(read.names.format_range(0, 2), "gpu-1..gpu-2");
  EXPECT_EQ(read.names.format_range(1, 3), "gpu-2, Zürich, \"old\"");
  EXPECT_EQ(read.names.format_range(0, 5), "gpu-1..P5 (5)");
  EXPECT_EQ(WorkerNames().format_range(0, 4), "P1..P4");
  const test::JsonSchema schema("platforms/platform.schema.json");
  EXPECT_TRUE(schema.accepts(load_json(file.path())));
  EXPECT_THROW(WorkerNames({"a", "port"}), InputError);
  EXPECT_EQ(WorkerNames({"node1", "big", "node2"}).format_range(0, 3), "node1, big, node2");
  EXPECT_EQ(WorkerNames({"node1", "", "node2"}).format_range(0, 3), "node1, P2, node2");
  for (const char* name : {"P2", "7", "", "port", "link"}) {
    const std::string head = fmt::format(R"("name": "{}", )", name);
    EXPECT_FALSE(schema.accepts(test::json_of(platform_of(worker(head))))) << name;
  }
  // Writing the platform and reading it again keeps the names.
  const TemporaryFile again(to_json(read));
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(load_platform(again.path()).names[i], read.names[i]);
  }
}

// The messages are in messages.golden.
TEST(NamedWorkers, AreToldApart) {
  const auto fails = [](const std::string& workers, const std::string& place) {
    const TemporaryFile file(platform_of(workers));
    const Outcome outcome = shell("starport validate " + file.path());
    EXPECT_EQ(outcome.status, 2) << workers;
    expect_says(outcome.err, file.path() + ": " + place);
  };
  fails(worker(R"("name": "a", )") + "," + worker("") + "," + worker(R"("name": "a", )"),
        "/workers: ");
  fails(worker(R"("name": "gpu-2", )") + "," + worker(R"("name": "gpu", "count": 3, )"),
        "/workers: ");
  for (const std::string& name : {std::string("P2"), std::string("7"), std::string(),
                                  std::string(65, 'x'), std::string("a\\u001b[2J")}) {
    fails(worker(R"("name": ")" + name + R"(", )"), "/workers");
  }
  fails(worker(R"("name": 3, )"), "/workers/0/name: ");
}

TEST(NamedWorkers, StandInTablesAndTraces) {
  const TemporaryFile file(five_workers());
  const TemporaryDirectory folder;
  const std::string csv = (folder.path() / "t.csv").string();
  const std::string chrome = (folder.path() / "t.json").string();
  const std::string run = "starport run " + file.path() +
                          " --problem 1600x1600x1600 --engine analytic --heuristics BMM,ODDOML";
  const Outcome table = shell(run + " --trace " + csv);
  ASSERT_EQ(table.status, 0) << table.err;
  // Columns stay aligned beside a letter of two bytes.
  expect_says(table.out,
              "\n  gpu-1..gpu-2     1 ms  2 ms   60     6\n"
              "  Zürich, \"old\"  1.5 ms  2 ms   60     6\n");
  expect_says(table.out, "\n  P4..P5 ");
  expect_says(table.out, "; their shares of the updates: gpu-1");
  expect_says(text_of_file(csv), ",\"Zürich, \"\"old\"\"\",link,port,");
  ASSERT_EQ(shell(run + " --trace " + chrome).status, 0);
  expect_says(text_of_file(chrome), R"({"name": "gpu-2 computation"})");
  const auto trace = test::json_of(text_of_file(chrome));
  EXPECT_GT(trace.at("traceEvents").size(), 10U);
  EXPECT_EQ(shell("starport validate " + csv).status, 0);

  const auto json = test::json_of(shell(run + " --json").out);
  EXPECT_TRUE(test::JsonSchema("experiments/results.schema.json").accepts(json));
  EXPECT_EQ(json.at("platform").at("workers").at(1).at("name"), "gpu-2");
  EXPECT_EQ(json.at("platform").at("workers").at(4).at("name"), "P5");
  const std::string bound = "starport bound " + file.path() + " --problem 1600x1600x1600";
  expect_says(shell(bound).out, "\n  gpu-1 ");
  EXPECT_EQ(test::json_of(shell(bound + " --json").out).at("workers").at(0).at("name"), "gpu-1");
  const std::string drawn = (folder.path() / "gantt.csv").string();
  ASSERT_EQ(shell("starport plot " + csv + " --figure gantt --heuristics BMM -o " + drawn).status,
            0);
  expect_says(text_of_file(drawn), "gpu-1");
}

TEST(NamedWorkers, StayWithSchedules) {
  const TemporaryFile file(five_workers());
  const TemporaryDirectory folder;
  const std::string path = (folder.path() / "s.json").string();
  ASSERT_EQ(shell("starport plan " + file.path() +
                  " --problem 1600x1600x1600 --engine analytic --heuristics ODDOML -o " + path)
                .status,
            0);
  const Schedule schedule = load_schedule(path);
  EXPECT_EQ(schedule.platform.names[0], "gpu-1");
  EXPECT_EQ(schedule.platform.names[4], "P5");
  EXPECT_TRUE(test::JsonSchema("sim/star/schedule.schema.json").accepts(load_json(path)));
  expect_says(shell("starport replay " + file.path() + " " + path).out, "gpu-1..gpu-2");
}

TEST(NamedWorkers, AreCalledSoInNoise) {
  const TemporaryFile file(five_workers());
  const std::string run = "starport run " + file.path() +
                          " --problem 1600x1600x1600 --engine analytic --heuristics ODDOML,BMM ";
  const Outcome by_name = shell(run + "--csv --noise stop=gpu-2@0.5,slow_link=P4@1:x2");
  EXPECT_EQ(by_name.status, 0) << by_name.err;
  EXPECT_NE(by_name.out.find("slow_link=4@1:x2,stop=2@0.5"), std::string::npos) << by_name.out;
  const Outcome unknown = shell(run + "--noise stop=gpu-9@0.5");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_NE(unknown.err.find("expected a worker: its number, or gpu-1, gpu-2, "), std::string::npos)
      << unknown.err;
}

TEST(NamedWorkers, AreNoneWithoutNames) {
  const TemporaryFile file(platform_of(worker(R"("count": 2, )")));
  const std::string run = "starport run " + file.path() +
                          " --problem 800x800x800 --engine analytic --heuristics ODDOML ";
  EXPECT_NE(shell(run + "--csv --noise stop=P2@0.5").out.find("stop=2@0.5"), std::string::npos);
  const auto json = test::json_of(shell(run + "--json").out);
  EXPECT_FALSE(json.at("platform").at("workers").at(0).contains("name"));
  EXPECT_FALSE(load_platform(file.path()).names.has_given_names());
  const Outcome named = shell(run + "--noise stop=gpu@0.5");
  EXPECT_EQ(named.status, 2);
  EXPECT_NE(named.err.find("a worker's number, such as 3 or P3, since no names are known here"),
            std::string::npos)
      << named.err;
}

TEST(NamedWorkers, OfOtherModels) {
  const TemporaryFile file(R"({"schema_version": 1, "name": "p", "workers": [
      {"name": "host", "shares_memory": true, "speed": "1Gf"},
      {"name": "gpu", "count": 2, "bandwidth": "1GBps", "speed": "10Gf", "memory": "1GB"}]})");
  const TemporaryDirectory folder;
  const std::string csv = (folder.path() / "t.csv").string();
  const Outcome outcome = shell("starport run " + file.path() +
                                " --problem 1920 -q 480 --heuristics DMDA,FPM --trace " + csv);
  ASSERT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  const std::string text = text_of_file(csv);
  expect_says(text, "DMDA");
  expect_says(text, ",gpu-2,");
  EXPECT_EQ(text.find(",P2,"), std::string::npos);
}

}  // namespace
}  // namespace starport
