// The model of products whose data are distributed before the start (HeteroPar'12 and HCW'06).
#pragma once

#include "sim/results/model.hpp"
#include "sim/spmd/distribution.hpp"
#include "sim/spmd/product_run.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <variant>

namespace starport::spmd {

/// The SimGrid engines of this model. All are empty in programs without SimGrid.
struct Simulators {
  std::function<ProductRun(const Cluster&, const ProductPlan&, double time_limit_s,
                           const StageSink&, const Durations&)>
      product = {};
  /// Simulates the variant in which a message occupies the links of its sender and its receiver
  /// until it ends. Without noise.
  std::function<ProductRun(const Cluster&, const ProductPlan&, double time_limit_s)> end_to_end =
      {};
  std::function<BulkRun(const PairPlan&, double time_limit_s, const Durations&)> pair = {};
};

/// Returns N / b, the side of a square product in blocks. Throws NotApplicable when the product is
/// not square.
std::int64_t side_of(const Problem& problem);

/// Returns the text and table layout of distributed products; the object is static.
const Presentation& spmd_presentation();

/// Plans the product with `named`, a distribution of this model: on a cluster, or on two processors
/// (HCW'06). Throws NotApplicable when the algorithm does not fit the cluster or the product.
std::variant<ProductPlan, PairPlan> make_plan(const NamedAlgorithm& named, const Cluster& cluster,
                                              const Problem& problem);

/// The model of distributed products, simulated by its own engine or on SimGrid.
class SpmdModel final : public Model {
 public:
  explicit SpmdModel(Simulators simulators = {}) : simulators_(std::move(simulators)) {}

  std::string_view name() const override { return "spmd"; }
  const FigureList& figures() const override;
  const Presentation& presentation() const override { return spmd_presentation(); }
  /// Checks the engine and the platform only: whether an algorithm fits depends on the algorithm,
  /// whose record is then "not applicable".
  std::optional<InputError> find_obstacle(
      const Case& instance, const RunOptions& options,
      std::span<const NamedAlgorithm> algorithms = {}) const override;
  Figures bounds(const Case& instance, const Noise& noise) const override;
  Record run(const NamedAlgorithm& algorithm, const Case& instance,
             const RunOptions& options) const override;
  std::string find_difference(const NamedAlgorithm& algorithm, const Case& instance,
                              const RunOptions& options, EngineKind reference) const override;

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
