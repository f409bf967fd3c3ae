#include "sim/app/model_registry.hpp"

#include "sim/app/algorithms.hpp"
#include "sim/app/simgrid_engines.hpp"
#include "sim/models/spmd/spmd_model.hpp"
#include "sim/models/tiles/tile_model.hpp"
#include "sim/star/engine/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <variant>

namespace starport {

const StarModel& star_model() {
  static const StarModel model(
      [](EngineKind kind, const SimulationLimits& limits) -> std::unique_ptr<Engine> {
        if (kind == EngineKind::simgrid) return simgrid_engines().star_engine(limits);
        return std::make_unique<AnalyticEngine>(limits);
      });
  return model;
}

namespace {

const spmd::SpmdModel& spmd_model() {
  static const spmd::SpmdModel model(
      {.product =
           [](const spmd::Cluster& cluster, const spmd::ProductPlan& plan, double time_limit_s,
              const spmd::StageSink& sink, const spmd::ProductDurations& durations) {
             return simgrid_engines().simulate_product(cluster, plan.partitioning.partition,
                                                       plan.rules, spmd::Network::own_links,
                                                       time_limit_s, sink, durations);
           },
       .end_to_end =
           [](const spmd::Cluster& cluster, const spmd::ProductPlan& plan, double time_limit_s) {
             return simgrid_engines().simulate_product(cluster, plan.partitioning.partition,
                                                       plan.rules, spmd::Network::end_to_end,
                                                       time_limit_s, {}, spmd::ProductDurations());
           },
       .pair =
           [](const spmd::PairPlan& plan, double time_limit_s,
              const spmd::ProductDurations& durations) {
             return simgrid_engines().simulate_bulk(plan.problem, plan.bulk, time_limit_s,
                                                    durations);
           }});
  return model;
}

const tiles::TileModel& tile_model() {
  static const tiles::TileModel model([](const tiles::Platform& platform,
                                         const tiles::TaskGraph& graph,
                                         const tiles::StrategyMaker& strategy,
                                         const tiles::EngineOptions& options, double time_limit_s) {
    return simgrid_engines().run_tiles(platform, graph, strategy, options, time_limit_s);
  });
  return model;
}

}  // namespace

const ModelRegistry& model_registry() {
  static const ModelRegistry all{.models = {&star_model(), &tile_model(), &spmd_model()},
                                 .read_algorithms = read_algorithms};
  return all;
}

std::string suitable_algorithms(const Case& instance, const RunOptions& options) {
  using Entry = PlatformFile::Entry;
  const auto& [file, problem] = instance;
  const bool has_main_memory = std::ranges::any_of(file.entries, [](const Entry& entry) {
    return std::holds_alternative<PlatformFile::MemorySharing>(entry.worker);
  });
  const bool is_node = has_main_memory || star_model().find_obstacle(instance, RunOptions{});
  if (is_node && !tile_model().find_obstacle(instance, options)) return "icpp18,ZoneGrowth";
  std::string list = "all,Polaris";
  const bool speed_depends_on_size = std::ranges::any_of(file.entries, [](const Entry& entry) {
    return !entry.devices.empty() || !entry.speed_function.empty();
  });
  const bool is_square = problem.r == problem.s && problem.r == problem.t;
  if (!speed_depends_on_size || !is_square || spmd_model().find_obstacle(instance, options)) {
    return list;
  }
  for (const char* name : {"FPM", "multiple-CPM", "single-CPM", "homogeneous"}) {
    list += fmt::format(",{}[data=hub]", name);
  }
  return list;
}

}  // namespace starport
