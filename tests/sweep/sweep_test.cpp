// Sweeps give the same bytes on any number of processes, in shards, and when resumed.
#include "sim/process/isolation.hpp"
#include "sim/sweep/result_directory.hpp"
#include "tests/paths.hpp"
#include "tests/support.hpp"
#include "tests/sweep/sweep_fixture.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>

namespace starport {
namespace {

namespace fs = std::filesystem;
using test::content;
using test::shell;
using test::Sweep;
using test::TemporaryFile;

// Only temporary files of its own are removed.
TEST_F(Sweep, KeepsTheFilesOfItsUser) {
  const fs::path folder = work_.path() / "kept";
  EXPECT_EQ(shell(sweep("kept")).status, 1);
  for (const char* name :
       {"results.csv.backup", "run_info.json.before", ".results.csv.starport-q8Zk1a"}) {
    std::ofstream(folder / name) << "x";
  }
  fs::create_directories(folder / ".timings.csv.starport-Own1dr/sub");
  fs::create_symlink("results.csv", folder / ".results.csv.starport-Own2ln");
  EXPECT_EQ(shell(sweep("kept")).status, 2);  // the directory is not empty
  shell(sweep("kept", "--resume"));
  EXPECT_TRUE(fs::exists(folder / "results.csv.backup"));
  EXPECT_TRUE(fs::exists(folder / "run_info.json.before"));
  EXPECT_TRUE(fs::exists(folder / ".timings.csv.starport-Own1dr/sub"));
  EXPECT_TRUE(fs::is_symlink(folder / ".results.csv.starport-Own2ln"));
  EXPECT_FALSE(fs::exists(folder / ".results.csv.starport-q8Zk1a"));
}

TEST_F(Sweep, WritesTidyRowsAndWhatMadeThem) {
  engine_.clear();  // SimGrid
  const auto outcome = shell(sweep("whole", "-j 2"));
  EXPECT_EQ(outcome.status, 1);  // rows failed: BMM, on the smallest memory
  EXPECT_EQ(outcome.err, "");
  EXPECT_NE(outcome.out.find("small: 12 instances, 36 rows"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("3 platforms drawn, blocks of 10 x 10:"), std::string::npos);

  const std::string rows = content(work_.path() / "whole/results.csv");
  EXPECT_EQ(
      rows.substr(0, rows.find("\r\n")),
      "instance,experiment,platform,problem,block_size,repetition,seed,memory_bytes,workers,r,"
      "s,t,engine,heuristic,status,error,cause,makespan_s,enrolled_workers,blocks_moved,"
      "block_updates,ccr,port_utilisation,send_utilisation,receive_utilisation,"
      "relative_cost,relative_work,bound_ratio,"
      "steady_state_bound_s,c_stationary_bound_s,c_stationary,times_tightest_bound,times_bound,any_"
      "schedule_bound_s,split_k_bound_s,"
      "details");
  EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), 1 + 36);
  EXPECT_NE(rows.find("\r\n1,drawn,\"random, \"\"quoted\"\"\",40x40x80,10,1,"), std::string::npos);
  // 1 kB is one block of 10 x 10 doubles: too small for any of the three.
  EXPECT_NE(rows.find("\r\n7,memory,one,40x40x80,10,1,,1000,1,4,8,4,simgrid,BMM,error,"),
            std::string::npos)
      << rows;
  EXPECT_NE(rows.find("HoLM,not applicable,the workers are not all alike,"), std::string::npos);

