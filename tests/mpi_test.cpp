// starport-mpi as a person runs it, under mpirun and under SMPI. Nothing here depends on how fast
// the machine is: products, orders, messages, exit statuses.
#include "sim/model/json_node.hpp"
#include "tests/support.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace starport {
namespace {

using test::Outcome;
using test::shell;
using test::TemporaryDirectory;
using test::TemporaryFile;

/// Open MPI on a machine of any number of cores, as root too; runs at the same time do not share
/// the directory that each removes at its end; MPI does not give all its memory back.
constexpr const char* kMpirun =
    "export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
    "OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_rmaps_base_oversubscribe=1 "
    "OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_orte_tmpdir_base=$(mktemp -d) "
    "HWLOC_HIDE_ERRORS=2 ASAN_OPTIONS=detect_leaks=0; trap \"rm -rf $OMPI_MCA_orte_tmpdir_base\" "
    "EXIT; ";

/// One rank needs no mpirun.
Outcome mpi(int ranks, const std::string& arguments) {
  if (ranks == 1) return shell(std::string(kMpirun) + "'" STARPORT_MPI_PROGRAM "' " + arguments);
  return shell(std::string(kMpirun) + "timeout -k 5 120 mpirun -n " + std::to_string(ranks) +
               " '" STARPORT_MPI_PROGRAM "' " + arguments);
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

/// Two workers for blocks of 4 x 4; an emulated run of the product below takes 0.2 s.
constexpr const char* kPlatform =
    R"({"schema_version": 1, "name": "two", "block_size": 4, "workers": [
        {"c_s": 0.0002, "w_s": 0.0004, "m_blocks": 12},
        {"c_s": 0.0004, "w_s": 0.0006, "m_blocks": 21}]})";

TEST(Mpi, EveryHeuristicGetsTheProductRight) {
  const TemporaryFile platform(kPlatform);
  const TemporaryFile trace("", ".csv");
  // Sizes that the blocks do not divide; late wake-ups change no order of a static schedule.
  const auto outcome =
      mpi(3, "execute " + platform.path() +
                 " --problem 15x12x22 --heuristic all --emulate --json --trace " + trace.path());
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  ASSERT_EQ(json.at("results").size(), 7U);
  EXPECT_EQ(json.at("emulated"), true);
  for (const auto& result : json.at("results")) {
    EXPECT_EQ(result.at("check"), "against one dgemm");
    const auto& predicted = result.at("predicted");
    const auto& real = result.at("real");
    std::int64_t updates = 0;
    for (const auto& worker : real.at("workers")) {
      updates += worker.at("block_updates").get<std::int64_t>();
    }
    EXPECT_EQ(updates, 4 * 3 * 6);
    const std::string name = result.at("heuristic");
    if (name == "ODDOML" || name == "BMM") continue;
    EXPECT_EQ(real.at("blocks_moved"), predicted.at("blocks_moved")) << name;
    // Nothing ends before the platform says.
    EXPECT_GE(real.at("makespan_s").get<double>(), 0.99 * predicted.at("makespan_s").get<double>())
        << name;
    EXPECT_LE(result.at("most_held_blocks").at(0), 12);
    EXPECT_LE(result.at("most_held_blocks").at(1), 21);
  }
  const TemporaryDirectory figures;
  for (const std::string name : {"Het", "Het predicted", "ODDOML"}) {
    const auto drawn = shell("starport plot " + trace.path() + " --figure gantt --heuristic '" +
                             name + "' -o " + (figures.path() / "gantt.svg").string());
    EXPECT_EQ(drawn.status, 0) << drawn.err;
  }
}

TEST(Mpi, WithoutEmulationAScheduleFromAFileIsCarriedOut) {
  const TemporaryFile platform(kPlatform);
  const TemporaryFile schedule("");
  ASSERT_EQ(shell("starport plan " + platform.path() +
                  " --problem 16x12x24 --heuristic Hom --engine analytic -o " + schedule.path())
                .status,
            0);
  const auto outcome = mpi(3, "execute " + platform.path() + " --schedule " + schedule.path());
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_NE(outcome.out.find("C is right, checked against one dgemm"), std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.out.find("Hom, predicted and real:"), std::string::npos) << outcome.out;
}

