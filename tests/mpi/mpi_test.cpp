// starport-mpi as a user runs it, with mpirun and with SMPI. The tests check products and orders,
// which do not depend on the speed of the machine.
#include "sim/files/json.hpp"
#include "tests/mpi/mpi_support.hpp"
#include "tests/paths.hpp"
#include "tests/support.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>

namespace starport {
namespace {

using test::shell;
using test::TemporaryDirectory;
using test::TemporaryFile;

TEST(Mpi, EveryHeuristicGetsTheProductRight) {
  const TemporaryFile platform(test::kTwoWorkers);
  const TemporaryFile trace("", ".csv");
  // The sizes are not multiples of the block size. Late wake-ups do not change the order of a
  // static schedule.
  const auto outcome = test::mpi(
      3, "execute " + platform.path() +
             " --problem 15x12x22 --heuristics all --emulate --json --trace " + trace.path());
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto json = test::json_of(outcome.out);
  ASSERT_EQ(json.at("results").size(), 7U);
  EXPECT_EQ(json.at("emulated"), true);
  for (const auto& result : json.at("results")) {
    EXPECT_TRUE(
        result.at("check").get<std::string>().starts_with("against one dgemm, each element to "));
    const auto& predicted = result.at("predicted");
    const auto& real = result.at("real");
    std::int64_t updates = 0;
    for (const auto& worker : real.at("workers")) {
      updates += worker.at("block_updates").get<std::int64_t>();
    }
    EXPECT_EQ(updates, 4 * 3 * 6);
    // The wall time includes sending the setup, the check and storing C.
    EXPECT_GE(result.at("wall_s").get<double>(), real.at("makespan_s").get<double>());
    const std::string name = result.at("heuristic");
    if (name == "ODDOML" || name == "BMM") continue;
    EXPECT_EQ(real.at("blocks_moved"), predicted.at("blocks_moved")) << name;
    // An emulated run takes at least what the platform file says.
    EXPECT_GE(real.at("makespan_s").get<double>(), 0.99 * predicted.at("makespan_s").get<double>())
        << name;
    EXPECT_LE(result.at("peak_blocks").at(0), 12);
    EXPECT_LE(result.at("peak_blocks").at(1), 21);
  }
  const TemporaryDirectory figures;
  for (const std::string name : {"Het", "Het predicted", "ODDOML"}) {
    const auto drawn = shell("starport plot " + trace.path() + " --figure gantt --heuristics '" +
                             name + "' -o " + (figures.path() / "gantt.py").string());
    EXPECT_EQ(drawn.status, 0) << drawn.err;
  }
}

// A block of A is sent twice, for two blocks of C. Whether the update that releases it has ended
// when it is sent again depends on the durations, and the schedule does not wait for that update.
// It is valid either way; a real worker, which holds one copy at a time, waits.
TEST(Mpi, ABlockThatComesAgainIsWaitedFor) {
  const auto schedule = [](double w_s) {
    return fmt::format(R"({{"schema_version": 1,
      "problem": {{"r": 1, "s": 2, "t": 1, "block_size": 200}},
      "platform": {{"name": "one", "workers": [{{"c_s": 0.01, "w_s": {}, "m_blocks": 12}}]}},
      "transfers": [
        {{"worker": 1, "to": "worker", "c": {{"rows": [0, 1], "columns": [0, 1]}}}},
        {{"worker": 1, "to": "worker", "a": {{"rows": [0, 1], "inner": [0, 1]}},
          "b": {{"inner": [0, 1], "columns": [0, 1]}},
          "update": {{"rows": [0, 1], "columns": [0, 1], "inner": [0, 1],
            "release_a": {{"rows": [0, 1], "inner": [0, 1]}},
            "release_b": {{"inner": [0, 1], "columns": [0, 1]}}}}}},
        {{"worker": 1, "to": "worker", "c": {{"rows": [0, 1], "columns": [1, 2]}}}},
        {{"worker": 1, "to": "worker", "a": {{"rows": [0, 1], "inner": [0, 1]}},
          "b": {{"inner": [0, 1], "columns": [1, 2]}},
          "update": {{"rows": [0, 1], "columns": [1, 2], "inner": [0, 1],
            "release_a": {{"rows": [0, 1], "inner": [0, 1]}},
            "release_b": {{"inner": [0, 1], "columns": [1, 2]}}}}}},
        {{"worker": 1, "to": "master", "after_update": 2,
          "c": {{"rows": [0, 1], "columns": [0, 2]}}}}]}})",
                       w_s);
  };
  for (const double w_s : {0.001, 1.0}) {
    const TemporaryFile file(schedule(w_s));
    const TemporaryFile platform(fmt::format(
        R"({{"schema_version": 1, "name": "one", "block_size": 200,
        "workers": [{{"c_s": 0.01, "w_s": {}, "m_blocks": 12}}]}})",
        w_s));
    const std::string execute = "execute " + platform.path() + " --schedule " + file.path();
    for (const auto& outcome : {shell("starport validate " + file.path()),
                                shell("starport replay " + platform.path() + " " + file.path()),
                                test::mpi(2, execute), test::mpi(2, execute + " --emulate")}) {
      EXPECT_EQ(outcome.status, 0) << w_s << ": " << outcome.err;
    }
  }
}

