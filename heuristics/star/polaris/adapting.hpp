// Polaris[adapt=yes]: a plan of Polaris whose order gives way during the run, and whose remaining
// work is shared out again when a worker slows down or stops.
#pragma once

#include "heuristics/star/polaris/serving.hpp"
#include "sim/star/dispatcher.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace starport::polaris {

/// Makes the dispatcher that executes tasks (one worker's rectangle of C each) of a plan whose
/// simulated makespan is `makespan_s` seconds, for a master with one port (one transfer at a time;
/// not checked). `order` is that of the plan's transfers (ServedSchedule::order). Of the transfers
/// that can start, it decides the one earliest in that order, or waits for a short time for one
/// that is earlier still, so that without noise the transfers are those of the plan. While a worker
/// is slower or faster than random variation explains, and once work has been shared out again, it
/// serves the workers by the rule of serve_tasks(), but on the dates of the run. Once a worker
/// would end after `makespan_s` by more than 5 %, or has stopped, blocks of C that it has not begun
/// (if it has stopped, all that it has not returned) go to others as they run out of work
/// (heuristics/star/polaris/README.md, "Under noise"). There must be at most one task per worker,
/// each with a mode for its worker and size (not checked; the blocks of a task whose mode has the
/// kind `none` are never computed). A run throws SimulationError if blocks of C are left that no
/// worker which has not stopped has the memory for. The platform and the problem must outlive the
/// dispatcher; everything else is copied.
std::unique_ptr<Dispatcher> make_adapting_dispatcher(
    const Platform& platform, const Problem& problem, const std::vector<RectangleTask>& tasks,
    const ServingOptions& options, const std::vector<std::uint32_t>& order, double makespan_s);

}  // namespace starport::polaris
