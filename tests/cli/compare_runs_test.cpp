// starport compare-runs: the first difference of two runs, and how their time differs.
#include "sim/report/run_difference.hpp"
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

/// A port and a worker: C for 2 s, then operands for 1 s and their update for `update_s`.
Timeline small_run(double update_s, const std::string& last = "A+B") {
  Timeline timeline;
  timeline.name = "small";
  timeline.port = "one-port";
  timeline.kinds = {
      {"C sent", "transfer", SliceRole::send_c, TransferDirection::to_group, {}},
      {"A, B sent", "transfer", SliceRole::send_operands, TransferDirection::to_group, {}},
      {"computation", "update", SliceRole::compute, TransferDirection::none, {}}};
  timeline.groups = {{"port", {}, {}, "port waits"}, {"P1", 1, {}, ""}};
  timeline.lanes = {{"master's port", 0}, {"link", 1}, {"computation", 1}};
  timeline.labels = {"C", last, "update"};
  timeline.makespan_s = 3 + update_s;
  timeline.slices = {{.lane = 1, .other_lane = 0, .kind = 0, .label = 0, .start_s = 0, .end_s = 2},
                     {.lane = 1, .other_lane = 0, .kind = 1, .label = 1, .start_s = 2, .end_s = 3},
                     {.lane = 2, .kind = 2, .label = 2, .start_s = 3, .end_s = 3 + update_s}};
  return timeline;
}

TEST(CompareRuns, TimesByHand) {
  const Timeline a = small_run(4);
  const RunDifference difference = find_run_difference(a, small_run(6));
  ASSERT_EQ(difference.groups.size(), 2U);
  const auto& [port, worker] = std::tie(difference.groups[0], difference.groups[1]);
  EXPECT_EQ(port.a->transferring_s, 3);
  EXPECT_EQ(port.a->idle_s, 4);
  EXPECT_EQ(worker.a->computing_s, 4);
  EXPECT_EQ(worker.a->transferring_s, 3);
  EXPECT_EQ(worker.a->idle_s, 0);
  EXPECT_EQ(worker.b->computing_s, 6);
  EXPECT_FALSE(difference.first_other_step);
  ASSERT_TRUE(difference.first_other_dates);
  EXPECT_EQ(difference.first_other_dates->a->kind, "update");
  EXPECT_EQ(difference.first_other_dates->a->end_s, 7);
  EXPECT_EQ(difference.first_other_dates->b->end_s, 9);
}

TEST(CompareRuns, TheFirstStepThatDiffers) {
  Timeline shorter = small_run(4);
  EXPECT_FALSE(find_run_difference(shorter, small_run(4)).first_other_step);
  const RunDifference other = find_run_difference(small_run(4), small_run(4, "A"));
  ASSERT_TRUE(other.first_other_step);
  EXPECT_EQ(other.first_other_step->a->kind, "transfer");
  EXPECT_EQ(other.first_other_step->a->number, 2);
  EXPECT_EQ(other.first_other_step->a->text, "A, B sent, P1: A+B");
  EXPECT_EQ(other.first_other_step->b->text, "A, B sent, P1: A");
  shorter.slices.pop_back();
  const RunDifference over = find_run_difference(shorter, small_run(4));
  ASSERT_TRUE(over.first_other_step);
  EXPECT_FALSE(over.first_other_step->a);
  EXPECT_EQ(over.first_other_step->b->text, "computation, P1: update");
}

TEST(CompareRuns, WhatTheirCasesDifferIn) {
  EXPECT_TRUE(find_run_difference(small_run(4), small_run(4)).cases.empty());
  const auto told = [](const Timeline& a, const Timeline& b) {
    const auto cases = find_run_difference(a, b).cases;
    return cases.empty() ? std::string() : cases.front();
  };
  const std::string small = "A rows 1-3, k 1; B k 1, columns 1-4; update 1";
  EXPECT_EQ(told(small_run(4, small), small_run(4, "A rows 1-3, k 2; B k 2, columns 1-4")),
            "different products (r=3, s=4, t=1 and r=3, s=4, t=2, in blocks)");
  Timeline slower = small_run(4, small);
  slower.slices[1].end_s += 0.5;
  EXPECT_EQ(told(small_run(4, small), slower),
            "different platforms, or noise (P1: A, B sent, 3 rows, 1 k, 1 k, 4 columns: 1 and 1.5 "
            "s)");
  Timeline smaller = small_run(4, small);
  smaller.groups[1].memory_blocks = 21;
  Timeline larger = smaller;
  larger.groups[1].memory_blocks = 32;
  EXPECT_EQ(told(smaller, larger), "different platforms (P1 holds 21 and 32 blocks)");
  larger.port = "two-port";
  EXPECT_EQ(told(smaller, larger), "different platforms (one-port and two-port)");
}

