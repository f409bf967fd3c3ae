// Real runs that fail. Each ends with one message and an exit status, never hangs, and leaves C as
// it was: wrong input, a flipped bit, a rank that dies or hangs, a file that changes.
#include "sim/files/input_file.hpp"
#include "sim/files/json.hpp"
#include "tests/mpi/mpi_support.hpp"
#include "tests/paths.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace starport {
namespace {

using test::count;
using test::kGuard;
using test::kMpiEnvironment;
using test::kTwoWorkers;
using test::mpi;
using test::Outcome;
using test::raw;
using test::shell;
using test::TemporaryFile;

const std::string kOnTheStar = " --problem 40x40x80 --heuristics ORROML";
const std::string kDistributed = " --problem 40 --heuristics FPM";

/// Has C in a directory of its own: 40 x 80 or 40 x 40 doubles.
class MpiFault : public testing::Test {
 protected:
  void begin(const std::string& work) {
    const std::size_t width = work == kOnTheStar ? 80 : 40;
    before_ = raw(std::vector<double>(40 * width, 0.5));
    std::ofstream(c(), std::ios::binary) << before_;
  }
  std::string c() const { return (folder_.path() / "c.bin").string(); }
  void expect_c_as_before() const {
    EXPECT_EQ(read_file(c()), before_);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path()), {}), 1)
        << "something is left beside C";
  }

  /// Runs a product in which one bit of the `message`-th message of blocks from `rank` is flipped.
  Outcome flipped(int rank, int message, int bit, const std::string& work) const {
    // Little memory on the star, for many small messages; a distributed product needs more.
    const int m_blocks = work == kOnTheStar ? 21 : 400;
    const TemporaryFile platform(fmt::format(
        R"({{"schema_version": 1, "name": "two", "block_size": 4, "workers": [
          {{"c_s": 0.0002, "w_s": 0.0004, "m_blocks": {0}}},
          {{"c_s": 0.0004, "w_s": 0.0006, "m_blocks": {0}}}]}})",
        m_blocks));
    return shell(kMpiEnvironment +
                 fmt::format("export FLIP_RANK={} FLIP_MESSAGE={} FLIP_BIT={}; {}mpirun -n 3 env "
                             "LD_PRELOAD={} {} execute {}{} --c {}",
                             rank, message, bit, kGuard, STARPORT_FLIPPED_BIT, STARPORT_MPI_PROGRAM,
                             platform.path(), work, c()));
  }

  /// Starts a long run, and does `harm` to it once rank 0 has sent the first blocks. `harm` is a
  /// shell command; the process of rank i is ${i + 1}.
  Outcome harmed(const std::string& harm, const std::string& work) const {
    const TemporaryFile platform(
        R"({"schema_version": 1, "name": "slow", "block_size": 4, "workers": [
          {"c_s": 0.2, "w_s": 0.1, "m_blocks": 150}, {"c_s": 0.2, "w_s": 0.1, "m_blocks": 150}]})");
    return harmed_run(3, platform.path() + work + " --c " + c(), harm);
  }
  static Outcome harmed_run(int ranks, const std::string& arguments, const std::string& harm) {
    const test::TemporaryDirectory marks;
    const std::string mark = (marks.path() / "blocks").string();
    return shell(
        kMpiEnvironment + "export MARK_BLOCKS=" + mark + "; " + kGuard +
        fmt::format("mpirun -n {0} env LD_PRELOAD={1} '{2}' execute {3} --emulate & run=$!; "
                    "N={0}; ",
                    ranks, STARPORT_FLIPPED_BIT, STARPORT_MPI_PROGRAM, arguments) +
        "while kill -0 $run && [ ! -e " + mark +
        " ]; do sleep 0.1; done; set -- $(pgrep -P $(pgrep -P $run -x mpirun) -x "
        "starport-mpi); [ $# = $N ] || { kill $run; echo no victim >&2; }; " +
        harm + "; wait $run");
  }

 private:
  test::TemporaryDirectory folder_;
  std::string before_;
};

