// starport report, from a sweep to its page.
#include "sim/app/model_registry.hpp"
#include "sim/files/error.hpp"
#include "sim/report/page/report_runs.hpp"
#include "tests/report/browser.hpp"
#include "tests/support.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace starport::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSpecification = R"({
  "schema_version": 1,
  "name": "Two <experiments>",
  "seed": 7,
  "heuristics": ["Het", "ODDOML", "BMM", "HoLM"],
  "experiments": [
    {"name": "drawn", "repetitions": 2, "problems": ["600x600x900"], "block_sizes": [10, 100],
     "platforms": [{"generate": {"name": "random", "workers": 3, "speed": "1Gf",
       "bandwidth": {"uniform": ["10MBps", "40MBps"]}, "memory": {"choice": ["1MB", "4MB"]}}}]},
    {"name": "links", "question": "Is a link <twice> as fast worth it?", "problems": ["600x600x900"], "block_sizes": [100],
     "platforms": [{"platform": {"schema_version": 1, "name": "two", "workers": [
       {"bandwidth": "10MBps", "speed": "1Gf", "memory": "4MB", "count": 2}]}}],
     "overrides": [{"field": "bandwidth", "multiply": [1, 2, 4]}]}
  ]
})";

/// Returns a path in a directory that the tests of a process share.
std::string path(const std::string& name) {
  static const TemporaryDirectory directory;
  return (directory.path() / name).string();
}

/// Returns the directory of a finished sweep of the specification, made once for all tests of a
/// process.
const std::string& sweep_directory() {
  static const std::string made = [] {
    std::ofstream(path("specification.json")) << kSpecification;
    const Outcome outcome = shell(fmt::format("starport sweep {} --engine analytic -o {}",
                                              path("specification.json"), path("results")));
    if (outcome.status != 0) throw std::runtime_error(outcome.err);
    return path("results");
  }();
  return made;
}

Outcome report(const std::string& arguments) {
  return shell(fmt::format("starport report {} {}", sweep_directory(), arguments));
}

std::string content(const std::string& name) {
  std::ostringstream text;
  text << std::ifstream(path(name), std::ios::binary).rdbuf();
  return text.str();
}

std::size_t runs_in(const std::string& page) {
  return matches(content(page), "id=\"(run-)").size();
}

TEST(ReportPage, EveryRunOfAPageIsThatOfTheTable) {
  ASSERT_EQ(report("-o " + path("page.html")).status, 0);
  Browser& browser = empty_page();
  browser.open("file://" + path("page.html"));
  EXPECT_EQ(browser.text("h1"), "Two <experiments>");
  // HoLM applies to the three instances whose workers are alike.
  EXPECT_EQ(runs_in("page.html"), 7U * 3 + 3);
  std::vector<int> rows(28);
  std::iota(rows.begin(), rows.end(), 0);
  // The page compares the makespan that its own dates give with the table.
  const std::vector<std::string> shown = show_rows(browser, rows);
  for (const int row : rows) {
    const std::string& outcome = shown[static_cast<std::size_t>(row)];
    if (row % 4 == 3 && row < 16) {
      EXPECT_TRUE(outcome.starts_with("HoLM: not applicable. ")) << outcome;
    } else {
      EXPECT_EQ(outcome, "shown") << row;
    }
  }
  EXPECT_EQ(browser.execute(
                "return [...document.querySelectorAll('#figures h3')].map((h) => h.textContent)"),
            (nlohmann::json{"drawn", "links"}));
  EXPECT_EQ(
      browser.execute("return [...document.querySelectorAll('#figures .question')].map((p) => "
                      "p.textContent)"),
      (nlohmann::json{"Which heuristic is fastest over these 4 instances?",
                      "Is a link <twice> as fast worth it?"}));
  EXPECT_EQ(browser.console(), std::vector<nlohmann::json>{});
}

TEST(ReportCommand, TheSameResultsGiveTheSamePage) {
  ASSERT_EQ(report("-j 1 -o " + path("one.html")).status, 0);
  const std::string one = content("one.html");
  ASSERT_EQ(report("-j 3 -o " + path("one.html")).status, 0);
  EXPECT_EQ(content("one.html"), one);
}

TEST(ReportCommand, HoldsTheRunsAskedFor) {
  const auto held = [&](const std::string& runs) {
    const Outcome outcome = report(fmt::format("--runs {} -o {}", runs, path("some.html")));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return runs_in("some.html");
  };
  EXPECT_EQ(held("all"), 24U);
  EXPECT_EQ(held("best"), 7U);
  EXPECT_EQ(held("none"), 0U);
  EXPECT_EQ(held("1,5-6"), 3U + 4 + 4);
}

