// Output files appear whole or not at all.
#include "sim/files/output.hpp"

#include "sim/files/error.hpp"
#include "sim/process/isolation.hpp"
#include "tests/support.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <string>

namespace starport {
namespace {

TEST(OutputFile, LeavesNothingWhenTheProgramIsKilled) {
  const test::TemporaryDirectory folder;
  const auto write = [&](FrameWriter&) {
    OutputFile file((folder.path() / "x.csv").string());
    file.write(std::string(1 << 20, 'x'));
    std::raise(SIGKILL);
  };
  EXPECT_THROW(run_in_child(
                   write, [](auto) {}, 0),
               MachineError);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(OutputFile, NamesOfTemporaryFilesAreOurs) {
  EXPECT_EQ(temporary_pattern("/a/x.csv"), "/a/.x.csv.starport-XXXXXX");
  EXPECT_TRUE(is_temporary_name(".x.csv.starport-q8Zk1a", "x.csv"));
  EXPECT_FALSE(is_temporary_name(".x.csv.starport-q8Zk1", "x.csv"));
  EXPECT_FALSE(is_temporary_name("x.csv.backup", "x.csv"));
  EXPECT_FALSE(is_temporary_name(".y.csv.starport-q8Zk1a", "x.csv"));
  // The name of the temporary file must not be too long where that of the file is not.
  EXPECT_LE(temporary_pattern(std::string(255, 'n')).size(), 255U);
}

}  // namespace
}  // namespace starport
