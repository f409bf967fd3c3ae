// Sweeps as they are run: the same bytes however they are run, whatever interrupts them.
#include "sim/model/json_node.hpp"
#include "sim/sweep/process_pool.hpp"
#include "sim/sweep/result_directory.hpp"
#include "tests/support.hpp"

#include <gtest/gtest.h>
#include <sys/mount.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>

namespace starport {
namespace {

namespace fs = std::filesystem;
using test::shell;
using test::TemporaryDirectory;
using test::TemporaryFile;

// Twelve instances, three heuristics; on the smallest memory BMM has no room for its three squares.
constexpr const char* kSweep = R"({"schema_version": 1, "name": "small", "seed": 3,
  "heuristics": ["ODDOML", "BMM", "HoLM"],
  "experiments": [
    {"name": "drawn", "repetitions": 3, "problems": ["40x40x80", "80x40x80"],
     "platforms": [{"generate": {"name": "random, \"quoted\"", "workers": 3, "speed": "1Mf",
       "bandwidth": {"log_uniform": ["1MBps", "4MBps"]}, "memory": {"uniform": ["20kB", "80kB"]}}}],
     "block_sizes": [10]},
    {"name": "memory", "problems": ["40x40x80"], "block_sizes": [10],
     "platforms": [{"platform": {"schema_version": 1, "name": "one", "workers": [
        {"bandwidth": "1MBps", "speed": "1Mf", "memory": "1MB"}]}}],
     "overrides": [{"field": "memory", "set": ["1kB", "5kB", "10kB", "20kB", "40kB", "80kB"]}]}]})";

std::string content(const fs::path& path) { return read_file(path.string()); }

/// The directory of a sweep that ran alone and to its end.
class Sweep : public testing::Test {
 protected:
  explicit Sweep(const std::string& specification = kSweep) : specification_(specification) {}

  std::string sweep(const std::string& directory, const std::string& options = "") const {
    return "starport sweep " + specification_.path() + " -o " + dir(directory) + " " + options;
  }
  std::string dir(const std::string& name) const { return (work_.path() / name).string(); }
  /// A complete run; some of its rows are failures.
  void run_whole() const {
    const auto outcome = shell(sweep("whole", "-j 1"));
    ASSERT_EQ(outcome.status, 1) << outcome.err;
  }
  void expect_like_whole(const std::string& directory) const {
    for (const char* name : {"results.csv", "specification.json"}) {
      EXPECT_EQ(content(fs::path(dir(directory)) / name), content(fs::path(dir("whole")) / name));
    }
  }
  /// A copy of the whole that says it is unfinished, with the first `size` bytes of its rows.
  std::string unfinished(const std::string& name, std::size_t size) const {
    fs::copy(dir("whole"), dir(name));
    fs::resize_file(fs::path(dir(name)) / "results.csv", size);
    const fs::path info = fs::path(dir(name)) / "run_info.json";
    auto json = nlohmann::ordered_json::parse(content(info));
    json["complete"] = false;
    std::ofstream(info) << json.dump();
    return dir(name);
  }

  TemporaryFile specification_;
  TemporaryDirectory work_;
};

