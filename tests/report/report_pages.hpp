// Report pages of a small sweep, and a page that is open in a browser.
#pragma once

#include "sim/files/text.hpp"
#include "sim/report/page/html_page.hpp"
#include "sim/report/page/run_encoding.hpp"
#include "tests/report/browser.hpp"
#include "tests/report/timelines.hpp"
#include "tests/star/star_support.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace starport::test {

/// Returns the two instances of tests/star/golden_test.cpp.
inline const std::vector<RandomInstance>& golden() {
  static const std::vector<RandomInstance> instances{
      {star({{1, 2, 12}, {2, 3, 21}}), {.r = 4, .s = 6, .t = 3, .block_size = 80}},
      {star({{1, 4.5, 21}, {1.5, 4, 32}, {4, 2, 12}}),
       {.r = 6, .s = 12, .t = 5, .block_size = 80}}};
  return instances;
}

inline PackedRun packed(const Timeline& timeline) {
  return {.chart = describe_chart(timeline).dump(),
          .slices = compress_to_base64(encode_run(timeline))};
}

/// The results of a sweep of three heuristics on both: makespans of 198, 236 and 208 s, then
/// 1002.5, 1194.5 and 1132 s; then a failed run.
struct SmallSweep {
  std::vector<std::string> platforms{"two workers", "three workers"};
  std::vector<std::string> experiments{"small", "larger"};
  std::string error = "it crashed";
  double makespan_factor = 1;  ///< other than 1: the table disagrees with the runs

  std::string csv() const {
    std::string text =
        "instance,experiment,platform,problem,block_size,repetition,seed,workers,r,s,t,engine,"
        "heuristic,status,error,makespan_s,enrolled_workers,blocks_moved,block_updates,ccr,"
        "port_utilisation,relative_cost,relative_work,bound_ratio,steady_state_bound_s,details\r\n";
    const std::vector<std::vector<double>> makespans{{198, 236, 208}, {1002.5, 1194.5, 1132}};
    for (std::size_t i = 0; i < 2; ++i) {
      const Problem& problem = golden()[i].problem;
      const std::string label =
          fmt::format("{},{},{},any,80,1,,{},{},{},{},simgrid,", i + 1,
                      quote_csv_field(experiments[i]), quote_csv_field(platforms[i]),
                      golden()[i].platform.workers.size(), problem.r, problem.s, problem.t);
      for (std::size_t j = 0; j < 3; ++j) {
        text += fmt::format("{}{},ok,,{},2,120,72,1.5,0.9,{},1.25,1.5,100,\r\n", label, names[j],
                            makespans[i][j] * makespan_factor, makespans[i][j] / makespans[i][0]);
      }
      if (i == 1)
        text += fmt::format("{}Hom,error,{},,,,,,,,,,,\r\n", label, quote_csv_field(error));
    }
    return text;
  }

  std::string html(std::vector<ReportPlot> plots = {},
                   std::map<std::string, std::string> questions = {}) const {
    ReportPage page;
    page.title = "A sweep of " + platforms[0];
    page.models = model_registry().models;
    page.command = "starport report results -o report.html";
    page.provenance = {{"commit", "834033c"}, {"inputs", {{platforms[0], "12ab"}}}};
    page.plots = std::move(plots);
    page.questions = std::move(questions);
    for (std::size_t i = 0; i < 2; ++i) {
      const Platform& platform = golden()[i].platform;
      Case instance = case_of(platform, golden()[i].problem);
      instance.file.name = platforms[i];
      for (std::size_t j = 0; j < 3; ++j) {
        if (i == 1 && j == 2) continue;  // a run that the page does not hold
        const Trace trace = by_recurrence(names[j], platform, instance.problem);
        page.runs[static_cast<std::int64_t>(3 * i + j)] =
            packed(timeline_of(names[j], platform, trace));
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

/// A page that is open in a browser and shows its first run, or the message instead of it.
class OpenPage {
 public:
  explicit OpenPage(const std::string& html) : file_(html, ".html"), browser(empty_page()) {
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
  /// Waits until the range of dates differs from `before` and returns it.
  std::pair<double, double> changed_range(const std::pair<double, double>& before) {
    const auto dates =
        browser.wait_for(fmt::format("const dates = ['gantt-from', 'gantt-to'].map((id) => "
                                     "Number(document.getElementById(id).value));"
                                     "return (dates[0] !== {} || dates[1] !== {}) && dates",
                                     before.first, before.second));
    return {dates.at(0), dates.at(1)};
  }
  /// Waits until the tooltip of the Gantt chart is shown and starts with a text; returns its text.
  std::string wait_for_tip(const std::string& start) {
    browser.wait_for(
        "const tip = document.getElementById('gantt-tip');"
        "return !tip.hidden && tip.textContent.startsWith('" +
        start + "')");
    return browser.text("#gantt-tip");
  }
  /// Returns a point of the chart as an offset from its centre: x as a share of its dates, y in
  /// pixels from its top.
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
  // Measures of plots/report/gantt_view.js for short names.
  static constexpr double kGutter = 58;
  static constexpr double kMargin = 8;
  static constexpr int kShared = 37;
  static constexpr int kRows = 24 + 26 + 10;
  static constexpr int kRow = 44;

 private:
  TemporaryFile file_;

 public:
  Browser& browser;
};

}  // namespace starport::test
