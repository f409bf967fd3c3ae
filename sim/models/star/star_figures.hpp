// What is reported of schedules on the star, beside the figures that every model has.
#pragma once

#include "sim/results/figure.hpp"

namespace starport {

Value bound_ratio(const RecordContext& row);
Value c_stationary(const RecordContext& row);
Value times_tightest(const RecordContext& row);
Value times_bound(const RecordContext& row);

inline constexpr Figure kBlocksMoved =
    figure("blocks_moved", "blocks moved", "blocks", Form::count, Scope::run,
           "blocks of A, B and C through the port, both ways", "PPoPP'08, section 3");
inline constexpr Figure kBlockUpdates =
    figure("block_updates", "block updates", "updates", Form::count, Scope::run,
           "updates C_ij += A_ik B_kj done; those that a stop cuts off do not count, repeated ones "
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
inline constexpr Figure kSendUtilisation = figure("send_utilisation", "sends", "", Form::share,
                                                  Scope::run, "the same of transfers to workers");
inline constexpr Figure kReceiveUtilisation = figure(
    "receive_utilisation", "returns", "", Form::share, Scope::run, "the same of transfers back");
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
inline constexpr Figure kCStationaryBound =
    figure("c_stationary_bound_s", "C-stationary bound", "s", Form::date, Scope::instance,
           "no schedule ends sooner that keeps a rectangle of C at a time on a worker",
           "sim/star/bounds/makespan_bounds.md");
inline constexpr Figure kCStationary = relative(
    figure("c_stationary", "C-stationary", "", Form::yes_no, Scope::run,
           "whether x bound is over c_stationary_bound_s: it holds for the schedule, whose "
           "workers keep a rectangle of C at a time, and is the larger",
           "sim/star/bounds/makespan_bounds.md"),
    c_stationary);
inline constexpr Figure kTimesTightest = over_bound(
    relative(figure("times_tightest_bound", "x bound", "", Form::ratio, Scope::run,
                    "makespan / the larger of the bounds that hold for the schedule: "
                    "any_schedule_bound_s, and c_stationary_bound_s where c_stationary says so",
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
           "no schedule of the model ends sooner", "sim/star/bounds/makespan_bounds.md",
           "bound on any schedule (s)");
inline constexpr Figure kSide =
    figure("mu_blocks", "mu_i", "blocks", Form::count, Scope::worker,
           "the side of the worker's chunks of C: the largest mu with mu^2 + 4 mu <= m_i; smaller "
           "where its speed function makes that faster",
           "PPoPP'08, section 4");
inline constexpr Figure kLinkBusy =
    figure("link_busy_s", "link busy", "s", Form::date, Scope::worker,
           "how long the worker's transfers last, in all");
inline constexpr Figure kComputeBusy =
    figure("compute_busy_s", "computing", "s", Form::date, Scope::worker,
           "how long the worker's updates last, in all");

/// In the order of the columns of results.
const FigureList& star_figures();

}  // namespace starport
