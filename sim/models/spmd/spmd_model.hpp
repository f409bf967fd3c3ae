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

/// The SimGrid engines of the spmd model, as functions that simulate one plan and return the run
/// with its dates. `time_limit_s` is in wall-clock seconds, 0: no limit; they throw SimulationError
/// when a run fails or exceeds it. All are empty in programs without SimGrid; otherwise `product`
/// and `pair` must both be set.
struct Simulators {
  /// Simulates a product on a cluster in which each link carries its messages independently of the
  /// others; calls the StageSink for each stage in order.
  std::function<ProductRun(const Cluster&, const ProductPlan&, double time_limit_s,
                           const StageSink&, const Durations&)>
      product = {};
  /// Simulates a product on a cluster, without noise, in which a message occupies the links of both
  /// its sender and its receiver until it ends. May be empty: the figure kEndToEndMakespan is then
  /// left out.
  std::function<ProductRun(const Cluster&, const ProductPlan&, double time_limit_s)> end_to_end =
      {};
  /// Simulates a product on two processors (HCW'06) under the noise in the Durations, within
  /// `time_limit_s` wall-clock seconds (0: no limit). Throws SimulationError when the run fails.
  std::function<BulkRun(const PairPlan&, double time_limit_s, const Durations&)> pair = {};
};

/// Returns the side of the matrices of a square product, in blocks. Throws NotApplicable when A, B
/// and C are not square matrices of the same size.
std::int64_t side_of(const Problem& problem);

/// Returns the object that formats results of the spmd model as text and tables. It is a static
/// object.
const Presentation& spmd_presentation();

/// Plans the product with `named`, which must be a Distribution, and returns the kind of plan that
/// it makes: for a cluster (ProductPlan) or for two processors (PairPlan, HCW'06). The plan owns
/// its data. Throws NotApplicable when the algorithm does not fit the cluster or the product is not
/// square, std::bad_cast for an algorithm of another model.
std::variant<ProductPlan, PairPlan> make_plan(const NamedAlgorithm& named, const Cluster& cluster,
                                              const Problem& problem);

/// The spmd model of distributed products (HeteroPar'12, HCW'06): each worker of a cluster owns
/// parts of A, B and C before the start, and workers exchange A and B. Algorithms are Distribution
/// objects; products must be square. Simulated by its own engine or on SimGrid.
class SpmdModel final : public Model {
 public:
  /// Makes the model with its SimGrid engines. Without them, find_obstacle() reports that the
  /// engine simgrid cannot be used.
  explicit SpmdModel(Simulators simulators = {}) : simulators_(std::move(simulators)) {}

  std::string_view name() const override { return "spmd"; }
  const FigureList& figures() const override;
  const Presentation& presentation() const override { return spmd_presentation(); }
  /// Returns the reason why the model cannot run on this platform with this engine, or nullopt when
  /// it can. `algorithms` is ignored: one that does not fit gives a record "not applicable" when it
  /// is run. Does not throw InputError.
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
