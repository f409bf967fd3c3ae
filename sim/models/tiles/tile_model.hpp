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

/// Executes a task graph and returns the trace, as run_simgrid_engine() does. Throws
/// SimulationError if it fails or exceeds `time_limit_s` seconds of wall time (0: no limit).
using Simulate = std::function<Trace(const Platform&, const TaskGraph&, const StrategyMaker&,
                                     const EngineOptions&, double time_limit_s)>;

/// Returns the text and table layout of tile tasks; the object is static.
const Presentation& tile_presentation();

/// An algorithm applied to a case: everything that an engine needs to run it.
struct TilePlan {
  Platform platform;
  TaskGraph work;
  StrategyMaker strategy;
  EngineOptions options;
};

/// Plans the product with `named`, a tile algorithm. Throws NotApplicable when the platform lacks
/// what the algorithm needs, InputError when the product is not square or the platform does not fit
/// the model.
TilePlan make_plan(const NamedAlgorithm& named, const Case& instance, const Noise& noise);

/// The model of tile tasks on one CPU+GPU node (ICPP'18).
class TileModel final : public Model {
 public:
  /// `simulate` runs the SimGrid engine; empty in programs without SimGrid.
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
