// The messages of messages.golden, word for word: other tests assert place and kind of an error
// only. Also help, usage, versions, and colours on terminals.
#include "tests/paths.hpp"
#include "tests/support.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

namespace starport {
namespace {

using test::Outcome;
using test::shell;
using test::TemporaryDirectory;

constexpr const char* kGoldenFile = STARPORT_SOURCE_DIR "/tests/cli/messages.golden";

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

/// Runs a command line of the golden file with $TMP as `folder`. Returns its stderr, with the
/// folder written as $TMP, and its exit status unless that is 2.
std::string run_command_line(const std::string& command, const std::string& folder) {
  const test::Outcome outcome = test::shell("TMP=" + folder + "; " + command);
  std::string text = outcome.err;
  replace_all(text, folder, "$TMP");
  if (outcome.status != 2) text += "[exit status " + std::to_string(outcome.status) + "]\n";
  return text;
}

void expect_message(const std::string& command, const std::string& text) {
  const Outcome outcome = shell(command);
  EXPECT_EQ(outcome.status, 2) << command << "\n" << outcome.out;
  EXPECT_NE(outcome.err.find(text), std::string::npos) << command << "\n" << outcome.err;
}

const std::string kFirstTry = "platforms/first-try.json";
const std::string kProduct = " --problem 800x800x800";

TEST(Messages, EqualTheGoldenFile) {
  const test::TemporaryDirectory folder;
  std::ifstream golden(kGoldenFile);
  ASSERT_TRUE(golden);
  std::string expected;
  std::string actual;
  for (std::string line; std::getline(golden, line);) {
    expected += line + "\n";
    const bool is_output = !line.empty() && !line.starts_with("#") && !line.starts_with("$ ");
    if (is_output) continue;
    actual += line + "\n";
    if (line.starts_with("$ ")) {
      actual += run_command_line(line.substr(2), folder.path().string());
    }
  }
  if (std::getenv("STARPORT_UPDATE_GOLDEN") != nullptr) {
    golden.close();
    std::ofstream(kGoldenFile) << actual;
  } else {
    EXPECT_EQ(actual, expected) << "To update: STARPORT_UPDATE_GOLDEN=1";
  }
}

TEST(Messages, UsageWithoutArguments) {
  const Outcome usage = shell("starport");
  EXPECT_EQ(usage.status, 2);
  EXPECT_EQ(usage.out, "");
  EXPECT_EQ(usage.err, shell("starport --help").out);
}

TEST(Messages, HelpKnowsCommands) {
  EXPECT_EQ(shell("starport help run").out, shell("starport run --help").out);
  const Outcome version = shell("starport --version");
  EXPECT_EQ(version.status, 0);
  for (const char* asked : {"-V", "version"}) {
    EXPECT_EQ(shell(std::string("starport ") + asked).out, version.out) << asked;
  }
}

TEST(Messages, NameTheProgramOnce) {
  for (const char* arguments : {" rnu", " run", " help a b"}) {
    const std::string err = shell(std::string("starport") + arguments).err;
    EXPECT_TRUE(err.starts_with("starport")) << err;
    EXPECT_EQ(err.find("starport: starport"), std::string::npos) << err;
  }
}

/// A schedule, a trace and results of one run.
class OneKindForAnother : public testing::Test {
 protected:
  void SetUp() override {
    const std::string product = kFirstTry + kProduct + " --engine analytic ";
    ASSERT_EQ(shell("starport plan " + product + "-o " + path("s.json")).status, 0);
    ASSERT_EQ(shell("starport run " + product + "--heuristics Het --csv --trace " + path("t.csv") +
                    " > " + path("r.csv"))
                  .status,
              0);
  }
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

 private:
  TemporaryDirectory folder_;
};

TEST_F(OneKindForAnother, WhatCommandsPrintIsNoInput) {
  const std::string printed = path("printed.json");
  ASSERT_EQ(shell("starport bound " + kFirstTry + kProduct + " --json > " + printed).status, 0);
  expect_message("starport validate " + printed, "what starport bound --json prints");
  ASSERT_EQ(shell("starport compare-runs " + path("s.json") + " " + path("t.csv") + " --json > " +
                  printed)
                .status,
            0);
  expect_message("starport validate " + printed, "what starport compare-runs --json prints");
}

TEST_F(OneKindForAnother, AReplayAsPlannedIsTheSame) {
  const Outcome replayed =
      shell("starport replay " + kFirstTry + " " + path("s.json") + " --engine analytic");
  EXPECT_EQ(replayed.status, 0) << replayed.err;
  EXPECT_NE(replayed.out.find(" s; here the same\n"), std::string::npos) << replayed.out;
}

/// Runs a command on a pseudo-terminal of the program `script` and returns its output.
std::string on_terminal(const std::string& command) {
  return shell("script -qec \"" + command + "\" /dev/null < /dev/null").out;
}

TEST(Colour, OnTerminalsThatWantIt) {
  if (shell("script -qec true /dev/null < /dev/null").status != 0) {
    GTEST_SKIP() << "nothing lends a terminal: no program script, or no /dev/pts";
  }
  const std::string run =
      "TERM=xterm " STARPORT_PROGRAM " run " + kFirstTry + kProduct + " --heuristics BMM,ODDOML";
  const std::string shown = on_terminal(run);
  EXPECT_NE(shown.find("\x1b[1mRun "), std::string::npos) << shown;
  EXPECT_NE(shown.find("\x1b[2mx bound:"), std::string::npos) << shown;
  EXPECT_NE(on_terminal("TERM=xterm " STARPORT_PROGRAM " rnu").find("\x1b[1;31mstarport\x1b[0m: "),
            std::string::npos);
  for (const char* against : {"NO_COLOR=1 ", "CLICOLOR=0 "}) {
    EXPECT_EQ(on_terminal(against + run).find("\x1b[1m"), std::string::npos) << against;
  }
  EXPECT_EQ(on_terminal("TERM=dumb " STARPORT_PROGRAM " rnu").find('\x1b'), std::string::npos);
  const std::string plot = STARPORT_PROGRAM " plot nofile.csv --figure cost -o /tmp/never.svg";
  EXPECT_NE(on_terminal("TERM=xterm " + plot).find("\x1b[K"), std::string::npos);
  EXPECT_EQ(on_terminal("TERM=dumb " + plot).find('\x1b'), std::string::npos);
  const Outcome piped = shell(run);
  EXPECT_EQ((piped.out + piped.err).find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace starport