TEST(ReportCommand, RunsAreWholeWhateverThePieces) {
  const Specification specification =
      load_specification(sweep_directory() + "/specification.json", model_registry());
  const ResultTable results = ResultTable::read_csv(sweep_directory() + "/results.csv");
  const auto runs = [&](std::size_t max_slices) {
    return report_runs(specification, results, {.instances = {{1}}},
                       {.engine = EngineKind::analytic, .max_slices = max_slices}, 1,
                       [](const ReportProgress&) { return true; });
  };
  const auto in_pieces = runs(4);
  ASSERT_EQ(in_pieces.size(), 3);  // HoLM is not applicable
  for (const auto& [row, run] : runs(SIZE_MAX)) EXPECT_EQ(in_pieces.at(row).slices, run.slices);
}

TEST(ReportCommand, RefusesWhatItCannotDo) {
  const auto refused = [&](const std::string& arguments, const std::string& why) {
    const Outcome outcome = report(arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_NE(outcome.err.find(why), std::string::npos) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_FALSE(fs::exists(path("refused.html")));
  };
  refused("", "--output: the option is missing. Give the file");
  const std::string output = "-o " + path("refused.html");
  refused(output + " --runs 8", "--runs: expected instances from 1 to 7, found '8'");
  refused(output + " --runs 3-2", "--runs: expected instances from 1 to 7, found '3-2'");
  refused(output + " --runs bests",
          "--runs: expected auto, all, best, none, or instances such as 3,7-9, found 'bests'");
  refused("-o " + path("nowhere/page.html"), "--output: expected a file that can be written");
  const Outcome foreign = shell("starport report platforms -o " + path("refused.html"));
  EXPECT_EQ(foreign.status, 2);
  EXPECT_NE(foreign.err.find("run_info.json"), std::string::npos) << foreign.err;
}

TEST(ReportPage, ShowsTheRunsOfATrace) {
  const Outcome made = shell(fmt::format(
      "starport run platforms/sirocco.json --problem 3840 --heuristics EffectiveSteal,DMDA,LWS "
      "--engine analytic --trace {0} && starport report {0} -o {1}",
      path("trace.csv"), path("trace.html")));
  ASSERT_EQ(made.status, 0) << made.err;
  Browser& browser = empty_page();
  browser.open("file://" + path("trace.html"));
  EXPECT_EQ(browser.text("h1"), "trace.csv");
  EXPECT_EQ(show_rows(browser, {0, 1, 2}), std::vector<std::string>(3, "shown"));
  EXPECT_EQ(browser.console(), std::vector<nlohmann::json>{});
  const Outcome chosen = shell(
      fmt::format("starport report {} --runs 1 -o {}", path("trace.csv"), path("refused.html")));
  EXPECT_EQ(chosen.status, 2);
  EXPECT_NE(chosen.err.find("--runs: it chooses runs of a sweep"), std::string::npos) << chosen.err;
}

TEST(ReportCommand, ResultsMayHaveNoRows) {
  fs::copy(sweep_directory(), path("none"));
  const Outcome none = shell(fmt::format(
      "cd {0} && old=$(sha256sum < results.csv) && sed -i '2,$d' results.csv && "
      "new=$(sha256sum < results.csv) && sed -i s/${{old%% *}}/${{new%% *}}/ run_info.json && "
      "starport report {0} -o {0}/page.html --runs 3",
      path("none")));
  EXPECT_EQ(none.status, 2) << none.err;
  EXPECT_NE(none.err.find("--runs: expected auto, all, best or none, since the results have no "
                          "instances, found '3'"),
            std::string::npos)
      << none.err;
}

TEST(ReportCommand, MoreRowsThanABrowserShowsAreRefused) {
  fs::copy(sweep_directory(), path("large"));
  const Outcome outcome = shell(fmt::format(
      "cd {} && old=$(sha256sum < specification.json) && "
      "sed -i 's/\"repetitions\": 2/\"repetitions\": 200000/' specification.json && "
      "new=$(sha256sum < specification.json) && "
      "sed -i \"s/${{old%% *}}/${{new%% *}}/\" run_info.json && starport report . -o large.html",
      path("large")));
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.err,
            "starport: .: expected at most 100000 rows, which a browser can show, found about "
            "1600012 (starport plot and starport check take results of any size)\n");
}

TEST(ReportCommand, ResultsOfAnotherVersionAreAnError) {
  fs::copy(sweep_directory(), path("other"));
  const Outcome outcome = shell(fmt::format(
      "cd {0} && old=$(sha256sum < results.csv) && "
      "sed -i \"2s/,ok,,,\\([0-9]\\)/,ok,,,1\\1/\" results.csv && "
      "new=$(sha256sum < results.csv) && sed -i \"s/${{old%% *}}/${{new%% *}}/\" run_info.json && "
      "starport report . -o {1}",
      path("other"), path("wrong.html")));
  fs::remove_all(path("other"));
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_NE(outcome.err.find("instance 1, Het: takes "), std::string::npos) << outcome.err;
  EXPECT_FALSE(fs::exists(path("wrong.html")));
}

