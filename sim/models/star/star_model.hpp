// The star of PPoPP'08 and IPDPS'07: the master holds the matrices, workers get blocks and give C
// back (README, "What is modelled").
#pragma once

#include "sim/results/model.hpp"
#include "sim/star/bounds/makespan_bounds.hpp"
#include "sim/star/engine/engine.hpp"
#include "sim/star/trace.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace starport {

class Heuristic;  // sim/star/heuristic.hpp
struct Requirements;

/// Returns the object that formats results of the star model as text and tables. It is a static
/// object.
const Presentation& star_presentation();

/// Returns the lower bounds on the makespan of an instance on the star, in seconds, and the largest
/// steady-state rate rho in block updates per second. Bounds that `noise` invalidates are left out,
/// and so are those for which no worker has enough memory. Throws InputError when the platform is
/// not a star or has no figures for the block size.
Figures star_bounds(const Case& instance, const Noise& noise);

/// The star model of PPoPP'08 and IPDPS'07: a master holds the matrices, sends blocks to workers
/// through its port, and gets C back. Algorithms are Heuristic objects. Programs differ in which
/// engines they contain, so that a function passed to the constructor creates these.
class StarModel final : public Model {
 public:
  /// Function that creates an engine of the given kind, whose runs have the given limits. Must not
  /// return null; it is called for each run.
  using MakeEngine = std::function<std::unique_ptr<Engine>(EngineKind, const SimulationLimits&)>;

  /// Makes the model with a function that creates its engines, which must not be empty.
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
  /// the algorithm name `name`. A run that fails or violates the model gives a record with status
  /// error, one whose planner throws NotApplicable "not applicable". If `options.on_timeline` is
  /// set, it receives the timeline with a lower bound: for C-stationary schedules (one rectangle of
  /// C at a time on each worker) or for any, as `c_stationary` says, or if it is nullopt as the
  /// transfers of the run show. With `options.isolated` false and the analytic engine the trace of
  /// a run without timeline is not validated. Requires a star platform: for another one the record
  /// has status error, or with a timeline InputError is thrown.
  Record simulate(const std::string& name, const Planner& planner, const Case& instance,
                  const RunOptions& options, std::optional<bool> c_stationary = {}) const;
  /// Simulates, validates and measures the plan that `planner` makes, and returns its record under
  /// the algorithm name `name`. Unless `take` is empty, calls it in this process for each transfer
  /// once that is validated, in the order of the master's decisions. A run that fails or violates
  /// the model gives a record with status error, after transfers may have been passed. Makes no
  /// timeline. With empty `take`, `options.isolated` false and the analytic engine the trace is not
  /// validated. A platform that is no star gives a record with status error.
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

/// Returns the star of an instance at the block size of its product, that is, for each worker c_i
/// (seconds to transfer a block), w_i (seconds per block update) and m_i (memory in blocks). Throws
/// InputError when the platform is not a star or has no figures for that block size.
Platform make_star(const Case& instance);

/// Converts lower bounds on the makespan, in seconds, to figures (kSteadyStateBound,
/// kCStationaryBound, kAnyScheduleBound). Bounds that are nullopt get no value.
Figures figures_of(const MakespanBounds& bounds);

/// Returns the object of `algorithm` as a Heuristic, a reference that `algorithm` keeps alive.
/// Throws std::bad_cast when it belongs to another model; it must not be null.
const Heuristic& heuristic_of(const NamedAlgorithm& algorithm);

/// Returns a function that plans the product on the platform with `algorithm`. It refers to the
/// three arguments, which must outlive it. Each call plans anew. The function throws std::bad_cast
/// when the algorithm belongs to another model, NotApplicable when the heuristic does not fit, and
/// when no worker has the memory, InputError for a heuristic requested by name
/// (NamedAlgorithm::named), else NotApplicable.
Planner make_planner(const NamedAlgorithm& algorithm, const Platform& platform,
                     const Problem& problem);

/// Returns a lower bound, in constant time per worker, on the number of transfers of any run of a
/// heuristic with these requirements; 0 when no worker has the memory. If the heuristic uses chunks
/// (rectangles of C held by a worker), all count as large as the largest memory allows; otherwise
/// the bound is that of any schedule.
double fewest_transfers(const Requirements& required, const Platform& platform,
                        const Problem& problem);

/// Returns a text of several lines, ending with a newline: the name of the platform and the block
/// size, then a table of the workers with c_i, w_i (durations with units), m_i and mu_i (memory and
/// chunk side in blocks). Consecutive identical workers share a row; after 15 rows of workers a
/// line says how many are left out.
std::string platform_table(const Platform& platform, const Problem& problem);

}  // namespace starport
