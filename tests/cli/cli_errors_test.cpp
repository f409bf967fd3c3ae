// Errors of the program: outputs that fail, limits, time-outs. Messages: messages.golden.
#include "heuristics/star/registry.hpp"
#include "tests/star/star_support.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace starport {
namespace {

using test::shell;
using test::TemporaryFile;

TEST(Cli, AReaderThatGoesAwayIsNoError) {
  const auto outcome = shell(
      "set -o pipefail; starport plan platforms/first-try.json --problem 8000x8000x8000 "
      "--heuristics ODDOML -o /dev/stdout | head -c 100 >/dev/null");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(shell("set -o pipefail; starport list | true").status, 0);
}

TEST(Cli, NobodyToTellIsNoCrash) {
  EXPECT_EQ(shell("starport validate nowhere.json 2>/dev/full").status, 2);
  EXPECT_EQ(shell("starport validate nowhere.json 2>&-").status, 2);
  EXPECT_EQ(shell("starport run platforms/first-try.json --problem 80x80x80 >&- 2>&-").status, 2);
  EXPECT_EQ(shell("starport list >/dev/full").status, 2);
}

TEST(Cli, MessagesStayShort) {
  const TemporaryFile file("{\"" + std::string(100'000, 'k') + "\": 1}");
  const auto outcome = shell("starport run " + file.path() + " --problem 1x1x1");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_LT(outcome.err.size(), 2000U);
}

TEST(Cli, PathsThatCannotBeFilesAreRefused) {
  const std::string name(300, 'a');
  const std::string fit =
      "fit experiments/ppopp08/sweep.json --claims experiments/ppopp08/claims.json -o ";
  for (const std::string& command :
       {"worst Het --within " + name, "worst Het --evaluations 10 --resume " + name, fit + name,
        fit + name + " --resume", fit + "/dev/null"}) {
    const auto outcome = shell("starport " + command);
    EXPECT_EQ(outcome.status, 2) << command << outcome.err;
    EXPECT_EQ(outcome.err.find("filesystem error"), std::string::npos) << outcome.err;
  }
}

TEST(Cli, ARunThatDoesNotFitInMemoryIsRefusedBeforeTheStart) {
  const TemporaryFile tiny(
      R"({"schema_version": 1, "name": "x", "block_size": 1,
          "workers": [{"c_s": 1, "w_s": 1, "m_blocks": 5}]})");
  const auto huge = shell("starport run " + tiny.path() + " --problem 100000x100000x100000");
  EXPECT_EQ(huge.status, 2);
  EXPECT_TRUE(huge.err.starts_with("starport: --problem: ")) << huge.err;
  EXPECT_NE(huge.err.find("memory"), std::string::npos) << huge.err;
  EXPECT_NE(huge.err.find("at least 1e+15 transfers"), std::string::npos) << huge.err;
}

// The message is the program's, not that of the C++ runtime.
TEST(Cli, WhatIsTooLargeOrTooLongEndsInOneLine) {
#ifndef __SANITIZE_ADDRESS__
  const TemporaryFile large("");
  shell("head -c 6000000 /dev/zero | sed \"s/\\x00/[],/g\" > " + large.path() +
        ".tail; (echo \"[\"; cat " + large.path() + ".tail; echo \"0]\") > " + large.path() +
        "; rm " + large.path() + ".tail");
  const auto document = shell("(ulimit -v 400000; starport validate " + large.path() + ")");
  EXPECT_NE(document.status, 0);
  EXPECT_LE(document.status, 2) << document.err;
  EXPECT_EQ(std::count(document.err.begin(), document.err.end(), '\n'), 1) << document.err;
  EXPECT_NE(document.err.find("memory"), std::string::npos) << document.err;
  const TemporaryFile wordy(R"({"heuristic": ")" + std::string(100'000'000, 'h') +
                            R"(", "transfers": []})");
  const auto head = shell("(ulimit -v 300000; starport validate " + wordy.path() + ")");
  EXPECT_EQ(head.status, 2);
  EXPECT_TRUE(head.err.starts_with("starport: " + wordy.path() + ": ")) << head.err;
  EXPECT_NE(head.err.find("memory"), std::string::npos) << head.err;
#endif
  const auto late = shell(
      "mkfifo /tmp/starport-fifo-$$; (sleep 5 > /tmp/starport-fifo-$$ & starport "
      "validate /tmp/starport-fifo-$$ --time-limit 0.2); s=$?; rm "
      "/tmp/starport-fifo-$$; exit $s");
  EXPECT_EQ(late.status, 1);
  EXPECT_NE(late.err.find("timed out"), std::string::npos) << late.err;
}

// A disk that is full while a run writes its trace, and has room again when the trace is completed.
TEST(Cli, ATraceThatWasNotWrittenWholeDoesNotAppear) {
  const test::TemporaryDirectory folder;
  const std::string path = (folder.path() / "t.csv").string();
  for (const char* run : {"platforms/mirage.json --problem 19200 --heuristics ZoneGrowth,DMDA",
                          "platforms/first-try.json --problem 16000 --heuristics Het,BMM"}) {
    const auto outcome =
        shell(std::string("ulimit -f 16; starport run ") + run + " --trace " + path);
    EXPECT_EQ(outcome.status, 2) << outcome.err;
    EXPECT_TRUE(outcome.err.starts_with("starport: " + path + ": --trace: ")) << outcome.err;
    EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << run;
  }
}

}  // namespace
}  // namespace starport
