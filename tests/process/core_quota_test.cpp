// The share of the cores that control groups leave to a process.
#include "sim/process/machine.hpp"
#include "tests/support.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>

namespace starport {
namespace {

void write(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

TEST(CoreQuota, IsThatOfEitherVersionOfTheGroupsAndOfThoseAbove) {
  const test::TemporaryDirectory directory;
  const std::filesystem::path root = directory.path();
  write(root / "proc/thread-self/cgroup",
        "4:memory:/jobs/one\n2:cpu,cpuacct:/jobs/one\n0::/mine/here\n");
  const auto quota = [&] { return core_quota(root.string()); };
  EXPECT_EQ(quota(), std::nullopt);
  write(root / "sys/fs/cgroup/mine/cpu.max", "max 100000\n");
  write(root / "sys/fs/cgroup/cpu/jobs/one/cpu.cfs_quota_us", "-1\n");
  write(root / "sys/fs/cgroup/cpu/jobs/one/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota(), std::numeric_limits<double>::infinity());
  write(root / "sys/fs/cgroup/cpu/jobs/cpu.cfs_quota_us", "350000\n");
  write(root / "sys/fs/cgroup/cpu/jobs/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota(), 3.5);
  write(root / "sys/fs/cgroup/mine/here/cpu.max", "150000 100000\n");
  EXPECT_EQ(quota(), 1.5);
}

}  // namespace
}  // namespace starport
