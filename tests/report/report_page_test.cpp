// The tables of the report and what is around them, in a real Chromium.
#include "tests/report/report_pages.hpp"

#include <nlohmann/json.hpp>

namespace starport::test {
namespace {

constexpr const char* kHostile = "</script><img src=x onerror=\"window.broken = 1\">";

TEST(ReportPage, SortsNumbersAsNumbers) {
  OpenPage page(SmallSweep{}.html());
  EXPECT_EQ(page.sorted_header(), "");
  page.click_header("makespan (s)");
  // As text, 1002.50 would come first. What failed has no makespan and is last both ways.
  EXPECT_EQ(page.column("makespan_s"),
            (std::vector<std::string>{"198.00", "208.00", "236.00", "1002.50", "1132.00", "1194.50",
                                      ""}));
  EXPECT_EQ(page.sorted_header(), "makespan (s) ascending");
  page.click_header("makespan (s)");
  EXPECT_EQ(page.column("makespan_s"),
            (std::vector<std::string>{"1194.50", "1132.00", "1002.50", "236.00", "208.00", "198.00",
                                      ""}));
  EXPECT_EQ(page.sorted_header(), "makespan (s) descending");
  // Stable: within a heuristic, the rows stay by makespan.
  page.click_header("heuristic");
  EXPECT_EQ(page.column("makespan_s"),
            (std::vector<std::string>{"1132.00", "208.00", "1002.50", "198.00", "", "1194.50",
                                      "236.00"}));
  // By its key, too: the header that was clicked keeps the focus.
  page.browser.type("#results-table th[aria-sort=ascending] button", "\uE007");
  EXPECT_EQ(page.sorted_header(), "heuristic descending");
}

TEST(ReportPage, FiltersRowsAndShowsFailures) {
  OpenPage page(SmallSweep{}.html());
  page.browser.type("#results-filter", "LARGER rro");
  EXPECT_EQ(page.column("heuristic"), (std::vector<std::string>{"ORROML", "Hom"}));  // or an error
  EXPECT_EQ(page.browser.text("#results-count"), "2 of 7 rows");
  EXPECT_EQ(page.column("error"), (std::vector<std::string>{"", "it crashed"}));
  page.browser.click("#results-table tr.failed button");
  page.browser.wait_for("return !document.getElementById('gantt-message').hidden");
  EXPECT_EQ(page.browser.text("#gantt-message"), "Hom: error. it crashed");
}

TEST(ReportPage, SummarisesByExperiment) {
  OpenPage page(SmallSweep{}.html());
  EXPECT_EQ(page.browser.text(".lead"),
            "2 instances and 4 heuristics: 7 runs, of which 1 failed. Het has the smallest mean "
            "relative cost, 1.000, and is fastest most often, on 2 instances.");
  const auto first = [&] { return page.browser.text("#summary-table tbody tr:nth-child(3)"); };
  // ORROML: 236/198 and 1194.5/1002.5, then the first alone.
  EXPECT_EQ(first(), "ORROML 2 0 1.192 1.192 1.192 1.250 1.500 0 2.00");
  page.choose("summary-group", "1");
  EXPECT_EQ(first(), "ORROML 1 0 1.192 1.192 1.192 1.250 1.500 0 2.00");
}

TEST(ReportPage, HostileNamesAreInert) {
  SmallSweep sweep;
  sweep.platforms[0] = sweep.experiments[1] = sweep.error = kHostile;
  const std::string svg = "<?xml version='1.0'?><svg xmlns='http://www.w3.org/2000/svg'/>";
  OpenPage page(sweep.html({{kHostile, kHostile, svg}}));
  EXPECT_EQ(page.browser.execute("return [window.broken ?? null, document.images.length]"),
            (nlohmann::json{nullptr, 0}));
  EXPECT_EQ(page.browser.text("h1"), std::string("A sweep of ") + kHostile);
  EXPECT_EQ(page.column("platform").front(), kHostile);
  EXPECT_EQ(page.column("error").back(), kHostile);
  EXPECT_EQ(page.browser.text("#figures h3"), kHostile);
  EXPECT_TRUE(page.browser.text("#platform-facts").starts_with(kHostile));
  EXPECT_NE(page.browser.text("#provenance-list").find("onerror"), std::string::npos);
}

TEST(ReportPage, LoadsNothing) {
  const std::string html = SmallSweep{}.html();
  EXPECT_FALSE(contains(html, R"re((src|href)\s*=\s*["']?(https?:|//))re"));
  EXPECT_FALSE(contains(html, R"re(url\(\s*["']?(https?:|//)|@import)re"));
  OpenPage page(html);
  EXPECT_EQ(page.browser.execute(
                "return performance.getEntriesByType('resource').map((entry) => entry.name)"),
            nlohmann::json::array());
}

TEST(ReportPage, FiguresOfAPageDoNotShareIdentifiers) {
  const std::string svg =
      "<?xml version='1.0'?><svg viewBox='0 0 2 1' xmlns='http://www.w3.org/2000/svg' "
      "xmlns:xlink='http://www.w3.org/1999/xlink'><defs><circle id='dot' r='1'/></defs>"
      "<use xlink:href='#dot'/><rect id=\"box\" width='2' height='1' fill='url(#none)'/></svg>";
  OpenPage page(SmallSweep{}.html({{"a", "one", svg}, {"a", "two", svg}, {"b", "three", svg}}));
  EXPECT_EQ(page.browser.execute(
                "return [...document.querySelectorAll('figure [id]')].map((node) => node.id)"),
            (nlohmann::json{"figure1-dot", "figure1-box", "figure2-dot", "figure2-box",
                            "figure3-dot", "figure3-box"}));
  EXPECT_EQ(page.browser.execute("return [...document.querySelectorAll('use')].map((node) => "
                                 "node.getAttribute('xlink:href'))"),
            (nlohmann::json{"#figure1-dot", "#figure2-dot", "#figure3-dot"}));
}

}  // namespace
}  // namespace starport::test
