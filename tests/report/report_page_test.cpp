// The tables of the report and what is around them, in a real Chromium.
#include "tests/report/report_pages.hpp"

#include <boost/algorithm/string.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace starport::test {
namespace {

constexpr const char* kHostile = "</script><img src=x onerror=\"window.broken = 1\">";

TEST(ReportPage, SummarisesFiltersAndSortsItsRows) {
  OpenPage page(SmallSweep{}.html());
  EXPECT_EQ(
      page.browser.text(".lead"),
      "2 instances and 4 heuristics: 7 runs, of which 1 failed. Het has the smallest mean "
      "relative cost, 1, on the 2 instances that 3 heuristics completed, and is fastest on 2; "
      "BMM follows with 1.09. Not compared, with the instances completed: Hom (0).");
  const auto third = [&] { return page.browser.text("#summary-table tbody tr:nth-child(3)"); };
  // ORROML: 236/198 and 1194.5/1002.5, then the first alone.
  EXPECT_EQ(third(), "ORROML 2 0 1.192 1.192 1.192 1.250 1.500 0 2.00");
  page.choose("summary-group", "1");
  EXPECT_EQ(third(), "ORROML 1 0 1.192 1.192 1.192 1.250 1.500 0 2.00");
  // These runs do not tell how much of each memory is in use.
  EXPECT_TRUE(
      page.browser.execute("return document.getElementById('gantt-memory').parentElement.hidden"));

  page.browser.type("#results-filter", "LARGER rro");
  EXPECT_EQ(page.column("heuristic"), (std::vector<std::string>{"ORROML", "Hom"}));  // or an error
  EXPECT_EQ(page.browser.text("#results-count"), "2 of 7 rows");
  EXPECT_EQ(page.column("error"), (std::vector<std::string>{"", "it crashed"}));
  page.browser.click("#results-table tr.failed button");
  page.browser.wait_for("return !document.getElementById('gantt-message').hidden");
  EXPECT_EQ(page.browser.text("#gantt-message"), "Hom: error. it crashed");
  const auto filter = [&](const char* text) {
    page.browser.execute(
        "const box = document.getElementById('results-filter'); box.value = arguments[0];"
        "box.dispatchEvent(new Event('input'))",
        {text});
  };
  filter("heuristic=Het platform=\"two workers\"");
  EXPECT_EQ(page.column("heuristic"), std::vector<std::string>{"Het"});
  filter("s=12.0 hom");
  EXPECT_EQ(page.column("heuristic"), std::vector<std::string>{"Hom"});
  filter("");

  EXPECT_EQ(page.sorted_header(), "");
  page.click_header("makespan");
  // As text, 1002.5 would come first. What failed has no makespan and is last both ways.
  EXPECT_EQ(
      page.column("makespan_s"),
      (std::vector<std::string>{"198 s", "208 s", "236 s", "1003 s", "1132 s", "1195 s", ""}));
  EXPECT_EQ(page.sorted_header(), "makespan ascending");
  page.click_header("makespan");
  EXPECT_EQ(page.column("makespan_s"), (std::vector<std::string>{"1195 s", "1132 s", "1003 s",
                                                                 "236 s", "208 s", "198 s", ""}));
  EXPECT_EQ(page.sorted_header(), "makespan descending");
  // Stable: within a heuristic, the rows stay by makespan.
  page.click_header("heuristic");
  EXPECT_EQ(page.column("makespan_s"), (std::vector<std::string>{"1132 s", "208 s", "1003 s",
                                                                 "198 s", "", "1195 s", "236 s"}));
  // By its key, too: the header that was clicked keeps the focus.
  page.browser.type("#results-table th[aria-sort=ascending] button", "\uE007");
  EXPECT_EQ(page.sorted_header(), "heuristic descending");
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
  EXPECT_EQ(page.browser.text("#experiment-list section:last-child h3"), kHostile);
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
  return {.experiment = "small",
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

/// Makes the page one for a medium, "screen" or "print" ("": the browser's), and a scheme of
/// colours, "light" or "dark".
void emulate(OpenPage& page, const std::string& medium, const std::string& scheme) {
  const nlohmann::json feature{{"name", "prefers-color-scheme"}, {"value", scheme}};
  page.browser.devtools("Emulation.setEmulatedMedia",
                        {{"media", medium}, {"features", nlohmann::json::array({feature})}});
}

/// A script that returns the texts and the points of series that stand out too little from the
/// page, by the ratio of luminances of WCAG 2.
constexpr const char* kWeakContrasts = R"js(
  const number = (text) => text.match(/[\d.]+/g).slice(0, 3).map(Number);
  const luminance = (colour) => number(colour).map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, k) => sum + part * [0.2126, 0.7152, 0.0722][k], 0);
  const page = luminance(getComputedStyle(document.body).backgroundColor);
  const ratio = (colour) => {
    const [low, high] = [page, luminance(colour)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const weak = [];
  const check = (css, property, least) => {
    for (const node of document.querySelectorAll(css)) {
      const colour = getComputedStyle(node)[property];
      if (ratio(colour) < least) weak.push([css, node.textContent.slice(0, 20), colour, ratio(colour)]);
    }
  };
  check("h1, h2, h3, p, a, td, th button, figcaption, .key button, figure svg text", "color", 4.5);
  check("figure svg circle", "fill", 2);
  return weak;
)js";

/// Sends pointer events to the figure, at shares of its width and height.
std::string pointer(const std::string& type, double x, double y) {
  return fmt::format(
      "{{ const svg = document.querySelector('#figures svg'), box = svg.getBoundingClientRect();"
      "svg.dispatchEvent(new PointerEvent('{}', {{ bubbles: true, clientX: box.left + {} * "
      "box.width, clientY: box.top + {} * box.height }})); }}",
      type, x, y);
}

TEST(ReportPage, ThePointerReadsValuesZoomsFindsRowsAndHidesSeries) {
  OpenPage page(SmallSweep{}.html({lines_plot()}));
  // Het's last point, at the right and near the bottom of the axes.
  const std::string place =
      "const circles = [...document.querySelectorAll('#figures circle')];"
      "const { width, height } = document.querySelector('#figures svg').viewBox.baseVal;"
      "const view = [width, height];"
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

  // A click in the key hides a series.
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

TEST(ReportPage, AnExperimentHasItsQuestionItsFindingAndItsFigure) {
  ReportPlot bars{.experiment = "small",
                  .caption = "Relative cost.",
                  .drawing = {.kind = "bars",
                              .data = "position,section,label,available,heuristic,style,value\n"
                                      "1,,one,,Het,1,1.5\n",
                              .settings = {{"ylabel", "relative cost"}, {"xlabel", ""}}}};
  OpenPage page(
      SmallSweep{}.html({bars, lines_plot()}, {{"small", "How many blocks suit this star?"}}));
  std::vector<std::string> lines;
  const std::string section = page.browser.text("#experiment-list section");
  boost::split(lines, section, boost::is_any_of("\n"));
  ASSERT_GE(lines.size(), 3U);
  EXPECT_EQ(lines[0], "small");
  EXPECT_EQ(lines[1], "How many blocks suit this star?");
  EXPECT_TRUE(
      lines[2].starts_with("Het has the smallest mean relative cost, 1, on the 1 instance"));
  // The figure against the axis comes first; the others are drawn when they are opened.
  EXPECT_EQ(texts_of(page, "#figures figcaption"), std::vector<std::string>{"Makespan against s."});
  page.browser.click("#experiment-list summary");
  page.browser.wait_for("return document.querySelectorAll('#figures figcaption').length === 2");
  EXPECT_EQ(texts_of(page, "#experiment-list details figcaption"),
            std::vector<std::string>{"Relative cost."});
  // The other experiment states no question and has one instance.
  EXPECT_EQ(texts_of(page, "#experiment-list .question").back(), "Which heuristic is fastest?");
}

TEST(ReportPage, FitsWindowsOfAllWidthsInLightAndInDarkAndPaper) {
  OpenPage page(SmallSweep{}.html({lines_plot()}));
  page.browser.click("#results-table tr[data-row='1'] button");
  page.choose("gantt-second", "0");
  page.wait_for_facts("A: ORROML");
  for (const int width : {400, 1400}) {
    for (const bool dark : {false, true}) {
      page.browser.show_in(width, 900, dark);
      const std::string place = fmt::format("{} pixels, {}", width, dark ? "dark" : "light");
      EXPECT_EQ(page.browser.execute("return innerWidth"), width);
      // The page is no wider than the window: tables scroll in their boxes.
      EXPECT_LE(page.browser.execute("return document.documentElement.scrollWidth").get<int>(),
                width)
          << place;
      // Figures are in the window, and their texts in them.
      EXPECT_EQ(
          page.browser.execute(
              "const [figure] = document.querySelectorAll('#figures figure svg');"
              "const whole = figure.getBoundingClientRect();"
              "return [...figure.querySelectorAll('text')].map((text) => ["
              "  text.textContent, text.getBoundingClientRect()]).filter(([, box]) =>"
              "  box.left < whole.left || box.right > whole.right || box.right > innerWidth)"),
          nlohmann::json::array())
          << place;
      // Texts stand out from the page by 4.5 to 1, as WCAG asks, and points of series by 2 to 1.
      EXPECT_EQ(page.browser.execute(kWeakContrasts), nlohmann::json::array()) << place;
      // The canvas has the colours of the page.
      page.browser.wait_for(
          "const page = getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number);"
          "const canvas = document.querySelector('#gantt-chart canvas');"
          "const { data } = canvas.getContext('2d').getImageData(1, canvas.height / 2, 1, 1);"
          "return page.every((part, k) => data[k] === part)");
    }
  }
  page.browser.console();  // what it says of pixels that are read
  page.browser.devtools("Emulation.clearDeviceMetricsOverride", nlohmann::json::object());

  // Paper has the findings first and no controls.
  emulate(page, "print", "dark");
  // In the order of the printed page; what is not shown has no height.
  const auto order = page.browser.execute(
      "return ['#figures .question', '#figures svg', '#figures figcaption', '#summary-table',"
      "  '#results-table', '#gantt-chart canvas', '#platform-table', '#provenance-list'].map("
      "  (css) => { const box = document.querySelector(css).getBoundingClientRect();"
      "    return box.height > 0 ? box.top + scrollY : -1 })");
  EXPECT_TRUE(std::ranges::is_sorted(order.get<std::vector<double>>())) << order;
  EXPECT_GE(order[0], 0);
  EXPECT_EQ(page.browser.execute(
                "return [...document.querySelectorAll('nav, .buttons, .menu, #results-filter, "
                "#gantt-help, input')].filter((node) => node.checkVisibility()).length"),
            0);
  // White, with the colours of the keys; nothing is cut off by boxes that scroll.
  EXPECT_EQ(page.browser.execute("return getComputedStyle(document.body).color"), "rgb(0, 0, 0)");
  EXPECT_EQ(page.browser.execute(
                "return [...document.querySelectorAll('.key i, .legend i')].every((swatch) => "
                "getComputedStyle(swatch).printColorAdjust === 'exact' && swatch.offsetWidth > 0)"),
            true);
  EXPECT_EQ(page.browser.execute("return [...document.querySelectorAll('.scroll')].every((box) => "
                                 "getComputedStyle(box).maxHeight === 'none')"),
            true);
  emulate(page, "", "light");
}

TEST(ReportPage, AnswersToKeysAlone) {
  constexpr const char32_t* enter = U"\uE007";
  constexpr const char32_t* right = U"\uE014";
  constexpr const char32_t* down = U"\uE015";
  OpenPage page(SmallSweep{}.html({lines_plot()}));
  // Moves the focus, which must be seen.
  const auto tab_to = [&](const std::string& css) {
    EXPECT_TRUE(page.browser.tab_to(css)) << css;
    EXPECT_EQ(page.browser.execute("return getComputedStyle(document.activeElement).outlineStyle"),
              "solid")
        << css;
  };
  tab_to("nav a");
  tab_to("#figures svg");
  page.browser.press(right);
  EXPECT_EQ(page.browser.text(".figure-tip"),
            "Het\ns (blocks): 1\nmakespan (s): 10\nrange of repetitions: 9 to 12");
  page.browser.press(std::u32string(right) + right + down);
  EXPECT_TRUE(page.browser.text(".figure-tip").starts_with("Hom[a=1,b=2]\n"));
  page.browser.press(U"+");
  EXPECT_EQ(texts_of(page, "#figures svg text[text-anchor=end]").back(), "200");
  page.browser.press(U"-");
  page.browser.press(enter);
  EXPECT_EQ(page.browser.execute("return document.getElementById('results-filter').value"),
            "heuristic=Hom[a=1,b=2] s=1 experiment=small");
  tab_to("#figures .key button");
  page.browser.press(U" ");
  EXPECT_EQ(texts_of(page, "#figures .key button[aria-pressed=false]"),
            std::vector<std::string>{"Het"});
  tab_to("#results-filter");
  page.browser.press(U"\uE00C");  // Escape empties it
  page.browser.press(U"larger");
  EXPECT_EQ(page.column("heuristic").size(), 4U);
  tab_to("#results-columns input, .menu summary");
  page.browser.press(enter);
  tab_to("#results-columns input");
  page.browser.press(U" ");
  EXPECT_EQ(page.column("instance"), std::vector<std::string>{});
  tab_to("#results-table th button");
  page.browser.press(enter);
  EXPECT_NE(page.sorted_header(), "");
  tab_to("#results-table tr[data-row='4'] button");
  page.browser.press(enter);
  page.wait_for_facts("ORROML: 1195 s");
  tab_to("#gantt-second");
  page.browser.press(down);
  page.wait_for_facts("A: ORROML, 1195 s; B: ");
  tab_to("#gantt-chart");
  const auto whole = page.range();
  page.browser.press(U"+");
  page.changed_range(whole);
  page.browser.press(U"n");
  page.browser.wait_for("return !document.getElementById('gantt-tip').hidden");
}

// The x of a bin is a mean, which no row has.
TEST(ReportPage, APointOfABinFindsTheRowsOfItsHeuristic) {
  ReportPlot binned = lines_plot();
  binned.drawing.settings["binned"] = 1;
  OpenPage page(SmallSweep{}.html({binned}));
  page.browser.execute(
      "document.querySelector('#figures svg').dispatchEvent(new KeyboardEvent('keydown',"
      " {key: 'ArrowRight'}));"
      "document.querySelector('#figures svg').dispatchEvent(new KeyboardEvent('keydown',"
      " {key: 'Enter'}))");
  EXPECT_EQ(page.browser.execute("return document.getElementById('results-filter').value"),
            "heuristic=Het experiment=small");
}

}  // namespace
}  // namespace starport::test
