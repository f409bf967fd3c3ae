// Distributed products on real ranks: calibrated, partitioned, run.
#include "sim/files/json.hpp"
#include "tests/mpi/mpi_support.hpp"
#include "tests/paths.hpp"
#include "tests/support.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <numeric>

namespace starport {
namespace {

using test::mpi;
using test::shell;
using test::TemporaryDirectory;
using test::TemporaryFile;

/// Three workers for blocks of 4 x 4; the third one's speed falls beyond 20 blocks.
constexpr const char* kThreeWorkers = R"({
  "schema_version": 1, "name": "three", "block_size": 4, "workers": [
    {"c_s": 0.0001, "w_s": 0.0001, "m_blocks": 1000},
    {"c_s": 0.0002, "w_s": 0.0002, "m_blocks": 1000},
    {"c_s": 0.0001, "w_s": 0.0001, "m_blocks": 1000, "speed_function": [
      {"rows": 1, "columns": 1, "inner": 1, "block_size": 4, "seconds": 0.0001},
      {"rows": 4, "columns": 5, "inner": 1, "block_size": 4, "seconds": 0.002},
      {"rows": 5, "columns": 5, "inner": 1, "block_size": 4, "seconds": 0.01},
      {"rows": 8, "columns": 8, "inner": 1, "block_size": 4, "seconds": 0.06}]}]})";

std::int64_t blocks_of(const nlohmann::json& rectangle) {
  return rectangle.at("rows").get<std::int64_t>() * rectangle.at("columns").get<std::int64_t>();
}

/// The sizes are not multiples of the block size: 8 x 8 blocks each.
TEST(Distributed, EveryAlgorithmGetsTheProductRight) {
  const TemporaryFile platform(kThreeWorkers);
  const auto outcome = mpi(4, "execute " + platform.path() +
                                  " --problem 31x29x30 --emulate --json --heuristics "
                                  "heteropar12,FPM[multicast=flat],SquareCorner");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  // On a machine with few cores, there are other messages as well.
  EXPECT_NE(outcome.err.find(
                "starport-mpi: SquareCorner is skipped, since it does not apply: it requires "
                "two workers, but the platform has 3\n"),
            std::string::npos)
      << outcome.err;
  const auto json = test::json_of(outcome.out);
  ASSERT_EQ(json.at("results").size(), 5U);
  for (const auto& result : json.at("results")) {
    EXPECT_TRUE(
        result.at("check").get<std::string>().starts_with("against one dgemm, each element to "));
    const auto& rectangles = result.at("rectangles");
    EXPECT_EQ(
        std::accumulate(rectangles.begin(), rectangles.end(), std::int64_t{0},
                        [](std::int64_t sum, const auto& one) { return sum + blocks_of(one); }),
        64);
    // An emulated run takes at least what the platform file says.
    const double real_s = result.at("real").at("makespan_s");
    EXPECT_GE(result.at("wall_s").get<double>(), real_s);
    EXPECT_GE(real_s, 0.99 * result.at("predicted").at("makespan_s").get<double>())
        << result.at("heuristic");
  }
  const auto& fpm = json.at("results").at(0);
  EXPECT_EQ(fpm.at("heuristic"), "FPM");
  EXPECT_LE(blocks_of(fpm.at("rectangles").at(2)),
            24);  // FPM uses the speed function of the third worker
}

TEST(Distributed, OneWorkerNeedsNoMessages) {
  const TemporaryFile platform(
      R"({"schema_version": 1, "name": "one", "block_size": 4, "workers": [
          {"name": "only", "c_s": 1, "w_s": 1, "m_blocks": 1000}]})");
  const auto outcome =
      mpi(2, "execute " + platform.path() + " --problem 20 --heuristics FPM,Sequential");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("C is right, checked against one dgemm"), std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.out.find("\n  only "), std::string::npos) << outcome.out;
}

