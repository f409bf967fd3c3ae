// Running heuristics one after the other on an instance.
#pragma once

#include "heuristics/star/heuristic_list.hpp"
#include "sim/star/engine/engine.hpp"
#include "sim/study/comparison.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace starport {

/// A platform and the problem to solve on it.
struct Instance {
  Platform platform;
  Problem problem;
  std::string platform_file;  ///< what errors about the platform name
};

/// The noise that runs are repeated under: repetition 1, 2, ... of it.
struct RepeatedNoise {
  Noise noise;
  std::int64_t repetitions = 1;
};

/// Plans by the heuristic. One that no worker has the memory for is an InputError when it was asked
/// for by name, and does not apply when it is one of a group. All outlive it.
Planner planner_of(const NamedHeuristic& named, const Platform& platform, const Problem& problem);

/// Plans, simulates, validates the trace and measures it. A run that fails, or whose trace breaks
/// the model, gives a row that says so. `take_trace` gets the trace of a row that is ok. Without
/// it, an engine that can measures the run in this process and keeps no trace.
Result simulate_row(const std::string& name, const Platform& platform, const Problem& problem,
                    const Planner& planner, const Engine& engine,
                    const std::function<void(const Trace&)>& take_trace, const Noise& noise = {});

/// The same over repetitions under noise: `take_trace` gets the trace of the first. One that fails
/// is the error of the row.
Result simulate_repeatedly(const std::string& name, const Platform& platform,
                           const Problem& problem, const Planner& planner, const Engine& engine,
                           const std::function<void(const Trace&)>& take_trace,
                           const RepeatedNoise& repeated);

/// A row for each heuristic, in their order: one that fails does not stop the others. On a terminal
/// a line on stderr tells where a long run is.
std::vector<Result> compare(const std::vector<NamedHeuristic>& heuristics, const Platform& platform,
                            const Problem& problem, const Engine& engine,
                            const std::function<void(const std::string&, const Trace&)>& take_trace,
                            const RepeatedNoise& repeated = {});

/// The fewest transfers that chunks of the layout can need: all as large as on the worker with most
/// memory.
double fewest_transfers(const MemoryLayout& layout, const Platform& platform,
                        const Problem& problem);

/// What is known to fail before the start. Throws InputError when a heuristic asked for by name, or
/// every one of a group, can use no worker at all, naming the memory needed, and when its trace
/// cannot fit in memory.
void check_instance(const std::vector<NamedHeuristic>& heuristics, const Instance& instance,
                    const SimulationLimits& limits);

}  // namespace starport