TEST(Mpi, AWorkerWithoutMemoryForABlockStaysUnused) {
  const TemporaryFile platform(R"({"schema_version": 1, "name": "two", "block_size": 8, "workers": [
      {"bandwidth": "1GBps", "speed": "1Gf", "memory": "1MiB"},
      {"bandwidth": "1GBps", "speed": "1Gf", "memory": "100B"}]})");
  const auto outcome = test::mpi(
      3, "execute " + platform.path() + " --problem 20x20x20 --heuristics Het --emulate --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto workers = test::json_of(outcome.out).at("results").at(0).at("real").at("workers");
  EXPECT_EQ(workers.at(0).at("block_updates"), 27);
  EXPECT_EQ(workers.at(1).at("block_updates"), 0);
}

TEST(Mpi, NoiseNamesWorkers) {
  const TemporaryFile platform(R"({"schema_version": 1, "name": "named", "block_size": 1,
      "workers": [{"name": "left", "c_s": 0.0001, "w_s": 0.0001, "m_blocks": 12}]})");
  const std::string execute =
      "execute " + platform.path() + " --problem 2x2x2 --heuristics ODDOML --emulate --noise slow=";
  EXPECT_EQ(test::mpi(2, execute + "left@0:x2").status, 0);
  const auto unknown = test::mpi(2, execute + "right@0:x2");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_NE(unknown.err.find("a worker: its number, or left"), std::string::npos) << unknown.err;
}

TEST(Mpi, WithoutEmulationAScheduleFromAFileIsCarriedOut) {
  const TemporaryFile platform(test::kTwoWorkers);
  const TemporaryFile schedule("");
  ASSERT_EQ(shell("starport plan " + platform.path() +
                  " --problem 16x12x24 --heuristics Hom --engine analytic -o " + schedule.path())
                .status,
            0);
  const auto outcome =
      test::mpi(3, "execute " + platform.path() + " --schedule " + schedule.path());
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("C is right, checked against one dgemm"), std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.out.find("Hom, predicted and real:"), std::string::npos) << outcome.out;
}

// HoLM applies only if all workers are alike, which they are not.
TEST(Mpi, AHeuristicThatDoesNotApplyIsLeftOut) {
  const TemporaryFile platform(test::kTwoWorkers);
  const std::string run = "execute " + platform.path() + " --problem 16x12x24 --heuristics ";
  const auto outcome = test::mpi(3, run + "HoLM,ORROML");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(
      outcome.err.find("starport-mpi: HoLM is skipped, since it does not apply: the workers are "
                       "not all alike\n"),
      std::string::npos)
      << outcome.err;
  EXPECT_NE(outcome.out.find("ORROML, predicted and real:"), std::string::npos) << outcome.out;
  const auto none = test::mpi(3, run + "HoLM");
  EXPECT_EQ(none.status, 1);
  EXPECT_NE(none.err.find("no heuristic applies to this platform"), std::string::npos) << none.err;
}

TEST(Mpi, LateCIsAddedToWhatWasAccumulated) {
  const auto fixture = load_json(STARPORT_SOURCE_DIR "/tests/fixtures/late-c.json");
  nlohmann::json platform = fixture.at("platform");
  platform["schema_version"] = 1;
  platform["block_size"] = fixture.at("problem").at("block_size");
  const TemporaryFile file(platform.dump());
  const auto outcome =
      test::mpi(static_cast<int>(platform.at("workers").size()) + 1,
                "execute " + file.path() + " --schedule tests/fixtures/late-c.json");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("C is right"), std::string::npos) << outcome.out;
}

// The partial sums of worker 2 arrive while worker 1 has the master's C.
TEST(Mpi, PartialSumsAreAddedUp) {
  const auto fixture = load_json(STARPORT_SOURCE_DIR "/tests/fixtures/split-k.json");
  for (const char* type : {"float64", "float32"}) {
    nlohmann::json platform = fixture.at("platform");
    platform["schema_version"] = 1;
    platform["block_size"] = fixture.at("problem").at("block_size");
    platform["element_type"] = type;
    const TemporaryFile file(platform.dump());
    const auto outcome =
        test::mpi(3, "execute " + file.path() + " --schedule tests/fixtures/split-k.json");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("C is right"), std::string::npos) << outcome.out;
  }
}