  const auto info = test::json_of(content(work_.path() / "whole/run_info.json"));
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
  engine_.clear();  // SimGrid: a process for each instance
  run_whole();
  EXPECT_EQ(shell(sweep("eight", "-j 8")).status, 1);
  expect_like_whole("eight");
}

TEST_F(Sweep, ShardsRunByGnuParallelMergeToTheSameBytes) {
  run_whole();
  const auto outcome =
      shell("parallel -j 3 '" + sweep("shard-{}", "--shard {}/5 -j 1") +
            "' ::: 1 2 3 4 5; starport merge " + dir("shard-") + "{3,1,5,2,4} -o " + dir("merged"));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  expect_like_whole("merged");
  EXPECT_EQ(test::json_of(content(work_.path() / "merged/run_info.json")).at("shards").size(), 5U);

  const auto refused = [&](const std::string& shards) {
    return shell("starport merge " + shards + " -o " + dir("other"));
  };
  const auto missing = refused(dir("shard-1") + " " + dir("shard-4"));
  EXPECT_EQ(missing.status, 2);
  EXPECT_EQ(missing.err, "starport merge: expected all 5 shards, found no shard 2, 3, 5\n");
  // The count of shards may be huge.
  const auto many =
      shell("cp -r " + dir("shard-1") + " " + dir("many") +
            " && sed -i \"s/\\\"count\\\": 5/\\\"count\\\": 10000000/\" " + dir("many") +
            "/run_info.json && starport merge " + dir("many") + " -o " + dir("other"));
  EXPECT_TRUE(many.err.ends_with("19, 20, 21 and 9999979 others\n")) << many.err;
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
  shell("sed -i s/ok,x,/ok,,/ " + dir("shard-3/results.csv"));
  shell("sed -i s/,/,1/2 " + dir("shard-3/timings.csv"));
  EXPECT_NE(refused(dir("shard-{1,2,3,4,5}")).err.find("timings.csv has been changed since"),
            std::string::npos);
  EXPECT_FALSE(fs::exists(dir("other")));
}

TEST_F(Sweep, AnInterruptedMergeGoesOn) {
  run_whole();
  std::string merge = "starport merge";
  for (const std::string shard : {"1", "2"}) {
    shell(sweep(shard, "-j 1 --shard " + shard + "/2"));
    merge += " " + dir(shard);
  }
  merge += " -o ";
  for (const std::size_t size : {0, 500}) {
    const std::string directory = "half-" + std::to_string(size);
    const auto outcome = shell(merge + unfinished(directory, size));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    expect_like_whole(directory);
    EXPECT_EQ(shell("starport verify " + dir(directory)).status, 0);
  }
  const auto complete = shell(merge + dir("whole"));
  EXPECT_EQ(complete.status, 2);
  EXPECT_NE(complete.err.find("found complete results"), std::string::npos) << complete.err;
}

TEST_F(Sweep, NothingStartsWhenADrawnPlatformIsOutOfRange) {
  const TemporaryFile specification(
      R"({"schema_version": 1, "name": "x", "experiments": [{"name": "e", "problems": ["8x8x8"],
          "platforms": [{"generate": {"name": "g", "workers": 1, "bandwidth": "1MBps",
          "speed": "1Mf", "memory": "1e90B"}}]}]})");
  const auto outcome = shell("starport sweep " + specification.path() + " -o " + dir("none"));
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("expected at most 1000000000000 blocks"), std::string::npos);
  EXPECT_FALSE(fs::exists(dir("none")));
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
                              "(--resume continues an unfinished sweep)");
  refused("starport sweep experiments/ipdps07/sweep.json --resume -o " + dir("whole"),
          dir("whole") +
              ": expected results of this specification, found results of another one (choose "
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

  // A figure replaced by a word; a row of another sweep; rows with the number of another instance.
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
  damaged("word", changed(",ok,,,", ",ok,,,x"),
          "line 2: expected 18 figures where the status is ok, found something else");
  std::string longer = whole;
  longer.insert(longer.find_first_of("\r\n", longer.find(",ok,")), ",x");
  damaged("longer", longer, "line 2: expected details, then no more, found something else");
  damaged(
      "label", changed("\n2,drawn", "\n2,drown"),
      "line 5: expected the row of instance 2,drawn,\"random, \"\"quoted\"\"\",80x40x80,10,1," +
          [&] {
            const std::size_t at = whole.find("80x40x80,10,1,") + 14;
            return whole.substr(at, whole.find("analytic,ODDOML", at) - at);
          }() +
          ", found something else");
  // The remaining rows are those of instance 3, without the row of the first heuristic.
  damaged("number", changed("\n3,drawn", "\n99,drawn"),
          "line 9: expected the row of ODDOML, found something else");

  fs::copy(dir("whole"), dir("edited"));
  std::string figure = whole;
  char& digit = figure[figure.find(",ok,,,") + 6];
  digit = digit == '9' ? '8' : '9';
  std::ofstream(dir("edited/results.csv"), std::ios::binary) << figure;
  refused(sweep("edited", "--resume"),
          dir("edited/results.csv") +
              ": line 2: expected the rows that were written, found something else (the directory "
              "is damaged)");
  // Complete rows removed.
  fs::copy(dir("whole"), dir("shorter"));
  fs::resize_file(dir("shorter/results.csv"), whole.find("\n12,") + 1);
  refused(sweep("shorter", "--resume"),
          dir("shorter") +
              ": expected the results that run_info.json describes, found different ones (the "
              "directory is damaged)");
}

