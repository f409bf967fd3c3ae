#include "sim/process/process_pool.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace starport {
namespace {

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
  work.lost = [&](std::int64_t k, const std::string& why, Cause cause) {
    EXPECT_EQ(why, "Killed");
    EXPECT_EQ(cause, Cause::killed);
    lost.insert(k);
  };
  work.go_on = [] { return true; };
  EXPECT_TRUE(run_in_processes(20, 3, work));
  EXPECT_EQ(finished.size(), 19U);
  EXPECT_EQ(lost, std::set<std::int64_t>{2});
}

}  // namespace
}  // namespace starport
