// Sharing from a report page: links to the current view, figures as files; and its memory use.
#include "tests/report/report_pages.hpp"

namespace starport::test {
namespace {

std::string fragment(OpenPage& page) { return page.browser.execute("return location.hash"); }

TEST(ReportPage, ItsAddressNamesWhatIsShown) {
  OpenPage page(SmallSweep{}.html());
  EXPECT_EQ(fragment(page), "");
  page.browser.click("#results-table tr[data-row='4'] button");
  page.wait_for_facts("ORROML: 1195 s");
  page.browser.wait_for("return location.hash === '#run=2%2FORROML'");
  page.browser.execute(
      "const from = document.getElementById('gantt-from'), to = "
      "document.getElementById('gantt-to');"
      "from.value = 100; to.value = 300; from.dispatchEvent(new Event('change'))");
  EXPECT_EQ(fragment(page), "#run=2%2FORROML&from=100&to=300");
  // Following a link to another run.
  page.browser.execute("location.hash = '#run=1%2FBMM&from=50&to=60'");
  page.wait_for_facts("BMM: 208 s");
  page.browser.wait_for("return document.getElementById('gantt-to').value === '60.000'");
  EXPECT_EQ(page.range(), (std::pair{50.0, 60.0}));
  page.browser.reload();
  page.wait_for_facts("BMM: 208 s");
  page.browser.wait_for("return document.getElementById('gantt-to').value === '60.000'");
}

TEST(ReportPage, ItsAddressNamesTheTableAndTheRunBeside) {
  OpenPage page(SmallSweep{}.html());
  page.browser.type("#results-filter", "larger");
  page.click_header("makespan");
  page.click_header("makespan");
  page.browser.click("#results-table tr[data-row='4'] button");
  page.wait_for_facts("ORROML: 1195 s");
  page.choose("gantt-second", "3");  // the page does not hold the run of BMM
  page.browser.wait_for("return location.hash.includes('beside=Het')");
  page.browser.execute(
      "const box = document.querySelector('#results-columns input'); box.click();");  // instance
  const std::string address = fragment(page);
  EXPECT_TRUE(address.starts_with(
      "#run=2%2FORROML&beside=Het&filter=larger&sort=-makespan_s&columns=experiment%2C"))
      << address;
  page.browser.reload();
  page.wait_for_facts("A: ORROML, 1195 s; B: Het");
  page.browser.wait_for("return document.getElementById('gantt-second').value === '3'");
  EXPECT_EQ(page.column("makespan_s"),
            (std::vector<std::string>{"1195 s", "1132 s", "1003 s", ""}));
  EXPECT_EQ(page.sorted_header(), "makespan descending");
  EXPECT_EQ(page.column("instance"), std::vector<std::string>{});
  EXPECT_EQ(fragment(page), address);
}

TEST(ReportPage, FiguresAreFiles) {
  OpenPage page(
      SmallSweep{}.html({{.experiment = "small",
                          .caption = "A red one.",
                          .drawing = {.kind = "sorted",
                                      .data = "rank,heuristic,style,value\n1,Het,1,2\n2,Het,1,3\n",
                                      .settings = {{"ylabel", "relative cost"}}}}}));
  // Catches the name and the content of the files that a click would save.
  page.browser.execute(
      "window.saved = [];"
      "HTMLAnchorElement.prototype.click = function () {"
      "  const name = this.download;"
      "  fetch(this.href).catch(() => null);"
      "  window.saved.push(name); };"
      "const make = URL.createObjectURL;"
      "URL.createObjectURL = (blob) => { window.blobs = [...(window.blobs || []), blob];"
      "  return make.call(URL, blob); };"
      "for (const button of document.querySelectorAll('#figures figure .buttons "
      "button[title^=small]'))"
      "  button.click();");
  page.browser.wait_for("return window.saved.length === 3");
  EXPECT_EQ(page.browser.execute("return window.saved.sort().join()"),
            "small-a-red-one.csv,small-a-red-one.png,small-a-red-one.svg");
  const auto svg_first = page.browser.wait_for(
      "window.text = window.text || {}; if (window.text.done) return window.text.value;"
      "const blob = window.blobs.find(({ type }) => type === 'image/svg+xml');"
      "blob.text().then((text) => { window.text = { done: true, value: text }; }); return false");
  EXPECT_NE(svg_first.get<std::string>().find("stroke=\"#003a6e\""), std::string::npos);
  EXPECT_NE(svg_first.get<std::string>().find(">Het</text>"), std::string::npos);
  // Three dots for each of the page's.
  EXPECT_EQ(
      page.browser.wait_for("if (window.size) return window.size;"
                            "const blob = window.blobs.find(({ type }) => type === 'image/png');"
                            "createImageBitmap(blob).then((image) => {"
                            "  window.size = `${image.width} x ${image.height}`; }); return false"),
      "1860 x 1134");
  page.browser.console();  // that of the test's own requests
}

TEST(ReportPage, ShowsWhatIsHeldOfEachMemory) {
  ReportPage report;
  report.title = "held";
  report.models = model_registry().models;
  report.provenance = nlohmann::ordered_json::object();
  const Timeline gpus = two_gpus();
  Timeline shown = gpus;
  shown.makespan_s = 198;
  for (Slice& slice : shown.slices) {
    slice.start_s *= 198 / gpus.makespan_s;
    slice.end_s *= 198 / gpus.makespan_s;
  }
  report.runs[0] = packed(shown);
  for (const std::int64_t number : {1, 2}) {
    report.instances[number] = case_of(golden()[0].platform, golden()[0].problem);
  }
  const TemporaryFile file(SmallSweep{}.csv(), ".csv");
  const TemporaryFile times("instance,heuristic,decision_s,simulation_s\r\n1,Het,0.5,0.25\r\n",
                            ".csv");
  OpenPage page(
      to_html(report, ResultTable::read_csv(file.path()), ResultTable::read_csv(times.path())));
  // Pixels of the chart that have the colour of what is held.
  constexpr const char* held =
      "const colour = getComputedStyle(document.documentElement).getPropertyValue('--held').trim();"
      "const wanted = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));"
      "const canvas = document.querySelector('#gantt-chart canvas');"
      "const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);"
      "let count = 0;"
      "for (let at = 0; at < data.length; at += 4) {"
      "  count += wanted.every((part, k) => data[at + k] === part);"
      "} return count";
  EXPECT_EQ(page.browser.execute(held), 0);
  EXPECT_EQ(page.browser.text("#gantt-legend").find("memory in use"), std::string::npos);
  page.browser.click("#gantt-memory");
  EXPECT_NE(page.browser.text("#gantt-legend").find("memory in use"), std::string::npos);
  // Both GPUs hold a tenth of their memory, from the start of the copies on: of 198 s all, and 79
  // s.
  EXPECT_GT(page.browser.wait_for(held).get<int>(), 500);
  page.browser.console();  // what it says of pixels that are read
}

}  // namespace
}  // namespace starport::test