TEST_F(Sweep, WritesTidyRowsAndWhatMadeThem) {
  const auto outcome = shell(sweep("whole", "-j 2"));
  EXPECT_EQ(outcome.status, 1);  // rows failed: BMM, on the smallest memory
  EXPECT_EQ(outcome.err, "");
  EXPECT_NE(outcome.out.find("small: 12 instances, 36 rows"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("3 platforms drawn, blocks of 10 x 10:"), std::string::npos);

  const std::string rows = content(work_.path() / "whole/results.csv");
  EXPECT_EQ(
      rows.substr(0, rows.find("\r\n")),
      "instance,experiment,platform,problem,block_size,repetition,seed,memory_bytes,workers,r,"
      "s,t,engine,heuristic,status,error,makespan_s,enrolled_workers,blocks_moved,"
      "block_updates,ccr,port_utilisation,send_utilisation,receive_utilisation,"
      "relative_cost,relative_work,bound_ratio,"
      "bound_makespan_s,details");
  EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), 1 + 36);
  EXPECT_NE(rows.find("\r\n1,drawn,\"random, \"\"quoted\"\"\",40x40x80,10,1,"), std::string::npos);
  // 1 kB is one block of 10 x 10 doubles: too small for any of the three.
  EXPECT_NE(rows.find("\r\n7,memory,one,40x40x80,10,1,,1000,1,4,8,4,simgrid,BMM,error,"),
            std::string::npos)
      << rows;
  EXPECT_NE(rows.find("HoLM,not applicable,the workers are not all alike,"), std::string::npos);

  const auto info = nlohmann::json::parse(content(work_.path() / "whole/run_info.json"));
  EXPECT_EQ(info.at("complete"), true);
  EXPECT_EQ(info.at("instances"), 12);
  EXPECT_EQ(info.at("inputs").at(0).at("path"), specification_.path());
  EXPECT_EQ(info.at("inputs").at(0).at("sha256").get<std::string>().size(), 64U);
  EXPECT_EQ(info.at("runs").at(0).at("command").at(1), "sweep");
  EXPECT_GT(info.at("runs").at(0).at("duration_s"), 0);
  const std::string timings = content(work_.path() / "whole/timings.csv");
  EXPECT_EQ(std::count(timings.begin(), timings.end(), '\n'), 1 + 36);
}

TEST_F(Sweep, TheSameBytesOnAnyNumberOfProcesses) {
  run_whole();
  for (const char* jobs : {"2", "8"}) {
    EXPECT_EQ(shell(sweep(jobs, std::string("-j ") + jobs)).status, 1);
    expect_like_whole(jobs);
  }
}

TEST_F(Sweep, ShardsRunByGnuParallelMergeToTheSameBytes) {
  run_whole();
  const auto outcome =
      shell("parallel -j 3 '" STARPORT_PROGRAM " sweep " + specification_.path() +
            " --shard {}/5 -o " + dir("shard-{}") + " -j 1' ::: 1 2 3 4 5; starport merge " +
            dir("shard-") + "{3,1,5,2,4} -o " + dir("merged"));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  expect_like_whole("merged");
  EXPECT_EQ(
      nlohmann::json::parse(content(work_.path() / "merged/run_info.json")).at("shards").size(),
      5U);

  const auto refused = [&](const std::string& shards) {
    return shell("starport merge " + shards + " -o " + dir("other"));
  };
  const auto missing = refused(dir("shard-1") + " " + dir("shard-4"));
  EXPECT_EQ(missing.status, 2);
  EXPECT_EQ(missing.err,
            "starport: starport merge: expected all 5 shards, found none of number 2, 3, 5\n");
  EXPECT_NE(refused(dir("shard-1") + " " + dir("shard-1")).err.find("expected each shard once"),
            std::string::npos);
  EXPECT_NE(refused(dir("shard-1") + " " + dir("whole")).err.find("expected one of 5 shards"),
            std::string::npos);
  EXPECT_FALSE(fs::exists(dir("other")));
  shell("sed -i s/small/large/ " + dir("shard-{1,2,3,4,5}/specification.json"));
  EXPECT_NE(refused(dir("shard-{1,2,3,4,5}")).err.find("specification.json has been changed since"),
            std::string::npos);
  shell("sed -i s/large/small/ " + dir("shard-{1,2,3,4,5}/specification.json"));
  shell("sed -i s/ok,,/ok,x,/ " + dir("shard-3/results.csv"));
  EXPECT_NE(refused(dir("shard-{1,2,3,4,5}")).err.find("results.csv has been changed since"),
            std::string::npos);
}