// Its workers differ: HoLM is for workers that are all alike.
TEST(Mpi, AHeuristicThatDoesNotApplyIsLeftOut) {
  const TemporaryFile platform(kPlatform);
  const std::string run = "execute " + platform.path() + " --problem 16x12x24 --heuristic ";
  const auto outcome = mpi(3, run + "HoLM,ORROML");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err,
            "starport-mpi: HoLM does not apply and is left out: the workers are not all alike\n");
  EXPECT_NE(outcome.out.find("ORROML, predicted and real:"), std::string::npos) << outcome.out;
  const auto none = mpi(3, run + "HoLM");
  EXPECT_EQ(none.status, 1);
  EXPECT_NE(none.err.find("no heuristic is left to run"), std::string::npos) << none.err;
}

TEST(Mpi, LateCIsAddedToWhatWasAccumulated) {
  const auto fixture = load_json(STARPORT_SOURCE_DIR "/tests/fixtures/late-c.json");
  nlohmann::json platform = fixture.at("platform");
  platform["schema_version"] = 1;
  platform["block_size"] = fixture.at("problem").at("block_size");
  const TemporaryFile file(platform.dump());
  const auto outcome = mpi(static_cast<int>(platform.at("workers").size()) + 1,
                           "execute " + file.path() + " --schedule tests/fixtures/late-c.json");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("C is right"), std::string::npos) << outcome.out;
}

/// Doubles 0, 1, 2, ... as a raw file.
std::string counting(int size) {
  std::string bytes;
  for (int n = 0; n < size; ++n) {
    const auto value = static_cast<double>(n);
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  return bytes;
}

TEST(Mpi, MatricesAreReadFromAndWrittenToFiles) {
  const TemporaryFile platform(kPlatform);
  const TemporaryFile a(counting(2 * 3), ".bin");
  const TemporaryFile b(counting(3 * 2), ".bin");
  const TemporaryFile c(counting(2 * 2), ".bin");
  const auto outcome = mpi(3, "execute " + platform.path() + " --problem 2x3x2 --a " + a.path() +
                                  " --b " + b.path() + " --c " + c.path());
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  // (0 1 2; 3 4 5) (0 1; 2 3; 4 5) = (10 13; 28 40), plus (0 1; 2 3).
  std::ifstream in(c.path(), std::ios::binary);
  std::vector<double> values(4);
  in.read(reinterpret_cast<char*>(values.data()), 32);
  EXPECT_EQ(values, (std::vector<double>{10, 14, 30, 43}));

  const auto wrong = mpi(3, "execute " + platform.path() + " --problem 2x4x2 --a " + a.path());
  EXPECT_NE(wrong.status, 0);
  EXPECT_EQ(count(wrong.err, "starport-mpi: " + a.path() +
                                 ": --a: expected 2 x 4 doubles by rows, 64 bytes, found 48 bytes"),
            1U)
      << wrong.err;
}

TEST(Mpi, BadInputIsToldOnce) {
  const TemporaryFile platform(kPlatform);
  const TemporaryFile huge(
      R"({"schema_version": 1, "name": "huge", "block_size": 1000, "workers": [
          {"c_s": 1, "w_s": 1, "m_blocks": 100000000}]})");
  struct Case {
    int ranks;
    std::string arguments;
    int status;
    std::string message;
  };
  const std::vector<Case> cases{
      {2, "execute " + platform.path() + " --problem 4x4x4", 2,
       platform.path() + ": expected 3 ranks, the master and a worker each (mpirun -n 3), found 2"},
      {1, "execute nowhere.json --problem 4x4x4", 2,
       "nowhere.json: expected a readable file, found No such file or directory"},
      {1, "", 2,
       "starport-mpi: expected a command, found nothing (starport-mpi --help lists them)"},
      {1, "excute", 2,
       "starport-mpi: expected a command: calibrate, execute, found 'excute' (did you mean "
       "'execute'?)"},
      {1, "execute " + platform.path() + " --problem 4x4x4 --time-scale 2", 2,
       "--time-scale: expected --emulate with it, found none"},
      {1, "execute " + platform.path() + " --problem 4x4x4 --heuristic Hat", 2,
       "did you mean 'Het'?"},
      {1, "calibrate -o /dev/null", 2,
       "expected at least 2 ranks, the master and a worker, found 1"},
      {1, "calibrate -o /dev/null --block-sizes 40,x", 2,
       "--block-sizes: expected integers from 1 to 1000000, separated by commas, found '40,x'"},
      {2, "execute " + huge.path() + " --problem 1000x1000x1000", 1, "GiB of memory are free"},
  };
  for (const auto& [ranks, arguments, status, message] : cases) {
    const auto outcome = mpi(ranks, arguments);
    EXPECT_EQ(outcome.status, status) << arguments << outcome.err;
    EXPECT_EQ(count(outcome.err, "starport-mpi: "), 1U + (message.starts_with("starport-mpi: ")))
        << outcome.err;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
  }
}

