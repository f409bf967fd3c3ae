// The program as a person runs it: outputs, messages, exit statuses.
#include "heuristics/registry.hpp"
#include "tests/support.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace starport {
namespace {

using test::shell;
using test::TemporaryFile;

constexpr const char* kTwoWorkers =
    R"({"schema_version": 1, "name": "two", "block_size": 1, "workers": [
        {"c_s": 1, "w_s": 2, "m_blocks": 12}, {"c_s": 2, "w_s": 3, "m_blocks": 21}]})";

TEST(Cli, RunPrintsATable) {
  const TemporaryFile platform(kTwoWorkers);
  const auto outcome = shell("starport run " + platform.path() + " --problem 4x3x6");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_NE(outcome.out.find("two: 2 workers, blocks of 1 x 1"), std::string::npos);
  EXPECT_NE(outcome.out.find("P1      1 s  2 s   12     2"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("Het: selection global/next/C ignored"), std::string::npos);
  // Best first: Het and ODDOML at 198, ORROML last at 236.
  EXPECT_LT(outcome.out.find("\nHet "), outcome.out.find("\nHom "));
  EXPECT_LT(outcome.out.find("\nODDOML "), outcome.out.find("\nHom "));
  EXPECT_LT(outcome.out.find("\nOMMOML "), outcome.out.find("\nORROML "));
}

TEST(Cli, RunPrintsJson) {
  const TemporaryFile platform(kTwoWorkers);
  const auto outcome =
      shell("starport run " + platform.path() + " --problem 4x3x6 --json --heuristics all+");
  EXPECT_EQ(outcome.status, 0);
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json.at("schema_version"), 1);
  EXPECT_EQ(json.at("engine"), "simgrid");
  EXPECT_EQ(json.at("problem"), (nlohmann::json{{"r", 4}, {"s", 6}, {"t", 3}, {"block_size", 1}}));
  EXPECT_EQ(json.at("platform").at("workers").at(1).at("m_blocks"), 21);
  EXPECT_NEAR(json.at("bound").at("steady_state_updates_per_s").get<double>(), 0.833333, 1e-6);
  ASSERT_EQ(json.at("results").size(), heuristic_registry().size());
  const auto& het = json.at("results").at(0);
  EXPECT_EQ(het.at("heuristic"), "Het");
  EXPECT_EQ(het.at("status"), "ok");
  EXPECT_EQ(het.at("makespan_s"), 198.0);
  EXPECT_EQ(het.at("enrolled_workers"), 2);
  EXPECT_EQ(het.at("blocks_moved"), 120);
  const auto& polaris = json.at("results").at(10);
  EXPECT_EQ(polaris.at("heuristic"), "Polaris");
  EXPECT_LT(polaris.at("makespan_s"), 198.0);
  EXPECT_EQ(polaris.at("relative_cost"), 1.0);
  EXPECT_EQ(het.at("relative_cost"), 198.0 / polaris.at("makespan_s").get<double>());
  const double bound_s = json.at("bounds").at("any_schedule_s");
  EXPECT_GE(polaris.at("makespan_s"), bound_s);
  EXPECT_EQ(het.at("times_bound"), 198.0 / bound_s);
  EXPECT_EQ(het.at("details").at("selection"), "global/next/C ignored");
  EXPECT_EQ(het.at("workers").size(), 2U);
  // HoLM does not apply here: its row says so, and the run succeeds.
  const auto& holm = json.at("results").at(7);
  EXPECT_EQ(holm.at("heuristic"), "HoLM");
  EXPECT_EQ(holm.at("status"), "not applicable");
  EXPECT_EQ(holm.at("error"), "the workers are not all alike");
  EXPECT_EQ(json.at("provenance").at("command").at(1), "run");
}

TEST(Cli, RunPrintsCsvWithTheNamesOfTheJson) {
  const TemporaryFile platform(kTwoWorkers);
  const auto outcome =
      shell("starport run " + platform.path() + " --problem 4x3x6 --csv --heuristics ODDOML,HoLM");
  EXPECT_EQ(outcome.status, 0);
  std::istringstream lines(outcome.out);
  std::string header;
  std::string oddoml;
  std::string holm;
  std::getline(lines, header);
  std::getline(lines, oddoml);
  std::getline(lines, holm);
  EXPECT_EQ(header,
            "platform,r,s,t,block_size,engine,heuristic,status,error,makespan_s,decision_s,"
            "simulation_s,enrolled_workers,blocks_moved,block_updates,ccr,port_utilisation,"
            "send_utilisation,receive_utilisation,"
            "relative_cost,relative_work,bound_ratio,times_bound,details\r");
  EXPECT_EQ(oddoml.substr(0, 35), "two,4,6,3,1,simgrid,ODDOML,ok,,198,");
  EXPECT_EQ(
      holm,
      "two,4,6,3,1,simgrid,HoLM,not applicable,the workers are not all alike,,,,,,,,,,,,,,,\r");
  EXPECT_EQ(std::count(holm.begin(), holm.end(), ','),
            std::count(header.begin(), header.end(), ','));
}

