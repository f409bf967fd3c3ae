// The model of tile tasks on a CPU+GPU node (ICPP'18), the plans that it runs, and its figures
// beyond those that all models share.
#pragma once

#include "sim/results/figure.hpp"
#include "sim/results/model.hpp"
#include "sim/tiles/event_engine.hpp"
#include "sim/tiles/platform.hpp"
#include "sim/tiles/task_graph.hpp"
#include "sim/tiles/tile_algorithm.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace starport::tiles {

/// Computes the value of the reported figure kTimesAnyRun: makespan of the run / lower bound on the
/// makespan of any run of the instance (any_run_bound_s). No value (monostate) when either is
/// missing or the bound is 0.
Value times_any_run(const RecordContext& row);
/// Computes the value of the reported figure kTimesVolume: data moved over the links / the lower
/// bound volume_bound_gib of the instance, which holds if tasks are shared by speed; else the value
/// may be below 1. No value (monostate) when either is missing or the bound is 0.
Value times_volume(const RecordContext& row);
/// Computes the value of the reported figure kRelativeVolume: data moved over the links in the run
/// / the smallest such volume above 0 among the successful runs of the comparison; 0 for a run that
/// moves nothing, but 1 when no run moves anything. No value (monostate) when others move data but
/// the volume of this run is missing.
Value relative_volume(const RecordContext& row);

inline constexpr Figure kTransfers = figure(
    "transfers", "transfers", "tiles", Form::count, Scope::run,
    "tiles moved over the links; directly from GPU to GPU they count once", "ICPP'18, section 5.2");
inline constexpr Figure kBetweenGpus = figure("gpu_to_gpu", "GPU to GPU", "tiles", Form::count,
                                              Scope::run, "tiles moved directly from GPU to GPU");
inline constexpr Figure kThefts =
    figure("thefts", "thefts", "tasks", Form::count, Scope::run,
           "tasks taken from another node's list", "ICPP'18, section 4.2.1");
inline constexpr Figure kBusyShare =
    figure("busy_share", "busy", "", Form::share, Scope::run,
           "time of the workers' tasks / (makespan x workers); the rest is waiting");
inline constexpr Figure kRelativeVolume =
    relative(figure("relative_volume", "rel. volume", "", Form::ratio, Scope::run,
                    "volume_gib / the smallest of the instance that is not 0"),
             relative_volume);
inline constexpr Figure kAreaBound = figure(
    "area_bound_s", "area bound", "s", Form::date, Scope::instance,
    "start-up + tasks / the sum of the workers' speeds", "ICPP'18, section 3.1", "area bound (s)");
inline constexpr Figure kAnyRunBound = figure(
    "any_run_bound_s", "any-run bound", "s", Form::date, Scope::instance,
    "lower bound on the makespan of any run at nominal durations: the area bound, or the time "
    "that the necessary transfers take",
    "Loomis and Whitney 1949; sim/tiles/bounds.hpp", "bound on any run (s)");
inline constexpr Figure kVolumeBound = figure(
    "volume_bound_gib", "volume bound", "GiB", Form::mean, Scope::instance,
    "lower bound on the volume when tasks are shared by speed: the sum over the GPUs of 2 t "
    "sqrt(x r s) + 2 x r s tiles, x the GPU's share of the speed, or more if C is narrow or its "
    "memory is small; a GPU that computes less may move less",
    "ICPP'18, section 3.1; Smith et al. 2019");
inline constexpr Figure kTimesAnyRun =
    over_bound(relative(figure("times_any_run_bound", "x bound", "", Form::ratio, Scope::run,
                               "makespan / any_run_bound_s", "", "makespan / bound on any run"),
                        times_any_run),
               "bound on any run");
inline constexpr Figure kTimesVolume =
    relative(figure("times_volume_bound", "x volume", "", Form::ratio, Scope::run,
                    "volume_gib / volume_bound_gib", "", "volume / its bound"),
             times_volume);