// Whatever the byte at which a killed sweep's rows end, resuming it completes them to the same.
TEST_F(Sweep, ResumesFromAnyByte) {
  run_whole();
  const std::string rows = content(work_.path() / "whole/results.csv");
  std::set<std::size_t> sizes{0, 1, rows.size() - 1, rows.size()};
  for (std::size_t size = 30; size < rows.size(); size += 397) sizes.insert(size);
  for (const std::size_t size : sizes) {
    const std::string name = "cut-" + std::to_string(size);
    unfinished(name, size);
    EXPECT_EQ(shell(sweep(name, "--resume")).status, 1) << size;  // rows failed, then or now
    expect_like_whole(name);
  }
  EXPECT_EQ(shell(sweep("whole", "--resume")).status, 1);
}

// On three blocks DDOML runs, though the steady-state bound, whose layout takes five, does not
// exist.
TEST_F(Sweep, ResumesWhereThereIsNoBound) {
  const TemporaryFile specification(
      R"({"schema_version": 1, "name": "x", "heuristics": ["DDOML"], "experiments": [{"name": "e",
          "problems": ["20x20x20"], "repetitions": 2, "platforms": [{"platform": {
          "schema_version": 1, "name": "p", "block_size": 10,
          "workers": [{"c_s": 1, "w_s": 1, "m_blocks": 3}]}}]}]})");
  const std::string command = "starport sweep " + specification.path() + " -o " + dir("small");
  ASSERT_EQ(shell(command).status, 0);
  const std::string rows = content(dir("small") + "/results.csv");
  EXPECT_EQ(rows.find("inf"), std::string::npos) << rows;
  EXPECT_EQ(rows.find(",,,\r\n"), rows.find("\r\n2,e") - 3) << rows;
  const std::string info = dir("small") + "/run_info.json";
  shell("sed -i s/true/false/ " + info);
  const auto again = shell(command + " --resume");
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(content(dir("small") + "/results.csv"), rows);
}

/// kSweep with more instances, so that it lasts.
std::string longer(const std::string& repetitions) {
  std::string text = kSweep;
  return text.replace(text.find("\"repetitions\": 3"), 16, "\"repetitions\": " + repetitions);
}

class LongSweep : public Sweep {
 protected:
  LongSweep() : Sweep(longer("60")) {}
};

// A batch system sends its SIGTERM to every process of a job: none of them makes rows of it.
TEST_F(LongSweep, ASignalToAllProcessesFailsNoRow) {
  run_whole();
  for (int i = 1; i <= 12; ++i) {
    shell("set -m; " STARPORT_PROGRAM " sweep " + specification_.path() + " -o " + dir("stopped") +
          " --resume -j 4 >/dev/null & pid=$!; until [ $(cat " + dir("stopped") +
          "/results.csv 2>/dev/null | wc -l) -gt " + std::to_string(20 * i) +
          " ]; do :; done; kill -TERM -- -$pid; wait $pid");
  }
  EXPECT_NE(shell(sweep("stopped", "--resume")).status, 2);
  expect_like_whole("stopped");
}

// kill -9 while it writes, over and over, until it gets through.
TEST_F(LongSweep, SurvivesKills) {
  run_whole();
  const auto outcome =
      shell("set +m; mkdir -p " + dir("killed") + "; for i in $(seq 1 200); do " +
            STARPORT_PROGRAM + " sweep " + specification_.path() + " -o " + dir("killed") +
            " --resume -j 3 >/dev/null & pid=$!; "
            "lines=$(cat " +
            dir("killed") +
            "/results.csv 2>/dev/null | wc -l); "
            // Until rows have come, or it has ended.
            "while kill -0 $pid 2>/dev/null && [ $(cat " +
            dir("killed") +
            "/results.csv 2>/dev/null | wc -l) -le $((lines + 3 * i % 40)) ]; do :; done; "
            "kill -9 $pid 2>/dev/null; wait $pid 2>/dev/null; "
            "grep -qs '\"complete\": true' " +
            dir("killed") +
            "/run_info.json && break; done; "
            "grep -c '\"jobs\": 3' " +
            dir("killed") + "/run_info.json");
  expect_like_whole("killed");
  EXPECT_GT(std::stoi(outcome.out), 1) << outcome.err;  // it did not get through at once
}