TEST(Cli, OnlyInapplicableHeuristicsIsNoSuccess) {
  const TemporaryFile platform(kTwoWorkers);
  const auto outcome =
      shell("starport run " + platform.path() + " --problem 4x3x6 --heuristics HoLM");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.out.find("HoLM: not applicable: the workers are not all alike"),
            std::string::npos);
}

TEST(Cli, ATimeOutIsARow) {
  const auto late = shell(
      "starport run platforms/ppopp08-memory.json --problem 8000x8000x640000 --time-limit 0.001 "
      "--heuristics ODDOML");
  EXPECT_EQ(late.status, 1);
  EXPECT_NE(late.out.find("ODDOML: error: timed out after 0.001 s"), std::string::npos) << late.out;
}

TEST(Cli, PlanValidateReplay) {
  const TemporaryFile platform(kTwoWorkers);
  const TemporaryFile schedule("");
  const auto planned = shell("starport plan " + platform.path() +
                             " --problem 4x3x6 --heuristic ODDOML -o " + schedule.path());
  EXPECT_EQ(planned.status, 0) << planned.err;
  EXPECT_NE(planned.out.find("makespan 198 s, 2 of 2 workers"), std::string::npos) << planned.out;

  const auto valid = shell("starport validate " + schedule.path());
  EXPECT_EQ(valid.status, 0) << valid.err;
  EXPECT_NE(valid.out.find("a valid schedule"), std::string::npos);

  const auto same = shell("starport replay " + platform.path() + " " + schedule.path());
  EXPECT_EQ(same.status, 0) << same.err;
  EXPECT_NE(same.out.find("planned for two in 198 s; here 1 times that"), std::string::npos)
      << same.out;

  // The link of worker 2 half as fast.
  std::string slower = kTwoWorkers;
  slower.replace(slower.find("\"c_s\": 2"), 8, "\"c_s\": 4");
  const TemporaryFile other(slower);
  const auto json = shell("starport replay " + other.path() + " " + schedule.path() + " --json");
  EXPECT_EQ(json.status, 0) << json.err;
  const auto result = nlohmann::json::parse(json.out).at("results").at(0);
  EXPECT_EQ(result.at("heuristic"), "ODDOML");
  EXPECT_GT(result.at("makespan_s"), 198.0);

  // Less memory on worker 1: the schedule is refused there.
  std::string smaller = kTwoWorkers;
  smaller.replace(smaller.find("\"m_blocks\": 12"), 14, "\"m_blocks\": 11");
  const TemporaryFile small(smaller);
  const auto refused = shell("starport replay " + small.path() + " " + schedule.path());
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("worker 1 would hold 12 blocks"), std::string::npos) << refused.err;

  // Fewer workers than the schedule needs.
  const TemporaryFile one(
      R"({"schema_version": 1, "name": "one", "block_size": 1,
          "workers": [{"c_s": 1, "w_s": 2, "m_blocks": 12}]})");
  const auto missing = shell("starport replay " + one.path() + " " + schedule.path());
  EXPECT_EQ(missing.status, 2);
  EXPECT_NE(missing.err.find("worker 2 is unknown: there are 1"), std::string::npos) << missing.err;
}

TEST(Cli, BoundShowsTheLinearProgram) {
  const TemporaryFile platform(kTwoWorkers);
  const auto outcome = shell("starport bound " + platform.path() + " --problem 4x3x6");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.out.find("rho = 0.833333"), std::string::npos) << outcome.out;
  // mu = 2 and 3 (12 and 21 blocks): P1 computes all the time, 1/2, which takes 1/2 of the port; P2
  // gets the rest, 1/2 * 3/4 = 3/8 > 1/3: it computes all the time too, and nothing else limits.
  EXPECT_NE(outcome.out.find("computation of P1"), std::string::npos) << outcome.out;
  const auto json = shell("starport bound " + platform.path() + " --problem 4x3x6 --json");
  EXPECT_EQ(nlohmann::json::parse(json.out).at("bandwidth_centric_order"), (nlohmann::json{1, 2}));
}

