// The report in a real Chromium.
#include "sim/files/text.hpp"
#include "sim/report/page/html_page.hpp"
#include "sim/report/page/run_encoding.hpp"
#include "tests/paths.hpp"
#include "tests/report/browser.hpp"
#include "tests/report/timelines.hpp"
#include "tests/support.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>
#include <sstream>

namespace starport::test {
namespace {

constexpr const char* kHostile = "</script><img src=x onerror=\"window.broken = 1\">";

/// The two instances of tests/star/golden_test.cpp.
const std::vector<RandomInstance>& golden() {
  static const std::vector<RandomInstance> instances{
      {star({{1, 2, 12}, {2, 3, 21}}), {.r = 4, .s = 6, .t = 3, .block_size = 80}},
      {star({{1, 4.5, 21}, {1.5, 4, 32}, {4, 2, 12}}),
       {.r = 6, .s = 12, .t = 5, .block_size = 80}}};
  return instances;
}

PackedRun packed(const Timeline& timeline) {
  return {.chart = describe(timeline).dump(), .slices = pack(encode_run(timeline))};
}

/// A sweep of three heuristics on these, as its files would tell it: makespans are 198, 236 and
/// 208, then 1002.5, 1194.5 and 1132; then a row that failed.
struct Sweep {
  std::vector<std::string> platforms{"two workers", "three workers"};
  std::vector<std::string> experiments{"small", "larger"};
  std::string error = "it crashed";
  double makespan_factor = 1;  ///< for a table that is wrong

  std::string csv() const {
    std::string text =
        "instance,experiment,platform,problem,block_size,repetition,seed,workers,r,s,t,engine,"
        "heuristic,status,error,makespan_s,enrolled_workers,blocks_moved,block_updates,ccr,"
        "port_utilisation,relative_cost,relative_work,bound_ratio,steady_state_bound_s,details\r\n";
    const std::vector<std::vector<double>> makespans{{198, 236, 208}, {1002.5, 1194.5, 1132}};
    for (std::size_t i = 0; i < 2; ++i) {
      const Problem& problem = golden()[i].problem;
      const std::string label =
          fmt::format("{},{},{},any,80,1,,{},{},{},{},simgrid,", i + 1, csv_field(experiments[i]),
                      csv_field(platforms[i]), golden()[i].platform.workers.size(), problem.r,
                      problem.s, problem.t);
      for (std::size_t j = 0; j < 3; ++j) {
        text += fmt::format("{}{},ok,,{},2,120,72,1.5,0.9,{},1.25,1.5,100,\r\n", label, names[j],
                            makespans[i][j] * makespan_factor, makespans[i][j] / makespans[i][0]);
      }
      if (i == 1) text += fmt::format("{}Hom,error,{},,,,,,,,,,,\r\n", label, csv_field(error));
    }
    return text;
  }

  std::string html(std::vector<ReportPlot> figures = {}) const {
    ReportPage page;
    page.title = "A sweep of " + platforms[0];
    page.models = known().models;
    page.command = "starport report results -o report.html";
    page.provenance = {{"commit", "834033c"}, {"inputs", {{platforms[0], "12ab"}}}};
    page.figures = std::move(figures);
    for (std::size_t i = 0; i < 2; ++i) {
      Case instance = case_of(golden()[i].platform, golden()[i].problem);
      instance.platform.name = platforms[i];
      for (std::size_t j = 0; j < 3; ++j) {
        if (i == 1 && j == 2) continue;  // left out
        const Trace trace = by_recurrence(names[j], instance.platform, instance.problem);
        page.runs[static_cast<std::int64_t>(3 * i + j)] =
            packed(timeline_of(names[j], instance.platform, trace));
      }
      page.instances[static_cast<std::int64_t>(i + 1)] = std::move(instance);
    }
    const TemporaryFile file(csv(), ".csv");
    const TemporaryFile times("instance,heuristic,decision_s,simulation_s\r\n1,Het,0.5,0.25\r\n",
                              ".csv");
    return to_html(page, ResultTable::read_csv(file.path()), ResultTable::read_csv(times.path()));
  }

  static inline const std::vector<std::string> names{"Het", "ORROML", "BMM"};
};

/// A page that is open in a browser, its first run shown.
class OpenPage {
 public:
  explicit OpenPage(const std::string& html, int width = 1280, int height = 1000)
      : file_(html, ".html"), browser(width, height) {
    browser.open("file://" + file_.path());
    browser.wait_for(
        "return !document.getElementById('gantt-view').hidden || "
        "!document.getElementById('gantt-message').hidden");
  }
  ~OpenPage() { EXPECT_EQ(browser.console(), std::vector<nlohmann::json>{}); }

