// The figures that all models share, and the label columns of results.
#pragma once

#include "sim/results/figure.hpp"

namespace starport {

/// Computes the value of the figure kRelativeCost: the makespan of the run divided by the smallest
/// makespan among the successful runs of the same comparison; 1 for the fastest. NaN when the run
/// has no makespan.
Value relative_cost(const RecordContext& row);
/// Computes the value of the figure kRelativeWork: makespan x enrolled workers of the run, divided
/// by the smallest such product among the successful runs whose models report this figure.
/// `row.record.model` must not be null. Infinite when that model does not report the figure.
Value relative_work(const RecordContext& row);

inline constexpr Figure kMakespan =
    figure("makespan_s", "makespan", "s", Form::date, Scope::run,
           "when the last block of C is home; under noise, the mean over the repetitions",
           "PPoPP'08, section 6.3");
inline constexpr Figure kRepetitionCount =
    repeated(figure("repetitions", "repetitions", "", Form::count, Scope::run,
                    "runs under noise that the makespan is the mean of"));
inline constexpr Figure kMedianMakespan =
    repeated(figure("makespan_median_s", "median", "s", Form::date, Scope::run,
                    "median makespan of the repetitions"));
inline constexpr Figure kLowMakespan =
    repeated(figure("makespan_low_s", "95% interval, low", "s", Form::date, Scope::run,
                    "lower end of the 95% confidence interval (Student) of the mean makespan"));
inline constexpr Figure kHighMakespan =
    repeated(figure("makespan_high_s", "95% interval, high", "s", Form::date, Scope::run,
                    "upper end of the 95% confidence interval (Student) of the mean makespan"));
inline constexpr Figure kLowAboveBest = repeated(
    figure("above_best_low", "above the best, low", "", Form::share, Scope::run,
           "lower end of the 95% confidence interval of the mean paired difference from the "
           "best algorithm / the best mean"));
inline constexpr Figure kHighAboveBest = repeated(
    figure("above_best_high", "above the best, high", "", Form::share, Scope::run,
           "upper end of the 95% confidence interval of the mean paired difference from the "
           "best algorithm / the best mean"));
inline constexpr Figure kWithinNoise = repeated(
    figure("within_noise_of_best", "within noise", "", Form::yes_no, Scope::run,
           "whether the 95% confidence interval of the difference from the best contains 0, "
           "so that the algorithm may be as fast as the best"));
inline constexpr Figure kDecision = wall_clock(figure("decision_s", "decision", "s", Form::duration,
                                                      Scope::run, "wall-clock time of planning"));
inline constexpr Figure kSimulation =
    wall_clock(figure("simulation_s", "simulation", "s", Form::duration, Scope::run,
                      "wall-clock time of the simulation engine"));
inline constexpr Figure kEnrolledWorkers =
    figure("enrolled_workers", "enrolled", "workers", Form::count, Scope::run,
           "workers that receive work", "PPoPP'08, section 6.3");
inline constexpr Figure kVolume =
    figure("volume_gib", "volume", "GiB", Form::mean, Scope::run,
           "data moved over the links in both directions, without workers that share the master's "
           "memory",
           "ICPP'18, section 5.2", "communication (GiB)");
inline constexpr Figure kRelativeCost =
    relative(figure("relative_cost", "rel. cost", "", Form::ratio, Scope::run,
                    "makespan / the smallest makespan of the instance", "PPoPP'08, section 6.3"),
             relative_cost);
inline constexpr Figure kRelativeWork =
    relative(figure("relative_work", "rel. work", "", Form::ratio, Scope::run,
                    "makespan x enrolled workers / the smallest such product of the instance",
                    "PPoPP'08, section 6.3"),
             relative_work);

/// Returns the figures of runs that every model reports, among them the wall-clock times
/// (decision_s, simulation_s), as pointers to static constants. The list of a model starts with
/// them.
FigureList common_figures();

/// Returns the columns of results.csv that identify and describe a row instead of measuring it
/// (instance, platform, problem, algorithm, status, error, ...), in the order of the file. The
/// last one, "details", comes after the columns of figures. The list is a static object.
const FigureList& label_columns();

}  // namespace starport
