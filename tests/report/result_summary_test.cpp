#include "sim/report/result_summary.hpp"

#include "sim/results/figure.hpp"
#include "tests/support.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace starport {
namespace {

/// The cell of that column in the row of a heuristic.
std::string cell(const SummaryTable& group, const std::string& heuristic,
                 const std::string& column) {
  const auto at = std::find(group.columns.begin(), group.columns.end(), column);
  if (at == group.columns.end()) return "no column";
  for (const auto& row : group.rows) {
    if (row.front() == heuristic) {
      return row.at(static_cast<std::size_t>(at - group.columns.begin()));
    }
  }
  return "no row";
}

ResultTable results(const std::string& rows) {
  const test::TemporaryFile file(
      "experiment,instance,repetition,heuristic,status,relative_cost,relative_work,bound_ratio,"
      "enrolled_workers\r\n" +
          rows,
      ".csv");
  return ResultTable::read_csv(file.path());
}

// Two instances with three repetitions. The means of the repetitions of X are 1, 1.1 and 1.2: 1.1
// +- 4.3027 * 0.1 / sqrt(3) = 0.2484. Y completed a third of the instances: it is not compared. In
// experiment f nothing is repeated.
TEST(ResultSummary, IntervalsAreOfTheMeansOfRepetitions) {
  const auto row = [](int instance, int repetition, const char* heuristic, double cost) {
    return "e," + std::to_string(instance) + "," + std::to_string(repetition) + "," + heuristic +
           ",ok," + std::to_string(cost) + ",1,1,2\r\n";
  };
  const std::string e = row(1, 1, "X", 0.8) + row(2, 1, "X", 1.2) + row(3, 2, "X", 1) +
                        row(4, 2, "X", 1.2) + row(5, 3, "X", 1) + row(6, 3, "X", 1.4) +
                        row(1, 1, "Y", 1) + row(2, 1, "Y", 1) + "e,3,2,Y,error,,,,\r\n";
  const FigureList figures{&kRelativeCost, &kRelativeWork};
  const auto one = summarise(results(e), figures);
  ASSERT_EQ(one.size(), 1U);
  EXPECT_EQ(cell(one[0], "X", "95% interval"), "0.852 .. 1.348");
  EXPECT_EQ(cell(one[0], "Y", "95% interval"), "");
  EXPECT_EQ(cell(one[0], "Y", "mean rel. cost"), "");
  EXPECT_EQ(cell(one[0], "X", "mean rel. work"), "1");
  EXPECT_EQ(cell(one[0], "X", "mean bound ratio"), "no column");
  EXPECT_EQ(cell(one[0], "X", "median rel. cost").substr(0, 3), "1.1");
  const auto two = summarise(results(e + "f,7,1,X,ok,1,1,1,2\r\n"), figures);
  ASSERT_EQ(two.size(), 3U);
  EXPECT_EQ(cell(two[0], "X", "95% interval"), "no column");
  EXPECT_EQ(cell(two[1], "X", "95% interval"), "0.852 .. 1.348");
  EXPECT_EQ(cell(two[2], "X", "95% interval"), "no column");
}

// X is best on the two instances that X and Y completed: 1.1 on average, Y 1.3. Z is the fastest of
// all on one instance, which says little.
TEST(ResultSummary, HeuristicsAreComparedOnCommonInstances) {
  const ResultTable table = results(
      "e,1,1,X,ok,1.2,1,1,2\r\ne,2,1,X,ok,1,1,1,2\r\ne,3,1,X,ok,9,1,1,2\r\ne,4,1,X,error,,,,\r\n"
      "e,1,1,Y,ok,1.1,1,1,2\r\ne,2,1,Y,ok,1.5,1,1,2\r\ne,4,1,Y,ok,1,1,1,2\r\n"
      "e,1,1,Z,ok,1,1,1,2\r\ne,2,1,Z,not applicable,,,,\r\n");
  const auto found = findings(table);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].experiment, "e");
  EXPECT_EQ(found[0].text,
            "X has the smallest mean relative cost, 1.1, on the 2 instances that 2 heuristics "
            "completed, and is fastest on 1; Y follows with 1.3. Not compared, with the instances "
            "completed: Z (1).");
  const auto tables = summarise(table, {});
  EXPECT_EQ(tables[0].rows[0].front(), "X");
  EXPECT_EQ(cell(tables[0], "Z", "mean rel. cost"), "");
  EXPECT_EQ(cell(tables[0], "Z", "complete"), "1");
  EXPECT_EQ(cell(tables[0], "Y", "times best"), "0");
}

