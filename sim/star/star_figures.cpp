#include "sim/star/star_figures.hpp"

#include "sim/study/common_figures.hpp"
#include "sim/study/comparison.hpp"

namespace starport {
namespace {

/// None where one of the two is.
Value some(double number) { return number == number ? Value(number) : Value(); }

Value bound_ratio(const Related& row) {
  return some(row[kSteadyStateRate] * row[kMakespan] /
              static_cast<double>(row.comparison.instance.problem.updates()));
}
Value times_bound(const Related& row) { return some(row[kMakespan] / row[kAnyScheduleBound]); }

}  // namespace

constinit const Figure kBlocksMoved{.key = "blocks_moved",
                                    .label = "blocks moved",
                                    .unit = "blocks",
                                    .form = Form::count,
                                    .meaning = "blocks of A, B and C through the port, both ways",
                                    .source = "PPoPP'08, section 3"};
constinit const Figure kBlockUpdates{.key = "block_updates",
                                     .label = "block updates",
                                     .unit = "updates",
                                     .form = Form::count,
                                     .meaning =
                                         "updates C_ij += A_ik B_kj done; those that a stop "
                                         "cuts off do not count, repeated ones count twice",
                                     .source = "PPoPP'08, section 2"};
constinit const Figure kCcr{.key = "ccr",
                            .label = "CCR",
                            .unit = "blocks/update",
                            .form = Form::per_update,
                            .meaning =
                                "communication-to-computation ratio: blocks moved / block "
                                "updates",
                            .source = "PPoPP'08, section 3",
                            .axis = "blocks moved per block update"};
constinit const Figure kPortUtilisation{.key = "port_utilisation",
                                        .label = "port use",
                                        .form = Form::share,
                                        .meaning =
                                            "mean number of transfers at once over the "
                                            "makespan: on one port, the share of it during "
                                            "which the port is busy",
                                        .source = "PPoPP'08, section 6"};
constinit const Figure kSendUtilisation{.key = "send_utilisation",
                                        .label = "sends",
                                        .form = Form::share,
                                        .meaning = "the same of transfers to workers"};
constinit const Figure kReceiveUtilisation{.key = "receive_utilisation",
                                           .label = "returns",
                                           .form = Form::share,
                                           .meaning = "the same of transfers back"};
constinit const Figure kBoundRatio{.key = "bound_ratio",
                                   .label = "bound ratio",
                                   .form = Form::ratio,
                                   .meaning = "rho / throughput: makespan / steady_state_bound_s",
                                   .source = "PPoPP'08, Table 1 and section 6",
                                   .axis = "makespan / steady-state bound",
                                   .relate = bound_ratio};
constinit const Figure kSteadyStateRate{.key = "steady_state_updates_per_s",
                                        .label = "rho",
                                        .unit = "updates/s",
                                        .form = Form::date,
                                        .scope = Scope::heading,
                                        .meaning =
                                            "rho, the optimum of the steady-state linear "
                                            "program of the platform's port",
                                        .source = "PPoPP'08, Table 1"};
constinit const Figure kSteadyStateBound{.key = "steady_state_bound_s",
                                         .label = "steady-state bound",
                                         .unit = "s",
                                         .form = Form::date,
                                         .scope = Scope::instance,
                                         .meaning =
                                             "r s t / rho: chunks of side mu_i, C neglected "
                                             "on one port",
                                         .source = "PPoPP'08, Table 1",
                                         .axis = "steady-state bound (s)",
                                         .reference = true};
constinit const Figure kCStationaryBound{.key = "c_stationary_bound_s",
                                         .label = "C-stationary bound",
                                         .unit = "s",
                                         .form = Form::date,
                                         .scope = Scope::instance,
                                         .meaning =
                                             "no schedule ends sooner that keeps a rectangle "
                                             "of C at a time on a worker",
                                         .source = "sim/star/bounds/makespan_bounds.md"};
constinit const Figure kTimesBound{.key = "times_bound",
                                   .label = "x bound",
                                   .form = Form::ratio,
                                   .meaning = "makespan / any_schedule_bound_s",
                                   .source = "sim/star/bounds/makespan_bounds.md",
                                   .axis = "makespan / bound on any schedule",
                                   .relate = times_bound};
constinit const Figure kAnyScheduleBound{.key = "any_schedule_bound_s",
                                         .label = "any-schedule bound",
                                         .unit = "s",
                                         .form = Form::date,
                                         .scope = Scope::instance,
                                         .meaning = "no schedule of the model ends sooner",
                                         .source = "sim/star/bounds/makespan_bounds.md",
                                         .axis = "bound on any schedule (s)"};
constinit const Figure kSide{.key = "mu_blocks",
                             .label = "mu_i",
                             .unit = "blocks",
                             .form = Form::count,
                             .scope = Scope::worker,
                             .meaning =
                                 "the side of the worker's chunks of C: the largest mu with "
                                 "mu^2 + 4 mu <= m_i",
                             .source = "PPoPP'08, section 4"};
constinit const Figure kLinkBusy{.key = "link_busy_s",
                                 .label = "link busy",
                                 .unit = "s",
                                 .form = Form::date,
                                 .scope = Scope::worker,
                                 .meaning = "how long the worker's transfers last, in all"};
constinit const Figure kComputeBusy{.key = "compute_busy_s",
                                    .label = "computing",
                                    .unit = "s",
                                    .form = Form::date,
                                    .scope = Scope::worker,
                                    .meaning = "how long the worker's updates last, in all"};

const FigureList& star_figures() {
  static const FigureList figures = merged(
      common_figures(), {&kEnrolledWorkers, &kBlocksMoved, &kBlockUpdates, &kCcr, &kPortUtilisation,
                         &kSendUtilisation, &kReceiveUtilisation, &kRelativeCost, &kRelativeWork,
                         &kBoundRatio, &kSteadyStateRate, &kSteadyStateBound, &kCStationaryBound,
                         &kTimesBound, &kAnyScheduleBound, &kSide, &kLinkBusy, &kComputeBusy});
  return figures;
}

}  // namespace starport
