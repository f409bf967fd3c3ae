// The models of this program and their algorithms.
#pragma once

#include "sim/models/star/star_model.hpp"
#include "sim/sweep/specification.hpp"

namespace starport {

/// Returns the star model (a master sends blocks to workers) with both engines, SimGrid and
/// analytic. The object is static; SimGrid is loaded when a run first needs it, which may throw
/// InputError then.
const StarModel& star_model();

/// Returns all models (stars, tile tasks, SPMD products), each with its engines, and the reader of
/// algorithm lists, read_algorithms(). The object is static; SimGrid is loaded when a run first
/// needs it, which may throw InputError then.
const ModelRegistry& model_registry();

}  // namespace starport
