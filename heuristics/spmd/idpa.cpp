#include "heuristics/spmd/idpa.hpp"

#include <algorithm>
#include <utility>

namespace starport::spmd {

Balance idpa(std::int64_t columns, std::size_t devices, Strategy strategy, const Kernel& kernel,
             const Passes& passes) {
  // 1. A small first point of each model. Constants need none.
  PerWorker<SpeedFunction> models(devices);
  double first_s = 0;
  if (strategy == Strategy::functional) {
    for (std::size_t j = 0; j < devices; ++j) {
      const double t = kernel(j, 1);
      models[j].add(1, 1 / t);
      first_s = std::max(first_s, t);
    }
  }
  // 3. All devices at once; a device without columns does nothing.
  const auto run = [&](const PerWorker<std::int64_t>& d) {
    Measure measure{.sizes = d, .times_s = {}, .within = {}};
    for (std::size_t j = 0; j < devices; ++j) {
      measure.times_s.push_back(d[j] > 0 ? kernel(j, d[j]) : 0);
      measure.cost_s = std::max(measure.cost_s, measure.times_s.back());
    }
    return measure;
  };
  // 2, 4 to 6.
  Balance found = balance(columns, strategy, passes, std::move(models), run);
  found.cost_s += first_s;
  return found;
}

}  // namespace starport::spmd