TEST(Cli, ConvertedPlatformLoadsInSimgrid) {
  const TemporaryFile xml("", ".xml");
  const auto converted =
      shell("starport convert platforms/ppopp08-memory.json --to simgrid-xml -o " + xml.path());
  EXPECT_EQ(converted.status, 0) << converted.err;
  // SimGrid's own loader, in its own program, draws the graph of what it has read.
  const TemporaryFile graph("", ".dot");
  const auto loaded = shell("simgrid-graphicator " + xml.path() + " " + graph.path());
  EXPECT_EQ(loaded.status, 0) << loaded.err;
  std::ostringstream dot;
  dot << std::ifstream(graph.path()).rdbuf();
  for (const char* name : {"master", "worker-1", "worker-8", "link-1", "link-8"}) {
    EXPECT_NE(dot.str().find(name), std::string::npos) << name << " in " << dot.str();
  }
}

TEST(Cli, ConvertedPortsLoadInSimgrid) {
  const TemporaryFile platform(
      R"({"schema_version": 1, "name": "many", "block_size": 1,
          "port": {"kind": "multi-port", "transfers": 2, "c_s": 2},
          "workers": [{"c_s": 1, "w_s": 2, "m_blocks": 12, "count": 2}]})");
  const TemporaryFile xml("", ".xml");
  ASSERT_EQ(
      shell("starport convert " + platform.path() + " --to simgrid-xml -o " + xml.path()).status,
      0);
  std::ostringstream text;
  text << std::ifstream(xml.path()).rdbuf();
  EXPECT_NE(text.str().find("<prop id=\"port\" value=\"multi-port\"/>"
                            "<prop id=\"transfers\" value=\"2\"/>"),
            std::string::npos)
      << text.str();
  EXPECT_NE(text.str().find("<link id=\"shared\" bandwidth=\"4Bps\""), std::string::npos)
      << text.str();  // 8 bytes in 2 s
  const TemporaryFile graph("", ".dot");
  const auto loaded = shell("simgrid-graphicator " + xml.path() + " " + graph.path());
  EXPECT_EQ(loaded.status, 0) << loaded.err;
  std::ostringstream dot;
  dot << std::ifstream(graph.path()).rdbuf();
  EXPECT_NE(dot.str().find("shared"), std::string::npos) << dot.str();
}

TEST(Cli, TraceFiles) {
  const TemporaryFile platform(kTwoWorkers);
  const TemporaryFile csv("", ".csv");
  const TemporaryFile chrome("");
  EXPECT_EQ(
      shell("starport run " + platform.path() + " --problem 4x3x6 --trace " + csv.path()).status,
      0);
  EXPECT_EQ(
      shell("starport run " + platform.path() + " --problem 4x3x6 --trace " + chrome.path()).status,
      0);
  std::ifstream rows(csv.path());
  std::string line;
  int lines = 0;
  while (std::getline(rows, line)) ++lines;
  EXPECT_GT(lines, 7 * 30);
  const auto document = nlohmann::json::parse(std::ifstream(chrome.path()));
  EXPECT_GT(document.at("traceEvents").size(), 7U * 30);
}

TEST(Cli, EveryHelpShowsAnExample) {
  for (const char* command : {"run", "list", "bound", "plan", "replay", "validate", "convert"}) {
    const auto outcome = shell(std::string("starport ") + command + " --help");
    EXPECT_EQ(outcome.status, 0);
    EXPECT_NE(outcome.out.find("Example:\n  starport " + std::string(command)), std::string::npos)
        << outcome.out;
  }
  EXPECT_EQ(shell("starport --help").status, 0);
  EXPECT_NE(shell("starport --version").out.find("SimGrid 3."), std::string::npos);
}

TEST(Cli, AReaderThatGoesAwayIsNoError) {
  const auto outcome = shell(
      "set -o pipefail; starport plan platforms/first-try.json --problem 8000x8000x8000 "
      "--heuristic ODDOML -o /dev/stdout | head -c 100 >/dev/null");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(shell("set -o pipefail; starport list | true").status, 0);
}

TEST(Cli, NobodyToTellIsNoCrash) {
  EXPECT_EQ(shell("starport validate nowhere.json 2>/dev/full").status, 2);
  EXPECT_EQ(shell("starport validate nowhere.json 2>&-").status, 2);
  EXPECT_EQ(shell("starport run platforms/first-try.json --problem 80x80x80 >&- 2>&-").status, 0);
  EXPECT_EQ(shell("starport list >/dev/full").status, 2);
}

