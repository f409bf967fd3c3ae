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

/// Returns the text and table layout of the star; the object is static.
const Presentation& star_presentation();

/// Returns the lower bounds of an instance on the star and the steady-state rate rho. Bounds that
/// `noise` invalidates are left out, and so are those that need more memory than any worker has.
/// Throws InputError when the platform is not a star.
Figures star_bounds(const Case& instance, const Noise& noise);

/// The star of PPoPP'08 and IPDPS'07 as a Model. Programs differ in which engines they contain, so
/// that a function passed to the constructor creates these.
class StarModel final : public Model {
 public:
  using MakeEngine = std::function<std::unique_ptr<Engine>(EngineKind, const SimulationLimits&)>;

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

  /// Simulates, validates and measures the plan that `planner` makes, like run() for an arbitrary
  /// plan. The transfers of the run show whether it is C-stationary, which selects the bound drawn
  /// in its timeline; `c_stationary` overrides this.
  Record simulate(const std::string& name, const Planner& planner, const Case& instance,
                  const RunOptions& options, std::optional<bool> c_stationary = {}) const;
  /// Simulates a plan and passes each validated transfer to `take`, unless `take` is empty. Makes
  /// no timeline.
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

/// Returns the star of an instance: c_i, w_i and m_i of each worker at the block size of the
/// problem. Throws InputError when a worker of the file has no such figures.
Platform make_star(const Case& instance);

/// Returns the bounds that exist as figures.
Figures figures_of(const MakespanBounds& bounds);

/// Returns the heuristic of `algorithm`. Throws std::bad_cast when it belongs to another model.
const Heuristic& heuristic_of(const NamedAlgorithm& algorithm);

/// Returns a function that plans the product with `algorithm`, a heuristic of this model. When no
/// worker has the memory, it throws InputError for a heuristic requested by name, NotApplicable for
/// a member of a group. The arguments must outlive the returned function.
Planner make_planner(const NamedAlgorithm& algorithm, const Platform& platform,
                     const Problem& problem);

/// Returns a lower bound on the number of transfers of any run of a heuristic: with chunks, as if
/// all were as large as the largest memory allows; without chunks, those of any schedule.
double fewest_transfers(const Requirements& required, const Platform& platform,
                        const Problem& problem);

/// Returns a table of the platform's workers, one row for consecutive identical workers and 16 rows
/// at most.
std::string platform_table(const Platform& platform, const Problem& problem);

}  // namespace starport
