// Report pages of sweeps of tile tasks and of distributed products, opened in Chromium.
#include "tests/paths.hpp"
#include "tests/report/browser.hpp"
#include "tests/support.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <string>
#include <vector>

namespace starport::test {
namespace {

constexpr const char* kTileSweep = R"({
  "schema_version": 1,
  "name": "A node with GPUs",
  "seed": 7,
  "heuristics": ["EffectiveSteal", "DMDA", "Static", "Static[partition=NRRP3D,redux=yes]"],
  "experiments": [
    {"name": "as it is", "platforms": ["PLATFORM"], "problems": ["3840", "1920"],
     "repetitions": 2, "noise": {"update_cv": 0.02}},
    {"name": "a GPU stops", "platforms": ["PLATFORM"], "problems": ["3840"],
     "noise": {"stop": [{"worker": 4, "at_s": 0.1}]}}
  ]
})";

TEST(ReportPage, OfTileTasks) {
  const TemporaryDirectory directory;
  const auto path = [&](const std::string& name) { return (directory.path() / name).string(); };
  std::string specification = kTileSweep;
  const std::string platform = shell("realpath platforms/mirage.json | tr -d '\\n'").out;
  for (std::size_t at = 0; (at = specification.find("PLATFORM")) != std::string::npos;) {
    specification.replace(at, 8, platform);
  }
  std::ofstream(path("specification.json")) << specification;
  const auto swept = shell(fmt::format("starport sweep {} --engine analytic -o {}",
                                       path("specification.json"), path("results")));
  ASSERT_EQ(swept.status, 1) << swept.err;  // a static allocation needs the GPU that stops
  const auto reported =
      shell(fmt::format("starport report {} -o {}", path("results"), path("page.html")));
  ASSERT_EQ(reported.status, 0) << reported.err;

  Browser& browser = empty_page();
  browser.open("file://" + path("page.html"));
  const std::string stopped = show_rows(browser, {18}).front();
  EXPECT_NE(stopped.find("wait for a worker that has stopped"), std::string::npos) << stopped;
  EXPECT_EQ(show_rows(browser, {16, 3, 2, 1, 0}), std::vector<std::string>(5, "shown"));
  const std::string facts = browser.text("#gantt-facts");
  EXPECT_NE(facts.find("EffectiveSteal: 320.7 ms"), std::string::npos) << facts;
  EXPECT_NE(facts.find("volume (GiB) "), std::string::npos) << facts;
  const std::string legend = browser.text("#gantt-legend");
  for (const char* role : {"A, B sent", "C sent", "C returned", "computation", "stolen"}) {
    EXPECT_NE(legend.find(role), std::string::npos) << role << " in " << legend;
  }
  browser.click("#experiment-list summary");
  browser.text("#experiment-list details .figures");  // waits: they are drawn after the click
  const std::string figures = browser.text("#figures");
  EXPECT_NE(figures.find("Communication and makespan"), std::string::npos) << figures;
  EXPECT_NE(browser.text("#summary-table").find("mean x volume"), std::string::npos);
  EXPECT_EQ(browser.console(), std::vector<nlohmann::json>{});
}

TEST(ReportPage, OfDistributedProducts) {
  const TemporaryDirectory directory;
  const auto path = [&](const std::string& name) { return (directory.path() / name).string(); };
  const auto platform = [](const char* name) {
    return fmt::format(STARPORT_SOURCE_DIR "/platforms/{}.json", name);
  };
  const nlohmann::json specification{
      {"schema_version", 1},
      {"name", "Distributed"},
      {"seed", 7},
      {"heuristics", {"FPM", "homogeneous", "SquareCorner"}},
      {"experiments",
       nlohmann::json::array(
           {{{"name", "nodes"}, {"platforms", {platform("cliff")}}, {"problems", {"640", "1280"}}},
            {{"name", "pairs"},
             {"platforms", {platform("two-processors")}},
             {"problems", nlohmann::json::array({"650"})}}})}};
  std::ofstream(path("specification.json")) << specification;
  const auto made =
      shell(fmt::format("starport sweep {0} --engine analytic -o {1} && starport report {1} -o {2}",
                        path("specification.json"), path("results"), path("page.html")));
  ASSERT_EQ(made.status, 0) << made.err;

  Browser& browser = empty_page();
  browser.open("file://" + path("page.html"));
  EXPECT_EQ(show_rows(browser, {0}), std::vector<std::string>{"shown"});
  const std::string facts = browser.text("#gantt-facts");
  EXPECT_NE(facts.find("FPM: "), std::string::npos) << facts;
  EXPECT_NE(facts.find(" workers enrolled"), std::string::npos) << facts;
  EXPECT_NE(browser.text("#summary-table").find("mean of the bound"), std::string::npos);
  EXPECT_EQ(browser.console(), std::vector<nlohmann::json>{});
}

}  // namespace
}  // namespace starport::test
