// The star of PPoPP'08 and IPDPS'07: the master holds the matrices, workers get blocks and give C
// back (README, "What is modelled"). Figures beyond those that all models share, and heuristics
// whose chunks end between matrix elements.
#pragma once

#include "sim/results/figure.hpp"
#include "sim/results/model.hpp"
#include "sim/star/bounds/makespan_bounds.hpp"
#include "sim/star/engine/engine.hpp"
#include "sim/star/heuristic.hpp"
#include "sim/star/trace.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace starport {

/// Computes the value of the reported figure kBoundRatio: makespan of the run / steady-state bound
/// (block updates / their highest rate in steady state), which does not hold for all schedules, nor
/// with noise. No value (monostate) when the instance has no such rate, the run no makespan or no
/// flag (see c_stationary()).
Value bound_ratio(const RecordContext& row);
/// Computes the value of the reported figure kCStationary: 1 if the schedule is C-stationary (each
/// worker holds one rectangle of C at a time) and the bound on such schedules is larger than the
/// bound on any schedule, else 0. Reads the flag that the run has set in this same figure: 1 for a
/// C-stationary schedule. No value (monostate) without a bound on any schedule, or if the run has
/// set no flag, because its memory is not in whole blocks and no bound of the instance holds.
Value c_stationary(const RecordContext& row);
/// Computes the value of the reported figure kTimesTightest: makespan of the run / the tightest
/// lower bound that holds for its schedule: kSplitKBound if the run has it (workers share the
/// updates of blocks of C), else kCStationaryBound if the schedule is C-stationary (one rectangle
/// of C at a time on each worker) and that bound is the larger one, else kAnyScheduleBound. No
/// value (monostate) without that bound or a makespan, nor if c_stationary() has none.
Value times_tightest(const RecordContext& row);
/// Computes the value of the reported figure kTimesBound: makespan of the run / lower bound on the
/// makespan of any schedule (any_schedule_bound_s). No value (monostate) without a bound or a
/// makespan, and for a schedule that splits k (workers share the updates of blocks of C), for which
/// that bound does not hold; nor if c_stationary() has no value.
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
               "makespan / the bound for schedules of its kind: split_k_bound_s if the run "
               "has one, c_stationary_bound_s if c_stationary is yes, else any_schedule_bound_s",
               "sim/star/bounds/makespan_bounds.md", "makespan / tightest bound"),
        times_tightest),
    "tightest bound");
inline constexpr Figure kTimesBound =
    relative(figure("times_bound", "x any bound", "", Form::ratio, Scope::run,
                    "makespan / any_schedule_bound_s; none for a schedule that splits k",
                    "sim/star/bounds/makespan_bounds.md", "makespan / bound on any schedule"),
             times_bound);
inline constexpr Figure kAnyScheduleBound =
    figure("any_schedule_bound_s", "any-schedule bound", "s", Form::date, Scope::instance,
           "lower bound on the makespan of any schedule of the model that does not split k",
           "sim/star/bounds/makespan_bounds.md", "bound on any schedule (s)");
inline constexpr Figure kSplitKBound = figure(
    "split_k_bound_s", "split-k bound", "s", Form::date, Scope::run,
    "lower bound on the makespan of schedules in which workers share the updates of blocks of "
    "C and the master adds up their partial sums; only of runs with such a schedule",
    "sim/star/bounds/makespan_bounds.md", "bound on schedules that split k (s)");
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

/// Returns the declarations of all figures (reported values) of the star model (a master and its
/// workers), common ones included, in the order of the columns of results. The list is a static
/// object, valid until the program ends.
const FigureList& star_figures();

class Heuristic;  // sim/star/heuristic.hpp
struct Requirements;

/// Returns the object that formats results of the star model (a master and its workers) as text and
/// tables. It is a static object, valid until the program ends.
const Presentation& star_presentation();