inline constexpr Figure kTasks = figure("tasks", "tasks", "tasks", Form::count, Scope::worker,
                                        "tasks of the worker, reductions included");
inline constexpr Figure kTaskTime = figure("task_time_s", "in tasks", "s", Form::date,
                                           Scope::worker, "total duration of the worker's tasks");

/// Returns the declarations of all figures (reported values) of the tile model (tasks on tiles on a
/// CPU+GPU node), common ones included, in the order of the columns of results. The list is a
/// static object, valid until the program ends.
const FigureList& tile_figures();

/// Function that simulates a graph of tile tasks on a CPU+GPU node with SimGrid, with the strategy
/// (which assigns ready tasks to workers at run time) that the StrategyMaker creates, and returns
/// the trace: the tasks and transfers with their dates in simulated seconds. Blocks. Throws
/// SimulationError if the simulation fails or takes longer than `time_limit_s` seconds of
/// wall-clock time (0: no limit), NotApplicable if the strategy does. Its arguments are valid
/// during the call only.
using Simulate = std::function<TileTrace(const Platform&, const TaskGraph&, const StrategyMaker&,
                                         const EngineOptions&, double time_limit_s)>;

/// Returns the object that formats results of the tile model (tasks on tiles on a CPU+GPU node) as
/// text and tables. It is a static object, valid until the program ends.
const Presentation& tile_presentation();

/// A tile algorithm applied to a platform and a product, as make_plan() returns it: everything that
/// an engine needs to simulate it. Owns its members, but the strategy function may refer to data of
/// the algorithm, which must then outlive the plan.
struct TilePlan {
  /// The CPU+GPU node, with durations in seconds for the tile size of the product; GPU memories are
  /// unlimited if the algorithm ignores their limits.
  Platform platform;
  /// The r s t updates of a product of r x t by t x s tiles as tasks, with their static allocation
  /// to memory nodes (main memory and GPUs) if there is one, and the reductions (additions of
  /// partial sums of tiles of C) if it asks for them.
  TaskGraph work;
  /// Function that creates the strategy (which assigns tasks to workers) of a run; may refer to the
  /// algorithm, which must outlive it.
  StrategyMaker strategy;
  /// Options of the simulated run-time system, and the noise of the run (random durations,
  /// slow-downs, stops).
  EngineOptions options;
  /// True if the strategy is a user's code, so that it must run in a child process.
  bool is_external = false;
};

/// Plans the product of `instance` with `named`, which must be a tile algorithm and must outlive
/// the plan: computes its static allocation of tasks to memory nodes (main memory and GPUs), if it
/// has one, and copies options.noise into the plan. An algorithm of a user, and any other if
/// options.isolated is true and `options` has a time limit, allocates in a child process within
/// that limit; the calling process must have one thread then. Throws NotApplicable when the
/// platform lacks what the algorithm or the noise needs, such as memory for three tiles on each
/// GPU; InputError unless each matrix has at most kMaxTilesPerMatrix tiles and the platform fits
/// the model; std::bad_cast for an algorithm of another model; and, where a child process is used,
/// the exceptions of run_in_child(): MachineError beyond the time limit, SimulationError if the
/// code fails.
TilePlan make_plan(const NamedAlgorithm& named, const Case& instance, const RunOptions& options);

/// The model of tile tasks on one CPU+GPU node (ICPP'18): the product of r x t by t x s tiles is r
/// s t tasks, each multiplying two square tiles, and with some algorithms reductions (additions of
/// partial sums), on CPU cores and GPUs with memories of their own. Algorithms are TileAlgorithm
/// objects. A, B and C must have at most kMaxTilesPerMatrix (10^7) tiles each; else find_obstacle()
/// returns an InputError.
class TileModel final : public Model {
 public:
  /// Makes the model of tile tasks; `simulate` simulates a run with SimGrid. It is stored; what it
  /// refers to must outlive the model. If `simulate` is empty, as in programs without SimGrid,
  /// find_obstacle() reports that the engine simgrid cannot be used; the analytic engine can.
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
