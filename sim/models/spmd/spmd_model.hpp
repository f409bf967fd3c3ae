// Products that are distributed over the workers before the start: HeteroPar'12 and HCW'06.
#pragma once

#include "sim/results/model.hpp"
#include "sim/spmd/distribution.hpp"
#include "sim/spmd/product_run.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace starport::spmd {

/// What SimGrid adds, for programs that have it; empty otherwise.
struct Simulators {
  std::function<ProductRun(const Cluster&, const ProductPlan&, double time_limit_s,
                           const StageSink&, const Durations&)>
      product = {};
  /// Where a message holds both its links to its end, without noise.
  std::function<ProductRun(const Cluster&, const ProductPlan&, double time_limit_s)> end_to_end =
      {};
  std::function<BulkRun(const PairPlan&, double time_limit_s, const Durations&)> pair = {};
};

/// N / b of the square product. Throws NotApplicable for another one.
std::int64_t side_of(const Problem& problem);

class SpmdModel final : public Model {
 public:
  explicit SpmdModel(Simulators simulators = {}) : simulators_(std::move(simulators)) {}

  std::string_view name() const override { return "spmd"; }
  const FigureList& figures() const override;
  std::vector<Column> columns(const Case& instance) const override;
  std::optional<InputError> misfit(const Case& instance, const RunOptions& options) const override;
  void check(const std::vector<NamedAlgorithm>& algorithms, const Case& instance,
             const RunOptions& options) const override;
  Figures bounds(const Case& instance, const Noise& noise) const override;
  std::string heading(const Case& instance, const Figures& bounds) const override;
  std::string caveat(const Case&) const override {
    return "A, B and C are on the workers before the start, and C stays there; with data=hub all "
           "of them come from the hub, and C goes back";
  }
  const Figure* work() const override;
  std::string nearness(const Record& record, const Figures& bounds) const override;
  Record run(const NamedAlgorithm& algorithm, const Case& instance,
             const RunOptions& options) const override;
  std::string find_difference(const NamedAlgorithm& algorithm, const Case& instance,
                              const RunOptions& ours, EngineKind reference) const override;
  Division divide(const NamedAlgorithm& algorithm, const Case& instance) const override;

 private:
  ProductRun simulate(const Cluster& cluster, const ProductPlan& plan, const RunOptions& options,
                      const Durations& durations, const StageSink& watch = {}) const;
  BulkRun simulate(const PairPlan& plan, const RunOptions& options,
                   const Durations& durations) const;
  void measure(const Cluster& cluster, const ProductPlan& plan, const RunOptions& options,
               const Durations& durations, Record& record) const;
  void measure(const PairPlan& plan, const RunOptions& options, const Durations& durations,
               Record& record) const;

  Simulators simulators_;
};

}  // namespace starport::spmd