/// Returns the lower bounds on the makespan of an instance on the star in seconds
/// (kSteadyStateBound, kCStationaryBound, kAnyScheduleBound) and the largest steady-state rate of
/// all workers together in block updates per second (kSteadyStateRate). With noise, only that rate
/// and kSteadyStateBound are returned; the makespan may then be below it. Those for which no worker
/// has enough memory are left out. Throws InputError when the platform is not a star or has no
/// figures for the block size.
Figures star_bounds(const Case& instance, const Noise& noise);

/// The star model of PPoPP'08 and IPDPS'07: a master holds the matrices, sends blocks to workers
/// through its port, and gets C back. Algorithms are Heuristic objects. Programs differ in which
/// engines they contain, so that a function passed to the constructor creates these.
class StarModel final : public Model {
 public:
  /// Function that creates an engine (simulator of runs on a star) of the given kind, whose runs
  /// keep the given limits. Must not return null; called for each run or batch of runs, whose
  /// caller then owns the engine. A SimulationError or InputError that it throws counts as a
  /// failure of the run (the record has status error); find_difference() passes it on.
  using MakeEngine = std::function<std::unique_ptr<Engine>(EngineKind, const SimulationLimits&)>;

  /// Makes the model of a star with a function that creates its engines (simulators), which must
  /// not be empty (std::bad_function_call at the first run otherwise). It is stored; what it refers
  /// to must outlive the model.
  explicit StarModel(MakeEngine make_engine) : make_engine_(std::move(make_engine)) {}

  std::string_view name() const override { return "star"; }
  const FigureList& figures() const override;
  const Presentation& presentation() const override { return star_presentation(); }
  std::optional<InputError> find_obstacle(
      const Case& instance, const RunOptions& options,
      std::span<const NamedAlgorithm> algorithms = {}) const override;
  Figures bounds(const Case& instance, const Noise& noise) const override {
    return star_bounds(instance, noise);
  }
  Record run(const NamedAlgorithm& algorithm, const Case& instance,
             const RunOptions& options) const override;
  std::vector<Record> run_batch(const NamedAlgorithm& algorithm, std::span<const RunInput> runs,
                                const RunOptions& options) const override;
  std::string find_difference(const NamedAlgorithm& algorithm, const Case& instance,
                              const RunOptions& options, EngineKind reference) const override;

  /// Simulates, validates and measures the plan that `planner` makes, and returns its record under
  /// the algorithm name `name`; blocks until the run has ended. A run that fails or violates the
  /// model gives a record with status error, one whose planner throws NotApplicable "not
  /// applicable". Requires a star platform: for another one the record has status error, or with a
  /// timeline InputError is thrown. With `options.isolated` false and the analytic engine,
  /// exceptions of the planner other than NotApplicable, SimulationError, InputError and
  /// std::bad_alloc pass through, and the trace of a run without timeline is not validated;
  /// otherwise this forks and must be called from a process with one thread.
  ///
  /// If `options.on_timeline` is set, it receives the timeline of a successful run, in pieces of
  /// about `options.max_slices` slices (activities), before this returns; its exceptions pass
  /// through. The lower bound of the timeline, if there is one, holds for C-stationary schedules
  /// (one rectangle of C at a time on each worker) if `c_stationary` is true, for any schedule if
  /// false; if nullopt, the transfers of the run decide. If workers share the updates of blocks of
  /// C in the run, it is kSplitKBound instead.
  Record simulate(const std::string& name, const Planner& planner, const Case& instance,
                  const RunOptions& options, std::optional<bool> c_stationary = {}) const;
  /// Simulates, validates and measures the plan that `planner` makes, and returns its record under
  /// the algorithm name `name`; blocks until the run has ended. Unless `take` is empty, calls it in
  /// this process for each transfer once that is validated, in the order of the master's decisions.
  /// Makes no timeline. A platform that is no star and a run that fails or violates the model give
  /// a record with status error, after transfers may have been passed; a planner that throws
  /// NotApplicable gives one "not applicable". A SimulationError, InputError, NotApplicable or
  /// std::bad_alloc of `take` counts as one of the run; other exceptions of it pass through. With
  /// `options.isolated` false and the analytic engine, other exceptions of the planner pass through
  /// too, and with empty `take` the trace is not validated; otherwise this forks and must be called
  /// from a process with one thread.
  Record simulate(const std::string& name, const Planner& planner, const Case& instance,
                  const RunOptions& options, const TransferConsumer& take) const;

