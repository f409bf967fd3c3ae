// The cost of each heuristic, planning and running by the recurrence, against the number of workers
// and of transfers.
#include "heuristics/heuristic_list.hpp"
#include "sim/model/random.hpp"
#include "sim/model/recurrence.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

namespace starport {
namespace {

enum class Workers { all_different, twenty_kinds };

struct Case {
  const char* heuristic;
  Workers workers;
  std::int64_t p;
  std::int64_t transfers;  ///< about
};

/// Links, speeds and memories (sides 6 to 13) within a factor of 4. Together the workers compute
/// about as fast as the port feeds them.
Platform platform_of(const Case& instance) {
  Random random(1);
  const std::int64_t kinds = instance.workers == Workers::all_different
                                 ? instance.p
                                 : std::min<std::int64_t>(20, instance.p);
  Platform platform{.name = "benchmark", .workers = {}};
  for (std::int64_t i = 0; i < kinds; ++i) {
    platform.workers.push_back(
        {.c_s = random.real(1e-3, 4e-3),
         .w_s = random.real(1e-3, 4e-3) * static_cast<double>(instance.p) / 4,
         .m_blocks = random.integer(60, 240),
         .latency_s = 0});
  }
  for (std::int64_t i = kinds; i < instance.p; ++i) {
    platform.workers.push_back(platform.workers[static_cast<std::size_t>(i - kinds)]);
  }
  return platform;
}

/// Panels of two or three chunks of ten steps.
Problem problem_of(const Case& instance) {
  return {
      .r = 16, .s = std::max<std::int64_t>(1, instance.transfers / 3), .t = 10, .block_size = 80};
}

void plan_and_run(benchmark::State& state, const Case& instance) {
  const Platform platform = platform_of(instance);
  const Problem problem = problem_of(instance);
  const auto heuristics = parse_heuristics(instance.heuristic);
  std::int64_t transfers = 0;
  for (auto _ : state) {
    transfers = 0;
    const Plan plan = heuristics[0].heuristic->plan(platform, problem);
    Star star(platform, problem);
    run_recurrence(*plan.dispatcher, star, [&](const Message&, const Dates&) { ++transfers; });
  }
  const auto count = static_cast<double>(transfers);
  state.counters["transfers"] = count;
  state.counters["s_per_transfer"] = benchmark::Counter(
      count, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);  // of the process so far: alone in it, of this case
  state.counters["peak_memory_MB"] = static_cast<double>(usage.ru_maxrss) / 1024;
}

void register_case(const Case& instance) {
  const std::string name =
      fmt::format("{}/{}/p:{}/transfers:{}", instance.heuristic,
                  instance.workers == Workers::all_different ? "different" : "20_kinds", instance.p,
                  instance.transfers);
  benchmark::RegisterBenchmark(name.c_str(),
                               [=](benchmark::State& state) { plan_and_run(state, instance); })
      ->Iterations(1)
      ->Unit(benchmark::kMillisecond);
}

void register_all() {
  for (const char* heuristic : {"ORROML", "ODDOML", "BMM", "OMMOML", "Hom", "HomI",
                                "Het[ratio=global,look_ahead=no,count_c=no]",
                                "Het[ratio=global,look_ahead=yes,count_c=no]", "Het"}) {
    for (const Workers workers : {Workers::all_different, Workers::twenty_kinds}) {
      for (const std::int64_t p : {10, 100, 1000, 10'000, 100'000}) {
        register_case({heuristic, workers, p, 1'000'000});
      }
      for (const std::int64_t transfers : {10'000, 100'000}) {
        register_case({heuristic, workers, 1000, transfers});
      }
      if (heuristic == std::string_view("Het")) continue;  // many minutes: see its selections
      for (const std::int64_t p : {1000, 100'000}) {
        register_case({heuristic, workers, p, 10'000'000});
      }
    }
  }
}

}  // namespace
}  // namespace starport

int main(int argc, char** argv) {
  starport::register_all();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
}
