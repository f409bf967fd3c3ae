// Values that two independent programs of the same model agree on, here on SimGrid.
#include "tests/golden.hpp"

#include "sim/files/error.hpp"
#include "sim/platform/noise/noise.hpp"
#include "sim/star/bounds/steady_state.hpp"
#include "sim/star/engine/engine.hpp"
#include "sim/star/metrics.hpp"
#include "sim/star/validator/memory_use.hpp"
#include "sim/star/validator/validator.hpp"
#include "tests/paths.hpp"
#include "tests/random_noise.hpp"
#include "tests/star/star_support.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace starport {
namespace {

struct Golden {
  double makespan;
  std::int64_t enrolled;
  std::int64_t blocks;
};

void expect_golden(const Platform& platform, const Problem& problem,
                   const std::map<std::string, Golden>& table) {
  for (const auto& [name, golden] : table) {
    const Trace trace = test::simulate(name, platform, problem);
    const auto violation = find_violation(platform, problem, trace);
    EXPECT_FALSE(violation) << name << ": " << violation->message;
    const Metrics metrics = compute_metrics(platform, trace);
    EXPECT_NEAR(metrics.makespan_s, golden.makespan, 1e-9 * golden.makespan) << name;
    EXPECT_EQ(metrics.enrolled_workers, golden.enrolled) << name;
    EXPECT_EQ(metrics.blocks_moved, golden.blocks) << name;
    EXPECT_EQ(metrics.block_updates, problem.updates()) << name;
  }
}

TEST(Golden, TwoWorkers) {
  const Platform platform = test::star({{1, 2, 12, 0}, {2, 3, 21, 0}});
  const Problem problem{.r = 4, .s = 6, .t = 3, .block_size = 1};
  expect_golden(platform, problem,
                {{"Het", {198, 2, 120}},
                 {"Hom", {208, 2, 120}},
                 {"HomI", {216, 1, 120}},
                 {"ORROML", {236, 2, 120}},
                 {"OMMOML", {216, 1, 120}},
                 {"ODDOML", {198, 2, 120}},
                 {"DDOML", {234, 2, 120}},
                 {"BMM", {208, 2, 120}},
                 {"OBMM", {283, 2, 144}}});
  EXPECT_NEAR(steady_state(platform, problem).throughput_updates_per_s, 0.833333, 5e-7);
}

TEST(Golden, ThreeWorkers) {
  const Platform platform = test::star({{1, 4.5, 21, 0}, {1.5, 4, 32, 0}, {4, 2, 12, 0}});
  const Problem problem{.r = 6, .s = 12, .t = 5, .block_size = 1};
  expect_golden(platform, problem,
                {{"Het", {1002.5, 3, 394}},
                 {"Hom", {1014, 2, 384}},
                 {"HomI", {1014, 2, 384}},
                 {"ORROML", {1194.5, 3, 394}},
                 {"OMMOML", {2160, 1, 504}},
                 {"ODDOML", {1052, 3, 394}},
                 {"DDOML", {1103, 3, 434}},
                 {"BMM", {1132, 3, 444}},
                 {"OBMM", {1126, 3, 564}}});
  EXPECT_NEAR(steady_state(platform, problem).throughput_updates_per_s, 0.638310185185, 1e-9);
}

// Het for the smallest and the largest product of PPoPP'08 on its platforms with one kind of
// heterogeneity, and on that of November 2006.
TEST(Golden, HetOnThePlatformsOfThePaper) {
  const auto het = [](const std::string& file, const char* problem) {
    const Platform platform =
        load_platform(STARPORT_SOURCE_DIR "/platforms/ppopp08-" + file).at_block_size(80);
    return test::makespan(test::simulate("Het", platform, parse_problem(problem, 80)));
  };
  EXPECT_NEAR(het("memory.json", "8000x8000x64000"), 2079, 1);
  EXPECT_NEAR(het("memory.json", "8000x8000x128000"), 3878, 1);
  EXPECT_NEAR(het("links.json", "8000x8000x64000"), 2533, 1);
  EXPECT_NEAR(het("links.json", "8000x8000x128000"), 5067, 1);
  EXPECT_NEAR(het("computation.json", "8000x8000x64000"), 2903, 1);
  EXPECT_NEAR(het("computation.json", "8000x8000x128000"), 5820, 1);
  EXPECT_NEAR(het("2006-11.json", "8000x8000x320000"), 7815, 1);
}

/// Drawn instances for golden numbers: all kinds of port, equal and unlike workers, small and large
/// memories, latencies, workers whose speed falls twice with the size of an update.
test::RandomInstance golden_instance(std::uint64_t seed) {
  test::RandomInstance drawn =
      seed % 3 == 0 ? test::uneven_instance(seed, 2) : test::random_instance(seed);
  test::Random random(seed);
  for (Worker& worker : drawn.platform.workers) {
    if (seed % 4 == 0) worker.latency_s = random.real(0, 2);
    if (seed % 5 == 0) worker.m_blocks *= 4;
    if (seed % 6 == 1) {
      const double speed = 1 / worker.w_s;
      worker.speeds =
          std::make_shared<const SpeedFunction>(std::vector<SpeedFunction::Point>{{1, speed},
                                                                                  {4, speed},
                                                                                  {9, speed / 2},
                                                                                  {16, speed / 2},
                                                                                  {25, speed / 4},
                                                                                  {99, speed / 4}});
    }
  }
  // Many parts: each worker six times, on a larger product.
  if (seed % 28 == 7) {
    const PerWorker<Worker> workers = drawn.platform.workers;
    for (int copy = 1; copy < 6; ++copy)
      drawn.platform.workers.insert(drawn.platform.workers.end(), workers.begin(), workers.end());
    drawn.problem.r *= 3;
    drawn.problem.s *= 3;
  }
  if (seed % 7 == 5) drawn.platform.port = {.kind = Port::Kind::two};
  if (seed % 7 == 6) drawn.platform.port = {.kind = Port::Kind::multi, .max_transfers = 2};
  return drawn;
}

/// A number that depends on every transfer and date of a trace.
double checksum(const Trace& trace) {
  test::Checksum sum;
  for (const auto& [transfer, dates] : trace) {
    for (const Rectangle& blocks : {transfer.a, transfer.b, transfer.c}) {
      for (const Range& range : {blocks.rows, blocks.columns}) {
        sum.add(range.begin);
        sum.add(range.end);
      }
    }
    for (const double number : {static_cast<double>(transfer.worker), dates.start_s, dates.end_s,
                                dates.update_start_s, dates.update_end_s}) {
      sum.add(number);
    }
  }
  return sum.value();
}

/// Returns such a number for each instance, and 0 where the heuristic does not apply or fails. Runs
/// are under noise if `noisy` is set.
std::vector<double> golden_numbers(const NamedHeuristic& named, std::uint64_t instances,
                                   bool noisy) {
  std::vector<double> numbers;
  for (std::uint64_t seed = 1; seed <= instances; ++seed) {
    test::RandomInstance drawn = golden_instance(seed);
    if (noisy || named.heuristic->requirements().ports == SupportedPorts::one)
      drawn.platform.port = {};
    double& number = numbers.emplace_back();
    if (named.heuristic->requirements().homogeneous && !drawn.platform.is_homogeneous()) continue;
    const auto plan = [&] { return named.heuristic->plan(drawn.platform, drawn.problem); };
    const auto run = [&](const Noise& noise) {
      return test::run_here(drawn.platform, drawn.problem, plan, noise).trace;
    };
    try {
      const Trace nominal = run({});
      number = checksum(nominal);
      for (const HeldBlocks& held : compute_held_blocks(drawn.platform, drawn.problem, nominal))
        number += static_cast<double>(held.transfer + held.update);
      if (!noisy) continue;
      number = 0;
      number =
          checksum(run(random_noise(seed, drawn.platform.workers.size(), test::makespan(nominal))));
    } catch (const NotApplicable&) {
    } catch (const InputError&) {       // no worker has the memory
    } catch (const SimulationError&) {  // a worker stops that is still needed
    }
  }
  return numbers;
}

void expect_golden_numbers(const std::string& file, const std::string& names,
                           std::uint64_t instances, bool noisy = false) {
  std::map<std::string, std::vector<double>> numbers;
  for (const NamedHeuristic& named : parse_heuristics(names))
    numbers[named.name] = golden_numbers(named, instances, noisy);
  test::expect_golden("tests/star/" + file, numbers);
}

// A change of any decision changes a number.
TEST(Golden, PlansOfDrawnInstances) {
  expect_golden_numbers("plans.golden",
                        "all,ipdps07,Adaptive,Het[clock=exact],Het[count_c=no,ratio=local],"
                        "Het[panels=even],HomI[thresholds=own],OMMOML[count_c=yes]",
                        84);
}

TEST(Golden, PlansOfPolaris) {
  expect_golden_numbers("polaris.golden", "Polaris[effort=low]", 168);
}

TEST(Golden, PlansOfMoreEffort) {
  expect_golden_numbers("effort.golden", "Polaris,Polaris[effort=low,split_k=yes]", 56);
}

TEST(Golden, RunsUnderNoise) {
  expect_golden_numbers("noisy.golden", "Adaptive,BMM,Het,ODDOML", 84, true);
}

TEST(Golden, RunsOfPolarisUnderNoise) {
  expect_golden_numbers("adapting.golden", "Polaris[adapt=yes,effort=low]", 168, true);
}

}  // namespace
}  // namespace starport