class CompareFiles : public testing::Test {
 protected:
  void SetUp() override {
    const std::string product = " platforms/first-try.json --problem 1600x1600x1600 ";
    for (const char* name : {"ODDOML", "BMM"}) {
      ASSERT_EQ(shell("starport plan" + product + "--engine analytic --heuristics " + name +
                      " -o " + path(std::string(name) + ".json"))
                    .status,
                0);
    }
    ASSERT_EQ(shell("starport run" + product +
                    "--engine analytic --heuristics BMM,ODDOML --trace " + path("both.csv"))
                  .status,
              0);
  }
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

 private:
  TemporaryDirectory folder_;
};

TEST_F(CompareFiles, ScheduleAndTraceOfOneRunAreTheSame) {
  const Outcome same = shell("starport compare-runs " + path("ODDOML.json") + " " +
                             path("both.csv") + " --second ODDOML");
  EXPECT_EQ(same.status, 0) << same.err;
  EXPECT_NE(same.out.find("The same steps at the same dates."), std::string::npos) << same.out;
}

TEST_F(CompareFiles, SchedulesThatDiffer) {
  const std::string call = "starport compare-runs " + path("ODDOML.json") + " " + path("BMM.json");
  const Outcome outcome = shell(call);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("The first step that differs:\n  A: transfer "), std::string::npos)
      << outcome.out;
  const nlohmann::json read = test::json_of(shell(call + " --json").out);
  const nlohmann::json of_run = test::json_of(
      shell("starport run platforms/first-try.json --problem 1600x1600x1600 --engine analytic "
            "--heuristics ODDOML,BMM --json")
          .out);
  for (const auto& [side, place] : {std::pair("a", 0), std::pair("b", 1)}) {
    const nlohmann::json& run = of_run.at("results").at(place);
    const double makespan_s = run.at("makespan_s");
    EXPECT_DOUBLE_EQ(read.at(side).at("makespan_s"), makespan_s);
    const nlohmann::json& port = read.at("groups").at(0);
    EXPECT_EQ(port.at("name"), "port");
    EXPECT_NEAR(port.at(side).at("transferring_s"),
                run.at("port_utilisation").get<double>() * makespan_s, 1e-9 * makespan_s);
    for (std::size_t i = 0; i < run.at("workers").size(); ++i) {
      const nlohmann::json& times = read.at("groups").at(i + 1).at(side);
      EXPECT_NEAR(times.at("computing_s"), run.at("workers")[i].at("compute_busy_s"),
                  1e-9 * makespan_s);
      EXPECT_NEAR(times.at("computing_s").get<double>() + times.at("transferring_s").get<double>() +
                      times.at("idle_s").get<double>(),
                  makespan_s, 1e-9 * makespan_s);
    }
  }
}

TEST_F(CompareFiles, OfOtherProductsAndPlatforms) {
  const auto planned = [&](const char* platform, const char* product, const char* name) {
    ASSERT_EQ(shell(fmt::format("starport plan platforms/{}.json --problem {} --engine analytic "
                                "--heuristics ODDOML -o {}",
                                platform, product, path(name)))
                  .status,
              0);
  };
  planned("first-try", "1600x1600x3200", "longer.json");
  planned("ppopp08-memory", "1600x1600x1600", "elsewhere.json");
  const auto compared = [&](const char* name) {
    return shell("starport compare-runs " + path("ODDOML.json") + " " + path(name)).out;
  };
  EXPECT_EQ(compared("BMM.json").find("A and B: "), std::string::npos) << compared("BMM.json");
  EXPECT_NE(compared("longer.json").find("\nA and B: different products (r="), std::string::npos)
      << compared("longer.json");
  EXPECT_NE(compared("elsewhere.json").find("\nA and B: different platforms"), std::string::npos)
      << compared("elsewhere.json");
}

TEST_F(CompareFiles, DrawsBoth) {
  const std::string drawn = path("both.py");
  const Outcome outcome = shell("starport compare-runs " + path("both.csv") + " " +
                                path("BMM.json") + " --first ODDOML -o " + drawn);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  std::ostringstream script;
  script << std::ifstream(drawn).rdbuf();
  for (const char* text : {"A P1", "B P1", "A port", "B port", "A: ODDOML", "\"makespan of A\"",
                           "\"makespan of B\""}) {
    EXPECT_NE(script.str().find(text), std::string::npos) << text;
  }
}

TEST_F(CompareFiles, SaysWhatItNeeds) {
  const auto fails = [&](const std::string& arguments, const std::string& message) {
    const Outcome outcome = shell("starport compare-runs " + arguments);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
  };
  fails(path("both.csv") + " " + path("BMM.json"), "starport: " + path("both.csv") + ": --first: ");
  fails(path("BMM.json") + " " + path("BMM.json") + " --second Het", "--second: ");
  fails(path("BMM.json") + " platforms/first-try.json", "expected a schedule, found a platform");
  fails(path("BMM.json") + " " + path("BMM.json") + " --from 1", "--from: ");
}

}  // namespace
}  // namespace starport