// The report's own tables have columns of these names, and SQL has words of its own.
TEST(ReportOfAnyColumn, OverridesMayHaveAnyName) {
  std::string axes;
  for (const char* name : {"label", "style", "section", "position", "row", "shown", "rank", "runs",
                           "median_cost", "value", "rowid", "select", "order"}) {
    axes += fmt::format(R"({}{{"field": "speed", "multiply": [1], "name": "{}"}})",
                        axes.empty() ? "" : ",", name);
  }
  const TemporaryFile specification(R"({"schema_version": 1, "name": "names",
    "heuristics": ["ODDOML", "Het"], "experiments": [
      {"name": "e", "problems": ["80x160x320"], "block_sizes": [80],
       "platforms": [{"platform": {"schema_version": 1, "name": "p", "workers": [
         {"bandwidth": "1MBps", "speed": "1Gf", "memory": "2MB", "count": 2}]}}],
       "overrides": [)" + axes + "]}]}");
  const TemporaryDirectory work;
  const std::string results = (work.path() / "results").string();
  const Outcome made =
      shell(fmt::format("starport sweep -j 1 {0} -o {1} && starport report -j 1 {1} "
                        "-o {1}.html",
                        specification.path(), results));
  EXPECT_EQ(made.status, 0) << made.err;
  for (const char* figure :
       {"cost", "sorted", "distribution --value rank", "lines --x style --value order"}) {
    const Outcome drawn = shell(
        fmt::format("starport plot {0}/results.csv --figure {1} -o {0}.csv", results, figure));
    EXPECT_EQ(drawn.status, 0) << figure << ": " << drawn.err;
  }
}

// Three repetitions at a CV of 0, and of 10%.
TEST(ReportPage, ShowsRunsUnderNoise) {
  const TemporaryFile specification(R"({"schema_version": 1, "name": "noisy", "seed": 1,
    "heuristics": ["ORROML"], "experiments": [
      {"name": "e", "problems": ["80x160x320"], "block_sizes": [80], "repetitions": 3,
       "platforms": [{"platform": {"schema_version": 1, "name": "p", "workers": [
         {"bandwidth": "1MBps", "speed": "1Gf", "memory": "2MB", "count": 2}]}}],
       "overrides": [{"field": "cv", "set": [0, 0.1]}]}]})");
  const TemporaryDirectory work;
  const std::string page = (work.path() / "page.html").string();
  const Outcome made =
      shell(fmt::format("starport sweep -j 1 {0} -o {1} && starport report -j 1 {1} -o {2}",
                        specification.path(), (work.path() / "results").string(), page));
  ASSERT_EQ(made.status, 0) << made.err;
  Browser& browser = empty_page();
  browser.open("file://" + page);
  browser.wait_for("return !document.getElementById('gantt-view').hidden");
  EXPECT_NE(browser.text(".lead").find("6 runs, none of which failed; 3 runs under noise. "),
            std::string::npos)
      << browser.text(".lead");
  // Alone, each run is the best of its instance.
  EXPECT_EQ(browser.text("#summary-table tbody tr"),
            "ORROML 6 0 1.000 1.000 .. 1.000 1.000 1.000 1.000 " +
                browser.text("#summary-table tbody td:nth-child(9)") + " " +
                browser.text("#summary-table tbody td:nth-child(10)") + " " +
                browser.text("#summary-table tbody td:nth-child(11)") + " 6 1.00");
  EXPECT_EQ(show_rows(browser, {3}), std::vector<std::string>{"shown"});
  // The bound is one of nominal durations.
  EXPECT_TRUE(browser.text("#gantt-legend").ends_with("idle"));
  EXPECT_TRUE(
      browser.execute("return document.getElementById('gantt-instance')"
                      ".selectedOptions[0].textContent.endsWith('repetition 2')"));
}

// Runs that the page would not hold anyway may fail; however many processes there are, the first
// failure counts.
TEST(ReportCommand, RunsBeyondTheLimitMayFail) {
  const Specification specification =
      load_specification(sweep_directory() + "/specification.json", model_registry());
  const ResultTable swept = ResultTable::read_csv(sweep_directory() + "/results.csv");
  const std::string good = to_text(
      swept.query("SELECT makespan_s FROM results WHERE instance = 1 AND heuristic = 'Het'")[0][0]);
  ResultTable results;
  results.append_text("instance,heuristic,status,makespan_s\n1,Het,ok," + good +
                          "\n1,none,ok,1e9\n1,neither,ok,1e9\n",
                      "results.csv");
  const auto runs_within = [&](std::size_t max_characters, int processes) {
    return report_runs(specification, results, {.max_characters = max_characters},
                       {.engine = EngineKind::analytic}, processes,
                       [](const ReportProgress&) { return true; });
  };
  for (const int processes : {1, 3}) {
    EXPECT_TRUE(runs_within(1, processes).empty());
    try {
      runs_within(1'000'000, processes);
      ADD_FAILURE();
    } catch (const SimulationError& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with("instance 1, none: ")) << error.what();
    }
  }
}

}  // namespace
}  // namespace starport::test
