// Tile tasks as a model: the calibration's figures, the invariant, bounds, what does not apply.
#include "sim/models/tiles/tile_model.hpp"

#include "sim/app/model_registry.hpp"
#include "sim/results/comparison.hpp"
#include "sim/results/figure.hpp"
#include "sim/tiles/bounds.hpp"
#include "sim/tiles/simgrid/simgrid_engine.hpp"
#include "tests/paths.hpp"
#include "tests/support.hpp"
#include "tests/tiles/tile_support.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

namespace starport::tiles {
namespace {

using starport::test::Outcome;
using starport::test::shell;
using starport::test::TemporaryFile;

Case on(const std::string& file, const std::string& product, std::int64_t tile = 960) {
  return {load_platform(STARPORT_SOURCE_DIR "/platforms/" + file), parse_problem(product, tile)};
}

std::map<std::string, Record> records(const std::string& list, const Case& instance,
                                      const Noise& noise = {}) {
  std::map<std::string, Record> records;
  const auto algorithms = model_registry().read_algorithms(list, "x");
  const RunOptions options{.engine = EngineKind::analytic, .noise = noise};
  for (Record& record : compare(algorithms, instance, model_registry().models, options).records) {
    records[record.algorithm] = std::move(record);
  }
  return records;
}

std::string why(const std::string& algorithm, const Case& instance, const Noise& noise = {}) {
  const Record record = records(algorithm, instance, noise).at(algorithm);
  EXPECT_EQ(record.status, Status::not_applicable);
  return record.error;
}

/// What each zone projects, twice its tiles: ICPP'18, section 3.1.
TEST(TileModel, StaticMovesWhatTheSpecificationSays) {
  const std::map<int, std::int64_t> tiles{{8, 368}, {16, 1468}, {24, 3306}, {32, 5814}};
  // The hub's share is a third of a GPU's.
  const TemporaryFile file(
      R"({"schema_version": 1, "name": "x", "workers": [{"shares_memory": true, "speed": "1Tf"},
      {"count": 4, "bandwidth": "4GBps", "speed": "3Tf", "memory": "12GB"}]})");
  const PlatformFile platform = load_platform(file.path());
  for (const auto& [n, expected] : tiles) {
    const Case instance{platform, {.r = n, .s = n, .t = n, .block_size = 960}};
    const Record record = records("Static", instance).at("Static");
    ASSERT_EQ(record.status, Status::ok) << record.error;
    EXPECT_EQ(record.figures.real(kTransfers), static_cast<double>(expected));
    EXPECT_NEAR(record.figures.real(kTimesVolume), 1, 0.05);
  }
}

/// Table 1 of ICPP'18, within the 3% in time and 4% in volume that the calibration is for.
TEST(TileModel, EffectiveStealOnSirocco) {
  struct Row {
    const char* product;
    double time_s;
    double volume_gib;
  };
  for (const auto& [product, time_s, volume_gib] :
       {Row{"7680", 0.276, 2.73}, Row{"15360", 1.66, 10.5}, Row{"23040", 5.37, 23.6}}) {
    double mean_s = 0;
    double mean_gib = 0;
    constexpr int repetitions = 12;
    for (int seed = 1; seed <= repetitions; ++seed) {
      const auto all = records("EffectiveSteal", on("sirocco.json", product), jitter(seed));
      const Record& record = all.at("EffectiveSteal");
      ASSERT_EQ(record.status, Status::ok) << record.error;
      mean_s += record.figures.real(kMakespan) / repetitions;
      mean_gib += record.figures.real(kVolume) / repetitions;
    }
    EXPECT_NEAR(mean_s / time_s, 1, 0.03) << product;
    EXPECT_NEAR(mean_gib / volume_gib, 1, 0.04) << product;
  }
}

TEST(TileModel, BothEnginesSayTheSameOfEveryStrategy) {
  const Case instance = on("mirage.json", "7680x5760x2880");
  const TileModel model(run_simgrid_engine);
  for (const NamedAlgorithm& algorithm : model_registry().read_algorithms(
           "icpp18,EffectiveSteal[partition=NRRP3D,redux=yes,rounding=PRECISE],"
           "ChoiceDyn[copies=relay,prefetch=0],Static[memory=unlimited]",
           "x")) {
    EXPECT_EQ(model.find_difference(algorithm, instance,
                                    {.engine = EngineKind::analytic, .noise = jitter(3)},
                                    EngineKind::simgrid),
              "")
        << algorithm.name;
  }
}

/// No strategy beats the bounds of runs whose durations are nominal.
TEST(TileModel, NothingBeatsTheBounds) {
  for (const char* product : {"960", "4800", "11520", "15360x3840x1920", "960x9600x8640"}) {
    for (const auto& [name, record] : records("icpp18,ZoneGrowth", on("mirage.json", product))) {
      ASSERT_EQ(record.status, Status::ok) << record.error;
      EXPECT_GE(record.figures.real(kTimesAnyRun), 1) << name << ", " << product;
    }
  }
}

