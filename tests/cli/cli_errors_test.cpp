// What the program says when it cannot do what it is asked for.
#include "heuristics/star/registry.hpp"
#include "tests/star/star_support.hpp"

#include <gtest/gtest.h>

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

struct BadCall {
  std::string command;
  std::string message;
};

TEST(Cli, BadInputGivesOneLineAndStatusTwo) {
  const TemporaryFile empty("");
  const TemporaryFile no_json("{\n \"a\": }");
  const TemporaryFile no_memory(
      R"({"schema_version": 1, "name": "x", "block_size": 10,
          "workers": [{"c_s": 1, "w_s": 1, "m_blocks": 4}]})");
  const TemporaryFile two_blocks(
      R"({"schema_version": 1, "name": "x", "block_size": 10,
          "workers": [{"c_s": 1, "w_s": 1, "m_blocks": 2}]})");
  const TemporaryFile tiny(
      R"({"schema_version": 1, "name": "x", "block_size": 1,
          "workers": [{"c_s": 1, "w_s": 1, "m_blocks": 5}]})");
  const TemporaryFile neither(R"({"a": 1})");
  const TemporaryFile broken_schedule(
      R"({"schema_version": 1, "problem": {"r": 1, "s": 1, "t": 1, "block_size": 1},
          "platform": {"name": "x", "workers": [{"c_s": 1, "w_s": 1, "m_blocks": 9}]},
          "transfers": [
            {"worker": 1, "to": "worker", "c": {"rows": [0, 1], "columns": [0, 1]}},
            {"worker": 1, "to": "master", "c": {"rows": [0, 1], "columns": [0, 1]}}]})");
  const std::string unknown_heuristic =
      "--heuristics: 'Hett' is not a heuristic or a group. Did you mean 'Het'? Choose one of: " +
      test::heuristic_names() +
      "; groups: all, ppopp08, ipdps07, polaris, adaptive, heteropar12, hcw06, icpp18, all+";
  const std::string memory = "platforms/ppopp08-memory.json";
  const std::string problem = " --problem 800x800x800";
  const std::vector<BadCall> calls{
      {"starport", "starport: expected a command, found nothing (starport --help lists them)"},
      {"starport rum",
       "starport: expected a command: run, list, explain, bound, plan, replay, "
       "compare-runs, partition, calibrate, validate, convert, sweep, merge, verify, report, plot, "
       "check, fit, vary, "
       "selftest, found "
       "'rum' (did you mean 'run'?)"},
      {"starport run" + problem,
       "starport run: expected PLATFORM, found nothing (starport run PLATFORM [options])"},
      {"starport run a b" + problem,
       "starport run: expected only PLATFORM, found 'b' too (starport run --help)"},
      {"starport run nowhere.json" + problem,
       "nowhere.json: expected a readable file, found none of that name"},
      {"starport run platforms" + problem, "platforms: expected a file, found a directory"},
      {"starport run " + empty.path() + problem,
       empty.path() + ": expected a JSON document, found an empty file"},
      {"starport run " + no_json.path() + problem,
       no_json.path() + ": line 2, column 7: expected JSON, found a syntax error at '}'"},
      {"starport run " + memory,
       "--problem: expected nAxnABxnB, such as 8000x8000x64000, found nothing"},
      {"starport run " + memory + " --problem 8000x8000",
       "--problem: expected nAxnABxnB, the three matrix sizes in elements, such as "
       "8000x8000x64000, or N, found '8000x8000'"},
      {"starport run " + memory + " --problem 0x0x0",
       "--problem: expected sizes greater than 0, found '0x0x0'"},
      {"starport run " + memory + " --problem 99999999999999999999x1x1",
       "--problem: expected sizes that fit in 63 bits, found '99999999999999999999x1x1'"},
      {"starport run " + memory + " --problem 999999999999999x1x1",
       "--problem: expected between 1 and 2147483647 blocks a side, found r=12500000000000, s=1, "
       "t=1"},
      {"starport run " + memory + " --problem 99999999999x99999999999x99999999999",
       "--problem: expected at most 2^60 block updates, found r=1250000000, s=1250000000, "
       "t=1250000000"},
      {"starport run " + memory + problem + " --block-size 0",
       "--block-size: expected an integer from 1 to 1000000, found '0'"},
      {"starport run " + memory + problem + " --block-size 8.5",
       "--block-size: expected an integer from 1 to 1000000, found '8.5'"},
      {"starport run " + memory + problem + " --heuristics Sequential[x=1]",
       "--heuristics: Sequential has no parameters, but 'x' is given"},
      {"starport run " + memory + problem + " --heuristics Hett",
       unknown_heuristic},
      {"starport run " + memory + problem + " --heuristic Het",
       "--heuristic: expected an option of starport run, found an unknown one (did you mean "
       "'--heuristics'?)"},
      {"starport run " + memory + problem + " --json --csv",
       "--csv: expected one output format, found --json too"},
      {"starport run " + memory + problem + " --trace x.txt",
       "--trace: expected a file that ends in .csv or .json, found 'x.txt'"},
      {"starport run " + memory + problem + " --trace /nowhere/x.csv",
       "/nowhere/x.csv: --trace: expected a file that can be written, found no such folder"},
      {"starport run " + memory + problem + " --time-limit soon",
       "--time-limit: expected a number of seconds, 0 or greater, found 'soon'"},
      {"starport run " + memory + problem + problem,
       "--problem: expected the option once, found it several times"},
      {"starport run " + no_memory.path() + problem + " --heuristics BMM,Het",
       no_memory.path() +
           ": /workers: expected a worker with memory for at least 5 blocks of 800 bytes "
           "(optimized, overlapped layout), found at most 4 (Het needs it)"},
      {"starport run " + two_blocks.path() + problem + " --heuristics all+",
       two_blocks.path() +
           ": /workers: expected a worker with memory for at least 3 blocks of 800 bytes "
           "(Toledo layout), found at most 2 (BMM needs it)"},
      {"starport bound " + two_blocks.path() + problem,
       two_blocks.path() +
           ": /workers: expected a worker with memory for at least 3 blocks of 800 bytes "
           "(maximum re-use layout), found at most 2"},
      {"starport plan " + memory + problem,
       "--output: expected the file to save the plan in, found nothing"},
      {"starport plan " + memory + problem + " --heuristics all -o /tmp/x",
       "--heuristics: expected one heuristic, found 7"},
      {"starport validate " + neither.path(),
       neither.path() +
           ": /: expected a platform (with the key 'workers'), a schedule ('transfers'), a message "
           "of "
           "the protocol ('protocol'), a sweep ('experiments'), claims ('claims'), results "
           "('results'), a trace ('traceEvents'), measured durations ('transfers_s'), noise "
           "('cv'), "
           "found none of them"},
      {"starport validate " + broken_schedule.path(),
       broken_schedule.path() +
           ": /transfers/1: expected a schedule that obeys the model, found C[0..0][0..0] comes "
           "home with 0 of its 1 updates"},
      {"starport plan " + memory + problem + " -o ''",
       "--output: expected the name of a file, found an empty one"},
      {"starport plan " + memory + problem + " --heuristics Hett -o /tmp/x",
       unknown_heuristic},
      {"starport run " + memory + problem + " --json=1", "--json: expected no value, found one"},
      {"starport validate tests/fixtures/late-c.json -q 17",
       "--block-size: expected a platform file, found a schedule, which has its own"},
      {"starport replay " + tiny.path() + " tests/fixtures/late-c.json",
       tiny.path() +
           ": /block_size: expected 2, the block size asked for, found raw figures for 1"},
      {"starport --version now", "starport --version: expected nothing after it, found 'now'"},
      {"starport convert " + memory, "--to: expected simgrid-xml, found nothing"},
      {"starport convert " + memory + " --to dot", "--to: expected simgrid-xml, found 'dot'"},
      {"starport list extra",
       "starport list: expected no argument without a dash, found 'extra' too (starport list "
       "--help)"},
  };
  for (const auto& [command, message] : calls) {
    const auto outcome = shell(command);
    EXPECT_EQ(outcome.status, 2) << command;
    EXPECT_EQ(outcome.out, "") << command;
    const std::string place = message.starts_with("starport") ? "" : "starport: ";
    EXPECT_EQ(outcome.err, place + message + "\n") << command;
  }
  // A run that would not fit in memory is refused before the start.
  const auto huge = shell("starport run " + tiny.path() + " --problem 100000x100000x100000");
  EXPECT_EQ(huge.status, 2);
  EXPECT_EQ(huge.err.substr(0, 55), "starport: --problem: expected a run that fits in memory")
      << huge.err;
  EXPECT_NE(huge.err.find("at least 1e+15 transfers"), std::string::npos) << huge.err;
}

// A line of its own, not the runtime's.
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
  EXPECT_NE(head.err.find(wordy.path() + ": expected a document that fits in memory"),
            std::string::npos)
      << head.err;
#endif
  const auto late = shell(
      "mkfifo /tmp/starport-fifo-$$; (sleep 5 > /tmp/starport-fifo-$$ & starport "
      "validate /tmp/starport-fifo-$$ --time-limit 0.2); s=$?; rm "
      "/tmp/starport-fifo-$$; exit $s");
  EXPECT_EQ(late.status, 1);
  EXPECT_EQ(late.err, "starport: timed out after 0.2 s\n");
}

}  // namespace
}  // namespace starport
