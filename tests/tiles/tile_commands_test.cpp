// Tile tasks from the command line: drawings, speeds, memory.
#include "sim/files/input_file.hpp"
#include "sim/files/json.hpp"
#include "tests/paths.hpp"
#include "tests/support.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>

namespace starport::tiles {
namespace {

using starport::test::shell;
using starport::test::TemporaryDirectory;

/// Zones are those of the memories, named by their first worker.
TEST(TileCommands, PlanDrawsTheAllocation) {
  const TemporaryDirectory work;
  const std::string drawing = (work.path() / "zones.csv").string();
  const std::string plan = "starport plan platforms/sirocco.json --problem 30720 -o " + drawing;
  const auto outcome = shell(plan + " --heuristics Static");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out,
            drawing + ": 126 main memory, 234 P3, 216 P4, 224 P5, 224 P6 of 1024 tiles\n");
  for (const char* name : {",P1,", ",P3,", ",P6,"}) {
    EXPECT_NE(read_file(drawing).find(name), std::string::npos) << name;
  }
  const auto narrow = shell("starport plan platforms/sirocco.json --problem 15360x960x3840 -o " +
                            drawing + " --heuristics Static");
  EXPECT_NE(narrow.out.find(" of 64 tiles\n"), std::string::npos) << narrow.out << narrow.err;
  const auto refused = [&](const std::string& heuristic) {
    const auto other = shell(plan + " --heuristics '" + heuristic + "'");
    EXPECT_EQ(other.status, 1) << heuristic;
    return other.err;
  };
  ASSERT_EQ(shell(plan + " --heuristics 'EffectiveSteal[rounding=PRECISE]'").status, 0);
  EXPECT_EQ(refused("DMDA"),
            "starport: DMDA: it gives no division of C before the start that could be drawn\n");
  EXPECT_EQ(refused("Static[partition=NRRP3D]"),
            "starport: Static[partition=NRRP3D]: it divides the tasks, not C: starport partition "
            "--method NRRP3D\n");
}

/// The master's memory is one processor, as in the papers.
TEST(TileCommands, SpeedsOfANodeAreThoseOfItsMemories) {
  const auto outcome = shell("starport partition --speeds-of platforms/sirocco.json --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto processors = test::json_of(outcome.out)["processors"];
  ASSERT_EQ(processors.size(), 5U);
  EXPECT_NEAR(processors[0]["speed"].get<double>(), 2 / 6e-3, 1e-6);
  EXPECT_NEAR(processors[1]["speed"].get<double>(), 1 / 1.7e-3, 1e-6);
}

TEST(TileCommands, MemoryOverTime) {
  const TemporaryDirectory work;
  const std::string trace = (work.path() / "trace.csv").string();
  const std::string run =
      "starport run platforms/sirocco.json --problem 3840 --engine analytic --csv --trace " +
      trace + " --heuristics ";
  const std::string figure =
      "starport plot " + trace + " --figure memory -o " + (work.path() / "memory.csv").string();
  ASSERT_EQ(shell(run + "EffectiveSteal").status, 0);
  const auto drawn = shell(figure);
  EXPECT_EQ(drawn.status, 0) << drawn.err;
  EXPECT_NE(read_file((work.path() / "memory.csv").string()).find("P3,1627,"), std::string::npos);
  ASSERT_EQ(shell(run + "'EffectiveSteal[memory=unlimited]'").status, 0);
  const auto refused = shell(figure);
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.err, "starport: " + trace +
                             ": expected held_blocks of workers whose memory is limited (not tile "
                             "tasks with memory=unlimited), but there is none\n");
}

// A trace file states evictions: who reads it can count the tiles of each memory.
TEST(TileCommands, TracesWithoutAnEvictionAreRefused) {
  const TemporaryDirectory work;
  const std::string trace = (work.path() / "trace.csv").string();
  const std::string events = (work.path() / "trace.json").string();
  const test::TemporaryFile platform(R"({"schema_version": 1, "name": "small", "block_size": 960,
      "port": "multi-port", "workers": [
        {"count": 2, "bandwidth": "4GBps", "speed": "1Tf", "memory": "80MiB"}]})");
  const std::string run = "starport run " + platform.path() +
                          " --problem 3840 --engine analytic --heuristics EffectiveDyn --trace ";
  ASSERT_EQ(shell(run + events).status, 0);
  ASSERT_EQ(shell("starport validate " + events).status, 0);
  ASSERT_EQ(shell(run + trace).status, 0);
  ASSERT_EQ(shell("starport validate " + trace).status, 0);
  std::string text = read_file(trace);
  const std::size_t removal = text.find("removal");
  ASSERT_NE(removal, std::string::npos);
  const std::size_t start = text.rfind('\n', removal) + 1;
  text.erase(start, text.find('\n', removal) + 1 - start);
  const test::TemporaryFile spoilt(text, ".csv");
  const auto refused = shell("starport validate " + spoilt.path());
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find(", after the transfers and removals above, found "), std::string::npos)
      << refused.err;
}

/// The shipped machines were converted with this command from the package starpu-examples; where it
/// is installed they are converted again.
TEST(TileCommands, MachinesMeasuredByStarpuAreAsShipped) {
  for (const char* host : {"sirocco", "mirage", "attila", "idgraf"}) {
    const std::string shipped =
        std::string(STARPORT_SOURCE_DIR "/platforms/starpu-") + host + ".json";
    const auto run = shell("starport run " + shipped +
                           " --problem 3840 --heuristics DMDA,ZoneGrowth "
                           "--engine analytic --json");
    ASSERT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(test::json_of(run.out)["results"].size(), 2U);
    const std::string models = "/usr/share/starpu/perfmodels/sampling";
    if (!std::filesystem::exists(models)) continue;
    const auto converted =
        shell(std::string("starport convert ") + host + " --from starpu --models " + models);
    ASSERT_EQ(converted.status, 0) << converted.err;
    EXPECT_EQ(test::json_of(converted.out), test::json_of(read_file(shipped)));
  }
}

TEST(TileCommands, ConvertRefusesMachinesWithoutModels) {
  EXPECT_EQ(shell("starport convert nowhere --from starpu").status, 2);
  EXPECT_EQ(shell("starport convert sirocco --from dot").status, 2);
  EXPECT_EQ(shell("starport convert sirocco --from starpu --to simgrid-xml").status, 2);
  EXPECT_EQ(shell("starport convert platforms/sirocco.json --models /tmp").status, 2);
}

}  // namespace
}  // namespace starport::tiles