/// Where links are slow they are what a run waits for: one GPU with n^3 tasks needs n^2 tiles of
/// each matrix.
TEST(TileBounds, SlowLinks) {
  Platform platform = plain_platform(1, 0);
  platform.links[0].in_s = 100;
  EXPECT_NEAR(compute_bounds(platform, 4).makespan_s, 3 * 16 * 100, 1e-6);
  EXPECT_EQ(compute_bounds(platform, 4).area_s, 64);
  EXPECT_EQ(compute_bounds(platform, 4).volume_tiles, 4 * 16);
  // All of A (8 tiles), B (12) and C (6).
  EXPECT_NEAR(compute_bounds(platform, {2, 3, 4}).makespan_s, (8 + 12 + 6) * 100, 1e-6);
  EXPECT_EQ(compute_bounds(platform, {2, 3, 4}).volume_tiles, 8 + 12 + 2 * 6);
  platform.links[0].memory_tiles = 4;
  EXPECT_EQ(compute_bounds(platform, 8).volume_tiles, 2 * 512 / 2 - 2 * 4);
}

/// Two equal GPUs share C: of 100 x 1 tiles each computes 50 rows and the column, of 100 x 100
/// tiles half spans at least 2 x 70.7 rows and columns.
TEST(TileBounds, NarrowMatrices) {
  const Platform platform = plain_platform(2, 0);
  EXPECT_DOUBLE_EQ(compute_bounds(platform, {100, 1, 3}).volume_tiles, 2 * (3 * 51 + 2 * 50));
  EXPECT_DOUBLE_EQ(compute_bounds(platform, {1, 100, 3}).volume_tiles, 2 * (3 * 51 + 2 * 50));
  EXPECT_DOUBLE_EQ(compute_bounds(platform, {100, 100, 3}).volume_tiles,
                   2 * (3 * 2 * 100 * std::sqrt(0.5) + 100 * 100));
}

// Tasks that noise makes shorter end before the bounds of nominal ones.
TEST(TileModel, HasNoBoundsUnderNoise) {
  const Case instance = on("sirocco.json", "7680");
  Noise faster;
  faster.updates.ratios = {0.2, 0.2};
  faster.transfers.ratios = {0.2, 0.2};
  const Record nominal = records("DMDA", instance).at("DMDA");
  const Record noisy = records("DMDA", instance, faster).at("DMDA");
  EXPECT_GE(nominal.figures.real(kTimesAnyRun), 1);
  EXPECT_LT(noisy.figures.real(kMakespan), 0.5 * nominal.figures.real(kMakespan));
  EXPECT_TRUE(is_none(noisy.figures[kTimesAnyRun]));
}

TEST(TileModel, WhatDoesNotApplySaysWhy) {
  const Case small = on("sirocco.json", "1920");
  EXPECT_EQ(why("Static[redux=yes]", small),
            "NRRP assigns each tile of C to one node, so there is nothing to reduce");
  EXPECT_EQ(why("Static[partition=NRRP3D]", on("sirocco.json", "480000")),
            "NRRP3D is limited to 67108864 tasks, and this product has 125000000");
  const TemporaryFile file(
      R"({"schema_version": 1, "name": "x", "workers": [
      {"bandwidth": "4GBps", "speed": "3Tf", "memory": "15MB"}]})");
  const Case tiny{load_platform(file.path()), parse_problem("1920", 960)};
  Noise measured;
  measured.updates.measured = true;
  EXPECT_EQ(why("Static", small, measured),
            "update_cv=measured needs the deviation_s of every worker's updates");
  Noise slow;
  slow.slow_downs = {{.worker = 20, .activity = starport::Activity::transfer, .factor = 2}};
  EXPECT_EQ(why("Static", on("starpu-sirocco.json", "3840"), slow),
            "slow-downs of links are not modelled where links share a bus");
  EXPECT_EQ(why("Static", tiny),
            "the memory of P1 holds 2 tiles (14.1 MiB), a task needs 3 tiles (21.1 MiB)");
  const TemporaryFile tinier(
      R"({"schema_version": 1, "name": "x", "workers": [
      {"bandwidth": "4GBps", "speed": "3Tf", "memory": "8MB"}]})");
  EXPECT_EQ(why("Static", {load_platform(tinier.path()), tiny.problem}),
            "the memory of P1 holds 1 tile (7.0 MiB), a task needs 3 tiles (21.1 MiB)");
  EXPECT_EQ(why("Static[memory=unlimited,partition=NRRP3D,redux=yes]", tiny),
            "reductions need the memory_bandwidth of every worker");
}