// Messages from the master to a worker, from a worker to another, and from a worker to the master.
TEST_F(MpiFault, AFlippedBitIsSeenWhereItArrives) {
  struct Flip {
    int rank;
    int message;
    int bit;
    std::string seen_by;
  };
  const auto expect_refused = [&](const std::string& work, const Flip& flip) {
    begin(work);
    const Outcome outcome = flipped(flip.rank, flip.message, flip.bit, work);
    const std::string fault = fmt::format(
        "starport-mpi: {}the blocks received from rank {} differ from those that it sent",
        flip.seen_by, flip.rank);
    EXPECT_EQ(outcome.status, 1) << flip.rank << " " << flip.message << outcome.err;
    EXPECT_EQ(count(outcome.err, fault), 1U) << outcome.err;
    expect_c_as_before();
  };
  for (const Flip& flip :
       {Flip{0, 1, 0, "worker 1: "}, Flip{0, 4, 100, "worker 2: "}, Flip{0, 40, 64, "worker 2: "},
        Flip{1, 1, 1000, ""}, Flip{2, 1, 77, ""}}) {
    expect_refused(kOnTheStar, flip);
  }
  for (const Flip& flip : {Flip{0, 2, 9999, "worker 1: "}, Flip{1, 3, 65, "worker 2: "},
                           Flip{2, 3, 1, "worker 1: "}}) {
    expect_refused(kDistributed, flip);
  }
}

// A setup, an order, an event, and lists of a distributed product, by their tags.
TEST_F(MpiFault, ABitOfAnotherMessageIsFlipped) {
  struct Flip {
    const char* work;
    int tag;
    int rank;
    int message;
  };
  for (const auto& [work, tag, rank, message] :
       {Flip{kOnTheStar.c_str(), 1, 0, 1}, Flip{kOnTheStar.c_str(), 2, 0, 9},
        Flip{kOnTheStar.c_str(), 3, 1, 2}, Flip{kDistributed.c_str(), 6, 0, 2}}) {
    begin(work);
    ::setenv("FLIP_TAG", std::to_string(tag).c_str(), 1);
    const Outcome outcome = flipped(rank, message, 11, work);
    ::unsetenv("FLIP_TAG");
    EXPECT_EQ(outcome.status, 1) << tag << outcome.err;
    EXPECT_EQ(count(outcome.err, fmt::format("bytes received from rank {} differ from those that "
                                             "it sent",
                                             rank)),
              1U)
        << outcome.err;
    expect_c_as_before();
  }
}

TEST_F(MpiFault, WhatStandsBetweenDoesNoHarmByItself) {
  for (const std::string& work : {kOnTheStar, kDistributed}) {
    begin(work);
    const Outcome outcome = flipped(0, -1, 0, work);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("C is right"), std::string::npos) << outcome.out;
  }
}

TEST_F(MpiFault, AWorkerThatHangsEndsTheRun) {
  for (const std::string& work : {kOnTheStar, kDistributed}) {
    begin(work);
    const Outcome outcome = harmed("kill -STOP $3", work + " --time-out 8");
    EXPECT_EQ(outcome.status, 1) << outcome.err;
    EXPECT_EQ(count(outcome.err, "starport-mpi: worker 2 (rank 2) has not responded for 8 s"), 1U)
        << outcome.err;
    expect_c_as_before();
  }
}

// The workers wait for the master no longer than the run may take.
TEST_F(MpiFault, AMasterThatHangsEndsTheRun) {
  for (const std::string work : {kOnTheStar.c_str(), " --problem 20 --heuristics FPM"}) {
    const Outcome outcome = harmed("kill -STOP $1", work + " --time-out 6 --time-limit 6");
    EXPECT_EQ(outcome.status, 1) << outcome.err;
    EXPECT_NE(outcome.err.find("the master (rank 0) has not responded for 12 s"), std::string::npos)
        << outcome.err;
    std::filesystem::remove(c());
  }
}

// It does so after it has started the workers, and before it tells them what to do.
TEST_F(MpiFault, AMasterThatHangsBeforeTheRunEndsIt) {
  const TemporaryFile platform(kTwoWorkers);
  const Outcome outcome = shell(kMpiEnvironment + "export STOP_AT_SETUP=1; " + kGuard +
                                "mpirun -n 3 env LD_PRELOAD=" STARPORT_FLIPPED_BIT
                                " '" STARPORT_MPI_PROGRAM "' execute " +
                                platform.path() +
                                " --problem 16x16x16 --heuristics ODDOML --emulate --time-out 8 "
                                "--time-limit 4");
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_NE(outcome.err.find("the master (rank 0) has not responded for 12 s"), std::string::npos)
      << outcome.err;
}