TEST(Distributed, MatricesAreReadFromAndWrittenToFiles) {
  const TemporaryFile platform(kThreeWorkers);
  const TemporaryFile a(test::raw({0, 1, 2, 3, 4, 5}), ".bin");
  const TemporaryFile b(test::raw({0, 1, 2, 3, 4, 5}), ".bin");
  const TemporaryFile c(test::raw({0, 1, 2, 3}), ".bin");
  const auto outcome = mpi(4, "execute " + platform.path() +
                                  " --block-size 4 --problem 2x3x2 --heuristics FPM --a " +
                                  a.path() + " --b " + b.path() + " --c " + c.path());
  // C has one block, and there are three workers.
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("FPM is skipped, since it does not apply: there are more workers (3) "
                             "than blocks of C (1)"),
            std::string::npos)
      << outcome.err;

  const TemporaryFile one(R"({"schema_version": 1, "name": "two", "block_size": 1, "workers": [
          {"c_s": 1, "w_s": 1, "m_blocks": 100}, {"c_s": 1, "w_s": 2, "m_blocks": 100}]})");
  const TemporaryFile square(test::raw({0, 1, 2, 3}), ".bin");
  const auto right = mpi(3, "execute " + one.path() + " --problem 2 --heuristics FPM --a " +
                                square.path() + " --b " + square.path() + " --c " + c.path());
  ASSERT_EQ(right.status, 0) << right.err;
  // (0 1; 2 3) (0 1; 2 3) = (2 3; 6 11), plus (0 1; 2 3).
  std::ifstream in(c.path(), std::ios::binary);
  std::vector<double> values(4);
  in.read(reinterpret_cast<char*>(values.data()), 32);
  EXPECT_EQ(values, (std::vector<double>{2, 4, 8, 14}));
}

TEST(Distributed, MeasuredByItsRanksThePlatformRuns) {
  const TemporaryDirectory directory;
  const std::string path = (directory.path() / "platform.json").string();
  const std::string unequal = " --unequal slow=2:10,paging=3:200KiB:20";
  const auto outcome =
      mpi(4,
          "calibrate --block-sizes 16 --memory 30MiB --seconds 0.05 --speed-function "
          "--speed-side 14 -o " +
              path + unequal);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("14 x 14"), std::string::npos) << outcome.out;
  const auto json = load_json(path);
  EXPECT_NE(json.at("provenance").at("text").get<std::string>().find(unequal.substr(11)),
            std::string::npos);
  const auto last = [&](std::size_t worker) {
    const auto& points = json.at("workers").at(worker).at("speed_function");
    double before_s = 0;
    for (const auto& point : points) {
      EXPECT_GT(point.at("seconds").get<double>(), before_s);
      before_s = point.at("seconds").get<double>();
      EXPECT_LE(point.at("interval_s").at(0).get<double>(), before_s);
      EXPECT_GE(point.at("interval_s").at(1).get<double>(), before_s);
    }
    return before_s;
  };
  EXPECT_GT(last(1), 2 * last(0));  // 10 times as long
  EXPECT_GT(last(2), 2 * last(0));  // 1200 KiB where there are 200: 101 times as long
  EXPECT_EQ(shell("starport validate " + path).status, 0);
  const std::string algorithms = " --problem 224 --heuristics";
  const auto run = shell("starport run " + path + algorithms + " FPM,multiple-CPM,homogeneous");
  EXPECT_EQ(run.status, 0) << run.err;
  const auto executed =
      mpi(4, "execute " + path + algorithms + " FPM,multiple-CPM,homogeneous" + unequal);
  ASSERT_EQ(executed.status, 0) << executed.err;
  EXPECT_NE(executed.out.find("C is right"), std::string::npos) << executed.out;
  EXPECT_NE(executed.out.find("homogeneous, predicted and real:"), std::string::npos)
      << executed.out;
}

