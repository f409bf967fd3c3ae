#include "heuristics/spmd/idpa.hpp"

#include <utility>

namespace starport::spmd {

Balance idpa(std::int64_t columns, std::size_t devices, Strategy strategy, const Kernel& kernel,
             const Passes& passes) {
  // 1. A small first point of each model. Constants need none.
  PerWorker<SpeedFunction> models(devices);
  if (strategy == Strategy::functional) {
    for (std::size_t j = 0; j < devices; ++j) models[j].add(1, 1 / kernel(j, 1));
  }
  // 3. All devices at once; a device without columns does nothing.
  const auto run = [&](const PerWorker<std::int64_t>& d) {
    Measure measure{.sizes = d, .times_s = {}, .within = {}};
    for (std::size_t j = 0; j < devices; ++j) {
      measure.times_s.push_back(d[j] > 0 ? kernel(j, d[j]) : 0);
    }
    return measure;
  };
  // 2, 4 to 6.
  return balance(columns, strategy, passes, std::move(models), run);
}

}  // namespace starport::spmd
