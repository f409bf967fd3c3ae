// The model of products whose data are distributed before the start (HeteroPar'12 and HCW'06), its
// figures beyond those that all models share, and its plans as rectangles of C.
#pragma once

#include "sim/results/figure.hpp"
#include "sim/results/model.hpp"
#include "sim/results/presentation.hpp"
#include "sim/spmd/distribution.hpp"
#include "sim/spmd/product_run.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <variant>

namespace starport::spmd {

/// Number of flop/s (floating-point operations per second) in one Tflop/s.
inline constexpr double kTera = 1e12;

/// Computes the value of the reported figure kOfBalancedSpeed: the speed of the run divided by its
/// upper bound balanced_speed_tflops (the sum of the devices' speeds), a fraction up to 1. No value
/// (monostate) when either is missing, as the bound is under noise.
Value of_balanced_speed(const RecordContext& row);

inline constexpr Figure kSpeed = figure("speed_tflops", "Tflop/s", "Tflop/s", Form::ratio,
                                        Scope::run, "speed of the whole product: 2 N^3 / makespan",
                                        "HeteroPar'12, Figure 5", "speed (Tflop/s)");
inline constexpr Figure kImbalance =
    figure("imbalance", "imbalance", {}, Form::ratio, Scope::run,
           "t_max / t_min - 1 over the workers' total computation times",
           "HeteroPar'12, section 3, step 6 of the INPA");
inline constexpr Figure kPasses =
    figure("passes", "passes", {}, Form::count, Scope::run,
           "number of times all workers were measured while the work was divided",
           "HeteroPar'12, section 3");
inline constexpr Figure kMeasuring =
    figure("measuring_s", "measuring", "s", Form::date, Scope::run,
           "time of the kernel runs that divide the work before the start: the sum over the passes "
           "of the longest time of a node",
           "HeteroPar'12, section 3");
inline constexpr Figure kHalfPerimeterRatio =
    figure("half_perimeter_ratio", "half-perimeters", {}, Form::ratio, Scope::run,
           "sum of the half-perimeters of the parts of C / 2 times the sum of their areas' roots",
           "HCW'06, equations 2.1 and 2.2", "half-perimeters / lower bound");
inline constexpr Figure kCommunication = figure(
    "communication_s", "communication", "s", Form::date, Scope::run,
    "total communication time of all iterations", "HCW'06, equation 4.1", "communication (s)");
inline constexpr Figure kHubTransfers = figure(
    "hub_s", "hub", "s", Form::date, Scope::run,
    "with data=hub: time of the hub's transfers, of A, B and C before the first iteration and "
    "of C after the last one");
inline constexpr Figure kCommunicationShare =
    figure("communication_share", "communication", {}, Form::share, Scope::run,
           "communication time / makespan", "HeteroPar'12, section 4");
inline constexpr Figure kWaitingShare =
    figure("waiting_share", "comm. + waiting", {}, Form::share, Scope::run,
           "mean share of the makespan in which a worker does not "
           "compute: communication, and waiting for slower workers",
           "HeteroPar'12, section 4");
inline constexpr Figure kElementsMoved =
    figure("elements_moved", "elements moved", "elements", Form::count, Scope::run,
           "matrix elements in all the messages", "HCW'06, section 3.1");
inline constexpr Figure kElementsOfC =
    figure("c_elements", "elements of C", "elements of C", Form::count, Scope::worker,
           "matrix elements of C that the worker computes");
inline constexpr Figure kEndToEndMakespan =
    figure("end_to_end_makespan_s", "end to end", "s", Form::date, Scope::run,
           "SimGrid only: the makespan if a message occupies the links of its sender and its "
           "receiver until it ends, at max-min fair shares, instead of each link separately");
inline constexpr Figure kBalancedSpeed =
    figure("balanced_speed_tflops", "sum of speeds", "Tflop/s", Form::ratio, Scope::instance,
           "upper bound on the speed: the sum of the devices' speeds "
           "at the balanced point, with fractions of blocks and "
           "without communication",
           "HeteroPar'12, equation 1");
inline constexpr Figure kOfBalancedSpeed =
    relative(figure("of_balanced_speed", "of the bound", {}, Form::share, Scope::run,
                    "speed_tflops / balanced_speed_tflops"),
             of_balanced_speed);

/// Returns the declarations of all figures (reported values) of the spmd model (products of
/// distributed matrices), common ones included, in the order of the columns of results. The list is
/// a static object, valid until the program ends.
const FigureList& spmd_figures();

/// The SimGrid engines of the spmd model (products of distributed matrices), as functions that
/// simulate one plan, block until its run ends, and return that run (ProductRun or BulkRun), with
/// dates and durations in simulated seconds. `time_limit_s` is in wall-clock seconds, 0: no limit;
/// they throw SimulationError when a run fails or exceeds it. All are empty in programs without
/// SimGrid; otherwise `product` and `pair` must both be set. SpmdModel keeps a copy: what the
/// functions refer to must outlive the model. Their arguments are valid during the call only.
struct Simulators {
  /// Simulates a product on a cluster in which each link carries its messages independently of the
  /// others, under the noise in the ProductDurations; calls the StageSink (not empty) for each
  /// stage (successive identical iterations) in order. Throws SimulationError when the run fails or
  /// exceeds `time_limit_s` wall-clock seconds (0: no limit). Empty only in programs without
  /// SimGrid.
  std::function<ProductRun(const Cluster&, const ProductPlan&, double time_limit_s,
                           const StageSink&, const ProductDurations&)>
      product = {};
  /// Simulates a product on a cluster, without noise, in which a message uses the links of its
  /// sender and of its receiver at the same time, and shares each of them, max-min fairly, with the
  /// other messages on it. Throws SimulationError when the run fails or exceeds `time_limit_s`
  /// wall-clock seconds (0: no limit). May be empty: the reported figure kEndToEndMakespan is then
  /// left out.
  std::function<ProductRun(const Cluster&, const ProductPlan&, double time_limit_s)> end_to_end =
      {};
  /// Simulates a product on two processors (HCW'06) under the noise in the ProductDurations. Throws
  /// SimulationError when the run fails or exceeds `time_limit_s` wall-clock seconds (0: no limit).
  /// Empty only in programs without SimGrid.
  std::function<BulkRun(const PairPlan&, double time_limit_s, const ProductDurations&)> pair = {};
};

/// Returns the side in blocks of the matrices of a square product (r = s = t). Throws NotApplicable
/// when A, B and C are not square matrices of the same size, or have more than 2^26 elements a
/// side.
std::int64_t side_of(const Problem& problem);

/// Returns the object that formats results of the spmd model (products of distributed matrices) as
/// text and tables. It is a static object, valid until the program ends.
const Presentation& spmd_presentation();

/// Plans the product with `named`, which must be a Distribution (else throws std::bad_cast), and
/// returns the plan, which owns its data: for a cluster (ProductPlan) or for two processors
/// (PairPlan, HCW'06), as the algorithm decides. Throws NotApplicable when the algorithm does not
/// fit the cluster or side_of() refuses the product. Requires a cluster for problem.block_size with
/// at least one node, and devices in each (not checked). A user's code runs in a child process,
/// forked from a process that must have one thread: throws SimulationError if it fails or its
/// answer is invalid, MachineError if it is killed or runs out of memory, or is stopped after
/// `time_limit_s` wall-clock seconds (0: no limit; default 3600).
std::variant<ProductPlan, PairPlan> make_plan(const NamedAlgorithm& named, const Cluster& cluster,
                                              const Problem& problem,
                                              double time_limit_s = kPlanningLimit_s);

/// The spmd model of distributed products (HeteroPar'12, HCW'06): each worker of a cluster owns
/// parts of A, B and C before the start, or gets them from a hub first, and workers exchange A and
/// B. Algorithms are Distribution objects. A, B and C must be square and of one size (r = s = t);
/// runs of other products give records "not applicable". Simulated by its own engine or on SimGrid.
class SpmdModel final : public Model {
 public:
  /// Makes the model of distributed products with the functions that simulate it on SimGrid, which
  /// it stores; what they refer to must outlive it. Without them, find_obstacle() reports that the
  /// engine simgrid cannot be used; the analytic engine can.
  explicit SpmdModel(Simulators simulators = {}) : simulators_(std::move(simulators)) {}