/// More nodes than tiles, one node, an algorithm with each of its parameters.
TEST(TileModel, SmallProducts) {
  for (const auto& [name, record] :
       records("icpp18,Static[rounding=PRECISE],Static[partition=NRRP3D],Static[partition=column],"
               "Static[partition=RP],EffectiveSteal[partition=NRRP3D,redux=yes]",
               on("sirocco.json", "960"))) {
    EXPECT_EQ(record.status, Status::ok) << name << ": " << record.error;
    EXPECT_EQ(record.figures.real(kEnrolledWorkers), 1) << name;
  }
}

TEST(TileModel, AGpuThatStops) {
  const auto outcome = [](const std::string& algorithm) {
    return shell(
        "starport run platforms/sirocco.json --problem 7680 --engine analytic --noise "
        "stop=3@0.1 --heuristics " +
        algorithm);
  };
  for (const char* carries_on : {"EffectiveSteal", "RandSteal", "ChoiceDyn", "DMDA"}) {
    EXPECT_EQ(outcome(carries_on).status, 0) << carries_on << outcome(carries_on).out;
  }
  const Outcome fixed = outcome("Static");
  EXPECT_EQ(fixed.status, 1);
  EXPECT_NE(fixed.out.find("tasks wait for a worker that has stopped"), std::string::npos)
      << fixed.out;
}

/// A copy that returns over a slow link ends after the next, newer one, and counts no more.
TEST(TileModel, LinksOfUnlikeSpeedsAndLittleMemory) {
  const TemporaryFile file(
      R"({"schema_version": 1, "name": "unlike", "block_size": 100, "workers": [
      {"bandwidth": "100MBps", "speed": "5Gf", "memory": "320kB"},
      {"bandwidth": "1GBps", "speed": "5Gf", "memory": "320kB"}]})");
  for (const char* engine : {"analytic", "simgrid"}) {
    const Outcome outcome = shell("starport run " + file.path() + " --problem 300 --engine " +
                                  engine + " --heuristics icpp18,starpu,ZoneGrowth");
    EXPECT_EQ(outcome.status, 0) << engine << outcome.out;
  }
}

std::string makespans(const std::string& options) {
  const Outcome outcome = shell("starport run " + options + " --json");
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  std::string text;
  for (const auto& row : nlohmann::json::parse(outcome.out)["results"])
    text += fmt::format("{:.9g} ", row["makespan_s"].get<double>());
  return text;
}

/// A stop at 0 comes before the first task, and one long after the end changes nothing.
TEST(TileModel, StopsAtTheStartAndLongAfterTheEnd) {
  const TemporaryFile file(R"({"schema_version": 1, "name": "h", "block_size": 100, "workers": [
      {"count": 2, "shares_memory": true, "speed": "5Gf"},
      {"bandwidth": "1GBps", "speed": "5Gf", "memory": "1GB"},
      {"bandwidth": "100MBps", "speed": "50Gf", "memory": "1GB"}]})");
  const std::string run = file.path() + " --problem 500x700x300 --heuristics DMDA,EffectiveDyn ";
  for (const char* noise : {"stop=2@0", "stop=3@0,cv=5%", "stop=1@1e-9"}) {
    EXPECT_EQ(makespans(run + "--noise " + noise),
              makespans(run + "--engine analytic --noise " + noise))
        << noise;
  }
  for (const char* date : {"10", "600", "1e9"}) {
    EXPECT_EQ(makespans(run + "--noise stop=1@" + date), makespans(run)) << date;
  }
}

TEST(TileModel, OneTableForAllModels) {
  const Outcome outcome = shell(
      "starport run platforms/sirocco.json --problem 15360 --heuristics "
      "'EffectiveSteal,DMDA,Het,ODDOML,FPM'");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  for (const char* text :
       {"\nEffectiveSteal ", "\nODDOML ", "volume (GiB)", "the models of the rows differ:",
        "\n  EffectiveSteal, DMDA: a link transfers one tile at a time in each direction",
        "2 workers that share the master's memory: links that cost almost nothing",
        "FPM: not applicable: "}) {
    EXPECT_NE(outcome.out.find(text), std::string::npos) << text << " in\n" << outcome.out;
  }
}

/// The star cannot use links that differ both ways: its rows say so, and alone it is refused.
TEST(TileModel, APlatformThatIsNoStar) {
  const TemporaryFile file(
      R"({"schema_version": 1, "name": "x", "workers": [{"shares_memory": true, "speed": "1Tf"},
      {"bandwidth": "4GBps", "return_bandwidth": "2GBps", "speed": "3Tf", "memory": "12GB"}]})");
  const std::string run = "starport run " + file.path() + " -q 960 --problem 3840 --heuristics ";
  const Outcome both = shell(run + "Static,ODDOML");
  EXPECT_EQ(both.status, 0) << both.err;
  EXPECT_NE(both.out.find("ODDOML: not applicable: " + file.path() +
                          ": /workers/1/return_bandwidth: expected links alike both ways"),
            std::string::npos)
      << both.out;
  EXPECT_EQ(shell(run + "ODDOML").status, 2);
}