TEST(Distributed, BadInputIsToldOnce) {
  const TemporaryFile platform(kThreeWorkers);
  const TemporaryFile devices(R"({"schema_version": 1, "name": "devices", "workers": [
      {"bandwidth": "1GBps", "memory": "1GB", "devices": [{"speed": "1Gf"}]}]})");
  struct Case {
    std::string arguments;
    int status;
    std::string message;
  };
  const std::string execute = "execute " + platform.path() + " --problem 32 --heuristics ";
  const std::vector<Case> cases{
      {execute + "FPM,Het", 2,
       "--heuristics: expected heuristics for the star only, or for distributed products only, "
       "found 'FPM' and 'Het'"},
      {execute + "FPM --trace t.csv", 2,
       "--trace: expected a heuristic for the star with this option, found a distributed product"},
      {"calibrate --unequal slow=1:2 -o x.json", 2,
       "--unequal: expected --speed-function with this option"},
      {execute + "FPM --emulate --unequal slow=1:2", 2,
       "--unequal: expected no --emulate with this option, since the platform file determines the "
       "speeds, found both"},
      {execute + "Het --unequal slow=1:2", 2,
       "--unequal: expected a heuristic for distributed products with this option, but there is "
       "none"},
      {execute + "FPM --unequal slow=4:2", 2,
       "--unequal: expected a worker from 1 to 3 behind 'slow=', found 'slow=4:2'"},
      {execute + "FPM", 2, "expected 4 ranks, the master and a worker each (mpirun -n 4), found 1"},
      {execute + "FPM,single-CPM --c c.bin", 2,
       "--c: expected one heuristic, since the product replaces C, found 2"},
      {"execute " + devices.path() + " --problem 320 --heuristics FPM", 2,
       devices.path() +
           ": /workers/0/devices: expected none, since each rank computes as one device, found 1"},
      {"calibrate -o /dev/null --speed-side 8", 2,
       "--speed-side: expected --speed-function with it, but there is none"},
  };
  for (const auto& [arguments, status, message] : cases) {
    const auto outcome = mpi(1, arguments);
    EXPECT_EQ(outcome.status, status) << arguments << outcome.err;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
  }
}

// Without a valid speed there is no star, whose number of workers would be 0.
TEST(Distributed, AWorkerOfWhichTooLittleWasMeasuredIsNamed) {
  const TemporaryFile platform(R"({"schema_version": 1, "name": "p", "block_size": 32, "workers": [
      {"bandwidth": "1GBps", "speed": "1Gf", "memory": "1GB", "speed_function": [
        {"rows": 2, "columns": 2, "inner": 1, "block_size": 32, "seconds": 0.001}]}]})");
  const auto outcome = mpi(2, "execute " + platform.path() + " --problem 64 --heuristics FPM");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("/workers/0/speed_function"), std::string::npos) << outcome.err;
}

// Worker 2 sends its C three seconds late. Meanwhile worker 1 is done and sends nothing.
TEST(Distributed, AWorkerThatIsDoneIsNotMissed) {
  const TemporaryFile platform(test::kTwoWorkers);
  const auto outcome = shell(
      test::kMpiEnvironment + "export DELAY_RANK=2 DELAY_S=3; " + test::kGuard +
      "mpirun -n 3 env LD_PRELOAD=" STARPORT_FLIPPED_BIT " '" STARPORT_MPI_PROGRAM "' execute " +
      platform.path() + " --problem 8 --heuristics FPM --time-out 2");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("C is right"), std::string::npos) << outcome.out;
}

// The only update lasts longer than a worker may be silent.
TEST(Distributed, AWorkerSendsSignsOfLifeDuringAnEmulatedUpdate) {
  const TemporaryFile platform(R"({"schema_version": 1, "name": "one", "block_size": 4,
      "workers": [{"c_s": 0.0001, "w_s": 3, "m_blocks": 1000}]})");
  const auto outcome =
      mpi(2, "execute " + platform.path() + " --problem 4 --heuristics FPM --emulate --time-out 2");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
}

}  // namespace
}  // namespace starport