TEST(Mpi, MatricesAreReadFromAndWrittenToFiles) {
  const TemporaryFile platform(test::kTwoWorkers);
  const TemporaryFile a(test::raw({0, 1, 2, 3, 4, 5}), ".bin");
  const TemporaryFile b(test::raw({0, 1, 2, 3, 4, 5}), ".bin");
  const TemporaryFile c(test::raw({0, 1, 2, 3}), ".bin");
  const auto outcome = test::mpi(3, "execute " + platform.path() + " --problem 2x3x2 --a " +
                                        a.path() + " --b " + b.path() + " --c " + c.path());
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  // (0 1 2; 3 4 5) (0 1; 2 3; 4 5) = (10 13; 28 40), plus (0 1; 2 3).
  std::ifstream in(c.path(), std::ios::binary);
  std::vector<double> values(4);
  in.read(reinterpret_cast<char*>(values.data()), 32);
  EXPECT_EQ(values, (std::vector<double>{10, 14, 30, 43}));
}

TEST(Mpi, CalibrateGivesAPlatformThatRunTakes) {
  const TemporaryDirectory directory;
  const std::string path = (directory.path() / "platform.json").string();
  const auto outcome = test::mpi(
      3, "calibrate --block-sizes 8,16 --memory 10MiB --seconds 0.05 --speed-function -o " + path);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("starport-mpi: measuring the dgemm of worker 2 of 2\n"),
            std::string::npos)
      << outcome.err;
  EXPECT_NE(outcome.out.find("written to " + path), std::string::npos) << outcome.out;
  const auto json = load_json(path);
  EXPECT_EQ(json.at("workers").size(), 2U);
  const auto& samples = json.at("provenance").at("samples");
  EXPECT_EQ(samples.at("dgemm").size(), 4U);  // 2 workers, 2 sizes
  EXPECT_GE(samples.at("links").size(), 4U);  // 2 sizes of messages or more
  for (const auto& link : samples.at("links")) {
    EXPECT_LE(link.at("to_worker_s").size(), 40U);
    EXPECT_EQ(link.at("to_master_s").size(), link.at("to_worker_s").size());
  }
  EXPECT_FALSE(json.at("workers").at(0).at("speed_function").empty());
  const auto run = shell("starport run " + path + " --problem 160x160x320 --engine analytic");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(shell("starport validate " + path).status, 0);
}

#ifdef STARPORT_SMPI_PROGRAM
TEST(Mpi, SmpiAgreesWithThePrediction) {
  // On simulated links and processors. With blocks of 80 x 80, the other messages take little time.
  const TemporaryFile platform(
      R"({"schema_version": 1, "name": "two", "block_size": 80, "workers": [
          {"c_s": 0.005, "w_s": 0.01, "m_blocks": 12}, {"c_s": 0.01, "w_s": 0.008, "m_blocks": 21},
          {"c_s": 0.01, "w_s": 0.01, "m_blocks": 12, "count": 3}]})");
  const TemporaryFile xml("", ".xml");
  const TemporaryFile hosts("master\nworker-1\nworker-2\nworker-3\nworker-4\nworker-5\n", ".txt");
  ASSERT_EQ(
      shell("starport convert " + platform.path() + " --to simgrid-xml -o " + xml.path()).status,
      0);
  const auto outcome =
      shell("smpirun -np 6 -platform " + xml.path() + " -hostfile " + hosts.path() +
            " --cfg=network/model:CM02 --cfg=smpi/simulate-computation:no --cfg=smpi/iprobe:1e-6 "
            "--cfg=smpi/iprobe-cpu-usage:0 --cfg=smpi/test:1e-6 "
            "--log=root.thresh:warning '" STARPORT_SMPI_PROGRAM "' execute " +
            platform.path() + " --problem 320x320x640 --heuristics Het,ORROML,ODDOML --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto json = test::json_of(outcome.out.substr(outcome.out.find('{')));
  ASSERT_EQ(json.at("results").size(), 3U);
  for (const auto& result : json.at("results")) {
    const double predicted = result.at("predicted").at("makespan_s");
    EXPECT_NEAR(result.at("real").at("makespan_s").get<double>(), predicted, 0.02 * predicted)
        << result.at("heuristic");
  }
}
#endif

}  // namespace
}  // namespace starport