// It holds two steps and gets a third one, whose schedule relies on the first update to end in
// time. That update never ends, and the master, which would end the run, hangs.
TEST_F(MpiFault, AWorkerThatWaitsForRoomWaitsNoLongerThanTheRunMayTake) {
  const TemporaryFile platform(
      R"({"schema_version": 1, "name": "one", "block_size": 4,
          "workers": [{"c_s": 0.01, "w_s": 0.001, "m_blocks": 5}]})");
  const TemporaryFile schedule("");
  const Outcome planned =
      shell("starport plan " + platform.path() +
            " --problem 4x16x4 --heuristics ORROML --engine analytic -o " + schedule.path() +
            " && sed -i '/\"to\":\"worker\"/s/,\"after_update\":[0-9]*//' " + schedule.path());
  ASSERT_EQ(planned.status, 0) << planned.err;
  ::setenv("MARK_MESSAGE", "4", 1);  // C, two steps, and this one
  ::setenv("KERNEL_HANGS", "yes", 1);
  const Outcome outcome = harmed_run(2,
                                     platform.path() + " --schedule " + schedule.path() +
                                         " --time-out 6 --time-limit 6 --kernel " STARPORT_PLUGINS
                                         "/libfailing_kernel.so",
                                     "kill -STOP $1");
  ::unsetenv("MARK_MESSAGE");
  ::unsetenv("KERNEL_HANGS");
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_GE(count(outcome.err,
                  "starport-mpi: worker 1: no memory for the next blocks: an update "
                  "has not ended for 12 s"),
            1U)  // twice if the master is continued before it is ended
      << outcome.err;
}

// Another program modifies the file, or truncates it.
TEST_F(MpiFault, AFileThatChangesEndsTheRun) {
  const std::string before = raw(std::vector<double>(std::size_t{40} * 40, 0.25));
  for (const char* harm : {"touch -d '1 minute' ", "truncate -s 8 "}) {
    begin(kOnTheStar);
    const TemporaryFile a(before, ".bin");
    const Outcome outcome =
        harmed(harm + a.path(), kOnTheStar + " --time-scale 0.1 --a " + a.path());
    EXPECT_NE(outcome.status, 0);
    EXPECT_EQ(count(outcome.err, " has changed during the run"), 1U) << outcome.err;
    EXPECT_EQ(outcome.out.find("C is right"), std::string::npos) << outcome.out;
    expect_c_as_before();
  }
}