TEST_F(Sweep, StopsOnSignalsAndSaysHowToGoOn) {
  run_whole();
  // Stopped before its end: an endless supply of instances.
  const TemporaryFile specification(longer("100000"));
  for (const auto& [signal, status] : {std::pair("INT", 130), std::pair("TERM", 143)}) {
    const std::string path = dir(signal);
    const auto outcome =
        shell("set -m; " STARPORT_PROGRAM " sweep " + specification.path() + " -o " + path +
              " -j 2 >/dev/null & pid=$!; "
              "until [ $(cat " +
              path +
              "/results.csv 2>/dev/null | wc -l) -gt 9 ]; do :; done; "
              "kill -" +
              signal + " $pid; wait $pid");
    EXPECT_EQ(outcome.status, status) << outcome.err;
    EXPECT_NE(outcome.err.find("of 200006 instances; to go on: starport sweep "), std::string::npos)
        << outcome.err;
    EXPECT_NE(outcome.err.find(" --resume\n"), std::string::npos);
    EXPECT_GT(
        nlohmann::json::parse(content(path + "/run_info.json")).at("runs").at(0).at("duration_s"),
        0);
  }
}

TEST_F(Sweep, SaysHowToGoOnAsAShellTakesIt) {
  const TemporaryFile specification(longer("100000"));
  const std::string path = "\"" + dir("it") + "'s \\$HOME\"";
  const auto outcome =
      shell("set -m; " STARPORT_PROGRAM " sweep " + specification.path() + " -o " + path +
            " -j 2 >/dev/null & pid=$!; until [ $(cat " + path +
            "/results.csv 2>/dev/null | wc -l) -gt 9 ]; do :; done; kill -INT $pid; wait $pid");
  EXPECT_NE(outcome.err.find(" -o '" + dir("it") + "'\\''s $HOME' -j 2 --resume\n"),
            std::string::npos)
      << outcome.err;
}

// A full log is no reason to stop, nor to end otherwise.
TEST_F(Sweep, StderrThatIsFullChangesNothing) {
  const TemporaryFile specification(longer("100000"));
  const std::string path = dir("log");
  const auto outcome = shell("set -m; " STARPORT_PROGRAM " sweep " + specification.path() + " -o " +
                             path + " -j 2 >/dev/null 2>/dev/full & pid=$!; until [ $(cat " + path +
                             "/results.csv 2>/dev/null | wc -l) -gt 9 ]; do :; done; "
                             "kill -INT $pid; wait $pid");
  EXPECT_EQ(outcome.status, 130);
}

TEST_F(Sweep, NothingStartsWhenADrawnPlatformIsOutOfRange) {
  const TemporaryFile specification(
      R"({"schema_version": 1, "name": "x", "experiments": [{"name": "e", "problems": ["8x8x8"],
          "platforms": [{"generate": {"name": "g", "workers": 1, "bandwidth": "1MBps",
          "speed": "1Mf", "memory": "1e300B"}}]}]})");
  const auto outcome = shell("starport sweep " + specification.path() + " -o " + dir("none"));
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("expected at most 1000000000000 blocks"), std::string::npos);
  EXPECT_FALSE(fs::exists(dir("none")));
}

// Timings that were cut within their header do not spoil the end of the sweep.
TEST_F(Sweep, ResumesFromTimingsCutAnywhere) {
  run_whole();
  const std::string header(ResultRows::timings_header());
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{5}, header.size(), header.size() + 9}) {
    const std::string name = "timings-" + std::to_string(size);
    fs::resize_file(fs::path(unfinished(name, 1000)) / "timings.csv", size);
    EXPECT_NE(shell(sweep(name, "--resume")).status, 2) << size;
    expect_like_whole(name);
    EXPECT_TRUE(content(dir(name) + "/timings.csv").starts_with(header));
  }
}

