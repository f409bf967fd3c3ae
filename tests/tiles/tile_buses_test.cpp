// Buses that transfers share, links between GPUs, overheads of tasks and measured deviations.
#include "sim/files/error.hpp"
#include "sim/platform/platform_file.hpp"
#include "sim/tiles/bounds.hpp"
#include "sim/tiles/bus_sharing.hpp"
#include "sim/tiles/simgrid/simgrid_engine.hpp"
#include "sim/tiles/validator.hpp"
#include "tests/support.hpp"
#include "tests/tiles/tile_support.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace starport::tiles {
namespace {

using nlohmann::json;

// Tiles of one element: 8 bytes.
Platform read(const json& file) { return make_platform(parse_platform(file, "x"), 1); }

json gpu(const char* name, double tile_s, const char* bus) {
  json worker{{"name", name}, {"c_s", tile_s}, {"w_s", 1}, {"m_blocks", 1000}};
  if (*bus != '\0') worker["bus"] = bus;
  return worker;
}

std::string bytes(double tiles_per_s) { return std::to_string(8 * tiles_per_s) + "Bps"; }

/// Two GPUs behind the bus a, one behind b; both hang from the root. A tile takes 0.25 s on a link.
json tree() {
  return {
      {"schema_version", 1},
      {"name", "tree"},
      {"block_size", 1},
      {"workers", {gpu("g1", 0.25, "a"), gpu("g2", 0.25, "a"), gpu("g3", 0.25, "b")}},
      {"buses",
       {{{"name", "a"}, {"parent", "root"}, {"bandwidth", bytes(5)}, {"total_bandwidth", bytes(7)}},
        {{"name", "b"}, {"parent", "root"}, {"return_bandwidth", bytes(2)}},
        {{"name", "root"}, {"total_bandwidth", bytes(8)}}}}};
}

/// Returns the rates of transfers that start together, from the dates of their ends.
std::vector<double> rates(const Platform& platform, const std::vector<Transfer>& transfers) {
  BusSharing sharing(platform);
  for (std::size_t i = 0; i < transfers.size(); ++i)
    sharing.start(static_cast<int>(i), transfers[i], 1, 0);
  std::vector<double> rates(transfers.size());
  for (const auto& [direction, date_s] : sharing.update(0)) {
    rates[static_cast<std::size_t>(direction)] = 1 / date_s;
  }
  return rates;
}

TEST(TileBuses, RatesAreMaxMinFair) {
  const Platform platform = read(tree());
  using Rates = std::vector<double>;
  // A link alone: 1 / 0.25.
  EXPECT_EQ(rates(platform, {{0, 0, 1}}), (Rates{4}));
  // a down: 5 / 2.
  EXPECT_EQ(rates(platform, {{0, 0, 1}, {1, 0, 2}}), (Rates{2.5, 2.5}));
  // b up: 2; then a down as before.
  EXPECT_EQ(rates(platform, {{0, 3, 0}, {1, 0, 1}, {2, 0, 2}}), (Rates{2, 2.5, 2.5}));
  // root: 8 / 4 = 2 for all; a carries 2 + 2 + 2 < 7.
  EXPECT_EQ(rates(platform, {{0, 0, 1}, {1, 0, 2}, {2, 1, 0}, {3, 0, 3}}), (Rates{2, 2, 2, 2}));
  // Between GPUs behind a: its total bandwidth only, 7 / 2; nothing of the root.
  EXPECT_EQ(rates(platform, {{0, 1, 2}, {1, 2, 1}, {2, 0, 3}}), (Rates{3.5, 3.5, 4}));
  // From a to b: up a and down b, over the root: min(4, 7, 8).
  EXPECT_EQ(rates(platform, {{0, 1, 3}}), (Rates{4}));
  EXPECT_EQ(rates(platform, {{0, 3, 1}}), (Rates{2}));
}

TEST(TileBuses, EndsChangeWhenOthersStartAndEnd) {
  const Platform platform = read(tree());
  BusSharing sharing(platform);
  sharing.start(0, {0, 0, 1}, 1, 0);
  EXPECT_EQ(sharing.update(0).front().date_s, 0.25);
  // At 0.125 s half of the tile is left, which takes 0.5 / 2.5 s.
  sharing.start(2, {1, 0, 2}, 2, 0.125);
  const auto& changed = sharing.update(0.125);
  ASSERT_EQ(changed.size(), 2U);
  EXPECT_DOUBLE_EQ(changed[0].date_s, 0.325);
  EXPECT_DOUBLE_EQ(changed[1].date_s, 0.925);
  // 1.5 of two tiles are left at 0.325 s, for 4 tiles/s.
  sharing.end(0);
  EXPECT_DOUBLE_EQ(sharing.update(0.325).front().date_s, 0.325 + 1.5 / 4);
  EXPECT_TRUE(sharing.update(0.4).empty());
}

/// A node with some buses in a tree and links between some GPUs.
Platform random_tree(Random& random) {
  json file{{"schema_version", 1}, {"name", "random"}, {"block_size", 1}};
  if (random.integer(0, 1) == 1) file["task_overhead"] = "50us";
  const auto bandwidth = [&] { return bytes(random.real(300, 2000)); };
  const std::vector<const char*> names{"a", "b", "c"};
  const std::vector<const char*> parents{"", "a", random.integer(0, 1) == 1 ? "a" : "b"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    json bus{{"name", names[i]}};
    if (i > 0) bus["parent"] = parents[i];
    const auto kind = random.integer(0, 3);
    if (kind != 0) bus["bandwidth"] = bandwidth();
    if (kind > 1) bus["return_bandwidth"] = bandwidth();
    if (kind == 0 || kind == 3) bus["total_bandwidth"] = bandwidth();
    file["buses"].push_back(bus);
  }
  for (int cpu = 0; cpu < random.integer(0, 2); ++cpu)
    file["workers"].push_back({{"shares_memory", true}, {"speed", "500f"}});
  const auto gpus = random.integer(3, 5);
  const double tile_s = random.real(5e-4, 3e-3);  // alike: many events at one date
  const bool alike = random.integer(0, 1) == 1;
  for (std::int64_t i = 0; i < gpus; ++i) {
    json worker = gpu(("g" + std::to_string(i)).c_str(), alike ? tile_s : random.real(5e-4, 3e-3),
                      i == 0   ? "c"
                      : i == 1 ? "b"
                               : names[static_cast<std::size_t>(i % 3)]);
    worker["w_s"] = alike ? 2e-3 : random.real(1e-3, 3e-3);
    worker["latency_s"] = random.integer(0, 1) * 1e-4;
    file["workers"].push_back(worker);
  }
  if (random.integer(0, 1) == 1) {
    file["peer_links"] = {
        {{"from", "g0"}, {"to", "g1"}, {"bandwidth", bandwidth()}},
        {{"from", "g2"}, {"to", "g0"}, {"bandwidth", bandwidth()}, {"latency", "20us"}}};
  }
  return read(file);
}

TEST(TileBuses, EnginesAndValidatorAgree) {
  Random random(5);
  for (int instance = 0; instance<8; instance += test::kSeedStride> 1 ? 4 : 1) {
    const auto n = static_cast<std::int32_t>(random.integer(2, 6));
    const Platform platform = random_tree(random);
    const Allocation allocation =
        computable(random_allocation(random, n, platform.nodes(), false), platform);
    EngineOptions options{.runtime = {.relay = instance % 4 == 1, .cuda_order = instance % 4 == 3}};
    if (instance % 2 == 1) {
      options.noise = jitter(5);
      options.noise.transfers.cv = 0.1;
    }
    const ValidationOptions expectations{.noise = options.noise,
                                         .relay = options.runtime.relay,
                                         .cuda_order = options.runtime.cuda_order};
    for (const NamedStrategy& strategy : all_strategies()) {
      SCOPED_TRACE(strategy.name + " on instance " + std::to_string(instance));
      const TaskGraph work(n, strategy.allocates ? std::optional(allocation) : std::nullopt);
      const TileTrace exact = run_event_engine(platform, work, strategy.maker, options);
      const TileTrace simulated = run_simgrid_engine(platform, work, strategy.maker, options, 60);
      EXPECT_EQ(find_difference(exact, simulated), "");
      EXPECT_EQ(find_violation(platform, work, exact, expectations), "");
      EXPECT_EQ(find_violation(platform, work, simulated, expectations), "");
      if (options.noise.is_none()) {
        EXPECT_GE(exact.end_s(), compute_bounds(platform, n).makespan_s * (1 - 1e-9));
      }
    }
  }
}

TEST(TileBuses, WideBusesChangeNothing) {
  json wide = tree();
  for (json& bus : wide["buses"]) {
    for (const char* key : {"bandwidth", "return_bandwidth", "total_bandwidth"}) {
      if (bus.contains(key)) bus[key] = bytes(100);
    }
  }
  json alone = wide;
  alone.erase("buses");
  for (json& worker : alone["workers"]) worker.erase("bus");
  const TaskGraph work(5, std::nullopt);
  EXPECT_EQ(find_difference(run_event_engine(read(wide), work, maker<Dmda>(), {}),
                            run_event_engine(read(alone), work, maker<Dmda>(), {})),
            "");
}

// Errors are measured in time, not in tiles: also where a tile takes a thousand times as long.
TEST(TileBuses, AnUnfairShareIsAViolation) {
  json file = tree();
  for (json& worker : file["workers"]) worker["c_s"] = 250;
  for (json& bus : file["buses"]) {
    for (const char* key : {"bandwidth", "return_bandwidth", "total_bandwidth"}) {
      if (bus.contains(key)) bus[key] = bytes(0.005);
    }
  }
  const Platform platform = read(file);
  const TaskGraph work(4, std::nullopt);
  const ValidationOptions expectations{.limited_memory = false};
  TileTrace trace =
      run_event_engine(platform, work, maker<Dmda>(), {.runtime = {.limited_memory = false}});
  ASSERT_EQ(find_violation(platform, work, trace, expectations), "");
  // The last return of C ends 10^-7 of its time too late.
  TracedTransfer& last = trace.transfers.back();
  last.end_s += 1e-7 * (last.end_s - last.start_s);
  const std::string violation = find_violation(platform, work, trace, expectations);
  EXPECT_NE(violation.find("ends when its fair share of the buses has moved"), std::string::npos)
      << violation;
  last.end_s = last.start_s + 200;  // faster than its link
  EXPECT_NE(
      find_violation(platform, work, trace, expectations).find(" takes 200 s instead of 250 s"),
      std::string::npos);
}

TEST(TileBuses, BoundCountsBusesLinksAndOverheads) {
  json file = tree();
  const double before_s = compute_bounds(read(file), 8).makespan_s;
  file["buses"][2]["total_bandwidth"] = bytes(1);
  // (T / 3)^(3/2) / sqrt(2) >= 512: T = 3 (512 sqrt(2))^(2/3).
  EXPECT_NEAR(compute_bounds(read(file), 8).makespan_s, 3 * std::pow(512 * std::sqrt(2), 2.0 / 3),
              1e-6);
  file = tree();
  file["task_overhead"] = "1s";
  EXPECT_NEAR(compute_bounds(read(file), 8).area_s, 512.0 / 3 * 2, 1e-9);
  EXPECT_GT(compute_bounds(read(file), 8).makespan_s, before_s);
}

TEST(TileBuses, LinksBetweenGpusHaveTheirOwnRates) {
  json file = tree();
  file.erase("buses");
  for (json& worker : file["workers"]) worker.erase("bus");
  file["peer_links"] = {
      {{"from", "g1"}, {"to", "P2"}, {"bandwidth", bytes(10)}, {"latency", "1ms"}}};
  EXPECT_THROW(read(file), InputError);  // it has a name
  file["peer_links"][0]["to"] = "g2";
  const Platform platform = read(file);
  EXPECT_DOUBLE_EQ(transfer_time_s(platform, 1, 2), 0.1 + 1e-3);
  EXPECT_EQ(transfer_time_s(platform, 2, 1), 0.25);
  EXPECT_EQ(transfer_time_s(platform, 0, 3), 0.25);
}

TEST(TileBuses, TasksTakeTheirOverhead) {
  Platform platform = plain_platform(1, 0);
  platform.task_overhead_s = 0.5;
  const TaskGraph work(2, Allocation{2, {1, 1, 1, 1}});
  const TileTrace trace = run_event_engine(platform, work, maker<StaticAllocation>(), {});
  // As in golden value A of the specification, with eight tasks of 1.5 s instead of 1 s.
  EXPECT_EQ(trace.last_task_end_s(), 8.75 + 8 * 0.5);
  EXPECT_EQ(find_violation(platform, work, trace, {}), "");
  platform.task_overhead_s = 0;
  EXPECT_NE(find_violation(platform, work, trace, {}).find("takes 1.5 s instead of 1 s"),
            std::string::npos);
}

/// Each worker has the coefficient of variation of its own measured size.
TEST(TileBuses, MeasuredDeviationsAreNoise) {
  const auto sample = [](double seconds, double deviation_s, int side) {
    return json{{"rows", 1},          {"columns", 1},       {"inner", 1},
                {"block_size", side}, {"seconds", seconds}, {"deviation_s", deviation_s}};
  };
  json file = tree();
  file.erase("buses");
  for (json& worker : file["workers"]) worker.erase("bus");
  file["workers"] = {{{"bandwidth", "8Bps"},
                      {"memory", "1kB"},
                      {"speed", "2f"},
                      {"speed_function", {sample(1, 0.25, 1), sample(9, 0.9, 9)}}},
                     {{"bandwidth", "8Bps"},
                      {"memory", "1kB"},
                      {"speed", "2f"},
                      {"speed_function", {sample(1, 0.0, 1)}}}};
  const Platform platform = read(file);
  EXPECT_EQ(platform.workers[0].update_cv, 0.25);
  Noise noise{.seed = 3};
  noise.updates.measured = true;
  EXPECT_FALSE(noise.is_none());
  const TaskGraph work(64, std::nullopt);
  const ActivityDurations durations(platform, work, noise);
  double sum = 0;
  double squares = 0;
  constexpr int draws = 64 * 64;
  for (std::int32_t target = 0; target < draws; ++target) {
    const double time_s = durations.task_end_s(0, {.target = target, .k = 0}, 0);
    sum += time_s;
    squares += time_s * time_s;
    EXPECT_EQ(durations.task_end_s(1, {.target = target, .k = 0}, 0), 1);
  }
  const double mean = sum / draws;
  EXPECT_NEAR(mean, 1, 0.02);
  EXPECT_NEAR(std::sqrt(squares / draws - mean * mean), 0.25, 0.02);
}

}  // namespace
}  // namespace starport::tiles