  std::vector<std::string> column(const std::string& key) {
    return browser.execute(
        "return [...document.querySelectorAll(`#results-table td[data-key=${arguments[0]}]`)]"
        ".map((cell) => cell.textContent)",
        {key});
  }
  void click_header(const std::string& label) {
    const int column = browser.execute(
        "return Number([...document.querySelectorAll('#results-table th button')]"
        ".find((button) => button.textContent === arguments[0]).dataset.column)",
        {label});
    browser.click(fmt::format("#results-table th button[data-column='{}']", column));
  }
  std::string sorted_header() {
    return browser.execute(
        "return [...document.querySelectorAll('#results-table th')]"
        ".filter((th) => th.getAttribute('aria-sort') !== 'none')"
        ".map((th) => th.textContent + ' ' + th.getAttribute('aria-sort')).join()");
  }
  std::pair<double, double> range() {
    const auto dates = browser.execute(
        "return ['gantt-from', 'gantt-to'].map((id) => Number(document.getElementById(id).value))");
    return {dates.at(0), dates.at(1)};
  }
  /// A point of the chart as an offset from its centre: x as a share of its dates, y in pixels
  /// from its top.
  std::pair<int, int> at(double share, int y) {
    const auto box = browser.execute(
        "document.getElementById('gantt').scrollIntoView();"
        "const box = document.querySelector('#gantt-chart canvas').getBoundingClientRect();"
        "return [box.width, box.height]");
    const double width = box.at(0);
    const double height = box.at(1);
    const double x = kGutter + share * (width - kGutter - kMargin);
    return {static_cast<int>(x - width / 2), y - static_cast<int>(height) / 2};
  }
  void choose(const std::string& id, const std::string& value) {
    browser.execute(
        "const select = document.getElementById(arguments[0]);"
        "select.value = arguments[1]; select.dispatchEvent(new Event('change'))",
        {id, value});
  }
  void wait_for_facts(const std::string& start) {
    browser.wait_for("return document.getElementById('gantt-facts').textContent.startsWith('" +
                     start + "')");
  }

  static constexpr const char* kCanvas = "#gantt-chart canvas";
  static constexpr double kGutter = 58;  // as plots/report/gantt.js has them
  static constexpr double kMargin = 8;
  static constexpr int kShared = 37;
  static constexpr int kRows = 24 + 26 + 10;
  static constexpr int kRow = 44;

 private:
  TemporaryFile file_;

