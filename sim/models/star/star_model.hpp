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

class StarModel final : public Model {
 public:
  using MakeEngine = std::function<std::unique_ptr<Engine>(EngineKind, const SimulationLimits&)>;

  /// Some programs have no SimGrid: what makes engines comes from outside.
  explicit StarModel(MakeEngine make_engine) : make_engine_(std::move(make_engine)) {}

  std::string_view name() const override { return "star"; }
  const FigureList& figures() const override;
  std::vector<Column> columns(const Case& instance) const override;
  std::optional<InputError> misfit(const Case& instance, const RunOptions& options) const override;
  void check(const std::vector<NamedAlgorithm>& algorithms, const Case& instance,
             const RunOptions& options) const override;
  Figures bounds(const Case& instance, const Noise& noise) const override;
  std::vector<Figures> worker_facts(const Case& instance) const override;
  std::string heading(const Case& instance, const Figures& bounds) const override;
  std::string caveat(const Case& instance) const override;
  std::string footnote(const Comparison& comparison) const override;
  const Figure* work() const override;
  std::string nearness(const Record& record, const Figures& bounds) const override;
  std::string scarcity(const Case& instance, const Record& record) const override;
  Record run(const NamedAlgorithm& algorithm, const Case& instance,
             const RunOptions& options) const override;
  std::vector<double> makespans_s(const NamedAlgorithm& algorithm, const Case& instance,
                                  const RunOptions& options,
                                  const std::vector<Noise>& noises) const override;
  std::vector<Record> run_each(const NamedAlgorithm& algorithm,
                               std::span<const Case* const> instances,
                               const RunOptions& options) const override;
  std::string find_difference(const NamedAlgorithm& algorithm, const Case& instance,
                              const RunOptions& ours, EngineKind reference) const override;

  /// The same as `run`, of any plan. Its transfers tell whether it is C-stationary, which says what
  /// the bound of its timeline is, unless it is known before.
  Record simulate(const std::string& name, const Planner& planner, const Case& instance,
                  const RunOptions& options, std::optional<bool> c_stationary = {}) const;
  /// `take`, if any, gets the transfers, each once it is known to obey the model.
  Record simulate(const std::string& name, const Planner& planner, const Case& instance,
                  const RunOptions& options, const TakeTransfer& take) const;

 private:
  /// As run_each; none where they are too large to be planned together.
  std::vector<Record> run_together(const NamedAlgorithm& algorithm,
                                   std::span<const Case* const> instances,
                                   const RunOptions& options) const;

  MakeEngine make_engine_;
};

/// Throws InputError where the workers of the file are none of a star, and why.
Platform star_of(const Case& instance);

/// Those that there are, as figures.
Figures figures_of(const MakespanBounds& bounds);

/// The algorithm, which is one of this model.
const Heuristic& heuristic_of(const NamedAlgorithm& algorithm);

/// Plans by the algorithm, which is one of this model. One that no worker has the memory for is an
/// InputError when it was asked for by name, and does not apply when it is one of a group. All
/// outlive it.
Planner planner_of(const NamedAlgorithm& algorithm, const Platform& platform,
                   const Problem& problem);

/// The fewest transfers that a heuristic can need: those of chunks all as large as on the worker
/// with most memory, or, without chunks, those that bring what any schedule must.
double fewest_transfers(const Requirements& required, const Platform& platform,
                        const Problem& problem);

/// The block about the platform alone: one line for consecutive workers that are alike.
std::string platform_table(const Platform& platform, const Problem& problem);

}  // namespace starport
