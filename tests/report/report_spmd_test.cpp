// The page of a sweep of distributed products, in a real Chromium.
#include "tests/paths.hpp"
#include "tests/report/browser.hpp"
#include "tests/support.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>

namespace starport::test {
namespace {

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
  browser.execute("document.querySelector('#results-table tr[data-row=\"0\"] button').click()");
  browser.wait_for("return document.getElementById('gantt-facts').dataset.row === '0'");
  const std::string facts = browser.text("#gantt-facts");
  EXPECT_NE(facts.find("FPM: "), std::string::npos) << facts;
  EXPECT_NE(facts.find(" workers enrolled"), std::string::npos) << facts;
  EXPECT_NE(browser.text("#summary-table").find("mean of the bound"), std::string::npos);
  EXPECT_EQ(browser.console(), std::vector<nlohmann::json>{});
}

}  // namespace
}  // namespace starport::test
