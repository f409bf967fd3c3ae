// One plan under many noises.
#include "sim/models/star/star_model.hpp"
#include "sim/results/common_figures.hpp"
#include "sim/star/heuristic.hpp"
#include "sim/star/analytic_run.hpp"

namespace starport {

std::vector<double> StarModel::makespans_s(const NamedAlgorithm& algorithm, const Case& instance,
                                           const RunOptions& options,
                                           const std::vector<Noise>& noises) const {
  const auto& heuristic = dynamic_cast<const Heuristic&>(*algorithm.algorithm);
  const bool own = heuristic.origin() == Origin::ours && !heuristic.requirements().in_elements;
  const Platform platform = star_of(instance);
  if (!own || !has_recurrence(platform.port)) {
    return Model::makespans_s(algorithm, instance, options, noises);
  }
  const Plan plan = planner_of(algorithm, platform, instance.problem)();
  if (plan.adapts) return Model::makespans_s(algorithm, instance, options, noises);
  // The order is that of the run without noise.
  const std::vector<Transfer> transfers =
      to_transfers(run_to_trace(*plan.dispatcher, platform, instance.problem));
  const TransferList list(transfers);
  std::vector<double> makespans_s;
  RunOptions one = options;
  for (const Noise& noise : noises) {
    one.noise = noise;
    const Record record = simulate(
        algorithm.name, [&] { return make_list_plan(list); }, instance, one, TransferConsumer());
    if (record.status != Status::ok) return {};
    makespans_s.push_back(record.figures.real(kMakespan));
  }
  return makespans_s;
}

}  // namespace starport
