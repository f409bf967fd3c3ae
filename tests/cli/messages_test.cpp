// Messages say what to do instead.
#include "tests/paths.hpp"
#include "tests/support.hpp"

#include <gtest/gtest.h>

#include <string>

namespace starport {
namespace {

using test::Outcome;
using test::shell;
using test::TemporaryDirectory;
using test::TemporaryFile;

void expect_message(const std::string& command, const std::string& text) {
  const Outcome outcome = shell(command);
  EXPECT_EQ(outcome.status, 2) << command << "\n" << outcome.out;
  EXPECT_NE(outcome.err.find(text), std::string::npos) << command << "\n" << outcome.err;
}

const std::string kFirstTry = "platforms/first-try.json";
const std::string kProduct = " --problem 800x800x800";

TEST(Messages, SwappedLettersAreASlip) {
  expect_message("starport rnu", "found 'rnu' (did you mean 'run'?)");
  expect_message("starport run " + kFirstTry + kProduct + " --heuristics hte",
                 "(did you mean 'Het'?)");
}

TEST(Messages, APlatformMayBeCalledByItsName) {
  expect_message("starport run first-try" + kProduct, "(did you mean 'platforms/first-try.json'?)");
}

TEST(Messages, HelpKnowsCommands) {
  EXPECT_EQ(shell("starport help run").out, shell("starport run --help").out);
  expect_message("starport help rum", "(did you mean 'run'?)");
  const Outcome version = shell("starport --version");
  EXPECT_EQ(version.status, 0);
  for (const char* asked : {"-V", "version"}) {
    EXPECT_EQ(shell(std::string("starport ") + asked).out, version.out) << asked;
  }
}

TEST(Messages, NameTheProgramOnce) {
  for (const char* arguments : {"", " rnu", " run", " help a b"}) {
    const std::string err = shell(std::string("starport") + arguments).err;
    EXPECT_TRUE(err.starts_with("starport")) << err;
    EXPECT_EQ(err.find("starport: starport"), std::string::npos) << err;
  }
}

TEST(Messages, AFileThatIsNotThere) {
  expect_message("starport run platforms/frist-try.json" + kProduct,
                 "platforms/frist-try.json: expected a readable file, found none of that name (did "
                 "you mean 'platforms/first-try.json'?)");
  expect_message("starport run nowhere.json" + kProduct, "found none of that name\n");
  expect_message("starport run " + kFirstTry + kProduct + " --trace /nowhere/x.csv",
                 "expected a file that can be written, found no such folder");
}

TEST(Messages, AnArgumentTooMany) {
  expect_message("starport run " + kFirstTry + " 800x800x800",
                 "starport run: expected only PLATFORM, found '800x800x800' too (--problem "
                 "800x800x800)");
  expect_message("starport run " + kFirstTry + " other.json" + kProduct,
                 "found 'other.json' too (starport run --help)");
  expect_message("starport list 800", "found '800' too (starport list --help)");
}

TEST(Messages, OneKindOfFileInThePlaceOfAnother) {
  const TemporaryDirectory folder;
  const std::string schedule = (folder.path() / "s.json").string();
  const std::string trace = (folder.path() / "t.csv").string();
  ASSERT_EQ(
      shell("starport plan " + kFirstTry + kProduct + " --engine analytic -o " + schedule).status,
      0);
  ASSERT_EQ(shell("starport run " + kFirstTry + kProduct +
                  " --engine analytic --heuristics Het "
                  "--trace " +
                  trace)
                .status,
            0);
  expect_message("starport replay " + schedule + " " + kFirstTry,
                 "expected a schedule, found a platform (it comes first: starport replay PLATFORM "
                 "SCHEDULE)");
  expect_message(
      "starport run " + schedule + kProduct,
      "expected a platform, found a schedule (starport replay PLATFORM SCHEDULE runs it)");
  expect_message("starport run experiments/ppopp08/claims.json" + kProduct,
                 "expected a platform, found claims");
  expect_message("starport plot " + trace + " --figure cost -o " + trace + ".svg",
                 "expected results, as starport sweep and run --csv write them, found a trace "
                 "(starport plot draws it with --figure gantt or memory)");
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

TEST_F(OneKindForAnother, IsCalledByItsName) {
  const std::string sweep = "experiments/polaris/sweep.json";
  const std::string claims = "experiments/polaris/claims.json";
  const std::string platform = kFirstTry + " ";
  expect_message("starport sweep " + path("s.json") + " -o " + path("z"),
                 "s.json: expected a sweep, found a schedule");
  expect_message("starport check " + path("r.csv") + " --claims " + sweep,
                 sweep + ": expected claims, found a sweep");
  expect_message("starport check " + path("r.csv") + " --claims " + path("t.csv"),
                 "t.csv: expected claims, found a trace (CSV)");
  expect_message("starport check " + path("t.csv") + " --claims " + claims,
                 "t.csv: line 1: expected results, as starport sweep and run --csv write them, "
                 "found a trace");
  expect_message("starport plot " + path("t.csv") + " --figure cost -o " + path("x.svg"),
                 "t.csv: line 1: expected results");
  expect_message("starport replay " + platform + path("t.csv"),
                 "t.csv: expected a schedule, found a trace (CSV)");
  expect_message("starport run " + path("t.csv") + kProduct,
                 "t.csv: expected a platform, found a trace (CSV)");
  expect_message("starport run " + path("r.csv") + kProduct,
                 "r.csv: expected a platform, found results (CSV)");
  expect_message("starport sweep " + path("r.csv") + " -o " + path("z"),
                 "r.csv: expected a sweep, found results (CSV)");
  // The way to replay is no way to compare.
  const Outcome compared = shell("starport compare-runs " + path("s.json") + " " + kFirstTry);
  EXPECT_NE(compared.err.find("expected a schedule, found a platform\n"), std::string::npos)
      << compared.err;
}

TEST_F(OneKindForAnother, WhatCommandsPrintIsNoInput) {
  const std::string printed = path("printed.json");
  ASSERT_EQ(shell("starport bound " + kFirstTry + kProduct + " --json > " + printed).status, 0);
  expect_message("starport validate " + printed, "found what starport bound --json prints");
  ASSERT_EQ(shell("starport compare-runs " + path("s.json") + " " + path("t.csv") + " --json > " +
                  printed)
                .status,
            0);
  expect_message("starport validate " + printed, "found what starport compare-runs --json prints");
}

TEST_F(OneKindForAnother, AReplayAsPlannedIsTheSame) {
  const Outcome replayed =
      shell("starport replay " + kFirstTry + " " + path("s.json") + " --engine analytic");
  EXPECT_EQ(replayed.status, 0) << replayed.err;
  EXPECT_NE(replayed.out.find(" s; here the same\n"), std::string::npos) << replayed.out;
}

TEST(Messages, WhatIsDoneElsewhere) {
  expect_message("starport execute", "found 'execute' (starport-mpi execute)");
  expect_message("starport validate platforms",
                 "expected a file, found a directory (starport verify platforms)");
}

TEST(Messages, ArgumentsThatWouldBeForgotten) {
  expect_message("starport run " + kFirstTry + kProduct + " --draws 5",
                 "--draws: expected a measured platform");
  expect_message("starport explain --schema ccr", "--schema: expected no figure beside it");
}

TEST(Messages, ADirectoryThatIsNone) {
  const std::string expected =
      ": expected a directory of results, as starport sweep -o makes them, ";
  expect_message("starport report nodir -o x.html", "nodir" + expected + "found none of that name");
  expect_message("starport report platforms -o x.html",
                 "platforms" + expected + "found one without run_info.json");
  expect_message("starport report " + kFirstTry + " -o x.html", expected + "found a file");
  expect_message("starport verify nodir", "nodir" + expected + "found none of that name");
  expect_message("starport verify " + kFirstTry, kFirstTry + expected + "found a file");
}

void expect_fault(const std::string& platform, const std::string& text) {
  const TemporaryFile file(platform);
  expect_message("starport validate " + file.path(), text);
}

TEST(Messages, FiguresComeWithAnExample) {
  expect_fault(R"({"schema_version": 1, "name": "p", "workers": [{"bandwidth": "1GBps",
                   "speed": "1Gf", "memory": 1024}]})",
               "/workers/0/memory: expected a memory size such as \"512MiB\" or \"512MB\", found "
               "1024");
}

TEST(Messages, TheVersionOfTheFormat) {
  expect_fault(R"({"name": "p", "workers": []})",
               "expected the key \"schema_version\": 1, found none");
  expect_fault(R"({"schema_version": 2, "name": "p", "workers": []})",
               "/schema_version: expected 1, found 2");
}

TEST(Messages, NoiseThatNobodyKnows) {
  expect_message("starport run " + kFirstTry + kProduct + " --noise sd=6%",
                 "keys are cv, transfer_cv, update_cv, samples, transfer_factors, update_factors, "
                 "slow, slow_link, slow_compute, stop, seed, found 'sd=6%'");
}

/// On a terminal, which `script` lends.
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