TEST_F(Sweep, RefusesDirectoriesThatAreNotItsOwn) {
  run_whole();
  const auto refused = [&](const std::string& command, const std::string& message) {
    const auto outcome = shell(command);
    EXPECT_EQ(outcome.status, 2) << command;
    EXPECT_EQ(outcome.err, "starport: " + message + "\n");
  };
  const std::string whole = content(work_.path() / "whole/results.csv");
  refused(sweep("whole"), dir("whole") +
                              ": expected an empty directory, found files in it "
                              "(--resume goes on with an unfinished sweep)");
  refused("starport sweep experiments/ipdps07/sweep.json --resume -o " + dir("whole"),
          dir("whole") +
              ": expected results of this specification, found those of another (choose "
              "another directory)");
  refused(
      sweep("whole", "--resume --shard 1/2"),
      dir("whole/run_info.json") +
          R"(: expected shard {"index":1,"count":2}, found {"index":1,"count":1} (choose another directory))");
  fs::create_directory(dir("foreign"));
  std::ofstream(dir("foreign/thesis.tex")) << "years of work";
  refused(sweep("foreign", "--resume"),
          dir("foreign") +
              ": expected a directory that starport sweep made, found one without "
              "run_info.json (choose another directory)");
  EXPECT_EQ(content(dir("foreign/thesis.tex")), "years of work");

  // A figure that has become a word, in the middle; a row of another sweep; rows that come twice.
  const auto damaged = [&](const std::string& name, const std::string& rows,
                           const std::string& message) {
    const std::string path = unfinished(name, 0) + "/results.csv";
    std::ofstream(path, std::ios::binary) << rows;
    refused(sweep(name, "--resume"), path + ": " + message + " (the directory is damaged)");
    EXPECT_EQ(content(path), rows);
  };
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string rows = whole;
    return rows.replace(rows.find(from), from.size(), to);
  };
  damaged("word", changed(",ok,,", ",ok,,x"),
          "line 2: expected ten figures where the status is ok, found something else");
  damaged(
      "label", changed("\n2,drawn", "\n2,drown"),
      "line 5: expected the row of instance 2,drawn,\"random, \"\"quoted\"\"\",80x40x80,10,1," +
          [&] {
            const std::size_t at = whole.find("80x40x80,10,1,") + 14;
            return whole.substr(at, whole.find(",ODDOML", at) - at - 7);
          }() +
          ", found something else");
  // The rows that follow are instance 3's too, but for the first heuristic's.
  damaged("number", changed("\n3,drawn", "\n99,drawn"),
          "line 9: expected the row of ODDOML, found something else");

  fs::copy(dir("whole"), dir("edited"));
  std::string figure = whole;
  char& digit = figure[figure.find(",ok,,") + 5];
  digit = digit == '9' ? '8' : '9';
  std::ofstream(dir("edited/results.csv"), std::ios::binary) << figure;
  refused(sweep("edited", "--resume"),
          dir("edited") +
              ": expected the results that run_info.json describes, found others (the "
              "directory is damaged)");
}

// A directory is free once the processes of a sweep that was killed have died.
TEST_F(Sweep, WaitsForADirectoryToBecomeFree) {
  const auto outcome = shell("mkdir " + dir("free") + "; flock " + dir("free") + " sleep 0.4 & " +
                             "sleep 0.1; " + sweep("free"));
  EXPECT_EQ(outcome.status, 1) << outcome.err;
}

TEST_F(Sweep, OneAtATimeInADirectory) {
  const auto outcome =
      shell("mkdir " + dir("shared") + "; flock " + dir("shared") + " " +
            STARPORT_PROGRAM " sweep " + specification_.path() + " -o " + dir("shared"));
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.err, "starport: " + dir("shared") +
                             ": expected a directory of its own, found another sweep is writing "
                             "there (choose another directory)\n");
}

