// The models of this program and their algorithms.
#pragma once

#include "sim/models/star/star_model.hpp"
#include "sim/sweep/specification.hpp"

#include <string>

namespace starport {

/// Returns the star model (a master sends blocks to workers) with both engines (simulators),
/// SimGrid and analytic. The object is created at the first call, which is thread-safe, and valid
/// until the program ends. SimGrid is loaded only when first needed; if it cannot be, run() and
/// run_batch() return records with status error, and find_difference() throws InputError.
const StarModel& star_model();

/// Returns all models of platforms and products (stars, tile tasks, SPMD products), each with its
/// engines (simulators), and the reader of algorithm lists, read_algorithms(). The object is
/// created at the first call, which is thread-safe, and valid until the program ends. SimGrid is
/// loaded only when first needed; if it cannot be, Model::run() returns a record with status error,
/// and Model::find_difference() throws InputError.
const ModelRegistry& model_registry();

/// Returns the algorithms to compare when the user names none, as a list that read_algorithms()
/// reads; runs nothing. The list has the strategies of ICPP'18 and ZoneGrowth if the tile model can
/// simulate the case with `options` and either a worker computes in the master's memory (as in a
/// node with GPUs) or the star model cannot simulate it with default ones; otherwise the heuristics
/// of PPoPP'08 and Polaris. Four distributed products join these heuristics if an entry of the
/// platform file has devices or a speed function, all matrices are square and the SPMD model can
/// simulate the case; the hub sends and receives their matrices (data=hub), so that all makespans
/// are of the same task.
std::string suitable_algorithms(const Case& instance, const RunOptions& options);

}  // namespace starport
