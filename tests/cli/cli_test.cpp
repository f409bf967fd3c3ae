// The program as a person runs it: outputs, messages, exit statuses.
#include "heuristics/star/registry.hpp"
#include "sim/files/input_file.hpp"
#include "sim/files/json.hpp"
#include "tests/paths.hpp"
#include "tests/star/star_support.hpp"
#include "tests/support.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <tuple>

namespace starport {
namespace {

using test::shell;
using test::TemporaryFile;

constexpr const char* kTwoWorkers =
    R"({"schema_version": 1, "name": "two", "block_size": 1, "workers": [
        {"c_s": 1, "w_s": 2, "m_blocks": 12}, {"c_s": 2, "w_s": 3, "m_blocks": 21}]})";

TEST(Cli, RunPrintsATable) {
  const TemporaryFile platform(kTwoWorkers);
  const auto outcome =
      shell("starport run " + platform.path() + " --problem 4x3x6 --engine analytic");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_NE(outcome.out.find("two: 2 workers, blocks of 1 x 1"), std::string::npos);
  EXPECT_NE(outcome.out.find("P1      1 s  2 s   12     2"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("Het: best of its variants: ratio=global,look_ahead=no,count_c=no"),
            std::string::npos);
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
  const auto json = test::json_of(outcome.out);
  EXPECT_EQ(json.at("schema_version"), 2);
  EXPECT_EQ(json.at("engine"), "simgrid");
  EXPECT_EQ(json.at("problem"), (nlohmann::json{{"r", 4}, {"s", 6}, {"t", 3}, {"block_size", 1}}));
  EXPECT_EQ(json.at("platform").at("workers").at(1).at("m_blocks"), 21);
  EXPECT_NEAR(json.at("bounds").at("steady_state_updates_per_s").get<double>(), 0.833333, 1e-6);
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
  const double bound_s = json.at("bounds").at("any_schedule_bound_s");
  EXPECT_GE(polaris.at("makespan_s"), bound_s);
  const double stationary_s = json.at("bounds").at("c_stationary_bound_s");
  EXPECT_EQ(het.at("c_stationary"), stationary_s > bound_s);
  EXPECT_EQ(het.at("times_bound"), 198.0 / bound_s);
  EXPECT_EQ(het.at("times_tightest_bound"), 198.0 / std::max(bound_s, stationary_s));
  EXPECT_EQ(het.at("details").at("selection"), "ratio=global,look_ahead=no,count_c=no");
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
            "platform,r,s,t,block_size,engine,heuristic,status,error,cause,makespan_s,decision_s,"
            "simulation_s,enrolled_workers,blocks_moved,block_updates,ccr,port_utilisation,"
            "send_utilisation,receive_utilisation,"
            "relative_cost,relative_work,bound_ratio,steady_state_bound_s,c_stationary_bound_s,"
            "c_stationary,times_tightest_bound,times_bound,any_schedule_bound_s,"
            "split_k_bound_s,details\r");
  EXPECT_EQ(oddoml.substr(0, 36), "two,4,6,3,1,simgrid,ODDOML,ok,,,198,");
  EXPECT_EQ(holm,
            "two,4,6,3,1,simgrid,HoLM,not applicable,the workers are not all "
            "alike,,,,,,,,,,,,,,,,,,,,,,\r");
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

// Divisions, allocations of tiles and bounds of the program itself have the limit too.
TEST(Cli, PlanningHasATimeLimit) {
  for (const auto& [run, name, model] :
       {std::tuple("platforms/grid5000-90.json --problem 75008", "FPM", "spmd"),
        {"platforms/sirocco.json --problem 15360", "Static", "tiles"}}) {
    const auto late = shell(fmt::format(
        "starport run {} --engine analytic --heuristics {} --time-limit 1e-9", run, name));
    EXPECT_EQ(late.status, 1);
    EXPECT_NE(late.out.find(fmt::format("{}: error: timed out after 1e-09 s", name)),
              std::string::npos)
        << late.out;
    EXPECT_NE(late.err.find(fmt::format("The bounds of the model {} cannot be computed: timed out "
                                        "after 1e-09 s. Their columns stay empty",
                                        model)),
              std::string::npos)
        << late.err;
  }
}

// A schedule of single precision runs on a platform file that names no type, with blocks half as
// large.
TEST(Cli, ReplayUsesTheElementTypeOfTheSchedule) {
  const TemporaryFile schedule("");
  const auto planned = shell(
      "starport plan platforms/first-try.json --problem 800 --heuristics Het "
      "--element-type float32 -o " +
      schedule.path());
  EXPECT_EQ(planned.status, 0) << planned.err;
  const auto replayed = shell("starport replay platforms/first-try.json " + schedule.path());
  EXPECT_EQ(replayed.status, 0) << replayed.err;
  EXPECT_NE(replayed.out.find("; here the same"), std::string::npos) << replayed.out;
}

TEST(Cli, ReplayWritesTheTraceOfRun) {
  const test::TemporaryDirectory folder;
  const std::string schedule = (folder.path() / "schedule.json").string();
  const std::string trace = (folder.path() / "trace.csv").string();
  const std::string of_run = (folder.path() / "run.csv").string();
  const std::string of = " platforms/first-try.json --problem 800 --heuristics Het";
  EXPECT_EQ(shell("starport plan" + of + " -o " + schedule).status, 0);
  EXPECT_EQ(shell("starport run" + of + " --engine analytic --trace " + of_run).status, 0);
  for (const char* engine : {"simgrid", "analytic"}) {
    const auto replayed = shell("starport replay platforms/first-try.json " + schedule +
                                " --engine " + engine + " --trace " + trace);
    EXPECT_EQ(replayed.status, 0) << replayed.err;
    const auto same = shell("starport compare-runs " + of_run + " " + trace);
    EXPECT_EQ(same.status, 0) << same.out << same.err;
    EXPECT_NE(same.out.find("the same"), std::string::npos) << same.out;
  }
}

TEST(Cli, ReplayComparesWithTheSameBoundOnBothEngines) {
  const TemporaryFile platform(R"({"schema_version": 1, "name": "one", "block_size": 10,
      "workers": [{"c_s": 0.1, "w_s": 0.01, "m_blocks": 12}]})");
  const TemporaryFile schedule("");
  const auto planned = shell("starport plan " + platform.path() +
                             " --problem 100x100x20 --heuristics Het -o " + schedule.path());
  EXPECT_EQ(planned.status, 0) << planned.err;
  for (const char* engine : {"simgrid", "analytic"}) {
    const auto replayed = shell("starport replay " + platform.path() + " " + schedule.path() +
                                " --json --engine " + engine);
    const auto result = test::json_of(replayed.out).at("results").at(0);
    EXPECT_EQ(result.at("c_stationary"), true) << engine;
    EXPECT_LT(result.at("times_tightest_bound"), 1.3) << engine;
  }
}

