// Polaris[adapt=yes]: a plan of Polaris whose order gives way during the run, and whose remaining
// work is shared out again when a worker slows down or stops.
#pragma once

#include "heuristics/star/polaris/serving.hpp"
#include "sim/star/dispatcher.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace starport::polaris {

/// Makes the dispatcher of Polaris[adapt=yes], which executes tasks (one worker's rectangle of C
/// each) of a plan made with `options`, whose simulated makespan is `makespan_s` seconds, for a
/// master with one port (not checked). `order` lists the plan's transfers as ServedSchedule::order
/// does: 2 * (index in `tasks`), plus 1 for a return of C (indices not checked: undefined
/// behaviour). Of the transfers that can start, it decides the one earliest in that order, or waits
/// for one that is earlier still if that costs less, so that without noise the transfers are those
/// of the plan. While a worker is slower or faster than random variation explains, and once work
/// has been shared out again, it serves first the worker with the most computation not yet sent, as
/// serve_tasks() does, but on the dates of the run. Blocks of C go to other workers as these run
/// out of work: all that a stopped worker has not returned, and, if that gains enough, those not
/// begun by a worker that would end after `makespan_s` by more than 5 %. There must be at most one
/// task per worker, each for all values of k, receiving C (RectangleTask::inner and receives_c are
/// ignored), and with a mode (way to compute) for its worker and size (not checked; the blocks of a
/// task whose mode has the kind `none` are never computed). A run throws SimulationError if blocks
/// of C are left that no worker which has not stopped has the memory for. The platform and the
/// problem must outlive the dispatcher; everything else is copied.
std::unique_ptr<Dispatcher> make_adapting_dispatcher(
    const Platform& platform, const Problem& problem, const std::vector<RectangleTask>& tasks,
    const ServingOptions& options, const std::vector<std::uint32_t>& order, double makespan_s);

}  // namespace starport::polaris