TEST(Cli, MessagesStayShort) {
  const TemporaryFile file("{\"" + std::string(100'000, 'k') + "\": 1}");
  const auto outcome = shell("starport run " + file.path() + " --problem 1x1x1");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_LT(outcome.err.size(), 2000U);
}

// A file appears once it is complete, through a symbolic link too, and nothing is left beside it.
TEST(Cli, OutputFiles) {
  namespace fs = std::filesystem;
  const fs::path folder =
      fs::temp_directory_path() / ("starport-out-" + std::to_string(::getpid()));
  fs::create_directory(folder);
  std::ofstream(folder / "real.json") << "old";
  fs::create_symlink("real.json", folder / "link.json");
  const std::string plan = "starport plan platforms/first-try.json --problem 800x800x800 -o ";
  EXPECT_EQ(shell(plan + (folder / "link.json").string()).status, 0);
  EXPECT_TRUE(fs::is_symlink(folder / "link.json"));
  EXPECT_EQ(shell("starport validate " + (folder / "real.json").string()).status, 0);
  EXPECT_EQ(shell("(ulimit -f 1; " + plan + (folder / "large.json").string() + ")").status, 2);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 2);
  fs::remove_all(folder);
}

struct BadCall {
  std::string command;
  std::string message;
};

TEST(Cli, BadInputGivesOneLineAndStatusTwo) {
  const TemporaryFile empty("");
  const TemporaryFile no_json("{\n \"a\": }");
  const TemporaryFile no_memory(
      R"({"schema_version": 1, "name": "x", "block_size": 10,
          "workers": [{"c_s": 1, "w_s": 1, "m_blocks": 4}]})");
  const TemporaryFile tiny(
      R"({"schema_version": 1, "name": "x", "block_size": 1,
          "workers": [{"c_s": 1, "w_s": 1, "m_blocks": 5}]})");
  const TemporaryFile neither(R"({"a": 1})");
  const TemporaryFile broken_schedule(
      R"({"schema_version": 1, "problem": {"r": 1, "s": 1, "t": 1, "block_size": 1},
          "platform": {"name": "x", "workers": [{"c_s": 1, "w_s": 1, "m_blocks": 9}]},
          "transfers": [
            {"worker": 1, "to": "worker", "c": {"rows": [0, 1], "columns": [0, 1]}},
            {"worker": 1, "to": "master", "c": {"rows": [0, 1], "columns": [0, 1]}}]})");
  const std::string known = test::heuristic_names();
  const std::string memory = "platforms/ppopp08-memory.json";
  const std::string problem = " --problem 800x800x800";
  const std::vector<BadCall> calls{
      {"starport", "starport: expected a command, found nothing (starport --help lists them)"},
      {"starport rum",
       "starport: expected a command: run, list, bound, plan, replay, calibrate, validate, "
       "convert, sweep, "
       "merge, report, plot, check, found 'rum' (did you mean 'run'?)"},
      {"starport run" + problem,
       "starport run: expected PLATFORM, found nothing (starport run PLATFORM [options])"},
      {"starport run a b" + problem,
       "starport run: expected only PLATFORM, found more arguments (starport run --help)"},
      {"starport run nowhere.json" + problem,
       "nowhere.json: expected a readable file, found No such file or directory"},
      {"starport run platforms" + problem, "platforms: expected a file, found a directory"},
      {"starport run " + empty.path() + problem,
       empty.path() + ": expected a JSON document, found an empty file"},
      {"starport run " + no_json.path() + problem,
       no_json.path() + ": line 2, column 7: expected JSON, found a syntax error at '}'"},
      {"starport run " + memory,
       "--problem: expected nAxnABxnB, such as 8000x8000x64000, found nothing"},
      {"starport run " + memory + " --problem 8000x8000",
       "--problem: expected nAxnABxnB, the three matrix sizes in elements, such as "
       "8000x8000x64000, found '8000x8000'"},
      {"starport run " + memory + " --problem 0x0x0",
       "--problem: expected sizes greater than 0, found '0x0x0'"},
      {"starport run " + memory + " --problem 99999999999999999999x1x1",
       "--problem: expected sizes that fit in 63 bits, found '99999999999999999999x1x1'"},
      {"starport run " + memory + " --problem 999999999999999x1x1",
       "--problem: expected between 1 and 2147483647 blocks a side, found r=12500000000000, s=1, "
       "t=1"},
      {"starport run " + memory + " --problem 99999999999x99999999999x99999999999",
       "--problem: expected at most 2^60 block updates, found r=1250000000, s=1250000000, "
       "t=1250000000"},
      {"starport run " + memory + problem + " --block-size 0",
       "--block-size: expected an integer from 1 to 1000000, found '0'"},
      {"starport run " + memory + problem + " --block-size 8.5",
       "--block-size: expected an integer from 1 to 1000000, found '8.5'"},
      {"starport run " + memory + problem + " --heuristics Hett",
       "--heuristics: expected all, all+ or names among " + known +
           ", found 'Hett' (did you mean 'Het'?)"},
      {"starport run " + memory + problem + " --heuristic Het",
       "--heuristic: expected an option of starport run, found an unknown one (did you mean "
       "'--heuristics'?)"},
      {"starport run " + memory + problem + " --json --csv",
       "--csv: expected one output format, found --json too"},
      {"starport run " + memory + problem + " --trace x.txt",
       "--trace: expected a file that ends in .csv or .json, found 'x.txt'"},
      {"starport run " + memory + problem + " --trace /nowhere/x.csv",
       "/nowhere/x.csv: --trace: expected a file that can be written, found No such file or "
       "directory"},
      {"starport run " + memory + problem + " --time-limit soon",
       "--time-limit: expected a number of seconds, 0 or greater, found 'soon'"},
      {"starport run " + memory + problem + problem,
       "--problem: expected the option once, found it several times"},
      {"starport run " + no_memory.path() + problem,
       no_memory.path() +
           ": /workers: expected a worker with memory for at least 5 blocks of 800 bytes "
           "(optimized, overlapped layout), found at most 4 (Het needs it)"},
      {"starport bound " + no_memory.path() + problem,
       no_memory.path() +
           ": /workers: expected a worker with memory for at least 5 blocks of 800 bytes "
           "(optimized, overlapped layout), found at most 4"},
      {"starport plan " + memory + problem,
       "--output: expected the file to save the schedule in, found nothing"},
      {"starport plan " + memory + problem + " --heuristic all -o /tmp/x",
       "--heuristic: expected one heuristic, found 7"},
      {"starport validate " + neither.path(),
       neither.path() +
           ": /: expected a platform (with the key 'workers') or a schedule ('transfers'), found "
           "neither"},
      {"starport validate " + broken_schedule.path(),
       broken_schedule.path() +
           ": /transfers/1: expected a schedule that obeys the model, found C[0..0][0..0] comes "
           "home with 0 of its 1 updates"},
      {"starport plan " + memory + problem + " -o ''",
       "--output: expected the name of a file, found an empty one"},
      {"starport plan " + memory + problem + " --heuristic Hett -o /tmp/x",
       "--heuristic: expected one name among " + known + ", found 'Hett' (did you mean 'Het'?)"},
      {"starport run " + memory + problem + " --json=1", "--json: expected no value, found one"},
      {"starport validate tests/fixtures/late-c.json -q 17",
       "--block-size: expected a platform file, found a schedule, which has its own"},
      {"starport replay " + tiny.path() + " tests/fixtures/late-c.json",
       tiny.path() +
           ": /block_size: expected 2, the block size asked for, found raw figures for 1"},
      {"starport --version now", "starport --version: expected nothing after it, found 'now'"},
      {"starport convert " + memory, "--to: expected simgrid-xml, found nothing"},
      {"starport convert " + memory + " --to dot", "--to: expected simgrid-xml, found 'dot'"},
      {"starport list extra",
       "starport list: expected no argument without a dash, found more arguments (starport list "
       "--help)"},
  };
  for (const auto& [command, message] : calls) {
    const auto outcome = shell(command);
    EXPECT_EQ(outcome.status, 2) << command;
    EXPECT_EQ(outcome.out, "") << command;
    EXPECT_EQ(outcome.err, "starport: " + message + "\n") << command;
  }
  // A trace that would not fit in memory is refused before the start.
  const auto huge = shell("starport run " + tiny.path() + " --problem 100000x100000x100000");
  EXPECT_EQ(huge.status, 2);
  EXPECT_EQ(huge.err.substr(0, 57), "starport: --problem: expected a trace that fits in memory")
      << huge.err;
  EXPECT_NE(huge.err.find("at least 1e+15 transfers"), std::string::npos) << huge.err;
}

}  // namespace
}  // namespace starport