TEST_F(MpiFault, AWorkerThatDiesEndsTheRun) {
  for (const std::string& work : {kOnTheStar, kDistributed}) {
    begin(work);
    const Outcome outcome = harmed("kill -KILL $3", work);
    EXPECT_NE(outcome.status, 0);
    EXPECT_NE(outcome.status, 124) << "timed out";
    // The message is mpirun's: Open MPI leaves the other ranks no time for one of their own.
    EXPECT_NE(outcome.err.find("process rank 2 with"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("signal 9"), std::string::npos) << outcome.err;
    expect_c_as_before();
  }
}

// Messages are structures, which another build may lay out differently. A rank that is not started
// waits with a limit.
TEST(MpiFailure, RanksOfAnotherBuildAreRefused) {
  const Outcome run = test::shell(test::kMpiEnvironment + test::kGuard + "mpirun -n 2 '" +
                                  STARPORT_OTHER_BUILD_RANKS "'");
  EXPECT_EQ(run.status, 0) << run.err;
  for (const char* line :
       {"the master (rank 0) has not responded for 0.1 s. Check that its machine is running\n",
        "rank 1 runs another build (starport 0.1 (abcdef), messages of 8 bytes) than rank 0 "
        "(starport "}) {
    EXPECT_NE(run.out.find(line), std::string::npos) << run.out;
  }
}

TEST(MpiFailure, BadInputIsToldOnce) {
  const TemporaryFile platform(kTwoWorkers);
  const TemporaryFile huge(
      R"({"schema_version": 1, "name": "huge", "block_size": 1000, "workers": [
          {"c_s": 1, "w_s": 1, "m_blocks": 100000000}]})");
  const TemporaryFile ports(
      R"({"schema_version": 1, "name": "ports", "block_size": 4, "port": "two-port", "workers": [
          {"c_s": 1, "w_s": 1, "m_blocks": 12}]})");
  const TemporaryFile nan(raw({1, 2, 3, std::nan(""), 5, 6, 7, 8}), ".bin");
  struct Case {
    int ranks;
    std::string arguments;
    int status;
    std::string message;
  };
  const std::vector<Case> cases{
      {2, "execute " + platform.path() + " --problem 4x4x4", 2,
       platform.path() + ": expected 3 ranks, the master and a worker each (mpirun -n 3), found 2"},
      {1, "execute nowhere.json --problem 4x4x4", 2, "nowhere.json: there is no such file"},
      {1, "excute", 2, "starport-mpi: 'excute' is not a command. Did you mean 'execute'?"},
      {1, "execute " + platform.path() + " --problem 4x4x4 --time-scale 2", 2,
       "--time-scale: expected --emulate with this option, but there is none"},
      {1, "execute " + platform.path() + " --problem 4x4x4 --heuristics Hat", 2,
       "Did you mean 'Het'?"},
      {1, "calibrate -o /dev/null", 2,
       "expected at least 2 ranks, the master and a worker, found 1"},
      {1, "calibrate -o /dev/null --block-sizes 40,x", 2,
       "--block-sizes: expected integers from 1 to 1000000, separated by commas, found '40,x'"},
      {1, "execute " + ports.path() + " --problem 4x4x4", 2,
       ports.path() +
           ": /port: expected one-port, since rank 0 does one transfer at a time, found two-port"},
      {1, "execute " + platform.path() + " --schedule s.json --heuristics Het", 2,
       "--heuristics: expected no such option with --schedule, since the schedule determines it, "
       "found 'Het'"},
      {1, "execute " + platform.path() + " --schedule s.json --block-size 4", 2,
       "--block-size: expected no such option with --schedule, since the schedule determines it, "
       "found '4'"},
      {1, "execute " + platform.path() + " --problem 4x4x4 --b x.bin --c ./x.bin", 2,
       "./x.bin: --c: expected another file than --b, since the product replaces C, found the "
       "same"},
      {1, "execute " + platform.path() + " --problem 4x4x4 --c x.csv --trace ./x.csv", 2,
       "--trace: expected another file than that of a matrix, found './x.csv'"},
      {1, "execute " + platform.path() + " --schedule s.json --plugin p.so", 2,
       "--plugin: expected no such option with --schedule, since the schedule determines it, "
       "found 'p.so'"},
      {3, "execute " + platform.path() + " --problem 2x4x2 --a " + nan.path(), 2,
       nan.path() + ": --a: expected finite numbers, found nan in row 0, column 3 (from 0)"},
      {1, "execute " + platform.path() + " --problem 4x4x4 --threads 0", 2,
       "--threads: expected an integer from 1 to 1024, found '0'"},
      {2, "execute " + huge.path() + " --problem 1000x1000x1000", 1, "GiB of memory are free"},
  };
  for (const auto& [ranks, arguments, status, message] : cases) {
    const auto outcome = mpi(ranks, arguments);
    EXPECT_EQ(outcome.status, status) << arguments << outcome.err;
    EXPECT_EQ(count(outcome.err, "starport-mpi: ") + count(outcome.err, "starport-mpi calibrate: "),
              1U)
        << outcome.err;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
  }
}

// More threads than any machine has cores.
TEST(MpiFailure, TooFewCoresAreReportedAndTheRunGoesOn) {
  const TemporaryFile platform(kTwoWorkers);
  const std::string run =
      "execute " + platform.path() + " --problem 16x16x16 --heuristics ODDOML --threads 1024";
  const Outcome outcome = mpi(3, run);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.err.find(": 2049 threads compute or send at the same time, on "),
            std::string::npos)
      << outcome.err;
  const Outcome refused = mpi(3, run + " --require 50%");
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.err.find("ODDOML is predicted without a 95% interval"), std::string::npos)
      << refused.err;
  EXPECT_EQ(refused.out, "");
  EXPECT_NE(
      mpi(3, run + " --require 5% --emulate").err.find("--require: expected a heuristic for "),
      std::string::npos);
}

// A run that is stopped early leaves C unchanged.
TEST(MpiFailure, ARunThatIsCutShortLeavesC) {
  const test::TemporaryDirectory work;
  const std::string c = (work.path() / "c.bin").string();
  const std::string before = raw(std::vector<double>(std::size_t{64} * 64, 0.5));
  std::ofstream(c, std::ios::binary) << before;
  const TemporaryFile platform(
      R"({"schema_version": 1, "name": "slow", "block_size": 4, "workers": [
    {"c_s": 0.001, "w_s": 0.001, "m_blocks": 21}]})");
  const std::string execute =
      "execute " + platform.path() + " --problem 64x64x64 --c " + c + " --heuristics ODDOML ";
  const auto files = [&] {
    return std::distance(std::filesystem::directory_iterator(work.path()),
                         std::filesystem::directory_iterator());
  };
  const Outcome cut = mpi(2, execute + "--emulate --time-limit 1.5");
  EXPECT_EQ(cut.status, 1);
  EXPECT_NE(cut.err.find("timed out after 1.5 s"), std::string::npos) << cut.err;
  EXPECT_EQ(read_file(c), before);
  EXPECT_EQ(files(), 1);
  const Outcome whole = mpi(2, execute);
  EXPECT_EQ(whole.status, 0) << whole.err;
  EXPECT_NE(read_file(c), before);
  EXPECT_EQ(files(), 1);
}

