// One parameter of the platform varied, for the explorer.
#pragma once

#include "sim/files/json.hpp"
#include "sim/results/model.hpp"

#include <nlohmann/json.hpp>

#include <vector>

namespace starport {

/// Simulates the algorithms on 33 platforms whose field `sweep.field`, of the workers of the entry
/// `sweep.entry` or of all workers (see compute_answer()), is 0.1 to 10 times that of `instance`,
/// ascending in equal ratios. Returns an object with
/// - label: the field and its workers, as text;
/// - x: the values of the field in SI units; factors instead if all entries change, or if the entry
///   gives c, w and m (figures of the model) or shares the master's memory;
/// - field: its name, or "factor" if x are factors;
/// - makespans_s: by name of the algorithm, simulated seconds in the order of x, infinity (null in
///   JSON text) where a run fails or the algorithm is not applicable;
/// - crossings: a list with {"below", "x", "from", "to"} wherever the fastest algorithm (of equals
///   the first) changes between two neighbouring values of x: at `below`, `from` is at least as
///   fast as `to`, or neither runs; at `x`, at most 0.1 % greater, `from` is slower, does not run,
///   or is equally fast but after `to` in `algorithms`.
///
/// On the analytic engine, built-in algorithms run in this process, where not every model enforces
/// the time limit of `options`, others in child processes: call it from a process with one thread.
/// Throws InputError if the field or entry does not exist, if no worker of the entry (or of all)
/// has the field, or if all have 0 there.
nlohmann::ordered_json sweep_json(const JsonNode& sweep, const Case& instance,
                                  const std::vector<NamedAlgorithm>& algorithms,
                                  RunOptions options);

}  // namespace starport
