// What the system tells of this machine.
#include "sim/process/machine.hpp"

#include "tests/support.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>

namespace starport {
namespace {

class Machine : public testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) const {
    const auto file = root.path() / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  double available() const { return available_memory_bytes(root.path().string()); }

  test::TemporaryDirectory root;
};

TEST_F(Machine, WithoutControlGroupsWhatIsFreeIsAvailable) {
  write("proc/meminfo", "MemTotal: 900 kB\nMemAvailable: 500 kB\n");
  EXPECT_EQ(available(), 500 * 1024);
  write("proc/thread-self/cgroup", "0::/\n");
  EXPECT_EQ(available(), 500 * 1024);
}

// Otherwise every run would be refused for lack of memory.
TEST_F(Machine, WhatIsNotKnownIsNoLimit) {
  EXPECT_EQ(available(), std::numeric_limits<double>::infinity());
  write("proc/thread-self/cgroup", "0::/run.scope\n");
  write("sys/fs/cgroup/run.scope/memory.max", "100000\n");
  write("sys/fs/cgroup/run.scope/memory.current", "90000\n");
  EXPECT_EQ(available(), 10000);
  write("proc/meminfo", "MemAvailable: 0 kB\n");
  EXPECT_EQ(available(), 0);
}

TEST_F(Machine, AControlGroupLeavesItsLimitLessWhatItCannotGiveBack) {
  write("proc/meminfo", "MemAvailable: 500 kB\n");
  write("proc/thread-self/cgroup", "0::/user.slice/run.scope\n");
  write("sys/fs/cgroup/user.slice/memory.max", "max\n");
  write("sys/fs/cgroup/user.slice/memory.current", "400000\n");
  write("sys/fs/cgroup/user.slice/run.scope/memory.max", "100000\n");
  write("sys/fs/cgroup/user.slice/run.scope/memory.current", "90000\n");
  write("sys/fs/cgroup/user.slice/run.scope/memory.stat",
        "anon 20000\nactive_file 30000\ninactive_file 40000\n");
  EXPECT_EQ(available(), 80000);
  // That of the group above counts as well.
  write("sys/fs/cgroup/user.slice/memory.max", "450000\n");
  EXPECT_EQ(available(), 50000);
}

TEST_F(Machine, ControlGroupsOfVersion1) {
  write("proc/meminfo", "MemAvailable: 500 kB\n");
  write("proc/thread-self/cgroup", "5:cpu:/a\n4:memory:/a\n0::/\n");
  write("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "100000\n");
  write("sys/fs/cgroup/memory/a/memory.usage_in_bytes", "60000\n");
  write("sys/fs/cgroup/memory/a/memory.stat",
        "total_active_file 10000\ntotal_inactive_file 5000\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  write("sys/fs/cgroup/memory/memory.usage_in_bytes", "60000\n");
  EXPECT_EQ(available(), 55000);
}

}  // namespace
}  // namespace starport