/// Runs starport-mpi, and flips a bit of message number `message` of this tag from `rank`.
Outcome flipped_run(int ranks, int rank, int tag, int message, const std::string& arguments) {
  return shell(kMpiEnvironment +
               fmt::format("export FLIP_RANK={} FLIP_TAG={} FLIP_MESSAGE={} FLIP_BIT=11; {}mpirun "
                           "-n {} env LD_PRELOAD={} '{}' {}",
                           rank, tag, message, kGuard, ranks, STARPORT_FLIPPED_BIT,
                           STARPORT_MPI_PROGRAM, arguments));
}

// The third setup is the second run's.
TEST(MpiFailure, RunsBeforeTheOneThatFailsAreReported) {
  const TemporaryFile platform(
      R"({"schema_version": 1, "name": "two", "block_size": 4,
          "workers": [{"c_s": 0.0002, "w_s": 0.0004, "m_blocks": 400, "count": 2}]})");
  const TemporaryFile trace("", ".csv");
  const std::string execute =
      "execute " + platform.path() + " --problem 16 --emulate --heuristics ";
  for (const std::string heuristics : {"FPM,homogeneous", "Het,ODDOML --trace "}) {
    const bool is_star = heuristics.ends_with(' ');
    const Outcome outcome =
        flipped_run(3, 0, 1, 3, execute + heuristics + (is_star ? trace.path() : ""));
    EXPECT_EQ(outcome.status, 1) << outcome.err;
    EXPECT_EQ(count(outcome.err, "bytes received from rank 0 differ"), 1U) << outcome.err;
    EXPECT_EQ(count(outcome.out, "C is right"), 1U) << outcome.out;
    const std::string traces = read_file(trace.path());
    EXPECT_EQ(traces.find("\nHet,") != std::string::npos, is_star) << traces;
    EXPECT_EQ(traces.find("ODDOML"), std::string::npos) << traces;
  }
}

TEST(MpiFailure, ARunIsReportedBeforeItsTraceFails) {
  const TemporaryFile platform(kTwoWorkers);
  const test::TemporaryDirectory folder;
  const std::filesystem::path trace = folder.path() / "full.csv";
  std::filesystem::create_symlink("/dev/full", trace);
  const Outcome outcome =
      mpi(3, "execute " + platform.path() + " --problem 16 --emulate --heuristics ODDOML --trace " +
                 trace.string());
  EXPECT_EQ(outcome.status, 2) << outcome.err;
  EXPECT_EQ(count(outcome.err, "--trace"), 1U) << outcome.err;
  EXPECT_EQ(count(outcome.out, "C is right"), 1U) << outcome.out;
}

// The second message of this tag confirms the end of the rank.
TEST(MpiFailure, ACalibrationIsWrittenBeforeTheRanksEnd) {
  const test::TemporaryDirectory folder;
  const std::string path = (folder.path() / "platform.json").string();
  const Outcome outcome =
      flipped_run(2, 1, 0, 2, "calibrate --block-sizes 8 --memory 1MiB --seconds 0.02 -o " + path);
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_NE(outcome.out.find("written to " + path), std::string::npos) << outcome.out;
  EXPECT_TRUE(std::filesystem::exists(path));
}

// Each rank reads its own command line.
TEST(MpiFailure, RanksThatMeasureOtherBlockSizesAreRefused) {
  const std::string calibrate =
      "-n 1 '" STARPORT_MPI_PROGRAM "' calibrate -o /dev/null --memory 1MiB --seconds 0.02 ";
  const Outcome outcome =
      shell(kMpiEnvironment + kGuard + "mpirun " + calibrate + "--block-sizes 8,16 : " + calibrate +
            "--block-sizes 8,16 : " + calibrate + "--block-sizes 8");
  EXPECT_EQ(outcome.status, 2) << outcome.err;
  EXPECT_NE(outcome.err.find("--block-sizes, --element-type: expected 8,16 in float64 on every "
                             "rank, as on rank 0, found 8 in float64 on rank 2"),
            std::string::npos)
      << outcome.err;
}

}  // namespace
}  // namespace starport
