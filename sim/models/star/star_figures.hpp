// The figures of schedules on the star, beyond those that all models share.
#pragma once

#include "sim/results/figure.hpp"

namespace starport {

/// Computes the value of the figure kBoundRatio: makespan of the run / steady-state bound on the
/// makespan of the instance. No value (monostate) when the instance has no steady-state rate or the
/// run no makespan.
Value bound_ratio(const RecordContext& row);
/// Computes the value of the figure kCStationary: 1 if the schedule is C-stationary (each worker
/// holds one rectangle of C at a time) and the bound on such schedules is larger than the bound on
/// any schedule, else 0. Reads the flag that the run has set in this same figure: 1 for a
/// C-stationary schedule. No value (monostate) without a bound on any schedule.
Value c_stationary(const RecordContext& row);
/// Computes the value of the figure kTimesTightest: makespan / the largest lower bound that holds
/// for the schedule, which is the C-stationary bound if c_stationary() returns 1, else the bound on
/// any schedule. No value (monostate) without a bound or a makespan.
Value times_tightest(const RecordContext& row);
/// Computes the value of the figure kTimesBound: makespan / lower bound on the makespan of any
/// schedule (any_schedule_bound_s). No value (monostate) without a bound or a makespan.
Value times_bound(const RecordContext& row);

inline constexpr Figure kBlocksMoved =
    figure("blocks_moved", "blocks moved", "blocks", Form::count, Scope::run,
           "blocks of A, B and C through the port, both ways", "PPoPP'08, section 3");
inline constexpr Figure kBlockUpdates = figure(
    "block_updates", "block updates", "updates", Form::count, Scope::run,
    "updates C_ij += A_ik B_kj done; those interrupted by a stop do not count, repeated ones "
    "count twice",
    "PPoPP'08, section 2");
inline constexpr Figure kCcr =
    figure("ccr", "CCR", "blocks/update", Form::per_update, Scope::run,
           "communication-to-computation ratio: blocks moved / block updates",
           "PPoPP'08, section 3", "blocks moved per block update");
inline constexpr Figure kPortUtilisation =
    figure("port_utilisation", "port use", "", Form::share, Scope::run,
           "mean number of transfers at once over the makespan: on one port, the share of it "
           "during which the port is busy",
           "PPoPP'08, section 6");
inline constexpr Figure kSendUtilisation =
    figure("send_utilisation", "sends", "", Form::share, Scope::run,
           "mean number of transfers to workers at once over the makespan");
inline constexpr Figure kReceiveUtilisation =
    figure("receive_utilisation", "returns", "", Form::share, Scope::run,
           "mean number of transfers back to the master at once over the makespan");
inline constexpr Figure kBoundRatio =
    relative(figure("bound_ratio", "bound ratio", "", Form::ratio, Scope::run,
                    "rho / throughput: makespan / steady_state_bound_s",
                    "PPoPP'08, Table 1 and section 6", "makespan / steady-state bound"),
             bound_ratio);
inline constexpr Figure kSteadyStateRate =
    figure("steady_state_updates_per_s", "rho", "updates/s", Form::date, Scope::heading,
           "rho, the optimum of the steady-state linear program of the platform's port",
           "PPoPP'08, Table 1");
inline constexpr Figure kSteadyStateBound =
    figure("steady_state_bound_s", "steady-state bound", "s", Form::date, Scope::instance,
           "r s t / rho: chunks of side mu_i, C neglected on one port", "PPoPP'08, Table 1",
           "steady-state bound (s)");
inline constexpr Figure kCStationaryBound = figure(
    "c_stationary_bound_s", "C-stationary bound", "s", Form::date, Scope::instance,
    "lower bound on the makespan of C-stationary schedules, whose workers keep one rectangle of C "
    "at a time",
    "sim/star/bounds/makespan_bounds.md");
inline constexpr Figure kCStationary = relative(
    figure("c_stationary", "C-stationary", "", Form::yes_no, Scope::run,
           "whether x bound refers to c_stationary_bound_s: the schedule is C-stationary (one "
           "rectangle of C at a time on each worker), and that bound is the larger one",
           "sim/star/bounds/makespan_bounds.md"),
    c_stationary);
inline constexpr Figure kTimesTightest = over_bound(
    relative(
        figure("times_tightest_bound", "x bound", "", Form::ratio, Scope::run,
               "makespan / the largest bound that holds for the schedule: c_stationary_bound_s if "
               "c_stationary is yes, else any_schedule_bound_s",
               "sim/star/bounds/makespan_bounds.md", "makespan / tightest bound"),
        times_tightest),
    "tightest bound");
inline constexpr Figure kTimesBound =
    relative(figure("times_bound", "x any bound", "", Form::ratio, Scope::run,
                    "makespan / any_schedule_bound_s", "sim/star/bounds/makespan_bounds.md",
                    "makespan / bound on any schedule"),
             times_bound);
inline constexpr Figure kAnyScheduleBound =
    figure("any_schedule_bound_s", "any-schedule bound", "s", Form::date, Scope::instance,
           "lower bound on the makespan of any schedule of the model",
           "sim/star/bounds/makespan_bounds.md", "bound on any schedule (s)");
inline constexpr Figure kSide =
    figure("mu_blocks", "mu_i", "blocks", Form::count, Scope::worker,
           "the side of the worker's chunks of C: the largest mu with mu^2 + 4 mu <= m_i; smaller "
           "where its speed function makes that faster",
           "PPoPP'08, section 4");
inline constexpr Figure kLinkBusy =
    figure("link_busy_s", "link busy", "s", Form::date, Scope::worker,
           "total duration of the worker's transfers");
inline constexpr Figure kComputeBusy =
    figure("compute_busy_s", "computing", "s", Form::date, Scope::worker,
           "total duration of the worker's updates");

/// Returns the declarations of all figures that the star model reports, common ones included, in
/// the order of the columns of results. The list is a static object.
const FigureList& star_figures();

}  // namespace starport