TEST(ResultSummary, TiesAndManyThatAreNotCompared) {
  std::string rows = "e,1,1,X,ok,1,1,1,2\r\ne,2,1,X,ok,1,1,1,2\r\ne,3,1,X,ok,1,1,1,2\r\n";
  rows += "e,1,1,Y,ok,1,1,1,2\r\ne,2,1,Y,ok,1.00001,1,1,2\r\n";
  for (const char* name : {"A", "B", "C", "D", "E", "F", "G"}) {
    rows += std::string("e,1,1,") + name + ",ok,2,1,1,2\r\n";
  }
  EXPECT_EQ(findings(results(rows)).front().text,
            "X has the smallest mean relative cost, 1, on the 2 instances that 2 heuristics "
            "completed, and is fastest on 2; Y has the same. Not compared, with the instances "
            "completed: A (1), B (1), C (1), D (1), E (1) and 2 others.");
}

TEST(ResultSummary, WhoIsBestAtWhichValues) {
  const auto along = [](const std::vector<std::pair<double, double>>& costs) {
    std::string rows = "experiment,instance,heuristic,status,relative_cost,x_bytes\r\n";
    for (std::size_t i = 0; i < costs.size(); ++i) {
      rows += fmt::format("e,{0},X,ok,{1},{3}\r\ne,{0},Y,ok,{2},{3}\r\n", i + 1, costs[i].first,
                          costs[i].second, 1024 * (i + 1));
    }
    const test::TemporaryFile file(rows, ".csv");
    return describe_best_along(ResultTable::read_csv(file.path()), "e", "x_bytes", "x (KiB)", 1024);
  };
  // Equal ones: the best at the value before.
  EXPECT_EQ(along({{1, 1.1}, {1, 1.1}, {1.1, 1}, {1, 1}, {1, 1.2}}),
            "Best by x (KiB): X up to 2, Y from 3 to 4, X from 5 on.");
  EXPECT_EQ(along({{1, 2}, {2, 1}, {1, 2}}), "Best by x (KiB): X up to 1, Y at 2, X from 3 on.");
  EXPECT_EQ(along({{1, 2}, {1, 1}}), "X is best at every x.");
  EXPECT_EQ(along({{1, 2}}), "");
  EXPECT_EQ(along({{1, 2}, {2, 1}, {1, 2}, {2, 1}, {1, 2}}), "");
}

// A file may have a column of any name.
TEST(ResultSummary, AColumnNamedAsOneOfTheQuery) {
  const test::TemporaryFile file(
      "experiment,instance,repetition,heuristic,status,relative_cost,_shared,enrolled_workers\r\n"
      "e,1,1,X,ok,1,0,2\r\ne,2,2,X,ok,2,0,2\r\n",
      ".csv");
  const auto table = summarise(ResultTable::read_csv(file.path()), {});
  EXPECT_EQ(cell(table.front(), "X", "mean rel. cost"), "1.5");
}

// Cells of the relative cost may be empty, as in results that were edited.
TEST(ResultSummary, RunsWithoutARelativeCost) {
  const std::string rows = "e,1,1,X,ok,,1,1,2\r\ne,2,2,X,ok,,1,1,2\r\n";
  const auto none = summarise(results(rows), {});
  ASSERT_EQ(none.size(), 1U);
  EXPECT_EQ(cell(none[0], "X", "mean rel. cost"), "");
  EXPECT_EQ(summary_text(results(rows)),
            "2 instances and 1 heuristic: 2 runs, none of which failed.");
  const auto some = summarise(
      results(rows + "e,1,1,Y,ok,1,1,1,2\r\ne,2,2,Y,ok,2,1,1,2\r\ne,3,3,Y,ok,,1,1,2\r\n"), {});
  EXPECT_EQ(cell(some[0], "X", "95% interval"), "");
  EXPECT_EQ(cell(some[0], "Y", "mean rel. cost"), "1.5");
}

// Names may be digits.
TEST(ResultSummary, NamesThatLookLikeNumbers) {
  std::string rows =
      "experiment,instance,repetition,heuristic,status,relative_cost,x,enrolled_workers\r\n";
  for (const int instance : {1, 2}) {
    rows += fmt::format("1,{0},{0},50,ok,1,{0},2\r\n1,{0},{0},Het,ok,1.5,{0},2\r\n", instance);
  }
  const test::TemporaryFile file(rows, ".csv");
  const ResultTable table = ResultTable::read_csv(file.path());
  EXPECT_EQ(cell(summarise(table, {}).front(), "50", "95% interval"), "1.000 .. 1.000");
  EXPECT_EQ(describe_best_along(table, "1", "x", "x", 1), "50 is best at every x.");
}

}  // namespace
}  // namespace starport
