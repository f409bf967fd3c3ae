#include "sim/process/process_pool.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace starport {
namespace {

// The process that does piece 2 kills itself; the others, later ones included, are done.
TEST(ProcessPool, ADeadProcessLosesItsPieceAlone) {
  std::set<std::int64_t> finished;
  std::set<std::int64_t> lost;
  PoolTasks work;
  work.run = [](std::int64_t k) {
    if (k == 2) std::raise(SIGKILL);
    return std::to_string(k * k);
  };
  work.on_finished = [&](std::int64_t k, std::string_view outcome) {
    EXPECT_EQ(outcome, std::to_string(k * k));
    EXPECT_TRUE(finished.insert(k).second);
  };
  work.on_lost = [&](std::int64_t k, const std::string& why, FailureCause cause) {
    EXPECT_EQ(why, "Killed");
    EXPECT_EQ(cause, FailureCause::killed);
    lost.insert(k);
  };
  work.should_continue = [] { return true; };
  EXPECT_TRUE(run_in_processes(20, 3, work));
  EXPECT_EQ(finished.size(), 19U);
  EXPECT_EQ(lost, std::set<std::int64_t>{2});
}

// A heuristic may call exit(0): the piece is not finished, and doing it again would never end.
TEST(ProcessPool, AProcessThatExitsInAPieceLosesIt) {
  std::set<std::int64_t> finished;
  std::set<std::int64_t> lost;
  PoolTasks work;
  work.run = [](std::int64_t k) {
    if (k == 2) ::_exit(0);
    return std::string();
  };
  work.on_finished = [&](std::int64_t k, std::string_view) { finished.insert(k); };
  work.on_lost = [&](std::int64_t k, const std::string& why, FailureCause cause) {
    EXPECT_EQ(why, "exit status 0");
    EXPECT_EQ(cause, FailureCause::model);
    lost.insert(k);
  };
  work.should_continue = [] { return true; };
  EXPECT_TRUE(run_in_processes(5, 2, work));
  EXPECT_EQ(finished.size(), 4U);
  EXPECT_EQ(lost, std::set<std::int64_t>{2});
}

// Each result ends the process that it comes from, before or after that has taken another piece.
TEST(ProcessPool, ProcessesThatDieBetweenPiecesAreReplaced) {
  constexpr std::int64_t count = 200;
  std::vector<int> settled(count);
  PoolTasks work;
  work.run = [](std::int64_t) { return std::to_string(::getpid()); };
  work.on_finished = [&](std::int64_t k, std::string_view process) {
    ++settled[k];
    ::kill(std::stoi(std::string(process)), SIGKILL);
  };
  work.on_lost = [&](std::int64_t k, const std::string&, FailureCause) { ++settled[k]; };
  work.should_continue = [] { return true; };
  EXPECT_TRUE(run_in_processes(count, 2, work));
  EXPECT_EQ(settled, std::vector<int>(count, 1));
}

// Each process takes two open files.
TEST(ProcessPool, RaisesTheLimitOnOpenFiles) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit few = before;
  few.rlim_cur = 24;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  int finished = 0;
  PoolTasks work;
  work.run = [](std::int64_t) { return std::string(); };
  work.on_finished = [&](std::int64_t, std::string_view) { ++finished; };
  work.on_lost = [](std::int64_t, const std::string&, FailureCause) {};
  work.should_continue = [] { return true; };
  EXPECT_TRUE(run_in_processes(12, 12, work));
  EXPECT_EQ(finished, 12);
  ::setrlimit(RLIMIT_NOFILE, &before);
}

}  // namespace
}  // namespace starport
