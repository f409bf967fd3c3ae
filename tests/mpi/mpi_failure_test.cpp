// A run of starport-mpi that fails ends with one message and an exit status, and never hangs.
#include "sim/files/input_file.hpp"
#include "sim/files/json_node.hpp"
#include "tests/mpi/mpi_support.hpp"
#include "tests/paths.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace starport {
namespace {

using test::count;
using test::kTwoWorkers;
using test::mpi;
using test::Outcome;
using test::raw;
using test::TemporaryFile;

// Messages are structures, which another build may lay out differently.
TEST(MpiFailure, RanksOfAnotherBuildAreRefused) {
  const Outcome run = test::shell(test::kMpiEnvironment + test::kGuard + "mpirun -n 2 '" +
                                  STARPORT_OTHER_BUILD_RANKS "'");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_TRUE(
      run.out.starts_with("rank 1 runs another build (starport 0.1 (abcdef), messages of "
                          "8 bytes) than rank 0 (starport "))
      << run.out;
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
TEST(MpiFailure, WherePredictionsCannotHoldNothingIsStarted) {
  const TemporaryFile platform(kTwoWorkers);
  const std::string run = test::kMpiEnvironment + test::kGuard +
                          "mpirun -n 3 '" STARPORT_MPI_PROGRAM "' execute " + platform.path() +
                          " --problem 16x16x16 --heuristics ODDOML --threads 1024";
  const Outcome refused = test::shell(run);
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.err.find(": 2049 threads compute or send at the same time, on "),
            std::string::npos)
      << refused.err;
  EXPECT_EQ(count(refused.err, "since predicted times would not be accurate to 5%"), 1U)
      << refused.err;
  EXPECT_EQ(refused.out, "");
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

}  // namespace
}  // namespace starport
