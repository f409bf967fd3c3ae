// The registry of algorithms for distributed products.
#pragma once

#include "heuristics/registry.hpp"
#include "sim/spmd/distribution.hpp"

#include <vector>

namespace starport::spmd {

/// Returns the algorithms for distributed products with their names, parameters and factories, in
/// the order in which they are listed to users. The list is constant and valid until the program
/// ends.
const std::vector<Entry<Distribution>>& distribution_registry();

}  // namespace starport::spmd
