#include "sim/models/spmd/spmd_model.hpp"

#include "sim/files/error.hpp"
#include "sim/models/spmd/spmd_figures.hpp"
#include "sim/results/common_figures.hpp"
#include "sim/spmd/bound.hpp"

#include <fmt/format.h>

namespace starport::spmd {

std::int64_t side_of(const Problem& problem) {
  if (problem.r != problem.s || problem.r != problem.t) {
    throw NotApplicable(fmt::format("it multiplies square matrices, here of {} x {} by {} x {}",
                                    problem.r, problem.t, problem.t, problem.s));
  }
  return problem.r;
}

const FigureList& SpmdModel::figures() const { return spmd_figures(); }

std::optional<InputError> SpmdModel::find_obstacle(const Case& instance, const RunOptions& options,
                                                   std::span<const NamedAlgorithm>) const {
  if (options.engine == EngineKind::simgrid && !simulators_.product) {
    return InputError("--engine", "analytic: this program has no SimGrid", "simgrid");
  }
  try {
    make_cluster(instance.file, instance.problem.block_size);
  } catch (const InputError& error) {
    return error;
  }
  return std::nullopt;
}

Figures SpmdModel::bounds(const Case& instance, const Noise& noise) const {
  if (!noise.is_none()) return {};  // factors below 1 beat it
  try {
    const Cluster cluster = make_cluster(instance.file, instance.problem.block_size);
    const double flops = balanced_speed_flops(cluster, side_of(instance.problem));
    return {{&kBalancedSpeed, flops / kTera}};
  } catch (const NotApplicable&) {
    return {};  // as every row will say
  }
}

}  // namespace starport::spmd