  std::string_view name() const override { return "spmd"; }
  const FigureList& figures() const override;
  const Presentation& presentation() const override { return spmd_presentation(); }
  /// Returns the reason why the platform cannot run distributed products or the program lacks the
  /// engine of `options`, as an InputError that is not thrown; nullopt when there is none. Runs
  /// nothing. `algorithms` is ignored: one that does not fit gives a record "not applicable" when
  /// it is run.
  std::optional<InputError> find_obstacle(
      const Case& instance, const RunOptions& options,
      std::span<const NamedAlgorithm> algorithms = {}) const override;
  Figures bounds(const Case& instance, const Noise& noise) const override;
  Record run(const NamedAlgorithm& algorithm, const Case& instance,
             const RunOptions& options) const override;
  std::string find_difference(const NamedAlgorithm& algorithm, const Case& instance,
                              const RunOptions& options, EngineKind reference) const override;

 private:
  // The noise of `options` is drawn for the platform `workers`.
  ProductRun simulate(const Cluster& cluster, const ProductPlan& plan, const RunOptions& options,
                      const starport::Platform& workers, const StageSink& watch = {}) const;
  BulkRun simulate(const PairPlan& plan, const RunOptions& options,
                   const starport::Platform& workers) const;
  void measure(const Cluster& cluster, const ProductPlan& plan, const RunOptions& options,
               const starport::Platform& workers, Record& record) const;
  void measure(const PairPlan& plan, const RunOptions& options, const starport::Platform& workers,
               Record& record) const;

  Simulators simulators_;
};

/// Returns the partition of C in a plan of a product on a cluster, for drawings: one rectangle per
/// worker, in the order of the workers, with edges as fractions (0 to 1) of the sides of C; empty
/// ones (of width or height 0) are included.
Division division_of(const ProductPlan& plan);
/// Returns the partition of C in a plan for two processors, for drawings. Edges are fractions (0 to
/// 1) of the sides of C. The slower processor gets a square in the lower right corner (HCW'06,
/// Figure 3), the last columns, or nothing, as the shape of the plan says; the faster one gets the
/// rest as one or two rectangles.
Division division_of(const PairPlan& plan);

/// Returns how much longer the borders of the workers' parts are than necessary: the sum of their
/// half-perimeters (width + height) divided by its lower bound, twice the sum of the square roots
/// of their areas (HCW'06, equations 2.1 and 2.2). At least 1. The half-perimeter of a worker with
/// several rectangles is that of their bounding box; empty rectangles do not count. NaN for a
/// division without parts.
double half_perimeter_ratio(const Division& division);

}  // namespace starport::spmd
