// Tile tasks on a CPU+GPU node: ICPP'18.
#pragma once

#include "sim/results/model.hpp"
#include "sim/tiles/event_engine.hpp"
#include "sim/tiles/tile_algorithm.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace starport::tiles {

/// As run_simgrid().
using Simulate = std::function<Trace(const Platform&, const Work&, const StrategyMaker&,
                                     const Options&, double time_limit_s)>;

class TileModel final : public Model {
 public:
  /// `simulate` is what SimGrid adds, for programs that have it; empty otherwise.
  explicit TileModel(Simulate simulate = {}) : simulate_(std::move(simulate)) {}

  std::string_view name() const override { return "tiles"; }
  const FigureList& figures() const override;
  std::vector<Column> columns(const Case& instance) const override;
  std::optional<InputError> misfit(const Case& instance, const RunOptions& options) const override;
  void check(const std::vector<NamedAlgorithm>& algorithms, const Case& instance,
             const RunOptions& options) const override;
  Figures bounds(const Case& instance, const Noise& noise) const override;
  std::string heading(const Case& instance, const Figures& bounds) const override;
  std::string caveat(const Case& instance) const override;
  const Figure* work() const override;
  std::string nearness(const Record& record, const Figures& bounds) const override;
  Record run(const NamedAlgorithm& algorithm, const Case& instance,
             const RunOptions& options) const override;
  std::string find_difference(const NamedAlgorithm& algorithm, const Case& instance,
                              const RunOptions& ours, EngineKind reference) const override;
  Division divide(const NamedAlgorithm& algorithm, const Case& instance) const override;

 private:
  Simulate simulate_;
};

}  // namespace starport::tiles
