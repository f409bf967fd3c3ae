// The tables of the report and what is around them, in a real Chromium.
#include "tests/report/report_pages.hpp"

#include <boost/algorithm/string.hpp>
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
  EXPECT_EQ(
      page.browser.text(".lead"),
      "2 instances and 4 heuristics: 7 runs, of which 1 failed. Het has the smallest mean "
      "relative cost, 1, on the 2 instances that 3 heuristics completed, and is fastest on 2; "
      "BMM follows with 1.09. Not compared, with the instances completed: Hom (0).");
  const auto first = [&] { return page.browser.text("#summary-table tbody tr:nth-child(3)"); };
  // ORROML: 236/198 and 1194.5/1002.5, then the first alone.
  EXPECT_EQ(first(), "ORROML 2 0 1.192 1.192 1.192 1.250 1.500 0 2.00");
  page.choose("summary-group", "1");
  EXPECT_EQ(first(), "ORROML 1 0 1.192 1.192 1.192 1.250 1.500 0 2.00");
}

TEST(ReportPage, HostileNamesAreInert) {
  SmallSweep sweep;
  sweep.platforms[0] = sweep.experiments[1] = sweep.error = kHostile;
  const std::string row = fmt::format("1,,\"{0}\",,\"{0}\",1,1.5\n",
                                      boost::replace_all_copy(std::string(kHostile), "\"", "\"\""));
  OpenPage page(
      sweep.html({{kHostile,
                   kHostile,
                   {.kind = "bars",
                    .data = "position,section,label,available,heuristic,style,value\n" + row,
                    .settings = {{"ylabel", kHostile}, {"xlabel", ""}}}}}));
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

constexpr const char* kLines =
    "x,bound,heuristic,style,value,least,greatest\n"
    "1,5,Het,1,10,9,12\n2,5,Het,1,20,20,20\n4,5,Het,1,40,40,40\n"
    "1,5,\"Hom[a=1,b=2]\",2,15,15,15\n2,5,\"Hom[a=1,b=2]\",2,1000,1000,1000\n";

ReportPlot lines_plot() {
  return {.group = "small",
          .caption = "Makespan against s.",
          .drawing = {.kind = "lines",
                      .data = kLines,
                      .settings = {{"xlabel", "s (blocks)"},
                                   {"ylabel", "makespan (s)"},
                                   {"range", "repetitions"},
                                   {"bound_name", "bound"},
                                   {"x_column", "s"},
                                   {"experiment", "small"}}}};
}

std::vector<std::string> texts_of(OpenPage& page, const std::string& selector) {
  return page.browser.execute("return [...document.querySelectorAll('" + selector +
                              "')].map((node) => node.textContent)");
}

TEST(ReportPage, AClickInTheKeyHidesASeries) {
  OpenPage page(SmallSweep{}.html({lines_plot()}));
  EXPECT_EQ(texts_of(page, "#figures .key button"),
            (std::vector<std::string>{"Het", "Hom[a=1,b=2]", "bound"}));
  const auto ticks = [&] { return texts_of(page, "#figures svg text[text-anchor=end]"); };
  EXPECT_EQ(ticks().back(), "1,000");
  page.browser.click("#figures .key button:nth-child(2)");
  EXPECT_EQ(ticks().back(), "40");
  EXPECT_EQ(texts_of(page, "#figures .key button[aria-pressed=false]"),
            std::vector<std::string>{"Hom[a=1,b=2]"});
  page.browser.click("#figures .buttons button:nth-child(2)");  // log y
  EXPECT_EQ(ticks(), (std::vector<std::string>{"5", "10", "20"}));
}

/// Sends pointer events to the figure, at shares of its width and height.
std::string pointer(const std::string& type, double x, double y) {
  return fmt::format(
      "{{ const svg = document.querySelector('#figures svg'), box = svg.getBoundingClientRect();"
      "svg.dispatchEvent(new PointerEvent('{}', {{ bubbles: true, clientX: box.left + {} * "
      "box.width, clientY: box.top + {} * box.height }})); }}",
      type, x, y);
}

TEST(ReportPage, ThePointerReadsValuesZoomsAndFindsRows) {
  OpenPage page(SmallSweep{}.html({lines_plot()}));
  // Het's last point, at the right and near the bottom of the axes.
  const std::string place =
      "const circles = [...document.querySelectorAll('#figures circle')], view = [620, 360];"
      "const at = ['cx', 'cy'].map((name, k) => circles[2].getAttribute(name) / view[k]);"
      "return at;";
  const nlohmann::json at = page.browser.execute(place);
  const double x = at[0];
  const double y = at[1];
  page.browser.execute(pointer("pointermove", x, y));
  EXPECT_EQ(page.browser.text(".figure-tip"), "Het\ns (blocks): 4\nmakespan (s): 40");
  page.browser.execute(pointer("pointerdown", 0.2, 0.6) + pointer("pointermove", 0.6, 0.85) +
                       pointer("pointerup", 0.6, 0.85));
  const std::string zoomed = page.browser.text("#figures svg");
  EXPECT_EQ(zoomed.find("1,000"), std::string::npos) << zoomed;
  page.browser.execute(
      "document.querySelector('#figures svg').dispatchEvent(new Event('dblclick'))");
  EXPECT_NE(page.browser.text("#figures svg").find("1,000"), std::string::npos);
  // A horizontal drag leaves the vertical axis as it is.
  page.browser.execute(pointer("pointerdown", 0.5, 0.5) + pointer("pointermove", 0.9, 0.5) +
                       pointer("pointerup", 0.9, 0.5));
  const std::string narrowed = page.browser.text("#figures svg");
  EXPECT_NE(narrowed.find("1,000"), std::string::npos) << narrowed;
  EXPECT_NE(narrowed.find("3.4"), std::string::npos) << narrowed;
  page.browser.execute(
      "document.querySelector('#figures svg').dispatchEvent(new Event('dblclick'))");
  page.browser.execute(pointer("pointerdown", x, y) + pointer("pointerup", x, y));
  EXPECT_EQ(page.browser.execute("return document.getElementById('results-filter').value"),
            "heuristic=Het s=4 experiment=small");
}

TEST(ReportPage, FiltersByColumn) {
  OpenPage page(SmallSweep{}.html());
  page.browser.type("#results-filter", "heuristic=Het platform=\"two workers\"");
  EXPECT_EQ(page.column("heuristic"), std::vector<std::string>{"Het"});
  page.browser.execute(
      "const box = document.getElementById('results-filter'); box.value = 's=12.0 hom'; "
      "box.dispatchEvent(new Event('input'))");
  EXPECT_EQ(page.column("heuristic"), std::vector<std::string>{"Hom"});
}

}  // namespace
}  // namespace starport::test
