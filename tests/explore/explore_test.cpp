// The explorer: its answers equal those of `starport run`, its server serves its own page only, and
// its page in Chromium.
#include "sim/process/descendants.hpp"
#include "sim/process/subprocess.hpp"
#include "tests/paths.hpp"
#include "tests/report/browser.hpp"
#include "tests/support.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <future>
#include <map>
#include <regex>
#include <string>
#include <thread>
#include <vector>

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
    if (!response) throw std::runtime_error("the server does not answer");
    return json_of(response->body);
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

// Buses are for tile tasks only.
TEST(Explorer, AModelThatDoesNotFitThePlatformHasNoHeading) {
  const Explorer explorer({kMemory, "--problem", "4000"});
  const json answer = explorer.ask(request_on("starpu-mirage.json", "7680", 960, "DMDA,all"));
  ASSERT_FALSE(answer.contains("error")) << answer;
  EXPECT_EQ(makespans(answer["comparison"]).size(), 1U);
  EXPECT_EQ(answer["headings"].size(), 1U);
  EXPECT_EQ(answer["charts"].size(), 1U);
}

TEST(Explorer, AFieldThatIsZeroCannotBeMultiplied) {
  const Explorer explorer({kMemory, "--problem", "4000"});
  json request = request_on("first-try.json", "1600", 80, "Het");
  request["sweep"] = {{"field", "latency"}, {"entry", nullptr}};
  EXPECT_EQ(explorer.ask(request)["error"],
            "sweep: the latency of these workers is 0, as are its multiples. Give one of them a "
            "latency");
  request["sweep"]["entry"] = 0;
  request["platform"]["workers"][0]["latency"] = "1ms";
  const json sweep = explorer.ask(request);
  ASSERT_FALSE(sweep.contains("error")) << sweep;
  EXPECT_DOUBLE_EQ(sweep["x"].front().get<double>(), 1e-4);
  EXPECT_DOUBLE_EQ(sweep["x"].back().get<double>(), 1e-2);
  request["platform"]["workers"][0]["latency"] = "1s";  // not a factor
  EXPECT_EQ(explorer.ask(request)["field"], "latency");
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

TEST(Explorer, AQuickAnswerHasTheRunsOfTheCompleteOne) {
  const Explorer explorer({kMemory, "--problem", "4000"});
  json request = request_on("ppopp08-memory.json", "2400", 80, "ODDOML,Het,BMM");
  request["charts"] = {"ODDOML", "BMM"};
  for (const char* noise : {"", "cv=5%,seed=3"}) {
    request["noise"] = noise;
    request["quick"] = false;
    const json complete = explorer.ask(request);
    request["quick"] = true;  // in one process, and again in that one
    for (int time = 0; time < 2; ++time) {
      const json quick = explorer.ask(request);
      EXPECT_EQ(makespans(quick["comparison"]), makespans(complete["comparison"]));
      EXPECT_EQ(quick["charts"], complete["charts"]);
      EXPECT_EQ(quick["charts"].size(), 2U);
    }
  }
}

TEST(Explorer, ProgramsNamedAtTheStartAreCompared) {
  const std::string mine = "exec:" STARPORT_SOURCE_DIR "/heuristics/examples/earliest.py";
  const Explorer explorer({kMemory, "--problem", "800", "--heuristics", "ODDOML," + mine});
  json request = request_on("first-try.json", "800", 80, "Het," + mine);
  request["charts"] = {mine};
  const json answer = explorer.ask(request);
  EXPECT_EQ(makespans(answer["comparison"]).count(mine), 1U) << answer;
  EXPECT_EQ(makespans(answer["comparison"]),
            makespans_of_command(answer["command"], request["platform"]));
  EXPECT_TRUE(answer["charts"][mine].contains("slices"));
  request["heuristics"] = "exec:" STARPORT_SOURCE_DIR "/heuristics/examples/rows.py";
  EXPECT_TRUE(contains(explorer.ask(request).value("error", ""), "exec:.*rows.py"));
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
  const auto next = explorer.client().Get(explorer.home);
  EXPECT_TRUE(next && next->status == 200);
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

/// Returns the process IDs of the descendants of this process that have no children.
std::vector<pid_t> youngest_descendants() {
  std::vector<pid_t> processes;
  add_children(::getpid(), processes);
  std::vector<pid_t> childless;
  while (!processes.empty()) {
    const pid_t process = processes.back();
    processes.pop_back();
    const std::size_t others = processes.size();
    add_children(process, processes);
    if (processes.size() == others) childless.push_back(process);
  }
  return childless;
}

TEST(Explorer, AnIdleProcessThatIsKilledIsReplaced) {
  const Explorer explorer({kMemory, "--problem", "4000"});
  const json request = request_on("first-try.json", "800", 80, "Het");
  ASSERT_FALSE(explorer.ask(request).contains("error"));
  std::size_t killed = 0;
  for (const pid_t process : youngest_descendants()) {
    if (!contains(read_process_file(fmt::format("/proc/{}/cmdline", process)), "--answer")) {
      continue;
    }
    ::kill(process, SIGKILL);
    while (::kill(process, 0) == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ++killed;
  }
  ASSERT_EQ(killed, 1U);
  const json answer = explorer.ask(request);
  EXPECT_FALSE(answer.contains("error")) << answer;
}

TEST(Explorer, AnAnswerHasATimeLimit) {
  const Explorer explorer({kMemory, "--problem", "4000", "--time-limit", "2"});
  const json slow = request_on("ppopp08-memory.json", "400000", 80, "Polaris[effort=high],Het");
  EXPECT_TRUE(contains(explorer.ask(slow).value("error", "none"), "within 2 s"));
  const json quick = request_on("first-try.json", "160", 80, "Het");
  json answer;
  // A machine may be too busy for this limit.
  const auto deadline =
      std::chrono::steady_clock::now() + std::chrono::duration<double>(kPatience_s);
  do answer = explorer.ask(quick);
  while (answer.contains("error") && std::chrono::steady_clock::now() < deadline);
  EXPECT_FALSE(answer.contains("error")) << answer;
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
  const Explorer explorer({kMemory, "--problem", "800x800x1600"});
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

  // And so it does when the server has gone, whatever is shown of the charts included.
  browser.click("#gantt-memory");
  browser.type("#play-date", "\xee\x80\x92");  // an arrow to the left
  const std::string later = browser.wait_for(
      "const { view } = JSON.parse(decodeURIComponent(location.hash.slice(1)));"
      "return view?.date === 999 && view.memory && location.href");
  const TemporaryDirectory folder;
  const std::string page = (folder.path() / "page.html").string();
  const Outcome outcome = shell("starport explore '" + later + "' --export " + page);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  browser.open("file://" + page);
  wait_for_change(browser, 1);
  EXPECT_EQ(shown_makespans(browser), after);
  EXPECT_EQ(browser.execute("return document.getElementById('gantt-memory').checked"), true);
  browser.wait_for("return document.getElementById('play-date').value === '999'");
  EXPECT_TRUE(
      contains(shell("starport explore http://127.0.0.1/ --export " + page).err, "after '#'"));
}

/// Sets a field of the page as a reader does, event included.
void set_field(Browser& browser, const std::string& id, const std::string& to) {
  browser.execute(
      "const field = document.getElementById(arguments[0]); field.value = arguments[1];"
      "field.dispatchEvent(new Event('change'))",
      json::array({id, to}));
}

TEST(ExplorerPage, WhateverChangesTheFileToDownloadGivesTheSameMakespans) {
  const Explorer explorer({kMemory, "--problem", "800"});
  Browser& browser = empty_page();
  browser.open(explorer.address());
  wait_for_change(browser, 1);
  browser.execute(
      "HTMLAnchorElement.prototype.click = () => {};"
      "const make = URL.createObjectURL;"
      "URL.createObjectURL = (blob) => { window.saved = blob.text();"
      "  return make.call(URL, blob); }");
  const auto expect_equal = [&](int change) {
    wait_for_change(browser, change);
    browser.execute("document.getElementById('download').click()");
    const json platform = json_of(browser.execute("return saved").get<std::string>());
    EXPECT_EQ(shown_makespans(browser), makespans_of_command(browser.text("#command"), platform));
    return platform;
  };
  const auto workers = [&] {
    return browser.execute("return document.querySelectorAll('#workers tbody tr').length")
        .get<int>();
  };
  const int before = workers();
  browser.click("#workers tbody tr:first-child td:last-child button:first-child");  // copy
  json platform = expect_equal(2);
  EXPECT_EQ(workers(), before + 1);
  EXPECT_EQ(platform["workers"][1]["memory"], platform["workers"][0]["memory"]);
  browser.click("#workers tbody tr:last-child td:last-child button:last-child");  // remove
  expect_equal(3);
  EXPECT_EQ(workers(), before);
  set_field(browser, "port", "two-port");
  platform = expect_equal(4);
  EXPECT_EQ(platform["port"], "two-port");
  set_field(browser, "block_size", "160");
  expect_equal(5);
  set_field(browser, "noise", "cv=6%,seed=3");
  expect_equal(6);
  EXPECT_TRUE(contains(browser.text("#command"), "--block-size 160 .*--noise .?cv=6%,seed=3"));
  EXPECT_TRUE(browser.console().empty());
}

TEST(ExplorerPage, ShowsTwoRunsAndACurve) {
  const Explorer explorer({kMemory, "--problem", "800"});
  Browser& browser = empty_page();
  browser.open(explorer.address());
  wait_for_change(browser, 1);
  EXPECT_TRUE(contains(browser.text("#gantt-facts"), "^A: \\w+, [\\d.]+ s, .*B: \\w+"));
  set_field(browser, "gantt-b", "ORROML");
  wait_for_change(browser, 2);
  EXPECT_TRUE(contains(browser.text("#gantt-facts"), "B: ORROML"));
  set_field(browser, "sweep-field", "bandwidth");
  browser.wait_for("return document.querySelector('#curves canvas') !== null");
  EXPECT_NE(browser.text("#crossings"), "");
  browser.execute("document.querySelector(\"#heuristics input[value='Adaptive']\").click()");
  wait_for_change(browser, 3);
  EXPECT_EQ(shown_makespans(browser).count("Adaptive"), 1U);
  // A worker more, and a product that is none: the message says so, and the last answer stays.
  browser.click("#add");
  wait_for_change(browser, 4);
  EXPECT_EQ(browser.execute("return document.querySelectorAll('#workers tbody tr').length"), 4);
  set_field(browser, "problem", "x");
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
  EXPECT_GT(coloured(), 0.95);  // less the seams
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

TEST(ExplorerPage, AMovingSliderIsFollowed) {
  const Explorer explorer({kMemory, "--problem", "800"});
  Browser& browser = empty_page();
  browser.open(explorer.address());
  wait_for_change(browser, 1);
  // Quick pictures, paler, come before the complete one.
  browser.execute(
      "window.seen = []; window.moves = 0;"
      "new MutationObserver(() => seen.push(document.getElementById('bars').className))"
      ".observe(document.getElementById('bars'), {childList: true});"
      "window.moving = setInterval(() => {"
      "  const slider = document.querySelector(\"[data-key='0/bandwidth']\");"
      "  slider.value = 7 + 0.02 * ++moves; slider.dispatchEvent(new Event('input'));"
      "  if (moves === 60) clearInterval(moving);"
      "}, 5)");
  wait_for_change(browser, 61);
  const json seen = browser.execute("return seen");
  EXPECT_GE(seen.size(), 2U);
  EXPECT_EQ(seen.back(), "");
  EXPECT_EQ(seen[seen.size() - 2], "quick");
  const json state = json_of(
      browser.execute("return decodeURIComponent(location.hash.slice(1))").get<std::string>());
  EXPECT_EQ(state["platform"]["workers"][0]["bandwidth"], "158MBps");
  EXPECT_EQ(shown_makespans(browser),
            makespans_of_command(browser.text("#command"), state["platform"]));
}

TEST(ExplorerPage, ShowsThePartitionOfADistributedProduct) {
  const Explorer explorer({STARPORT_SOURCE_DIR "/platforms/cliff.json", "--problem", "1536",
                           "--heuristics", "FPM,Polaris"});
  Browser& browser = empty_page();
  browser.open(explorer.address());
  wait_for_change(browser, 1);
  browser.wait_for("return document.querySelectorAll('#divisions canvas').length === 2");
  // The area of each worker in the picture is its share of the work.
  const json areas = browser.execute(
      "const caption = [...document.querySelectorAll('#divisions figcaption')]"
      ".findIndex(({textContent}) => textContent.startsWith('FPM'));"
      "const canvas = document.querySelectorAll('#divisions canvas')[caption];"
      "const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);"
      "const count = {};"
      "for (let i = 0; i < data.length; i += 4) {"
      "  const key = `rgb(${data[i]}, ${data[i + 1]}, ${data[i + 2]})`;"
      "  count[key] = (count[key] ?? 0) + 4 / data.length;"
      "}"
      "const row = [...document.querySelectorAll('#bars tbody tr')]"
      ".find(({firstChild}) => firstChild.textContent === 'FPM');"
      "return [...row.querySelectorAll('.shares i')].map((piece) =>"
      "  [count[getComputedStyle(piece).backgroundColor], parseFloat(piece.style.width) / 100])");
  ASSERT_EQ(areas.size(), 3U);
  for (const json& pair : areas) EXPECT_NEAR(pair[0], pair[1], 0.02) << areas;
}

TEST(ExplorerPage, ColoursAreThoseOfFigures) {
  const TemporaryDirectory folder;
  const auto path = [&](const char* name) { return (folder.path() / name).string(); };
  const std::string arguments =
      " platforms/first-try.json --problem 160 --heuristics Polaris,BMM,'Het[clock=exact]',"
      "exec:tests/fixtures/first.sh,ODDOML ";
  const Outcome outcome =
      shell("starport explore" + arguments + "--export " + path("page.html") + " && starport run" +
            arguments + "--engine analytic --csv > " + path("results.csv") + " && starport plot " +
            path("results.csv") + " --figure bars -o " + path("figure.csv"));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  Browser& browser = empty_page();
  browser.open("file://" + path("page.html"));
  wait_for_change(browser, 1);
  std::ifstream figure(path("figure.csv"));
  std::size_t rows = 0;
  for (std::string line; std::getline(figure, line);) {
    std::smatch match;  // ...,heuristic,style,value
    if (!std::regex_search(line, match, std::regex(",([^,]+),(\\d+),[^,]+$"))) continue;
    ++rows;
    EXPECT_EQ(browser.execute(
                  "const [name, style] = arguments;"
                  "const palette = document.querySelector('script[type=module]').textContent"
                  ".match(/const COLOURS = \\[([^\\]]*)/)[1].match(/#\\w{6}/g);"
                  "const row = [...document.querySelectorAll('#bars tbody tr')]"
                  ".find(({firstChild}) => firstChild.textContent === name);"
                  "const shown = getComputedStyle(row.querySelector('.bar i')).backgroundColor;"
                  "return '#' + shown.match(/\\d+/g).map((c) => Number(c).toString(16)"
                  ".padStart(2, '0')).join('') === palette[(style - 1) % 16] || shown",
                  json::array({match[1], std::stoi(match[2])})),
              true)
        << line;
  }
  EXPECT_EQ(rows, 5U);
}

constexpr char32_t kTab = U'\uE004';
const std::u32string kEnter = U"\uE007";
const std::u32string kRight = U"\uE014";

TEST(ExplorerPage, AnswersToTheKeyboardAlone) {
  const Explorer explorer({kMemory, "--problem", "800"});
  Browser& browser = empty_page();
  browser.open(explorer.address());
  wait_for_change(browser, 1);
  browser.wait_for("return document.querySelector('#curves canvas') !== null");
  // Each control is reached by the tab key, and shows that it has the focus.
  browser.execute(
      "window.missing = new Set([...document.querySelectorAll("
      "  'a, button, input, select, summary, [tabindex=\"0\"]')]"
      "  .filter((each) => each.checkVisibility() && !each.disabled));"
      "window.unmarked = [];"
      "document.addEventListener('focusin', ({target}) => {"
      "  missing.delete(target);"
      "  if (getComputedStyle(target).outlineStyle === 'none') unmarked.push(target.outerHTML);"
      "})");
  const std::size_t controls = browser.execute("return missing.size");
  EXPECT_GT(controls, 40U);
  browser.press(std::u32string(controls + 10, kTab));
  EXPECT_EQ(browser.execute("return [...missing].map(({outerHTML}) => outerHTML)"), json::array());
  EXPECT_EQ(browser.execute("return unmarked"), json::array());

  // Since the tab key reaches all, it need not be pressed again.
  const auto focus = [&](const char* css) {
    browser.execute("document.querySelector(arguments[0]).focus()", {css});
  };
  const auto before = shown_makespans(browser);
  focus("[data-key='0/bandwidth']");
  browser.press(kRight + kRight + kRight);
  wait_for_change(browser, 4);
  EXPECT_NE(shown_makespans(browser), before);
  focus("#heuristics-menu summary");
  browser.press(kEnter);
  ASSERT_TRUE(browser.tab_to("#heuristics input[value='Adaptive']"));
  browser.press(U" ");
  wait_for_change(browser, 5);
  EXPECT_EQ(shown_makespans(browser).count("Adaptive"), 1U);
  EXPECT_EQ(browser.execute("return document.activeElement.value"), "Adaptive");
  focus("#gantt-chart");
  browser.press(U"n");
  EXPECT_TRUE(contains(browser.text("#gantt-tip"), "blocks"));
  focus("#play");
  // Ten minutes pass at the start of the runs, so that it is seen however slow the machine is.
  browser.execute(
      "const now = performance.now.bind(performance); performance.now = () => now() + 6e5");
  browser.press(kEnter);
  browser.wait_for("return document.getElementById('play-date').value < 1000");
  focus("#sweep-field");
  browser.press(U"b");  // bandwidth
  browser.wait_for(
      "return [...document.querySelectorAll('#curves th')]"
      ".some(({textContent}) => textContent === 'Adaptive')");
  focus("#curves .u-series:last-child th");
  browser.press(kEnter);
  EXPECT_EQ(browser.execute("return document.activeElement.closest('tr').className"),
            "u-series u-off");
  EXPECT_TRUE(browser.console().empty());
}

TEST(ExplorerPage, CanBeReadInNarrowAndWideWindowsInLightAndDark) {
  const Explorer explorer({kMemory, "--problem", "800"});
  Browser& browser = empty_page();
  for (const int width : {400, 1400}) {
    // The narrow page is loaded in the light and becomes dark, the wide one the other way round.
    for (const bool loaded : {false, true}) {
      const bool dark = (width > 1000) != loaded;
      SCOPED_TRACE(fmt::format("{} pixels, {}", width, dark ? "dark" : "light"));
      browser.show_in(width, 1000, dark);
      if (!loaded) {
        browser.open("about:blank");
        browser.open(explorer.address());
        wait_for_change(browser, 1);
        browser.wait_for("return document.querySelector('#curves canvas') !== null");
      }
      EXPECT_LE(browser.execute("return document.documentElement.scrollWidth"), width);
      // No control and no figure of a table is cut off or has to be scrolled to.
      EXPECT_EQ(
          browser.execute(
              "return [...document.querySelectorAll('a, button, input, select, canvas,"
              " td, th, figcaption')].filter((each) => each.checkVisibility())"
              ".filter((each) => { const {left, right} = each.getBoundingClientRect();"
              " return left < 0 || right > innerWidth + 0.5; }).map(({outerHTML}) => outerHTML)"),
          json::array());
      // Texts have a contrast of 4.5 or more with what is behind them, and bars one of 1.1.
      browser.execute(
          "window.light = (colour) => colour.match(/[\\d.]+/g).slice(0, 3)"
          ".map((value) => value / 255)"
          ".map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))"
          ".reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);"
          "window.behind = (each) => { const {backgroundColor} = getComputedStyle(each);"
          " return backgroundColor === 'rgba(0, 0, 0, 0)' ? behind(each.parentElement)"
          " : backgroundColor; };"
          "window.contrast = (a, b) => { const [x, y] = [light(a), light(b)];"
          " return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05); }");
      EXPECT_EQ(browser.execute(
                    "return [...document.querySelectorAll('body *')]"
                    ".filter((each) => each.checkVisibility() && !each.disabled &&"
                    " [...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))"
                    ".filter((each) => contrast(getComputedStyle(each).color, behind(each)) < 4.5)"
                    ".map(({outerHTML}) => outerHTML)"),
                json::array());
      EXPECT_EQ(browser.execute(
                    "return [...document.querySelectorAll('.bar i, .shares i')].filter((each) =>"
                    " contrast(getComputedStyle(each).backgroundColor,"
                    " behind(each.parentElement)) < 1.1).map(({outerHTML}) => outerHTML)"),
                json::array());
      // The page is light or dark, and so are the canvases.
      EXPECT_EQ(browser.execute("return light(behind(document.body)) < 0.2"), dark);
      browser.wait_for(
          "const dark = light(behind(document.body)) < 0.2;"
          "return [...document.querySelectorAll('#gantt-chart canvas')].every((canvas) =>"
          " (canvas.getContext('2d').getImageData(1, 1, 1, 1).data[0] < 50) === dark)");
    }
  }
  browser.show_in(1280, 1000, false);
}

/// Prints how long the page takes from a slider to the picture, on a machine that does nothing
/// else: starport_tests_explore --gtest_also_run_disabled_tests --gtest_filter='*FromASlider*'
TEST(ExplorerPage, DISABLED_FromASliderToThePicture) {
  json hundred = platform_of("ppopp08-memory.json");
  hundred["workers"] = json::array();
  for (int worker = 0; worker < 100; ++worker) {
    hundred["workers"].push_back({{"bandwidth", fmt::format("{}MBps", 10 + worker % 7 * 15)},
                                  {"speed", fmt::format("{}Gf", 1 + worker % 5)},
                                  {"memory", fmt::format("{}MiB", 256 << worker % 3)}});
  }
  const TemporaryFile file(hundred.dump());
  for (const std::string& platform : {kMemory, file.path()}) {
    const Explorer explorer({platform, "--problem", "8000x8000x64000"});
    Browser& browser = empty_page();
    browser.open(explorer.address());
    std::vector<int> durations;
    for (int change = 1; change <= 21; ++change) {
      wait_for_change(browser, change);
      browser.wait_for("return document.querySelector('#curves canvas') !== null");
      browser.execute(
          "document.body.dataset.milliseconds = '';"
          "const slider = document.querySelector(\"[data-key='0/bandwidth']\"); slider.focus();"
          "window.began = performance.now();"
          "slider.value = 7 + 0.02 * arguments[0]; slider.dispatchEvent(new Event('input'));"
          "new MutationObserver((_, seen) => { seen.disconnect(); requestAnimationFrame(() =>"
          " setTimeout(() => { window.took = performance.now() - began; })); })"
          ".observe(document.body, {attributes: true, attributeFilter: ['data-milliseconds']})",
          json::array({change}));
      wait_for_change(browser, change + 1);
      durations.push_back(browser.execute("return Math.round(took)"));
    }
    std::ranges::sort(durations);
    fmt::print("{}: median {} ms, from {} to {} ms\n", platform, durations[durations.size() / 2],
               durations.front(), durations.back());
  }
}

// Not all heuristics need the same memory. One that cannot run somewhere is slower than any.
TEST(Explorer, CrossingsAreWhereTheNextHeuristicRuns) {
  const Explorer explorer({kMemory, "--problem", "4000"});
  json request = request_on("first-try.json", "1600", 80, "BMM,Het");
  for (json& worker : request["platform"]["workers"]) worker["memory"] = "400kB";
  request["sweep"] = {{"field", "memory"}, {"entry", nullptr}};
  const json sweep = explorer.ask(request);
  ASSERT_FALSE(sweep.contains("error")) << sweep;
  ASSERT_FALSE(sweep["crossings"].empty()) << sweep;
  for (const json& crossing : sweep["crossings"]) {
    json scaled = request;
    scaled.erase("sweep");
    for (json& worker : scaled["platform"]["workers"]) {
      worker["memory"] = fmt::format("{}kB", 400 * crossing["x"].get<double>());
    }
    const auto dates = makespans(explorer.ask(scaled)["comparison"]);
    ASSERT_EQ(dates.count(crossing["to"]), 1U) << crossing;
    EXPECT_TRUE(dates.count(crossing["from"]) == 0 ||
                dates.at(crossing["from"]) > dates.at(crossing["to"]))
        << crossing;
  }
}

// Read from a pipe, which can be read once. Workers without links have no bandwidth to vary.
TEST(Explorer, APlatformMayHaveNoLinksAndComeFromAPipe) {
  const TemporaryFile platform(R"({"schema_version": 1, "name": "CPUs", "workers": [
    {"shares_memory": true, "speed": "10Gf"}, {"shares_memory": true, "speed": "20Gf"}]})");
  const TemporaryFile page("", ".html");
  const Outcome outcome = shell("cat " + platform.path() +
                                " | starport explore /dev/stdin --problem 800 "
                                "--export " +
                                page.path());
  EXPECT_EQ(outcome.status, 0) << outcome.err;
}

TEST(Explorer, AnAddressHasAState) {
  for (const char* address : {"http://127.0.0.1:1/x/#[1]", "http://127.0.0.1:1/x/#1"}) {
    const Outcome outcome = shell(fmt::format("starport explore '{}'", address));
    EXPECT_EQ(outcome.status, 2) << outcome.err;
    EXPECT_TRUE(contains(outcome.err, "expected an address with the state")) << outcome.err;
  }
  const Outcome beside = shell("starport explore 'http://127.0.0.1:1/x/#{}' --problem 800");
  EXPECT_EQ(beside.status, 2);
  EXPECT_TRUE(contains(beside.err, "--problem: the address of a page gives it")) << beside.err;
}

TEST(ExplorerPage, TheCurveStaysAtItsWorker) {
  const Explorer explorer(
      {STARPORT_SOURCE_DIR "/platforms/first-try.json", "--problem", "800", "--heuristics", "Het"});
  Browser& browser = empty_page();
  browser.open(explorer.address());
  wait_for_change(browser, 1);
  const int last =
      browser.execute("return document.querySelectorAll('#workers tbody tr').length - 1");
  set_field(browser, "sweep-entry", std::to_string(last));
  const auto entry = [&] {
    return json_of(browser.execute("return decodeURIComponent(location.hash.slice(1))")
                       .get<std::string>())["sweep"]["entry"];
  };
  browser.click("#workers tbody tr:first-child td:last-child button:last-child");  // remove
  wait_for_change(browser, 2);
  EXPECT_EQ(entry(), last - 1);
  browser.click("#workers tbody tr:first-child td:last-child button:first-child");  // copy
  wait_for_change(browser, 3);
  EXPECT_EQ(entry(), last);
  browser.click("#workers tbody tr:last-child td:last-child button:last-child");
  wait_for_change(browser, 4);
  EXPECT_EQ(entry(), nullptr);
  EXPECT_TRUE(browser.console().empty());
}

}  // namespace
}  // namespace starport::test
