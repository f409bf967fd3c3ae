// What can be known to be wrong of an experiment before it starts.
#pragma once

#include "sim/study/specification.hpp"

namespace starport {

class JsonNode;

/// Tries once everything about an experiment that does not depend on random draws. `node` is where
/// it stands in the specification. Throws InputError.
void try_out(const Experiment& experiment, const JsonNode& node);

}  // namespace starport