TEST(TileModel, RefusesBadInput) {
  const auto error = [](const std::string& options) {
    const Outcome outcome = shell("starport run platforms/sirocco.json " + options);
    EXPECT_EQ(outcome.status, 2) << options;
    return outcome.err;
  };
  EXPECT_EQ(error("--problem 960000000 --heuristics DMDA"),
            "starport: --problem: expected matrices of at most 10000000 tiles, "
            "found 1000000 x 1000000 by 1000000 x 1000000\n");
  const TemporaryFile slow(
      R"({"schema_version": 1, "name": "x", "workers": [{"shares_memory": true, "speed": "1Tf"},
      {"bandwidth": "1e-9Bps", "speed": "3Tf", "memory": "12GB"}]})");
  EXPECT_EQ(
      shell("starport run " + slow.path() + " -q 960 --problem 3840 --heuristics Static").err,
      "starport: " + slow.path() +
          ": /workers: expected durations of tasks and transfers that differ by a factor of at "
          "most 10^12, found from 0.000589824 s to 7.3728e+15 s\n");
  const TemporaryFile slow_back(
      R"({"schema_version": 1, "name": "x", "workers": [{"shares_memory": true, "speed": "1Tf"},
      {"bandwidth": "8GBps", "return_bandwidth": "1e-9Bps", "speed": "3Tf", "memory": "12GB"}]})");
  EXPECT_EQ(
      shell("starport run " + slow_back.path() + " -q 960 --problem 3840 --heuristics Static").err,
      "starport: " + slow_back.path() +
          ": /workers: expected durations of tasks and transfers that differ by a factor of at "
          "most 10^12, found from 0.000589824 s to 7.3728e+15 s\n");
  EXPECT_EQ(error("--problem 0 --heuristics DMDA"),
            "starport: --problem: expected sizes greater than 0, found '0'\n");
  EXPECT_EQ(error("--problem 1920 --heuristics Static[partition=NRPP]"),
            "starport: --heuristics: expected Static[partition=NRRP|NRRP3D|column|RP], found "
            "'NRPP' (did you mean 'NRRP'?)\n");
}

/// A sweep's rows do not depend on how many processes run it.
TEST(TileModel, SweepsHaveTheSameBytes) {
  const TemporaryFile specification(
      R"({"schema_version": 1, "name": "x", "seed": 3, "heuristics": ["icpp18"],
      "experiments": [{"name": "x", "platforms": [")" STARPORT_SOURCE_DIR
      R"(/platforms/mirage.json"], "problems": ["1920", "3840"], "repetitions": 3,
      "noise": {"update_cv": 0.02}}]})");
  const starport::test::TemporaryDirectory directory;
  const std::string results = directory.path().string();
  for (const std::string jobs : {"1", "3"}) {
    const Outcome outcome =
        shell("starport sweep " + specification.path() +
              " --engine analytic --cross-check 0.2 -j " + jobs + " -o " + results + "/" + jobs);
    EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  }
  EXPECT_EQ(shell("cmp " + results + "/1/results.csv " + results + "/3/results.csv").status, 0);
}

/// Every tile and task of a run stands in its timeline.
TEST(TileModel, Timeline) {
  const starport::test::TemporaryDirectory directory;
  const std::string trace = directory.path().string() + "/trace.csv";
  const Outcome outcome = shell(
      "starport run platforms/sirocco.json --problem 3840 --heuristics "
      "EffectiveSteal --engine analytic --csv --trace " +
      trace);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(shell("grep -c ^EffectiveSteal,update, " + trace).out, "64\n");
  EXPECT_EQ(shell("starport plot " + trace + " --figure gantt -o " + trace + ".py").status, 0);
}

/// Bytes are those of the file's elements; twice as many floats as doubles are copied in a second.
TEST(TileModel, BytesOfFloats) {
  const Case doubles = on("sirocco.json", "7680");
  Case floats = doubles;
  floats.file = with_element_type(doubles.file, ElementType::float32);
  const Record of_doubles = records("Static", doubles).at("Static");
  const Record of_floats = records("Static", floats).at("Static");
  EXPECT_EQ(of_floats.figures[kTransfers], of_doubles.figures[kTransfers]);
  EXPECT_DOUBLE_EQ(of_floats.figures.real(kVolume), of_doubles.figures.real(kVolume) / 2);
}

}  // namespace
}  // namespace starport::tiles
