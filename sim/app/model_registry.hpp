// What this program knows: its models, and the algorithms by their names.
#pragma once

#include "sim/models/star/star_model.hpp"
#include "sim/sweep/specification.hpp"

namespace starport {

const StarModel& star_model();

/// All of them, with SimGrid among their engines.
const ModelRegistry& model_registry();

}  // namespace starport