TEST(Cli, PlanValidateReplay) {
  const TemporaryFile platform(kTwoWorkers);
  const TemporaryFile schedule("");
  const auto planned = shell("starport plan " + platform.path() +
                             " --problem 4x3x6 --heuristics ODDOML -o " + schedule.path());
  EXPECT_EQ(planned.status, 0) << planned.err;
  EXPECT_NE(planned.out.find("makespan 198 s, 2 of 2 workers"), std::string::npos) << planned.out;

  const auto valid = shell("starport validate " + schedule.path());
  EXPECT_EQ(valid.status, 0) << valid.err;
  EXPECT_NE(valid.out.find("a valid schedule"), std::string::npos);

  const auto same = shell("starport replay " + platform.path() + " " + schedule.path());
  EXPECT_EQ(same.status, 0) << same.err;
  EXPECT_NE(same.out.find("planned for two in 198 s; here the same"), std::string::npos)
      << same.out;

  // The link of worker 2 half as fast.
  std::string slower = kTwoWorkers;
  slower.replace(slower.find("\"c_s\": 2"), 8, "\"c_s\": 4");
  const TemporaryFile other(slower);
  const auto json = shell("starport replay " + other.path() + " " + schedule.path() + " --json");
  EXPECT_EQ(json.status, 0) << json.err;
  const auto result = test::json_of(json.out).at("results").at(0);
  EXPECT_EQ(result.at("heuristic"), "ODDOML");
  EXPECT_GT(result.at("makespan_s"), 198.0);

  // Less memory on worker 1: the schedule is refused there.
  std::string smaller = kTwoWorkers;
  smaller.replace(smaller.find("\"m_blocks\": 12"), 14, "\"m_blocks\": 11");
  const TemporaryFile small(smaller);
  const auto refused = shell("starport replay " + small.path() + " " + schedule.path());
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("worker 1 "), std::string::npos) << refused.err;

  // Fewer workers than the schedule needs.
  const TemporaryFile one(
      R"({"schema_version": 1, "name": "one", "block_size": 1,
          "workers": [{"c_s": 1, "w_s": 2, "m_blocks": 12}]})");
  const auto missing = shell("starport replay " + one.path() + " " + schedule.path());
  EXPECT_EQ(missing.status, 2);
  EXPECT_NE(missing.err.find("worker 2 "), std::string::npos) << missing.err;
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
  EXPECT_EQ(test::json_of(json.out).at("bandwidth_centric_order"), (nlohmann::json{1, 2}));
}

