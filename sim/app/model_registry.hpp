// The models of this program and their algorithms.
#pragma once

#include "sim/models/star/star_model.hpp"
#include "sim/sweep/specification.hpp"

namespace starport {

/// Returns the model of stars, on both engines. Static; valid until the program ends.
const StarModel& star_model();

/// Returns all models, on both engines, and the reader of algorithm lists. Static; valid until the
/// program ends.
const ModelRegistry& model_registry();

}  // namespace starport
