// One parameter of the platform varied, for the explorer.
#pragma once

#include "sim/files/json.hpp"
#include "sim/results/model.hpp"

#include <nlohmann/json.hpp>

#include <vector>

namespace starport {

/// Simulates the algorithms on 33 platforms whose field `sweep.field`, of the workers of the entry
/// `sweep.entry` or of all workers (see compute_answer()), is 0.1 to 10 times that of `instance`.
/// Returns an object with `label` of the field, `x` (its values, ascending in equal ratios, in SI
/// units, or factors if all entries change, or if the entry gives c, w and m instead of its
/// hardware or computes in the master's memory), `field` ("factor" if `x` are factors),
/// `makespans_s`, a list per algorithm in the order of `x` (null where a run fails), and
/// `crossings`: where another algorithm becomes the fastest between two neighbouring values of `x`,
/// as {"below", "x", "from", "to"}: `from` is at least as fast as `to` at `below`, or neither runs
/// there, and slower or unable to run at `x`, which is at most 0.1 % greater than `below`. Runs in
/// this process, where not every model enforces the time limit of `options`. Throws InputError if
/// no worker has the field, all have 0 there, or the field or entry does not exist.
nlohmann::ordered_json sweep_json(const JsonNode& sweep, const Case& instance,
                                  const std::vector<NamedAlgorithm>& algorithms,
                                  RunOptions options);

}  // namespace starport
