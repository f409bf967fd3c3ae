// Figures over results that mislead nobody: which bound they draw, how many points, at what size.
#include "sim/files/error.hpp"
#include "sim/report/database/result_table.hpp"
#include "sim/report/page/html_page.hpp"
#include "tests/report/full_disk.hpp"
#include "tests/report/timelines.hpp"
#include "tests/support.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace starport {
namespace {

using test::FullDisk;
using test::Outcome;
using test::shell;
using test::TemporaryFile;

/// The outcome of `starport plot` and the data that it draws.
struct DrawnFigure {
  Outcome outcome;
  std::string data;
};

DrawnFigure drawn_figure(const std::string& csv, const std::string& options) {
  const TemporaryFile results(csv, ".csv");
  const TemporaryFile data("", ".csv");
  DrawnFigure drawn{
      .outcome = shell("starport plot " + results.path() + " " + options + " -o " + data.path())};
  std::ostringstream text;
  text << std::ifstream(data.path()).rdbuf();
  drawn.data = text.str();
  return drawn;
}

/// Instances on drawn platforms, each of another measure: `repetitions` for each ratio.
std::string drawn_instances(int ratios, int repetitions, const std::string& platform = "drawn") {
  std::string text =
      "instance,platform,repetition,seed,ratio,workers,c_cv,heuristic,status,makespan_s,"
      "relative_cost,blocks_moved\n";
  int number = 0;
  for (int ratio = 1; ratio <= ratios; ++ratio) {
    for (int repetition = 1; repetition <= repetitions; ++repetition) {
      ++number;
      for (const char* heuristic : {"Het", "BMM"}) {
        text += fmt::format("{},{},{},{},{},8,{},{},ok,{},1.{},{}\n", number, platform, repetition,
                            2675161515195280 + number, ratio, 0.001 * number, heuristic,
                            100 + number, number, 50 + number);
      }
    }
  }
  return text;
}

// One heuristic keeps a rectangle of C, which another bound holds for: 40 / 1.25 and 45 / 1.8.
TEST(Figures, LinesDrawTheBoundThatHoldsForAllThatIsShown) {
  const std::string results =
      "instance,s,heuristic,status,makespan_s,times_tightest_bound,steady_state_bound_s\n"
      "1,10,Het,ok,40,1.25,3\n1,10,BMM,ok,45,1.8,3\n";
  EXPECT_EQ(drawn_figure(results, "--figure lines --x s").data,
            "x,bound,heuristic,style,value,least,greatest\r\n"
            "10,25,Het,1,40,40,40\r\n10,25,BMM,7,45,45,45\r\n");
  // Another model's rows have no such bound: it does not hold for them.
  EXPECT_EQ(drawn_figure(results + "1,10,FPM,ok,20,,\n", "--figure lines --x s").data,
            "x,bound,heuristic,style,value,least,greatest\r\n"
            "10,,Het,1,40,40,40\r\n10,,BMM,7,45,45,45\r\n10,,FPM,13,20,20,20\r\n");
}

TEST(Figures, LinesThroughVeryManyPointsAreGroups) {
  const DrawnFigure many = drawn_figure(drawn_instances(1, 300), "--figure lines --x c_cv");
  EXPECT_EQ(many.outcome.status, 0);
  EXPECT_NE(many.outcome.err.find("300 values of c_cv are put together in 12 bins"),
            std::string::npos)
      << many.outcome.err;
  EXPECT_EQ(std::ranges::count(many.data, '\n'), 1 + 2 * 12);
  const DrawnFigure few = drawn_figure(drawn_instances(1, 20), "--figure lines --x c_cv");
  EXPECT_EQ(few.outcome.err, "");
  EXPECT_EQ(std::ranges::count(few.data, '\n'), 1 + 2 * 20);
}

// Platforms of the same repetition differ in their number of workers.
TEST(Figures, SeedsAreNoNames) {
  std::string results =
      "instance,platform,repetition,seed,workers,heuristic,status,relative_cost\n";
  for (const int workers : {8, 32}) {
    for (int repetition = 1; repetition <= 2; ++repetition) {
      results += fmt::format("{},drawn,{},{},{},Het,ok,1\n", 10 * workers + repetition, repetition,
                             2675161515195280 + workers + repetition, workers);
    }
  }
  const DrawnFigure bars = drawn_figure(results, "--figure cost");
  EXPECT_NE(bars.data.find(",\"workers 8, draw 1\","), std::string::npos) << bars.data;
  EXPECT_EQ(bars.data.find("seed"), std::string::npos) << bars.data;
}

// The second instance has no noise.
TEST(Figures, TradeoffHasAPanelForEachProblemAlsoWhereAColumnIsEmpty) {
  const std::string results =
      "instance,problem,seed,noise,workers,heuristic,status,makespan_s,blocks_moved\n"
      "1,8,1,cv=0.1,2,Het,ok,10,5\n2,8,1,,2,Het,ok,20,6\n3,16,1,,2,Het,ok,30,7\n";
  const std::string data = drawn_figure(results, "--figure tradeoff").data;
  for (const char* panel : {"1,\"noise cv=0.1, problem 8\",Het", "2,\"noise none, problem 8\",Het",
                            "3,\"noise none, problem 16\",Het"}) {
    EXPECT_NE(data.find(panel), std::string::npos) << data;
  }
}

// s is r, and t is another one.
TEST(Figures, AReportHasOneFigureForAxesThatVaryTogether) {
  std::string rows =
      "experiment,instance,platform,problem,seed,workers,r,s,t,heuristic,status,makespan_s,"
      "relative_cost\n";
  int number = 0;
  for (const int r : {1, 2, 3}) {
    for (const int t : {10, 20, 30}) {
      rows += fmt::format("e,{0},p,{1}x{2}x{1},1,8,{1},{1},{2},Het,ok,{0},1\n", ++number, r, t);
    }
  }
  const TemporaryFile file(rows, ".csv");
  const ResultTable results = ResultTable::read_csv(file.path());
  EXPECT_EQ(default_question(results, "e"), "How does the makespan depend on r and t?");
  std::string axes;
  for (const ReportPlot& plot : report_plots(results, {}, {})) {
    if (plot.drawing.kind == "lines")
      axes += plot.drawing.settings.at("x_column").get<std::string>() + " ";
  }
  EXPECT_EQ(axes, "r t ");
}

// Each plot has a copy of the table, which has no room in memory.
TEST(Figures, AReportWithoutRoomForTemporaryFilesIsRefused) {
  std::string rows =
      "experiment,instance,platform,problem,seed,workers,r,s,t,heuristic,status,makespan_s,"
      "relative_cost,details\n";
  for (int i = 0; i < 20'000; ++i) {
    rows += fmt::format("e,1,p,8x8x8,1,8,1,1,1,Het,ok,1,1,{}\n", std::string(200, 'x'));
  }
  const TemporaryFile file(rows, ".csv");
  const ResultTable results = ResultTable::read_csv(file.path());
  const FullDisk disk;
  try {
    report_plots(results, {}, {});
    ADD_FAILURE() << "a report without its plots";
  } catch (const InputError& error) {
    EXPECT_TRUE(std::string(error.what())
                    .starts_with(file.path() + ": expected room for rows in the folder of "
                                               "temporary files, found "))
        << error.what();
  }
}

TEST(Figures, AReportSaysWhoIsBestAlongAnAxisOfNumbers) {
  std::string rows =
      "experiment,instance,platform,problem,seed,port,memory_bytes,workers,heuristic,status,"
      "makespan_s,relative_cost\n";
  const std::vector<std::string> ports{"one-port", "two-port", "multi-port"};
  for (const int i : {1, 2, 3}) {
    for (const int j : {0, 1}) {
      rows += fmt::format("e,{},p,any,1,{},{},8,{},ok,1,{}\n", i, ports[i - 1UL], i << 20,
                          j == 0 ? "Het" : "BMM", (i < 3) == (j == 0) ? 1 : 2);
    }
  }
  const TemporaryFile file(rows, ".csv");
  EXPECT_EQ(describe_axes(ResultTable::read_csv(file.path()), "e"),
            " Best by memory (MiB): Het up to 2, BMM from 3 on.");
}

TEST(Figures, TradeoffOfAStarIsAgainstItsBlocks) {
  const DrawnFigure star = drawn_figure(drawn_instances(1, 2), "--figure tradeoff");
  EXPECT_EQ(star.outcome.status, 0) << star.outcome.err;
  EXPECT_NE(star.data.find(",51.5,51,52,"), std::string::npos) << star.data;
  const DrawnFigure none = drawn_figure(drawn_instances(1, 2), "--figure tradeoff --x volume_gib");
  EXPECT_EQ(none.outcome.status, 2);
  EXPECT_NE(
      none.outcome.err.find(".csv: line 1: expected a column 'volume_gib', but there is none"),
      std::string::npos)
      << none.outcome.err;
}

// Polaris keeps no rectangle of C; Het does, which the larger bound holds for.
TEST(Figures, TheGanttChartHasTheBoundOfTheTable) {
  const TemporaryFile trace("", ".csv");
  const TemporaryFile results("", ".csv");
  const Outcome run = shell(
      "starport run platforms/ppopp08-memory.json --problem 8000x8000x64000 --engine analytic "
      "--heuristics Het,Polaris[effort=low] --csv --trace " +
      trace.path() + " > " + results.path());
  ASSERT_EQ(run.status, 0) << run.err;
  const ResultTable table = ResultTable::read_csv(results.path());
  for (const Row& row :
       table.query("SELECT heuristic, makespan_s / times_tightest_bound, any_schedule_bound_s FROM "
                   "results")) {
    const std::string name = to_text(row[0]);
    const Timeline timeline = read_trace(trace.path(), name);
    ASSERT_TRUE(timeline.bound_s) << name;
    EXPECT_NEAR(*timeline.bound_s, to_real(row[1]), 1e-9 * to_real(row[1])) << name;
    if (name == "Het") {
      EXPECT_GT(*timeline.bound_s, 1.001 * to_real(row[2]));
    }
  }
}

TEST(Figures, AHeuristicMayBeCalledByANumber) {
  const std::string data = drawn_figure("instance,s,heuristic,status,makespan_s\n1,10,50,ok,40\n",
                                        "--figure lines --x s")
                               .data;
  EXPECT_NE(data.find("\n10,,50,"), std::string::npos) << data;
}

// Seeds are empty for files; V belongs to another model.
TEST(Figures, NeedARowWithBothValues) {
  const std::string results =
      "instance,experiment,seed,bandwidth_factor,workers,heuristic,status,makespan_s,V\n"
      "1,e,,2,8,Het,ok,40,\n2,f,,,8,DMDA,ok,20,3\n";
  for (const auto& [options, columns] :
       {std::pair("lines --x seed", "seed and makespan_s"),
        std::pair("lines --x bandwidth_factor --value V", "bandwidth_factor and V"),
        std::pair("tradeoff --x bandwidth_factor --value V", "bandwidth_factor and V")}) {
    const DrawnFigure drawn = drawn_figure(results, std::string("--figure ") + options);
    EXPECT_EQ(drawn.outcome.status, 2) << options;
    EXPECT_NE(drawn.outcome.err.find(std::string(": expected a row with values of ") + columns +
                                     ", found none in the selected rows"),
              std::string::npos)
        << drawn.outcome.err;
  }
}

// The query of the figure has columns of these names.
TEST(Figures, TradeoffWhereOverridesHaveItsNames) {
  const DrawnFigure drawn = drawn_figure(
      "instance,problem,seed,style,name,first,a,x,workers,heuristic,status,makespan_s,"
      "blocks_moved\n"
      "1,8,1,1,1,1,1,1,2,Het,ok,10,5\n2,8,1,2,1,1,1,1,2,Het,ok,20,6\n"
      "3,16,1,1,1,1,1,1,2,Het,ok,30,7\n",
      "--figure tradeoff");
  EXPECT_EQ(drawn.outcome.status, 0) << drawn.outcome.err;
  for (const char* panel : {"1,\"style 1, problem 8\",Het", "2,\"style 2, problem 8\",Het",
                            "3,\"style 1, problem 16\",Het"}) {
    EXPECT_NE(drawn.data.find(panel), std::string::npos) << drawn.data;
  }
}

}  // namespace
}  // namespace starport
