// Workers of the star whose speed depends on the size of an update.
#include "sim/files/error.hpp"
#include "sim/files/json.hpp"
#include "sim/platform/ties.hpp"
#include "sim/star/bounds/makespan_bounds.hpp"
#include "sim/star/bounds/steady_state.hpp"
#include "sim/star/heuristic.hpp"
#include "sim/star/schedule.hpp"
#include "sim/star/validator/validator.hpp"
#include "tests/star/star_support.hpp"
#include "tests/support.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>

namespace starport {
namespace {

using Points = std::vector<SpeedFunction::Point>;

/// Block updates a second by blocks of C; w_i is that of the fastest size.
void give_speeds(Worker& worker, Points points) {
  worker.speeds = std::make_shared<const SpeedFunction>(std::move(points));
  worker.w_s = 1 / worker.speeds->highest_speed();
}

/// The first worker has a tenth of its speed beyond 25 blocks of C, and room for 100 and more.
Platform with_cliff() {
  Platform platform = test::star({{0.01, 1, 140}, {0.01, 1, 140}});
  give_speeds(platform.workers[0], {{1, 1}, {25, 1}, {36, 0.1}, {200, 0.1}});
  return platform;
}

Platform without_functions(Platform platform) {
  for (Worker& worker : platform.workers) worker.speeds.reset();
  return platform;
}

/// Times that grow with the size, speeds that may rise and fall.
Platform with_random_functions(Platform platform, std::uint64_t seed) {
  Random random(seed + 1);
  for (Worker& worker : platform.workers) {
    if (random.integer(0, 2) == 0) continue;
    Points points{{1, random.real(0.1, 1) / worker.w_s}};
    for (int n = 0; n < 4; ++n) {
      const double size = points.back().size * random.real(1.5, 4);
      const double most = points.back().speed * size / points.back().size;
      points.push_back({size, most * random.real(0.1, 0.9)});
    }
    give_speeds(worker, std::move(points));
  }
  return platform;
}

TEST(StarSpeedFunctions, TheSideOfAChunkKeepsFromTheCliff) {
  const Platform platform = with_cliff();
  const Worker& uneven = platform.workers[0];
  EXPECT_EQ(chunk_side(platform.workers[1], kOptimizedOverlapped), 10);  // 100 + 40 blocks
  EXPECT_EQ(chunk_side(uneven, kOptimizedOverlapped), 5);
  EXPECT_EQ(at_chunk_size(uneven, kOptimizedOverlapped).w_s, 1);
  EXPECT_EQ(at_chunk_size(uneven, kOptimizedOverlapped).m_blocks, 45);
  Worker slow_link = uneven;
  slow_link.c_s = 1000;  // communication counts more than the cliff
  EXPECT_EQ(chunk_side(slow_link, kOptimizedOverlapped), 10);
  EXPECT_EQ(at_chunk_size(slow_link, kOptimizedOverlapped).w_s, 10);
  Worker little_known = slow_link;
  give_speeds(little_known, {{1, 1}, {64, 2}});
  EXPECT_EQ(chunk_side(little_known, kOptimizedOverlapped), 8);
  little_known.m_blocks = 4;
  EXPECT_EQ(chunk_side(little_known, kOptimizedOverlapped), 0);
}

TEST(StarSpeedFunctions, AnUpdateTakesWhatItsSizeSays) {
  const Worker worker = with_cliff().workers[0];
  const Problem problem{.r = 1, .s = 1, .t = 1, .block_size = 10};
  const auto update_s = [&](std::int64_t updates, std::int64_t blocks, std::int64_t additions) {
    return update_cost({.allows_update = true,
                        .block_updates = updates,
                        .updated_blocks = blocks,
                        .additions = additions},
                       problem, worker) *
           worker.w_s;
  };
  EXPECT_EQ(update_s(60, 20, 0), 60);  // three deep
  EXPECT_DOUBLE_EQ(update_s(36, 36, 0), 360);
  EXPECT_DOUBLE_EQ(update_s(72, 36, 0), 720);
  EXPECT_DOUBLE_EQ(update_s(36, 36, 5), 360.5);  // five additions: half an update
}

/// Whoever plans with the cliff is faster than by the same plan made without it.
TEST(StarSpeedFunctions, WhoSeesTheCliffIsFaster) {
  const Platform truth = with_cliff();
  const Problem problem{.r = 20, .s = 40, .t = 20, .block_size = 80};
  const auto seen_s = [&](const char* name) {
    return test::makespan(test::by_recurrence(name, truth, problem));
  };
  for (const char* name : {"Het", "OMMOML", "ODDOML", "ORROML", "Hom", "HomI", "DDOML"}) {
    const Trace blind = test::by_recurrence(name, without_functions(truth), problem);
    const double blind_s = test::makespan(replay(truth, problem, to_transfers(blind)));
    EXPECT_LT(seen_s(name), 0.7 * blind_s) << name;
  }
  EXPECT_FALSE(clearly_less(seen_s("Het"), seen_s("Polaris")));
}

TEST(StarSpeedFunctions, EveryHeuristicOnBothEnginesWithinTheBounds) {
  int simulated = 0;
  for (std::uint64_t seed = 1; seed <= 40; seed += test::kSeedStride) {
    auto [platform, problem] = test::random_instance(seed);
    platform = with_random_functions(std::move(platform), seed);
    const double any_s = *any_schedule_bound_s(platform, problem);
    for (const auto& named : test::every_third_heuristic(seed)) {
      SCOPED_TRACE(named.name + ", seed " + std::to_string(seed));
      try {
        const auto plan = [&, &platform = platform, &problem = problem] {
          return named.heuristic->plan(platform, problem);
        };
        const Trace trace = test::run_on_both_engines(platform, problem, plan).trace;
        EXPECT_FALSE(clearly_less(test::makespan(trace), any_s));
        ++simulated;
      } catch (const NotApplicable&) {
      }
    }
  }
  EXPECT_GT(simulated, 100 / static_cast<int>(test::kSeedStride));
}

TEST(StarSpeedFunctions, EnginesAgreeUnderNoise) {
  for (std::uint64_t seed = 1; seed <= 12; seed += test::kSeedStride) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    auto [platform, problem] = test::random_instance(seed);
    platform = with_random_functions(std::move(platform), seed);
    test::run_on_both_engines("ODDOML", platform, problem,
                              test::noise_of("cv=30%,seed=" + std::to_string(seed)));
  }
}

/// The validator knows what an update must take.
TEST(StarSpeedFunctions, ATraceOfConstantSpeedIsRefused) {
  const Platform truth = with_cliff();
  const Platform constant = without_functions(truth);
  const Problem problem{.r = 20, .s = 20, .t = 3, .block_size = 80};
  const Trace trace = test::by_recurrence("Het", constant, problem);
  EXPECT_FALSE(find_violation(constant, problem, trace).has_value());
  const auto violation = find_violation(truth, problem, trace);
  ASSERT_TRUE(violation.has_value());
  EXPECT_NE(violation->message.find("update"), std::string::npos) << violation->message;
}

nlohmann::json measured_platform() {
  return test::json_of(R"({
    "schema_version": 1, "name": "measured", "block_size": 80, "workers": [
      {"bandwidth": "1GBps", "speed": "50Gf", "memory": "1GiB", "speed_function": [
        {"rows": 1, "columns": 1, "inner": 1, "block_size": 80, "seconds": 1e-4},
        {"rows": 10, "columns": 10, "inner": 1, "block_size": 80, "seconds": 2e-3}]}]})");
}

