// The explorer: its answers equal those of `starport run`, its server serves its own page only, and
// its page in Chromium.
#include "sim/process/subprocess.hpp"
#include "tests/paths.hpp"
#include "tests/report/browser.hpp"
#include "tests/support.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <fstream>
#include <future>
#include <map>
#include <regex>
#include <string>

namespace starport::test {
namespace {

using nlohmann::json;

/// Ends tests that hang.
constexpr double kPatience_s = 600;

/// A running `starport explore`.
class Explorer {
 public:
  explicit Explorer(const std::vector<std::string>& arguments)
      : program_(STARPORT_PROGRAM "-explore", kPatience_s, arguments) {
    const std::string line = program_.request("");
    std::smatch match;
    if (!std::regex_search(line, match, std::regex("http://(127\\.0\\.0\\.1:(\\d+))(/\\w+/)"))) {
      throw std::runtime_error(line);
    }
    host = match[1];
    port = std::stoi(match[2]);
    home = match[3];
  }

  httplib::Client client() const {
    httplib::Client client("127.0.0.1", port);
    client.set_read_timeout(static_cast<int>(kPatience_s), 0);
    return client;
  }
  json ask(const json& request, const std::string& slot = "test") const {
    const auto response = client().Post(home + slot, request.dump(), "application/json");
    return json_of(response ? response->body : "null");
  }
  std::string address() const { return "http://" + host + home; }

  std::string host;
  int port = 0;
  std::string home;