 public:
  Browser browser;
};

TEST(ReportPage, SortsNumbersAsNumbers) {
  OpenPage page(Sweep{}.html());
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
  OpenPage page(Sweep{}.html());
  page.browser.type("#results-filter", "LARGER rro");
  EXPECT_EQ(page.column("heuristic"), (std::vector<std::string>{"ORROML", "Hom"}));  // or an error
  EXPECT_EQ(page.browser.text("#results-count"), "2 of 7 rows");
  EXPECT_EQ(page.column("error"), (std::vector<std::string>{"", "it crashed"}));
  page.browser.click("#results-table tr.failed button");
  page.browser.wait_for("return !document.getElementById('gantt-message').hidden");
  EXPECT_EQ(page.browser.text("#gantt-message"), "Hom: error. it crashed");
}

TEST(ReportPage, SummarisesByExperiment) {
  OpenPage page(Sweep{}.html());
  EXPECT_EQ(page.browser.text(".lead"),
            "2 instances and 4 heuristics: 7 runs, of which 1 failed. Het has the smallest mean "
            "relative cost, 1.000, and is fastest most often, on 2 instances.");
  const auto first = [&] { return page.browser.text("#summary-table tbody tr:nth-child(3)"); };
  // ORROML: 236/198 and 1194.5/1002.5, then the first alone.
  EXPECT_EQ(first(), "ORROML 2 0 1.192 1.192 1.192 1.250 1.500 0 2.00");
  page.choose("summary-group", "1");
  EXPECT_EQ(first(), "ORROML 1 0 1.192 1.192 1.192 1.250 1.500 0 2.00");
}

TEST(ReportPage, ZoomsAndMovesTheGanttChart) {
  OpenPage page(Sweep{}.html());
  const auto [from, to] = page.range();
  EXPECT_EQ(from, 0);
  EXPECT_NEAR(to, 198 * 1.01, 0.1);  // the makespan, and a margin
  const auto [x, y] = page.at(0.25, page.kShared);
  page.browser.wheel(page.kCanvas, x, y, -500);
  const auto [near_from, near_to] = page.range();
  EXPECT_LT(near_to - near_from, 0.6 * (to - from));
  // The date under the pointer stays there.
  EXPECT_NEAR(near_from + 0.25 * (near_to - near_from), 0.25 * to, 0.01 * to);
  page.browser.drag(page.kCanvas, x, y, x - 100, y);
  const auto [moved_from, moved_to] = page.range();
  EXPECT_GT(moved_from, near_from + 1);
  EXPECT_NEAR(moved_to - moved_from, near_to - near_from, 0.05);
  page.browser.type("#gantt-chart", "+");
  const auto [key_from, key_to] = page.range();
  EXPECT_NEAR(key_to - key_from, 0.7 * (moved_to - moved_from), 0.05);
  page.browser.type("#gantt-chart", "0");
  EXPECT_EQ(page.range(), (std::pair{from, to}));
}

TEST(ReportPage, TellsWhatLiesUnderThePointer) {
  OpenPage page(Sweep{}.html());
  // Het opens with the first chunk of C for P1: mu(12) = 2, so 4 blocks at 1 s each.
  const auto [x, y] = page.at(0.01, page.kShared);
  page.browser.move_to(page.kCanvas, x, y);
  page.browser.wait_for("return !document.getElementById('gantt-tip').hidden");
  const std::string tip = page.browser.text("#gantt-tip");
  EXPECT_TRUE(std::regex_search(
      tip, std::regex("^transfer 1 of \\d+: C to P[12]\nC\nrows 1–[23], columns 1–[23]\nblocks\n")))
      << tip;
  // By key: the second transfer.
  page.browser.type("#gantt-chart", "n");
  EXPECT_TRUE(page.browser.text("#gantt-tip").starts_with("transfer 2 of ")) << tip;
  const auto [outside, below] = page.at(-0.05, page.kShared);
  page.browser.move_to(page.kCanvas, outside, below);
  page.browser.wait_for("return document.getElementById('gantt-tip').hidden");
}

TEST(ReportPage, ShowsTheRunOfTheRowThatIsClicked) {
  OpenPage page(Sweep{}.html());
  EXPECT_TRUE(page.browser.text("#gantt-facts").starts_with("Het: 198.00 s; "))
      << page.browser.text("#gantt-facts");
  page.browser.click("#results-table tr[data-row='4'] button");
  page.wait_for_facts("ORROML: 1194.50 s");
  EXPECT_NEAR(page.range().second, 1194.5 * 1.01, 0.1);
  EXPECT_EQ(
      page.browser.text("#platform-facts"),
      "three workers, instance 2: 3 workers. C += A·B with r = 6, s = 12, t = 5 blocks of 80 × "
      "80: 360 block updates.");
  EXPECT_EQ(page.browser.text("#platform-table tbody tr"), "P1 1 4.5 21 3");
  // The heuristic stays when the instance changes; then a run that the page does not hold.
  page.choose("gantt-instance", "1");
  page.wait_for_facts("ORROML: 236.00 s");
  page.browser.click("#results-table tr[data-row='5'] button");
  page.browser.wait_for("return document.getElementById('gantt-view').hidden");
  EXPECT_EQ(page.browser.text("#gantt-message code"),
            "starport report results -o report.html --runs 2");
}

TEST(ReportPage, ARunThatIsNotTheTablesIsAnError) {
  Sweep sweep;
  sweep.makespan_factor = 1.0001;
  OpenPage page(sweep.html());
  EXPECT_TRUE(page.browser.text("#gantt-message")
                  .starts_with("The run of Het cannot be shown: it takes 198 s, the table says "))
      << page.browser.text("#gantt-message");
}

/// A page of one run, under the name of a heuristic.
std::string page_of(const Platform& platform, const Problem& problem, const Timeline& timeline) {
  ReportPage page;
  page.title = "one run";
  page.provenance = nlohmann::ordered_json::object();
  page.models = known().models;
  page.instances[1] = case_of(platform, problem);
  page.runs[0] = packed(timeline);
  const TemporaryFile file(
      fmt::format("instance,experiment,platform,problem,seed,workers,heuristic,status,makespan_s,"
                  "enrolled_workers,relative_cost,relative_work,bound_ratio\r\n"
                  "1,one,p,any,,{},H,ok,{},1,1,1,1\r\n",
                  platform.workers.size(), timeline.makespan_s),
      ".csv");
  const TemporaryFile times("instance,heuristic,decision_s,simulation_s\r\n", ".csv");
  return to_html(page, ResultTable::read_csv(file.path()), ResultTable::read_csv(times.path()));
}

TEST(ReportPage, ShowsRunsOnEveryPort) {
  // Blocks of C that come late and are added, start-ups of messages, a dispatcher that waits.
  const Schedule late = load_schedule(STARPORT_SOURCE_DIR "/tests/fixtures/late-c.json");
  const Platform slow = star({{1, 2, 12, 0.5}, {2, 3, 21, 0.25}});
  const Problem& problem = golden()[0].problem;
  const HeldBack waits = held_back();
  Platform two = slow;
  two.port.kind = Port::Kind::two;
  Platform many = slow;
  many.port = {.kind = Port::Kind::multi, .most_transfers = 0, .c_s = 0.75};
  const auto of = [&](const Platform& platform, const Trace& trace) {
    Timeline timeline = timeline_of("H", platform, trace);
    timeline.makespan_s = timeline.end_s();  // one of them brings nothing home
    return page_of(platform, problem, timeline);
  };
  const std::vector<std::string> pages{
      of(late.platform, replay(late.platform, late.problem, late.transfers)),
      of(slow, by_recurrence("ODDOML", slow, problem)), of(waits.platform, waits.trace),
      of(two, by_recurrence("ODDOML", two, problem)), of(many, simulate("ODDOML", many, problem))};
  for (const std::string& html : pages) {
    OpenPage page(html);
    page.wait_for_facts("H: ");
    // The keys go through the transfers, wherever they are drawn.
    page.browser.execute(
        "const chart = document.getElementById('gantt-chart');"
        "for (let i = 0; i < 9; ++i) chart.dispatchEvent(new KeyboardEvent('keydown', {key: "
        "'n'}));");
    page.browser.wait_for(
        "return document.getElementById('gantt-tip').textContent.startsWith('transfer ')");
  }
}

TEST(ReportPage, ShowsARunOfAnyModel) {
  const Platform platform = star({{1, 2, 12}});
  OpenPage page(page_of(platform, golden()[0].problem, two_gpus()));
  EXPECT_TRUE(page.browser.text("#gantt-facts")
                  .starts_with("H: 5.00 s; 1 of 1 workers enrolled; "
                               "2 copies, 2 tasks; "));
  const auto legend = page.browser.text("#gantt-legend");
  EXPECT_EQ(legend, "copy\ntask\nstolen\nbus waits\nidle\nno schedule ends before");
  const auto tip_at = [&](double date_s, int y) {
    const auto [x, height] = page.at(date_s / 5.05, y);
    page.browser.move_to(page.kCanvas, x, height);
    page.browser.wait_for("return !document.getElementById('gantt-tip').hidden");
    return page.browser.text("#gantt-tip");
  };
  EXPECT_EQ(tip_at(1, page.kShared),
            "copy 1 of 2: A(1,2) to GPU 1\nA\nrow 1, k 2\nblocks\n1\nstart\n0 s\nend\n2 s, after "
            "2 s");
  // The second row has three lanes: in, computation, out. The out lane is that of the copy, too.
  EXPECT_EQ(tip_at(3, page.kRows + page.kRow + page.kRow / 2),
            "task 2 of 2: gemm on GPU 1\npriority\n7\nstart\n2 s\nend\n3.5 s, after 1.5 s");
  EXPECT_TRUE(tip_at(4, page.kRows + page.kRow + page.kRow * 4 / 5)
                  .starts_with("copy 2 of 2: A(1,2) to GPU 2\n"));
}

TEST(ReportPage, HostileNamesAreInert) {
  Sweep sweep;
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
  const std::string html = Sweep{}.html();
  EXPECT_FALSE(std::regex_search(html, std::regex(R"re((src|href)\s*=\s*["']?(https?:|//))re")));
  EXPECT_FALSE(std::regex_search(html, std::regex(R"re(url\(\s*["']?(https?:|//)|@import)re")));
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
  OpenPage page(Sweep{}.html({{"a", "one", svg}, {"a", "two", svg}, {"b", "three", svg}}));
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
