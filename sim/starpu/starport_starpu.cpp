// The C interface of libstarport-starpu.
#include "sim/starpu/starport_starpu.h"

#include "heuristics/tiles/registry.hpp"
#include "sim/files/error.hpp"
#include "sim/files/output.hpp"
#include "sim/starpu/policy/policy.hpp"

#include <algorithm>
#include <exception>
#include <vector>

namespace {

using namespace starport;

starpu::PolicySettings read_settings(const char* strategy) {
  std::vector<const AlgorithmEntry*> entries;
  for (const auto& entry : tiles::tile_registry()) entries.push_back(&entry);
  const auto selected =
      parse_algorithm_list(entries, strategy == nullptr ? "" : strategy, "strategy");
  if (selected.size() > 1) {
    throw InputError("strategy", "the name of one strategy", strategy);
  }
  const auto& registry = tiles::tile_registry();
  const auto entry = std::find_if(registry.begin(), registry.end(), [&](const auto& candidate) {
    return &candidate == selected.front().entry;
  });
  return {.name = selected.front().name(), .algorithm = entry->make(selected.front().parameters)};
}

}  // namespace

struct starpu_sched_policy* starport_starpu_policy(const char* strategy) {
  try {
    return starpu::make_policy(read_settings(strategy));
  } catch (const std::exception& error) {
    print_notice(error.what(), "starport-starpu");
    return nullptr;
  }
}
