// The Gantt chart of a report page, in Chromium.
#include "tests/paths.hpp"
#include "tests/report/report_pages.hpp"

#include <algorithm>

namespace starport::test {
namespace {

TEST(ReportPage, ZoomsAndMovesTheGanttChart) {
  OpenPage page(SmallSweep{}.html());
  const auto [from, to] = page.range();
  EXPECT_EQ(from, 0);
  EXPECT_NEAR(to, 198 * 1.01, 0.1);  // the makespan, and a margin
  const auto [x, y] = page.at(0.25, page.kShared);
  page.browser.wheel(page.kCanvas, x, y, -500);
  const auto near = page.changed_range({from, to});
  const auto [near_from, near_to] = near;
  EXPECT_LT(near_to - near_from, 0.6 * (to - from));
  // The date under the pointer stays there.
  EXPECT_NEAR(near_from + 0.25 * (near_to - near_from), 0.25 * to, 0.01 * to);
  page.browser.drag(page.kCanvas, x, y, x - 100, y);
  const auto moved = page.changed_range(near);
  const auto [moved_from, moved_to] = moved;
  EXPECT_GT(moved_from, near_from + 1);
  EXPECT_NEAR(moved_to - moved_from, near_to - near_from, 0.05);
  page.browser.type("#gantt-chart", "+");
  const auto key = page.changed_range(moved);
  const auto [key_from, key_to] = key;
  EXPECT_NEAR(key_to - key_from, 0.7 * (moved_to - moved_from), 0.05);
  page.browser.type("#gantt-chart", "0");
  EXPECT_EQ(page.changed_range(key), (std::pair{from, to}));
}

TEST(ReportPage, DescribesTheSliceUnderThePointer) {
  OpenPage page(SmallSweep{}.html());
  // Het opens with the first chunk of C for P1: mu(12) = 2, so 4 blocks at 1 s each.
  const auto [x, y] = page.at(0.01, page.kShared);
  page.browser.move_to(page.kCanvas, x, y);
  const std::string tip = page.wait_for_tip("transfer 1 of ");
  EXPECT_TRUE(
      contains(tip, "^transfer 1 of \\d+: C to P[12]\nC\nrows 1–[23], columns 1–[23]\nblocks\n"))
      << tip;
  // By key: the second transfer.
  page.browser.type("#gantt-chart", "n");
  page.wait_for_tip("transfer 2 of ");
  const auto [outside, below] = page.at(-0.05, page.kShared);
  page.browser.move_to(page.kCanvas, outside, below);
  page.browser.wait_for("return document.getElementById('gantt-tip').hidden");
}

TEST(ReportPage, ShowsTheRunOfTheRowThatIsClicked) {
  OpenPage page(SmallSweep{}.html());
  EXPECT_TRUE(page.browser.text("#gantt-facts").starts_with("Het: 198 s; "))
      << page.browser.text("#gantt-facts");
  page.browser.click("#results-table tr[data-row='4'] button");
  page.wait_for_facts("ORROML: 1195 s");
  EXPECT_NEAR(page.range().second, 1194.5 * 1.01, 0.1);
  EXPECT_EQ(
      page.browser.text("#platform-facts"),
      "three workers, instance 2: 3 workers. C += A·B with r = 6, s = 12, t = 5 blocks of 80 × "
      "80: 360 block updates.");
  EXPECT_EQ(page.browser.text("#platform-table tbody tr"), "P1 1 s 4.5 s 21 3");
  // The heuristic stays when the instance changes; then a run that the page does not hold.
  page.choose("gantt-instance", "1");
  page.wait_for_facts("ORROML: 236 s");
  page.browser.click("#results-table tr[data-row='5'] button");
  page.browser.wait_for("return document.getElementById('gantt-view').hidden");
  EXPECT_EQ(page.browser.text("#gantt-message code"),
            "starport report results -o report.html --runs 2");
}

TEST(ReportPage, ARunThatIsNotTheTablesIsAnError) {
  SmallSweep sweep;
  sweep.makespan_factor = 1.0001;
  OpenPage page(sweep.html());
  EXPECT_TRUE(page.browser.text("#gantt-message")
                  .starts_with("The run of Het cannot be shown: it takes 198 s, the table says "))
      << page.browser.text("#gantt-message");
}

/// A run of a heuristic H.
struct ShownRun {
  Platform platform;
  Problem problem;
  Timeline timeline;
};

/// Returns a page of runs, each a row and an instance of its own.
std::string page_of(const std::vector<ShownRun>& runs) {
  ReportPage page;
  page.title = "runs";
  page.provenance = nlohmann::ordered_json::object();
  page.models = model_registry().models;
  std::string csv =
      "instance,experiment,platform,problem,seed,workers,heuristic,status,makespan_s,"
      "enrolled_workers,relative_cost,relative_work,bound_ratio\r\n";
  for (const auto& [platform, problem, timeline] : runs) {
    const std::int64_t row = std::ssize(page.runs);
    page.runs[row] = packed(timeline);
    page.instances[row + 1] = case_of(platform, problem);
    csv += fmt::format("{},one,p,any,,{},H,ok,{},1,1,1,1\r\n", row + 1, platform.workers.size(),
                       timeline.makespan_s);
  }
  const TemporaryFile file(csv, ".csv");
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
  many.port = {.kind = Port::Kind::multi, .max_transfers = 0, .c_s = 0.75};
  const auto of = [&](const Platform& platform, const Trace& trace) {
    Timeline timeline = timeline_of("H", platform, trace);
    timeline.makespan_s = timeline.end_s();  // one of them brings nothing home
    return ShownRun{platform, problem, timeline};
  };
  OpenPage page(
      page_of({of(late.platform, replay(late.platform, late.problem, late.transfers)),
               of(slow, by_recurrence("ODDOML", slow, problem)), of(waits.platform, waits.trace),
               of(two, by_recurrence("ODDOML", two, problem)),
               of(many, simulate("ODDOML", many, problem))}));
  for (int row = 0; row < 5; ++row) {
    EXPECT_EQ(show_rows(page.browser, {row}), std::vector<std::string>{"shown"}) << row;
    // The keys go through the transfers, wherever they are drawn.
    page.browser.execute(
        "document.getElementById('gantt-tip').textContent = '';"
        "const chart = document.getElementById('gantt-chart');"
        "for (let i = 0; i < 9; ++i) chart.dispatchEvent(new KeyboardEvent('keydown', {key: "
        "'n'}));");
    page.browser.wait_for(
        "return document.getElementById('gantt-tip').textContent.startsWith('transfer ')");
  }
}

TEST(ReportPage, ShowsARunOfAnyModel) {
  const Platform platform = star({{1, 2, 12}});
  OpenPage page(page_of({{platform, golden()[0].problem, two_gpus()}}));
  EXPECT_TRUE(page.browser.text("#gantt-facts")
                  .starts_with("H: 5 s; 1 of 1 workers enrolled; "
                               "2 copies, 2 tasks; "));
  const auto legend = page.browser.text("#gantt-legend");
  EXPECT_EQ(legend, "copy\ntask\nstolen\nbus waits\nidle\nlower bound");
  const auto tip_at = [&](double date_s, int y) {
    const auto [outside, top] = page.at(-0.05, y);
    page.browser.move_to(page.kCanvas, outside, top);
    page.browser.wait_for("return document.getElementById('gantt-tip').hidden");
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

// Each step draws the whole chart anew, at dates in which thousands of transfers share a pixel.
// What is drawn is counted, since the time that it takes depends on the machine.
TEST(ReportPage, DrawsFiftyThousandTransfersInFewRectangles) {
  const Platform platform = star({{1, 2, 60}, {1.5, 4, 60}, {2, 4, 32}, {4, 2, 32}});
  const Problem problem{.r = 90, .s = 90, .t = 160, .block_size = 80};
  const Timeline timeline =
      timeline_of("ODDOML", platform, by_recurrence("ODDOML", platform, problem));
  const auto transfers = std::ranges::count_if(timeline.slices, [&](const Slice& slice) {
    return timeline.kinds[slice.kind].what == "transfer";
  });
  ASSERT_GT(transfers, 50'000);
  OpenPage page(page_of({{platform, problem, timeline}}));
  page.wait_for_facts("H: ");
  constexpr int frames = 12;
  const nlohmann::json drawn = page.browser.execute(
      "const chart = document.getElementById('gantt-chart'), [frames] = arguments;"
      "const press = (key) => chart.dispatchEvent(new KeyboardEvent('keydown', {key}));"
      "const draw = CanvasRenderingContext2D.prototype.fillRect;"
      "let rectangles = 0;"
      "CanvasRenderingContext2D.prototype.fillRect = function (...where) {"
      "  ++rectangles;"
      "  draw.apply(this, where);"
      "};"
      "press('+');"
      "return new Promise((done) => { let count = 0; const step = () => {"
      "  press(count % 12 < 6 ? 'ArrowRight' : 'ArrowLeft');"
      "  if (++count < frames) requestAnimationFrame(step);"
      "  else requestAnimationFrame(() => done(rectangles)); };"
      "requestAnimationFrame(step); })",
      {frames});
  const double of_a_frame = drawn.get<double>() / frames;
  RecordProperty("rectangles", fmt::format("{:.0f}", of_a_frame));
  EXPECT_GT(of_a_frame, 5);  // the background of each lane
  EXPECT_LT(of_a_frame, 1000);
}

TEST(ReportPage, SetsTwoRunsSideBySide) {
  OpenPage page(SmallSweep{}.html());
  const auto rows = [&] {
    return page.browser.execute(
        "return Number(document.getElementById('gantt-height').offsetHeight) + "
        "document.querySelector('#gantt-chart canvas').height");
  };
  const double alone = rows();
  page.choose("gantt-second", "1");
  page.wait_for_facts("A: Het, 198 s; B: ORROML, 236 s, 19.19% longer. The first step that ");
  EXPECT_NEAR(page.range().second, 236 * 1.01, 0.1);  // the longer one's makespan, and a margin
  EXPECT_GT(rows().get<double>(), alone);
  // The times of the port and of each worker add up to the makespan.
  EXPECT_EQ(
      page.browser.execute(
          "const rows = [...document.querySelectorAll('#gantt-times tbody tr')].map((row) =>"
          "  [...row.cells].map(({ textContent }) => textContent));"
          "return rows.length > 1 && rows.every((row) => [[198, 1, 4, 7], [236, 2, 5, 8]].every("
          "  ([makespan, ...at]) => Math.abs(at.reduce((all, k) => all + parseFloat(row[k]), 0) -"
          "    makespan) < 0.03))"),
      true)
      << page.browser.text("#gantt-times");
  // A step counts among those of its own run.
  page.browser.type("#gantt-chart", "n");
  const std::string tip = page.wait_for_tip("transfer 1 of ");
  EXPECT_NE(tip.find(": C to A P"), std::string::npos) << tip;
  // Beside itself it is alone, and so is the run of another instance.
  page.choose("gantt-second", "0");
  page.wait_for_facts("Het: 198 s; ");
  EXPECT_EQ(page.browser.text("#gantt-times"), "");
  page.choose("gantt-second", "2");
  page.wait_for_facts("A: Het, ");
  page.choose("gantt-instance", "2");
  page.wait_for_facts("Het: 1003 s; ");
}

// Their groups differ: FPM has no port. The page says the same as `starport compare-runs`.
TEST(ReportPage, SetsRunsOfTwoModelsSideBySide) {
  const TemporaryDirectory work;
  const std::string trace = (work.path() / "trace.csv").string();
  const Outcome made = shell(fmt::format(
      "starport run platforms/cliff.json --problem 640 --heuristics Polaris,FPM --engine analytic "
      "--trace {0} && starport report {0} -o {0}.html",
      trace));
  ASSERT_EQ(made.status, 0) << made.err;
  Browser& browser = empty_page();
  browser.open("file://" + trace + ".html");
  for (const auto& [first, second] : {std::pair("Polaris", "FPM"), std::pair("FPM", "Polaris")}) {
    ASSERT_EQ(show_rows(browser, {first == std::string("Polaris") ? 0 : 1}),
              std::vector<std::string>{"shown"});
    browser.execute(
        "const select = document.getElementById('gantt-second');"
        "select.value = [...select.options].find((o) => "
        "o.textContent.startsWith(arguments[0])).value;"
        "select.dispatchEvent(new Event('change'))",
        {second});
    browser.wait_for("return document.getElementById('gantt-facts').textContent.includes('B: " +
                     std::string(second) + "')");
    const nlohmann::json expected =
        json_of(shell(fmt::format("starport compare-runs {0} {0} --first {1} --second {2} --json",
                                  trace, first, second))
                    .out);
    const std::string facts = browser.text("#gantt-facts");
    for (const char* run : {"a", "b"}) {
      const std::string step = expected["first_other_step"][run]["text"];
      EXPECT_NE(facts.find(step), std::string::npos) << facts << step;
    }
    // By name, the seconds in the table; NaN (null in JSON) for a run without the group.
    const nlohmann::json shown = browser.execute(
        "const seconds = (text) => parseFloat(text) *"
        "  {s: 1, ms: 1e-3, 'µs': 1e-6, ns: 1e-9}[text.split(' ')[1]];"
        "return Object.fromEntries([...document.querySelectorAll('#gantt-times tbody tr')].map("
        "  ({cells: [name, ...cells]}) => [name.textContent,"
        "    cells.map(({textContent}) => seconds(textContent))]))");
    EXPECT_EQ(shown.size(), expected["groups"].size()) << shown;
    for (const nlohmann::json& group : expected["groups"]) {
      const nlohmann::json& cells = shown.at(group["name"].get<std::string>());
      for (const auto& [column, key] :
           {std::pair(0, "computing_s"), std::pair(3, "transferring_s"), std::pair(6, "idle_s")}) {
        for (const auto& [side, run] : {std::pair(0, "a"), std::pair(1, "b")}) {
          const nlohmann::json& cell = cells[column + side];
          EXPECT_EQ(cell.is_null(), group[run].is_null()) << group << cells;
          if (cell.is_null()) continue;
          const double seconds = group[run][key];
          EXPECT_NEAR(cell.get<double>(), seconds, 1e-3 * seconds + 1e-12) << group << cells;
        }
      }
    }
  }
  EXPECT_EQ(browser.console(), std::vector<nlohmann::json>{});
}

}  // namespace
}  // namespace starport::test
