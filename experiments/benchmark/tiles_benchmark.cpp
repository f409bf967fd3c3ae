// What tile tasks cost: every strategy on the event engine, the SimGrid engine beside a bare
// SimGrid program, a million areas through NRRP-S.
#include "experiments/benchmark/bare_tiles.hpp"
#include "heuristics/partition/methods.hpp"
#include "heuristics/tiles/registry.hpp"
#include "sim/platform/platform_file.hpp"
#include "sim/platform/random.hpp"
#include "sim/tiles/platform.hpp"
#include "sim/tiles/simgrid/simgrid_engine.hpp"

#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace starport::tiles {
namespace {

constexpr std::int64_t kTileSize = 960;

struct TileCase {
  Platform platform;
  std::unique_ptr<TileAlgorithm> algorithm;
  TaskGraph work;
  EngineOptions options;
};

/// Sirocco, task times up to 3% longer or shorter.
TileCase tile_case(const Entry<TileAlgorithm>& entry, std::int64_t n) {
  Platform platform = make_platform(load_platform(STARPORT_SIROCCO), kTileSize);
  auto algorithm = entry.make({});
  const auto side = static_cast<std::int32_t>(n);
  std::optional<Allocation> allocation;
  if (algorithm->allocate()) allocation = algorithm->allocate()(platform, side);
  Noise noise{.seed = 1};
  noise.updates.cv = 0.0173;
  const RuntimeOptions rules = algorithm->runtime_options();
  return {std::move(platform),
          std::move(algorithm),
          TaskGraph(side, std::move(allocation)),
          {.runtime = rules, .noise = noise}};
}

void count(benchmark::State& state, std::size_t tasks) {
  state.counters["tasks/s"] =
      benchmark::Counter(static_cast<double>(tasks), benchmark::Counter::kIsIterationInvariantRate);
}

/// The partition included.
void events(benchmark::State& state, const Entry<TileAlgorithm>& entry) {
  std::size_t tasks = 0;
  for (auto _ : state) {
    const TileCase run = tile_case(entry, state.range(0));
    tasks = run_event_engine(run.platform, run.work, run.algorithm->strategy(), run.options)
                .tasks.size();
  }
  count(state, tasks);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["peak_MB_so_far"] = static_cast<double>(usage.ru_maxrss) / 1024;
}

void simgrid(benchmark::State& state, const Entry<TileAlgorithm>& entry) {
  const TileCase run = tile_case(entry, state.range(0));
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        run_simgrid_engine(run.platform, run.work, run.algorithm->strategy(), run.options));
  }
  count(state, static_cast<std::size_t>(run.work.tasks()));
}

void bare(benchmark::State& state, const Entry<TileAlgorithm>& entry) {
  const TileCase run = tile_case(entry, state.range(0));
  const TileTrace trace =
      run_event_engine(run.platform, run.work, run.algorithm->strategy(), run.options);
  for (auto _ : state) benchmark::DoNotOptimize(run_bare_tiles(run.platform, trace));
  count(state, trace.tasks.size());
}

void partition_of_a_million(benchmark::State& state) {
  Random random(1);
  std::vector<double> areas(1'000'000);
  for (double& area : areas) area = random.real(0, 1);
  const auto divide = std::get<partition::Divide<2>>(partition::find_method("NRRP-S").divide);
  for (auto _ : state) benchmark::DoNotOptimize(divide(areas, {}));
}

void register_all() {
  for (const Entry<TileAlgorithm>& entry : tile_registry()) {
    const auto add = [&](const std::string& kind, auto function, std::int64_t n) {
      return benchmark::RegisterBenchmark(
                 (kind + "/" + entry.name).c_str(),
                 [&entry, function](benchmark::State& state) { function(state, entry); })
          ->Arg(n)
          ->Unit(benchmark::kMillisecond);
    };
    add("events", events, 32);
    const std::string& name = entry.name;
    if (name == "Static" || name == "EffectiveSteal" || name == "DMDA") {
      add("events", events, 200)->Iterations(1);
      add("simgrid", simgrid, 32)->UseRealTime();
      add("bare", bare, 32)->UseRealTime();
    }
  }
  benchmark::RegisterBenchmark("NRRP-S/1000000", partition_of_a_million)
      ->Unit(benchmark::kMillisecond);
}

}  // namespace
}  // namespace starport::tiles

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  starport::tiles::register_all();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
