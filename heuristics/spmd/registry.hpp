// The list of algorithms for distributed products.
#pragma once

#include "heuristics/registry.hpp"
#include "sim/spmd/distribution.hpp"

#include <vector>

namespace starport::spmd {

const std::vector<Entry<Distribution>>& distribution_registry();

}  // namespace starport::spmd