 private:
  std::vector<Record> run_under_noises(const NamedAlgorithm& algorithm,
                                       std::span<const RunInput> runs,
                                       const RunOptions& options) const;
  std::vector<Record> run_together(const NamedAlgorithm& algorithm, std::span<const RunInput> runs,
                                   const RunOptions& options) const;

  MakeEngine make_engine_;
};

/// Returns the star (master and workers) of an instance at the block size of its product, that is,
/// for each worker c_i (seconds to transfer a block), w_i (seconds per block update) and m_i
/// (memory in blocks). Throws InputError when the platform is not a star or has no figures for that
/// block size.
Platform make_star(const Case& instance);

/// Converts lower bounds on the makespan, in seconds, to the reported figures (kSteadyStateBound,
/// kCStationaryBound, kAnyScheduleBound). Bounds that are nullopt get no value.
Figures figures_of(const MakespanBounds& bounds);

/// Returns the object of `algorithm` as a Heuristic, a reference that is valid as long as
/// `algorithm` or a copy of it lives. Throws std::bad_cast when it belongs to another model; it
/// must not be null (not checked: undefined behaviour otherwise).
const Heuristic& heuristic_of(const NamedAlgorithm& algorithm);

/// Returns a function that plans `problem` on `platform` with `algorithm`, anew at each call. The
/// three must outlive it. It throws std::bad_cast when the algorithm belongs to another model, and
/// NotApplicable when the heuristic does not apply to the platform or the product. An InputError of
/// the heuristic, as when no worker has the memory that it requires, passes for one requested by
/// name (NamedAlgorithm::named) and becomes NotApplicable for others. Other exceptions of the
/// heuristic, such as SimulationError or MachineError of a user's program, pass through.
Planner make_planner(const NamedAlgorithm& algorithm, const Platform& platform,
                     const Problem& problem);

/// Returns a lower bound on the number of transfers (messages of blocks to and from the workers) of
/// any run of a heuristic with these requirements; 0 when no worker has the memory. With a memory
/// layout (which gives the size of chunks, the squares of C on a worker), all chunks count as large
/// as in the largest memory of a worker; without one, or if that memory holds no chunk, the bound
/// is that of any schedule.
double fewest_transfers(const Requirements& required, const Platform& platform,
                        const Problem& problem);

/// Returns a text of several lines, ending with a newline: the name of the platform, its number of
/// workers, its port unless it is the one-port default, and the block size, then a table of the
/// workers with c_i, w_i (durations with units), m_i and mu_i (memory and chunk side in blocks)
/// and, if any has one, the latency. Consecutive identical workers share a row; after 16 rows of
/// workers a line says how many are left out.
std::string platform_table(const Platform& platform, const Problem& problem);

/// Returns true if the heuristic plans only for blocks of one matrix element while the blocks of
/// the instance are larger, so that the instance must be converted with to_elements() to run it.
bool needs_elements(const Heuristic& heuristic, const Case& instance);
/// Returns the same platform and product with blocks of one matrix element: sizes in blocks are
/// multiplied by the block size, which becomes 1. Throws InputError when the product then has too
/// many blocks (check_problem()), and NotApplicable when the platform has no figures for blocks of
/// one element, as when c, w and m are given for another block size, or speeds by size.
Case to_elements(const Case& instance);
/// Converts reported figures in `record`, in place, from blocks of one element to blocks of q x q
/// elements (q >= 1, not checked): of the run and its workers the blocks moved and block updates
/// (rounded to integers), of the run also their ratio. `record` must be of a successful run of an
/// instance that to_elements() made, and all of these must have values (not checked); other figures
/// stay as they are.
void convert_to_blocks(Record& record, std::int64_t q);

}  // namespace starport
