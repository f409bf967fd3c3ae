// Output files appear whole or not at all.
#include "sim/files/output.hpp"

#include "sim/files/error.hpp"
#include "sim/process/isolation.hpp"
#include "tests/paths.hpp"
#include "tests/support.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace {

// What the disk does in this test program.
std::vector<ino_t> synced_folders;
bool syncs_fail = false;

}  // namespace

extern "C" int fsync(int fd) {
  struct stat status {};
  if (::fstat(fd, &status) == 0 && S_ISDIR(status.st_mode)) {
    synced_folders.push_back(status.st_ino);
  }
  if (!syncs_fail) return static_cast<int>(::syscall(SYS_fsync, fd));
  errno = EIO;
  return -1;
}

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

TEST(OutputFile, IsOnTheDiskWithItsName) {
  const test::TemporaryDirectory folder;
  struct stat status {};
  ASSERT_EQ(::stat(folder.path().c_str(), &status), 0);
  synced_folders.clear();
  OutputFile file((folder.path() / "x.csv").string());
  file.write("x");
  file.commit();
  EXPECT_EQ(synced_folders, std::vector<ino_t>{status.st_ino});

  OutputFile lost((folder.path() / "lost.csv").string());
  syncs_fail = true;
  EXPECT_THROW(lost.commit(), InputError);
  syncs_fail = false;
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "lost.csv"));
}

// Programs that a command starts do not inherit its unfinished files.
TEST(OutputFile, IsClosedInOtherPrograms) {
  const test::TemporaryDirectory folder;
  const OutputFile file((folder.path() / "x.csv").string());
  int found = 0;
  for (int fd = 0; fd < 1024; ++fd) {
    std::error_code none;
    const auto open = std::filesystem::read_symlink(fmt::format("/proc/self/fd/{}", fd), none);
    if (!open.string().starts_with(folder.path().string())) continue;
    ++found;
    EXPECT_EQ(::fcntl(fd, F_GETFD), FD_CLOEXEC);
  }
  EXPECT_EQ(found, 1);
}

// They are stopped when they have opened their output: two while a program plans, the other while
// it reads a trace that does not end.
TEST(OutputFile, CommandsLeaveNothingWhenTheyAreTerminated) {
  const test::TemporaryDirectory outputs;
  const test::TemporaryDirectory work;
  const std::string started = (work.path() / "started").string();
  const std::string trace = (work.path() / "trace.csv").string();
  const test::TemporaryFile program("#!/bin/sh\necho $$ > " + started + "; exec sleep 1000\n",
                                    ".sh");
  std::filesystem::permissions(program.path(), std::filesystem::perms::owner_all);
  const std::string output = (outputs.path() / "x").string();
  const std::string of_program =
      " platforms/first-try.json --problem 800x800x800 --heuristics exec:" + program.path();
  struct Stop {
    std::string command;
    const char* signal;
    int status;
  };
  for (const auto& [command, signal, expected] :
       {Stop{"plan" + of_program + " -o " + output + ".json", "TERM", 143},
        Stop{"run" + of_program + " --trace " + output + ".json", "INT", 130},
        Stop{"report " + trace + " -o " + output + ".html", "HUP", 129}}) {
    // A background command ignores SIGINT, unless it is a job.
    const auto outcome = test::shell(
        "set -m; rm -f " + started + " " + trace + "; mkfifo " + trace + "; sh -c \"exec " +
        program.path() + " > " + trace + "\" & writer=$!; " STARPORT_PROGRAM " " + command +
        " & pid=$!; until [ -s " + started +
        " ]; do kill -0 $pid || break; sleep 0.02; done; "
        "ls -l /proc/$pid/fd | grep -c " +
        outputs.path().string() + "; kill -" + signal +
        " $pid; wait $pid; status=$?; kill $writer $(cat " + started + "); exit $status");
    EXPECT_EQ(outcome.status, expected) << command << outcome.err;
    EXPECT_EQ(outcome.out, "1\n") << command;  // the output was open
    EXPECT_TRUE(std::filesystem::is_empty(outputs.path())) << command;
  }
}

TEST(SameFile, WhetherItExistsOrNot) {
  const test::TemporaryDirectory folder;
  const std::string here = folder.path().string();
  EXPECT_TRUE(are_same_file(here + "/new.csv", here + "/./new.csv"));
  EXPECT_TRUE(are_same_file("new.csv", "./new.csv"));
  EXPECT_TRUE(are_same_file("new.csv", std::filesystem::absolute("new.csv").string()));
  EXPECT_FALSE(are_same_file(here + "/new.csv", here + "/old.csv"));
  const test::TemporaryFile file("x");
  std::filesystem::create_hard_link(file.path(), here + "/hard");
  std::filesystem::create_symlink(here, here + "/soft");
  EXPECT_TRUE(are_same_file(file.path(), here + "/hard"));
  EXPECT_TRUE(are_same_file(here + "/new.csv", here + "/soft/new.csv"));
  EXPECT_FALSE(are_same_file("", ""));
  const std::string long_name(300, 'x');
  EXPECT_FALSE(are_same_file(long_name, here));
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

// What the shell keeps (>>) stays, and what comes later goes to the same file.
TEST(OutputFile, OfStandardOutputIsWrittenToDirectly) {
  const test::TemporaryDirectory folder;
  const std::string file = (folder.path() / "all.xml").string();
  const std::string convert =
      "starport convert platforms/first-try.json --to simgrid-xml -o /proc/self/fd/1";
  const auto outcome =
      test::shell("exec 3>&1; echo first > " + file + "; (" + convert + "; " + convert +
                  " && echo last) >> " + file + "; head -n 1 " + file + "; grep -c '<platform ' " +
                  file + "; tail -n 1 " + file + "; ls -A " + folder.path().string());
  EXPECT_EQ(outcome.out, "first\n2\nlast\nall.xml\n") << outcome.err;
}

// A write that fails for want of space, which returns later.
TEST(OutputFile, IsNotCommittedAfterAFailedWrite) {
  const test::TemporaryDirectory folder;
  const std::string path = (folder.path() / "x.csv").string();
  const auto write = [&](FrameWriter& out) {
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit limit{};
    ::getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = 100'000;
    ::setrlimit(RLIMIT_FSIZE, &limit);
    OutputFile file(path);
    std::string failures;
    const auto expect_failure = [&](auto&& action) {
      try {
        action();
      } catch (const InputError& error) {
        failures += error.found + "; ";
      }
    };
    expect_failure([&] { file.write(std::string(1 << 20, 'x')); });
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_FSIZE, &limit);
    expect_failure([&] { file.write(std::string(1 << 20, 'x')); });
    expect_failure([&] { file.commit(); });
    out.write(std::as_bytes(std::span(failures)));
    out.flush();
  };
  std::string failures;
  run_in_child(
      write,
      [&](std::span<const std::byte> bytes) {
        failures.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      },
      0);
  EXPECT_EQ(failures, "File too large; File too large; File too large; ");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace starport