/// A run that takes long, of which `harm` is done to rank 2 once it goes on.
Outcome harmed(const std::string& harm) {
  const TemporaryFile platform(
      R"({"schema_version": 1, "name": "slow", "block_size": 4, "workers": [
          {"c_s": 0.2, "w_s": 0.1, "m_blocks": 12}, {"c_s": 0.2, "w_s": 0.1, "m_blocks": 12}]})");
  return shell(
      std::string(kMpirun) + "timeout -k 5 120 mpirun -n 3 '" STARPORT_MPI_PROGRAM "' execute " +
      platform.path() +
      " --problem 40x40x80 --heuristic ORROML --emulate --time-out 15 & run=$!; "
      "victim=; for i in $(seq 600); do sleep 0.1; mpirun=$(pgrep -P $run -x mpirun) || continue; "
      "set -- $(pgrep -P $mpirun -x starport-mpi); [ $# = 3 ] && victim=$3 && break; done; sleep "
      "2; "
      "[ -n \"$victim\" ] || { kill $run; echo no victim >&2; }; " +
      harm + "; wait $run");
}

TEST(Mpi, AWorkerThatHangsEndsTheRun) {
  const auto outcome = harmed("kill -STOP $victim");
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_EQ(
      count(outcome.err, "starport-mpi: worker 2 (rank 2) has given no sign of life for 15 s"), 1U)
      << outcome.err;
}

TEST(Mpi, AWorkerThatDiesEndsTheRun) {
  const auto outcome = harmed("kill -KILL $victim");
  EXPECT_NE(outcome.status, 0);
  EXPECT_NE(outcome.status, 124) << "timed out";
  EXPECT_NE(outcome.err.find("signal 9"), std::string::npos) << outcome.err;  // mpirun's own words
}

TEST(Mpi, CalibrateGivesAPlatformThatRunTakes) {
  const TemporaryDirectory directory;
  const std::string path = (directory.path() / "platform.json").string();
  const auto outcome =
      mpi(3, "calibrate --block-sizes 8,16 --memory 10MiB --speed-function -o " + path);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("written to " + path), std::string::npos) << outcome.out;
  const auto json = load_json(path);
  EXPECT_EQ(json.at("workers").size(), 2U);
  EXPECT_EQ(json.at("provenance").at("samples").at("dgemm").size(), 4U);  // 2 workers, 2 sizes
  EXPECT_EQ(json.at("provenance").at("samples").at("links").size(), 8U);
  for (const auto& link : json.at("provenance").at("samples").at("links")) {
    EXPECT_EQ(link.at("to_worker_s").size(), 10U);
    EXPECT_EQ(link.at("to_master_s").size(), 10U);
  }
  EXPECT_FALSE(json.at("workers").at(0).at("speed_function").empty());
  const auto run = shell("starport run " + path + " --problem 160x160x320 --engine analytic");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(shell("starport validate " + path).status, 0);
}

#ifdef STARPORT_SMPI_PROGRAM
TEST(Mpi, SmpiAgreesWithThePrediction) {
  // The same program on simulated links and processors. Blocks of 80 x 80, so that the messages
  // that are not blocks weigh little.
  const TemporaryFile platform(
      R"({"schema_version": 1, "name": "two", "block_size": 80, "workers": [
          {"c_s": 0.005, "w_s": 0.01, "m_blocks": 12}, {"c_s": 0.01, "w_s": 0.008, "m_blocks": 21}]})");
  const TemporaryFile xml("", ".xml");
  const TemporaryFile hosts("master\nworker-1\nworker-2\n", ".txt");
  ASSERT_EQ(
      shell("starport convert " + platform.path() + " --to simgrid-xml -o " + xml.path()).status,
      0);
  const auto outcome =
      shell("smpirun -np 3 -platform " + xml.path() + " -hostfile " + hosts.path() +
            " --cfg=network/model:CM02 --cfg=smpi/simulate-computation:no --cfg=smpi/iprobe:1e-6 "
            "--cfg=smpi/iprobe-cpu-usage:0 --cfg=smpi/test:1e-6 "
            "--log=root.thresh:warning '" STARPORT_SMPI_PROGRAM "' execute " +
            platform.path() + " --problem 320x320x640 --heuristic Het,ORROML,ODDOML --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out.substr(outcome.out.find('{')));
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