 private:
  Subprocess program_;
};

json platform_of(const std::string& file) {
  std::ifstream stream(STARPORT_SOURCE_DIR "/platforms/" + file);
  return json::parse(stream);
}

json request_on(const std::string& file, const std::string& problem, std::int64_t block_size,
                const std::string& heuristics) {
  return {{"platform", platform_of(file)},
          {"problem", problem},
          {"block_size", block_size},
          {"noise", ""},
          {"heuristics", heuristics},
          {"charts", json::array()},
          {"quick", false}};
}

/// Returns the makespans by heuristic, in full precision.
std::map<std::string, double> makespans(const json& comparison) {
  std::map<std::string, double> all;
  for (const json& row : comparison.at("results")) {
    if (row.contains("makespan_s")) all[row.at("heuristic")] = row.at("makespan_s");
  }
  return all;
}

/// Runs the command that the explorer shows, on a platform.
std::map<std::string, double> makespans_of_command(std::string command, const json& platform) {
  const TemporaryFile file(platform.dump());
  command.replace(command.find("platform.json"), 13, file.path());
  const Outcome outcome = shell(command + " --json");
  EXPECT_EQ(outcome.status, 0) << command << outcome.err;
  return makespans(json_of(outcome.out));
}

const std::string kMemory = STARPORT_SOURCE_DIR "/platforms/ppopp08-memory.json";

TEST(Explorer, AnswersAsTheCommandThatItShows) {
  const Explorer explorer({kMemory, "--problem", "4000"});
  for (json request : {request_on("ppopp08-memory.json", "4000", 80, ""),
                       request_on("ppopp08-memory.json", "3200x4800x1600", 160, "het, Adaptive"),
                       request_on("sirocco.json", "7680", 960, "DMDA,Static"),
                       request_on("cliff.json", "1536", 64, "FPM,Polaris")}) {
    if (request["problem"] == "3200x4800x1600") request["noise"] = "cv=5%,seed=3";
    const json answer = explorer.ask(request);
    ASSERT_FALSE(answer.contains("error")) << answer;
    EXPECT_GE(makespans(answer["comparison"]).size(), 2U);
    EXPECT_EQ(makespans(answer["comparison"]),
              makespans_of_command(answer["command"], request["platform"]));
  }
}

TEST(Explorer, CrossingsAreWhereAnotherHeuristicIsTheFastest) {
  const Explorer explorer({kMemory, "--problem", "4000"});
  json request = request_on("first-try.json", "1600", 80, "all");
  request["sweep"] = {{"field", "bandwidth"}, {"entry", nullptr}};
  const json sweep = explorer.ask(request);
  ASSERT_FALSE(sweep.contains("error")) << sweep;
  EXPECT_EQ(sweep["x"].size(), sweep["makespans_s"]["Het"].size());
  ASSERT_FALSE(sweep["crossings"].empty());
  for (const json& crossing : sweep["crossings"]) {
    EXPECT_LE(crossing["x"].get<double>(), 1.001 * crossing["below"].get<double>());
    for (const char* side : {"below", "x"}) {
      json scaled = request;
      scaled.erase("sweep");
      for (json& worker : scaled["platform"]["workers"]) {
        const std::string text = worker["bandwidth"];
        ASSERT_TRUE(text.ends_with("MBps"));
        worker["bandwidth"] = fmt::format("{}MBps", std::stod(text) * crossing[side].get<double>());
      }
      const auto dates = makespans(explorer.ask(scaled)["comparison"]);
      const double from_s = dates.at(crossing["from"]);
      const double to_s = dates.at(crossing["to"]);
      EXPECT_EQ(side == std::string("below"), from_s <= to_s) << crossing;
    }
  }
}

TEST(Explorer, RefusesWhatItsPageDoesNotSend) {
  const Explorer explorer({kMemory, "--problem", "4000"});
  const json good = request_on("first-try.json", "800", 80, "Het");
  const auto error_of = [&](const char* key, const json& value) {
    json request = good;
    request[key] = value;
    return explorer.ask(request).value("error", "");
  };
  EXPECT_EQ(explorer.ask(good).value("error", ""), "");
  EXPECT_TRUE(contains(error_of("problem", "0"), "problem"));
  EXPECT_TRUE(contains(error_of("platform", json::array()), "platform"));
  EXPECT_TRUE(contains(error_of("heuristics", "exec:/bin/true"), "exec:"));
  EXPECT_TRUE(contains(error_of("heuristics", "Het, EXEC:/bin/true"), "exec:"));
  EXPECT_TRUE(contains(error_of("heuristics", "Het,exec-Tiles:/bin/true[x=1]"), "exec-tiles:"));
  EXPECT_TRUE(contains(error_of("heuristics", "exec-spmd:/bin/true"), "exec-spmd:"));
  EXPECT_TRUE(contains(error_of("noise", "samples=/etc/passwd"), "noise without files"));
  EXPECT_TRUE(contains(error_of("noise", "/etc/passwd.json"), "noise without files"));
  EXPECT_TRUE(contains(error_of("other", 1), "other"));
  EXPECT_TRUE(contains(explorer.ask("no object").value("error", ""), "object"));
}

TEST(Explorer, AStrangersPageGetsNothing) {
  const Explorer explorer({kMemory, "--problem", "4000"});
  auto client = explorer.client();
  const std::string request = request_on("first-try.json", "800", 80, "Het").dump();
  const auto get = [&](const std::string& path, const httplib::Headers& headers) {
    const auto response = client.Get(path, headers);
    return response ? response->status : 0;
  };
  const auto post = [&](const httplib::Headers& headers) {
    const auto response = client.Post(explorer.home + "a", headers, request, "text/plain");
    if (!response) return 0;
    EXPECT_EQ(response->body.empty(), response->status != 200);
    EXPECT_FALSE(response->has_header("Access-Control-Allow-Origin"));
    return response->status;
  };
  EXPECT_EQ(get(explorer.home, {}), 200);
  EXPECT_EQ(get("/", {}), 403);
  EXPECT_EQ(get("/0123456789abcdef0123456789abcdef/", {}), 403);
  EXPECT_EQ(get(explorer.home, {{"Host", "evil.example"}}), 403);
  EXPECT_EQ(get(explorer.home, {{"Host", fmt::format("localhost.evil:{}", explorer.port)}}), 403);
  EXPECT_EQ(post({}), 200);
  EXPECT_EQ(post({{"Origin", "http://" + explorer.host}}), 200);
  EXPECT_EQ(post({{"Origin", "http://evil.example"}}), 403);
  EXPECT_EQ(post({{"Origin", "null"}}), 403);
  const auto large = client.Post(explorer.home + "a", std::string(2 << 20, ' '), "text/plain");
  EXPECT_TRUE(!large || large->status == 413);
}

TEST(Explorer, ANewerRequestEndsTheOlderOne) {
  const Explorer explorer({kMemory, "--problem", "4000"});
  const json slow = request_on("ppopp08-memory.json", "400000", 80, "Polaris[effort=high],Het");
  auto older = std::async(std::launch::async, [&] { return explorer.ask(slow, "same"); });
  const json fast = request_on("first-try.json", "800", 80, "Het");
  // Again and again, since the older one may arrive after some of them.
  while (older.wait_for(std::chrono::milliseconds(20)) != std::future_status::ready) {
    explorer.ask(fast, "same");
  }
  EXPECT_EQ(older.get().value("error", ""), "a newer request came");
}

TEST(Explorer, AnAnswerHasATimeLimit) {
  const Explorer explorer({kMemory, "--problem", "4000", "--time-limit", "0.5"});
  const json slow = request_on("ppopp08-memory.json", "400000", 80, "Polaris[effort=high],Het");
  EXPECT_TRUE(contains(explorer.ask(slow).value("error", "none"), "within 0.5 s"));
}

/// Waits until the page shows the complete answer to its change number `change`.
void wait_for_change(Browser& browser, int change) {
  browser.wait_for(fmt::format("return Number(document.body.dataset.change) >= {}", change));
}

/// Returns the makespans that the page shows, in full precision, by heuristic.
std::map<std::string, double> shown_makespans(Browser& browser) {
  const json shown = browser.execute(
      "return [...document.querySelectorAll('#bars td[data-heuristic]')]"
      ".map((cell) => [cell.dataset.heuristic, cell.title])");
  std::map<std::string, double> all;
  for (const json& pair : shown) all[pair[0]] = std::stod(pair[1].get<std::string>());
  return all;
}

/// Moves a slider as a reader does, event included.
void move_slider(Browser& browser, const std::string& key, double to) {
  browser.execute(
      "const slider = document.querySelector(`[data-key='${arguments[0]}']`);"
      "slider.value = arguments[1]; slider.dispatchEvent(new Event('input'))",
      json::array({key, to}));
}

TEST(ExplorerPage, ASliderMovesTheMakespansAsRunDoes) {
  const Explorer explorer({kMemory, "--problem", "2400x2400x4800"});
  Browser& browser = empty_page();
  browser.open(explorer.address());
  wait_for_change(browser, 1);
  const auto before = shown_makespans(browser);
  EXPECT_EQ(before.size(), 8U);
  move_slider(browser, "0/bandwidth", 7.7);
  move_slider(browser, "1/speed", 9.6);
  wait_for_change(browser, 3);
  const auto after = shown_makespans(browser);
  EXPECT_NE(after, before);
  const json state = json_of(
      browser.execute("return decodeURIComponent(location.hash.slice(1))").get<std::string>());
  EXPECT_EQ(state["platform"]["workers"][0]["bandwidth"], "50.1MBps");
  EXPECT_EQ(after, makespans_of_command(browser.text("#command"), state["platform"]));

  // The address leads to what is shown.
  const std::string address = browser.execute("return location.href");
  browser.open("about:blank");
  browser.open(address);
  wait_for_change(browser, 1);
  EXPECT_EQ(shown_makespans(browser), after);
  EXPECT_TRUE(browser.console().empty());
}

TEST(ExplorerPage, ShowsTwoRunsAndACurve) {
  const Explorer explorer({kMemory, "--problem", "2400"});
  Browser& browser = empty_page();
  browser.open(explorer.address());
  wait_for_change(browser, 1);
  EXPECT_TRUE(contains(browser.text("#gantt-facts"), "^A: \\w+, [\\d.]+ s, .*B: \\w+"));
  browser.execute(
      "const box = document.getElementById('gantt-b'); box.value = 'ORROML';"
      "box.dispatchEvent(new Event('change'))");
  wait_for_change(browser, 2);
  EXPECT_TRUE(contains(browser.text("#gantt-facts"), "B: ORROML"));
  browser.execute(
      "const box = document.getElementById('sweep-field'); box.value = 'bandwidth';"
      "box.dispatchEvent(new Event('change'))");
  browser.wait_for("return document.querySelector('#curves canvas') !== null");
  EXPECT_NE(browser.text("#crossings"), "");
  browser.execute("document.querySelector(\"#heuristics input[value='Adaptive']\").click()");
  wait_for_change(browser, 3);
  EXPECT_EQ(shown_makespans(browser).count("Adaptive"), 1U);
  // A worker more, and a product that is none: the message says so, and the last answer stays.
  browser.click("#add");
  wait_for_change(browser, 4);
  EXPECT_EQ(browser.execute("return document.querySelectorAll('#workers tbody tr').length"), 4);
  browser.execute(
      "const box = document.getElementById('problem'); box.value = 'x';"
      "box.dispatchEvent(new Event('change'))");
  browser.wait_for("return !document.getElementById('message').hidden");
  EXPECT_EQ(shown_makespans(browser).size(), 9U);
  EXPECT_TRUE(browser.console().empty());
}

TEST(ExplorerPage, PlaysTheTilesOfANode) {
  const Explorer explorer({STARPORT_SOURCE_DIR "/platforms/sirocco.json", "--problem", "7680"});
  Browser& browser = empty_page();
  browser.open(explorer.address());
  wait_for_change(browser, 1);
  const auto coloured = [&] {  // the part of C that has been computed
    return browser
        .execute(
            "const {width, height} = document.querySelector('#divisions canvas');"
            "const {data} = document.querySelector('#divisions canvas').getContext('2d')"
            ".getImageData(0, 0, width, height);"
            "let count = 0; for (let i = 0; i < data.length; i += 4)"
            "{ const [r, g, b] = data.subarray(i, i + 3); count += r !== g && g !== b; }"
            "return count / (width * height)")
        .get<double>();
  };
  const auto set_date = [&](int part) {
    browser.execute(
        "const slider = document.getElementById('play-date'); slider.value = arguments[0];"
        "slider.dispatchEvent(new Event('input'))",
        json::array({part}));
  };
  EXPECT_GT(coloured(), 0.99);
  set_date(0);
  EXPECT_LT(coloured(), 0.01);
  set_date(300);
  const double part = coloured();
  EXPECT_GT(part, 0.05);
  EXPECT_LT(part, 0.95);
}

TEST(ExplorerPage, AnExportedPageNeedsNoServer) {
  const TemporaryDirectory folder;
  const std::string page = (folder.path() / "page.html").string();
  const Outcome outcome =
      shell("starport explore platforms/cliff.json --problem 1536 --export " + page);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  Browser& browser = empty_page();
  browser.open("file://" + page);
  wait_for_change(browser, 1);
  EXPECT_EQ(shown_makespans(browser),
            makespans_of_command(browser.text("#command"), platform_of("cliff.json")));
  EXPECT_TRUE(contains(browser.text("#verdict"), "^Run Polaris: "));
  EXPECT_TRUE(browser.console().empty());
}

TEST(ExplorerPage, FitsNarrowWindowsAndAnswersToKeys) {
  const Explorer explorer({kMemory, "--problem", "2400"});
  Browser& browser = empty_page();
  browser.open(explorer.address());
  wait_for_change(browser, 1);
  // No wider than the window: tables scroll in their boxes.
  browser.execute("document.documentElement.style.width = '400px'");
  EXPECT_EQ(browser.execute("return document.body.scrollWidth > document.body.clientWidth"), false);
  browser.execute("document.querySelector(\"[data-key='0/bandwidth']\").focus()");
  const auto before = shown_makespans(browser);
  browser.type("[data-key='0/bandwidth']",
               "\xee\x80\x94\xee\x80\x94\xee\x80\x94");  // arrows to the right
  wait_for_change(browser, 4);
  EXPECT_NE(shown_makespans(browser), before);
}

}  // namespace
}  // namespace starport::test
