// The hosts that a platform file was measured on, and those of the ranks.
#include "sim/platform/hosts.hpp"

#include "sim/platform/platform.hpp"
#include "sim/process/machine.hpp"
#include "tests/mpi/mpi_support.hpp"
#include "tests/paths.hpp"

#include <gtest/gtest.h>

namespace starport {
namespace {

using test::TemporaryDirectory;
using test::TemporaryFile;

TEST(Hosts, WorkersElsewhereThanTheyWereMeasuredAreTold) {
  const std::string here = host_name();
  const TemporaryFile platform(with_hosts(test::kTwoWorkers, {here, "elsewhere"}));
  const auto outcome = test::mpi(3, "execute " + platform.path() + " --problem 16x12x24");
  EXPECT_EQ(outcome.status, 0) << outcome.err;  // --force
  EXPECT_NE(outcome.err.find("starport-mpi: worker 2 was measured on elsewhere, and rank 2 is on " +
                             here + " (mpirun --host " + here + "," + here + ",elsewhere)\n"),
            std::string::npos)
      << outcome.err;
  EXPECT_EQ(outcome.err.find("worker 1 was measured"), std::string::npos) << outcome.err;
}

TEST(Hosts, CalibrateWritesThem) {
  const TemporaryDirectory directory;
  const std::string path = (directory.path() / "platform.json").string();
  const auto outcome =
      test::mpi(2, "calibrate --block-sizes 8 --memory 1MiB --seconds 0.02 -o " + path);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(read_hosts(path), std::vector<std::string>{host_name()});
  EXPECT_EQ(load_platform(path).size(), 1);
  EXPECT_TRUE(read_hosts(STARPORT_SOURCE_DIR "/platforms/first-try.json").empty());
}

}  // namespace
}  // namespace starport