TEST_F(Sweep, APipeAmongItsFilesIsNotWaitedFor) {
  run_whole();
  int number = 0;
  for (const char* name : {"specification.json", "results.csv", "timings.csv", "run_info.json"}) {
    const std::string directory = dir("pipe-" + std::to_string(++number));
    const fs::path pipe = fs::path(directory) / name;
    fs::copy(dir("whole"), directory);
    fs::remove(pipe);
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    for (const std::string command : {"verify ", "merge -o none ", "report -o none.html "}) {
      const auto outcome = shell("timeout 60 " STARPORT_PROGRAM " " + command + directory);
      EXPECT_EQ(outcome.status, 2) << command << name;
      EXPECT_NE(outcome.err.find("found a pipe"), std::string::npos) << outcome.err;
    }
  }
}

// A sweep waits until the processes of a killed sweep have released the directory.
TEST_F(Sweep, WaitsForADirectoryToBecomeFree) {
  fs::create_directory(dir("free"));
  auto lock = std::make_optional<DirectoryLock>(dir("free"));
  const auto is_lock = [&](const fs::directory_entry& descriptor) {
    std::error_code closed;
    return fs::read_symlink(descriptor, closed) == dir("free/.starport-lock");
  };
  std::jthread release([&](const std::stop_token& stop) {
    // Until the second lock has been tried: two descriptors of this process have the file open.
    while (!stop.stop_requested() &&
           std::ranges::count_if(fs::directory_iterator("/proc/self/fd"), is_lock) < 2) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    lock.reset();
  });
  EXPECT_NO_THROW(DirectoryLock(dir("free")));
  release.request_stop();
  release.join();
  EXPECT_FALSE(fs::exists(dir("free/.starport-lock")));
}

TEST_F(Sweep, OneAtATimeInADirectory) {
  fs::create_directory(dir("shared"));
  const DirectoryLock lock(dir("shared"));
  const auto outcome = shell(sweep("shared"));
  EXPECT_EQ(outcome.status, 2);
  const std::string start =
      "starport: " + dir("shared") +
      ": expected a directory that no other sweep uses, found a sweep that is writing there: "
      "process " +
      std::to_string(::getpid()) + " on ";
  EXPECT_EQ(outcome.err.substr(0, start.size()), start);
  EXPECT_TRUE(outcome.err.ends_with(" (choose another directory)\n")) << outcome.err;
  EXPECT_NE(outcome.err.find(" since 20"), std::string::npos) << outcome.err;  // a date
  // It is a lock on a range of bytes, which file systems of clusters know, unlike flock().
  const FileDescriptor file(::open(dir("shared/.starport-lock").c_str(), O_RDWR | O_CLOEXEC));
  struct flock other {};
  other.l_type = F_WRLCK;
  ASSERT_EQ(::fcntl(file.get(), F_GETLK, &other), 0);
  EXPECT_EQ(other.l_type, F_WRLCK);
}

// A server of NFS gives the lock of a host that it has not heard of for long to another one.
TEST_F(Sweep, EndsWhenAnotherHasTakenItsDirectory) {
  fs::create_directory(dir("taken"));
  const std::string lock = dir("taken/.starport-lock");
  const TemporaryFile other("#!/bin/sh\nprintf 'process 7 on other' >" + lock + "\n");
  fs::permissions(other.path(), fs::perms::owner_all);
  const TemporaryFile specification(
      R"({"schema_version": 1, "name": "x", "heuristics": ["exec:)" + other.path() +
      R"("], "experiments": [{"name": "e", "problems": ["20x20x20"], "platforms": [{"platform": {
          "schema_version": 1, "name": "p", "block_size": 10,
          "workers": [{"c_s": 1, "w_s": 1, "m_blocks": 12}]}}]}]})");
  const auto outcome = shell("starport sweep " + specification.path() + " -o " + dir("taken"));
  EXPECT_EQ(outcome.status, 2) << outcome.out;
  EXPECT_NE(outcome.err.find("a sweep that is writing there: process 7 on other"),
            std::string::npos)
      << outcome.err;
  EXPECT_EQ(content(lock), "process 7 on other");  // it is not removed
  EXPECT_NE(content(dir("taken/run_info.json")).find("\"complete\": false"), std::string::npos);
}

TEST_F(Sweep, ATimeOutIsARow) {
  const TemporaryFile slow(
      R"({"schema_version": 1, "name": "slow", "heuristics": ["ODDOML"], "experiments": [{"name": "e",
          "platforms": [")" STARPORT_SOURCE_DIR R"(/platforms/ppopp08-memory.json"],
          "problems": ["8000x8000x640000"]}]})");
  const auto outcome =
      shell("starport sweep " + slow.path() + " -o " + dir("slow") + " --time-limit 0.001");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(content(dir("slow/results.csv")).find("ODDOML,error,timed out after 0.001 s,time,"),
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

}  // namespace
}  // namespace starport
