#include "sim/app/model_registry.hpp"

#include "sim/app/algorithms.hpp"
#include "sim/app/simgrid_engines.hpp"
#include "sim/models/spmd/spmd_model.hpp"
#include "sim/models/tiles/tile_model.hpp"
#include "sim/star/engine/engine.hpp"

#include <memory>

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

}  // namespace starport
