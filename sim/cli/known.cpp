#include "sim/cli/known.hpp"

#include "sim/cli/algorithms.hpp"
#include "sim/spmd/simgrid/simgrid_runs.hpp"
#include "sim/spmd/spmd_model.hpp"
#include "sim/star/engine/analytic_engine.hpp"
#include "sim/star/engine/simgrid/simgrid_engine.hpp"
#include "sim/tiles/simgrid/simgrid_engine.hpp"
#include "sim/tiles/tile_model.hpp"

#include <memory>

namespace starport {

const StarModel& star_model() {
  static const StarModel model(
      [](EngineKind kind, const SimulationLimits& limits) -> std::unique_ptr<Engine> {
        if (kind == EngineKind::simgrid) return std::make_unique<SimgridEngine>(limits);
        return std::make_unique<AnalyticEngine>(limits);
      });
  return model;
}

namespace {

const spmd::SpmdModel& spmd_model() {
  static const spmd::SpmdModel model(
      {.product =
           [](const spmd::Cluster& cluster, const spmd::ProductPlan& plan, double time_limit_s,
              const spmd::StageSink& sink, const spmd::Durations& durations) {
             return spmd::simulate_product(cluster, plan.partitioning.partition, plan.rules,
                                           spmd::Network::own_links, time_limit_s, sink, durations);
           },
       .end_to_end =
           [](const spmd::Cluster& cluster, const spmd::ProductPlan& plan, double time_limit_s) {
             return spmd::simulate_product(cluster, plan.partitioning.partition, plan.rules,
                                           spmd::Network::end_to_end, time_limit_s);
           },
       .pair =
           [](const spmd::PairPlan& plan, double time_limit_s, const spmd::Durations& durations) {
             return spmd::simulate_bulk(plan.problem, plan.bulk, time_limit_s, durations);
           }});
  return model;
}

const tiles::TileModel& tile_model() {
  static const tiles::TileModel model(tiles::run_simgrid);
  return model;
}

}  // namespace

const Known& known() {
  static const Known all{.models = {&star_model(), &tile_model(), &spmd_model()},
                         .read_algorithms = read_algorithms};
  return all;
}

}  // namespace starport
