// The figures of tile tasks, beyond those that all models share.
#pragma once

#include "sim/results/figure.hpp"

namespace starport::tiles {

/// Computes the value of the figure kTimesAnyRun: makespan of the run / lower bound on the makespan
/// of any run of the instance (any_run_bound_s). No value (monostate) when either is missing or the
/// bound is 0.
Value times_any_run(const RecordContext& row);
/// Computes the value of the figure kTimesVolume: data moved over the links / the lower bound
/// volume_bound_gib of the instance. No value (monostate) when either is missing or the bound is 0.
Value times_volume(const RecordContext& row);
/// Computes the value of the figure kRelativeVolume: data moved over the links in the run / the
/// smallest volume above 0 among the successful runs of the comparison; 0 for a run that moves
/// nothing, but 1 when no run moves anything.
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
    "lower bound on the volume when tasks are shared by speed: the sum over the GPUs of n^2 (2 "
    "sqrt(s) + 2 s) tiles, s the GPU's share of the speed, or more if its memory is small; a "
    "GPU that computes less may move less",
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

/// Returns the declarations of all figures that the tile model reports, common ones included, in
/// the order of the columns of results. The list is a static object.
const FigureList& tile_figures();

}  // namespace starport::tiles
