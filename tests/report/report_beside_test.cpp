// Two runs of the report's Gantt chart side by side, in a real Chromium.
#include "tests/report/report_pages.hpp"

namespace starport::test {
namespace {

TEST(ReportPage, SetsTwoRunsSideBySide) {
  OpenPage page(SmallSweep{}.html());
  const auto rows = [&] {
    return page.browser.execute(
        "return Number(document.getElementById('gantt-height').offsetHeight) + "
        "document.querySelector('#gantt-chart canvas').height");
  };
  const double alone = rows();
  page.choose("gantt-second", "1");
  page.wait_for_facts("A: Het, 198.00 s; B: ORROML, 236.00 s, 19.19% longer. The first step that ");
  EXPECT_NEAR(page.range().second, 236 * 1.01, 0.1);  // the longer one's makespan, and a margin
  EXPECT_GT(rows().get<double>(), alone);
  // Where the time of the port and of each worker goes comes to the makespan.
  EXPECT_EQ(
      page.browser.execute(
          "const rows = [...document.querySelectorAll('#gantt-times tbody tr')].map((row) =>"
          "  [...row.cells].map(({ textContent }) => textContent));"
          "return rows.length > 1 && rows.every((row) => [[198, 1, 4, 7], [236, 2, 5, 8]].every("
          "  ([makespan, ...at]) => Math.abs(at.reduce((all, k) => all + Number(row[k]), 0) -"
          "    makespan) < 0.03))"),
      true)
      << page.browser.text("#gantt-times");
  // A step counts among those of its own run.
  page.browser.type("#gantt-chart", "n");
  page.browser.wait_for("return !document.getElementById('gantt-tip').hidden");
  const std::string tip = page.browser.text("#gantt-tip");
  EXPECT_TRUE(tip.starts_with("transfer 1 of ")) << tip;
  EXPECT_NE(tip.find(": C to A P"), std::string::npos) << tip;
  // Beside itself it is alone, and so is the run of another instance.
  page.choose("gantt-second", "0");
  page.wait_for_facts("Het: 198.00 s; ");
  EXPECT_EQ(page.browser.text("#gantt-times"), "");
  page.choose("gantt-second", "2");
  page.wait_for_facts("A: Het, ");
  page.choose("gantt-instance", "2");
  page.wait_for_facts("Het: 1002.50 s; ");
}

}  // namespace
}  // namespace starport::test
