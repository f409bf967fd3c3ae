// The interface between the tile model and its strategies (ICPP'18).
#pragma once

#include "sim/results/model.hpp"
#include "sim/tiles/platform.hpp"
#include "sim/tiles/runtime.hpp"
#include "sim/tiles/task_graph.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

namespace starport::tiles {

/// Function that computes a static allocation of the tile tasks of a product to the memory nodes
/// (main memory and GPUs) of a platform, to which it must not keep a reference. Returns nullopt if
/// tasks are assigned only at run time. Throws NotApplicable if the method does not support the
/// platform or that many tiles, and InputError if it cannot divide the product among these workers,
/// e.g. because there are none. A user's code may throw others, e.g. SimulationError for a wrong
/// allocation.
using Allocate =
    std::function<std::optional<Allocation>(const Platform& platform, const ProductSize& size)>;

/// A scheduling algorithm for tile tasks: an optional static allocation of tasks to memory nodes
/// (main memory and GPUs), the strategy that assigns tasks to workers at run time, and the options
/// of the run-time system. Immutable.
class TileAlgorithm : public Algorithm {
 public:
  /// Stores copies of the parts of the algorithm. `strategy`, which makes the object that assigns
  /// tasks to workers, must not be empty; it is called once per run, perhaps in a child process. An
  /// empty `allocate` means that tasks are assigned only at run time. What the functions refer to
  /// must outlive this object. `is_external` says that the functions are not code of this program
  /// but a user's, so that both must be called in a child process only.
  TileAlgorithm(StrategyMaker strategy, const RuntimeOptions& runtime_options,
                Allocate allocate = nullptr, bool is_external = false)
      : strategy_(std::move(strategy)),
        runtime_options_(runtime_options),
        allocate_(std::move(allocate)),
        is_external_(is_external) {}

  /// Returns "tiles", the name of the model that runs this algorithm.
  std::string_view model() const override { return "tiles"; }
  /// Returns the function that creates the scheduling strategy of each run; not empty. The
  /// reference is valid as long as this object.
  const StrategyMaker& strategy() const { return strategy_; }
  /// Returns the options of the simulated run-time system: prefetching, routes between GPUs and
  /// memory limits. The reference is valid as long as this object.
  const RuntimeOptions& runtime_options() const { return runtime_options_; }
  /// Returns the function that assigns tasks to memory nodes before the run; an empty function if
  /// tasks are assigned only at run time: check it before calling. The reference is valid as long
  /// as this object.
  const Allocate& allocate() const { return allocate_; }
  /// Returns true if the functions strategy() and allocate() are a user's code, which may crash or
  /// never end, so that both must be called in a child process.
  bool is_external() const { return is_external_; }

 private:
  StrategyMaker strategy_;
  RuntimeOptions runtime_options_;
  Allocate allocate_;
  bool is_external_;
};

}  // namespace starport::tiles