// A file that may not grow, and, where a test may mount one, a disk that is full: what is there
// stays whole, and can be resumed.
TEST_F(Sweep, AFullDiskLosesNothing) {
  run_whole();
  const auto expect_valid_and_resume = [&](const std::string& directory) {
    const std::string rows = content(dir(directory) + "/results.csv");
    EXPECT_TRUE(rows.ends_with("\r\n"));
    EXPECT_TRUE(content(work_.path() / "whole/results.csv").starts_with(rows));
  };
  const auto limited = shell("ulimit -f 4; " + sweep("limited", "-j 1"));
  EXPECT_EQ(limited.status, 2) << limited.err;
  EXPECT_EQ(limited.err, "starport: " + dir("limited/results.csv") +
                             ": expected a file that can be written, found File too large\n");
  expect_valid_and_resume("limited");
  EXPECT_NE(shell(sweep("limited", "--resume")).status, 2);
  expect_like_whole("limited");

  fs::create_directory(dir("disk"));
  if (::mount("tmpfs", dir("disk").c_str(), "tmpfs", 0, "size=16k") != 0) {
    GTEST_SKIP() << "may not mount a small tmpfs";
  }
  const auto full = shell(sweep("disk/out", "-j 1"));
  EXPECT_EQ(full.status, 2);
  EXPECT_NE(full.err.find(": expected a file that can be written, found No space left on device"),
            std::string::npos)
      << full.err;
  expect_valid_and_resume("disk/out");
  ::umount(dir("disk").c_str());
}

TEST_F(Sweep, ATimeOutIsARow) {
  const TemporaryFile slow(
      R"({"schema_version": 1, "name": "slow", "heuristics": ["ODDOML"], "experiments": [{"name": "e",
          "platforms": [")" STARPORT_SOURCE_DIR R"(/platforms/ppopp08-memory.json"],
          "problems": ["8000x8000x640000"]}]})");
  const auto outcome =
      shell("starport sweep " + slow.path() + " -o " + dir("slow") + " --time-limit 0.001");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(content(dir("slow/results.csv")).find("ODDOML,error,timed out after 0.001 s,"),
            std::string::npos);
}

TEST_F(Sweep, ListsItsInstances) {
  const auto list = shell("starport sweep " + specification_.path() + " --list --shard 2/4");
  EXPECT_EQ(list.status, 0);
  EXPECT_NE(list.out.find("shard 2/4 has 3 instances"), std::string::npos) << list.out;
  EXPECT_NE(list.out.find("\n10 "), std::string::npos);
  EXPECT_EQ(list.out.find("\n11 "), std::string::npos);
  EXPECT_EQ(shell("starport sweep " + specification_.path() + " --shard 1/13").err,
            "starport: --shard: expected at most 12 shards, an instance each, found '1/13'\n");
  for (const char* bad : {"0/2", "3/2", "1", "1/x", "1/2/3", "-1/2"}) {
    EXPECT_EQ(shell("starport sweep x.json -o y --shard " + std::string(bad)).status, 2) << bad;
  }
}

// The process that does piece 2 kills itself; the others, later ones included, are done.
TEST(ProcessPool, ADeadProcessLosesItsPieceAlone) {
  std::set<std::int64_t> finished;
  std::set<std::int64_t> lost;
  PoolWork work;
  work.run = [](std::int64_t k) {
    if (k == 2) std::raise(SIGKILL);
    return std::to_string(k * k);
  };
  work.finished = [&](std::int64_t k, std::string_view outcome) {
    EXPECT_EQ(outcome, std::to_string(k * k));
    EXPECT_TRUE(finished.insert(k).second);
  };
  work.lost = [&](std::int64_t k, const std::string& why) {
    EXPECT_EQ(why, "Killed");
    lost.insert(k);
  };
  work.go_on = [] { return true; };
  EXPECT_TRUE(run_in_processes(20, 3, work));
  EXPECT_EQ(finished.size(), 19U);
  EXPECT_EQ(lost, std::set<std::int64_t>{2});
}

}  // namespace
}  // namespace starport
