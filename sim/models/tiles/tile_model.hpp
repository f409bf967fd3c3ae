// The model of tile tasks on a CPU+GPU node (ICPP'18), and the plans that it runs.
#pragma once

#include "sim/results/model.hpp"
#include "sim/tiles/event_engine.hpp"
#include "sim/tiles/platform.hpp"
#include "sim/tiles/task_graph.hpp"
#include "sim/tiles/tile_algorithm.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace starport::tiles {

/// Function that simulates a task graph on a platform with SimGrid and returns the trace: the tasks
/// and transfers with their dates. Throws SimulationError if the simulation fails or takes longer
/// than `time_limit_s` seconds of wall-clock time (0: no limit).
using Simulate = std::function<Trace(const Platform&, const TaskGraph&, const StrategyMaker&,
                                     const EngineOptions&, double time_limit_s)>;

/// Returns the object that formats results of the tile model as text and tables. It is a static
/// object.
const Presentation& tile_presentation();

/// A tile algorithm applied to a platform and a product: everything that an engine needs to
/// simulate it. Owns its members, except for what the algorithm's strategy function refers to.
struct TilePlan {
  /// The platform with durations for the tile size of the product.
  Platform platform;
  /// The n x n x n tile tasks, with their static allocation to memory nodes if there is one.
  TaskGraph work;
  /// Function that creates the strategy (which assigns tasks to workers) at the start of a run.
  StrategyMaker strategy;
  /// Options of the run-time system that executes the tasks, and the noise of their durations.
  EngineOptions options;
};

/// Plans the product of `instance` with `named`, which must be a tile algorithm: computes its
/// static allocation, if it has one. The noise becomes part of the plan. Throws NotApplicable when
/// the platform lacks what the algorithm needs; InputError when the product is not square, has too
/// many tiles, or the platform does not fit the model; std::bad_cast for an algorithm of another
/// model.
TilePlan make_plan(const NamedAlgorithm& named, const Case& instance, const Noise& noise);

/// The model of tile tasks on one CPU+GPU node (ICPP'18): the product is n^3 tasks, each
/// multiplying two square tiles, on CPU cores and GPUs with memories of their own. Algorithms are
/// TileAlgorithm objects; products must be square.
class TileModel final : public Model {
 public:
  /// Makes the model; `simulate` runs its SimGrid engine. If `simulate` is empty, as in programs
  /// without SimGrid, find_obstacle() reports that the engine simgrid cannot be used.
  explicit TileModel(Simulate simulate = {}) : simulate_(std::move(simulate)) {}

  std::string_view name() const override { return "tiles"; }
  const FigureList& figures() const override;
  const Presentation& presentation() const override { return tile_presentation(); }
  std::optional<InputError> find_obstacle(
      const Case& instance, const RunOptions& options,
      std::span<const NamedAlgorithm> algorithms = {}) const override;
  Figures bounds(const Case& instance, const Noise& noise) const override;
  Record run(const NamedAlgorithm& algorithm, const Case& instance,
             const RunOptions& options) const override;
  std::string find_difference(const NamedAlgorithm& algorithm, const Case& instance,
                              const RunOptions& options, EngineKind reference) const override;

 private:
  Simulate simulate_;
};

}  // namespace starport::tiles