std::string refusal(const nlohmann::json& document) {
  try {
    parse_platform(document, "p.json").at_block_size(80);
    return "accepted";
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(StarSpeedFunctions, APlatformFileGivesThem) {
  const PlatformFile file = parse_platform(measured_platform(), "p.json");
  const Worker worker = file.at_block_size(80).workers[0];
  ASSERT_TRUE(worker.speeds);
  EXPECT_DOUBLE_EQ(worker.block_update_s(1), 1e-4);
  EXPECT_DOUBLE_EQ(worker.block_update_s(100), 2e-5);
  EXPECT_DOUBLE_EQ(worker.w_s, 2e-5);  // of the fastest size
  // Of other blocks nothing was measured: the constant speed counts.
  EXPECT_FALSE(file.at_block_size(40).workers[0].speeds);
  EXPECT_DOUBLE_EQ(file.at_block_size(40).workers[0].w_s, 2 * 64e3 / 50e9);

  nlohmann::json wrong = measured_platform();
  wrong["workers"][0]["speed_function"][1]["seconds"] = 1e-4;
  EXPECT_EQ(refusal(wrong),
            "p.json: /workers/0/speed_function: expected more than 0.0001 s for more than 1 "
            "blocks, found 0.0001 s for 100 (time must increase with size)");
  wrong["workers"][0]["speed_function"].erase(0);
  EXPECT_EQ(refusal(wrong),
            "p.json: /workers/0/speed_function: expected two sizes or more with inner = 1 and "
            "block_size = 80, found one");
}

/// Seven cores and an accelerator that slows down where its memory is full.
TEST(StarSpeedFunctions, DevicesShareAnUpdateSoThatTheyEndAtOnce) {
  const std::vector<Device> devices{
      {.name = "core", .count = 7, .speed_flops = 8e9, .start_up_s = 20e-6},
      {.name = "GPU",
       .speed_flops = 300e9,
       .start_up_s = 100e-6,
       .bus_bytes_per_s = 5e9,
       .memory_bytes = 8 * 100 * 100 * 1000.0,  // 1000 blocks
       .decline = {{0.5, 1}, {1, 0.6}, {1.2, 0.05}}}};
  const auto speeds = combine_device_speeds(devices, 100, 100000, "/workers/0");
  ASSERT_TRUE(speeds);
  EXPECT_LT(speeds->speed(1), 0.3 * speeds->speed(500));
  EXPECT_LT(speeds->speed(2000), 0.6 * speeds->speed(1000));
  const double full = total_speed_flops(devices) / 2e6;  // block updates a second
  EXPECT_LT(speeds->highest_speed(), full);
  EXPECT_GT(speeds->highest_speed(), 0.8 * full);
  // At the corner of the decline: what each computes until then.
  const double end_s = 100e-6 + 500 * 2e6 / 300e9 + 16e4 * std::sqrt(500.) / 5e9;
  const double blocks = 500 + 7 * (end_s - 20e-6) * 8e9 / 2e6;
  EXPECT_NEAR(speeds->time_s(blocks), end_s, 0.002 * end_s);
  EXPECT_FALSE(
      combine_device_speeds({{.count = 7, .speed_flops = 8e9}}, 100, 100000, "/workers/0"));
}

TEST(StarSpeedFunctions, ASavedScheduleKeepsThoseOfItsWorker) {
  Schedule schedule{.heuristic = "x",
                    .problem = {.r = 1, .s = 1, .t = 1, .block_size = 1},
                    .platform = with_cliff()};
  std::ranges::reverse(schedule.platform.workers);
  std::string text;
  write_json(schedule, [&](std::string_view piece) { text += piece; });
  const Platform read = parse_schedule(parse_json(text, "x"), "x").platform;
  EXPECT_EQ(read.workers[0].speeds, nullptr);
  ASSERT_NE(read.workers[1].speeds, nullptr);
  EXPECT_EQ(read.workers[1].speeds->points(), schedule.platform.workers[1].speeds->points());
}

TEST(StarSpeedFunctions, ASavedScheduleKeepsThem) {
  const test::TemporaryFile platform(measured_platform().dump());
  const test::TemporaryFile schedule("");
  const std::string arguments = platform.path() + " --problem 1600x1600x800 --engine analytic";
  const auto planned =
      test::shell("starport plan " + arguments + " --heuristics Het -o " + schedule.path());
  ASSERT_EQ(planned.status, 0) << planned.err;
  const auto replayed = test::shell("starport replay " + platform.path() + " " + schedule.path() +
                                    " --engine analytic");
  EXPECT_EQ(replayed.status, 0) << replayed.err;
  nlohmann::json json = load_json(schedule.path());
  EXPECT_EQ(json.at("platform").at("workers").at(0).at("speeds").size(), 2U);
  using Pairs = std::vector<std::vector<double>>;
  const auto refused = [&](const Pairs& value, const std::string& message) {
    json["platform"]["workers"][0]["speeds"] = value;
    const test::TemporaryFile changed(json.dump());
    const auto outcome = test::shell("starport replay " + platform.path() + " " + changed.path());
    EXPECT_EQ(outcome.status, 2);
    EXPECT_NE(outcome.err.find("/platform/workers/0/speeds" + message), std::string::npos)
        << outcome.err;
  };
  refused({}, ": expected at least one point");
  refused({{1, 10}, {2, 20}},
          "/1: expected a size larger than the previous one, at which an update takes longer");
  refused({{2, 10}, {1, 1}},
          "/1: expected a size larger than the previous one, at which an update takes longer");
  refused({{2, 10, 3}}, "/0: expected [blocks of C, block updates per second]");
}

TEST(StarSpeedFunctions, OverridesOfTheSpeedChangeThem) {
  const test::TemporaryFile file(R"({"schema_version": 1, "name": "x",
    "heuristics": ["Het"], "experiments": [{"name": "x", "problems": ["1600x1600x800"],
    "overrides": [{"field": "speed", "multiply": [1, 2]}],
    "platforms": [{"platform": )" +
                                 measured_platform().dump() + "}]}]}");
  const Specification specification = load_specification(file.path());
  std::vector<double> w_s;
  for (const std::int64_t number : {1, 2}) {
    w_s.push_back(
        make_star(specification.instance(number).in_blocks()).workers[0].block_update_s(1));
  }
  EXPECT_EQ(w_s, (std::vector<double>{1e-4, 5e-5}));
}

}  // namespace
}  // namespace starport