// One product of one block: 3 blocks go to the worker at c = 1, one comes back, the update takes 2
// s behind the last arrival: 6 s for any schedule.
TEST(Cli, BoundShowsWhatHoldsOnThreeBlocks) {
  const TemporaryFile platform(
      R"({"schema_version": 1, "name": "three", "block_size": 1,
          "workers": [{"c_s": 1, "w_s": 2, "m_blocks": 3}]})");
  const std::string bound = "starport bound " + platform.path() + " --problem 1x1x1";
  const auto text = shell(bound);
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_NE(text.out.find("Steady state: none; its chunks, of side 1 at least, take 5 blocks of "
                          "memory\n"),
            std::string::npos)
      << text.out;
  EXPECT_EQ(text.out.find("rho"), std::string::npos);
  const auto json = test::json_of(shell(bound + " --json").out);
  EXPECT_FALSE(json.contains("steady_state_updates_per_s"));
  EXPECT_FALSE(json.at("bounds").contains("steady_state_bound_s"));
  EXPECT_NEAR(json.at("bounds").at("any_schedule_bound_s"), 5, 1e-2);
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
          "workers": [{"name": "<\"R&D\">", "c_s": 1, "w_s": 2, "m_blocks": 12, "count": 2}]})");
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
  EXPECT_NE(text.str().find("<prop id=\"name\" value=\"&#60;&#34;R&#38;D&#34;>-2\"/>"),
            std::string::npos)
      << text.str();
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
  const std::string run =
      "starport run " + platform.path() + " --problem 4x3x6 --engine analytic --trace ";
  EXPECT_EQ(shell(run + csv.path()).status, 0);
  EXPECT_EQ(shell(run + chrome.path()).status, 0);
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

// A BLAS starts its threads when it is loaded, with memory for each, whatever the command. SimGrid
// takes ten times as long to load as all the rest.
TEST(Cli, NoCommandLoadsABlasOrSimgrid) {
  const auto loaded = shell("ldd " STARPORT_PROGRAM);
  EXPECT_EQ(loaded.status, 0);
  for (const char* library : {"openblas", "libblas", "lapack", "blis"}) {
    EXPECT_EQ(loaded.out.find(library), std::string::npos) << library;
  }
#ifndef __SANITIZE_ADDRESS__
  EXPECT_EQ(loaded.out.find("simgrid"), std::string::npos);
  const auto outcome =
      shell("(ulimit -v 600000; OPENBLAS_NUM_THREADS=64 timeout 60 " STARPORT_PROGRAM " list)");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
#endif
}

// Input files and read-only files are never overwritten, under any name.
TEST(Cli, OutputDoesNotReplaceInput) {
  const test::TemporaryDirectory work;
  const auto path = [&](const char* name) { return (work.path() / name).string(); };
  std::filesystem::copy_file(STARPORT_SOURCE_DIR "/platforms/first-try.json", path("P.json"));
  std::filesystem::create_symlink("P.json", path("link.json"));
  std::ofstream(path("claims.md")) << R"({"schema_version": 1, "title": "t", "claims": [)"
                                   << R"({"source": "s", "statement": "s", "expect": )"
                                   << R"({"at_least": 1}, "sql": "SELECT 1"}]})";
  const std::string simulate = path("P.json") + " --problem 800x800x800 --engine analytic ";
  const std::string run = "run " + simulate + "--heuristics ODDOML ";
  ASSERT_EQ(shell("starport " + run + "--trace " + path("R.csv")).status, 0);
  std::ofstream(path("results.csv")) << shell("starport " + run + "--csv").out;
  for (const std::string& command :
       {run + "--trace " + path("P.json"), "plan " + simulate + "-o " + path("link.json"),
        "convert " + path("P.json") + " --to simgrid-xml -o " + path("P.json"),
        "check " + path("results.csv") + " --claims " + path("claims.md") + " -o " +
            path("claims.md"),
        "plot " + path("R.csv") + " --figure gantt -o " + path("R.csv")}) {
    std::map<std::string, std::string> before;
    for (const char* name : {"P.json", "R.csv", "claims.md"}) {
      before[name] = read_file(path(name));
    }
    const auto outcome = shell("starport " + command);
    EXPECT_EQ(outcome.status, 2) << command;
    EXPECT_NE(outcome.err.find("that are read"), std::string::npos) << command << outcome.err;
    for (const auto& [name, text] : before) EXPECT_EQ(read_file(path(name.c_str())), text);
  }
  const auto refused = shell("starport plan " + simulate + "-o " + path("P.json"));
  EXPECT_TRUE(refused.err.starts_with("starport: " + path("P.json") + ": --output: "))
      << refused.err;

  std::filesystem::permissions(path("R.csv"), std::filesystem::perms::owner_read);
  const auto read_only = shell("starport " + run + "--trace " + path("R.csv"));
  EXPECT_EQ(read_only.status, 2);
  EXPECT_NE(read_only.err.find("Permission denied"), std::string::npos) << read_only.err;

  // A link that leads to nothing yet: the file at its end is made, the link stays.
  std::filesystem::create_symlink("new.json", path("dangling.json"));
  EXPECT_EQ(shell("starport plan " + simulate + "-o " + path("dangling.json")).status, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(path("dangling.json")));
  EXPECT_EQ(shell("starport validate " + path("new.json")).status, 0);
}

}  // namespace
}  // namespace starport
