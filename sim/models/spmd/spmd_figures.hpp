// The figures of distributed products, beyond those that all models share.
#pragma once

#include "sim/results/figure.hpp"

namespace starport::spmd {

/// Number of flop/s (floating-point operations per second) in one Tflop/s.
inline constexpr double kTera = 1e12;

/// Computes the value of the figure kOfBalancedSpeed: speed of the run / upper bound on the speed
/// (balanced_speed_tflops), a fraction up to 1 for runs without noise. No value (monostate) when
/// either is missing.
Value of_balanced_speed(const RecordContext& row);

inline constexpr Figure kSpeed{.key = "speed_tflops",
                               .label = "Tflop/s",
                               .unit = "Tflop/s",
                               .form = Form::ratio,
                               .meaning = "speed of the whole product: 2 N^3 / makespan",
                               .source = "HeteroPar'12, Figure 5",
                               .axis = "speed (Tflop/s)"};
inline constexpr Figure kImbalance{
    .key = "imbalance",
    .label = "imbalance",
    .unit = {},
    .form = Form::ratio,
    .meaning = "t_max / t_min - 1 over the workers' total computation times",
    .source = "HeteroPar'12, section 3, step 6 of the INPA"};
inline constexpr Figure kPasses{
    .key = "passes",
    .label = "passes",
    .unit = {},
    .form = Form::count,
    .meaning = "number of times all workers were measured while the work was divided",
    .source = "HeteroPar'12, section 3"};
inline constexpr Figure kMeasuring{
    .key = "measuring_s",
    .label = "measuring",
    .unit = "s",
    .form = Form::date,
    .meaning =
        "time of the kernel runs that divide the work before the start: the sum over the passes "
        "of the longest time of a node",
    .source = "HeteroPar'12, section 3"};
inline constexpr Figure kHalfPerimeterRatio{
    .key = "half_perimeter_ratio",
    .label = "half-perimeters",
    .unit = {},
    .form = Form::ratio,
    .meaning =
        "sum of the half-perimeters of the parts of C / 2 times the sum of their areas' roots",
    .source = "HCW'06, equations 2.1 and 2.2",
    .axis = "half-perimeters / lower bound"};
inline constexpr Figure kCommunication{.key = "communication_s",
                                       .label = "communication",
                                       .unit = "s",
                                       .form = Form::date,
                                       .meaning = "total communication time of all iterations",
                                       .source = "HCW'06, equation 4.1",
                                       .axis = "communication (s)"};
inline constexpr Figure kHubTransfers{
    .key = "hub_s",
    .label = "hub",
    .unit = "s",
    .form = Form::date,
    .meaning =
        "with data=hub: time of the hub's transfers, of A, B and C before the first iteration and "
        "of C after the last one",
    .source = {}};
inline constexpr Figure kCommunicationShare{.key = "communication_share",
                                            .label = "communication",
                                            .unit = {},
                                            .form = Form::share,
                                            .meaning = "communication time / makespan",
                                            .source = "HeteroPar'12, section 4"};
inline constexpr Figure kWaitingShare{.key = "waiting_share",
                                      .label = "comm. + waiting",
                                      .unit = {},
                                      .form = Form::share,
                                      .meaning =
                                          "mean share of the makespan in which a worker does not "
                                          "compute: communication, and waiting for slower workers",
                                      .source = "HeteroPar'12, section 4"};
inline constexpr Figure kElementsMoved{.key = "elements_moved",
                                       .label = "elements moved",
                                       .unit = "elements",
                                       .form = Form::count,
                                       .meaning = "matrix elements in all the messages",
                                       .source = "HCW'06, section 3.1"};
inline constexpr Figure kElementsOfC{.key = "c_elements",
                                     .label = "elements of C",
                                     .unit = "elements of C",
                                     .form = Form::count,
                                     .scope = Scope::worker,
                                     .meaning = "matrix elements of C that the worker computes",
                                     .source = {}};
inline constexpr Figure kEndToEndMakespan{
    .key = "end_to_end_makespan_s",
    .label = "end to end",
    .unit = "s",
    .form = Form::date,
    .meaning =
        "SimGrid only: the makespan if a message occupies the links of its sender and its "
        "receiver until it ends, at max-min fair shares, instead of each link separately",
    .source = {}};
inline constexpr Figure kBalancedSpeed{
    .key = "balanced_speed_tflops",
    .label = "sum of speeds",
    .unit = "Tflop/s",
    .form = Form::ratio,
    .scope = Scope::instance,
    .meaning =
        "upper bound on the speed: the sum of the devices' speeds "
        "at the balanced point, with fractions of blocks and "
        "without communication",
    .source = "HeteroPar'12, equation 1"};
inline constexpr Figure kOfBalancedSpeed{.key = "of_balanced_speed",
                                         .label = "of the bound",
                                         .unit = {},
                                         .form = Form::share,
                                         .meaning = "speed_tflops / balanced_speed_tflops",
                                         .source = {},
                                         .compute = of_balanced_speed};

/// Returns the declarations of all figures that the spmd model reports, common ones included, in
/// the order of the columns of results. The list is a static object.
const FigureList& spmd_figures();

}  // namespace starport::spmd
