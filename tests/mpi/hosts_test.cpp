// The hosts that a platform file was measured on, and the hosts of the ranks.
#include "sim/platform/platform_file.hpp"
#include "sim/process/machine.hpp"
#include "tests/mpi/mpi_support.hpp"
#include "tests/paths.hpp"
#include "tests/support.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace starport {
namespace {

using test::TemporaryDirectory;
using test::TemporaryFile;

std::string with_hosts(const std::vector<std::string>& hosts) {
  auto json = test::json_of(test::kTwoWorkers);
  json["hosts"] = hosts;
  return json.dump();
}

TEST(Hosts, WorkersElsewhereThanTheyWereMeasuredAreTold) {
  const std::string here = host_name();
  const TemporaryFile platform(with_hosts({here, "elsewhere"}));
  const auto outcome = test::mpi(3, "execute " + platform.path() + " --problem 16x12x24");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.err.find(
                "starport-mpi: worker 2 was measured on elsewhere, but rank 2 runs on " + here +
                ". Start the ranks with mpirun --host " + here + "," + here + ",elsewhere\n"),
            std::string::npos)
      << outcome.err;
  EXPECT_EQ(outcome.err.find("worker 1 was measured"), std::string::npos) << outcome.err;
}

TEST(Hosts, CalibrateWritesThemAndHowLongItMeasured) {
  const TemporaryDirectory directory;
  const std::string path = (directory.path() / "platform.json").string();
  const auto outcome =
      test::mpi(2, "calibrate --block-sizes 8 --memory 1MiB --seconds 0.02 -o " + path);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const PlatformFile platform = load_platform(path);
  EXPECT_EQ(platform.hosts, std::vector<std::string>{host_name()});
  EXPECT_EQ(platform.size(), 1);
  ASSERT_TRUE(platform.samples);
  EXPECT_GT(platform.samples->lasted_s.value_or(0), 0);
  EXPECT_TRUE(load_platform(STARPORT_SOURCE_DIR "/platforms/first-try.json").hosts.empty());
}

TEST(Hosts, ArePartOfThePlatform) {
  const TemporaryFile file(with_hosts({"here", "there"}));
  const PlatformFile platform = load_platform(file.path());
  const TemporaryFile again(to_json(platform));
  EXPECT_EQ(load_platform(again.path()).hosts, (std::vector<std::string>{"here", "there"}));
  const TemporaryFile one(with_hosts({"here"}));
  const auto refused = test::shell("starport validate " + one.path());
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("/hosts: expected a name for each of the 2 workers, found 1"),
            std::string::npos)
      << refused.err;
}

}  // namespace
}  // namespace starport
