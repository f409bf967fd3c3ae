// Output files appear whole or not at all.
#include "sim/files/output.hpp"

#include "sim/files/error.hpp"
#include "sim/process/isolation.hpp"
#include "tests/paths.hpp"
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

// Both are stopped when they have opened their output: one while a program plans, the other while
// it reads a trace that does not end.
TEST(OutputFile, PlanAndReportLeaveNothingWhenTheyAreTerminated) {
  const test::TemporaryDirectory outputs;
  const test::TemporaryDirectory work;
  const std::string started = (work.path() / "started").string();
  const std::string trace = (work.path() / "trace.csv").string();
  const test::TemporaryFile program("#!/bin/sh\necho $$ > " + started + "; exec sleep 1000\n",
                                    ".sh");
  std::filesystem::permissions(program.path(), std::filesystem::perms::owner_all);
  const std::string output = (outputs.path() / "x").string();
  for (const std::string& command :
       {"plan platforms/first-try.json --problem 800x800x800 --heuristics exec:" + program.path() +
            " -o " + output + ".json",
        "report " + trace + " -o " + output + ".html"}) {
    const auto outcome = test::shell(
        "rm -f " + started + " " + trace + "; mkfifo " + trace + "; sh -c \"exec " +
        program.path() + " > " + trace + "\" & writer=$!; " STARPORT_PROGRAM " " + command +
        " & pid=$!; until [ -s " + started +
        " ]; do kill -0 $pid || break; sleep 0.02; done; "
        "ls -l /proc/$pid/fd | grep -c " +
        outputs.path().string() + "; kill -TERM $pid; wait $pid; status=$?; kill $writer $(cat " +
        started + "); exit $status");
    EXPECT_EQ(outcome.status, 143) << command << outcome.err;
    EXPECT_EQ(outcome.out, "1\n") << command;  // the output was open
    EXPECT_TRUE(std::filesystem::is_empty(outputs.path())) << command;
  }
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
